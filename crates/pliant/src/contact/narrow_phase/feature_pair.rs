//! Feature pair: a vertex and a triangle, or two edges, of two primitives that may touch.
//!
//! Provides the distances at which a pair forms a contact, its key, its closest points, and the cheap tests that reject
//! most pairs before continuous collision detection: separation of the boxes swept on the path, and separation along
//! the direction between the closest points of the start or the end. Features of one body keep no more than 0.9 of
//! their distance at rest.

use pliant_detect::closest;

use crate::contact::broad_phase::primitives::{Features, Primitive};
use crate::contact::narrow_phase::ccd::{
    EDGE_ACTIVATION_FACTOR, EDGE_MIN_DISTANCE_FACTOR, Query, STRAND_ACTIVATION_FACTOR,
    VERTEX_ACTIVATION_FACTOR,
};
use crate::mesh::measure::distance;

/// Factor on a distance along a computed unit vector: its length may exceed one by so much.
pub(in crate::contact) const DIRECTION_ROUNDING_FACTOR: f64 = 1.0 - 1e-6;
/// Features of one body keep at most this fraction of their distance at rest.
const REST_DISTANCE_FACTOR: f64 = 0.9;
/// Features of one body that are nearer at rest than this fraction of their minimum distance coincide there: they are
/// both sides of a tear. They have no side to keep, as primitives that still share the vertex have none.
const COINCIDENT_AT_REST_TOLERANCE: f64 = 1e-3;

/// Two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) struct FeaturePair {
    /// Four vertices: one and a triangle's three, or the ends of both edges.
    pub vertices: [u32; 4],
    pub is_edge_edge: bool,
    /// True if a body's vertex is paired with a collider's triangle.
    pub is_collider_face: bool,
    /// True if an edge belongs to a thread.
    pub has_strand: bool,
    /// True if both belong to one body, and their distance at rest has not been checked yet.
    needs_rest_check: bool,
    /// Surface groups of both.
    pub groups: [u32; 2],
    /// Minimum distance \[m\].
    pub min_distance: f64,
}

/// Returns the minimum and the activation distance of two edges, given the minimum distance of their primitives \[m\].
#[inline(always)]
pub(in crate::contact) fn edge_distances(thread: bool, min_distance: f64) -> [f64; 2] {
    let kept = if thread { min_distance } else { EDGE_MIN_DISTANCE_FACTOR * min_distance };
    [kept, kept * if thread { STRAND_ACTIVATION_FACTOR } else { EDGE_ACTIVATION_FACTOR }]
}

impl FeaturePair {
    /// Returns the distance beyond which features at the end of the path form no contact \[m\].
    #[inline(always)]
    pub fn activation_distance(&self) -> f64 {
        let ahead = match (self.is_edge_edge, self.has_strand) {
            (true, true) => STRAND_ACTIVATION_FACTOR,
            (true, false) => EDGE_ACTIVATION_FACTOR,
            _ => VERTEX_ACTIVATION_FACTOR,
        };
        ahead * self.min_distance
    }

    /// Returns the distance beyond which a query does not report features \[m\].
    #[inline(always)]
    pub fn query_distance(&self, query: Query) -> f64 {
        query.query_distance(self.min_distance, self.activation_distance())
    }

    /// Returns a unique key of the pair.
    pub fn key(&self) -> u128 {
        let [a, b, c, d] = self.vertices.map(u128::from);
        u128::from(self.is_edge_edge) << 127 | a << 96 | b << 64 | c << 32 | d
    }

    /// Returns the closest points of the features at `x`.
    pub fn closest_points(&self, x: &[[f64; 3]]) -> closest::Closest<4> {
        let [a, b, c, d] = self.vertices;
        let x = [x[a as usize], x[b as usize], x[c as usize], x[d as usize]];
        if self.is_edge_edge { closest::edge_edge(x) } else { closest::vertex_triangle(x) }
    }

    /// Returns a lower bound of the distance, given the projections of the vertices on a unit vector \[m\].
    #[inline(always)]
    fn projected_separation(&self, [a, b, c, d]: [f64; 4]) -> f64 {
        let separation = if self.is_edge_edge { a.min(b) - c.max(d) } else { a - b.max(c).max(d) };
        separation * DIRECTION_ROUNDING_FACTOR
    }

    /// Returns a lower bound of the distance on the whole path: that of the swept boxes of both features \[m\].
    #[inline(always)]
    pub fn swept_box_separation(&self, paths: [&[[f64; 3]]; 2]) -> f64 {
        let [start, end] = paths;
        let mut separation = f64::NEG_INFINITY;
        for k in 0..3 {
            let from = |v: u32| f64::min(start[v as usize][k], end[v as usize][k]);
            let to = |v: u32| f64::max(start[v as usize][k], end[v as usize][k]);
            let [a, b, c, d] = self.vertices;
            let (from_b, to_b) = (from(b), to(b));
            let (mut first, mut second) =
                ([from(a), to(a)], [from(c).min(from(d)), to(c).max(to(d))]);
            let other = if self.is_edge_edge { &mut first } else { &mut second };
            *other = [other[0].min(from_b), other[1].max(to_b)];
            separation = separation.max(first[0] - second[1]).max(second[0] - first[1]);
        }
        separation * DIRECTION_ROUNDING_FACTOR
    }

    /// Returns true if the features stay farther apart than `keep` \[m\] along an offset between them: the projected
    /// distance of any two vertices on the path is least at an end.
    fn is_separated_along(&self, offset: [f64; 3], paths: [&[[f64; 3]]; 2], keep: f64) -> bool {
        let length = distance(offset, [0.0; 3]);
        let separation = |x: &[[f64; 3]]| {
            let along = |v: u32| {
                let p = &x[v as usize];
                offset[0] * p[0] + offset[1] * p[1] + offset[2] * p[2]
            };
            let [a, b, c, d] = self.vertices;
            self.projected_separation([along(a), along(b), along(c), along(d)])
        };
        length > 0.0 && separation(paths[0]) > keep * length && separation(paths[1]) > keep * length
    }

    /// Returns true if the features, given their closest points at the start, do not come near on the path: they are
    /// separated along the direction between the closest points of the start or of the end.
    pub fn stays_separated(
        &self,
        nearest: &closest::Closest<4>,
        paths: [&[[f64; 3]]; 2],
        query: Query,
    ) -> bool {
        let keep = self.query_distance(query);
        self.is_separated_along(nearest.offset, paths, keep)
            || self.is_separated_along(self.closest_points(paths[1]).offset, paths, keep)
    }

    /// Limits the minimum distance of features of one body by that at rest. Returns false if they need no contact at
    /// all.
    pub fn limit_to_rest_distance(&mut self, rest: &[[f64; 3]]) -> bool {
        if !std::mem::take(&mut self.needs_rest_check) {
            return true;
        }
        let separation = self.closest_points(rest).distance();
        let kept = separation > COINCIDENT_AT_REST_TOLERANCE * self.min_distance;
        self.min_distance = self.min_distance.min(REST_DISTANCE_FACTOR * separation);
        kept
    }

    /// Returns the data that all feature pairs of two primitives share.
    #[inline(always)]
    fn common(all: &Features, cells: [&Primitive; 2]) -> Self {
        let groups = cells.map(|c| c.group);
        let surfaces = groups.map(|g| &all.groups[g as usize]);
        Self {
            vertices: [0; 4],
            is_edge_edge: false,
            is_collider_face: false,
            has_strand: surfaces[0].is_strand || surfaces[1].is_strand,
            needs_rest_check: groups[0] == groups[1],
            groups,
            min_distance: all.min_distance(cells),
        }
    }

    /// Creates the pair of a vertex of one of two primitives, by its local index, and the other one, a triangle.
    #[inline(always)]
    pub fn vertex_triangle(all: &Features, pair: [usize; 2], one: usize, place: usize) -> Self {
        let cells = [&all.primitives[pair[0]], &all.primitives[pair[1]]];
        let [a, b, c] = cells[1 - one].vertices;
        Self {
            vertices: [cells[one].vertices[place], a, b, c],
            is_collider_face: one == 0 && all.is_collider(pair[1]),
            ..Self::common(all, cells)
        }
    }

    /// Creates the pair of an edge of each of two primitives, by their local indices.
    #[inline(always)]
    pub fn edge_edge(all: &Features, pair: [usize; 2], indices: [usize; 2]) -> Self {
        let cells = [&all.primitives[pair[0]], &all.primitives[pair[1]]];
        let [[a, b], [c, d]] = [cells[0].edge(indices[0]), cells[1].edge(indices[1])];
        let plain = Self::common(all, cells);
        let [min_distance, _] = edge_distances(plain.has_strand, plain.min_distance);
        Self { vertices: [a, b, c, d], is_edge_edge: true, min_distance, ..plain }
    }

    /// Calls `f` with all pairs of features that two primitives own and that share no vertex.
    pub fn for_each_in(all: &Features, pair: [usize; 2], mut f: impl FnMut(Self)) {
        let cells = pair.map(|c| &all.primitives[c]);
        for (one, other) in [(0, 1), (1, 0)] {
            if cells[other].vertex_count == 3 {
                for place in cells[one].own_vertices() {
                    if !cells[other].vertices.contains(&cells[one].vertices[place]) {
                        f(Self::vertex_triangle(all, pair, one, place));
                    }
                }
            }
        }
        for i in cells[0].own_edges() {
            for j in cells[1].own_edges() {
                let own = Self::edge_edge(all, pair, [i, j]);
                let [a, b, c, d] = own.vertices;
                if a != c && a != d && b != c && b != d {
                    f(own);
                }
            }
        }
    }
}
