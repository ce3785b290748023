//! Pairs of cells whose features may touch: kept while nothing leaves its room, asleep while they are apart.
//!
//! ```text
//! cells that share a vertex      always known; asleep until their edges have turned far enough
//! all others                     searched for: boxes that hold the way of each vertex and some room
//! ```
//!
//! Cells whose boxes overlap, grown by what they keep between them, are a pair. These stay all there are while
//! every vertex stays in its box; what leaves gets a new box, and its pairs are searched for again. A pair
//! sleeps until its cells have travelled as far as they were apart when it was last looked at. Of those awake
//! most stay clear of each other along the direction in which they were last seen apart, and where the cells do
//! not, most of their features do: six products for each end of the way tell both. All of this is looked at in
//! a frame that moves with most of the vertices, so that what falls or rests as a whole stands still.
//!
//! Who is on the list beyond those that touch, who sleeps, and along which direction it was seen, changes
//! nothing but time, so a simulation that was restored, and makes its list at another moment, still gives the
//! same bits.
//!
//! Where bodies are scrambled or fly apart, everything is near everything. Then there is nothing to keep
//! apart in a sensible way, and a list of all pairs would fill the memory: no list is made. That is told
//! by the ways alone, without room, so that it too does not depend on when the list was made.

use pliant_detect::grid::{Method, choose};
use pliant_detect::{Aabb, Bvh, Grid};

use super::candidate::Candidate;
use super::cell_pair::{Pair, Seen};
use super::features::{Cell, Features, distance};
use super::held::Held;
use super::neighbours::Neighbours;
use super::pairs::{Look, Meeting, View};
use super::travels::{Travels, awake};
use super::{Partners, Touch};

/// Room around the way of a vertex, as a part of the size of cells.
const ROOM: f64 = 0.15;
/// Room for ways to come, as a multiple of that.
const AHEAD: f64 = 3.0;
/// Of the room, what a vertex gets that rests, and what it gets for its way.
const AT_REST: f64 = 0.3;
const WAYS: f64 = 4.0;
/// A tree whose search visits this many times as many nodes as when it was built is built again.
const WORN: u64 = 2;
/// Where more than one vertex of this many has left its room, all get new ones.
const FEW: usize = 16;
/// Pairs of cells for each cell, and beside them, that are taken for sensible at most: sheets lying on one
/// another have about 20 for each cell and layer.
const CROWD: [usize; 2] = [128, 4_000];
/// As many times more for those who are patient.
const PATIENCE: usize = 16;

/// The candidates, and what is needed to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    pairs: Vec<Pair>,
    seen: Vec<Seen>,
    /// Which of them are awake, those first, in the present look.
    awake: Vec<u32>,
    neighbours: Neighbours,
    travels: Travels,
    /// Where the last way ended \[m\].
    ended: Vec<[f64; 3]>,
    /// The room of each vertex, in the frame of the travels, and that with half of what it keeps from others.
    rooms: Vec<Aabb>,
    wide: Vec<Aabb>,
    /// Which vertices have left their rooms, and which cells have such vertices.
    left: Vec<bool>,
    unsettled: Vec<bool>,
    boxes: Vec<Aabb>,
    /// The boxes that the list belonged to before.
    before: Vec<Aabb>,
    /// Cells whose boxes were found to overlap.
    found: Vec<[u32; 2]>,
    near: Vec<u32>,
    grid: Grid,
    moving: Tree,
    fixed: Tree,
    held: Held,
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
            pairs: Vec::with_capacity(32 * cells),
            seen: Vec::with_capacity(32 * cells),
            awake: Vec::with_capacity(32 * cells),
            found: Vec::with_capacity(48 * cells),
            near: Vec::with_capacity(64),
            rooms: Vec::with_capacity(features.vertices),
            wide: Vec::with_capacity(features.vertices),
            left: Vec::with_capacity(features.vertices),
            unsettled: Vec::with_capacity(cells),
            before: Vec::with_capacity(cells),
            travels: Travels::new(features),
            ended: Vec::with_capacity(features.vertices),
            held: Held::with_room(features.vertices),
            ..Self::default()
        };
        own.boxes.resize(cells, Aabb::of(&[[0.0; 3]]));
        let (moving, fixed) = own.boxes.split_at(features.moving);
        own.grid.pairs(moving, fixed, &mut own.found, 0);
        own.grid.self_pairs(moving, &mut own.found, 0);
        own.moving.tree.rebuild(moving);
        own.fixed.tree.rebuild(fixed);
        own.moving.worn = true;
        own.fixed.worn = true;
        own
    }

    /// Makes sure that all cells which come nearer than their gap and `slack` \[m\] on the way from
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
        // Most ways start where the last one ended: how far that took everything is known.
        let on = self.ended == ways[0];
        self.ended.clear();
        self.ended.extend_from_slice(ways[1]);
        let possible = if self.rooms.len() != ways[0].len() {
            self.travels.begin(ways[0]);
            self.neighbours.wake();
            self.search(features, ways, slack, ahead, room)
        } else {
            self.travels.go(ways, on);
            let left = self.mark_left(ways);
            left == 0
                || self.renew(features, ways, slack, ahead, left)
                || self.search(features, ways, slack, ahead, room)
        } || self.search(features, ways, slack, 1.0, 0.0);
        if !possible {
            self.rooms.clear();
            self.pairs.clear();
        }
        possible
    }

    /// Marks the vertices that are not in their rooms; how many.
    fn mark_left(&mut self, [start, end]: [&[[f64; 3]]; 2]) -> usize {
        self.left.clear();
        let travels = &self.travels;
        let mut count = 0;
        self.left.extend(self.rooms.iter().zip(start.iter().zip(end)).map(|(room, (a, b))| {
            let along = |p: [f64; 3], c: usize| (room.min[c] <= p[c]) & (p[c] <= room.max[c]);
            // Without short cuts: comparisons cost less than branches that are mispredicted.
            let within = |p: [f64; 3]| along(p, 0) & along(p, 1) & along(p, 2);
            let left = !(within(travels.place(*a, 0)) & within(travels.place(*b, 1)));
            count += usize::from(left);
            left
        }));
        count
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
        self.held.clear();
    }

    /// Notes which contact a candidate has become.
    pub fn became(&mut self, candidate: u128, contact: u32) {
        self.held.insert(candidate, contact);
    }

    /// Tells of every two features that meet on the way from `start` to `end`, which is covered, and whether
    /// their cells were searched for; it says whether that became a contact. Only those with a vertex that `counts` are looked at. What has become a
    /// contact that is not `stale` only matters where it passes.
    pub fn meetings(
        &mut self,
        view: View,
        stale: &[bool],
        counts: impl Fn(u32) -> bool,
        mut tell: impl FnMut(&Candidate, Meeting, bool) -> bool,
    ) {
        if self.rooms.is_empty() {
            // There was no way to cover.
            return;
        }
        let known = |candidate: &Candidate, meeting| _ = tell(candidate, meeting, false);
        self.neighbours.meetings(view, &self.travels, &counts, known);
        let (travels, held) = (&self.travels, &self.held);
        let holds = |candidate: &Candidate| {
            let contact = held.get(candidate.key());
            contact.is_some_and(|contact| stale.get(contact as usize) == Some(&false))
        };
        let look = |candidate: &Candidate| {
            if view.look != Look::Passing && holds(candidate) { Look::Passing } else { view.look }
        };
        let all = self.pairs.iter().map(|pair| (pair.terms, pair.wake(view.look)));
        let count = awake(&mut self.awake, all, travels.ends());
        for &number in &self.awake[..count] {
            let pair = &mut self.pairs[number as usize];
            let seen = &mut self.seen[number as usize];
            pair.look(seen, view, travels, &counts, look, |candidate, meeting| {
                tell(candidate, meeting, true)
            });
        }
    }

    /// Makes the list anew; whether its length is sensible.
    fn search(
        &mut self,
        features: &Features,
        ways: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
        room: f64,
    ) -> bool {
        if self.travels.are_long(features.size) {
            self.travels.begin(ways[0]);
            self.neighbours.wake();
        }
        self.travels.restart();
        self.travels.go(ways, false);
        self.left.clear();
        self.left.resize(ways[0].len(), true);
        self.rooms.clear();
        self.rooms.resize(ways[0].len(), Aabb::EMPTY);
        self.wide.clear();
        self.wide.resize(ways[0].len(), Aabb::EMPTY);
        self.boxes.clear();
        self.boxes.resize(features.cells.len(), Aabb::EMPTY);
        self.pairs.clear();
        self.seen.clear();
        self.give_rooms(features, ways, slack, ahead, room);
        self.find_all(features, ways[0])
    }

    /// Renews the list where vertices have left their rooms; whether its length is sensible.
    fn renew(
        &mut self,
        features: &Features,
        ways: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
        left: usize,
    ) -> bool {
        let all = FEW * left >= ways[0].len();
        if all {
            self.left.fill(true);
        }
        self.give_rooms(features, ways, slack, ahead, ROOM * features.size);
        let (boxes, unsettled) = (&self.boxes, &self.unsettled);
        let mut kept = 0;
        for from in 0..self.pairs.len() {
            let pair = self.pairs[from];
            let (a, b) = (pair.cells[0] as usize, pair.cells[1] as usize);
            let stays = !(unsettled[a] | unsettled[b]) || boxes[a].overlaps(&boxes[b]);
            (self.pairs[kept], self.seen[kept]) = (pair, self.seen[from]);
            kept += usize::from(stays);
        }
        self.pairs.truncate(kept);
        self.seen.truncate(kept);
        if all { self.find_all(features, ways[0]) } else { self.find_again(features, ways[0]) }
    }

    /// Gives those who have left their rooms new ones, and their cells new boxes.
    fn give_rooms(
        &mut self,
        features: &Features,
        ways: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
        room: f64,
    ) {
        for (v, _) in self.left.iter().enumerate().filter(|(_, left)| **left) {
            let [a, b] = [self.travels.place(ways[0][v], 0), self.travels.place(ways[1][v], 1)];
            self.rooms[v] = Self::room_of(a, b, ahead, room);
            self.wide[v] = self.rooms[v].grown(features.radii[v] + 0.5 * slack);
        }
        self.unsettled.clear();
        let left = &self.left;
        let of_cell = |c: &Cell| c.corners().iter().any(|&v| left[v as usize]);
        self.unsettled.extend(features.cells.iter().map(of_cell));
        self.before.clone_from(&self.boxes);
        for (c, _) in self.unsettled.iter().enumerate().filter(|(_, u)| **u) {
            self.boxes[c] = box_of(&features.cells[c], &self.wide);
        }
    }

    /// Looks everywhere for pairs that are new.
    fn find_all(&mut self, features: &Features, start: &[[f64; 3]]) -> bool {
        self.searches += 1;
        self.found.clear();
        let most = self.most(features);
        if features.moving > 0 {
            self.find_overlaps(features, most);
        }
        self.take_over(features, start, most)
    }

    /// Looks for pairs that are new around those cells that have new boxes.
    fn find_again(&mut self, features: &Features, start: &[[f64; 3]]) -> bool {
        let unsettled = &self.unsettled;
        let (moving, fixed) = self.boxes.split_at(features.moving);
        self.moving.renew(moving);
        self.fixed.renew(fixed);
        let most = self.most(features);
        let offset = features.moving as u32;
        self.found.clear();
        for c in (0..features.cells.len() as u32).filter(|&c| unsettled[c as usize]) {
            let own = &self.boxes[c as usize];
            if c < offset && features.among_bodies {
                self.near.clear();
                self.moving.tree.overlapping(own, &mut self.near);
                let news =
                    self.near.iter().filter(|&&o| o > c || (o < c && !unsettled[o as usize]));
                self.found.extend(news.map(|&o| [c.min(o), c.max(o)]));
            }
            if c < offset && !fixed.is_empty() {
                self.near.clear();
                self.fixed.tree.overlapping(own, &mut self.near);
                self.found.extend(self.near.iter().map(|&o| [c, o + offset]));
            } else if c >= offset {
                self.near.clear();
                self.moving.tree.overlapping(own, &mut self.near);
                let news = self.near.iter().filter(|&&o| !unsettled[o as usize]);
                self.found.extend(news.map(|&o| [o, c]));
            }
            if self.found.len() > most {
                return false;
            }
        }
        self.take_over(features, start, most)
    }

    /// Appends those of the cells found that are new and whose features may touch; whether the list's length is
    /// sensible.
    fn take_over(&mut self, features: &Features, start: &[[f64; 3]], most: usize) -> bool {
        if self.found.len() > most {
            return false;
        }
        for &[a, b] in &self.found {
            let cells = [a as usize, b as usize];
            if self.before[cells[0]].overlaps(&self.before[cells[1]]) {
                // Known.
                continue;
            }
            let [own, other] = cells.map(|c| features.cells[c].group);
            let touch = |g: u32| &features.groups[g as usize].touch;
            let partners = |g: u32| touch(g).partners;
            let meet = if own == other {
                // Those that share a vertex are known.
                partners(own) >= Partners::Itself && !features.share_vertex(cells)
            } else {
                (features.is_fixed(cells[1])
                    || partners(own).min(partners(other)) >= Partners::Bodies)
                    && !Touch::are_family(touch(own), touch(other))
            };
            if meet {
                let travels = &self.travels;
                let linked = || self.neighbours.between(features, [a, b]);
                let terms = match if own == other { linked() } else { None } {
                    Some(between) => travels.linked([a, b], between),
                    None => travels.apart([a, b]),
                };
                let (pair, seen) = Pair::new([a, b], terms, features, start, travels);
                self.pairs.push(pair);
                self.seen.push(seen);
            }
        }
        self.pairs.len() <= most
    }

    /// The most pairs that are sensible.
    fn most(&self, features: &Features) -> usize {
        let times = if self.patient { PATIENCE } else { 1 };
        times * (CROWD[0] * features.moving + CROWD[1])
    }

    /// Finds the cells whose boxes overlap, at most a little more than `most`.
    fn find_overlaps(&mut self, features: &Features, most: usize) {
        let (moving, fixed) = self.boxes.split_at(features.moving);
        if features.among_bodies {
            if choose(moving) == Method::Grid {
                self.grid.self_pairs(moving, &mut self.found, most);
            } else {
                self.moving.renew(moving);
                let visits = self.moving.tree.self_pairs(&mut self.found, most);
                self.moving.visited(visits);
            }
        }
        let among = self.found.len();
        if !fixed.is_empty() {
            if choose(&self.boxes) == Method::Grid {
                self.grid.pairs(moving, fixed, &mut self.found, most);
            } else {
                self.moving.renew(moving);
                self.fixed.renew(fixed);
                let visits = self.moving.tree.pairs(&self.fixed.tree, &mut self.found, most);
                self.fixed.visited(visits);
            }
            let offset = features.moving as u32;
            self.found[among..].iter_mut().for_each(|pair| pair[1] += offset);
        }
    }
}

/// A box that holds a cell while its vertices are in their rooms, and half of what it keeps from others.
fn box_of(cell: &Cell, wide: &[Aabb]) -> Aabb {
    let own = cell.corners().iter().map(|&v| wide[v as usize]);
    own.fold(Aabb::EMPTY, |all, room| all.union(&room))
}
