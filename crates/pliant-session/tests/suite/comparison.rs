//! Two solvers side by side, and their errors against the converged solution.

use crate::common::TestSession;
use pliant_session::Command;
use pliant_session::protocol::{Comparison, SolverChoice};

/// The errors of two solvers on a hanging cloth.
fn run_comparison(first: &str, second: &str) -> Comparison {
    let mut desk = TestSession::scene("hanging_cloth", 9);
    desk.set_solver(first);
    desk.run_steps(5);
    desk.send_ok(Command::Compare(Some(SolverChoice::named(second))));
    let rival = desk.frame().second_sim.clone().unwrap();
    // From the same state.
    assert_eq!((rival.hash, rival.max_separation), (desk.hash(), 0.0));
    for _ in 0..200 {
        desk.run_steps(1);
        let rival = desk.frame().second_sim.clone().unwrap();
        assert_eq!(rival.positions.len(), desk.frame().positions.len());
        if let Some(found) = rival.comparison {
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
    let mut desk = TestSession::scene("hanging_cloth", 9);
    desk.run_steps(3);
    let own = desk.settings().solver.clone();
    desk.send_ok(Command::Compare(Some(own)));
    desk.send_ok(Command::Grab { vertex: 40, target: [0.2, 0.1, 0.3] });
    desk.run_steps(5);
    desk.send_ok(Command::Release);
    desk.send_ok(Command::Gravity { g: [1.0, -5.0, 0.0] });
    desk.send_ok(Command::Throw {
        from: [0.5, 0.6, 0.0],
        velocity: [0.0; 3],
        radius: 0.1,
        density: 100.0,
    });
    desk.send_ok(Command::Cut {
        from: [[-5.0, -0.4, -5.0], [-5.0, -0.4, 5.0]],
        to: [[5.0, -0.4, -5.0], [5.0, -0.4, 5.0]],
    });
    desk.run_steps(10);
    let frame = desk.frame();
    assert_eq!(frame.second_sim.as_ref().unwrap().hash, frame.hash);
    // Back, and on again.
    let hash = frame.hash;
    desk.send_ok(Command::StepBack);
    desk.run_steps(1);
    assert_eq!((desk.hash(), desk.frame().second_sim.as_ref().unwrap().hash), (hash, hash));
    desk.send_ok(Command::Compare(None));
    assert!(desk.frame().second_sim.is_none());
}

#[test]
fn comparing_does_not_change_a_bit_of_the_first() {
    let run = |rival: Option<&str>| {
        let mut desk = TestSession::scene("cloth_on_ball", 9);
        desk.send_ok(Command::Compare(rival.map(SolverChoice::named)));
        desk.run_steps(20);
        desk.hash()
    };
    assert_eq!(run(None), run(Some("xpbd")));
}
