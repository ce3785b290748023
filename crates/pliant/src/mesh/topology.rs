//! Mesh connectivity: edges, half-edges, hinges, boundaries, one-rings, incidence.
//!
//! ```text
//!            c                 a hinge: edge [a, b] with a < b, opposite [c, d].
//!           / \                Triangle 0 is (a, b, c) and runs along the edge from a to b,
//!          / 0 \               triangle 1 is (b, a, d) and runs along it from b to a, as they do
//!         a-----b              wherever two neighbours face the same side.
//!          \ 1 /
//!           \ /
//!            d
//! ```
//!
//! All lists come from sorting, so they depend only on the mesh. The functions expect indices in range;
//! [`TriMesh::validate`] checks that.

use crate::mesh::components::fans;
use crate::mesh::{TetMesh, TriMesh};

/// A half-edge: one side of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HalfEdge {
    /// The ends, ascending.
    pub edge: [u32; 2],
    /// The triangle.
    pub triangle: u32,
    /// True if the triangle runs from `edge[0]` to `edge[1]`.
    pub forward: bool,
    /// The triangle's third vertex.
    pub opposite: u32,
}

/// Every side of every triangle, sorted by edge, then by triangle.
pub(super) fn half_edges(triangles: &[[u32; 3]]) -> Vec<HalfEdge> {
    let mut list = Vec::with_capacity(3 * triangles.len());
    for (t, &[a, b, c]) in triangles.iter().enumerate() {
        for [from, to, opposite] in [[a, b, c], [b, c, a], [c, a, b]] {
            let edge = [from.min(to), from.max(to)];
            list.push(HalfEdge { edge, triangle: t as u32, forward: from < to, opposite });
        }
    }
    list.sort_unstable();
    list
}

/// Two triangles that share an edge, as drawn in the [module's documentation](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hinge {
    /// The shared edge, ascending.
    pub edge: [u32; 2],
    /// The third vertex of each triangle.
    pub opposite: [u32; 2],
    /// The triangles: the first runs along the edge forwards, the second backwards.
    pub triangles: [u32; 2],
}

/// A list of numbers for each vertex, stored end to end (compressed sparse rows).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjacency {
    /// Start of each vertex's list in `items`; one more entry than there are vertices.
    pub offsets: Vec<u32>,
    /// All lists, one after the other.
    pub items: Vec<u32>,
}

impl Adjacency {
    /// The list of one vertex.
    pub fn of(&self, vertex: usize) -> &[u32] {
        &self.items[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.offsets.len() - 1
    }
}

/// Returns the edges of a triangle mesh, each once: ascending end points, sorted list.
pub fn edges(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let mut list: Vec<_> = half_edges(&mesh.triangles).iter().map(|h| h.edge).collect();
    list.dedup();
    list
}

/// Returns the edges of a tet mesh, each once: ascending end points, sorted list.
pub fn tet_edges(mesh: &TetMesh) -> Vec<[u32; 2]> {
    let mut list = Vec::with_capacity(6 * mesh.tets.len());
    for &[a, b, c, d] in &mesh.tets {
        for [p, q] in [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]] {
            list.push([p.min(q), p.max(q)]);
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Returns the pairs of triangles that share an edge, in the order of their edges.
///
/// An edge of three or more triangles has no hinge, nor has a pair that faces opposite sides: a bending angle is not
/// defined there, and [`TriMesh::validate`] rejects both.
pub fn hinges(mesh: &TriMesh) -> Vec<Hinge> {
    let list = half_edges(&mesh.triangles);
    let pairs = list.chunk_by(|a, b| a.edge == b.edge).filter_map(|group| match *group {
        [a, b] if a.forward && !b.forward => Some((a, b)),
        [a, b] if b.forward && !a.forward => Some((b, a)),
        _ => None,
    });
    pairs
        .map(|(a, b)| Hinge {
            edge: a.edge,
            opposite: [a.opposite, b.opposite],
            triangles: [a.triangle, b.triangle],
        })
        .collect()
}

/// Returns the edges with one triangle only, in the direction in which that triangle runs, so that the mesh lies to
/// their left; sorted by their ascending form.
pub fn boundary_edges(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let list = half_edges(&mesh.triangles);
    let single = list.chunk_by(|a, b| a.edge == b.edge).filter(|group| group.len() == 1);
    single
        .map(|group| {
            let [low, high] = group[0].edge;
            if group[0].forward { [low, high] } else { [high, low] }
        })
        .collect()
}

/// The triangles at each vertex, ascending.
pub fn vertex_triangles(mesh: &TriMesh) -> Adjacency {
    incidence(mesh.positions.len(), &mesh.triangles)
}

/// The tets at each vertex, ascending.
pub fn vertex_tets(mesh: &TetMesh) -> Adjacency {
    incidence(mesh.positions.len(), &mesh.tets)
}

/// The cells at each of `count` vertices, by counting sort.
fn incidence<const N: usize>(count: usize, cells: &[[u32; N]]) -> Adjacency {
    let mut offsets = vec![0_u32; count + 1];
    for &v in cells.as_flattened() {
        offsets[v as usize + 1] += 1;
    }
    for v in 0..count {
        offsets[v + 1] += offsets[v];
    }
    let mut next = offsets.clone();
    let mut items = vec![0; N * cells.len()];
    for (c, cell) in cells.iter().enumerate() {
        for &v in cell {
            items[next[v as usize] as usize] = c as u32;
            next[v as usize] += 1;
        }
    }
    Adjacency { offsets, items }
}

/// Returns the neighbours of each interior vertex, in order around it: counter-clockwise as seen from the side that the
/// triangles face, starting at the smallest. Consecutive neighbours, and the last and first, form a triangle with the
/// vertex.
///
/// The list is empty for a boundary vertex and for a non-manifold one.
pub fn rings(mesh: &TriMesh) -> Adjacency {
    let fans = vertex_triangles(mesh);
    let mut offsets = Vec::with_capacity(fans.offsets.len());
    let mut items = Vec::with_capacity(fans.items.len());
    let mut links = Vec::new();
    offsets.push(0);
    for v in 0..mesh.positions.len() {
        // A triangle (v, a, b) links a to its successor b.
        links.clear();
        for &t in fans.of(v) {
            let [a, b, c] = mesh.triangles[t as usize];
            links.push(match v as u32 {
                x if x == a => [b, c],
                x if x == b => [c, a],
                _ => [a, b],
            });
        }
        links.sort_unstable();
        append_cycle(&links, &mut items);
        offsets.push(items.len() as u32);
    }
    Adjacency { offsets, items }
}

/// Appends the vertices of sorted links `[from, to]` in order, if the links form one cycle.
fn append_cycle(links: &[[u32; 2]], items: &mut Vec<u32>) {
    let start = items.len();
    let mut here = match links.first() {
        Some(link) => link[0],
        None => return,
    };
    for _ in links {
        items.push(here);
        match links.binary_search_by_key(&here, |link| link[0]) {
            Ok(k) => here = links[k][1],
            Err(_) => return items.truncate(start),
        }
    }
    // A single cycle ends at its start and visits every vertex once.
    let mut met = items[start..].to_vec();
    met.sort_unstable();
    let whole = met.iter().zip(links).all(|(vertex, link)| *vertex == link[0]);
    if here != links[0][0] || !whole {
        items.truncate(start);
    }
}

/// True if the mesh is an oriented surface, with or without boundary: at most two triangles at every edge, facing the
/// same side, and one fan of triangles at every vertex.
///
/// [`TriMesh::report`] lists the violations.
pub fn is_manifold(mesh: &TriMesh) -> bool {
    let list = half_edges(&mesh.triangles);
    let mut groups = list.chunk_by(|a, b| a.edge == b.edge);
    groups.all(|group| match group {
        [_] => true,
        [a, b] => a.forward != b.forward,
        _ => false,
    }) && fans(mesh).iter().all(|&fans| fans <= 1)
}

/// Vertices − edges + triangles: 2 for a sphere, 1 for a disc, 0 for a torus or an open cylinder.
pub fn euler_characteristic(mesh: &TriMesh) -> i64 {
    mesh.positions.len() as i64 - edges(mesh).len() as i64 + mesh.triangles.len() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Cylinder, Grid, Icosphere, Pattern, TetBlock, Torus};

    fn two_triangles() -> TriMesh {
        let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    fn rotations([a, b, c]: [u32; 3]) -> [[u32; 3]; 3] {
        [[a, b, c], [b, c, a], [c, a, b]]
    }

    #[test]
    fn edges_are_sorted_and_single() {
        assert_eq!(edges(&two_triangles()), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]);
        let tets = TetBlock::new(1, 1, 1).build().unwrap();
        assert_eq!(tet_edges(&tets).len(), 18); // 12 of the cube, a diagonal on each of its faces
    }

    #[test]
    fn a_hinge_is_oriented_as_drawn() {
        let hinge = hinges(&two_triangles());
        // The edge 0-2 runs forwards in triangle 1 (0, 2, 3).
        let expected = Hinge { edge: [0, 2], opposite: [3, 1], triangles: [1, 0] };
        assert_eq!(hinge, [expected]);
    }

    #[test]
    fn every_hinge_of_every_shape_matches_its_triangles() {
        for mesh in [
            Grid::new(6, 5).pattern(Pattern::Irregular { seed: 3 }).build().unwrap(),
            Icosphere::new(1).build().unwrap(),
            Torus::new(1.0, 0.3).build().unwrap(),
        ] {
            let list = hinges(&mesh);
            assert_eq!(list.len(), edges(&mesh).len() - boundary_edges(&mesh).len());
            for Hinge { edge: [a, b], opposite: [c, d], triangles: [s, t] } in list {
                assert!(a < b);
                assert!(rotations(mesh.triangles[s as usize]).contains(&[a, b, c]));
                assert!(rotations(mesh.triangles[t as usize]).contains(&[b, a, d]));
            }
        }
    }

    #[test]
    fn the_boundary_has_the_mesh_on_its_left() {
        assert_eq!(boundary_edges(&two_triangles()), [[0, 1], [3, 0], [1, 2], [2, 3]]);
        assert!(boundary_edges(&Icosphere::new(1).build().unwrap()).is_empty());
    }

    #[test]
    fn incidence_lists_every_corner_once() {
        let mesh = Grid::new(4, 3).build().unwrap();
        let list = vertex_triangles(&mesh);
        assert_eq!(list.vertex_count(), 12);
        assert_eq!(list.items.len(), 3 * mesh.triangles.len());
        for v in 0..12 {
            assert!(list.of(v).is_sorted());
            assert!(list.of(v).iter().all(|&t| mesh.triangles[t as usize].contains(&(v as u32))));
        }
    }

    #[test]
    fn rings_are_closed_cycles_around_interior_vertices_only() {
        for mesh in [
            Grid::new(7, 6).pattern(Pattern::Irregular { seed: 11 }).build().unwrap(),
            Icosphere::new(2).build().unwrap(),
            Cylinder::new(1.0, 2.0).build().unwrap(),
        ] {
            let (rings, fans) = (rings(&mesh), vertex_triangles(&mesh));
            let boundary = boundary_edges(&mesh);
            for v in 0..mesh.positions.len() {
                let ring = rings.of(v);
                if boundary.as_flattened().contains(&(v as u32)) {
                    assert!(ring.is_empty());
                    continue;
                }
                assert_eq!(ring.len(), fans.of(v).len());
                for k in 0..ring.len() {
                    let wanted = [v as u32, ring[k], ring[(k + 1) % ring.len()]];
                    let has = |t: u32| rotations(mesh.triangles[t as usize]).contains(&wanted);
                    let found = fans.of(v).iter().any(|&t| has(t));
                    assert!(found, "vertex {v}: {wanted:?} is not a triangle");
                }
            }
        }
    }

    #[test]
    fn two_cycles_around_one_vertex_are_no_ring() {
        let mut items = Vec::new();
        append_cycle(&[[1, 2], [2, 3], [3, 1], [4, 5], [5, 6], [6, 4]], &mut items);
        assert!(items.is_empty());
        append_cycle(&[[1, 2], [2, 3], [3, 1]], &mut items);
        assert_eq!(items, [1, 2, 3]);
    }

    #[test]
    fn manifolds_and_others() {
        assert!(is_manifold(&two_triangles()));
        assert!(is_manifold(&Torus::new(1.0, 0.4).build().unwrap()));
        let mesh = |triangles: Vec<[u32; 3]>| TriMesh {
            positions: vec![[0.0; 3]; 5],
            triangles,
            ..TriMesh::default()
        };
        assert!(!is_manifold(&mesh(vec![[0, 1, 2], [0, 1, 3]]))); // opposite sides
        assert!(!is_manifold(&mesh(vec![[0, 1, 2], [1, 0, 3], [1, 0, 4]]))); // three at an edge
        assert!(!is_manifold(&mesh(vec![[0, 1, 2], [2, 3, 4]]))); // two fans
    }

    #[test]
    fn euler_characteristics() {
        assert_eq!(euler_characteristic(&Icosphere::new(2).build().unwrap()), 2);
        assert_eq!(euler_characteristic(&Torus::new(1.0, 0.4).build().unwrap()), 0);
        assert_eq!(euler_characteristic(&Grid::new(9, 5).build().unwrap()), 1);
        assert_eq!(euler_characteristic(&Cylinder::new(1.0, 1.0).build().unwrap()), 0);
        assert_eq!(euler_characteristic(&Cylinder::new(1.0, 1.0).closed().build().unwrap()), 2);
    }
}
