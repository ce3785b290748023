//! Materials in SI units, their presets, and the only place where a modulus becomes a weight.
//!
//! | body | elements | weight |
//! |---|---|---|
//! | cloth, membrane | triangle strain, and triangle area where ν > 0 | `2 μ t A`, `λ t A` |
//! | cloth, as a net | edge strain | `E t A_e`, with A_e the area of the triangles at the edge |
//! | cloth, woven | triangle Green strain | warp, weft and shear stiffness × A |
//! | cloth, bending | Laplace–Beltrami | `B A_v` |
//! | cloth, bending | dihedral | `B |e|² / (A₁ + A₂)` |
//! | solid | tetrahedron strain, and volume where ν > 0 | `2 μ V`, `λ V` |
//! | solid, by entries of Green's strain | tetrahedron Green strain, and volume where ν > 0 | `2 μ V` (stretch), `μ V` (shear), or as given; `λ V` |
//! | strand | edge strain, bending | `E π r² L`, `E π r⁴/4 · L` |
//!
//! with `μ = E / (2 (1 + ν))` and `λ = E ν / ((1 + ν)(1 − 2 ν))` in solids, `E ν / (1 − ν²)` in
//! sheets (plane stress). For small strains these are linear elasticity with exactly the given E
//! and ν: `μ ‖F − R‖² + λ/2 (det F − 1)²` to second order.

use crate::damping::Damping;
use crate::elements::GreenMeasure;
use crate::error::Error;
use crate::strain_limit::StrainLimit;

/// How a cloth resists stretching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stretch {
    /// As a continuous membrane: strain of its triangles. Independent of the mesh.
    Membrane,
    /// As a net of its edges, as in Position Based Dynamics.
    Edges,
    /// Along warp and weft and in shear, each on its own, as in Strain Based Dynamics. The warp runs
    /// where the mesh's texture coordinate u grows, or along each triangle's first edge where there
    /// are none.
    Woven(Weave),
}

/// How a woven cloth resists stretching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weave {
    /// Stiffness along warp and weft and in shear [N/m], instead of `E t`, `E t` and `μ t`.
    pub stiffness: Option<[f64; 3]>,
    /// Rest stretch along warp and weft, 1 for none.
    pub stretches: [f64; 2],
    /// Which functions measure strain.
    pub measure: GreenMeasure,
}

impl Default for Weave {
    fn default() -> Self {
        Self { stiffness: None, stretches: [1.0; 2], measure: GreenMeasure::default() }
    }
}

/// How a solid resists deformation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strain {
    /// Alike in all directions, by the singular values of the deformation (Projective Dynamics).
    Isotropic,
    /// By the entries of Green's strain, each on its own (Strain Based Dynamics).
    Entries(StrainEntries),
}

/// A solid's stiffness along its axes and between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainEntries {
    /// Stiffness of xx, yy, zz, xy, xz, yz \[Pa\], instead of `2 μ` for stretch and `μ` for shear.
    pub stiffness: Option<[f64; 6]>,
    /// Rest stretch along each axis, 1 for none.
    pub stretches: [f64; 3],
    /// The material axes: unit vectors at right angles.
    pub frame: [[f64; 3]; 3],
    /// Which functions measure strain.
    pub measure: GreenMeasure,
}

impl Default for StrainEntries {
    fn default() -> Self {
        Self {
            stiffness: None,
            stretches: [1.0; 3],
            frame: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            measure: GreenMeasure::default(),
        }
    }
}

/// How a cloth resists bending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// By mean curvature at its vertices: fast under every solver.
    MeanCurvature,
    /// By the angle between its triangles.
    Dihedral,
    /// Not at all.
    Limp,
}

/// A thin sheet: cloth, paper, rubber.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Mass per area [kg/m²].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio, from 0 to below 1; zero leaves out the area term.
    pub poisson: f64,
    /// Thickness \[m\].
    pub thickness: f64,
    /// Bending stiffness \[N m\].
    pub bending: f64,
    /// Stretches that cost nothing, `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
    /// How it resists stretching.
    pub stretch: Stretch,
    /// How it resists bending.
    pub bend: Bend,
    /// PBD's stiffness in 0…1 for stretching and bending, instead of one from the moduli.
    pub pbd_stiffness: Option<[f64; 2]>,
    /// How far it may stretch whatever its stiffness; without limit unless set.
    pub strain_limit: Option<StrainLimit>,
    /// How it loses energy.
    pub damping: Damping,
}

impl Fabric {
    /// A sheet of a homogeneous material: bending follows from its thickness, `E t³ / (12 (1−ν²))`.
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
            damping: Damping::default(),
        }
    }

    /// A woven cloth: yarns slide, so it bends far more easily than a plate of its thickness.
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

    /// Where the numbers of a preset come from.
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

    /// The presets by name.
    pub fn presets() -> [(&'static str, Self); 5] {
        [
            ("cotton", Self::cotton()),
            ("silk", Self::silk()),
            ("denim", Self::denim()),
            ("rubber", Self::rubber()),
            ("paper", Self::paper()),
        ]
    }

    /// The papers' own parameters: stiffness `k` in 0…1 for stretching and bending under PBD.
    pub fn pbd(self, stretching: f64, bending: f64) -> Self {
        Self { pbd_stiffness: Some([stretching, bending]), ..self }
    }

    /// The same cloth with stretches from `min` to `max` free of cost.
    pub fn limits(self, min: f64, max: f64) -> Self {
        Self { limits: [min, max], ..self }
    }

    /// The same cloth with another damping.
    pub fn damping(self, damping: Damping) -> Self {
        Self { damping, ..self }
    }

    /// The same cloth with a stiffness of its own along warp and weft and in shear [N/m].
    pub fn orthotropic(self, warp: f64, weft: f64, shear: f64) -> Self {
        let weave = Weave { stiffness: Some([warp, weft, shear]), ..Weave::default() };
        Self { stretch: Stretch::Woven(weave), ..self }
    }

    /// Stiffness of a weave along warp and weft and in shear [N/m].
    pub fn weave_stiffness(&self, weave: &Weave) -> [f64; 3] {
        let stretch = self.strain_weight();
        weave.stiffness.unwrap_or([stretch, stretch, 0.5 * stretch])
    }

    /// The same cloth, kept from stretching further than a limit after every substep.
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

    /// Weight of edge strain \[J\] for an edge between triangles of `area` \[m²\] together: `E t A`.
    ///
    /// In terms of a spring constant this is Van Gelder 1998, `k = E t A / L²`. A triangle counts
    /// for each of its three edges; nets of equilateral triangles and of halved squares then have
    /// the modulus E.
    pub fn edge_weight(&self, area: f64) -> f64 {
        self.young * self.thickness * area
    }

    /// Weight of a hinge \[J\]: edge length \[m\] and the area of its two triangles \[m²\].
    ///
    /// With it a sheet of equilateral triangles, or of halved squares along its edges, rolled to a
    /// radius R has the energy `B/2 · area/R²` (Seung and Nelson 1988: `B = √3/2` of the hinge's
    /// weight). The factor 3 of Grinspun et al. 2003 belongs to a constant that is not B.
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
            "give a positive mass per area [kg/m²]",
        )?;
        check(
            "fabric",
            "young",
            self.young,
            self.young >= 0.0,
            "give a modulus of zero or more [Pa]",
        )?;
        check(
            "fabric",
            "poisson",
            self.poisson,
            (0.0..1.0).contains(&self.poisson),
            "give a ratio of zero or more, below 1",
        )?;
        check(
            "fabric",
            "thickness",
            self.thickness,
            self.thickness > 0.0,
            "give a positive thickness [m]",
        )?;
        check(
            "fabric",
            "bending",
            self.bending,
            self.bending >= 0.0,
            "give a stiffness of zero or more [N m]",
        )?;
        check_limits("fabric", self.limits)?;
        if let Stretch::Woven(weave) = self.stretch {
            check_entries("fabric", weave.stiffness.as_ref().map(|k| k.as_slice()), self.limits)?;
        }
        check_strain_limit("fabric", self.strain_limit, true)?;
        self.damping.validate()
    }
}

/// A soft solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Mass per volume [kg/m³].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio, from 0 to below 0.5; zero leaves out the volume term.
    pub poisson: f64,
    /// Singular values that cost nothing, `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
    /// How it resists deformation.
    pub strain: Strain,
    /// PBD's stiffness in 0…1 for strain and volume, instead of one from the moduli.
    pub pbd_stiffness: Option<[f64; 2]>,
    /// How far it may stretch whatever its stiffness; without limit unless set.
    pub strain_limit: Option<StrainLimit>,
    /// How it loses energy.
    pub damping: Damping,
}

impl Solid {
    /// A solid of given density [kg/m³], Young's modulus \[Pa\] and Poisson's ratio.
    pub fn new(density: f64, young: f64, poisson: f64) -> Self {
        let (limits, damping) = ([1.0, 1.0], Damping::default());
        let strain = Strain::Isotropic;
        let (pbd_stiffness, strain_limit) = (None, None);
        Self { density, young, poisson, limits, strain, pbd_stiffness, strain_limit, damping }
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

    /// Where the numbers of a preset come from.
    pub fn source(preset: &str) -> Option<&'static str> {
        Some(match preset {
            "jelly" => "indentation tests on 5 % gelatin gels, order of magnitude",
            "rubber" => "Ashby and Jones, Engineering Materials 1: 1 to 10 MPa for rubbers",
            "foam" => "Gibson and Ashby, Cellular Solids: open cells, near zero Poisson's ratio",
            "muscle" => "elastography of skeletal muscle at rest, 10 to 50 kPa",
            _ => return None,
        })
    }

    /// The presets by name.
    pub fn presets() -> [(&'static str, Self); 4] {
        [
            ("jelly", Self::jelly()),
            ("rubber", Self::rubber()),
            ("foam", Self::foam()),
            ("muscle", Self::muscle()),
        ]
    }

    /// The same solid with another damping.
    pub fn damping(self, damping: Damping) -> Self {
        Self { damping, ..self }
    }

    /// The same solid with a stiffness of its own for the entries xx, yy, zz, xy, xz, yz of Green's
    /// strain \[Pa\].
    pub fn anisotropic(self, stiffness: [f64; 6]) -> Self {
        let entries = StrainEntries { stiffness: Some(stiffness), ..StrainEntries::default() };
        Self { strain: Strain::Entries(entries), ..self }
    }

    /// Stiffness of the entries xx, yy, zz, xy, xz, yz \[Pa\].
    pub fn entry_stiffness(&self, entries: &StrainEntries) -> [f64; 6] {
        let (stretch, shear) = (self.strain_weight(), 0.5 * self.strain_weight());
        entries.stiffness.unwrap_or([stretch, stretch, stretch, shear, shear, shear])
    }

    /// The same solid, kept from stretching further than a limit after every substep.
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

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        check(
            "solid",
            "density",
            self.density,
            self.density > 0.0,
            "give a positive mass per volume [kg/m³]",
        )?;
        check(
            "solid",
            "young",
            self.young,
            self.young >= 0.0,
            "give a modulus of zero or more [Pa]",
        )?;
        let sane = (0.0..0.5).contains(&self.poisson);
        check("solid", "poisson", self.poisson, sane, "give a ratio of zero or more, below 0.5")?;
        check_limits("solid", self.limits)?;
        if let Strain::Entries(entries) = self.strain {
            check_entries("solid", entries.stiffness.as_ref().map(|k| k.as_slice()), self.limits)?;
        }
        check_strain_limit("solid", self.strain_limit, false)?;
        self.damping.validate()
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
    /// Stretches that cost nothing, `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
    /// PBD's stiffness in 0…1 for stretching and bending, instead of one from the modulus.
    pub pbd_stiffness: Option<[f64; 2]>,
    /// How far it may stretch whatever its stiffness; without limit unless set.
    pub strain_limit: Option<StrainLimit>,
    /// How it loses energy.
    pub damping: Damping,
}

impl Thread {
    /// A thread of given density [kg/m³], Young's modulus \[Pa\] and radius \[m\].
    pub fn new(density: f64, young: f64, radius: f64) -> Self {
        let (limits, damping) = ([1.0, 1.0], Damping::default());
        Self { density, young, radius, limits, pbd_stiffness: None, strain_limit: None, damping }
    }

    /// A nylon bristle of 0.3 mm: 1140 kg/m³, E = 3 GPa (Ashby and Jones: nylon 2 to 4 GPa).
    pub fn nylon_bristle() -> Self {
        Self::new(1140.0, 3.0e9, 0.15e-3)
    }

    /// A soft rubber cord of 6 mm: 930 kg/m³, E = 2 MPa.
    pub fn rubber_cord() -> Self {
        Self::new(930.0, 2.0e6, 3.0e-3)
    }

    /// Where the numbers of a preset come from.
    pub fn source(preset: &str) -> Option<&'static str> {
        Some(match preset {
            "nylon_bristle" => "Ashby and Jones, Engineering Materials 1: nylon 2 to 4 GPa",
            "rubber_cord" => "Ashby and Jones, Engineering Materials 1: 1 to 10 MPa for rubbers",
            _ => return None,
        })
    }

    /// The presets by name.
    pub fn presets() -> [(&'static str, Self); 2] {
        [("nylon_bristle", Self::nylon_bristle()), ("rubber_cord", Self::rubber_cord())]
    }

    /// The same thread, kept from stretching further than a limit after every substep.
    pub fn strain_limit(self, limit: StrainLimit) -> Self {
        Self { strain_limit: Some(limit), ..self }
    }

    /// Cross-section \[m²\].
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

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        check(
            "thread",
            "density",
            self.density,
            self.density > 0.0,
            "give a positive mass per volume [kg/m³]",
        )?;
        check(
            "thread",
            "young",
            self.young,
            self.young >= 0.0,
            "give a modulus of zero or more [Pa]",
        )?;
        check("thread", "radius", self.radius, self.radius > 0.0, "give a positive radius [m]")?;
        check_limits("thread", self.limits)?;
        check_strain_limit("thread", self.strain_limit, false)?;
        self.damping.validate()
    }
}

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
            damping: Damping::default(),
        }
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
        self.damping.validate()
    }
}

fn check(
    name: &'static str,
    field: &'static str,
    value: f64,
    sane: bool,
    remedy: &'static str,
) -> Result<(), Error> {
    if sane && value.is_finite() {
        Ok(())
    } else {
        Err(Error::Quantity { name, field, value, remedy })
    }
}

fn check_limits(name: &'static str, [min, max]: [f64; 2]) -> Result<(), Error> {
    let sane = min >= 0.0 && min <= max;
    check(name, "limits", min, sane, "give limits with 0 ≤ min ≤ max")?;
    check(name, "limits", max, sane, "give limits with 0 ≤ min ≤ max")
}

/// Stiffness by entries is zero or more, somewhere positive, and has no limits.
fn check_entries(
    name: &'static str,
    stiffness: Option<&[f64]>,
    [min, max]: [f64; 2],
) -> Result<(), Error> {
    for &k in stiffness.unwrap_or_default() {
        check(name, "stiffness", k, k >= 0.0, "give a stiffness of zero or more for each entry")?;
    }
    let plain = min == 1.0 && max == 1.0;
    let value = if min == 1.0 { max } else { min };
    check(name, "limits", value, plain, "leave the limits out, or resist strain as a whole")
}

/// Where a material has a limit, its numbers make sense, and `triangles` says whether areas do.
fn check_strain_limit(
    name: &'static str,
    limit: Option<StrainLimit>,
    triangles: bool,
) -> Result<(), Error> {
    limit.map_or(Ok(()), |limit| limit.validate(name, triangles))
}
