//! Pairs of cells of one surface that share a vertex.
//!
//! Their boxes always overlap, so a search would find them each time, and most of what it finds would be
//! them. But what they share moves with both: whether other features of the two are near depends on how
//! the cells turn and stretch alone. A pair sleeps until the edges of both have changed by as much as its
//! features were apart.

use super::Partners;
use super::candidates::{ALL, Candidate};
use super::features::{Features, sub};
use super::pairs::{Meeting, View, meet};

/// Of how far edges have changed this part may be lost in sums.
const ROUNDING: f64 = 1e-9;

/// Two cells.
#[derive(Clone, Copy, Debug)]
struct Pair {
    cells: [u32; 2],
    /// Until the edges of both have changed this far in all, nothing of theirs can have met \[m\].
    wake: f64,
}

/// All such pairs of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    pairs: Vec<Pair>,
    /// How far the edges of each cell have changed up to the start of the way and up to its end \[m\].
    turned: Vec<[f64; 2]>,
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
            Candidate::of_cells(features, cells, [ALL; 2], |_, _| any = true);
            !any
        };
        all.retain(|pair| !asleep(pair.map(|c| c as usize)));
        let pairs = all.into_iter().map(|cells| Pair { cells, wake: 0.0 }).collect();
        Self {
            pairs,
            turned: Vec::with_capacity(features.moving),
            start: Vec::with_capacity(features.vertices),
        }
    }

    /// Forgets where everything was.
    pub fn forget(&mut self) {
        self.start.clear();
    }

    /// Notes how far edges have changed, and change on this way.
    pub fn go(&mut self, features: &Features, [start, end]: [&[[f64; 3]]; 2]) {
        if self.pairs.is_empty() {
            return;
        }
        if self.start.len() != start.len() {
            self.start.clear();
            self.start.extend_from_slice(start);
            self.turned.clear();
            self.turned.resize(features.moving, [0.0; 2]);
            self.pairs.iter_mut().for_each(|pair| pair.wake = f64::NEG_INFINITY);
        }
        for (cell, turned) in features.cells[..features.moving].iter().zip(&mut self.turned) {
            let corners = cell.vertices.map(|v| v as usize);
            let [before, from, to] = [self.start.as_slice(), start, end].map(|x| {
                let [a, b, c] = corners.map(|v| x[v]);
                [sub(b, a), sub(c, b), sub(a, c)]
            });
            let change = |p: &[[f64; 3]; 3], q: &[[f64; 3]; 3]| {
                let square = |k: usize| sub(q[k], p[k]).iter().map(|d| d * d).sum::<f64>();
                square(0).max(square(1)).max(square(2)).sqrt()
            };
            turned[0] += change(&before, &from);
            turned[1] = turned[0] + change(&from, &to);
        }
        self.start.copy_from_slice(start);
    }

    /// Tells of all features of such cells that meet on the way; see
    /// [`Candidates::meetings`](super::candidates::Candidates::meetings).
    pub fn meetings(
        &mut self,
        View { features, rest, ways, look }: View,
        counts: &impl Fn(u32) -> bool,
        mut tell: impl FnMut(&Candidate, Meeting),
    ) {
        for pair in &mut self.pairs {
            let turned = pair.cells.map(|c| self.turned[c as usize]);
            let both = turned[0][1] + turned[1][1];
            if both < pair.wake {
                continue;
            }
            let changes = both - turned[0][0] - turned[1][0];
            let mut least = f64::INFINITY;
            let cells = pair.cells.map(|c| c as usize);
            Candidate::of_cells(features, cells, [ALL; 2], |mut candidate, _| {
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
                candidate.respect_rest(rest);
                if let Some(meeting) = meet(&candidate, apart, ways, look) {
                    tell(&candidate, meeting);
                }
            });
            pair.wake = (turned[0][0] + turned[1][0] + least) * (1.0 - ROUNDING);
        }
    }
}
