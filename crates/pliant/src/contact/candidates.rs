//! Pairs of features that may touch: found by cells, kept while nothing leaves its room.
//!
//! ```text
//! cells that share a vertex      always known; asleep until their edges have turned far enough
//! all others                     searched for: boxes that hold the way of each vertex and some room
//! ```
//!
//! Pairs of features whose boxes overlap, grown by what they keep between them, are candidates. They stay
//! all there are while every vertex stays in its box; what leaves gets a new box, and its pairs are searched
//! for again. A candidate sleeps until its cells have travelled as far as it was apart when it was last
//! looked at. Of those awake most stay clear of each other along the axis in which they were last seen
//! apart: eight products tell. All of this is looked at in a frame that moves with most of the vertices, so
//! that what falls or rests as a whole stands still.
//!
//! Who is on the list beyond those that touch, who sleeps, and along which axis it was seen, changes nothing
//! but time, so a simulation that was restored, and makes its list at another moment, still gives the same
//! bits.
//!
//! Where bodies are scrambled or fly apart, everything is near everything. Then there is nothing to keep
//! apart in a sensible way, and a list of all pairs would fill the memory: no list is made. That is told
//! by the ways alone, without room, so that it too does not depend on when the list was made.

use pliant_detect::grid::{Method, choose};
use pliant_detect::{Aabb, Bvh, Grid, closest};

use super::features::{Cell, Features, distance};
use super::neighbours::Neighbours;
use super::pairs::{AHEAD_OF_EDGES, AHEAD_OF_VERTICES, Look, Meeting, View, danger, meet};
use super::travels::Travels;
use super::{Partners, Touch};

/// Room around the way of a vertex, as a part of the size of cells.
const ROOM: f64 = 0.1;
/// Room for ways to come, as a multiple of that.
const AHEAD: f64 = 3.0;
/// Of the room, what a vertex gets that rests, and what it gets for its way.
const AT_REST: f64 = 0.3;
const WAYS: f64 = 4.0;
/// A tree whose search visits this many times as many nodes as when it was built is built again.
const WORN: u64 = 2;
/// Where more than one vertex of this many has left its room, all get new ones.
const FEW: usize = 3;
/// Of how far cells have travelled this part may be lost in sums.
const ROUNDING: f64 = 1e-9;
/// An axis in single precision is at most this much longer than one.
const UNIT: f64 = 1.0 - 1e-6;
/// Features of one body that are as near as this part of the distance at rest touch.
const REST: f64 = 0.9;
/// Candidates for each cell, and beside them, that are taken for sensible at most: sheets lying on one
/// another have about 30 for each cell and layer.
const CROWD: [usize; 2] = [256, 4_000];
/// As many times more for those who are patient.
const PATIENCE: usize = 16;

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
    /// Features that end farther apart than this have not met \[m\].
    pub fn horizon(&self) -> f64 {
        let ahead = if self.edges { AHEAD_OF_EDGES } else { AHEAD_OF_VERTICES };
        ahead * self.gap
    }

    /// Features that stay farther apart than this are not what is looked for \[m\].
    fn keep(&self, look: Look) -> f64 {
        match look {
            Look::Near => self.horizon(),
            Look::Passing => danger(self.gap),
        }
    }

    /// How far apart the features are at `x` \[m\].
    pub fn distance(&self, x: &[[f64; 3]]) -> f64 {
        self.nearest(x).distance()
    }

    /// Where the features are nearest at `x`.
    pub fn nearest(&self, x: &[[f64; 3]]) -> closest::Closest<4> {
        let [a, b, c, d] = self.vertices;
        let x = [x[a as usize], x[b as usize], x[c as usize], x[d as usize]];
        if self.edges { closest::edge_edge(x) } else { closest::vertex_triangle(x) }
    }

    /// Looks along another axis.
    fn look_along(&mut self, offset: [f64; 3]) {
        let length = distance(offset, [0.0; 3]);
        if length > 0.0 {
            self.axis = offset.map(|c| (c / length) as f32);
        }
    }

    /// How far apart the features surely are at both ends of a way \[m\]: along the axis, where the distance
    /// of each two vertices on the way is least at an end.
    #[inline(always)]
    fn apart(&self, [start, end]: [&[[f64; 3]]; 2]) -> [f64; 2] {
        [self.apart_at(start), self.apart_at(end)]
    }

    #[inline(always)]
    fn apart_at(&self, x: &[[f64; 3]]) -> f64 {
        let [u, v, w] = [f64::from(self.axis[0]), f64::from(self.axis[1]), f64::from(self.axis[2])];
        let along = |k: usize| {
            let p = &x[self.vertices[k] as usize];
            u * p[0] + v * p[1] + w * p[2]
        };
        let (a, b, c, d) = (along(0), along(1), along(2), along(3));
        let apart = if self.edges { a.min(b) - c.max(d) } else { a - b.max(c).max(d) };
        apart * UNIT
    }

    /// Whether the features stay farther apart than `keep` \[m\] along the axis in which they were last seen.
    fn clear_along_axis(&self, ways: [&[[f64; 3]]; 2], keep: f64) -> bool {
        let [start, end] = self.apart(ways);
        start > keep && end > keep
    }

    /// Whether the features, nearest as given at the start, do not come near on the way: along the axis of
    /// the start or of the end.
    pub fn clear(
        &mut self,
        nearest: &closest::Closest<4>,
        ways: [&[[f64; 3]]; 2],
        look: Look,
    ) -> bool {
        let keep = self.keep(look);
        self.look_along(nearest.offset);
        self.clear_along_axis(ways, keep) || {
            let axis = self.axis;
            self.look_along(self.nearest(ways[1]).offset);
            let clear = self.clear_along_axis(ways, keep);
            if !clear {
                self.axis = axis;
            }
            clear
        }
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

    /// How far apart the features are along the axis wherever their vertices are in their rooms \[m\].
    fn rooms_apart(&self, rooms: &[Aabb]) -> f64 {
        let along = |k: usize, sign: f64| {
            let room = &rooms[self.vertices[k] as usize];
            (0..3).fold(0.0, |sum, c| {
                let a = sign * f64::from(self.axis[c]);
                sum + f64::min(a * room.min[c], a * room.max[c])
            })
        };
        let (first, second) = if self.edges {
            (along(0, 1.0).min(along(1, 1.0)), along(2, -1.0).min(along(3, -1.0)))
        } else {
            (along(0, 1.0), along(1, -1.0).min(along(2, -1.0)).min(along(3, -1.0)))
        };
        (first + second) * UNIT
    }
}

/// How long a candidate sleeps.
#[derive(Clone, Copy, Debug)]
struct Sleep {
    /// The cells that look after its features.
    cells: [u32; 2],
    /// Until both have travelled this far in all, it cannot have come near \[m\].
    wake: f64,
    /// How much farther until it can have passed \[m\].
    beyond: f32,
    /// Which contact it became, and in which search for contacts.
    became: u32,
    when: u32,
}

/// The candidates, and what is needed to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    list: Vec<Candidate>,
    /// How long each of them sleeps.
    sleep: Vec<Sleep>,
    neighbours: Neighbours,
    travels: Travels,
    /// The room of each vertex, in the frame of the travels, and that with half of what it keeps from others.
    rooms: Vec<Aabb>,
    wide: Vec<Aabb>,
    /// Which vertices have left their rooms, and which cells have such vertices.
    left: Vec<bool>,
    unsettled: Vec<bool>,
    boxes: Vec<Aabb>,
    /// Pairs of cells whose boxes overlap.
    pairs: Vec<[u32; 2]>,
    near: Vec<u32>,
    grid: Grid,
    moving: Tree,
    fixed: Tree,
    /// How often contacts were searched for anew.
    when: u32,
    /// What has become a contact since, and was taken from the list: its vertices, how many were before it,
    /// and the contact.
    lost: Vec<([u32; 4], usize, u32)>,
    /// How often the whole list was made.
    pub searches: usize,
    /// Whether a long list is made rather than none.
    pub patient: bool,
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
            sleep: Vec::with_capacity(16 * cells),
            pairs: Vec::with_capacity(32 * cells),
            near: Vec::with_capacity(64),
            rooms: Vec::with_capacity(features.vertices),
            wide: Vec::with_capacity(features.vertices),
            left: Vec::with_capacity(features.vertices),
            unsettled: Vec::with_capacity(cells),
            travels: Travels::new(features),
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
        let room = ROOM * features.size;
        let possible = if self.rooms.len() != ways[0].len() {
            self.search(features, ways, slack, ahead, room)
        } else {
            self.travels.go(features, ways);
            match self.mark_left(ways) {
                0 => true,
                few if FEW * few < ways[0].len() => {
                    self.search_again(features, ways, slack, ahead, room)
                        || self.search(features, ways, slack, ahead, room)
                }
                _ => self.search(features, ways, slack, ahead, room),
            }
        } || self.search(features, ways, slack, 1.0, 0.0);
        if possible {
            self.neighbours.go(features, ways);
        } else {
            self.rooms.clear();
            self.list.clear();
            self.sleep.clear();
            self.lost.clear();
            self.neighbours.forget();
        }
        possible
    }

    /// Marks the vertices that are not in their rooms; how many.
    fn mark_left(&mut self, [start, end]: [&[[f64; 3]]; 2]) -> usize {
        self.left.clear();
        let travels = &self.travels;
        self.left.extend(self.rooms.iter().zip(start.iter().zip(end)).map(|(room, (a, b))| {
            let within = |p: [f64; 3]| (0..3).all(|c| room.min[c] <= p[c] && p[c] <= room.max[c]);
            !(within(travels.place(*a, 0)) && within(travels.place(*b, 1)))
        }));
        self.left.iter().filter(|left| **left).count()
    }

    /// A room for a vertex that goes from one place in the frame to another.
    fn room_of(a: [f64; 3], b: [f64; 3], ahead: f64, room: f64) -> Aabb {
        let farther = AHEAD * room;
        let way = distance(a, b);
        let times = if ahead * way > farther { (farther / way).max(1.0) } else { ahead };
        let far = [0, 1, 2].map(|c| a[c] + times * (b[c] - a[c]));
        Aabb::of(&[a, b, far]).grown((WAYS * way).clamp(AT_REST * room, room))
    }

    /// From now on no candidate has become a contact.
    pub fn forget_contacts(&mut self) {
        self.when = self.when.wrapping_add(1);
        self.lost.clear();
    }

    /// Remembers what candidates have become that are taken from the list.
    fn remember(&mut self, taken: impl Fn(&Candidate) -> bool) {
        let when = self.when;
        let listed = self.sleep.iter().zip(&self.list).filter(|(own, _)| own.when == when);
        let taken = listed.filter(|(_, candidate)| taken(candidate));
        let before = self.lost.iter().map(|lost| lost.1 + 1).max().unwrap_or(0);
        let taken = taken.zip(before..);
        self.lost.extend(taken.map(|((own, candidate), n)| (candidate.vertices, n, own.became)));
        self.lost.sort_unstable();
        // Of the same the last counts.
        self.lost.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                *kept = *next;
            }
            same
        });
    }

    /// Notes which contact a candidate has become.
    pub fn became(&mut self, candidate: usize, contact: u32) {
        if let Some(own) = self.sleep.get_mut(candidate) {
            (own.became, own.when) = (contact, self.when);
        }
    }

    /// Tells of every two features that meet on the way from `start` to `end`, which is covered, with their
    /// number. Only those with a vertex that `counts` are looked at. What has become a contact that is not
    /// `stale` only matters where it passes.
    pub fn meetings(
        &mut self,
        view: View,
        stale: &[bool],
        counts: impl Fn(u32) -> bool,
        mut tell: impl FnMut(&Candidate, Meeting, usize),
    ) {
        if self.rooms.is_empty() {
            // There was no way to cover.
            return;
        }
        // Those that share a vertex have no number.
        let known = |candidate: &Candidate, meeting| tell(candidate, meeting, usize::MAX);
        self.neighbours.meetings(view, &counts, known);
        let View { rest, ways, look, .. } = view;
        let (travels, when) = (&self.travels, self.when);
        let all = self.sleep.iter_mut().zip(&mut self.list).enumerate();
        for (number, (sleep, candidate)) in all {
            let travelled = travels.both(sleep.cells, 1);
            let holds = sleep.when == when && stale.get(sleep.became as usize) == Some(&false);
            let look = if holds { Look::Passing } else { look };
            let beyond = if look == Look::Passing { f64::from(sleep.beyond) } else { 0.0 };
            if travelled < sleep.wake + beyond {
                continue;
            }
            let keep = candidate.keep(look);
            let horizon = candidate.horizon();
            let mut sleeps = |apart: f64| {
                sleep.wake = (travels.both(sleep.cells, 0) + apart - horizon) * (1.0 - ROUNDING);
                travelled < sleep.wake + beyond
            };
            let [apart, end] = candidate.apart(ways);
            if sleeps(apart) || (apart > keep && end > keep) {
                continue;
            }
            let nearest = candidate.nearest(ways[0]);
            if sleeps(nearest.distance()) || candidate.clear(&nearest, ways, look) {
                continue;
            }
            if !candidate.vertices.iter().any(|&v| counts(v)) {
                continue;
            }
            candidate.respect_rest(rest);
            if let Some(meeting) = meet(candidate, nearest.distance(), ways, look) {
                tell(candidate, meeting, number);
            }
        }
    }

    /// Makes the whole list; whether its length is sensible.
    fn search(
        &mut self,
        features: &Features,
        ways: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
        room: f64,
    ) -> bool {
        self.searches += 1;
        self.travels.restart(features, ways[0]);
        self.travels.go(features, ways);
        let travels = &self.travels;
        self.rooms.clear();
        self.rooms.extend(
            ways[0].iter().zip(ways[1]).map(|(a, b)| {
                Self::room_of(travels.place(*a, 0), travels.place(*b, 1), ahead, room)
            }),
        );
        self.wide.clear();
        let radii = features.radii.iter();
        self.wide.extend(self.rooms.iter().zip(radii).map(|(own, r)| own.grown(r + 0.5 * slack)));
        self.left.clear();
        self.left.resize(self.rooms.len(), true);
        self.boxes.clear();
        self.boxes.extend(features.cells.iter().map(|cell| box_of(cell, &self.wide)));
        self.remember(|_| true);
        self.pairs.clear();
        self.list.clear();
        self.sleep.clear();
        if features.moving == 0 {
            return true;
        }
        let most = self.most(features);
        self.pairs_of_cells(features, most);
        self.features_of_pairs(features, ways[0], 0, most)
    }

    /// Renews the list where vertices have left their rooms; whether its length is sensible.
    fn search_again(
        &mut self,
        features: &Features,
        ways: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
        room: f64,
    ) -> bool {
        for (v, _) in self.left.iter().enumerate().filter(|(_, left)| **left) {
            let [a, b] = [self.travels.place(ways[0][v], 0), self.travels.place(ways[1][v], 1)];
            self.rooms[v] = Self::room_of(a, b, ahead, room);
            self.wide[v] = self.rooms[v].grown(features.radii[v] + 0.5 * slack);
        }
        let left = std::mem::take(&mut self.left);
        self.remember(|candidate| candidate.vertices.iter().any(|&v| left[v as usize]));
        self.left = left;
        self.unsettled.clear();
        let left = &self.left;
        let of_cell = |c: &Cell| c.corners().iter().any(|&v| left[v as usize]);
        self.unsettled.extend(features.cells.iter().map(of_cell));
        for (c, _) in self.unsettled.iter().enumerate().filter(|(_, u)| **u) {
            self.boxes[c] = box_of(&features.cells[c], &self.wide);
        }
        let unsettled = &self.unsettled;
        self.pairs.retain(|pair| !pair.iter().any(|&c| unsettled[c as usize]));
        let mut to = 0;
        for from in 0..self.list.len() {
            if !self.list[from].vertices.iter().any(|&v| left[v as usize]) {
                self.list[to] = self.list[from];
                self.sleep[to] = self.sleep[from];
                to += 1;
            }
        }
        self.list.truncate(to);
        self.sleep.truncate(to);
        let (moving, fixed) = self.boxes.split_at(features.moving);
        self.moving.renew(moving);
        self.fixed.renew(fixed);
        let (old, most) = (self.pairs.len(), self.most(features));
        let offset = features.moving as u32;
        for c in (0..features.cells.len() as u32).filter(|&c| unsettled[c as usize]) {
            let own = &self.boxes[c as usize];
            if c < offset && features.among_bodies {
                self.near.clear();
                self.moving.tree.overlapping(own, &mut self.near);
                let news =
                    self.near.iter().filter(|&&o| o > c || (o < c && !unsettled[o as usize]));
                self.pairs.extend(news.map(|&o| [c.min(o), c.max(o)]));
            }
            if c < offset && !fixed.is_empty() {
                self.near.clear();
                self.fixed.tree.overlapping(own, &mut self.near);
                self.pairs.extend(self.near.iter().map(|&o| [c, o + offset]));
            } else if c >= offset {
                self.near.clear();
                self.moving.tree.overlapping(own, &mut self.near);
                let news = self.near.iter().filter(|&&o| !unsettled[o as usize]);
                self.pairs.extend(news.map(|&o| [o, c]));
            }
            if self.pairs.len() > most {
                return false;
            }
        }
        self.features_of_pairs(features, ways[0], old, most)
    }

    /// Appends the candidates of the pairs of cells from a number on; whether the length is sensible.
    fn features_of_pairs(
        &mut self,
        features: &Features,
        start: &[[f64; 3]],
        from: usize,
        most: usize,
    ) -> bool {
        if self.pairs.len() > most {
            return false;
        }
        for p in from..self.pairs.len() {
            let [a, b] = self.pairs[p].map(|c| c as usize);
            let [own, other] = [a, b].map(|c| features.cells[c].group);
            let touch = |g: u32| &features.groups[g as usize].touch;
            let partners = |g: u32| touch(g).partners;
            let meet = if own == other {
                // Those that share a vertex are known.
                partners(own) >= Partners::Itself && !features.share_vertex([a, b])
            } else {
                (features.is_fixed(b) || partners(own).min(partners(other)) >= Partners::Bodies)
                    && !Touch::are_family(touch(own), touch(other))
            };
            if meet {
                self.features_of(features, start, [a, b]);
            }
            if self.list.len() > most {
                return false;
            }
        }
        true
    }

    /// The most candidates and pairs of cells that are sensible.
    fn most(&self, features: &Features) -> usize {
        let times = if self.patient { PATIENCE } else { 1 };
        times * (CROWD[0] * features.moving + CROWD[1])
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

    /// Appends the pairs of features that two cells look after, that can come near each other, and of which
    /// a vertex has left its room.
    fn features_of(&mut self, all: &Features, start: &[[f64; 3]], pair: [usize; 2]) {
        let (rooms, left, list, sleep) = (&self.rooms, &self.left, &mut self.list, &mut self.sleep);
        let one = Parts::new(&all.cells[pair[0]], &self.wide, &self.boxes[pair[1]]);
        let other = Parts::new(&all.cells[pair[1]], &self.wide, &self.boxes[pair[0]]);
        let masks = [one.masks, other.masks];
        let cells = pair.map(|c| c as u32);
        let travelled = self.travels.both(cells, 0);
        let (lost, now) = (&self.lost, self.when);
        Candidate::of_cells(all, pair, masks, |mut candidate, edges| {
            if candidate.edges && !one.edges[edges[0]].overlaps(&other.edges[edges[1]]) {
                return;
            }
            if !candidate.vertices.iter().any(|&v| left[v as usize]) {
                return;
            }
            let nearest = candidate.nearest(start);
            candidate.look_along(nearest.offset);
            if candidate.rooms_apart(rooms) > candidate.horizon() {
                return;
            }
            let wake = (travelled + nearest.distance() - candidate.horizon()) * (1.0 - ROUNDING);
            let beyond = ((candidate.horizon() - danger(candidate.gap)) * UNIT) as f32;
            // Whether it has become a contact must not depend on when the list was made.
            let known = lost.binary_search_by_key(&candidate.vertices, |lost| lost.0);
            let (became, when) = known.map_or((0, now.wrapping_sub(1)), |at| (lost[at].2, now));
            sleep.push(Sleep { cells, wake, beyond, became, when });
            list.push(candidate);
        });
    }
}

/// A box that holds a cell while its vertices are in their rooms, and half of what it keeps from others.
fn box_of(cell: &Cell, wide: &[Aabb]) -> Aabb {
    let own = cell.corners().iter().map(|&v| wide[v as usize]);
    own.fold(Aabb::EMPTY, |all, room| all.union(&room))
}

/// The parts of a cell: boxes of its edges, and masks of the vertices and edges whose boxes overlap another.
struct Parts {
    edges: [Aabb; 3],
    masks: [u8; 2],
}

impl Parts {
    #[inline(always)]
    fn new(cell: &Cell, wide: &[Aabb], other: &Aabb) -> Self {
        let [a, b, c] = cell.vertices;
        let (a, b, c) = (&wide[a as usize], &wide[b as usize], &wide[c as usize]);
        let edges = [a.union(b), b.union(c), c.union(a)];
        let bit = |of: &Aabb, k: u8| u8::from(of.overlaps(other)) << k;
        let masks = [
            bit(a, 0) | bit(b, 1) | bit(c, 2),
            bit(&edges[0], 0) | bit(&edges[1], 1) | bit(&edges[2], 2),
        ];
        Self { edges, masks }
    }
}
