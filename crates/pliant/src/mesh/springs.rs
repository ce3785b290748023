//! Spring networks: points joined by springs, the bodies of mass-spring systems.
//!
//! A network comes from a generator ([`Curtain`](crate::mesh::Curtain)), from a triangle mesh (springs along its edges
//! resist stretching, springs across its hinges resist bending) or from a tet mesh (springs along its edges).

use crate::Error;
use crate::mesh::measure::edge_lengths;
use crate::mesh::report::{check_corners, check_finite, check_indices, check_size};
use crate::mesh::topology::{edges, hinges, tet_edges};
use crate::mesh::validate::{Cell, MeshError};
use crate::mesh::{TetMesh, TriMesh};

/// The deformation that a spring resists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpringKind {
    /// Stretch.
    Structural,
    /// Shear.
    Shear,
    /// Bending.
    Bend,
}

/// Points joined by springs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpringNetwork {
    /// The position of each vertex \[m\].
    pub positions: Vec<[f64; 3]>,
    /// The two ends of each spring.
    pub springs: Vec<[u32; 2]>,
    /// The kind of each spring.
    pub kinds: Vec<SpringKind>,
    /// Triangles for rendering; they exert no force.
    pub triangles: Vec<[u32; 3]>,
    /// Vertices named by the generator; may be empty.
    pub corners: Vec<u32>,
}

impl SpringNetwork {
    /// Makes a structural spring along every edge, and a bend spring between the two opposite vertices of every hinge,
    /// unless an edge or another hinge already joins them.
    pub fn from_tri_mesh(mesh: &TriMesh) -> Self {
        let structural = edges(mesh);
        let mut bend: Vec<_> = hinges(mesh)
            .iter()
            .map(|hinge| {
                let [a, b] = hinge.opposite;
                [a.min(b), a.max(b)]
            })
            .filter(|pair| structural.binary_search(pair).is_err())
            .collect();
        bend.sort_unstable();
        bend.dedup();
        Self::from_kinds(mesh, [(SpringKind::Structural, structural), (SpringKind::Bend, bend)])
    }

    /// Makes a structural spring along every edge; the triangles are those of the surface.
    pub fn from_tet_mesh(mesh: &TetMesh) -> Self {
        let springs = tet_edges(mesh);
        Self {
            positions: mesh.positions.clone(),
            kinds: vec![SpringKind::Structural; springs.len()],
            springs,
            triangles: mesh.surface(),
            corners: mesh.corners.clone(),
        }
    }

    /// Builds a network from the vertices of a mesh and one list of springs for each kind.
    pub(super) fn from_kinds<const N: usize>(
        mesh: &TriMesh,
        lists: [(SpringKind, Vec<[u32; 2]>); N],
    ) -> Self {
        let mut network = Self {
            positions: mesh.positions.clone(),
            triangles: mesh.triangles.clone(),
            corners: mesh.corners.clone(),
            ..Self::default()
        };
        for (kind, list) in lists {
            network.kinds.extend(std::iter::repeat_n(kind, list.len()));
            network.springs.extend(list);
        }
        network
    }

    /// The rest length \[m\] of each spring.
    pub fn rest_lengths(&self) -> Vec<f64> {
        edge_lengths(&self.positions, &self.springs)
    }

    /// Number of springs of a kind.
    pub fn count(&self, kind: SpringKind) -> usize {
        self.kinds.iter().filter(|k| **k == kind).count()
    }

    /// Returns the first defect as an error.
    pub fn validate(&self) -> Result<(), Error> {
        let count = self.positions.len();
        check_size(count, self.springs.len())?;
        if self.kinds.len() != self.springs.len() {
            let (kinds, springs) = (self.kinds.len(), self.springs.len());
            return Err(MeshError::KindCount { kinds, springs }.into());
        }
        let mut problems = Vec::new();
        check_indices(count, &self.springs, Cell::Segment, &mut problems);
        check_indices(count, &self.triangles, Cell::Triangle, &mut problems);
        check_finite(&self.positions, &mut problems);
        check_corners(count, &self.corners, &mut problems);
        if let Some(problem) = problems.into_iter().next() {
            return Err(problem.into());
        }
        for (segment, length) in self.rest_lengths().into_iter().enumerate() {
            if length <= 0.0 || !length.is_finite() {
                return Err(MeshError::DegenerateSegment { segment, length }.into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Grid, Icosphere, TetBlock};

    #[test]
    fn a_sheet_bends_across_its_hinges() {
        let network = SpringNetwork::from_tri_mesh(&Grid::square(2).build().unwrap());
        assert_eq!(network.springs, [[0, 1], [0, 2], [0, 3], [1, 3], [2, 3], [1, 2]]);
        assert_eq!(network.kinds[5], SpringKind::Bend);
        assert_eq!(network.count(SpringKind::Structural), 5);
        assert_eq!(network.corners, [0, 1, 3, 2]);
        assert_eq!(network.validate(), Ok(()));
        assert!((network.rest_lengths()[5] - 2.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn no_spring_is_doubled() {
        // On a tetrahedron the vertices opposite a hinge are already joined by an edge.
        let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let tet = TetMesh::new(positions, vec![[0, 1, 2, 3]]).unwrap();
        let network = SpringNetwork::from_tri_mesh(&tet.surface_mesh().0);
        assert_eq!(network.springs.len(), 6);
        for mesh in [Icosphere::new(0), Icosphere::new(2)] {
            let network = SpringNetwork::from_tri_mesh(&mesh.build().unwrap());
            let mut springs = network.springs.clone();
            springs.sort_unstable();
            springs.dedup();
            assert_eq!(springs.len(), network.springs.len());
            assert_eq!(network.validate(), Ok(()));
        }
    }

    #[test]
    fn a_solid_has_its_edges() {
        let network = SpringNetwork::from_tet_mesh(&TetBlock::new(1, 1, 1).build().unwrap());
        assert_eq!((network.springs.len(), network.triangles.len()), (18, 12));
        assert_eq!(network.validate(), Ok(()));
    }

    #[test]
    fn broken_networks_are_refused() {
        let sound = SpringNetwork::from_tri_mesh(&Grid::square(2).build().unwrap());
        let refusal = |edit: fn(&mut SpringNetwork)| {
            let mut network = sound.clone();
            edit(&mut network);
            match network.validate() {
                Err(Error::Mesh(error)) => error,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(refusal(|n| n.kinds.truncate(2)), MeshError::KindCount { kinds: 2, springs: 6 });
        assert_eq!(
            refusal(|n| n.springs[3] = [0, 8]),
            MeshError::IndexOutOfRange { cell: Cell::Segment(3), vertex: 8, count: 4 }
        );
        assert_eq!(
            refusal(|n| n.springs[2] = [1, 1]),
            MeshError::RepeatedIndex { cell: Cell::Segment(2), vertex: 1 }
        );
        assert_eq!(
            refusal(|n| n.positions[1] = n.positions[0]),
            MeshError::DegenerateSegment { segment: 0, length: 0.0 }
        );
        assert_eq!(refusal(|n| n.positions[2][0] = f64::NAN), MeshError::NotFinite { vertex: 2 });
    }
}
