//! A session in its thread: commands in, events out, paced by what is acknowledged.

use std::time::Duration;

use pliant_session::thread::SessionThread;
use pliant_session::{Command, Event};

#[test]
fn a_thread_plays_while_frames_are_acknowledged_and_waits_where_they_are_not() {
    let thread = SessionThread::start(|| {}).unwrap();
    assert!(thread.send(Command::LoadScene { name: "rope".to_owned(), size: Some(9) }));
    assert!(thread.send(Command::Speed { speed: f64::INFINITY }));
    assert!(thread.send(Command::Play));
    let mut last = 0;
    while last < 50 {
        match thread.wait(Duration::from_secs(20)) {
            Some(Event::Frame(frame)) => {
                last = frame.step;
                thread.send(Command::Ack { frame: frame.number });
            }
            Some(Event::Error(problem)) => panic!("{problem}"),
            Some(_) => {}
            None => panic!("it stands still at step {last}"),
        }
    }
    // Not acknowledged any more: two frames, then silence.
    let mut frames = 0;
    while let Some(event) = thread.wait(Duration::from_millis(300)) {
        frames += usize::from(matches!(event, Event::Frame(_)));
    }
    assert!(frames <= 3, "{frames}");
}
