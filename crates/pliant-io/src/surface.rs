//! A surface as its file holds it: what comes in is what goes out.
//!
//! Simulation wants every vertex once; a textured file has a vertex twice along a seam, or keeps the
//! texture in an array of its own. A [`Surface`] is the file's view, in the file's order. What is
//! simulated is made from it, with a map back.

use serde::{Deserialize, Serialize};

/// Triangles as a file lists them, with all that must survive a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// The object's name in the file; may be empty.
    pub name: String,
    /// Where each vertex is \[m\], in the order of the file.
    pub positions: Vec<[f64; 3]>,
    /// The three vertices of each triangle; polygons of the file were cut into fans.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates, if the file has them.
    pub uvs: Option<Uvs>,
    /// Named parts: the groups or materials of the file.
    pub groups: Vec<Group>,
}

/// Texture coordinates with indices of their own: a vertex on a seam has several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Uvs {
    /// The coordinates.
    pub values: Vec<[f64; 2]>,
    /// For each triangle, the coordinate of each corner.
    pub corners: Vec<[u32; 3]>,
}

/// A named set of triangles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its name in the file.
    pub name: String,
    /// The triangles, ascending.
    pub triangles: Vec<u32>,
}
