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
use super::travels::{Sums, awake, rounded_down};

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
        Self { awake: Vec::with_capacity(pairs.len()), pairs }
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
        turned: &Sums,
        counts: &impl Fn(u32) -> bool,
        mut tell: impl FnMut(&Candidate, Meeting),
    ) {
        let all = self.pairs.iter().map(|pair| (pair.cells, pair.wake));
        let count = awake(&mut self.awake, all, turned.ends());
        for &number in &self.awake[..count] {
            let pair = &mut self.pairs[number as usize];
            let until = [turned.both(pair.cells, 0), turned.both(pair.cells, 1)];
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
