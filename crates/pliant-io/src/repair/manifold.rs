//! Splitting of nonmanifold edges and vertices.
//!
//! Corners of triangles are joined across edges of two triangles, but not across edges of more. Every set of
//! joined corners is one fan and gets its own vertex (Guéziec, Taubin, Lazarus, Horn: "Cutting and stitching",
//! 2001, global cutting). The fans around a vertex are then paths or cycles, so no edge keeps more than two
//! triangles.

use std::collections::BTreeMap;

use pliant::mesh::components::UnionFind;

/// Result of splitting.
pub(super) struct Cut {
    /// Triangles; copied vertices have indices after all others.
    pub triangles: Vec<[u32; 3]>,
    /// Source vertex of each copy.
    pub copied_from: Vec<u32>,
    /// Edges that had more than two triangles, ascending.
    pub edges: Vec<[u32; 2]>,
    /// Vertices that were copied, ascending.
    pub vertices: Vec<u32>,
}

/// Side of a triangle: its vertices, ascending, and its index, three times the triangle plus the corner where
/// it starts.
pub(super) type Side = ([u32; 2], u32);

/// Returns all sides of all triangles, sorted.
pub(super) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut list = Vec::with_capacity(3 * triangles.len());
    for (t, triangle) in (0..).zip(triangles) {
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            list.push(([a.min(b), a.max(b)], 3 * t + k as u32));
        }
    }
    list.sort_unstable();
    list
}

/// Gives every fan its own copy of its vertex; the first fan keeps the original.
pub(super) fn cut(vertex_count: usize, triangles: &[[u32; 3]]) -> Cut {
    let sides = sides(triangles);
    let mut edges = Vec::new();
    let mut fans = UnionFind::new(3 * triangles.len());
    for group in sides.chunk_by(|a, b| a.0 == b.0) {
        match *group {
            [] | [_] => {}
            [(ends, a), (_, b)] => {
                for end in ends {
                    fans.union(corner_at(triangles, a, end), corner_at(triangles, b, end));
                }
            }
            [(ends, _), ..] => edges.push(ends),
        }
    }
    // Each root is the smallest of its set, so the fan of the first corner comes first.
    let mut taken = vec![false; vertex_count];
    let mut copied_from = Vec::new();
    let mut copy_of_root = BTreeMap::new();
    let mut result = triangles.to_vec();
    for (corner, vertex) in (0..).zip(result.as_flattened_mut()) {
        let root = fans.find(corner);
        if root == corner {
            let original = *vertex as usize;
            if taken[original] {
                copy_of_root.insert(root, (vertex_count + copied_from.len()) as u32);
                copied_from.push(*vertex);
            }
            taken[original] = true;
        }
        if let Some(&copy) = copy_of_root.get(&root) {
            *vertex = copy;
        }
    }
    let mut vertices = copied_from.clone();
    vertices.sort_unstable();
    vertices.dedup();
    Cut { triangles: result, copied_from, edges, vertices }
}

/// Corner of a side's triangle at one of its ends.
fn corner_at(triangles: &[[u32; 3]], side: u32, vertex: u32) -> u32 {
    let (t, k) = (side / 3, side % 3);
    if triangles[t as usize][k as usize] == vertex { side } else { 3 * t + (k + 1) % 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_stays_whole() {
        let triangles = [[0, 1, 2], [2, 1, 3]];
        let cut = cut(4, &triangles);
        assert_eq!(cut.triangles, triangles);
        assert!(cut.copied_from.is_empty() && cut.edges.is_empty());
    }

    #[test]
    fn three_sheets_at_an_edge_come_apart() {
        let cut = cut(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
        assert_eq!(cut.edges, [[0, 1]]);
        assert_eq!(cut.vertices, [0, 1]);
        assert_eq!(cut.triangles, [[0, 1, 2], [5, 6, 3], [7, 8, 4]]);
        assert_eq!(cut.copied_from, [1, 0, 0, 1]);
    }

    #[test]
    fn two_fans_at_a_vertex_come_apart() {
        let cut = cut(5, &[[0, 1, 2], [0, 3, 4]]);
        assert_eq!((cut.edges.len(), cut.vertices), (0, vec![0]));
        assert_eq!(cut.triangles, [[0, 1, 2], [5, 3, 4]]);
    }

    #[test]
    fn a_fin_on_a_closed_surface_leaves_the_surface_closed() {
        // A tetrahedron and a triangle on its edge 0-1.
        let cut = cut(5, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [0, 1, 4]]);
        let count = |group: &[Side]| group.len();
        let sides = sides(&cut.triangles);
        let most = sides.chunk_by(|a, b| a.0 == b.0).map(count).max();
        assert_eq!(most, Some(2));
        assert_eq!(cut.triangles[..4], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
        assert_eq!(cut.triangles[4], [5, 6, 4]);
    }
}
