//! What rapier itself is expected to do to a body in the step to come.
//!
//! Pliant goes first, and does not know what rapier's contacts and joints will do. Where a box stands on rapier's
//! ground, it would fall away under a cloth that lies on it. So what lasts of what rapier did is expected again: as
//! far as the last two steps agree, and by and by. What rests on the box with `r` times its mass is part of what
//! the ground holds up, and comes back one step later: the expectation follows by `1/(2 (1 + r))` of the
//! difference in each step, half of where it would begin to swing. A load of thirty times the mass of what stands
//! on rapier's ground takes a second or two until it lies where it should; before that it is too low.
//!
//! It only guides the simulation's step. What the simulation then gives to rapier is what its rigid body gained
//! beyond this, so momentum is kept however wrong the guess is.

use crate::vector::{V, add, scale, sub};

/// Linear and angular impulses [N s, N m s].
pub type Impulses = [V; 2];

/// What two steps in a row have in common: component by component the lesser of both, or nothing where they
/// differ in sign. A support lasts, a blow does not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lasting(Impulses);

impl Lasting {
    /// What the last step had in common with the one before.
    pub fn note(&mut self, now: Impulses) -> Impulses {
        let before = std::mem::replace(&mut self.0, now);
        [0, 1].map(|k| [0, 1, 2].map(|c| lesser(before[k][c], now[k][c])))
    }
}

/// What rapier is expected to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    lasting: Lasting,
    impulses: Impulses,
}

impl Expected {
    /// Takes note of what rapier did in the last step; `load` is what the simulation gave to the body then, in
    /// parts of the body's own weight.
    pub fn note(&mut self, happened: Impulses, load: f64) {
        let lasting = self.lasting.note(happened);
        let part = 0.5 / (1.0 + load);
        for (own, lasting) in self.impulses.iter_mut().zip(lasting) {
            *own = add(*own, scale(sub(lasting, *own), part));
        }
    }

    /// What is expected now.
    pub fn impulses(&self) -> Impulses {
        self.impulses
    }
}

/// The lesser of two numbers of the same sign, else zero.
fn lesser(a: f64, b: f64) -> f64 {
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
        let mut own = Expected::default();
        own.note(up(9.0), 0.0);
        own.note(up(-0.1), 0.0);
        assert_eq!(own.impulses(), up(0.0));
        for _ in 0..40 {
            own.note(up(1.0), 0.0);
        }
        assert!((own.impulses()[0][1] - 1.0).abs() < 1e-9);
    }

    /// A box of mass one on the ground with `r` times its mass on it, in units of a step: where the simulation has
    /// it, how fast, and what is expected.
    #[test]
    fn a_load_of_any_weight_comes_to_rest_on_what_is_supported() {
        for r in [0.1, 1.0, 4.0, 30.0, 100.0] {
            let (mut offset, mut velocity, mut own) = (0.0, 0.0, Expected::default());
            let (mut most, mut load) = (0.0_f64, 0.0);
            for step in 0..6_000 {
                let pushed = own.impulses()[0][1];
                // The box goes to where rapier has it, falls, and is held; the load falls; they move together.
                let after: f64 = (-offset - 1.0 + pushed + r * (velocity - 1.0)) / (1.0 + r);
                let given: f64 = r * (after - velocity + 1.0);
                own.note([[0.0, 1.0 + given, 0.0], [0.0; 3]], load);
                load = given.abs();
                offset += after;
                velocity = after;
                if step >= 5_000 {
                    most = most.max(offset.abs());
                }
            }
            // Without an expectation it would stay at 1 + r.
            assert!(most < 1e-2, "{r}: {most}");
        }
    }
}
