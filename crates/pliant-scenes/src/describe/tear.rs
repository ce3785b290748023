//! Tearing and blades, in scene files.

use pliant::{Blade, Error, Motion, TearMode, Tearing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Path, Spin};

/// Tearing of a cloth or a net.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TearSpec {
    /// Maximum length of an edge, relative to its rest length; above 1.
    pub stretch: f64,
    /// Tearing mode; default: `split`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<TearModeSpec>,
    /// Maximum number of edges that tear in one step; default: 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
}

/// Tearing mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TearModeSpec {
    /// Vertices split, and the surface opens between triangles (Position Based Dynamics §5).
    Split,
    /// Edges lose their constraints, and the adjacent triangles are removed (Projective Dynamics §7.1).
    Break,
}

impl TearSpec {
    pub(super) fn build(self) -> Tearing {
        let base = Tearing::split(self.stretch);
        let mode = match self.mode {
            Some(TearModeSpec::Break) => TearMode::Break,
            _ => TearMode::Split,
        };
        Tearing { mode, max_per_step: self.most.unwrap_or(base.max_per_step), ..base }
    }
}

/// A straight edge that cuts all cloth, and spring nets with triangles, in its path. At most one of `path` and
/// `spin`; a fixed blade cuts bodies that move through it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BladeSpec {
    /// Endpoints at the start \[m\].
    pub ends: [[f64; 3]; 2],
    /// Motion along a path, the same for both endpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// Rotation around an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<Spin>,
}

impl BladeSpec {
    pub(super) fn build(&self) -> Result<Blade, Error> {
        let scene_error = |problem: String| Err(Error::Scene { problem });
        let motion = match (&self.path, &self.spin) {
            (None, None) => Motion::Fixed,
            (Some(path), None) if path.times.len() != path.moves.len() => {
                return scene_error(format!(
                    "the path has {} times and {} moves; there must be one move per time",
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
                return scene_error("a blade has both path and spin; keep one".to_owned());
            }
        };
        Ok(Blade::new(self.ends, motion))
    }
}
