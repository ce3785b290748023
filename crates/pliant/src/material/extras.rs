//! What strengthens a material beyond its modulus: fibres, and a second, stiffer phase.

use super::{check, check_limits};
use crate::error::Error;

/// Fibres along one direction of a sheet or solid, beside what resists in all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibers {
    /// Their direction at rest; of any length, but not zero. In a sheet it is laid into each triangle.
    pub direction: [f64; 3],
    /// Their modulus \[Pa\].
    pub young: f64,
    /// Stretches along them that cost nothing, `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
}

impl Fibers {
    /// Fibres along a direction, of a modulus \[Pa\].
    pub fn new(direction: [f64; 3], young: f64) -> Self {
        Self { direction, young, limits: [1.0, 1.0] }
    }

    /// Checks every number; the direction is checked against each element.
    pub fn validate(&self) -> Result<(), Error> {
        let sane = self.young >= 0.0;
        check("fibers", "young", self.young, sane, "give a modulus of zero or more [Pa]")?;
        check_limits("fibers", self.limits)
    }
}

/// A second phase that resists only beyond limits: cloth that is soft until its yarns are straight,
/// skin, ligaments. Projective Dynamics makes such materials of a weak strain and a strong limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffening {
    /// Stretches between which it does not act.
    pub limits: [f64; 2],
    /// Its modulus \[Pa\].
    pub young: f64,
}

impl Stiffening {
    /// A phase of a modulus \[Pa\] beyond stretches from `min` to `max`.
    pub fn new(min: f64, max: f64, young: f64) -> Self {
        Self { limits: [min, max], young }
    }

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        let sane = self.young >= 0.0;
        check("stiffening", "young", self.young, sane, "give a modulus of zero or more [Pa]")?;
        check_limits("stiffening", self.limits)
    }
}
