//! Shapes of scenes that no generator of the engine provides: smooth unions of capsules, and gears.

mod gear;
mod smooth_union;

pub(crate) use gear::Gear;
pub(crate) use smooth_union::{Capsule, SmoothUnion};

use crate::describe::{SheetMesh, TriangleList};
use pliant::mesh::TriMesh;

/// Resolution of coordinates in scene files: a hundredth of a millimetre \[m\].
const COORDINATE_STEP: f64 = 1.0e-5;

/// Rounds a position \[m\] to a hundredth of a millimetre, so that it is short in files.
pub(crate) fn round_position(p: [f64; 3]) -> [f64; 3] {
    p.map(|c| (c / COORDINATE_STEP).round() / (1.0 / COORDINATE_STEP).round())
}

/// Explicit vertices and triangles of a mesh.
pub(crate) fn triangle_list(mesh: &TriMesh) -> SheetMesh {
    let points = mesh.positions.iter().map(|p| round_position(*p)).collect();
    let list = TriangleList { points, triangles: mesh.triangles.clone() };
    SheetMesh { list: Some(list), ..SheetMesh::default() }
}
