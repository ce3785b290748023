//! Topology of one body's surface that can split: half-edges linked in rings around each edge, fans of
//! triangles around vertices, split half-edges and removed triangles.
//!
//! Half-edge `3 t + k` of triangle `t` goes from corner `k` to the next.

use crate::mesh::measure::{distance, triangle_area};
use crate::model::BodyInfo;

/// Triangles of one body and their connectivity.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceTopology {
    /// Vertices of the body in the original model.
    pub(super) vertices: std::ops::Range<usize>,
    /// Triangles in the original numbering.
    pub(super) original_triangles: Vec<[u32; 3]>,
    /// Triangles in the current numbering.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Next half-edge of the same edge, in a ring; on a boundary the half-edge itself.
    pub(super) next_twin: Vec<u32>,
    pub(super) split_half_edges: Vec<bool>,
    /// Triangles with a broken edge.
    pub(super) removed: Vec<bool>,
    /// Areas of triangles and lengths of half-edges at rest \[m², m\].
    pub(super) rest_areas: Vec<f64>,
    pub(super) rest_lengths: Vec<f64>,
    /// Triangles at each vertex, split vertices last; and those in the original model.
    pub(super) vertex_triangles: Vec<Vec<u32>>,
    pub(super) original_vertex_triangles: Vec<Vec<u32>>,
    /// Vertices created by splits, ascending.
    pub(super) split_vertices: Vec<u32>,
    /// For each vertex of the original model, true if it has split.
    pub(super) has_split: Vec<bool>,
    pub(super) any_removed: bool,
}

impl SurfaceTopology {
    pub(super) fn new(info: &BodyInfo, rest: &[[f64; 3]]) -> Self {
        let triangles = info.triangles.clone();
        let first = info.vertices.start as u32;
        let at = |v: u32| rest[v as usize];
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        let mut length = Vec::with_capacity(3 * triangles.len());
        let mut home = vec![Vec::new(); info.vertices.len()];
        for (t, triangle) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], (3 * t + k) as u32));
                length.push(distance(at(a), at(b)));
                home[(triangle[k] - first) as usize].push(t as u32);
            }
        }
        sides.sort_unstable();
        let mut ring = vec![0; sides.len()];
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            for (i, (_, side)) in group.iter().enumerate() {
                ring[*side as usize] = group[(i + 1) % group.len()].1;
            }
        }
        Self {
            vertices: info.vertices.clone(),
            triangles: triangles.clone(),
            split_half_edges: vec![false; ring.len()],
            removed: vec![false; triangles.len()],
            rest_areas: triangles.iter().map(|t| triangle_area(t.map(at))).collect(),
            rest_lengths: length,
            vertex_triangles: home.clone(),
            split_vertices: Vec::new(),
            has_split: vec![false; home.len()],
            any_removed: false,
            original_vertex_triangles: home,
            original_triangles: triangles,
            next_twin: ring,
        }
    }

    /// Number of half-edges.
    pub fn half_edge_count(&self) -> u32 {
        self.next_twin.len() as u32
    }

    /// True if a half-edge is the representative of its edge; never if its triangle was removed.
    pub fn is_representative(&self, side: u32) -> bool {
        !self.removed[side as usize / 3] && self.twins(side).all(|n| side < n)
    }

    /// Iterates over the other half-edges of the same edge that are still connected to a half-edge.
    pub fn twins(&self, side: u32) -> impl Iterator<Item = u32> + '_ {
        let severed = self.split_half_edges[side as usize];
        let mut next = self.next_twin[side as usize];
        std::iter::from_fn(move || {
            while next != side && !severed {
                let found = next;
                next = self.next_twin[next as usize];
                if !self.split_half_edges[found as usize] {
                    return Some(found);
                }
            }
            None
        })
    }

    /// Current vertices of a half-edge.
    pub fn half_edge_vertices(&self, side: u32) -> [u32; 2] {
        let (corners, k) = (&self.triangles[side as usize / 3], side as usize % 3);
        [corners[k], corners[(k + 1) % 3]]
    }

    /// Rest length of a half-edge \[m\].
    pub fn rest_length(&self, side: u32) -> f64 {
        self.rest_lengths[side as usize]
    }

    /// Rest area of a triangle \[m²\].
    pub fn rest_area(&self, triangle: usize) -> f64 {
        self.rest_areas[triangle]
    }

    /// Current vertices of a triangle.
    pub fn triangle(&self, triangle: usize) -> [u32; 3] {
        self.triangles[triangle]
    }

    /// Vertices of a triangle in the original numbering.
    pub fn original_triangle(&self, triangle: usize) -> [u32; 3] {
        self.original_triangles[triangle]
    }

    /// True if a triangle has a broken edge.
    pub fn is_removed(&self, triangle: usize) -> bool {
        self.removed[triangle]
    }

    /// Triangles at a current vertex.
    pub fn fan(&self, vertex: u32) -> &[u32] {
        self.local_index(vertex).map_or(&[], |p| &self.vertex_triangles[p])
    }

    /// Triangles that a vertex of the original model had.
    pub fn original_fan(&self, vertex: u32) -> &[u32] {
        &self.original_vertex_triangles[vertex as usize - self.vertices.start]
    }

    /// True if a vertex of the original model has split.
    pub fn has_split(&self, vertex: u32) -> bool {
        self.has_split[vertex as usize - self.vertices.start]
    }

    /// True if any vertex has split.
    pub fn any_split(&self) -> bool {
        !self.split_vertices.is_empty()
    }

    /// True if a current vertex is on a boundary: one of its half-edges has no twin.
    pub fn is_boundary_vertex(&self, vertex: u32) -> bool {
        self.fan(vertex).iter().any(|t| {
            (0..3).map(|k| 3 * t + k).any(|side| {
                self.half_edge_vertices(side).contains(&vertex) && self.twins(side).next().is_none()
            })
        })
    }

    pub(super) fn local_index(&self, vertex: u32) -> Option<usize> {
        let v = vertex as usize;
        if self.vertices.contains(&v) {
            return Some(v - self.vertices.start);
        }
        self.split_vertices.binary_search(&vertex).ok().map(|i| self.vertices.len() + i)
    }

    /// Returns the triangles around a vertex that are connected with one of them.
    pub(super) fn fan_component(&self, vertex: u32, triangle: u32) -> Vec<u32> {
        let mut part = vec![triangle];
        let mut looked = 0;
        while let Some(&t) = part.get(looked) {
            looked += 1;
            for side in
                (0..3).map(|k| 3 * t + k).filter(|&s| self.half_edge_vertices(s).contains(&vertex))
            {
                for n in self.twins(side).map(|n| n / 3) {
                    if !part.contains(&n) {
                        part.push(n);
                    }
                }
            }
        }
        part
    }

    /// Splits a vertex if one of its triangles is no longer connected with the others. Returns the share of the
    /// area that the new vertex `next` takes; `None` if the vertex does not split.
    pub(super) fn split_vertex(&mut self, vertex: u32, side: u32, next: u32) -> Option<f64> {
        let place = self.local_index(vertex)?;
        let part = self.fan_component(vertex, side / 3);
        // The triangles across the edge may still be connected around the vertex.
        let mut other = self.next_twin[side as usize];
        while other != side {
            if part.contains(&(other / 3)) {
                return None;
            }
            other = self.next_twin[other as usize];
        }
        let (mut moved, mut kept): (Vec<u32>, Vec<u32>) =
            self.vertex_triangles[place].iter().partition(|t| part.contains(t));
        if kept.is_empty() || moved.is_empty() {
            return None;
        }
        if moved[0] < kept[0] {
            std::mem::swap(&mut moved, &mut kept);
        }
        let area = |list: &[u32]| list.iter().map(|&t| self.rest_areas[t as usize]).sum::<f64>();
        let (new, old) = (area(&moved), area(&kept));
        for &t in &moved {
            for k in 0..3 {
                if self.triangles[t as usize][k] == vertex {
                    let origin =
                        self.original_triangles[t as usize][k] as usize - self.vertices.start;
                    self.has_split[origin] = true;
                    self.triangles[t as usize][k] = next;
                }
            }
        }
        self.vertex_triangles[place] = kept;
        self.vertex_triangles.push(moved);
        self.split_vertices.push(next);
        let share = new / (new + old);
        Some(if share > 0.0 && share < 1.0 { share } else { 0.5 })
    }
}
