//! Two solvers side by side, and their errors against the converged solution.

use crate::common::TestSession;
use pliant_session::Command;
use pliant_session::protocol::{Comparison, SolverChoice};

/// The errors of two solvers on a hanging cloth.
fn run_comparison(first: &str, second: &str) -> Comparison {
    let mut session = TestSession::scene("hanging_cloth", 9);
    session.set_solver(first);
    session.run_steps(5);
    session.send_ok(Command::Compare(Some(SolverChoice::named(second))));
    let second = session.frame().second_sim.clone().unwrap();
    // From the same state.
    assert_eq!((second.hash, second.max_separation), (session.hash(), 0.0));
    for _ in 0..200 {
        session.run_steps(1);
        let second = session.frame().second_sim.clone().unwrap();
        assert_eq!(second.positions.len(), session.frame().positions.len());
        if let Some(found) = second.comparison {
            return found;
        }
    }
    panic!("never measured");
}

#[test]
fn newton_has_no_error_and_pbd_a_large_one() {
    let found = run_comparison("newton", "pbd");
    // Measured 1e-13 and 0.3.
    assert!(found.errors[0] < 1e-6, "{found:?}");
    assert!(found.errors[1] > 1e-3 && found.errors[1].is_finite(), "{found:?}");
    assert!(found.distances[0] < found.distances[1]);
    assert!(found.note.contains("implicit Euler"));
    let found = run_comparison("projective", "newton");
    assert!(found.errors[1] < 1e-6 && found.errors[0] > found.errors[1], "{found:?}");
}

#[test]
fn two_of_the_same_solver_stay_together_whatever_is_done() {
    let mut session = TestSession::scene("hanging_cloth", 9);
    session.run_steps(3);
    let own = session.settings().solver.clone();
    session.send_ok(Command::Compare(Some(own)));
    session.send_ok(Command::Grab { vertex: 40, target: [0.2, 0.1, 0.3] });
    session.run_steps(5);
    session.send_ok(Command::Release);
    session.send_ok(Command::Gravity { g: [1.0, -5.0, 0.0] });
    session.send_ok(Command::Throw {
        from: [0.5, 0.6, 0.0],
        velocity: [0.0; 3],
        radius: 0.1,
        density: 100.0,
    });
    session.send_ok(Command::Cut {
        from: [[-5.0, -0.4, -5.0], [-5.0, -0.4, 5.0]],
        to: [[5.0, -0.4, -5.0], [5.0, -0.4, 5.0]],
    });
    session.run_steps(10);
    let frame = session.frame();
    assert_eq!(frame.second_sim.as_ref().unwrap().hash, frame.hash);
    // Back, and on again.
    let hash = frame.hash;
    session.send_ok(Command::StepBack);
    session.run_steps(1);
    assert_eq!((session.hash(), session.frame().second_sim.as_ref().unwrap().hash), (hash, hash));
    session.send_ok(Command::Compare(None));
    assert!(session.frame().second_sim.is_none());
}

#[test]
fn comparing_does_not_change_a_bit_of_the_first() {
    let run = |second: Option<&str>| {
        let mut session = TestSession::scene("cloth_on_ball", 9);
        session.send_ok(Command::Compare(second.map(SolverChoice::named)));
        session.run_steps(20);
        session.hash()
    };
    assert_eq!(run(None), run(Some("xpbd")));
}
