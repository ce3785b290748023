//! Shapes that scenes are made of and no generator of the engine has: smooth unions of limbs, gears.

mod blob;
mod gear;

pub(crate) use blob::{Blob, Limb};
pub(crate) use gear::Gear;

use crate::describe::{SheetMesh, TriangleList};
use pliant::mesh::TriMesh;

/// A hundredth of a millimetre: what scenes written as files keep of a place \[m\].
const FINE: f64 = 1.0e-5;

/// A place \[m\] to a hundredth of a millimetre, so that it is short in files.
pub(crate) fn rounded(p: [f64; 3]) -> [f64; 3] {
    p.map(|c| (c / FINE).round() / (1.0 / FINE).round())
}

/// A mesh point by point.
pub(crate) fn listed(mesh: &TriMesh) -> SheetMesh {
    let points = mesh.positions.iter().map(|p| rounded(*p)).collect();
    let list = TriangleList { points, triangles: mesh.triangles.clone() };
    SheetMesh { list: Some(list), ..SheetMesh::default() }
}
