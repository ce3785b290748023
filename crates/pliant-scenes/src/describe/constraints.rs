//! Vertex selections, pins and other constraints, in scene files.

use pliant::{Error, Motion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Vertices of a body: the union of all given criteria.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Selection {
    /// Vertices by number, in the order of the mesh.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<usize>,
    /// Segments of a strand by number: both ends, and their orientation if the strand resists twist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<usize>,
    /// Named corners of a generated mesh.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corners: Vec<usize>,
    /// All vertices in a box: lowest and highest corner \[m\], after placement.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub inside: Option<[[f64; 3]; 2]>,
    /// The vertex nearest to a point \[m\], after placement; the first one if several are equally near.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<[f64; 3]>,
    /// All vertices of a group that the mesh's file defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// Kinematic vertices: fixed, or moving along a path or around an axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pin {
    /// Pinned vertices.
    pub at: Selection,
    /// Motion along a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// Rotation around an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<Spin>,
}

/// Motion through displacements from the start, piecewise linear in time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Times \[s\], increasing.
    pub times: Vec<f64>,
    /// Displacements at these times from the start position \[m\].
    pub moves: Vec<[f64; 3]>,
}

/// A uniform rotation about an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spin {
    /// A point on the axis \[m\].
    pub center: [f64; 3],
    /// Direction of the axis, of any length.
    pub axis: [f64; 3],
    /// Angular rate \[rad/s\].
    pub rate: f64,
    /// Velocity of the axis \[m/s\]; default: zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<[f64; 3]>,
}

/// Springs that attach vertices to a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Attached vertices.
    pub at: Selection,
    /// The point \[m\]; default: the start position of each vertex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// Spring constant \[N/m\].
    pub constant: f64,
}

/// A constant force on each of several vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointForce {
    /// Vertices with the force.
    pub at: Selection,
    /// Force on each vertex \[N\].
    pub newtons: [f64; 3],
}

/// Additional mass on each of several vertices: attached weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointMass {
    /// Vertices with the mass.
    pub at: Selection,
    /// Mass on each vertex \[kg\].
    pub kilograms: f64,
}

impl Pin {
    /// Pins the named corners of a generated mesh.
    pub fn corners(corners: &[usize]) -> Self {
        let at = Selection { corners: corners.to_vec(), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// Pins vertices by number.
    pub fn vertices(vertices: impl IntoIterator<Item = usize>) -> Self {
        let at = Selection { vertices: vertices.into_iter().collect(), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// Pins segments of a strand by number, with their orientation.
    pub fn segments(segments: impl IntoIterator<Item = usize>) -> Self {
        let at = Selection { segments: segments.into_iter().collect(), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// Pins all vertices in a box \[m\].
    pub fn inside(low: [f64; 3], high: [f64; 3]) -> Self {
        let at = Selection { inside: Some([low, high]), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// Pins the vertex nearest to a point \[m\].
    pub fn nearest(point: [f64; 3]) -> Self {
        let at = Selection { nearest: Some(point), ..Selection::default() };
        Self { at, ..Self::default() }
    }

    /// The same pin moving through displacements \[m\] at times \[s\].
    pub fn path(self, points: &[(f64, [f64; 3])]) -> Self {
        let (times, moves) = points.iter().copied().unzip();
        Self { path: Some(Path { times, moves }), ..self }
    }

    /// The same pin rotating about an axis.
    pub fn spin(self, center: [f64; 3], axis: [f64; 3], rate: f64) -> Self {
        Self { spin: Some(Spin { center, axis, rate, drift: None }), ..self }
    }
}

/// Motion of a point that starts at `start` \[m\]; `what` names the moving object in messages.
pub(super) fn build_motion(
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
                    "the path has {} times and {} moves; there must be one move per time",
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
            let problem = format!("{what} has both path and spin; keep one");
            Err(Error::Scene { problem })
        }
    }
}
