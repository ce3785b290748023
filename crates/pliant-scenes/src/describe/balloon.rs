//! Gas inside closed cloths, in scene files.

use pliant::{Error, Inflation, Pressure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gas inside a closed cloth: a balloon (Position Based Dynamics §4.4). At most one of `factor` and `path`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BalloonSpec {
    /// Target volume of the gas relative to the rest volume: the paper's `k_pressure`; default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// The factor over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FactorPath>,
    /// Bulk modulus: pressure per relative volume deficit \[Pa\]; default: 101,325 (air).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bulk: Option<f64>,
}

/// Factors over time, piecewise linear; constant before the first and after the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactorPath {
    /// Times \[s\], increasing.
    pub times: Vec<f64>,
    /// Factor at each time.
    pub factors: Vec<f64>,
}

impl BalloonSpec {
    /// A factor path through points of time \[s\] and factor.
    pub fn path(points: &[(f64, f64)]) -> Self {
        let (times, factors) = points.iter().copied().unzip();
        Self { path: Some(FactorPath { times, factors }), ..Self::default() }
    }

    pub(super) fn build(&self) -> Result<Pressure, Error> {
        let scene_error = |problem: String| Err(Error::Scene { problem });
        let factor = match (self.factor, &self.path) {
            (factor, None) => Inflation::Constant(factor.unwrap_or(1.0)),
            (None, Some(path)) if path.times.len() != path.factors.len() => {
                return scene_error(format!(
                    "the path has {} times and {} factors; there must be one factor per time",
                    path.times.len(),
                    path.factors.len()
                ));
            }
            (None, Some(path)) => {
                Inflation::Path(path.times.iter().copied().zip(path.factors.clone()).collect())
            }
            (Some(_), Some(_)) => {
                return scene_error("both factor and path are present; keep one".to_owned());
            }
        };
        let air = Pressure::air(factor);
        Ok(Pressure { bulk_modulus: self.bulk.unwrap_or(air.bulk_modulus), ..air })
    }
}
