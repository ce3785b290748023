//! Materials in files: a preset, and what differs from it.

use pliant::Error;
use pliant::elements::GreenMeasure;
use pliant::material::{
    Bend, Fabric, ShapeClusters, Solid, Springs, Strain, StrainEntries, Stretch, Thread, Twist,
    Weave,
};
use pliant::prelude::{Damping, StrainLimit, Tethers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BoundsSpec, ExamplesSpec, FibersSpec, PlasticitySpec, ShapesSpec, StiffeningSpec};

/// How a cloth resists stretching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StretchSpec {
    /// As a continuous membrane, by the strain of its triangles.
    Membrane,
    /// As a net of its edges.
    Edges,
    /// Along warp and weft and in shear, each on its own; see `weave`.
    Woven,
}

/// How a woven cloth resists stretching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WeaveSpec {
    /// Stiffness along warp and weft and in shear \[N/m\], instead of those of the moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[f64; 3]>,
    /// Rest stretch along warp and weft, `[1, 1]` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretches: Option<[f64; 2]>,
    /// Measure stretch by its square, Strain Based Dynamics eq. (9).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plain_stretch: bool,
    /// Measure shear by the product of the axes, Strain Based Dynamics eq. (10).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plain_shear: bool,
}

/// How a solid resists deformation, alike in all directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StrainSpec {
    /// By the distance to the nearest rotation, and the volume.
    Isotropic,
    /// Corotational linear elasticity.
    Corotational,
    /// A neo-Hookean energy: rubber that stiffens as it is compressed.
    NeoHookean,
}

/// A solid's stiffness along its axes and between them, instead of alike in all directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EntriesSpec {
    /// Stiffness of xx, yy, zz, xy, xz, yz \[Pa\], instead of those of the moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[f64; 6]>,
    /// Rest stretch along each axis, `[1, 1, 1]` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretches: Option<[f64; 3]>,
    /// The material axes, unit vectors at right angles; those of space unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<[[f64; 3]; 3]>,
    /// Measure stretch by its square, Strain Based Dynamics eq. (9).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plain_stretch: bool,
    /// Measure shear by the product of the axes, Strain Based Dynamics eq. (10).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plain_shear: bool,
}

impl WeaveSpec {
    fn build(self) -> Weave {
        let (plain_stretch, plain_shear) = (self.plain_stretch, self.plain_shear);
        Weave {
            stiffness: self.stiffness,
            stretches: self.stretches.unwrap_or([1.0; 2]),
            measure: GreenMeasure { plain_stretch, plain_shear },
        }
    }
}

impl EntriesSpec {
    fn build(self) -> StrainEntries {
        let (plain_stretch, plain_shear) = (self.plain_stretch, self.plain_shear);
        StrainEntries {
            stiffness: self.stiffness,
            stretches: self.stretches.unwrap_or([1.0; 3]),
            frame: self.frame.unwrap_or(StrainEntries::default().frame),
            measure: GreenMeasure { plain_stretch, plain_shear },
        }
    }
}

/// How a cloth resists bending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BendSpec {
    /// By mean curvature at its vertices.
    MeanCurvature,
    /// By the angle between its triangles.
    Dihedral,
    /// Not at all.
    Limp,
}

/// How a body loses energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DampingSpec {
    /// Fading of all motion \[1/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drag: Option<f64>,
    /// Fading of all motion but the rigid one \[1/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal: Option<f64>,
    /// Fading of relative velocities along each constraint \[1/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<f64>,
    /// Stiffness-proportional damping \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
}

impl DampingSpec {
    fn over(self, base: Damping) -> Damping {
        Damping {
            drag: self.drag.unwrap_or(base.drag),
            internal: self.internal.unwrap_or(base.internal),
            constraint: self.constraint.unwrap_or(base.constraint),
            stiffness: self.stiffness.unwrap_or(base.stiffness),
        }
    }
}

/// How far a body may stretch, whatever its stiffness: a correction after every substep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrainLimitSpec {
    /// Smallest and largest length of edges, in parts of their rest length.
    pub stretch: [f64; 2],
    /// Smallest and largest area of triangles, in parts of their rest area; none unless given. Only
    /// for cloth and springs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<[f64; 2]>,
    /// Sweeps after each substep; 20 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
}

impl StrainLimitSpec {
    /// The engine's limit.
    pub fn build(&self) -> StrainLimit {
        let limit = StrainLimit::new(self.stretch[0], self.stretch[1]);
        let iterations = self.iterations.unwrap_or(limit.iterations);
        StrainLimit { area: self.area, iterations, ..limit }
    }
}

/// Ties of every free vertex to the nearest held one: they pull where they are taut and never push.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TethersSpec {
    /// The longest that a tether gets, in parts of the way along the mesh at rest; 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<f64>,
    /// Tethers of each free vertex, to as many of the nearest held ones; 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_vertex: Option<usize>,
    /// Force per stretch beyond the slack \[N\], instead of a hundred times the weight of the vertex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
}

impl TethersSpec {
    /// The engine's tethers.
    pub fn build(&self) -> Tethers {
        let base = Tethers::default();
        Tethers {
            slack: self.slack.unwrap_or(base.slack),
            per_vertex: self.per_vertex.unwrap_or(base.per_vertex),
            stiffness: self.stiffness,
        }
    }
}

/// A thin sheet. What is not given comes from the preset (`cotton` unless given).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FabricSpec {
    /// A preset of `pliant list materials`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Mass per area \[kg/m²\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Young's modulus \[Pa\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
    /// Poisson's ratio, from 0 to below 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Thickness \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Bending stiffness \[N m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending: Option<f64>,
    /// Stretches that cost nothing, `[1, 1]` for plain elasticity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// How it resists stretching.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<StretchSpec>,
    /// Stiffness along warp and weft and in shear, where `stretch` is `woven`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weave: Option<WeaveSpec>,
    /// How it resists bending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<BendSpec>,
    /// Bounds that the area of every triangle is kept between; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area_bounds: Option<BoundsSpec>,
    /// PBD's stiffness in 0…1 for stretching and bending, instead of one from the moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbd: Option<[f64; 2]>,
    /// How far it may stretch, whatever its stiffness; without limit unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain_limit: Option<StrainLimitSpec>,
    /// Deformation that stays; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<PlasticitySpec>,
    /// A second phase that resists only beyond limits; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffening: Option<StiffeningSpec>,
    /// Fibres along one direction; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fibers: Option<FibersSpec>,
    /// Ties to what is held of it; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tethers: Option<TethersSpec>,
    /// How it loses energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

/// A soft solid. What is not given comes from the preset (`rubber` unless given).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolidSpec {
    /// A preset of `pliant list materials`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Mass per volume \[kg/m³\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Young's modulus \[Pa\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
    /// Poisson's ratio, from 0 to below 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Singular values of the deformation that cost nothing, `[1, 1]` for plain elasticity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// How it resists deformation; `isotropic` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain: Option<StrainSpec>,
    /// Stiffness along its axes and between them, instead of alike in all directions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<EntriesSpec>,
    /// The shape of each vertex's neighbourhood, instead of strain (shape matching).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<ShapesSpec>,
    /// Shapes that it may take at no cost, instead of strain and volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<ExamplesSpec>,
    /// Bounds that the volume of every tetrahedron is kept between; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_bounds: Option<BoundsSpec>,
    /// PBD's stiffness in 0…1 for strain and volume, instead of one from the moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbd: Option<[f64; 2]>,
    /// How far it may stretch, whatever its stiffness; without limit unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain_limit: Option<StrainLimitSpec>,
    /// Deformation that stays; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<PlasticitySpec>,
    /// A second phase that resists only beyond limits; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffening: Option<StiffeningSpec>,
    /// Fibres along one direction; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fibers: Option<FibersSpec>,
    /// How it loses energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

/// How a thread resists being twisted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TwistSpec {
    /// Poisson's ratio, from 0 to 0.5; 0.4 unless given. The shear modulus is E / (2 (1 + ν)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
}

/// A thread. What is not given comes from the preset (`rubber_cord` unless given).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ThreadSpec {
    /// A preset of `pliant list materials`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Mass per volume \[kg/m³\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Young's modulus \[Pa\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
    /// Radius \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Stretches that cost nothing, `[1, 1]` for plain elasticity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// How it resists twist; not at all unless given. An empty table will do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist: Option<TwistSpec>,
    /// PBD's stiffness in 0…1 for stretching and bending, instead of one from the modulus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbd: Option<[f64; 2]>,
    /// How far it may stretch, whatever its stiffness; without limit unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain_limit: Option<StrainLimitSpec>,
    /// Deformation that stays; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<PlasticitySpec>,
    /// A second phase that resists only beyond limits; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffening: Option<StiffeningSpec>,
    /// Ties to what is held of it; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tethers: Option<TethersSpec>,
    /// How it loses energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

/// Springs of one constant on a total mass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringsSpec {
    /// Spring constant \[N/m\].
    pub constant: f64,
    /// Total mass \[kg\].
    pub mass: f64,
    /// PBD's stiffness in 0…1, instead of one from the spring constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbd: Option<f64>,
    /// How far it may stretch, whatever its stiffness; without limit unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain_limit: Option<StrainLimitSpec>,
    /// Ties to what is held of it; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tethers: Option<TethersSpec>,
    /// How it loses energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

/// The preset of that name; dashes count as underscores.
fn preset<M: Copy>(kind: &str, name: &str, presets: &[(&'static str, M)]) -> Result<M, Error> {
    let wanted = name.replace('-', "_");
    let found = presets.iter().find(|(n, _)| *n == wanted).map(|(_, m)| *m);
    found.ok_or_else(|| {
        let known: Vec<&str> = presets.iter().map(|(n, _)| *n).collect();
        let problem =
            format!("there is no {kind} called \"{name}\"; choose one of {}", known.join(", "));
        Error::Scene { problem }
    })
}

impl FabricSpec {
    /// A preset as it is.
    pub fn preset(name: &str) -> Self {
        Self { preset: Some(name.to_owned()), ..Self::default() }
    }

    /// The engine's material.
    pub fn build(&self) -> Result<Fabric, Error> {
        let name = self.preset.as_deref().unwrap_or("cotton");
        let base = preset("fabric", name, &Fabric::presets())?;
        if self.weave.is_some() && self.stretch != Some(StretchSpec::Woven) {
            let problem = "a fabric has a `weave` but is not woven; add stretch = \"woven\"";
            return Err(Error::Scene { problem: problem.to_owned() });
        }
        Ok(Fabric {
            density: self.density.unwrap_or(base.density),
            young: self.young.unwrap_or(base.young),
            poisson: self.poisson.unwrap_or(base.poisson),
            thickness: self.thickness.unwrap_or(base.thickness),
            bending: self.bending.unwrap_or(base.bending),
            limits: self.limits.unwrap_or(base.limits),
            stretch: match self.stretch {
                None => base.stretch,
                Some(StretchSpec::Membrane) => Stretch::Membrane,
                Some(StretchSpec::Edges) => Stretch::Edges,
                Some(StretchSpec::Woven) => Stretch::Woven(self.weave.unwrap_or_default().build()),
            },
            bend: match self.bend {
                None => base.bend,
                Some(BendSpec::MeanCurvature) => Bend::MeanCurvature,
                Some(BendSpec::Dihedral) => Bend::Dihedral,
                Some(BendSpec::Limp) => Bend::Limp,
            },
            pbd_stiffness: self.pbd.or(base.pbd_stiffness),
            strain_limit: self.strain_limit.map(|s| s.build()),
            plasticity: self.plasticity.map(|p| p.build()),
            stiffening: self.stiffening.map(|s| s.build()),
            fibers: self.fibers.map(|f| f.build()),
            tethers: self.tethers.map(|t| t.build()),
            damping: self.damping.unwrap_or_default().over(base.damping),
        })
    }
}

impl SolidSpec {
    /// A preset as it is.
    pub fn preset(name: &str) -> Self {
        Self { preset: Some(name.to_owned()), ..Self::default() }
    }

    /// Density \[kg/m³\], Young's modulus \[Pa\] and Poisson's ratio.
    pub fn new(density: f64, young: f64, poisson: f64) -> Self {
        let (density, young, poisson) = (Some(density), Some(young), Some(poisson));
        Self { density, young, poisson, ..Self::default() }
    }

    /// The engine's material.
    pub fn build(&self) -> Result<Solid, Error> {
        let name = self.preset.as_deref().unwrap_or("rubber");
        let base = preset("solid", name, &Solid::presets())?;
        let strain = match (self.strain, self.entries, self.shapes) {
            (None, None, None) => base.strain,
            (Some(StrainSpec::Isotropic), None, None) => Strain::Isotropic,
            (Some(StrainSpec::Corotational), None, None) => Strain::Corotational,
            (Some(StrainSpec::NeoHookean), None, None) => Strain::NeoHookean,
            (None, Some(entries), None) => Strain::Entries(entries.build()),
            (None, None, Some(shapes)) => Strain::Shapes(ShapeClusters { rings: shapes.rings }),
            _ => {
                let problem =
                    "a solid has more than one of `strain`, `entries` and `shapes`; keep one";
                return Err(Error::Scene { problem: problem.to_owned() });
            }
        };
        Ok(Solid {
            density: self.density.unwrap_or(base.density),
            young: self.young.unwrap_or(base.young),
            poisson: self.poisson.unwrap_or(base.poisson),
            limits: self.limits.unwrap_or(base.limits),
            strain,
            pbd_stiffness: self.pbd.or(base.pbd_stiffness),
            strain_limit: self.strain_limit.map(|s| s.build()),
            plasticity: self.plasticity.map(|p| p.build()),
            stiffening: self.stiffening.map(|s| s.build()),
            fibers: self.fibers.map(|f| f.build()),
            damping: self.damping.unwrap_or_default().over(base.damping),
        })
    }
}

impl ThreadSpec {
    /// A preset as it is.
    pub fn preset(name: &str) -> Self {
        Self { preset: Some(name.to_owned()), ..Self::default() }
    }

    /// Density \[kg/m³\], Young's modulus \[Pa\] and radius \[m\].
    pub fn new(density: f64, young: f64, radius: f64) -> Self {
        let (density, young, radius) = (Some(density), Some(young), Some(radius));
        Self { density, young, radius, ..Self::default() }
    }

    /// The engine's material.
    pub fn build(&self) -> Result<Thread, Error> {
        let name = self.preset.as_deref().unwrap_or("rubber_cord");
        let base = preset("thread", name, &Thread::presets())?;
        Ok(Thread {
            density: self.density.unwrap_or(base.density),
            young: self.young.unwrap_or(base.young),
            radius: self.radius.unwrap_or(base.radius),
            limits: self.limits.unwrap_or(base.limits),
            twist: self.twist.map_or(base.twist, |t| {
                Some(Twist { poisson: t.poisson.unwrap_or(Twist::default().poisson) })
            }),
            pbd_stiffness: self.pbd.or(base.pbd_stiffness),
            strain_limit: self.strain_limit.map(|s| s.build()),
            plasticity: self.plasticity.map(|p| p.build()),
            stiffening: self.stiffening.map(|s| s.build()),
            tethers: self.tethers.map(|t| t.build()),
            damping: self.damping.unwrap_or_default().over(base.damping),
        })
    }
}

impl SpringsSpec {
    /// The engine's material.
    pub fn build(&self) -> Result<Springs, Error> {
        Ok(Springs {
            constant: self.constant,
            mass: self.mass,
            pbd_stiffness: self.pbd,
            strain_limit: self.strain_limit.map(|s| s.build()),
            tethers: self.tethers.map(|t| t.build()),
            damping: self.damping.unwrap_or_default().over(Damping::default()),
        })
    }
}
