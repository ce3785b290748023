//! Parts of meshes on which elements stand.

use crate::mesh::measure::{distance, tet_volume, triangle_area};
use crate::mesh::{SpringNetwork, StrandMesh, TetMesh, TriMesh, topology};

/// Part of a mesh that an element stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stencil {
    /// A vertex.
    Vertex,
    /// The two ends of an edge.
    Edge,
    /// A triangle.
    Triangle,
    /// The opposite corners of two triangles, and the two ends of the edge between them.
    Hinge,
    /// A tetrahedron.
    Tet,
    /// Vertices that no mesh lists: only particular bodies have them.
    Custom,
}

impl Stencil {
    /// Length \[m\] of an edge, area \[m²\] of a triangle, volume \[m³\] of a tetrahedron; otherwise 1.
    pub fn measure(self, points: &[[f64; 3]]) -> f64 {
        match (self, points) {
            (Self::Edge, &[a, b]) => distance(a, b),
            (Self::Triangle, &[a, b, c]) => triangle_area([a, b, c]),
            (Self::Tet, &[a, b, c, d]) => tet_volume([a, b, c, d]).abs(),
            _ => 1.0,
        }
    }
}

/// A mesh that lists its stencils.
pub trait HasStencils {
    /// Positions of the vertices \[m\].
    fn positions(&self) -> &[[f64; 3]];
    /// Vertices of all stencils of a kind, one after the other; empty if the mesh has none.
    fn stencils(&self, stencil: Stencil) -> Vec<u32>;
}

fn vertices(positions: &[[f64; 3]]) -> Vec<u32> {
    (0..positions.len() as u32).collect()
}

impl HasStencils for TriMesh {
    fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    fn stencils(&self, stencil: Stencil) -> Vec<u32> {
        match stencil {
            Stencil::Vertex => vertices(&self.positions),
            Stencil::Edge => topology::edges(self).concat(),
            Stencil::Triangle => self.triangles.concat(),
            Stencil::Hinge => {
                let hinges = topology::hinges(self);
                hinges.iter().flat_map(|h| [h.opposite, h.edge].concat()).collect()
            }
            Stencil::Tet | Stencil::Custom => Vec::new(),
        }
    }
}

impl HasStencils for TetMesh {
    fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    fn stencils(&self, stencil: Stencil) -> Vec<u32> {
        match stencil {
            Stencil::Vertex => vertices(&self.positions),
            Stencil::Edge => topology::tet_edges(self).concat(),
            Stencil::Triangle | Stencil::Hinge => {
                let (positions, triangles) = (self.positions.clone(), self.surface());
                TriMesh { positions, triangles, ..TriMesh::default() }.stencils(stencil)
            }
            Stencil::Tet => self.tets.concat(),
            Stencil::Custom => Vec::new(),
        }
    }
}

impl HasStencils for StrandMesh {
    fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    fn stencils(&self, stencil: Stencil) -> Vec<u32> {
        match stencil {
            Stencil::Vertex => vertices(&self.positions),
            Stencil::Edge => self.segments.concat(),
            _ => Vec::new(),
        }
    }
}

impl HasStencils for SpringNetwork {
    fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    fn stencils(&self, stencil: Stencil) -> Vec<u32> {
        match stencil {
            Stencil::Vertex => vertices(&self.positions),
            Stencil::Edge => self.springs.concat(),
            Stencil::Triangle | Stencil::Hinge => {
                let (positions, triangles) = (self.positions.clone(), self.triangles.clone());
                TriMesh { positions, triangles, ..TriMesh::default() }.stencils(stencil)
            }
            Stencil::Tet | Stencil::Custom => Vec::new(),
        }
    }
}
