//! Materials of deformable solids.

use crate::elements::GreenMeasure;
use crate::error::Error;
use crate::material::damping::Damping;
use crate::material::strain_limit::StrainLimit;
use crate::material::{
    Fibers, Plasticity, Stiffening, check, check_entries, check_limits, check_plasticity,
    check_strain_limit,
};

/// Elastic model of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strain {
    /// Isotropic, by the singular values of the deformation gradient (Projective Dynamics), with a volume term for
    /// Poisson's ratio.
    Isotropic,
    /// Corotational linear elasticity, `μ ‖F − R‖² + λ/2 tr(RᵀF − I)²`: both terms are projections, so Projective
    /// Dynamics minimises exactly this energy.
    Corotational,
    /// Neo-Hookean energy (stable, after Smith, de Goes and Kim 2018): rubber that stiffens under compression and
    /// preserves its volume at any stretch.
    NeoHookean,
    /// Separate stiffness for each component of Green's strain (Strain Based Dynamics).
    Components(StrainComponents),
    /// Shape matching of each vertex's neighbourhood.
    Shapes(ShapeClusters),
}

/// Clusters of shape matching: around each vertex, those within a number of edges of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeClusters {
    /// Radius of a cluster in edges, one or more. A larger radius is stiffer against bending and more expensive.
    pub rings: usize,
}

impl Default for ShapeClusters {
    fn default() -> Self {
        Self { rings: 1 }
    }
}

/// A solid's stiffness along its axes and between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainComponents {
    /// Stiffness of xx, yy, zz, xy, xz, yz \[Pa\], instead of `2 μ` for stretch and `μ` for shear.
    pub stiffness: Option<[f64; 6]>,
    /// Rest stretch along each axis, 1 for none.
    pub stretches: [f64; 3],
    /// The material axes: unit vectors at right angles.
    pub frame: [[f64; 3]; 3],
    /// The functions that measure strain.
    pub measure: GreenMeasure,
}

impl Default for StrainComponents {
    fn default() -> Self {
        Self {
            stiffness: None,
            stretches: [1.0; 3],
            frame: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            measure: GreenMeasure::default(),
        }
    }
}

/// A deformable solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Mass per volume [kg/m³].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio, from 0 to below 0.5; zero omits the volume term.
    pub poisson: f64,
    /// Range of singular values that cost no energy; `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
    /// Elastic model.
    pub strain: Strain,
    /// PBD stiffness in 0…1 for strain and volume, instead of one derived from the moduli.
    pub pbd_stiffness: Option<[f64; 2]>,
    /// Limit on stretch, independent of the stiffness; none unless set.
    pub strain_limit: Option<StrainLimit>,
    /// Plastic (permanent) deformation; none unless set.
    pub plasticity: Option<Plasticity>,
    /// A second phase that resists only beyond limits; none unless set.
    pub stiffening: Option<Stiffening>,
    /// Fibres along one direction; none unless set.
    pub fibers: Option<Fibers>,
    /// Damping rates.
    pub damping: Damping,
}

impl Solid {
    /// Makes a solid of given density [kg/m³], Young's modulus \[Pa\] and Poisson's ratio.
    pub fn new(density: f64, young: f64, poisson: f64) -> Self {
        Self {
            density,
            young,
            poisson,
            limits: [1.0, 1.0],
            strain: Strain::Isotropic,
            pbd_stiffness: None,
            strain_limit: None,
            plasticity: None,
            stiffening: None,
            fibers: None,
            damping: Damping::default(),
        }
    }

    /// Gelatin dessert: water's density, E = 5 kPa (of the order of indentation tests on 5 % gels).
    pub fn jelly() -> Self {
        Self::new(1000.0, 5.0e3, 0.45)
    }

    /// Soft natural rubber: 930 kg/m³, E = 2 MPa (Ashby and Jones give 1 to 10 MPa).
    pub fn rubber() -> Self {
        Self::new(930.0, 2.0e6, 0.45)
    }

    /// Flexible polymer foam: 60 kg/m³, E = 0.1 MPa, ν = 0 (Gibson and Ashby, Cellular Solids: open
    /// cells, near zero Poisson's ratio in compression).
    pub fn foam() -> Self {
        Self::new(60.0, 1.0e5, 0.0)
    }

    /// Skeletal muscle at rest: 1060 kg/m³, E = 20 kPa (of the order of elastography, 10 to 50 kPa).
    pub fn muscle() -> Self {
        Self::new(1060.0, 2.0e4, 0.45)
    }

    /// Returns the source of a preset's numbers.
    pub fn source(preset: &str) -> Option<&'static str> {
        Some(match preset {
            "jelly" => "indentation tests on 5 % gelatin gels, order of magnitude",
            "rubber" => "Ashby and Jones, Engineering Materials 1: 1 to 10 MPa for rubbers",
            "foam" => "Gibson and Ashby, Cellular Solids: open cells, near zero Poisson's ratio",
            "muscle" => "elastography of skeletal muscle at rest, 10 to 50 kPa",
            _ => return None,
        })
    }

    /// Returns the presets by name.
    pub fn presets() -> [(&'static str, Self); 4] {
        [
            ("jelly", Self::jelly()),
            ("rubber", Self::rubber()),
            ("foam", Self::foam()),
            ("muscle", Self::muscle()),
        ]
    }

    /// Sets the damping rates.
    pub fn damping(self, damping: Damping) -> Self {
        Self { damping, ..self }
    }

    /// Sets corotational linear elasticity.
    pub fn corotational(self) -> Self {
        Self { strain: Strain::Corotational, ..self }
    }

    /// Sets the neo-Hookean energy.
    pub fn neo_hookean(self) -> Self {
        Self { strain: Strain::NeoHookean, ..self }
    }

    /// Sets a separate stiffness for the components xx, yy, zz, xy, xz, yz of Green's strain \[Pa\].
    pub fn anisotropic(self, stiffness: [f64; 6]) -> Self {
        let entries =
            StrainComponents { stiffness: Some(stiffness), ..StrainComponents::default() };
        Self { strain: Strain::Components(entries), ..self }
    }

    /// Stiffness of the components xx, yy, zz, xy, xz, yz \[Pa\].
    pub fn component_stiffness(&self, entries: &StrainComponents) -> [f64; 6] {
        let (stretch, shear) = (self.strain_weight(), 0.5 * self.strain_weight());
        entries.stiffness.unwrap_or([stretch, stretch, stretch, shear, shear, shear])
    }

    /// Adds plastic deformation beyond a yield strain.
    pub fn plasticity(self, plasticity: Plasticity) -> Self {
        Self { plasticity: Some(plasticity), ..self }
    }

    /// Adds a second phase that resists beyond limits.
    pub fn stiffening(self, stiffening: Stiffening) -> Self {
        Self { stiffening: Some(stiffening), ..self }
    }

    /// Adds fibres.
    pub fn fibers(self, fibers: Fibers) -> Self {
        Self { fibers: Some(fibers), ..self }
    }

    /// Limits stretch after every substep.
    pub fn strain_limit(self, limit: StrainLimit) -> Self {
        Self { strain_limit: Some(limit), ..self }
    }

    /// Weight of tetrahedron strain per rest volume \[Pa\]: `2 μ`.
    pub fn strain_weight(&self) -> f64 {
        self.young / (1.0 + self.poisson)
    }

    /// Weight of the volume term per rest volume \[Pa\]: `λ`.
    pub fn volume_weight(&self) -> f64 {
        self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))
    }

    /// Weight of a neo-Hookean tetrahedron per rest volume \[Pa\]: `μ`.
    pub fn shear_weight(&self) -> f64 {
        0.5 * self.strain_weight()
    }

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        check(
            "solid",
            "density",
            self.density,
            self.density > 0.0,
            "the mass per volume must be positive [kg/m³]",
        )?;
        check(
            "solid",
            "young",
            self.young,
            self.young >= 0.0,
            "Young's modulus must be finite and not negative [Pa]",
        )?;
        let is_valid = (0.0..0.5).contains(&self.poisson);
        check(
            "solid",
            "poisson",
            self.poisson,
            is_valid,
            "Poisson's ratio must be at least 0 and below 0.5",
        )?;
        check_limits("solid", self.limits)?;
        match self.strain {
            Strain::Isotropic => {}
            Strain::Corotational | Strain::NeoHookean => check_entries("solid", None, self.limits)?,
            Strain::Components(entries) => {
                let stiffness = entries.stiffness.as_ref().map(|k| k.as_slice());
                check_entries("solid", stiffness, self.limits)?;
            }
            Strain::Shapes(clusters) => {
                check_entries("solid", None, self.limits)?;
                let rings = clusters.rings as f64;
                let is_valid = clusters.rings > 0;
                check(
                    "solid",
                    "number of cluster rings",
                    rings,
                    is_valid,
                    "it must be at least 1",
                )?;
            }
        }
        check_plasticity("solid", self.plasticity, self.strain == Strain::Isotropic, self.limits)?;
        self.stiffening.map_or(Ok(()), |s| s.validate())?;
        self.fibers.map_or(Ok(()), |f| f.validate())?;
        check_strain_limit("solid", self.strain_limit, false)?;
        self.damping.validate()
    }
}
