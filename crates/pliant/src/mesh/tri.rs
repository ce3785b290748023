//! Triangle meshes: the shape of a cloth, a shell, a balloon.
//!
//! The side from which a triangle's vertices run counter-clockwise is the side that it faces.
//! In a sound mesh every edge has one or two triangles, neighbours face the same side, every
//! vertex is used, and nothing is degenerate; [`TriMesh::new`] and [`TriMesh::validate`] see to
//! that, [`TriMesh::report`] lists all that is wrong.

use super::report::{self, MeshReport};
use crate::Error;

/// Points joined by triangles.
///
/// The fields are open, to build and to edit; whoever does so calls [`TriMesh::validate`] before
/// the mesh is simulated.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriMesh {
    /// Where each vertex is \[m\].
    pub positions: Vec<[f64; 3]>,
    /// The three vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// A texture coordinate for each vertex, mostly in `0..=1`.
    pub uvs: Option<Vec<[f64; 2]>>,
    /// Vertices that the generator names, such as the corners of a grid; may be empty.
    pub corners: Vec<u32>,
}

impl TriMesh {
    /// A mesh of positions \[m\] and triangles, if it is sound.
    pub fn new(positions: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        let mesh = Self { positions, triangles, ..Self::default() };
        mesh.validate()?;
        Ok(mesh)
    }

    /// The first defect, if there is one.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(self.report().into_result()?)
    }

    /// The counts and all defects.
    pub fn report(&self) -> MeshReport {
        report::inspect_triangles(self)
    }

    /// The corners of one triangle \[m\].
    pub fn triangle_points(&self, triangle: usize) -> [[f64; 3]; 3] {
        self.triangles[triangle].map(|v| self.positions[v as usize])
    }

    /// The same surface facing the other side.
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

    /// As a builder of models takes meshes: finished or still to be generated.
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
