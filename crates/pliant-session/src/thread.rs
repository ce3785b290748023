//! A session in a thread of its own: what a native user interface talks to.
//!
//! In a browser a Web Worker does the same with the bytes of [`protocol`](crate::protocol).

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use crate::protocol::{Command, Event};
use crate::session::Session;

/// Seconds since the first call.
pub fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// A session that runs beside the program. It ends when this is dropped.
#[derive(Debug)]
pub struct Thread {
    commands: Sender<Command>,
    events: Receiver<Event>,
}

impl Thread {
    /// Starts a session. `wake` is called whenever there are events to take, from the session's thread.
    pub fn start(wake: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let (commands, orders) = channel();
        let (told, events) = channel();
        let name = "pliant-session".to_owned();
        std::thread::Builder::new().name(name).spawn(move || run(&orders, &told, &wake))?;
        Ok(Self { commands, events })
    }

    /// Sends a command. Says whether the session still runs.
    pub fn send(&self, command: Command) -> bool {
        self.commands.send(command).is_ok()
    }

    /// The next event, if there is one.
    pub fn poll(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// The next event, waited for at most so long.
    pub fn wait(&self, most: Duration) -> Option<Event> {
        self.events.recv_timeout(most).ok()
    }
}

fn run(orders: &Receiver<Command>, told: &Sender<Event>, wake: &dyn Fn()) {
    let mut session = Session::new(clock);
    loop {
        let first = match session.wait() {
            None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(time) => orders.recv_timeout(Duration::from_secs_f64(time.clamp(0.0, 1.0))),
        };
        match first {
            Ok(command) => session.handle(command),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        // All that came meanwhile, before a step is taken.
        loop {
            match orders.try_recv() {
                Ok(command) => session.handle(command),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return,
            }
        }
        let events = session.advance();
        if events.is_empty() {
            continue;
        }
        for event in events {
            if told.send(event).is_err() {
                return;
            }
        }
        wake();
    }
}
