//! Material extensions beyond elastic moduli, in scene files.

use pliant::material::{Fibers, Plasticity, Stiffening};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plasticity: permanent deformation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlasticitySpec {
    /// Largest elastic strain that causes no permanent deformation.
    pub yield_strain: f64,
    /// Rate at which strain beyond it becomes permanent \[1/s\]; 1000 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creep: Option<f64>,
    /// Maximum permanent strain; 1 unless given.
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

/// A second phase that resists only beyond limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StiffeningSpec {
    /// Range of stretches in which it does not act.
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
    /// Range of fibre stretches without cost; `[1, 1]` unless given.
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
