//! Changing the factor of A to that of `A + Σ w a aᵀ` along the paths of the elimination tree.
//!
//! The panels in double precision that the last factorisation left in its workspace are changed
//! and then stored for the solve, as the factorisation does it: a factor in single precision
//! drifts no faster than one in double. Contacts change diagonal entries (`a` is one vertex); a
//! spring that is taken out is `w (eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ` with a negative `w`.
//!
//! Panels come first and the groups of changes second, so that a panel stays in cache for all of
//! them. The order of the sums depends on the structure and the list of changes alone.

use super::layout::store;
use super::panel_update::{MOST_GROWTH, Vectors, below, triangle};
use super::path::{Group, LARGE, MOST_CHANGES, Paths, SMALL};
use super::supernodes::TILE;
use super::symbolic::{Panel, Symbolic};
use super::{Factor, FactorScratch, Work};
use crate::Error;
use crate::math::Scalar;
use crate::simd::{Job, Pack};

/// A list of changes `w a aᵀ` of a symmetric matrix.
#[derive(Clone, Debug, Default)]
pub struct LowRank {
    weights: Vec<f64>,
    /// Where the entries of each change end.
    ends: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl LowRank {
    /// At most this many changes are made at once.
    pub const MOST: usize = MOST_CHANGES;

    /// Removes all changes.
    pub fn clear(&mut self) {
        self.weights.clear();
        self.ends.clear();
        self.entries.clear();
    }

    /// Adds `weight · a aᵀ`, with the entries (row, number) of `a`. The rows must be coupled to
    /// each other in the matrix: one row, or those of one element.
    ///
    /// # Panics
    /// If `a` has no entries.
    pub fn push(&mut self, weight: f64, a: impl IntoIterator<Item = (u32, f64)>) {
        self.entries.extend(a);
        assert!(self.ends.last().copied().unwrap_or(0) < self.entries.len(), "nothing to change");
        self.ends.push(self.entries.len());
        self.weights.push(weight);
    }

    /// How many changes there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * (self.weights.capacity() + self.ends.capacity()) + 16 * self.entries.capacity()
    }

    /// The weight and the entries of a change.
    pub fn change(&self, i: usize) -> (f64, &[(u32, f64)]) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        (self.weights[i], &self.entries[start..self.ends[i]])
    }
}

/// The workspace of updates, for factors of one structure.
#[derive(Clone, Debug)]
pub struct UpdateScratch {
    paths: Paths,
    /// The first column of each change and its number, ascending.
    order: Vec<(u32, u32)>,
    columns: Vec<u32>,
    /// W, for each row that is reached the numbers of all changes; then a spare row of zeros.
    rows: Vec<f64>,
    /// K, of each change the row within its large group.
    inverse: Vec<f64>,
    /// W₁ and K' UᵀT⁻¹ of each group on the panel at hand.
    own: Vec<f64>,
    gain: Vec<f64>,
    widest: usize,
}

impl UpdateScratch {
    /// A workspace for every factor of this structure.
    pub fn new(symbolic: &Symbolic) -> Self {
        let widest = symbolic.panels.iter().map(|p| p.width).max().unwrap_or(0);
        Self {
            paths: Paths::new(symbolic),
            order: Vec::new(),
            columns: Vec::new(),
            rows: Vec::new(),
            inverse: Vec::new(),
            own: Vec::new(),
            gain: Vec::new(),
            widest,
        }
    }

    /// Finds the paths of some changes and what it would take to make them.
    ///
    /// # Panics
    /// If there are more than [`LowRank::MOST`] changes, or one of rows that are not coupled.
    pub fn plan(&mut self, symbolic: &Symbolic, change: &LowRank) -> Work {
        self.order.clear();
        for i in 0..change.len() {
            let rows =
                change.change(i).1.iter().map(|&(row, _)| symbolic.order.to_new[row as usize]);
            let first = rows.clone().min().expect("a change has entries");
            let panel = &symbolic.panels[symbolic.panel_of[first as usize] as usize];
            for row in rows {
                let inside = (row as usize) < panel.first + panel.width
                    || symbolic.rows(panel).binary_search(&row).is_ok();
                assert!(inside, "the rows of a change must be coupled");
            }
            self.order.push((first, i as u32));
        }
        self.order.sort_unstable();
        self.columns.clear();
        self.columns.extend(self.order.iter().map(|&(column, _)| column));
        self.paths.find(symbolic, &self.columns);
        let mut work = Work::default();
        for &panel in &self.paths.panels {
            let groups = self.paths.reaching(panel);
            let panel = &symbolic.panels[panel as usize];
            groups.for_each(|group| work.add_update(panel, group.size));
        }
        work
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let numbers = [&self.rows, &self.inverse, &self.own, &self.gain];
        self.paths.bytes()
            + 8 * (numbers.iter().map(|v| v.capacity()).sum::<usize>() + self.order.capacity())
            + 4 * self.columns.capacity()
    }

    /// Numbers of a row of W.
    fn stride(&self) -> usize {
        self.order.len().next_multiple_of(SMALL)
    }

    /// By how much the changes have scaled K, at most, and the first column of that change.
    fn growth(&self) -> (f64, usize) {
        let mut worst = (1.0, 0);
        for (k, &(column, _)) in self.order.iter().enumerate() {
            let size = self.inverse[LARGE * k + k % LARGE].abs();
            // Nothing, and what is not a number, is no size.
            let growth = if size > 0.0 { size.max(1.0 / size) } else { f64::INFINITY };
            if growth > worst.0 {
                worst = (growth, column as usize);
            }
        }
        worst
    }

    /// Fills W and K from the changes that were planned.
    fn fill(&mut self, symbolic: &Symbolic, change: &LowRank) {
        let stride = self.stride();
        let fresh = |v: &mut Vec<f64>, len: usize| {
            v.clear();
            v.resize(len, 0.0);
        };
        fresh(&mut self.rows, (self.paths.rows + 1) * stride);
        fresh(&mut self.inverse, LARGE * stride);
        fresh(&mut self.own, self.widest * stride);
        fresh(&mut self.gain, self.widest * stride);
        for (k, &(_, i)) in self.order.iter().enumerate() {
            let (weight, entries) = change.change(i as usize);
            self.inverse[LARGE * k + k % LARGE] = if weight < 0.0 { -1.0 } else { 1.0 };
            let scale = weight.abs().sqrt();
            for &(row, number) in entries {
                let row = symbolic.order.to_new[row as usize];
                self.rows[self.paths.place(symbolic, row) * stride + k] += scale * number;
            }
        }
    }
}

impl<S: Scalar> Factor<S> {
    /// Changes the factor to that of the matrix with some changes, given the workspace of the
    /// factorisation that made it, which is changed as well. Gives how many times larger than after
    /// a factorisation the error is that this adds, about, in units of rounding. If a removal leaves
    /// nearly nothing of a pivot, or an addition makes it very much larger, that is refused: the
    /// factor stays as it was, but the workspace is spoilt.
    ///
    /// # Panics
    /// If the workspace is not of this structure or its last factorisation failed, or as
    /// [`UpdateScratch::plan`].
    pub fn update(
        &mut self,
        change: &LowRank,
        scratch: &mut FactorScratch,
        work: &mut UpdateScratch,
    ) -> Result<f64, Error> {
        let symbolic = &*self.symbolic;
        assert_eq!(scratch.storage.as_slice().len(), symbolic.storage, "scratch of another factor");
        assert!(scratch.complete, "the scratch does not hold a factor");
        work.plan(symbolic, change);
        work.fill(symbolic, change);
        let storage = scratch.storage.as_mut_slice();
        let mut sweep = Sweep { symbolic, storage, work, refused: None };
        f64::dispatch_packed(&mut sweep);
        let refused = sweep.refused.take();
        let (growth, strongest) = work.growth();
        let refused = refused.or((growth >= MOST_GROWTH).then_some((strongest, f64::NAN)));
        if let Some((column, pivot)) = refused {
            scratch.complete = false;
            let row = symbolic.order.to_old[column] as usize;
            return Err(Error::NotPositiveDefinite { row, pivot });
        }
        let mut chunk = 0;
        for &panel in &work.paths.panels {
            let panel = panel as usize;
            while symbolic.chunks[chunk].panels.end <= panel {
                chunk += 1;
            }
            let place = &self.chunks[chunk].panels[panel - symbolic.chunks[chunk].panels.start];
            let panel = &symbolic.panels[panel];
            let from = &scratch.storage.as_slice()[panel.offset..][..panel.storage()];
            store(panel, from, place, self.values.as_mut_slice());
        }
        Ok(growth)
    }
}

/// The change of all panels that are reached.
struct Sweep<'a> {
    symbolic: &'a Symbolic,
    storage: &'a mut [f64],
    work: &'a mut UpdateScratch,
    refused: Option<(usize, f64)>,
}

impl Job<f64> for Sweep<'_> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        let stride = self.work.stride();
        for at in 0..self.work.paths.panels.len() {
            let number = self.work.paths.panels[at];
            let panel = &self.symbolic.panels[number as usize];
            let triangles = panel.width.div_ceil(TILE);
            let mut places = Places::new(self.symbolic, panel);
            // The last tile of the triangle may hold rows below as well.
            let own = panel.width % TILE;
            let mixed = places.next(&self.work.paths, own, (TILE - own) % TILE);
            for Group { first, size } in self.work.paths.reaching(number) {
                let done = if size == LARGE {
                    self.triangle::<R, LARGE>(number, first, stride, &mixed)
                } else {
                    self.triangle::<R, SMALL>(number, first, stride, &mixed)
                };
                if let Err((column, pivot)) = done {
                    self.refused = Some((panel.first + column, pivot));
                    return;
                }
            }
            let tiles = panel.height().div_ceil(TILE);
            let data = &mut self.storage[panel.offset..][..panel.storage()];
            for tile in data.chunks_exact_mut(TILE * panel.width).take(tiles).skip(triangles) {
                let rows = places.next(&self.work.paths, 0, TILE);
                for Group { first, size } in self.work.paths.reaching(number) {
                    if size == LARGE {
                        change_below::<R, LARGE>(tile, self.work, first, stride, &rows);
                    } else {
                        change_below::<R, SMALL>(tile, self.work, first, stride, &rows);
                    }
                }
            }
        }
    }
}

impl Sweep<'_> {
    #[inline(always)]
    fn triangle<R: Pack<Scalar = f64>, const N: usize>(
        &mut self,
        number: u32,
        first: usize,
        stride: usize,
        mixed: &[usize; TILE],
    ) -> Result<(), (usize, f64)> {
        let panel = &self.symbolic.panels[number as usize];
        let work = &mut *self.work;
        let start = work.paths.base[number as usize] as usize;
        let room = work.widest * first..work.widest * first + panel.width * N;
        let own = &mut work.own[room.clone()];
        let rows = work.rows[start * stride..].chunks_exact(stride);
        for (own, row) in own.chunks_exact_mut(N).zip(rows) {
            own.copy_from_slice(&row[first..first + N]);
        }
        let mut last = [[0.0; TILE]; N];
        gather(&work.rows, mixed, stride, first, &mut last);
        // Changes that do not meet here have not met before: the rest of K is not needed.
        let kept = &mut work.inverse[first * LARGE..(first + N) * LARGE];
        let mut inverse = [[0.0; N]; N];
        for (inverse, kept) in inverse.iter_mut().zip(kept.chunks_exact(LARGE)) {
            inverse.copy_from_slice(&kept[first % LARGE..][..N]);
        }
        let mut vectors = Vectors {
            own,
            gain: &mut work.gain[room],
            inverse: inverse.as_flattened_mut(),
            last: last.as_flattened_mut(),
        };
        let data = &mut self.storage[panel.offset..][..panel.storage()];
        let done = triangle::<R, N>(data, panel.width, &mut vectors);
        for (inverse, kept) in inverse.iter().zip(kept.chunks_exact_mut(LARGE)) {
            kept[first % LARGE..][..N].copy_from_slice(inverse);
        }
        for y in &mut last {
            y[..panel.width % TILE].fill(0.0);
        }
        scatter(&mut work.rows, mixed, stride, first, &last);
        done
    }
}

#[inline(always)]
fn change_below<R: Pack<Scalar = f64>, const N: usize>(
    tile: &mut [f64],
    work: &mut UpdateScratch,
    first: usize,
    stride: usize,
    rows: &[usize; TILE],
) {
    let mut y = [[0.0; TILE]; N];
    gather(&work.rows, rows, stride, first, &mut y);
    let room = work.widest * first..work.widest * first + tile.len() / TILE * N;
    let (own, gain) = (&work.own[room.clone()], &work.gain[room]);
    below::<R, N>(tile, own, gain, y.as_flattened_mut());
    scatter(&mut work.rows, rows, stride, first, &y);
}

/// Reads the vectors of a group at eight rows.
#[inline(always)]
fn gather<const N: usize>(
    from: &[f64],
    rows: &[usize; TILE],
    stride: usize,
    first: usize,
    y: &mut [[f64; TILE]; N],
) {
    for (l, &row) in rows.iter().enumerate() {
        let from = &from[row * stride + first..][..N];
        for v in 0..N {
            y[v][l] = from[v];
        }
    }
}

/// Writes them back. The spare row gets zeros again: there the panel has no numbers.
#[inline(always)]
fn scatter<const N: usize>(
    to: &mut [f64],
    rows: &[usize; TILE],
    stride: usize,
    first: usize,
    y: &[[f64; TILE]; N],
) {
    for (l, &row) in rows.iter().enumerate() {
        let to = &mut to[row * stride + first..][..N];
        for v in 0..N {
            to[v] = y[v][l];
        }
    }
}

/// The places of the rows below a panel, tile by tile.
struct Places<'a> {
    symbolic: &'a Symbolic,
    rows: &'a [u32],
}

impl<'a> Places<'a> {
    #[inline(always)]
    fn new(symbolic: &'a Symbolic, panel: &Panel) -> Self {
        Self { symbolic, rows: symbolic.rows(panel) }
    }

    /// The next tile, with up to `count` rows after the panel's own; these and what is beyond the
    /// panel have the place of the spare row.
    #[inline(always)]
    fn next(&mut self, paths: &Paths, own: usize, count: usize) -> [usize; TILE] {
        let mut out = [paths.rows; TILE];
        let (now, later) = self.rows.split_at(self.rows.len().min(count));
        for (out, &row) in out[own..].iter_mut().zip(now) {
            *out = paths.place(self.symbolic, row);
        }
        self.rows = later;
        out
    }
}
