//! Gas inside closed cloths, in files.

use pliant::{Error, Inflation, Pressure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gas inside a closed cloth: a balloon (Position Based Dynamics §4.4). At most one of `factor` and `path`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BalloonSpec {
    /// The volume that the gas wants, in parts of that at rest: the paper's `k_pressure`; 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// The same over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FactorPath>,
    /// Pressure for each part of the rest volume that is lacking \[Pa\]; 101,325 unless given: air.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bulk: Option<f64>,
}

/// Factors over time, evenly between them; held before the first and after the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactorPath {
    /// Times \[s\], increasing.
    pub times: Vec<f64>,
    /// The factor at each of them.
    pub factors: Vec<f64>,
}

impl BalloonSpec {
    /// A factor over time \[s\].
    pub fn path(points: &[(f64, f64)]) -> Self {
        let (times, factors) = points.iter().copied().unzip();
        Self { path: Some(FactorPath { times, factors }), ..Self::default() }
    }

    pub(super) fn build(&self) -> Result<Pressure, Error> {
        let trouble = |problem: String| Err(Error::Scene { problem });
        let factor = match (self.factor, &self.path) {
            (factor, None) => Inflation::Constant(factor.unwrap_or(1.0)),
            (None, Some(path)) if path.times.len() != path.factors.len() => {
                return trouble(format!(
                    "the path has {} times and {} factors; give one factor for each time",
                    path.times.len(),
                    path.factors.len()
                ));
            }
            (None, Some(path)) => {
                Inflation::Path(path.times.iter().copied().zip(path.factors.clone()).collect())
            }
            (Some(_), Some(_)) => {
                return trouble("a balloon has both a factor and a path; keep one".to_owned());
            }
        };
        let air = Pressure::air(factor);
        Ok(Pressure { bulk: self.bulk.unwrap_or(air.bulk), ..air })
    }
}
