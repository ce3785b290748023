//! Pairs of features that may touch: found by cells, kept while nothing leaves its room.
//!
//! ```text
//! cells that share a vertex      always known; asleep until their edges have turned far enough
//! all others                     searched for: boxes that hold the way of each vertex and some room
//! ```
//!
//! Pairs of features whose boxes overlap, grown by what they keep between them, are candidates. They stay
//! all there are until a vertex leaves its box; then the boxes and the pairs are made anew. Most of them
//! stay clear of each other along the axis in which they were last seen apart: eight products tell. Who is
//! on the list beyond those that touch, and along which axis it was seen, changes nothing but time, so a
//! simulation that was restored, and makes its list at another moment, still gives the same bits.
//!
//! Where bodies are scrambled or fly apart, everything is near everything. Then there is nothing to keep
//! apart in a sensible way, and a list of all pairs would fill the memory: no list is made. That is told
//! by the ways alone, without room, so that it too does not depend on when the list was made.

use pliant_detect::grid::{Method, choose};
use pliant_detect::{Aabb, Bvh, Grid, closest};

use super::Partners;
use super::features::{Features, distance, sub};
use super::neighbours::Neighbours;
use super::pairs::{Meeting, horizon, meet};

/// Room around the way of a vertex, as a part of the size of cells.
const ROOM: f64 = 0.1;
/// Room for ways to come, as a multiple of that.
const AHEAD: f64 = 3.0;
/// A tree whose search visits this many times as many nodes as when it was built is built again.
const WORN: u64 = 2;
/// An axis in single precision is at most this much longer than one.
const UNIT: f64 = 1.0 - 1e-6;
/// Features of one body that are as near as this part of the distance at rest touch.
const REST: f64 = 0.9;
/// Candidates for each cell, and beside them, that are taken for sensible at most: sheets lying on one
/// another have about 30 for each cell and layer.
const CROWD: [usize; 2] = [256, 4_000];

/// All vertices and edges of a cell.
pub(super) const ALL: [u8; 2] = [7, 7];

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
    /// The unit direction in which they were last seen apart; zero where there was none.
    axis: [f32; 3],
}

impl Candidate {
    /// How far apart the features are at `x` \[m\].
    pub fn distance(&self, x: &[[f64; 3]]) -> f64 {
        self.nearest(x).distance()
    }

    /// Where the features are nearest at `x`.
    fn nearest(&self, x: &[[f64; 3]]) -> closest::Closest<4> {
        let x = self.vertices.map(|v| x[v as usize]);
        if self.edges { closest::edge_edge(x) } else { closest::vertex_triangle(x) }
    }

    /// Looks along another axis.
    fn look_along(&mut self, offset: [f64; 3]) {
        let length = distance(offset, [0.0; 3]);
        if length > 0.0 {
            self.axis = offset.map(|c| (c / length) as f32);
        }
    }

    /// How far apart the features surely stay on the whole way \[m\]: along the axis, where the distance of
    /// each two vertices is least at an end.
    pub fn stays_apart(&self, ways: [&[[f64; 3]]; 2]) -> f64 {
        let [u, v, w] = self.axis.map(f64::from);
        let mut least = f64::INFINITY;
        for x in ways {
            let along = |k: usize| {
                let p = &x[self.vertices[k] as usize];
                u * p[0] + v * p[1] + w * p[2]
            };
            let (a, b, c, d) = (along(0), along(1), along(2), along(3));
            let apart = if self.edges { a.min(b) - c.max(d) } else { a - b.max(c).max(d) };
            least = least.min(apart);
        }
        least * UNIT
    }

    /// Whether the features do not come near on the way. Tries the axis along which they were last apart,
    /// then those of the start and of the end.
    pub fn clear(&mut self, ways: [&[[f64; 3]]; 2]) -> bool {
        let keep = horizon(self.gap);
        if self.stays_apart(ways) > keep {
            return true;
        }
        ways.into_iter().any(|x| {
            self.look_along(self.nearest(x).offset);
            self.stays_apart(ways) > keep
        })
    }

    /// Lets features of one body be as near as they are at rest.
    pub fn respect_rest(&mut self, rest: &[[f64; 3]]) {
        if std::mem::take(&mut self.itself) {
            self.gap = self.gap.min(REST * self.distance(rest));
        }
    }

    /// Calls `f` with all pairs of features that two cells look after and that share no vertex, and with the
    /// numbers of two edges in their cells. Of each cell come only the vertices and edges in its masks.
    #[inline(always)]
    pub fn of_cells(
        all: &Features,
        pair: [usize; 2],
        masks: [[u8; 2]; 2],
        mut f: impl FnMut(Self, [usize; 2]),
    ) {
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
            axis: [0.0; 3],
        };
        for (one, other, fixed) in [(0, 1, all.is_fixed(pair[1])), (1, 0, false)] {
            let [a, b, c] = cells[other].vertices;
            if cells[other].count == 3 {
                for v in cells[one].vertices(masks[one][0]).filter(|v| ![a, b, c].contains(v)) {
                    let vertices = [v, a, b, c];
                    f(Self { vertices, face_of_collider: fixed, ..plain }, [0; 2]);
                }
            }
        }
        for (i, [a, b]) in cells[0].edges(masks[0][1]) {
            for (j, [c, d]) in cells[1].edges(masks[1][1]) {
                if a != c && a != d && b != c && b != d {
                    f(Self { vertices: [a, b, c, d], edges: true, ..plain }, [i, j]);
                }
            }
        }
    }

    /// How many of the vertices belong to the first feature.
    fn first(&self) -> usize {
        if self.edges { 2 } else { 1 }
    }
}

/// The candidates, and what is needed to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    list: Vec<Candidate>,
    neighbours: Neighbours,
    /// The room of each vertex, and how far from where it was in there it can be \[m\].
    rooms: Vec<Aabb>,
    reach: Vec<f64>,
    /// Where the middle of all was when the list was made \[m\].
    middle: [f64; 3],
    boxes: Vec<Aabb>,
    pairs: Vec<[u32; 2]>,
    grid: Grid,
    moving: Tree,
    fixed: Tree,
    /// How often the list was made.
    pub searches: usize,
}

/// A tree that is built again when it has worn.
#[derive(Clone, Debug, Default)]
struct Tree {
    tree: Bvh,
    /// Nodes that the first search visited.
    visits: u64,
    worn: bool,
}

impl Tree {
    fn renew(&mut self, boxes: &[Aabb]) {
        if self.worn || self.tree.len() != boxes.len() {
            self.tree.rebuild(boxes);
            (self.worn, self.visits) = (false, 0);
        } else {
            self.tree.refit(boxes);
        }
    }

    fn visited(&mut self, visits: u64) {
        if self.visits == 0 {
            self.visits = visits.max(1);
        }
        self.worn = visits > WORN * self.visits;
    }
}

impl Candidates {
    pub fn new(features: &Features) -> Self {
        // Room for a sheet that hardly touches itself, so that steps need not grow it.
        let cells = features.cells.len();
        let mut own = Self {
            neighbours: Neighbours::new(features),
            list: Vec::with_capacity(16 * cells),
            pairs: Vec::with_capacity(32 * cells),
            ..Self::default()
        };
        own.boxes.resize(cells, Aabb::of(&[[0.0; 3]]));
        let (moving, fixed) = own.boxes.split_at(features.moving);
        own.grid.pairs(moving, fixed, &mut own.pairs, 0);
        own.grid.self_pairs(moving, &mut own.pairs, 0);
        own.moving.tree.rebuild(moving);
        own.fixed.tree.rebuild(fixed);
        own.moving.worn = true;
        own.fixed.worn = true;
        own
    }

    /// Makes sure that all features which come nearer than their gap and `slack` \[m\] on the way from
    /// `start` to `end` are on the list. `ahead` is how many ways of this kind the rooms should last.
    /// Whether that is a sensible number of them; else there are no candidates.
    pub fn cover(
        &mut self,
        features: &Features,
        ways: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
    ) -> bool {
        let moved = self.moved(features, ways);
        let within = |(x, moved): (&[[f64; 3]], [f64; 3])| {
            self.rooms.iter().zip(x).all(|(room, p)| {
                (0..3).all(|c| room.min[c] <= p[c] - moved[c] && p[c] - moved[c] <= room.max[c])
            })
        };
        let lasts = self.rooms.len() == ways[0].len() && ways.into_iter().zip(moved).all(within);
        let possible = lasts || self.make_list(features, ways, slack, ahead);
        if possible {
            self.neighbours.go(features, ways);
        } else {
            self.rooms.clear();
            self.list.clear();
            self.neighbours.forget();
        }
        possible
    }

    /// How far the middle of all has moved since the list was made, at both ends of a way \[m\]. A surface
    /// that can touch only itself is looked at as if it stood still.
    fn moved(&self, features: &Features, ways: [&[[f64; 3]]; 2]) -> [[f64; 3]; 2] {
        if features.groups.len() > 1 {
            return [[0.0; 3]; 2];
        }
        ways.map(|x| sub(middle(x), self.middle))
    }

    fn make_list(
        &mut self,
        features: &Features,
        ways: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
    ) -> bool {
        self.middle = middle(ways[0]);
        let moved = self.moved(features, ways)[1];
        self.make_room(ways, moved, ahead, ROOM * features.size);
        self.search(features, ways[0], slack) || {
            self.make_room(ways, moved, 1.0, 0.0);
            self.search(features, ways[0], slack)
        }
    }

    fn make_room(
        &mut self,
        [start, end]: [&[[f64; 3]]; 2],
        moved: [f64; 3],
        ahead: f64,
        room: f64,
    ) {
        self.rooms.clear();
        self.reach.clear();
        let farther = AHEAD * room;
        for (a, b) in start.iter().zip(end) {
            let b = sub(*b, moved);
            let way = distance(*a, b);
            let times = if ahead * way > farther { (farther / way).max(1.0) } else { ahead };
            let far = [0, 1, 2].map(|c| a[c] + times * (b[c] - a[c]));
            let own = Aabb::of(&[*a, b, far]).grown(room);
            let corner = [0, 1, 2].map(|c| (own.max[c] - a[c]).max(a[c] - own.min[c]));
            self.reach.push(distance(corner, [0.0; 3]));
            self.rooms.push(own);
        }
    }

    /// Tells of every two features that meet on the way from `start` to `end`, which is covered. Only
    /// those with a vertex that `counts` are looked at.
    pub fn meetings(
        &mut self,
        features: &Features,
        rest: &[[f64; 3]],
        ways: [&[[f64; 3]]; 2],
        counts: impl Fn(u32) -> bool,
        mut tell: impl FnMut(&Candidate, Meeting),
    ) {
        if self.rooms.is_empty() {
            // There was no way to cover.
            return;
        }
        self.neighbours.meetings(features, rest, ways, &counts, &mut tell);
        for candidate in &mut self.list {
            if candidate.clear(ways) || !candidate.vertices.iter().any(|&v| counts(v)) {
                continue;
            }
            candidate.respect_rest(rest);
            if let Some(meeting) = meet(candidate, candidate.distance(ways[0]), ways) {
                tell(candidate, meeting);
            }
        }
    }

    /// Makes the list; whether its length is sensible.
    fn search(&mut self, features: &Features, start: &[[f64; 3]], slack: f64) -> bool {
        self.searches += 1;
        let most = CROWD[0] * features.moving + CROWD[1];
        self.boxes.clear();
        for cell in &features.cells {
            let own = cell.corners().iter().map(|&v| self.rooms[v as usize]);
            let all = own.fold(Aabb::EMPTY, |all, room| all.union(&room));
            let radius = features.groups[cell.group as usize].touch.radius;
            self.boxes.push(all.grown(radius + 0.5 * slack));
        }
        self.pairs.clear();
        self.list.clear();
        if features.moving == 0 {
            return true;
        }
        self.pairs_of_cells(features, most);
        if self.pairs.len() > most {
            return false;
        }
        for p in 0..self.pairs.len() {
            let [a, b] = self.pairs[p].map(|c| c as usize);
            let [own, other] = [a, b].map(|c| features.cells[c].group);
            let partners = |g: u32| features.groups[g as usize].touch.partners;
            let meet = if own == other {
                // Those that share a vertex are known.
                partners(own) >= Partners::Itself && !features.share_vertex([a, b])
            } else {
                features.is_fixed(b) || partners(own).min(partners(other)) >= Partners::Bodies
            };
            if meet {
                self.features_of(features, start, [a, b], slack);
            }
            if self.list.len() > most {
                return false;
            }
        }
        true
    }

    /// Finds the pairs of cells whose boxes overlap, at most a little more than `most`.
    fn pairs_of_cells(&mut self, features: &Features, most: usize) {
        let (moving, fixed) = self.boxes.split_at(features.moving);
        if features.among_bodies {
            if choose(moving) == Method::Grid {
                self.grid.self_pairs(moving, &mut self.pairs, most);
            } else {
                self.moving.renew(moving);
                let visits = self.moving.tree.self_pairs(&mut self.pairs, most);
                self.moving.visited(visits);
            }
        }
        let among = self.pairs.len();
        if !fixed.is_empty() {
            if choose(&self.boxes) == Method::Grid {
                self.grid.pairs(moving, fixed, &mut self.pairs, most);
            } else {
                self.moving.renew(moving);
                self.fixed.renew(fixed);
                let visits = self.moving.tree.pairs(&self.fixed.tree, &mut self.pairs, most);
                self.fixed.visited(visits);
            }
            let offset = features.moving as u32;
            self.pairs[among..].iter_mut().for_each(|pair| pair[1] += offset);
        }
    }

    /// Appends the pairs of features that two cells look after and that can come near each other.
    fn features_of(&mut self, all: &Features, start: &[[f64; 3]], pair: [usize; 2], slack: f64) {
        let (rooms, reach, list) = (&self.rooms, &self.reach, &mut self.list);
        let one = Parts::new(all, rooms, pair[0], slack, &self.boxes[pair[1]]);
        let other = Parts::new(all, rooms, pair[1], slack, &self.boxes[pair[0]]);
        let farthest = |of: &[u32]| of.iter().fold(0.0, |s, &v| f64::max(s, reach[v as usize]));
        let masks = [one.masks, other.masks];
        Candidate::of_cells(all, pair, masks, |mut candidate, edges| {
            if candidate.edges && !one.edges[edges[0]].overlaps(&other.edges[edges[1]]) {
                return;
            }
            let [one, other] = [
                &candidate.vertices[..candidate.first()],
                &candidate.vertices[candidate.first()..],
            ];
            let nearest = candidate.nearest(start);
            let keep = candidate.gap + slack;
            if !(nearest.distance() - keep > farthest(one) + farthest(other)) {
                candidate.look_along(nearest.offset);
                list.push(candidate);
            }
        });
    }
}

/// The parts of a cell: rooms of its edges, grown like its box, and masks of the vertices and edges whose
/// rooms overlap another box.
struct Parts {
    edges: [Aabb; 3],
    masks: [u8; 2],
}

impl Parts {
    #[inline(always)]
    fn new(all: &Features, rooms: &[Aabb], cell: usize, slack: f64, other: &Aabb) -> Self {
        let cell = &all.cells[cell];
        let grown = all.groups[cell.group as usize].touch.radius + 0.5 * slack;
        let [a, b, c] = cell.vertices;
        let a = rooms[a as usize].grown(grown);
        let b = rooms[b as usize].grown(grown);
        let c = rooms[c as usize].grown(grown);
        let edges = [a.union(&b), b.union(&c), c.union(&a)];
        let bit = |of: &Aabb, k: u8| u8::from(of.overlaps(other)) << k;
        let masks = [
            bit(&a, 0) | bit(&b, 1) | bit(&c, 2),
            bit(&edges[0], 0) | bit(&edges[1], 1) | bit(&edges[2], 2),
        ];
        Self { edges, masks }
    }
}

/// The mean of some points \[m\].
fn middle(x: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    x.iter().for_each(|p| (0..3).for_each(|c| sum[c] += p[c]));
    sum.map(|s| s / x.len() as f64)
}
