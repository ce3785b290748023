//! Estimate of the impulses that rapier itself will apply to a body in the next step.
//!
//! Pliant steps first, when the reactions of rapier's contacts and joints are not yet available. A box on
//! rapier's ground would fall away under a cloth that lies on it. So the persistent part of rapier's impulses,
//! as far as the last two steps agree, is predicted to recur, with gradual adaptation. A load on the box of `r`
//! times its mass is part of the load that the ground supports, and returns with a delay of one step. The
//! estimate therefore moves by `1/(2 (1 + r))` of the difference in each step, half of the gain at which it
//! would begin to oscillate. A load of thirty times the mass of the body on rapier's ground takes a second or
//! two to settle at its height; until then it is too low.
//!
//! The estimate only guides the simulation's step. The impulse that the simulation then applies to rapier is
//! the momentum its rigid body gained beyond the estimate, so momentum is conserved however wrong the estimate
//! is.

use crate::vector::{V, add, scale, sub};

/// Linear and angular impulses [N s, N m s].
pub type Impulses = [V; 2];

/// Common part of the impulses of two consecutive steps: for each component the one of smaller magnitude, or
/// zero if their signs differ. A support force persists; a collision does not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PersistentImpulse(Impulses);

impl PersistentImpulse {
    /// Stores the impulses of the last step and returns their common part with the step before.
    pub fn update(&mut self, now: Impulses) -> Impulses {
        let before = std::mem::replace(&mut self.0, now);
        [0, 1].map(|k| [0, 1, 2].map(|c| min_magnitude(before[k][c], now[k][c])))
    }
}

/// Estimate of rapier's impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReactionEstimate {
    persistent: PersistentImpulse,
    impulses: Impulses,
}

impl ReactionEstimate {
    /// Updates the estimate with rapier's impulses of the last step; `load` is the impulse that the simulation
    /// applied in that step, relative to the body's own weight.
    pub fn update(&mut self, happened: Impulses, load: f64) {
        let persistent = self.persistent.update(happened);
        let part = 0.5 / (1.0 + load);
        for (own, persistent) in self.impulses.iter_mut().zip(persistent) {
            *own = add(*own, scale(sub(persistent, *own), part));
        }
    }

    /// Current estimate.
    pub fn impulses(&self) -> Impulses {
        self.impulses
    }
}

/// The number of smaller magnitude if the signs agree, otherwise zero.
fn min_magnitude(a: f64, b: f64) -> f64 {
    if !(a * b > 0.0) {
        0.0
    } else if a.abs() < b.abs() {
        a
    } else {
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_support_is_expected_and_a_blow_is_not() {
        let up = |y: f64| [[0.0, y, 0.0], [0.0; 3]];
        let mut own = ReactionEstimate::default();
        own.update(up(9.0), 0.0);
        own.update(up(-0.1), 0.0);
        assert_eq!(own.impulses(), up(0.0));
        for _ in 0..40 {
            own.update(up(1.0), 0.0);
        }
        assert!((own.impulses()[0][1] - 1.0).abs() < 1e-9);
    }

    /// A box of mass one on the ground with a load of `r` times its mass, in units of a step: its offset in the
    /// simulation, its velocity, and the estimate.
    #[test]
    fn a_load_of_any_weight_comes_to_rest_on_what_is_supported() {
        for r in [0.1, 1.0, 4.0, 30.0, 100.0] {
            let (mut offset, mut velocity, mut own) = (0.0, 0.0, ReactionEstimate::default());
            let (mut most, mut load) = (0.0_f64, 0.0);
            for step in 0..6_000 {
                let pushed = own.impulses()[0][1];
                // The box moves to rapier's position, falls, and is supported; the load falls; both move
                // together.
                let after: f64 = (-offset - 1.0 + pushed + r * (velocity - 1.0)) / (1.0 + r);
                let given: f64 = r * (after - velocity + 1.0);
                own.update([[0.0, 1.0 + given, 0.0], [0.0; 3]], load);
                load = given.abs();
                offset += after;
                velocity = after;
                if step >= 5_000 {
                    most = most.max(offset.abs());
                }
            }
            // Without an estimate it would stay at 1 + r.
            assert!(most < 1e-2, "{r}: {most}");
        }
    }
}
