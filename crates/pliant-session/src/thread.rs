//! A session in its own thread, for a native user interface.
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

/// A session in a background thread. It ends when this is dropped.
#[derive(Debug)]
pub struct SessionThread {
    commands: Sender<Command>,
    events: Receiver<Event>,
}

impl SessionThread {
    /// Starts a session. `wake` is called from the session's thread whenever there are events to receive.
    pub fn start(wake: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let (commands, command_receiver) = channel();
        let (event_sender, events) = channel();
        let name = "pliant-session".to_owned();
        std::thread::Builder::new()
            .name(name)
            .spawn(move || run(&command_receiver, &event_sender, &wake))?;
        Ok(Self { commands, events })
    }

    /// Sends a command. Returns true while the session runs.
    pub fn send(&self, command: Command) -> bool {
        self.commands.send(command).is_ok()
    }

    /// The next event, if there is one.
    pub fn poll(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Returns the next event, after waiting for at most `timeout`.
    pub fn wait(&self, timeout: Duration) -> Option<Event> {
        self.events.recv_timeout(timeout).ok()
    }
}

fn run(command_receiver: &Receiver<Command>, event_sender: &Sender<Event>, wake: &dyn Fn()) {
    let mut session = Session::new(clock);
    loop {
        let first = match session.wait() {
            None => command_receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(time) => {
                command_receiver.recv_timeout(Duration::from_secs_f64(time.clamp(0.0, 1.0)))
            }
        };
        match first {
            Ok(command) => session.handle(command),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        // All pending commands are handled before a step is taken.
        loop {
            match command_receiver.try_recv() {
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
            if event_sender.send(event).is_err() {
                return;
            }
        }
        wake();
    }
}
