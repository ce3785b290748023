//! Two solvers side by side, and their errors against the converged solution.

use crate::common::Desk;
use pliant_session::Command;
use pliant_session::protocol::{Comparison, SolverChoice};

/// The errors of two solvers on a hanging cloth.
fn compared(first: &str, second: &str) -> Comparison {
    let mut desk = Desk::scene("hanging_cloth", 9);
    desk.solver(first);
    desk.steps(5);
    desk.order(Command::Compare(Some(SolverChoice::named(second))));
    let rival = desk.frame().rival.clone().unwrap();
    // From the same state.
    assert_eq!((rival.hash, rival.apart), (desk.hash(), 0.0));
    for _ in 0..200 {
        desk.steps(1);
        let rival = desk.frame().rival.clone().unwrap();
        assert_eq!(rival.positions.len(), desk.frame().positions.len());
        if let Some(found) = rival.comparison {
            return found;
        }
    }
    panic!("never measured");
}

#[test]
fn newton_has_no_error_and_pbd_a_large_one() {
    let found = compared("newton", "pbd");
    // Measured 1e-13 and 0.3.
    assert!(found.errors[0] < 1e-6, "{found:?}");
    assert!(found.errors[1] > 1e-3 && found.errors[1].is_finite(), "{found:?}");
    assert!(found.distances[0] < found.distances[1]);
    assert!(found.note.contains("implicit Euler"));
    let found = compared("projective", "newton");
    assert!(found.errors[1] < 1e-6 && found.errors[0] > found.errors[1], "{found:?}");
}

#[test]
fn two_of_the_same_solver_stay_together_whatever_is_done() {
    let mut desk = Desk::scene("hanging_cloth", 9);
    desk.steps(3);
    desk.order(Command::Compare(Some(SolverChoice::named("projective"))));
    desk.order(Command::Grab { vertex: 40, target: [0.2, 0.1, 0.3] });
    desk.steps(5);
    desk.order(Command::Release);
    desk.order(Command::Gravity { g: [1.0, -5.0, 0.0] });
    desk.order(Command::Throw {
        from: [0.5, 0.6, 0.0],
        velocity: [0.0; 3],
        radius: 0.1,
        density: 100.0,
    });
    desk.order(Command::Cut {
        from: [[-5.0, -0.4, -5.0], [-5.0, -0.4, 5.0]],
        to: [[5.0, -0.4, -5.0], [5.0, -0.4, 5.0]],
    });
    desk.steps(10);
    let frame = desk.frame();
    assert_eq!(frame.rival.as_ref().unwrap().hash, frame.hash);
    // Back, and on again.
    let hash = frame.hash;
    desk.order(Command::StepBack);
    desk.steps(1);
    assert_eq!((desk.hash(), desk.frame().rival.as_ref().unwrap().hash), (hash, hash));
    desk.order(Command::Compare(None));
    assert!(desk.frame().rival.is_none());
}

#[test]
fn comparing_does_not_change_a_bit_of_the_first() {
    let run = |rival: Option<&str>| {
        let mut desk = Desk::scene("cloth_on_ball", 9);
        desk.order(Command::Compare(rival.map(SolverChoice::named)));
        desk.steps(20);
        desk.hash()
    };
    assert_eq!(run(None), run(Some("xpbd")));
}
