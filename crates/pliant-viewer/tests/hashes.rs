//! Native and browser give the same bits: both are held against `hashes.json`, natively here and in the
//! browser by `scripts/test-web`.

use pliant_session::protocol::SolverChoice;
use pliant_session::{Command, Event, Session};

/// A line of the file.
#[derive(serde::Deserialize)]
struct Golden {
    scene: String,
    solver: String,
    steps: u64,
    hash: String,
}

#[test]
fn three_scenes_have_the_hashes_that_the_browser_must_have() {
    let text = include_str!("hashes.json");
    let golden: Vec<Golden> = serde_json::from_str(text).expect("the list of hashes");
    assert!(golden.len() >= 3);
    for line in golden {
        assert_eq!(hash(&line), line.hash, "{} under {}", line.scene, line.solver);
    }
}

fn hash(line: &Golden) -> String {
    let mut session = Session::new(|| 0.0);
    session.handle(Command::LoadScene { name: line.scene.clone(), size: None });
    session.handle(Command::Solver(SolverChoice::named(&line.solver)));
    let mut last = (0, String::new());
    while last.0 < line.steps {
        session.handle(Command::Step);
        for event in session.advance() {
            match event {
                Event::Frame(frame) => {
                    last = (frame.step, format!("{:016x}", frame.hash));
                    session.handle(Command::Ack { frame: frame.number });
                }
                Event::Error(words) => panic!("{words}"),
                _ => {}
            }
        }
    }
    last.1
}
