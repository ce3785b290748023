//! Which vertices are held, and how they move.

use pliant::{Error, Motion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Vertices of a body. Everything given is taken together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Selection {
    /// By number, in the order of the mesh.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<usize>,
    /// A strand's segments, by number: both ends, and how they are turned where the strand twists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<usize>,
    /// By the corners that a generator names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corners: Vec<usize>,
    /// All in a box: its lowest and highest corner \[m\], after placement.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub inside: Option<[[f64; 3]; 2]>,
    /// The one nearest to a point \[m\], after placement; of several the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<[f64; 3]>,
    /// All of a group that the mesh's file names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// Vertices whose motion is prescribed: held still unless a motion is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pin {
    /// Which vertices.
    pub at: Selection,
    /// Along a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// Around an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<Spin>,
}

/// A motion through displacements from the start, straight and evenly between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Times \[s\], increasing.
    pub times: Vec<f64>,
    /// Where the vertices are at these times, as displacements from where they start \[m\].
    pub moves: Vec<[f64; 3]>,
}

/// A steady turn about an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spin {
    /// A point on the axis \[m\].
    pub center: [f64; 3],
    /// Direction of the axis; its length does not matter.
    pub axis: [f64; 3],
    /// Angular rate \[rad/s\].
    pub rate: f64,
    /// Velocity of the axis \[m/s\]; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<[f64; 3]>,
}

/// Vertices drawn to a point by a spring each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Which vertices.
    pub at: Selection,
    /// The point \[m\]; where each vertex starts unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// Spring constant \[N/m\].
    pub constant: f64,
}

/// A constant force on each of some vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// Which vertices.
    pub at: Selection,
    /// The force on each \[N\].
    pub newtons: [f64; 3],
}

/// Mass added to each of some vertices: weights that hang there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Which vertices.
    pub at: Selection,
    /// The mass on each \[kg\].
    pub kilograms: f64,
}

impl Pin {
    /// Holds the corners that a generator names.
    pub fn corners(corners: &[usize]) -> Self {
        let at = Selection { corners: corners.to_vec(), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// Holds vertices by number.
    pub fn vertices(vertices: impl IntoIterator<Item = usize>) -> Self {
        let at = Selection { vertices: vertices.into_iter().collect(), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// Holds segments of a strand by number, and how they are turned.
    pub fn segments(segments: impl IntoIterator<Item = usize>) -> Self {
        let at = Selection { segments: segments.into_iter().collect(), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// Holds all vertices in a box \[m\].
    pub fn inside(low: [f64; 3], high: [f64; 3]) -> Self {
        let at = Selection { inside: Some([low, high]), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// Holds the vertex nearest to a point \[m\].
    pub fn nearest(point: [f64; 3]) -> Self {
        let at = Selection { nearest: Some(point), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// The same vertices moved through displacements \[m\] at times \[s\].
    pub fn path(self, points: &[(f64, [f64; 3])]) -> Self {
        let (times, moves) = points.iter().copied().unzip();
        Self { path: Some(Path { times, moves }), ..self }
    }

    /// The same vertices turned about an axis.
    pub fn spin(self, center: [f64; 3], axis: [f64; 3], rate: f64) -> Self {
        Self { spin: Some(Spin { center, axis, rate, drift: None }), ..self }
    }
}

/// The motion of what starts at `start` \[m\]; `what` it is, for messages.
pub(super) fn motion(
    what: &str,
    path: Option<&Path>,
    spin: Option<&Spin>,
    start: [f64; 3],
) -> Result<Motion, Error> {
    match (path, spin) {
        (None, None) => Ok(Motion::Fixed),
        (Some(path), None) => {
            if path.times.len() != path.moves.len() {
                let problem = format!(
                    "the path has {} times and {} moves; give one move for each time",
                    path.times.len(),
                    path.moves.len()
                );
                return Err(Error::Scene { problem });
            }
            let there = |m: &[f64; 3]| [0, 1, 2].map(|c| start[c] + m[c]);
            Ok(Motion::Path(path.times.iter().copied().zip(path.moves.iter().map(there)).collect()))
        }
        (None, Some(s)) => Ok(Motion::Spin {
            center: s.center,
            axis: s.axis,
            rate: s.rate,
            drift: s.drift.unwrap_or_default(),
        }),
        (Some(_), Some(_)) => {
            let problem = format!("{what} has both a path and a spin; keep one");
            Err(Error::Scene { problem })
        }
    }
}
