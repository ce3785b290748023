//! Triangle meshes: the shape of a cloth, a shell, a balloon.
//!
//! A triangle faces the side from which its vertices run counter-clockwise. In a sound mesh every edge has one or two
//! triangles, neighbours face the same side, every vertex is used, and nothing is degenerate. [`TriMesh::new`] and
//! [`TriMesh::validate`] check that; [`TriMesh::report`] lists all defects.

use crate::Error;
use crate::mesh::report::{self, MeshReport};

/// Points joined by triangles.
///
/// The fields are public. After editing them, call [`TriMesh::validate`] before simulating the mesh.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriMesh {
    /// The position of each vertex \[m\].
    pub positions: Vec<[f64; 3]>,
    /// The three vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// A texture coordinate for each vertex, usually in `0..=1`.
    pub uvs: Option<Vec<[f64; 2]>>,
    /// Vertices named by the generator, such as the corners of a grid; may be empty.
    pub corners: Vec<u32>,
}

impl TriMesh {
    /// Makes a mesh of positions \[m\] and triangles, or returns its first defect.
    pub fn new(positions: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        let mesh = Self { positions, triangles, ..Self::default() };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Returns the first defect as an error.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(self.report().into_result()?)
    }

    /// Returns the counts and all defects.
    pub fn report(&self) -> MeshReport {
        report::inspect_triangles(self)
    }

    /// The positions \[m\] of the vertices of one triangle.
    pub fn triangle_points(&self, triangle: usize) -> [[f64; 3]; 3] {
        self.triangles[triangle].map(|v| self.positions[v as usize])
    }

    /// Returns the same surface facing the other side.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        for t in &mut self.triangles {
            t.swap(1, 2);
        }
        self
    }
}

/// The two triangles of a quad, in the orientation `(v, u)`: they face the side from which the
/// quad's corners `[00, 10, 11, 01]` (in `uv`) run clockwise. The diagonal joins 00 and 11 if
/// `rising`, else 10 and 01.
pub(super) fn quad([a, b, c, d]: [u32; 4], rising: bool) -> [[u32; 3]; 2] {
    if rising { [[a, d, c], [a, c, b]] } else { [[a, d, b], [b, d, c]] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Grid;
    use crate::mesh::measure::triangle_normal;

    /// Accepts a mesh as the model builder does: finished or still to be generated.
    fn take(mesh: impl TryInto<TriMesh, Error: Into<Error>>) -> Result<TriMesh, Error> {
        mesh.try_into().map_err(Into::into)
    }

    #[test]
    fn a_mesh_and_a_generator_are_taken_alike() {
        let mesh = Grid::square(3).build().unwrap();
        assert_eq!(take(mesh.clone()), take(Grid::square(3)));
        assert!(take(Grid::square(1)).is_err());
    }

    #[test]
    fn a_flipped_mesh_faces_the_other_side() {
        let mesh = Grid::square(3).build().unwrap();
        assert_eq!(triangle_normal(mesh.triangle_points(0)), [0.0, 1.0, 0.0]);
        let flipped = mesh.flipped();
        assert_eq!(triangle_normal(flipped.triangle_points(0)), [0.0, -1.0, 0.0]);
        assert_eq!(flipped.validate(), Ok(()));
    }
}
