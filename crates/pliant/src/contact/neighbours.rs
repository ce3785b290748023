//! Pairs of cells of one surface that share a vertex.
//!
//! Their boxes always overlap, so a search would find them each time, and most of what it finds would be
//! them. But what they share moves with both: whether other features of the two are near depends on how
//! the cells turn and stretch alone. A pair sleeps until the edges of both have changed by as much as its
//! features were apart.

use super::Partners;
use super::candidate::Candidate;
use super::features::{Cell, Features, sub};
use super::pairs::{Meeting, View, meet};
use super::travels::{awake, rounded_down, rounded_up};

/// Of how far edges have changed this part may be lost in sums.
const ROUNDING: f64 = 1e-9;

/// Two cells.
#[derive(Clone, Copy, Debug)]
struct Pair {
    cells: [u32; 2],
    /// Until the edges of both have changed this far in all, nothing of theirs can have met \[m\].
    wake: f32,
}

/// All such pairs of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    pairs: Vec<Pair>,
    /// How far the edges of each cell have changed up to the start of the way and up to its end \[m\].
    turned: Vec<[f64; 2]>,
    /// The latter, rounded up.
    ends: Vec<f32>,
    /// How each vertex moves \[m\].
    moved: Vec<[f64; 3]>,
    /// Which pairs are awake, those first, in the present look.
    awake: Vec<u32>,
    /// Where the vertices were at that start \[m\]; empty where nothing is known.
    start: Vec<[f64; 3]>,
}

impl Neighbours {
    pub fn new(features: &Features) -> Self {
        let mut cells_of = vec![Vec::new(); features.vertices];
        for (c, cell) in features.cells[..features.moving].iter().enumerate() {
            if features.groups[cell.group as usize].touch.partners >= Partners::Itself {
                cell.corners().iter().for_each(|&v| cells_of[v as usize].push(c as u32));
            }
        }
        let mut all = Vec::new();
        for cells in cells_of {
            for (i, &a) in cells.iter().enumerate() {
                all.extend(cells[i + 1..].iter().map(|&b| [a, b]));
            }
        }
        all.sort_unstable();
        all.dedup();
        let asleep = |cells| {
            let mut any = false;
            Candidate::of_cells(features, cells, |_| any = true);
            !any
        };
        all.retain(|pair| !asleep(pair.map(|c| c as usize)));
        let pairs: Vec<Pair> = all.into_iter().map(|cells| Pair { cells, wake: 0.0 }).collect();
        Self {
            turned: Vec::with_capacity(features.moving),
            ends: Vec::with_capacity(features.moving),
            moved: Vec::with_capacity(features.vertices),
            awake: Vec::with_capacity(pairs.len()),
            start: Vec::with_capacity(features.vertices),
            pairs,
        }
    }

    /// Forgets where everything was.
    pub fn forget(&mut self) {
        self.start.clear();
    }

    /// Notes how far edges have changed, and change on this way; `on` tells whether it starts where the last one ended.
    pub fn go(&mut self, features: &Features, [start, end]: [&[[f64; 3]]; 2], on: bool) {
        if self.pairs.is_empty() {
            return;
        }
        if self.start.len() != start.len() {
            self.start.clear();
            self.start.extend_from_slice(start);
            self.turned.clear();
            self.turned.resize(features.moving, [0.0; 2]);
            self.pairs.iter_mut().for_each(|pair| pair.wake = f32::NEG_INFINITY);
        }
        if on && self.start != start {
            self.turned.iter_mut().for_each(|turned| turned[0] = turned[1]);
            self.start.copy_from_slice(start);
        } else if self.start != start {
            move_all(&mut self.moved, &self.start, start);
            for (cell, turned) in features.cells.iter().zip(&mut self.turned) {
                turned[0] += change(cell, &self.moved);
            }
            self.start.copy_from_slice(start);
        }
        move_all(&mut self.moved, start, end);
        self.ends.clear();
        for (cell, turned) in features.cells.iter().zip(&mut self.turned) {
            turned[1] = turned[0] + change(cell, &self.moved);
            self.ends.push(rounded_up(turned[1]));
        }
    }

    /// Tells of all features of such cells that meet on the way; see
    /// [`Candidates::meetings`](super::candidates::Candidates::meetings).
    pub fn meetings(
        &mut self,
        View { features, rest, ways, look }: View,
        counts: &impl Fn(u32) -> bool,
        mut tell: impl FnMut(&Candidate, Meeting),
    ) {
        let all = self.pairs.iter().map(|pair| (pair.cells, pair.wake));
        let count = awake(&mut self.awake, all, &self.ends);
        for &number in &self.awake[..count] {
            let pair = &mut self.pairs[number as usize];
            let turned = pair.cells.map(|c| self.turned[c as usize]);
            let changes = turned[0][1] + turned[1][1] - turned[0][0] - turned[1][0];
            let mut least = f64::INFINITY;
            let cells = pair.cells.map(|c| c as usize);
            Candidate::of_cells(features, cells, |mut candidate| {
                let nearest = candidate.nearest(ways[0]);
                let apart = nearest.distance();
                least = least.min(apart - candidate.horizon());
                let far = (apart - candidate.horizon()) * (1.0 - ROUNDING) > changes;
                if far
                    || candidate.clear(&nearest, ways, look)
                    || !candidate.vertices.iter().any(|&v| counts(v))
                {
                    return;
                }
                if candidate.respect_rest(rest)
                    && let Some(meeting) = meet(&candidate, apart, ways, look)
                {
                    tell(&candidate, meeting);
                }
            });
            pair.wake = rounded_down((turned[0][0] + turned[1][0] + least) * (1.0 - ROUNDING));
        }
    }
}

/// How vertices move \[m\].
fn move_all(moved: &mut Vec<[f64; 3]>, from: &[[f64; 3]], to: &[[f64; 3]]) {
    moved.clear();
    moved.extend(from.iter().zip(to).map(|(&from, &to)| sub(to, from)));
}

/// How far an edge of a cell changes at most \[m\].
#[inline(always)]
fn change(cell: &Cell, moved: &[[f64; 3]]) -> f64 {
    let [a, b, c] = cell.vertices.map(|v| moved[v as usize]);
    let square = |p: [f64; 3], q: [f64; 3]| {
        let d = sub(p, q);
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    };
    square(b, a).max(square(c, b)).max(square(a, c)).sqrt()
}
