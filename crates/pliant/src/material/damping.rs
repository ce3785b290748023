//! Damping: energy removed from a body in addition to the numerical damping of the time step.
//!
//! All rates are per second, so that behaviour does not depend on the step size: over a step `h` a rate `c` removes the
//! fraction `1 − exp(−c h)` of the velocity at the end of the previous step. Velocity added by the forces of the
//! current step is not damped: a body at rest keeps its full weight, and free fall under a drag `c` reaches the
//! terminal velocity `g/c` (to first order in `c h`).

use crate::Error;
use crate::math::decay_fraction;

/// Damping rates of a body. All are zero unless set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Ether drag [1/s]: damps every velocity (Fast Simulation of Mass-Spring Systems §4.1).
    pub drag: f64,
    /// Damping of all motion except rigid-body motion [1/s] (Position Based Dynamics §3.5).
    pub internal: f64,
    /// Damping of relative velocities along each constraint [1/s] (Strain Based Dynamics eq. 23, normalised over the
    /// constraint).
    pub constraint: f64,
    /// Stiffness-proportional damping \[s\]: forces `−β K v`, solved implicitly.
    pub stiffness: f64,
}

impl Damping {
    /// The fraction that a rate [1/s] removes over a step `h` \[s\].
    pub fn fraction(rate: f64, h: f64) -> f64 {
        decay_fraction(rate, h)
    }

    /// Checks that no rate is negative or not finite.
    pub fn validate(&self) -> Result<(), Error> {
        let all = [
            ("drag", self.drag),
            ("internal", self.internal),
            ("constraint", self.constraint),
            ("stiffness", self.stiffness),
        ];
        for (name, value) in all {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::Quantity {
                    name: "damping",
                    field: name,
                    value,
                    remedy: "it must be finite and not negative [1/s]",
                });
            }
        }
        Ok(())
    }
}
