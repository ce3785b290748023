//! Optional reinforcements of a material beyond its modulus: fibres, and a second, stiffer phase.

use crate::error::Error;
use crate::material::{check, check_limits};

/// Fibres along one direction of a sheet or solid, in addition to its isotropic stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibers {
    /// Fibre direction at rest, of any non-zero length. In a sheet it is projected into the plane of each triangle.
    pub direction: [f64; 3],
    /// Fibre modulus \[Pa\].
    pub young: f64,
    /// Range of stretches along the fibres that cost no energy; `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
}

impl Fibers {
    /// Makes fibres along a direction, with a modulus \[Pa\].
    pub fn new(direction: [f64; 3], young: f64) -> Self {
        Self { direction, young, limits: [1.0, 1.0] }
    }

    /// Checks every number; the direction is checked against each element.
    pub fn validate(&self) -> Result<(), Error> {
        let is_valid = self.young >= 0.0;
        check("fibers", "young", self.young, is_valid, "it must be finite and not negative [Pa]")?;
        check_limits("fibers", self.limits)
    }
}

/// A second phase that resists only beyond limits: cloth that is soft until its yarns are straight, skin, ligaments.
/// Projective Dynamics models such materials as a weak strain term and a strong limit term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffening {
    /// Range of stretches within which the phase does not act.
    pub limits: [f64; 2],
    /// Modulus of the phase \[Pa\].
    pub young: f64,
}

impl Stiffening {
    /// Makes a phase with a modulus \[Pa\] beyond stretches from `min` to `max`.
    pub fn new(min: f64, max: f64, young: f64) -> Self {
        Self { limits: [min, max], young }
    }

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        let is_valid = self.young >= 0.0;
        check(
            "stiffening",
            "young",
            self.young,
            is_valid,
            "it must be finite and not negative [Pa]",
        )?;
        check_limits("stiffening", self.limits)
    }
}
