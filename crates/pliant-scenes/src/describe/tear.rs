//! Tearing and blades, in files.

use pliant::{Blade, Error, Motion, TearMode, Tearing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Path, Spin};

/// When a cloth or a net tears.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TearSpec {
    /// The longest that an edge gets, in parts of its length at rest; above 1.
    pub stretch: f64,
    /// What gives way; vertices that split unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<TearModeSpec>,
    /// Edges that give way in one step, at most; 64 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
}

/// What gives way in a tear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TearModeSpec {
    /// Vertices split, and the surface opens between triangles (Position Based Dynamics §5).
    Split,
    /// Edges lose their constraints, and the triangles beside them are gone (Projective Dynamics §7.1).
    Break,
}

impl TearSpec {
    pub(super) fn build(self) -> Tearing {
        let base = Tearing::split(self.stretch);
        let mode = match self.mode {
            Some(TearModeSpec::Break) => TearMode::Break,
            _ => TearMode::Split,
        };
        Tearing { mode, most: self.most.unwrap_or(base.most), ..base }
    }
}

/// A straight edge that cuts all cloth, and nets with triangles, that it passes. At most one of `path` and
/// `spin`; without either it cuts what moves through it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BladeSpec {
    /// Its ends at the start \[m\].
    pub ends: [[f64; 3]; 2],
    /// Along a path, both ends alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// Around an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<Spin>,
}

impl BladeSpec {
    pub(super) fn build(&self) -> Result<Blade, Error> {
        let trouble = |problem: String| Err(Error::Scene { problem });
        let motion = match (&self.path, &self.spin) {
            (None, None) => Motion::Fixed,
            (Some(path), None) if path.times.len() != path.moves.len() => {
                return trouble(format!(
                    "the path has {} times and {} moves; give one move for each time",
                    path.times.len(),
                    path.moves.len()
                ));
            }
            (Some(path), None) => {
                let there = |m: &[f64; 3]| [0, 1, 2].map(|c| self.ends[0][c] + m[c]);
                let moves = path.moves.iter().map(there);
                Motion::Path(path.times.iter().copied().zip(moves).collect())
            }
            (None, Some(s)) => Motion::Spin {
                center: s.center,
                axis: s.axis,
                rate: s.rate,
                drift: s.drift.unwrap_or_default(),
            },
            (Some(_), Some(_)) => {
                return trouble("a blade has both a path and a spin; keep one".to_owned());
            }
        };
        Ok(Blade::new(self.ends, motion))
    }
}
