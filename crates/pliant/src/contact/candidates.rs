//! Pairs of features that may touch: found by cells, kept while nothing leaves its room.
//!
//! Every vertex gets a box that holds its way through the substep and some room around it. Pairs of
//! features whose boxes overlap, grown by what they keep between them, are candidates. They stay all
//! there are until a vertex leaves its box; then the boxes and the pairs are made anew. Who is on the
//! list beyond those that touch changes nothing but time, so a simulation that was restored, and makes
//! its list at another moment, still gives the same bits.

use pliant_detect::grid::{Method, choose};
use pliant_detect::{Aabb, Bvh, Grid, closest};

use super::Partners;
use super::features::Features;

/// Room around the way of a vertex, as a part of the size of cells.
const ROOM: f64 = 0.1;
/// A tree whose search visits this many times as many nodes as when it was built is built again.
const WORN: u64 = 2;
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
    /// What they are part of.
    pub groups: [u32; 2],
    /// The distance to keep \[m\].
    pub gap: f64,
}

/// The candidates, and what is needed to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    pub list: Vec<Candidate>,
    /// The room of each vertex.
    rooms: Vec<Aabb>,
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
    /// Makes sure that all features which come nearer than their gap and `slack` \[m\] on the way from
    /// `start` to `end` are on the list. `ahead` is how many ways of this kind the rooms should last.
    pub fn cover(
        &mut self,
        features: &Features,
        rest: &[[f64; 3]],
        [start, end]: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
    ) {
        let within = |(room, p): (&Aabb, &[f64; 3])| {
            (0..3).all(|c| room.min[c] <= p[c] && p[c] <= room.max[c])
        };
        let lasts = self.rooms.len() == start.len()
            && self.rooms.iter().zip(start).all(within)
            && self.rooms.iter().zip(end).all(within);
        if !lasts {
            self.make_room(features, [start, end], ahead);
            self.search(features, rest, slack);
        }
    }

    fn make_room(&mut self, features: &Features, [start, end]: [&[[f64; 3]]; 2], ahead: f64) {
        self.rooms.clear();
        let room = ROOM * features.size;
        self.rooms.extend(start.iter().zip(end).map(|(a, b)| {
            let far = [0, 1, 2].map(|c| a[c] + ahead * (b[c] - a[c]));
            Aabb::of(&[*a, *b, far]).grown(room)
        }));
    }

    fn search(&mut self, features: &Features, rest: &[[f64; 3]], slack: f64) {
        self.searches += 1;
        self.boxes.clear();
        for cell in &features.cells {
            let own = cell.corners().iter().map(|&v| self.rooms[v as usize]);
            let all = own.fold(Aabb::EMPTY, |all, room| all.union(&room));
            let radius = features.groups[cell.group as usize].touch.radius;
            self.boxes.push(all.grown(radius + 0.5 * slack));
        }
        let (moving, fixed) = self.boxes.split_at(features.moving);
        self.pairs.clear();
        if moving.is_empty() {
            self.list.clear();
            return;
        }
        if features.among_bodies {
            if choose(moving) == Method::Grid {
                self.grid.self_pairs(moving, &mut self.pairs);
            } else {
                self.moving.renew(moving);
                let visits = self.moving.tree.self_pairs(&mut self.pairs);
                self.moving.visited(visits);
            }
        }
        let among = self.pairs.len();
        if !fixed.is_empty() {
            if choose(&self.boxes) == Method::Grid {
                self.grid.pairs(moving, fixed, &mut self.pairs);
            } else {
                self.moving.renew(moving);
                self.fixed.renew(fixed);
                let visits = self.moving.tree.pairs(&self.fixed.tree, &mut self.pairs);
                self.fixed.visited(visits);
            }
            let offset = features.moving as u32;
            self.pairs[among..].iter_mut().for_each(|pair| pair[1] += offset);
        }
        self.list.clear();
        for p in 0..self.pairs.len() {
            let [a, b] = self.pairs[p].map(|c| c as usize);
            let [own, other] = [a, b].map(|c| features.cells[c].group);
            let partners = |g: u32| features.groups[g as usize].touch.partners;
            let needed = if own == other { Partners::Itself } else { Partners::Bodies };
            if features.is_fixed(b) || partners(own).min(partners(other)) >= needed {
                self.features_of(features, rest, [a, b], slack);
            }
        }
    }

    /// Appends the pairs of features that two cells look after.
    fn features_of(&mut self, all: &Features, rest: &[[f64; 3]], pair: [usize; 2], slack: f64) {
        let cells = pair.map(|c| all.cells[c]);
        let groups = cells.map(|c| c.group);
        let touch = groups.map(|g| all.groups[g as usize]);
        let gap = touch[0].touch.radius + touch[1].touch.radius;
        let near = |a: &[u32], b: &[u32]| {
            let around =
                |of: &[u32]| of.iter().fold(Aabb::EMPTY, |s, &v| s.union(&self.rooms[v as usize]));
            around(a).grown(gap + slack).overlaps(&around(b))
        };
        let mut found: [Option<Candidate>; 15] = [None; 15];
        let mut count = 0;
        let mut offer = |candidate: Candidate| {
            found[count] = Some(candidate);
            count += 1;
        };
        let plain = Candidate {
            vertices: [0; 4],
            edges: false,
            face_of_collider: false,
            thread: false,
            groups,
            gap,
        };
        for (one, other, fixed) in [(0, 1, all.is_fixed(pair[1])), (1, 0, false)] {
            if cells[other].count != 3 {
                continue;
            }
            let [a, b, c] = cells[other].vertices;
            for v in cells[one].vertices() {
                if ![a, b, c].contains(&v) && near(&[v], &[a, b, c]) {
                    offer(Candidate { vertices: [v, a, b, c], face_of_collider: fixed, ..plain });
                }
            }
        }
        let thread = touch[0].thread || touch[1].thread;
        for [a, b] in cells[0].edges() {
            for [c, d] in cells[1].edges() {
                if a != c && a != d && b != c && b != d && near(&[a, b], &[c, d]) {
                    offer(Candidate { vertices: [a, b, c, d], edges: true, thread, ..plain });
                }
            }
        }
        for mut candidate in found.into_iter().flatten() {
            if groups[0] == groups[1] {
                let x = candidate.vertices.map(|v| rest[v as usize]);
                let at_rest = if candidate.edges {
                    closest::edge_edge(x).distance()
                } else {
                    closest::vertex_triangle(x).distance()
                };
                candidate.gap = gap.min(REST * at_rest);
            }
            self.list.push(candidate);
        }
    }
}
