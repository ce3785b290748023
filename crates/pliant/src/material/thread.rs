//! Materials of threads, ropes, hairs and bristles.

use crate::error::Error;
use crate::material::damping::Damping;
use crate::material::strain_limit::StrainLimit;
use crate::material::tethers::Tethers;
use crate::material::{
    Plasticity, Stiffening, check, check_limits, check_plasticity, check_strain_limit,
};

/// Torsional resistance of a thread. Bending then has a direction: curls in the rest shape are preserved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// Poisson's ratio, from 0 to 0.5: the shear modulus is `E / (2 (1 + ν))`.
    pub poisson: f64,
}

impl Default for Twist {
    fn default() -> Self {
        Self { poisson: 0.4 }
    }
}

/// A thread, rope, hair or bristle: a round bar much longer than wide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// Mass per volume [kg/m³].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Radius \[m\].
    pub radius: f64,
    /// Range of stretches that cost no energy; `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
    /// Torsional resistance; none unless set.
    pub twist: Option<Twist>,
    /// PBD stiffness in 0…1 for stretching and bending, instead of one derived from the modulus.
    pub pbd_stiffness: Option<[f64; 2]>,
    /// Limit on stretch, independent of the stiffness; none unless set.
    pub strain_limit: Option<StrainLimit>,
    /// Plastic (permanent) deformation; none unless set.
    pub plasticity: Option<Plasticity>,
    /// A second phase that resists only beyond limits; none unless set.
    pub stiffening: Option<Stiffening>,
    /// Tethers to the pinned vertices of the body; none unless set.
    pub tethers: Option<Tethers>,
    /// Damping rates.
    pub damping: Damping,
}

impl Thread {
    /// Makes a thread of given density [kg/m³], Young's modulus \[Pa\] and radius \[m\].
    pub fn new(density: f64, young: f64, radius: f64) -> Self {
        Self {
            density,
            young,
            radius,
            limits: [1.0, 1.0],
            twist: None,
            pbd_stiffness: None,
            strain_limit: None,
            plasticity: None,
            stiffening: None,
            tethers: None,
            damping: Damping::default(),
        }
    }

    /// A nylon bristle of 0.3 mm: 1140 kg/m³, E = 3 GPa (Ashby and Jones: nylon 2 to 4 GPa).
    pub fn nylon_bristle() -> Self {
        Self::new(1140.0, 3.0e9, 0.15e-3)
    }

    /// A soft rubber cord of 6 mm: 930 kg/m³, E = 2 MPa.
    pub fn rubber_cord() -> Self {
        Self::new(930.0, 2.0e6, 3.0e-3)
    }

    /// Returns the source of a preset's numbers.
    pub fn source(preset: &str) -> Option<&'static str> {
        Some(match preset {
            "nylon_bristle" => "Ashby and Jones, Engineering Materials 1: nylon 2 to 4 GPa",
            "rubber_cord" => "Ashby and Jones, Engineering Materials 1: 1 to 10 MPa for rubbers",
            _ => return None,
        })
    }

    /// Returns the presets by name.
    pub fn presets() -> [(&'static str, Self); 2] {
        [("nylon_bristle", Self::nylon_bristle()), ("rubber_cord", Self::rubber_cord())]
    }

    /// Adds plastic deformation beyond a yield strain.
    pub fn plasticity(self, plasticity: Plasticity) -> Self {
        Self { plasticity: Some(plasticity), ..self }
    }

    /// Adds a second phase that resists beyond limits.
    pub fn stiffening(self, stiffening: Stiffening) -> Self {
        Self { stiffening: Some(stiffening), ..self }
    }

    /// Ties every free vertex to the nearest pinned one: see [`Tethers`].
    pub fn tethered(self, tethers: Tethers) -> Self {
        Self { tethers: Some(tethers), ..self }
    }

    /// Limits stretch after every substep.
    pub fn strain_limit(self, limit: StrainLimit) -> Self {
        Self { strain_limit: Some(limit), ..self }
    }

    /// Adds torsional resistance: see [`Twist`].
    pub fn twisting(self, poisson: f64) -> Self {
        Self { twist: Some(Twist { poisson }), ..self }
    }

    /// Area of the cross-section \[m²\].
    pub fn section(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius
    }

    /// Weight of edge strain per rest length \[N\]: `E π r²`.
    pub fn strain_weight(&self) -> f64 {
        self.young * self.section()
    }

    /// Bending stiffness \[N m²\]: `E π r⁴ / 4`.
    pub fn bending(&self) -> f64 {
        self.young * self.section() * self.radius * self.radius / 4.0
    }

    /// Torsional stiffness \[N m²\]: `G π r⁴ / 2`; none without torsional resistance.
    pub fn torsion(&self) -> f64 {
        self.twist.map_or(0.0, |t| self.bending() / (1.0 + t.poisson))
    }

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        check(
            "thread",
            "density",
            self.density,
            self.density > 0.0,
            "the mass per volume must be positive [kg/m³]",
        )?;
        check(
            "thread",
            "young",
            self.young,
            self.young >= 0.0,
            "Young's modulus must be finite and not negative [Pa]",
        )?;
        check("thread", "radius", self.radius, self.radius > 0.0, "it must be positive [m]")?;
        check_limits("thread", self.limits)?;
        check_plasticity("thread", self.plasticity, true, self.limits)?;
        self.stiffening.map_or(Ok(()), |s| s.validate())?;
        if let Some(Twist { poisson }) = self.twist {
            let is_valid = (0.0..=0.5).contains(&poisson);
            check(
                "thread",
                "Poisson's ratio of the twist",
                poisson,
                is_valid,
                "it must be from 0 to 0.5",
            )?;
        }
        check_strain_limit("thread", self.strain_limit, false)?;
        self.tethers.map_or(Ok(()), |t| t.validate("thread"))?;
        self.damping.validate()
    }
}
