//! The example runs to its end without an error.

#[path = "../../../../examples/rapier_ball.rs"]
mod rapier_ball;

#[test]
fn rapier_ball_is_caught() {
    assert_eq!(rapier_ball::main(), Ok(()));
}
