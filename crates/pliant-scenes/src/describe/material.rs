//! Materials in scene files: a preset, and the parameters that differ from it.

use pliant::Error;
use pliant::elements::GreenMeasure;
use pliant::material::{
    Bend, Fabric, ShapeClusters, Solid, Springs, Strain, StrainComponents, Stretch, Thread, Twist,
    Weave,
};
use pliant::prelude::Damping;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    BoundsSpec, DampingSpec, ExamplesSpec, FibersSpec, PlasticitySpec, ShapesSpec, StiffeningSpec,
    StrainLimitSpec, TethersSpec,
};

/// Stretch model of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StretchSpec {
    /// Continuous membrane, by the strain of its triangles.
    Membrane,
    /// Network of springs along its edges.
    Edges,
    /// Separate stiffness along warp, along weft and in shear; see `weave`.
    Woven,
}

/// Stretch parameters of a woven cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WeaveSpec {
    /// Stiffness along warp, along weft and in shear \[N/m\], instead of values from the moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[f64; 3]>,
    /// Rest stretch along warp and weft; default: `[1, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretches: Option<[f64; 2]>,
    /// Measure stretch by its square, Strain Based Dynamics eq. (9).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plain_stretch: bool,
    /// Measure shear by the product of the axes, Strain Based Dynamics eq. (10).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plain_shear: bool,
}

/// Isotropic elastic model of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StrainSpec {
    /// Distance of the deformation gradient to the nearest rotation, and volume.
    Isotropic,
    /// Corotational linear elasticity.
    Corotational,
    /// Neo-Hookean energy: rubber that stiffens under compression.
    NeoHookean,
}

/// Orthotropic stiffness of a solid: along its axes and between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EntriesSpec {
    /// Stiffness of xx, yy, zz, xy, xz, yz \[Pa\], instead of values from the moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[f64; 6]>,
    /// Rest stretch along each axis; default: `[1, 1, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretches: Option<[f64; 3]>,
    /// Material axes, orthonormal; default: the coordinate axes.
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
    fn build(self) -> StrainComponents {
        let (plain_stretch, plain_shear) = (self.plain_stretch, self.plain_shear);
        StrainComponents {
            stiffness: self.stiffness,
            stretches: self.stretches.unwrap_or([1.0; 3]),
            frame: self.frame.unwrap_or(StrainComponents::default().frame),
            measure: GreenMeasure { plain_stretch, plain_shear },
        }
    }
}

/// Bending model of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BendSpec {
    /// Mean curvature at vertices.
    MeanCurvature,
    /// Dihedral angle between adjacent triangles.
    Dihedral,
    /// No bending resistance.
    Limp,
}

/// A thin sheet. Missing values come from the preset (`cotton` by default).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FabricSpec {
    /// Preset name, from `pliant list materials`.
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
    /// Range of stretches without elastic energy; `[1, 1]` for linear elasticity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// Stretch model; default: that of the preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<StretchSpec>,
    /// Stiffness along warp, along weft and in shear, if `stretch` is `woven`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weave: Option<WeaveSpec>,
    /// Bending model; default: that of the preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<BendSpec>,
    /// Area bounds of every triangle; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area_bounds: Option<BoundsSpec>,
    /// PBD stiffness in 0…1 for stretching and bending, instead of values from the moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbd: Option<[f64; 2]>,
    /// Strain limit, independent of the stiffness; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain_limit: Option<StrainLimitSpec>,
    /// Plasticity: permanent deformation; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<PlasticitySpec>,
    /// Second phase that resists strain beyond limits; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffening: Option<StiffeningSpec>,
    /// Fibres along one direction; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fibers: Option<FibersSpec>,
    /// Tethers to the body's pinned vertices; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tethers: Option<TethersSpec>,
    /// Damping parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

/// A soft solid. Missing values come from the preset (`rubber` by default).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolidSpec {
    /// Preset name, from `pliant list materials`.
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
    /// Range of singular values of the deformation gradient without elastic energy; `[1, 1]` for linear elasticity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// Elastic model; default: `isotropic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain: Option<StrainSpec>,
    /// Orthotropic stiffness along the material axes and between them, instead of an isotropic model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<EntriesSpec>,
    /// Shape matching of each vertex's neighbourhood, instead of strain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<ShapesSpec>,
    /// Example shapes without elastic energy, instead of strain and volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<ExamplesSpec>,
    /// Volume bounds of every tetrahedron; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_bounds: Option<BoundsSpec>,
    /// PBD stiffness in 0…1 for strain and volume, instead of values from the moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbd: Option<[f64; 2]>,
    /// Strain limit, independent of the stiffness; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain_limit: Option<StrainLimitSpec>,
    /// Plasticity: permanent deformation; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<PlasticitySpec>,
    /// Second phase that resists strain beyond limits; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffening: Option<StiffeningSpec>,
    /// Fibres along one direction; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fibers: Option<FibersSpec>,
    /// Damping parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

/// Twist resistance of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TwistSpec {
    /// Poisson's ratio, from 0 to 0.5; default: 0.4. The shear modulus is E / (2 (1 + ν)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
}

/// A thread. Missing values come from the preset (`rubber_cord` by default).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ThreadSpec {
    /// Preset name, from `pliant list materials`.
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
    /// Range of stretches without elastic energy; `[1, 1]` for linear elasticity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// Twist resistance; default: none. An empty table enables it with the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist: Option<TwistSpec>,
    /// PBD stiffness in 0…1 for stretching and bending, instead of values from the modulus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbd: Option<[f64; 2]>,
    /// Strain limit, independent of the stiffness; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain_limit: Option<StrainLimitSpec>,
    /// Plasticity: permanent deformation; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<PlasticitySpec>,
    /// Second phase that resists strain beyond limits; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffening: Option<StiffeningSpec>,
    /// Tethers to the body's pinned vertices; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tethers: Option<TethersSpec>,
    /// Damping parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

/// Springs with one constant and a total mass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringsSpec {
    /// Spring constant \[N/m\].
    pub constant: f64,
    /// Total mass \[kg\].
    pub mass: f64,
    /// PBD stiffness in 0…1, instead of a value from the spring constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbd: Option<f64>,
    /// Strain limit, independent of the stiffness; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain_limit: Option<StrainLimitSpec>,
    /// Tethers to the body's pinned vertices; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tethers: Option<TethersSpec>,
    /// Damping parameters.
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
            format!("there is no {kind} preset \"{name}\"; use one of {}", known.join(", "));
        Error::Scene { problem }
    })
}

impl FabricSpec {
    /// A preset without changes.
    pub fn preset(name: &str) -> Self {
        Self { preset: Some(name.to_owned()), ..Self::default() }
    }

    /// Builds the engine's material.
    pub fn build(&self) -> Result<Fabric, Error> {
        let name = self.preset.as_deref().unwrap_or("cotton");
        let base = preset("fabric", name, &Fabric::presets())?;
        if self.weave.is_some() && self.stretch != Some(StretchSpec::Woven) {
            let problem = "`weave` requires a woven fabric; add stretch = \"woven\"";
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
                Some(BendSpec::Limp) => Bend::None,
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
    /// A preset without changes.
    pub fn preset(name: &str) -> Self {
        Self { preset: Some(name.to_owned()), ..Self::default() }
    }

    /// A solid with density \[kg/m³\], Young's modulus \[Pa\] and Poisson's ratio.
    pub fn new(density: f64, young: f64, poisson: f64) -> Self {
        let (density, young, poisson) = (Some(density), Some(young), Some(poisson));
        Self { density, young, poisson, ..Self::default() }
    }

    /// Builds the engine's material.
    pub fn build(&self) -> Result<Solid, Error> {
        let name = self.preset.as_deref().unwrap_or("rubber");
        let base = preset("solid", name, &Solid::presets())?;
        let strain = match (self.strain, self.entries, self.shapes) {
            (None, None, None) => base.strain,
            (Some(StrainSpec::Isotropic), None, None) => Strain::Isotropic,
            (Some(StrainSpec::Corotational), None, None) => Strain::Corotational,
            (Some(StrainSpec::NeoHookean), None, None) => Strain::NeoHookean,
            (None, Some(entries), None) => Strain::Components(entries.build()),
            (None, None, Some(shapes)) => Strain::Shapes(ShapeClusters { rings: shapes.rings }),
            _ => {
                let problem =
                    "more than one of `strain`, `entries` and `shapes` is present; keep one";
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
    /// A preset without changes.
    pub fn preset(name: &str) -> Self {
        Self { preset: Some(name.to_owned()), ..Self::default() }
    }

    /// A thread with density \[kg/m³\], Young's modulus \[Pa\] and radius \[m\].
    pub fn new(density: f64, young: f64, radius: f64) -> Self {
        let (density, young, radius) = (Some(density), Some(young), Some(radius));
        Self { density, young, radius, ..Self::default() }
    }

    /// Builds the engine's material.
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
    /// Builds the engine's material.
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
