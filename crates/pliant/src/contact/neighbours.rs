//! Pairs of cells of one surface that share a vertex.
//!
//! Their boxes always overlap, so a search would find them each time, and most of what it finds would be
//! them. But what they share moves with both: whether other features of the two are near depends on how
//! the cells turn and stretch alone. A pair sleeps until the edges of both have changed by as much as its
//! features were apart.

use super::Partners;
use super::candidate::Candidate;
use super::features::Features;
use super::pairs::{Meeting, View, meet};
use super::travels::{Travels, awake, rounded_down};

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
    /// The cells of each vertex, one vertex after another, and where those of each start, and the end.
    cells: Vec<u32>,
    starts: Vec<u32>,
    /// Which pairs are awake, those first, in the present look.
    awake: Vec<u32>,
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
        let mut starts = vec![0];
        for cells in &cells_of {
            starts.push(starts[starts.len() - 1] + cells.len() as u32);
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
        let (cells, awake) = (cells_of.concat(), Vec::with_capacity(pairs.len()));
        Self { pairs, cells, starts, awake }
    }

    /// A cell that shares a vertex with each of two.
    pub fn between(&self, features: &Features, [a, b]: [u32; 2]) -> Option<u32> {
        let around = |&v: &u32| {
            let v = v as usize;
            self.cells[self.starts[v] as usize..self.starts[v + 1] as usize].iter()
        };
        let corners = features.cells[a as usize].corners();
        let shares = |c: &&u32| features.share_vertex([**c as usize, b as usize]);
        corners.iter().flat_map(around).find(shares).copied()
    }

    /// Wakes all.
    pub fn wake(&mut self) {
        self.pairs.iter_mut().for_each(|pair| pair.wake = f32::NEG_INFINITY);
    }

    /// Tells of all features of such cells that meet on the way; see
    /// [`Candidates::meetings`](super::candidates::Candidates::meetings).
    pub fn meetings(
        &mut self,
        View { features, rest, ways, look }: View,
        travels: &Travels,
        counts: &impl Fn(u32) -> bool,
        mut tell: impl FnMut(&Candidate, Meeting),
    ) {
        let all = self.pairs.iter().map(|pair| (pair.cells, pair.wake));
        let count = awake(&mut self.awake, all, travels.edges());
        for &number in &self.awake[..count] {
            let pair = &mut self.pairs[number as usize];
            let terms = travels.joined(pair.cells);
            let until = [travels.sum(terms, 0), travels.sum(terms, 1)];
            let changes = until[1] - until[0];
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
            pair.wake = rounded_down((until[0] + least) * (1.0 - ROUNDING));
        }
    }
}
