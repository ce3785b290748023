//! Two features of cells that may touch: a vertex and a triangle, or two edges.

use pliant_detect::closest;

use super::features::{Cell, Features, distance};
use super::pairs::{AHEAD_OF_EDGES, AHEAD_OF_THREADS, AHEAD_OF_VERTICES, KEPT_BY_EDGES, Look};

/// A direction of unit length is at most this much longer than one.
pub(super) const UNIT: f64 = 1.0 - 1e-6;
/// Features of one body that are as near as this part of the distance at rest touch.
const REST: f64 = 0.9;
/// Features of one body that are at rest as near as this part of what they would keep are in the same place there: both
/// sides of a tear. There is no side to keep, no more than between cells that still share the vertex.
const SAME: f64 = 1e-3;

/// Two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    /// A vertex and a triangle, or two edges.
    pub vertices: [u32; 4],
    pub edges: bool,
    /// Whether a body's vertex meets a collider's triangle.
    pub face_of_collider: bool,
    /// Whether an edge is a thread's.
    pub thread: bool,
    /// Whether they belong to one body, and it is not yet known how near they are at rest.
    itself: bool,
    /// What they are part of.
    pub groups: [u32; 2],
    /// The distance to keep \[m\].
    pub gap: f64,
}

/// What two edges keep where their cells keep a gap, and beyond which distance they have not met \[m\].
#[inline(always)]
pub(super) fn kept_by_edges(thread: bool, gap: f64) -> [f64; 2] {
    let kept = if thread { gap } else { KEPT_BY_EDGES * gap };
    [kept, kept * if thread { AHEAD_OF_THREADS } else { AHEAD_OF_EDGES }]
}

impl Candidate {
    /// Features that end farther apart than this have not met \[m\].
    #[inline(always)]
    pub fn horizon(&self) -> f64 {
        let ahead = match (self.edges, self.thread) {
            (true, true) => AHEAD_OF_THREADS,
            (true, false) => AHEAD_OF_EDGES,
            _ => AHEAD_OF_VERTICES,
        };
        ahead * self.gap
    }

    /// Features that stay farther apart than this are not what is looked for \[m\].
    #[inline(always)]
    pub fn keep(&self, look: Look) -> f64 {
        look.keep(self.gap, self.horizon())
    }

    /// A number that tells it from others.
    pub fn key(&self) -> u128 {
        let [a, b, c, d] = self.vertices.map(u128::from);
        u128::from(self.edges) << 127 | a << 96 | b << 64 | c << 32 | d
    }

    /// Where the features are nearest at `x`.
    pub fn nearest(&self, x: &[[f64; 3]]) -> closest::Closest<4> {
        let [a, b, c, d] = self.vertices;
        let x = [x[a as usize], x[b as usize], x[c as usize], x[d as usize]];
        if self.edges { closest::edge_edge(x) } else { closest::vertex_triangle(x) }
    }

    /// How far apart the features surely are, given how far their vertices are along a direction \[m\].
    #[inline(always)]
    fn apart(&self, [a, b, c, d]: [f64; 4]) -> f64 {
        let apart = if self.edges { a.min(b) - c.max(d) } else { a - b.max(c).max(d) };
        apart * UNIT
    }

    /// How far apart the features surely stay on the way: as far as the boxes around the ways of both \[m\].
    #[inline(always)]
    pub fn between_boxes(&self, ways: [&[[f64; 3]]; 2]) -> f64 {
        let [start, end] = ways;
        let mut apart = f64::NEG_INFINITY;
        for k in 0..3 {
            let from = |v: u32| f64::min(start[v as usize][k], end[v as usize][k]);
            let to = |v: u32| f64::max(start[v as usize][k], end[v as usize][k]);
            let [a, b, c, d] = self.vertices;
            let (from_b, to_b) = (from(b), to(b));
            let (mut first, mut second) =
                ([from(a), to(a)], [from(c).min(from(d)), to(c).max(to(d))]);
            let other = if self.edges { &mut first } else { &mut second };
            *other = [other[0].min(from_b), other[1].max(to_b)];
            apart = apart.max(first[0] - second[1]).max(second[0] - first[1]);
        }
        apart * UNIT
    }

    /// Whether the features stay farther apart than `keep` \[m\] along an offset between them: the distance of
    /// each two vertices on the way is least at an end.
    fn clear_along(&self, offset: [f64; 3], ways: [&[[f64; 3]]; 2], keep: f64) -> bool {
        let length = distance(offset, [0.0; 3]);
        let apart = |x: &[[f64; 3]]| {
            let along = |v: u32| {
                let p = &x[v as usize];
                offset[0] * p[0] + offset[1] * p[1] + offset[2] * p[2]
            };
            let [a, b, c, d] = self.vertices;
            self.apart([along(a), along(b), along(c), along(d)])
        };
        length > 0.0 && apart(ways[0]) > keep * length && apart(ways[1]) > keep * length
    }

    /// Whether the features, nearest as given at the start, do not come near on the way: along the direction
    /// of the start or of the end.
    pub fn clear(&self, nearest: &closest::Closest<4>, ways: [&[[f64; 3]]; 2], look: Look) -> bool {
        let keep = self.keep(look);
        self.clear_along(nearest.offset, ways, keep)
            || self.clear_along(self.nearest(ways[1]).offset, ways, keep)
    }

    /// Lets features of one body be as near as they are at rest; whether they are to be kept apart at all.
    pub fn respect_rest(&mut self, rest: &[[f64; 3]]) -> bool {
        if !std::mem::take(&mut self.itself) {
            return true;
        }
        let apart = self.nearest(rest).distance();
        let kept = apart > SAME * self.gap;
        self.gap = self.gap.min(REST * apart);
        kept
    }

    /// What all features of two cells have in common.
    #[inline(always)]
    fn plain(all: &Features, cells: [&Cell; 2]) -> Self {
        let groups = cells.map(|c| c.group);
        let touch = groups.map(|g| &all.groups[g as usize]);
        Self {
            vertices: [0; 4],
            edges: false,
            face_of_collider: false,
            thread: touch[0].thread || touch[1].thread,
            itself: groups[0] == groups[1],
            groups,
            gap: all.gap(cells),
        }
    }

    /// A vertex of one of two cells, by its place, and the other cell, a triangle.
    #[inline(always)]
    pub fn vertex(all: &Features, pair: [usize; 2], one: usize, place: usize) -> Self {
        let cells = [&all.cells[pair[0]], &all.cells[pair[1]]];
        let [a, b, c] = cells[1 - one].vertices;
        Self {
            vertices: [cells[one].vertices[place], a, b, c],
            face_of_collider: one == 0 && all.is_fixed(pair[1]),
            ..Self::plain(all, cells)
        }
    }

    /// An edge of each of two cells, by their places.
    #[inline(always)]
    pub fn edges(all: &Features, pair: [usize; 2], places: [usize; 2]) -> Self {
        let cells = [&all.cells[pair[0]], &all.cells[pair[1]]];
        let [[a, b], [c, d]] = [cells[0].edge(places[0]), cells[1].edge(places[1])];
        let plain = Self::plain(all, cells);
        let [gap, _] = kept_by_edges(plain.thread, plain.gap);
        Self { vertices: [a, b, c, d], edges: true, gap, ..plain }
    }

    /// Calls `f` with all pairs of features that two cells look after and that share no vertex.
    pub fn of_cells(all: &Features, pair: [usize; 2], mut f: impl FnMut(Self)) {
        let cells = pair.map(|c| &all.cells[c]);
        for (one, other) in [(0, 1), (1, 0)] {
            if cells[other].count == 3 {
                for place in cells[one].own_vertices() {
                    if !cells[other].vertices.contains(&cells[one].vertices[place]) {
                        f(Self::vertex(all, pair, one, place));
                    }
                }
            }
        }
        for i in cells[0].own_edges() {
            for j in cells[1].own_edges() {
                let own = Self::edges(all, pair, [i, j]);
                let [a, b, c, d] = own.vertices;
                if a != c && a != d && b != c && b != d {
                    f(own);
                }
            }
        }
    }
}
