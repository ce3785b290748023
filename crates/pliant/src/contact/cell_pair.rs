//! Two cells that may touch: how long they sleep, and which of their features meet.

use pliant_detect::Aabb;

use super::candidate::{Candidate, UNIT, kept_by_edges};
use super::features::{Cell, Features, distance, next};
use super::pairs::{AHEAD_OF_VERTICES, Look, Meeting, View, danger, meet};
use super::travels::{Terms, Travels, rounded_down};

/// Of how far cells have travelled this part may be lost in sums.
const ROUNDING: f64 = 1e-9;

/// Two cells, and how long they sleep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub cells: [u32; 2],
    /// What bounds how they move relative to each other.
    pub terms: Terms,
    /// Until that adds up to so much, nothing of theirs can have come near \[m\].
    near: f32,
    /// The same for becoming too deep without a contact, or passing.
    deep: f32,
    /// The same for passing.
    passing: f32,
}

/// How two cells were seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// The distance that they keep \[m\], rounded up.
    gap: f32,
    /// The unit direction, from the second to the first, in which they were last seen apart; zero where there
    /// was none.
    axis: [f32; 3],
}

impl Pair {
    /// Two cells that were never looked at.
    pub fn new(
        cells: [u32; 2],
        terms: Terms,
        features: &Features,
        start: &[[f64; 3]],
        travels: &Travels,
    ) -> (Self, Seen) {
        let gap = (features.gap(cells.map(|c| &features.cells[c as usize])) as f32).next_up();
        // Their boxes tell how far they are apart at least; else that is looked at from middle to middle.
        let corners = cells.map(|c| features.cells[c as usize].vertices.map(|v| start[v as usize]));
        let [a, b] = corners.map(|x| Aabb::of(&x));
        let apart = [0, 1, 2].map(|c| f64::max(a.min[c] - b.max[c], b.min[c] - a.max[c]).max(0.0));
        let far = distance(apart, [0.0; 3]);
        let [p, q] = corners.map(|[a, b, c]| [0, 1, 2].map(|k| a[k] + b[k] + c[k]));
        let between = [0, 1, 2].map(|c| p[c] - q[c]);
        let length = distance(p, q);
        let axis = if length > 0.0 { between.map(|c| (c / length) as f32) } else { [0.0; 3] };
        let mut own = Self { cells, terms, near: 0.0, deep: 0.0, passing: 0.0 };
        own.sleep(travels.sum(terms, 0), apart_by(far, f64::from(gap)));
        (own, Seen { gap, axis })
    }

    /// How far they may move relative to each other before they must be looked at \[m\].
    #[inline(always)]
    pub fn wake(&self, look: Look) -> f32 {
        match look {
            Look::Near => self.near,
            Look::Deep => self.deep,
            Look::Passing => self.passing,
        }
    }

    /// Tells of the features of both cells that meet on the way, as they are to be looked at, and hears whether that
    /// became a contact; and finds out how long the pair may sleep.
    pub fn look(
        &mut self,
        seen: &mut Seen,
        view: View,
        travels: &Travels,
        counts: &impl Fn(u32) -> bool,
        look: impl Fn(&Candidate) -> Look,
        mut tell: impl FnMut(&Candidate, Meeting) -> bool,
    ) {
        let View { features, rest, ways, look: widest } = view;
        let pair = [self.cells[0] as usize, self.cells[1] as usize];
        let cells = [&features.cells[pair[0]], &features.cells[pair[1]]];
        let wide = f64::from(seen.gap);
        let keep = widest.keep(wide, AHEAD_OF_VERTICES * wide);
        let axis = [f64::from(seen.axis[0]), f64::from(seen.axis[1]), f64::from(seen.axis[2])];
        let travelled = [travels.sum(self.terms, 0), travels.sum(self.terms, 1)];
        let way = travelled[1] - travelled[0];
        let start = Along::new(axis, cells, ways[0]);
        let apart = start.apart();
        // Most are so far apart at the start that their ways cannot bring them near.
        let far = way < (apart - keep) * (1.0 - ROUNDING);
        if far {
            return self.sleep(travelled[0], apart_by(apart, wide));
        }
        let along = [start, Along::new(axis, cells, ways[1])];
        if apart > keep && along[1].apart() > keep {
            return self.sleep(travelled[0], apart_by(apart, wide));
        }
        let any = |cell: &Cell| {
            let [a, b, c] = cell.vertices;
            counts(a) | counts(b) | counts(c)
        };
        if !(any(cells[0]) || any(cells[1])) {
            return;
        }
        let gap = features.gap(cells);
        let kept = kept_by_edges(features.have_thread(cells), gap);
        let mut least = Least::new(gap, kept);
        let (mut nearest_of_all, mut offset) = (f64::INFINITY, [0.0; 3]);
        // Most features stay clear of each other along the direction of the cells: they cost a comparison.
        let mut closer =
            |candidate: Candidate, turned: bool, apart: [f64; 2], least: &mut Least| {
                let mut candidate = candidate;
                let [a, b, c, d] = candidate.vertices;
                if !(counts(a) || counts(b) || counts(c) || counts(d)) {
                    return least.note(candidate.edges, apart[0]);
                }
                let between_boxes = candidate.between_boxes(ways);
                if between_boxes > candidate.keep(widest) {
                    return least.note(candidate.edges, between_boxes);
                }
                let look = look(&candidate);
                let keep = candidate.keep(look);
                let held = look != widest;
                if held && apart[0] > keep && apart[1] > keep {
                    return least.note_held(candidate.edges, apart[0]);
                }
                let nearest = candidate.nearest(ways[0]);
                let distance = nearest.distance();
                if distance < nearest_of_all {
                    nearest_of_all = distance;
                    let scale = if turned { -1.0 / distance } else { 1.0 / distance };
                    offset = nearest.offset.map(|c| c * scale);
                }
                let edges = candidate.edges;
                let far = way < (distance - keep) * (1.0 - ROUNDING)
                    || candidate.clear(&nearest, ways, look)
                    || !candidate.respect_rest(rest);
                let meeting = if far { None } else { meet(&candidate, distance, ways, look) };
                // What is near becomes a contact, and is one from now on.
                let taken = meeting.is_some_and(|meeting| tell(&candidate, meeting));
                if held || (taken && widest == Look::Near) {
                    least.note_held(edges, distance);
                } else {
                    least.note(edges, distance);
                }
            };
        let keep = widest.keep(gap, AHEAD_OF_VERTICES * gap);
        for one in [0, 1] {
            if cells[1 - one].count < 3 {
                continue;
            }
            for place in cells[one].own_vertices() {
                let apart = [along[0].vertex(one, place), along[1].vertex(one, place)];
                if apart[0] > keep && apart[1] > keep {
                    least.note(false, apart[0]);
                } else {
                    let candidate = Candidate::vertex(features, pair, one, place);
                    closer(candidate, one == 1, apart, &mut least);
                }
            }
        }
        let keep = widest.keep(kept[0], kept[1]);
        for i in cells[0].own_edges() {
            for j in cells[1].own_edges() {
                let apart = [along[0].edges(i, j), along[1].edges(i, j)];
                if apart[0] > keep && apart[1] > keep {
                    least.note(true, apart[0]);
                } else {
                    let candidate = Candidate::edges(features, pair, [i, j]);
                    closer(candidate, false, apart, &mut least);
                }
            }
        }
        if nearest_of_all > 0.0 && nearest_of_all < f64::INFINITY {
            seen.axis = [offset[0] as f32, offset[1] as f32, offset[2] as f32];
        }
        self.sleep(travelled[0], least.beyond());
    }

    /// Sleeps while the cells, which have travelled so far, cannot have come near, become deep, or passed \[m\].
    #[inline(always)]
    fn sleep(&mut self, travelled: f64, beyond: [f64; 3]) {
        let until = |far: f64| rounded_down((travelled + far) * (1.0 - ROUNDING));
        let [near, deep, passing] = beyond;
        (self.near, self.deep, self.passing) = (until(near), until(deep), until(passing));
    }
}

/// How far cells that keep a gap and are so far apart at least are from coming near, becoming deep, and passing \[m\].
#[inline(always)]
fn apart_by(apart: f64, gap: f64) -> [f64; 3] {
    [apart - AHEAD_OF_VERTICES * gap, apart - gap, apart - danger(gap)]
}

/// How far the vertices of two cells are along a direction \[m\].
struct Along([[f64; 3]; 2]);

impl Along {
    #[inline(always)]
    fn new(axis: [f64; 3], cells: [&Cell; 2], x: &[[f64; 3]]) -> Self {
        let along = |v: u32| {
            let p = &x[v as usize];
            axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]
        };
        let [a, b, c] = cells[0].vertices;
        let [d, e, f] = cells[1].vertices;
        Self([[along(a), along(b), along(c)], [along(d), along(e), along(f)]])
    }

    /// How far the cells surely are apart \[m\].
    #[inline(always)]
    fn apart(&self) -> f64 {
        (self.nearest_of_first() - self.nearest_of_second()) * UNIT
    }

    /// The same of a vertex of one of them and the other.
    #[inline(always)]
    fn vertex(&self, one: usize, place: usize) -> f64 {
        let own = self.0[one][place];
        let apart =
            if one == 0 { own - self.nearest_of_second() } else { self.nearest_of_first() - own };
        apart * UNIT
    }

    /// The same of an edge of each.
    #[inline(always)]
    fn edges(&self, i: usize, j: usize) -> f64 {
        let [a, b] = &self.0;
        (lesser(a[i], a[next(i)]) - greater(b[j], b[next(j)])) * UNIT
    }

    #[inline(always)]
    fn nearest_of_first(&self) -> f64 {
        let [a, b, c] = self.0[0];
        lesser(lesser(a, b), c)
    }

    #[inline(always)]
    fn nearest_of_second(&self) -> f64 {
        let [a, b, c] = self.0[1];
        greater(greater(a, b), c)
    }
}

/// The lesser of two numbers, in one instruction: where one is not a number, the second.
#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers, likewise.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The least distances of the features of two cells \[m\].
struct Least {
    gap: f64,
    /// What edges keep, and how far apart they are not near.
    kept_by_edges: [f64; 2],
    of_vertices: f64,
    of_edges: f64,
    /// How far the features are from becoming deep without a contact, or passing.
    deep: f64,
}

impl Least {
    fn new(gap: f64, kept_by_edges: [f64; 2]) -> Self {
        let far = f64::INFINITY;
        Self { gap, kept_by_edges, of_vertices: far, of_edges: far, deep: far }
    }

    /// What features keep, and how far apart they are not near \[m\].
    #[inline(always)]
    fn kept(&self, edges: bool) -> [f64; 2] {
        if edges { self.kept_by_edges } else { [self.gap, AHEAD_OF_VERTICES * self.gap] }
    }

    /// Features that are so far apart at least \[m\].
    #[inline(always)]
    fn note(&mut self, edges: bool, distance: f64) {
        self.note_distance(edges, distance);
        self.deep = self.deep.min(distance - self.kept(edges)[0]);
    }

    /// The same where a contact holds them: it looks after their depth, while they are near.
    #[inline(always)]
    fn note_held(&mut self, edges: bool, distance: f64) {
        self.note_distance(edges, distance);
        let [kept, near] = self.kept(edges);
        let until = if distance > near { kept } else { danger(self.gap) };
        self.deep = self.deep.min(distance - until);
    }

    #[inline(always)]
    fn note_distance(&mut self, edges: bool, distance: f64) {
        let least = if edges { &mut self.of_edges } else { &mut self.of_vertices };
        *least = least.min(distance);
    }

    /// How far the features are from coming near, becoming deep, and passing \[m\].
    fn beyond(&self) -> [f64; 3] {
        let near = f64::min(
            self.of_vertices - AHEAD_OF_VERTICES * self.gap,
            self.of_edges - self.kept_by_edges[1],
        );
        [near, self.deep, self.of_vertices.min(self.of_edges) - danger(self.gap)]
    }
}
