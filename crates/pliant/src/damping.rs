//! Damping: what takes energy out of a body besides the time step itself.
//!
//! All rates are per second, so that behaviour does not change with the step:
//! over a step `h` a rate `c` takes away the fraction `1 − exp(−c h)` of the velocity that the step
//! before left. What the forces of the step add is not damped: a body at rest keeps its full weight,
//! and free fall under a drag `c` ends at `g/c` (to first order in `c h`).

use crate::Error;
use crate::math::exp;

/// How a body loses energy. All rates are zero unless set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Ether drag [1/s]: every velocity fades (Fast Simulation of Mass-Spring Systems §4.1).
    pub drag: f64,
    /// Fading of all motion but the rigid one [1/s] (Position Based Dynamics §3.5).
    pub internal: f64,
    /// Fading of relative velocities along each constraint [1/s] (Strain Based Dynamics eq. 23,
    /// normalised over the constraint).
    pub constraint: f64,
    /// Stiffness-proportional damping \[s\]: forces `−β K v`, solved implicitly.
    pub stiffness: f64,
}

impl Damping {
    /// The fraction that a rate [1/s] takes away over a step `h` \[s\].
    pub fn fraction(rate: f64, h: f64) -> f64 {
        1.0 - exp(-rate * h)
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
                    remedy: "give a finite rate of zero or more",
                });
            }
        }
        Ok(())
    }
}
