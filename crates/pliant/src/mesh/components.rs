//! Connected components of a mesh, by union–find.
//!
//! Components are numbered in the order of their smallest vertex, so the numbering depends only on the mesh. The same
//! structure, run over triangle corners instead of vertices, counts the fans of triangles around each vertex: a
//! manifold vertex has one.

use crate::mesh::topology::{HalfEdge, half_edges};
use crate::mesh::{TetMesh, TriMesh};

/// The connected components of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// Number of components.
    pub count: usize,
    /// The component of each vertex, in `0..count`. An isolated vertex is a component of its own.
    pub of_vertex: Vec<u32>,
}

/// Returns the components of a triangle mesh: vertices joined by triangles.
pub fn components(mesh: &TriMesh) -> Components {
    pieces(mesh.positions.len(), &mesh.triangles)
}

/// Returns the components of a tet mesh: vertices joined by tets.
pub fn tet_components(mesh: &TetMesh) -> Components {
    pieces(mesh.positions.len(), &mesh.tets)
}

/// Returns the components into which cells join `count` vertices.
pub(super) fn pieces<const N: usize>(count: usize, cells: &[[u32; N]]) -> Components {
    let mut sets = UnionFind::new(count);
    for cell in cells {
        for k in 1..N {
            sets.union(cell[0], cell[k]);
        }
    }
    // A root is the smallest member of its set, so it is always numbered before the others.
    let mut of_vertex = vec![0; count];
    let mut pieces = 0;
    for v in 0..count {
        let root = sets.find(v as u32) as usize;
        if root == v {
            of_vertex[v] = pieces;
            pieces += 1;
        } else {
            of_vertex[v] = of_vertex[root];
        }
    }
    Components { count: pieces as usize, of_vertex }
}

/// Number of fans of edge-connected triangles at each vertex: zero for an isolated vertex, one for a manifold vertex.
pub fn fans(mesh: &TriMesh) -> Vec<u32> {
    fan_counts(mesh.positions.len(), &mesh.triangles, &half_edges(&mesh.triangles))
}

/// [`fans`] for triangles whose sorted half-edges are given.
pub(super) fn fan_counts(count: usize, triangles: &[[u32; 3]], sorted: &[HalfEdge]) -> Vec<u32> {
    // Corner k of triangle t is number 3t + k; triangles that share an edge join both its corners.
    let corner = |h: &HalfEdge, vertex: u32| {
        let t = triangles[h.triangle as usize];
        3 * h.triangle + if t[0] == vertex { 0 } else { 1 + u32::from(t[1] != vertex) }
    };
    let mut sets = UnionFind::new(3 * triangles.len());
    for pair in sorted.windows(2) {
        if pair[0].edge == pair[1].edge {
            for v in pair[0].edge {
                sets.union(corner(&pair[0], v), corner(&pair[1], v));
            }
        }
    }
    let mut fans = vec![0; count];
    for (c, &vertex) in triangles.as_flattened().iter().enumerate() {
        if sets.find(c as u32) as usize == c {
            fans[vertex as usize] += 1;
        }
    }
    fans
}

/// Disjoint sets of `u32`. The representative of each set is its smallest member.
#[derive(Clone, Debug, Default)]
pub struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// Returns `count` sets of one member each.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Returns the smallest member of the set of `x`, with path compression.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let up = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = up;
            x = up;
        }
        x
    }

    /// Returns the smallest member of the set of `x`, without path compression.
    pub fn root(&self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            x = self.parent[x as usize];
        }
        x
    }

    /// Merges the sets of `a` and `b`.
    pub fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Number of members of all sets.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// True if there are no members.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Separates all sets into sets of one member each.
    pub fn reset(&mut self) {
        (0..).zip(&mut self.parent).for_each(|(member, parent)| *parent = member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Grid, TetBlock};

    #[test]
    fn pieces_are_numbered_by_their_smallest_vertex() {
        let c = pieces(7, &[[5_u32, 1], [6, 0], [1, 3]]);
        assert_eq!(c.of_vertex, [0, 1, 2, 1, 3, 1, 0]);
        assert_eq!(c.count, 4);
    }

    #[test]
    fn generated_meshes_are_in_one_piece() {
        assert_eq!(components(&Grid::new(5, 4).build().unwrap()).count, 1);
        assert_eq!(tet_components(&TetBlock::new(2, 3, 1).build().unwrap()).count, 1);
    }

    #[test]
    fn a_vertex_where_two_triangles_touch_has_two_fans() {
        // Vertex 2 joins two triangles; vertex 5 is isolated.
        let mesh = TriMesh {
            positions: vec![[0.0; 3]; 6],
            triangles: vec![[0, 1, 2], [2, 3, 4]],
            ..TriMesh::default()
        };
        assert_eq!(fans(&mesh), [1, 1, 2, 1, 1, 0]);
        assert!(fans(&Grid::square(4).build().unwrap()).iter().all(|&f| f == 1));
    }
}
