//! Material parameters beyond elastic moduli, in scene files: plasticity, fibres, damping, limits, tethers.

use pliant::material::{Fibers, Plasticity, Stiffening};
use pliant::prelude::{Damping, StrainLimit, Tethers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plasticity: permanent deformation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlasticitySpec {
    /// Yield strain: maximum strain without permanent deformation.
    pub yield_strain: f64,
    /// Rate at which strain beyond the yield strain becomes permanent \[1/s\]; default: 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creep: Option<f64>,
    /// Maximum permanent strain; default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

impl PlasticitySpec {
    pub(super) fn build(self) -> Plasticity {
        let base = Plasticity::new(self.yield_strain);
        Plasticity {
            creep: self.creep.unwrap_or(base.creep),
            limit: self.limit.unwrap_or(base.limit),
            ..base
        }
    }
}

/// Second phase that resists strain beyond limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StiffeningSpec {
    /// Range of stretches without stress of the second phase.
    pub limits: [f64; 2],
    /// Young's modulus of the phase \[Pa\].
    pub young: f64,
}

impl StiffeningSpec {
    pub(super) fn build(self) -> Stiffening {
        Stiffening { limits: self.limits, young: self.young }
    }
}

/// Fibres along one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FibersSpec {
    /// Fibre direction at rest.
    pub direction: [f64; 3],
    /// Young's modulus of the fibres \[Pa\].
    pub young: f64,
    /// Range of fibre stretches without elastic energy; default: `[1, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
}

impl FibersSpec {
    pub(super) fn build(self) -> Fibers {
        let base = Fibers::new(self.direction, self.young);
        Fibers { limits: self.limits.unwrap_or(base.limits), ..base }
    }
}

/// Shape matching of each vertex's neighbourhood, instead of strain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShapesSpec {
    /// Radius of the neighbourhood, in edges.
    pub rings: usize,
}

/// Damping parameters of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DampingSpec {
    /// Decay rate of all motion \[1/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drag: Option<f64>,
    /// Decay rate of all motion except rigid motion \[1/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub internal: Option<f64>,
    /// Decay rate of relative velocities along each constraint \[1/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<f64>,
    /// Stiffness-proportional damping \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
}

impl DampingSpec {
    pub(super) fn over(self, base: Damping) -> Damping {
        Damping {
            drag: self.drag.unwrap_or(base.drag),
            internal: self.internal.unwrap_or(base.internal),
            constraint: self.constraint.unwrap_or(base.constraint),
            stiffness: self.stiffness.unwrap_or(base.stiffness),
        }
    }
}

/// Strain limit of a body, independent of its stiffness: a correction after every substep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrainLimitSpec {
    /// Minimum and maximum length of edges, relative to their rest length.
    pub stretch: [f64; 2],
    /// Minimum and maximum area of triangles, relative to their rest area; default: no limit. Only for
    /// cloth and springs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<[f64; 2]>,
    /// Sweeps after each substep; default: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
}

impl StrainLimitSpec {
    /// Builds the engine's strain limit.
    pub fn build(&self) -> StrainLimit {
        let limit = StrainLimit::new(self.stretch[0], self.stretch[1]);
        let iterations = self.iterations.unwrap_or(limit.iterations);
        StrainLimit { area: self.area, iterations, ..limit }
    }
}

/// Tethers of every free vertex to the nearest pinned one: unilateral, they limit the distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TethersSpec {
    /// Maximum length of a tether, relative to the geodesic distance along the mesh at rest; default:
    /// 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<f64>,
    /// Number of tethers of each free vertex, to the nearest pinned ones; default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_vertex: Option<usize>,
    /// Force per stretch beyond the slack \[N\], instead of a hundred times the weight of the vertex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
}

impl TethersSpec {
    /// Builds the engine's tethers.
    pub fn build(&self) -> Tethers {
        let base = Tethers::default();
        Tethers {
            slack: self.slack.unwrap_or(base.slack),
            per_vertex: self.per_vertex.unwrap_or(base.per_vertex),
            stiffness: self.stiffness,
        }
    }
}
