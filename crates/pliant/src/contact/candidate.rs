//! Two features of cells that may touch: a vertex and a triangle, or two edges.

use pliant_detect::closest;

use super::features::{Features, distance};
use super::pairs::{AHEAD_OF_EDGES, AHEAD_OF_VERTICES, Look};

/// A direction of unit length is at most this much longer than one.
pub(super) const UNIT: f64 = 1.0 - 1e-6;
/// Features of one body that are as near as this part of the distance at rest touch.
const REST: f64 = 0.9;

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

/// Where the vertices of a candidate are in its two cells: cell and place of each.
pub(super) type Places = [(usize, usize); 4];

impl Candidate {
    /// Features that end farther apart than this have not met \[m\].
    #[inline(always)]
    pub fn horizon(&self) -> f64 {
        let ahead = if self.edges { AHEAD_OF_EDGES } else { AHEAD_OF_VERTICES };
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
    pub fn apart(&self, [a, b, c, d]: [f64; 4]) -> f64 {
        let apart = if self.edges { a.min(b) - c.max(d) } else { a - b.max(c).max(d) };
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

    /// Lets features of one body be as near as they are at rest.
    pub fn respect_rest(&mut self, rest: &[[f64; 3]]) {
        if std::mem::take(&mut self.itself) {
            self.gap = self.gap.min(REST * self.nearest(rest).distance());
        }
    }

    /// Calls `f` with all pairs of features that two cells look after and that share no vertex, and with where
    /// their vertices are in the cells.
    #[inline(always)]
    pub fn of_cells(all: &Features, pair: [usize; 2], mut f: impl FnMut(Self, Places)) {
        let cells = pair.map(|c| &all.cells[c]);
        let groups = cells.map(|c| c.group);
        let touch = groups.map(|g| &all.groups[g as usize]);
        let plain = Self {
            vertices: [0; 4],
            edges: false,
            face_of_collider: false,
            thread: touch[0].thread || touch[1].thread,
            itself: groups[0] == groups[1],
            groups,
            gap: touch[0].touch.radius + touch[1].touch.radius,
        };
        for (one, other, fixed) in [(0, 1, all.is_fixed(pair[1])), (1, 0, false)] {
            let [a, b, c] = cells[other].vertices;
            if cells[other].count == 3 {
                for (k, v) in cells[one].vertices().filter(|(_, v)| ![a, b, c].contains(v)) {
                    let vertices = [v, a, b, c];
                    let places = [(one, k), (other, 0), (other, 1), (other, 2)];
                    f(Self { vertices, face_of_collider: fixed, ..plain }, places);
                }
            }
        }
        for (i, [a, b]) in cells[0].edges() {
            for (j, [c, d]) in cells[1].edges() {
                if a != c && a != d && b != c && b != d {
                    let next = |k: usize| if k == 2 { 0 } else { k + 1 };
                    let places = [(0, i), (0, next(i)), (1, j), (1, next(j))];
                    f(Self { vertices: [a, b, c, d], edges: true, ..plain }, places);
                }
            }
        }
    }
}
