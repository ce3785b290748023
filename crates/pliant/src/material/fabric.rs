//! Thin sheets: cloth, paper, rubber.

use crate::elements::GreenMeasure;
use crate::error::Error;
use crate::material::damping::Damping;
use crate::material::strain_limit::StrainLimit;
use crate::material::tethers::Tethers;
use crate::material::{
    Fibers, Plasticity, Stiffening, check, check_entries, check_limits, check_plasticity,
    check_strain_limit,
};

/// Stretching model of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stretch {
    /// Continuous membrane: strain of the triangles. Independent of the mesh.
    Membrane,
    /// Net of edges, as in Position Based Dynamics.
    Edges,
    /// Separate stiffness along warp and weft and in shear, as in Strain Based Dynamics. The warp follows the gradient
    /// of the mesh's texture coordinate u, or each triangle's first edge if there are no texture coordinates.
    Woven(Weave),
}

/// Stretching parameters of a woven cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weave {
    /// Stiffness along warp and weft and in shear [N/m], instead of `E t`, `E t` and `μ t`.
    pub stiffness: Option<[f64; 3]>,
    /// Rest stretch along warp and weft, 1 for none.
    pub stretches: [f64; 2],
    /// The functions that measure strain.
    pub measure: GreenMeasure,
}

impl Default for Weave {
    fn default() -> Self {
        Self { stiffness: None, stretches: [1.0; 2], measure: GreenMeasure::default() }
    }
}

/// Bending model of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// Mean curvature at the vertices: fast under every solver.
    MeanCurvature,
    /// Dihedral angle between adjacent triangles.
    Dihedral,
    /// No bending resistance.
    None,
}

/// A thin sheet: cloth, paper, rubber.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Mass per area [kg/m²].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio, from 0 to below 1; zero omits the area term.
    pub poisson: f64,
    /// Thickness \[m\].
    pub thickness: f64,
    /// Bending stiffness \[N m\].
    pub bending: f64,
    /// Range of stretches that cost no energy; `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
    /// Stretching model.
    pub stretch: Stretch,
    /// Bending model.
    pub bend: Bend,
    /// PBD stiffness in 0…1 for stretching and bending, instead of one derived from the moduli.
    pub pbd_stiffness: Option<[f64; 2]>,
    /// Limit on stretch, independent of the stiffness; none unless set.
    pub strain_limit: Option<StrainLimit>,
    /// Plastic (permanent) deformation; none unless set.
    pub plasticity: Option<Plasticity>,
    /// A second phase that resists only beyond limits; none unless set.
    pub stiffening: Option<Stiffening>,
    /// Fibres along one direction; none unless set.
    pub fibers: Option<Fibers>,
    /// Tethers to the pinned vertices of the body; none unless set.
    pub tethers: Option<Tethers>,
    /// Damping rates.
    pub damping: Damping,
}

impl Fabric {
    /// Makes a sheet of a homogeneous material: bending follows from its thickness, `E t³ / (12 (1−ν²))`.
    pub fn plate(density_per_volume: f64, young: f64, poisson: f64, thickness: f64) -> Self {
        let cube = thickness * thickness * thickness;
        Self {
            density: density_per_volume * thickness,
            young,
            poisson,
            thickness,
            bending: young * cube / (12.0 * (1.0 - poisson * poisson)),
            limits: [1.0, 1.0],
            stretch: Stretch::Membrane,
            bend: Bend::MeanCurvature,
            pbd_stiffness: None,
            strain_limit: None,
            plasticity: None,
            stiffening: None,
            fibers: None,
            tethers: None,
            damping: Damping::default(),
        }
    }

    /// Makes a woven cloth: yarns slide, so it bends far more easily than a plate of its thickness.
    fn woven(density: f64, young: f64, thickness: f64, bending: f64) -> Self {
        let plate = Self::plate(density / thickness, young, 0.0, thickness);
        Self { bending, damping: Damping { drag: 0.2, ..Damping::default() }, ..plate }
    }

    /// Cotton poplin: 0.12 kg/m², 0.25 mm. Bending of the order that Kawabata's pure bending
    /// tester gives for shirting (about 0.05 gf cm²/cm, 5e-6 N m).
    pub fn cotton() -> Self {
        Self::woven(0.12, 5.0e6, 0.25e-3, 5.0e-6)
    }

    /// Silk habotai: 0.04 kg/m², 0.1 mm. Bending of the order of Kawabata's values for thin silk
    /// (about 0.01 gf cm²/cm, 1e-6 N m).
    pub fn silk() -> Self {
        Self::woven(0.04, 5.0e6, 0.1e-3, 1.0e-6)
    }

    /// Denim: 0.40 kg/m² (12 oz per square yard), 0.8 mm. Bending of the order of Kawabata's values
    /// for suiting twill and above (about 0.5 gf cm²/cm, 5e-5 N m).
    pub fn denim() -> Self {
        Self::woven(0.40, 2.0e7, 0.8e-3, 5.0e-5)
    }

    /// Natural rubber sheet, 1 mm: 930 kg/m³, E = 2 MPa (Ashby and Jones, Engineering Materials 1,
    /// give 1 to 10 MPa for rubbers), ν lowered to 0.45 to stay compressible in the sheet.
    pub fn rubber() -> Self {
        Self::plate(930.0, 2.0e6, 0.45, 1.0e-3)
    }

    /// Office paper: 0.08 kg/m² (80 g/m², ISO 536), 0.1 mm, E = 2.5 GPa (machine and cross direction
    /// averaged; Niskanen, Paper Physics, gives 2 to 6 GPa).
    pub fn paper() -> Self {
        Self::plate(800.0, 2.5e9, 0.2, 0.1e-3)
    }

    /// Returns the source of a preset's numbers.
    pub fn source(preset: &str) -> Option<&'static str> {
        Some(match preset {
            "cotton" => {
                "Kawabata's pure bending tester on shirting (bending); density and thickness of poplin"
            }
            "silk" => "Kawabata's values for thin silk (bending); density and thickness of habotai",
            "denim" => {
                "12 oz per square yard; Kawabata's values for suiting twill and above (bending)"
            }
            "rubber" => "Ashby and Jones, Engineering Materials 1: 1 to 10 MPa for rubbers",
            "paper" => "ISO 536, 80 g/m²; Niskanen, Paper Physics: 2 to 6 GPa",
            _ => return None,
        })
    }

    /// Returns the presets by name.
    pub fn presets() -> [(&'static str, Self); 5] {
        [
            ("cotton", Self::cotton()),
            ("silk", Self::silk()),
            ("denim", Self::denim()),
            ("rubber", Self::rubber()),
            ("paper", Self::paper()),
        ]
    }

    /// Sets the papers' own parameters: stiffness `k` in 0…1 for stretching and bending under PBD.
    pub fn pbd(self, stretching: f64, bending: f64) -> Self {
        Self { pbd_stiffness: Some([stretching, bending]), ..self }
    }

    /// Sets the range of stretches that cost no energy.
    pub fn limits(self, min: f64, max: f64) -> Self {
        Self { limits: [min, max], ..self }
    }

    /// Sets the damping rates.
    pub fn damping(self, damping: Damping) -> Self {
        Self { damping, ..self }
    }

    /// Sets a separate stiffness along warp and weft and in shear [N/m].
    pub fn orthotropic(self, warp: f64, weft: f64, shear: f64) -> Self {
        let weave = Weave { stiffness: Some([warp, weft, shear]), ..Weave::default() };
        Self { stretch: Stretch::Woven(weave), ..self }
    }

    /// Stiffness of a weave along warp and weft and in shear [N/m].
    pub fn weave_stiffness(&self, weave: &Weave) -> [f64; 3] {
        let stretch = self.strain_weight();
        weave.stiffness.unwrap_or([stretch, stretch, 0.5 * stretch])
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

    /// Ties every free vertex to the nearest pinned one: see [`Tethers`].
    pub fn tethered(self, tethers: Tethers) -> Self {
        Self { tethers: Some(tethers), ..self }
    }

    /// Limits stretch after every substep.
    pub fn strain_limit(self, limit: StrainLimit) -> Self {
        Self { strain_limit: Some(limit), ..self }
    }

    /// Weight of triangle strain per rest area [N/m]: `2 μ t`.
    pub fn strain_weight(&self) -> f64 {
        self.young * self.thickness / (1.0 + self.poisson)
    }

    /// Weight of the area term per rest area [N/m]: `λ t` in plane stress.
    pub fn area_weight(&self) -> f64 {
        self.young * self.thickness * self.poisson / (1.0 - self.poisson * self.poisson)
    }

    /// Weight of edge strain \[J\] for an edge whose adjacent triangles have the total `area` \[m²\]: `E t A`.
    ///
    /// As a spring constant this is Van Gelder 1998, `k = E t A / L²`. A triangle counts for each of its three edges;
    /// nets of equilateral triangles and of halved squares then have the modulus E.
    pub fn edge_weight(&self, area: f64) -> f64 {
        self.young * self.thickness * area
    }

    /// Weight of a hinge \[J\]: edge length \[m\] and the area of its two triangles \[m²\].
    ///
    /// With this weight a sheet of equilateral triangles, or of halved squares along its edges, rolled to a radius R
    /// has the energy `B/2 · area/R²` (Seung and Nelson 1988: `B = √3/2` of the hinge's weight). The factor 3 of
    /// Grinspun et al. 2003 belongs to a constant that is not B.
    pub fn hinge_weight(&self, length: f64, area: f64) -> f64 {
        self.bending * length * length / area
    }

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        check(
            "fabric",
            "density",
            self.density,
            self.density > 0.0,
            "the mass per area must be positive [kg/m²]",
        )?;
        check(
            "fabric",
            "young",
            self.young,
            self.young >= 0.0,
            "Young's modulus must be finite and not negative [Pa]",
        )?;
        check(
            "fabric",
            "poisson",
            self.poisson,
            (0.0..1.0).contains(&self.poisson),
            "Poisson's ratio must be at least 0 and below 1",
        )?;
        check(
            "fabric",
            "thickness",
            self.thickness,
            self.thickness > 0.0,
            "it must be positive [m]",
        )?;
        check(
            "fabric",
            "bending",
            self.bending,
            self.bending >= 0.0,
            "the bending stiffness must be finite and not negative [N m]",
        )?;
        check_limits("fabric", self.limits)?;
        if let Stretch::Woven(weave) = self.stretch {
            check_entries("fabric", weave.stiffness.as_ref().map(|k| k.as_slice()), self.limits)?;
        }
        check_plasticity(
            "fabric",
            self.plasticity,
            !matches!(self.stretch, Stretch::Woven(_)),
            self.limits,
        )?;
        self.stiffening.map_or(Ok(()), |s| s.validate())?;
        self.fibers.map_or(Ok(()), |f| f.validate())?;
        check_strain_limit("fabric", self.strain_limit, true)?;
        self.tethers.map_or(Ok(()), |t| t.validate("fabric"))?;
        self.damping.validate()
    }
}
