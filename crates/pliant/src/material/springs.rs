//! Materials of mass-spring networks.

use crate::error::Error;
use crate::material::damping::Damping;
use crate::material::strain_limit::StrainLimit;
use crate::material::tethers::Tethers;
use crate::material::{check, check_strain_limit};

/// A mass-spring network, by spring constant and total mass (Fast Simulation of Mass-Spring Systems).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Springs {
    /// Spring constant k of every spring [N/m].
    pub constant: f64,
    /// Total mass \[kg\], shared evenly by the vertices.
    pub mass: f64,
    /// PBD stiffness in 0…1, instead of one derived from the spring constant.
    pub pbd_stiffness: Option<f64>,
    /// Limit on stretch, independent of the stiffness; none unless set.
    pub strain_limit: Option<StrainLimit>,
    /// Tethers to the pinned vertices of the body; none unless set.
    pub tethers: Option<Tethers>,
    /// Damping rates.
    pub damping: Damping,
}

impl Springs {
    /// Makes springs of one constant [N/m] with a total mass \[kg\].
    pub fn new(constant: f64, mass: f64) -> Self {
        Self {
            constant,
            mass,
            pbd_stiffness: None,
            strain_limit: None,
            tethers: None,
            damping: Damping::default(),
        }
    }

    /// Ties every free vertex to the nearest pinned one: see [`Tethers`].
    pub fn tethered(self, tethers: Tethers) -> Self {
        Self { tethers: Some(tethers), ..self }
    }

    /// Limits stretch after every substep.
    pub fn strain_limit(self, limit: StrainLimit) -> Self {
        Self { strain_limit: Some(limit), ..self }
    }

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        check(
            "springs",
            "constant",
            self.constant,
            self.constant >= 0.0,
            "the spring constant must be finite and not negative [N/m]",
        )?;
        check(
            "springs",
            "mass",
            self.mass,
            self.mass > 0.0,
            "the total mass must be positive [kg]",
        )?;
        check_strain_limit("springs", self.strain_limit, true)?;
        self.tethers.map_or(Ok(()), |t| t.validate("springs"))?;
        self.damping.validate()
    }
}
