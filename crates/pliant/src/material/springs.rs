//! Mass-spring networks.

use super::{check, check_strain_limit};
use crate::damping::Damping;
use crate::error::Error;
use crate::strain_limit::StrainLimit;
use crate::tethers::Tethers;

/// A mass-spring network, in its own parameters (Fast Simulation of Mass-Spring Systems).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Springs {
    /// Spring constant k of every spring [N/m].
    pub constant: f64,
    /// Total mass \[kg\], shared evenly by the vertices.
    pub mass: f64,
    /// PBD's stiffness in 0…1, instead of one from the spring constant.
    pub pbd_stiffness: Option<f64>,
    /// How far it may stretch whatever its stiffness; without limit unless set.
    pub strain_limit: Option<StrainLimit>,
    /// Ties to what is held of it; none unless set.
    pub tethers: Option<Tethers>,
    /// How it loses energy.
    pub damping: Damping,
}

impl Springs {
    /// Springs of one constant [N/m] on a total mass \[kg\].
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

    /// The same springs, every free vertex tied to the nearest held one: see [`Tethers`].
    pub fn tethered(self, tethers: Tethers) -> Self {
        Self { tethers: Some(tethers), ..self }
    }

    /// The same springs, kept from stretching further than a limit after every substep.
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
            "give a constant of zero or more [N/m]",
        )?;
        check("springs", "mass", self.mass, self.mass > 0.0, "give a positive total mass [kg]")?;
        check_strain_limit("springs", self.strain_limit, true)?;
        self.tethers.map_or(Ok(()), |t| t.validate("springs"))?;
        self.damping.validate()
    }
}
