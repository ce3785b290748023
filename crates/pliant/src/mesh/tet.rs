//! Tetrahedral meshes: the shape of a solid.
//!
//! ```text
//!        3
//!       /|\         A tet (0, 1, 2, 3) is positive if (x1 − x0) · (x2 − x0) × (x3 − x0) > 0:
//!      / | \        seen from vertex 3, the vertices 0, 1, 2 run counter-clockwise.
//!     0--|--2       Its outward faces are (0 2 1), (0 1 3), (0 3 2), (1 2 3).
//!      \ | /
//!       \|/
//!        1
//! ```
//!
//! In a sound mesh every tet is positive and every face belongs to one tet (the surface) or to two, one on either side.
//! Meshes with left-handed tets go through [`TetMesh::oriented`].

use crate::Error;
use crate::mesh::TriMesh;
use crate::mesh::measure::tet_volume;
use crate::mesh::report::{self, MeshReport};

/// Points joined by tetrahedra.
///
/// The fields are public. After editing them, call [`TetMesh::validate`] before simulating the mesh.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetMesh {
    /// The position of each vertex \[m\].
    pub positions: Vec<[f64; 3]>,
    /// The four vertices of each tet.
    pub tets: Vec<[u32; 4]>,
    /// Vertices named by the generator, such as the corners of a block; may be empty.
    pub corners: Vec<u32>,
}

/// One side of a tet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TetFace {
    /// The vertices, ascending.
    pub key: [u32; 3],
    /// Four times the tet, plus the number of the face in the tet.
    pub id: usize,
    /// True if the ascending order runs counter-clockwise as seen from outside the tet.
    pub outward: bool,
}

impl TetFace {
    /// The tet that has this face.
    pub(super) fn tet(&self) -> usize {
        self.id / 4
    }
}

/// Every face of every tet, sorted by vertices, then by tet.
pub(super) fn tet_faces(tets: &[[u32; 4]]) -> Vec<TetFace> {
    let mut list = Vec::with_capacity(4 * tets.len());
    for (t, &tet) in tets.iter().enumerate() {
        for (k, face) in outward_faces(tet).into_iter().enumerate() {
            let mut key = face;
            key.sort_unstable();
            // A rotation of the ascending order has exactly one descending step.
            let falls = (0..3).filter(|&i| face[i] > face[(i + 1) % 3]).count();
            list.push(TetFace { key, id: 4 * t + k, outward: falls == 1 });
        }
    }
    list.sort_unstable();
    list
}

/// The faces of a positive tet, counter-clockwise as seen from outside.
fn outward_faces([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 4] {
    [[a, c, b], [a, b, d], [a, d, c], [b, c, d]]
}

impl TetMesh {
    /// Makes a mesh of positions \[m\] and positive tets, or returns its first defect.
    pub fn new(positions: Vec<[f64; 3]>, tets: Vec<[u32; 4]>) -> Result<Self, Error> {
        let mesh = Self { positions, tets, corners: Vec::new() };
        mesh.validate()?;
        Ok(mesh)
    }

    /// As [`TetMesh::new`], but first makes left-handed tets positive.
    pub fn oriented(positions: Vec<[f64; 3]>, tets: Vec<[u32; 4]>) -> Result<Self, Error> {
        let mut mesh = Self { positions, tets, corners: Vec::new() };
        mesh.orient();
        mesh.validate()?;
        Ok(mesh)
    }

    /// Makes every left-handed tet positive by swapping its last two vertices, and returns the number of such tets.
    /// Tets with indices out of range are left unchanged.
    pub fn orient(&mut self) -> usize {
        let mut turned = 0;
        for tet in &mut self.tets {
            let points = tet.map(|v| self.positions.get(v as usize).copied());
            if let [Some(a), Some(b), Some(c), Some(d)] = points
                && tet_volume([a, b, c, d]) < 0.0
            {
                tet.swap(2, 3);
                turned += 1;
            }
        }
        turned
    }

    /// Returns the first defect as an error.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(self.report().into_result()?)
    }

    /// Returns the counts and all defects.
    pub fn report(&self) -> MeshReport {
        report::inspect_tets(self)
    }

    /// The positions \[m\] of the vertices of one tet.
    pub fn tet_points(&self, tet: usize) -> [[f64; 3]; 4] {
        self.tets[tet].map(|v| self.positions[v as usize])
    }

    /// The faces that belong to one tet only, facing outwards, in the order of their tets.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let list = tet_faces(&self.tets);
        let single = list.chunk_by(|a, b| a.key == b.key).filter(|group| group.len() == 1);
        let mut ids: Vec<_> = single.map(|group| group[0].id).collect();
        ids.sort_unstable();
        ids.iter().map(|id| outward_faces(self.tets[id / 4])[id % 4]).collect()
    }

    /// The surface as a separate mesh, and for each of its vertices the vertex of this mesh.
    ///
    /// It is not validated: two tets that share only an edge have a non-manifold surface.
    pub fn surface_mesh(&self) -> (TriMesh, Vec<u32>) {
        let mut triangles = self.surface();
        let mut vertices = triangles.as_flattened().to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let mut number = vec![0; self.positions.len()];
        for (k, &v) in vertices.iter().enumerate() {
            number[v as usize] = k as u32;
        }
        for v in triangles.as_flattened_mut() {
            *v = number[*v as usize];
        }
        let positions = vertices.iter().map(|&v| self.positions[v as usize]).collect();
        (TriMesh { positions, triangles, ..TriMesh::default() }, vertices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TetBlock;
    use crate::mesh::measure::{enclosed_volume, tet_volumes};
    use crate::mesh::topology::euler_characteristic;

    const UNIT: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn the_faces_of_a_tet_face_outwards() {
        let mesh = TetMesh::new(UNIT.to_vec(), vec![[0, 1, 2, 3]]).unwrap();
        assert_eq!(mesh.surface(), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
        let (surface, vertices) = mesh.surface_mesh();
        assert_eq!(vertices, [0, 1, 2, 3]);
        assert_eq!(surface.validate(), Ok(()));
        assert!((enclosed_volume(&surface) - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn left_handed_tets_are_refused_or_turned() {
        assert!(TetMesh::new(UNIT.to_vec(), vec![[0, 2, 1, 3]]).is_err());
        let mesh = TetMesh::oriented(UNIT.to_vec(), vec![[0, 2, 1, 3]]).unwrap();
        assert_eq!(mesh.tets, [[0, 2, 3, 1]]);
        assert!(TetMesh::oriented(UNIT.to_vec(), vec![[0, 2, 1, 9]]).is_err());
    }

    #[test]
    fn the_surface_of_a_block_is_a_closed_box() {
        let mesh = TetBlock::new(3, 2, 4).size([3.0, 2.0, 4.0]).build().unwrap();
        let (surface, vertices) = mesh.surface_mesh();
        assert_eq!(surface.validate(), Ok(()));
        assert_eq!(euler_characteristic(&surface), 2);
        assert_eq!(surface.triangles.len(), 2 * 2 * (3 * 2 + 2 * 4 + 4 * 3));
        assert_eq!(vertices.len(), 4 * 3 * 5 - 2 * 3); // all but the interior vertices
        let inside: f64 = tet_volumes(&mesh).iter().sum();
        assert!((inside - 24.0).abs() < 1e-12);
        assert!((enclosed_volume(&surface) - 24.0).abs() < 1e-12);
    }
}
