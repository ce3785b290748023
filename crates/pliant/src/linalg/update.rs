//! Updates the factor of A to that of `A + Σ w a aᵀ` along the paths of the elimination tree.
//!
//! The update modifies the double-precision panels that the last factorisation left in its workspace
//! and then stores them for the solve, as the factorisation does: a factor in single precision drifts
//! no faster than one in double. Contacts change diagonal entries (`a` has one vertex); removing a
//! spring is `w (eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ` with a negative `w`.
//!
//! The outer loop runs over panels and the inner one over groups of changes, so that a panel stays in
//! cache. The order of the sums depends only on the structure and the list of changes.

use crate::Error;
use crate::linalg::layout::store_panel;
use crate::linalg::panel_update::{
    MAX_PIVOT_GROWTH, UpdateVectors, update_tile_rows, update_triangle,
};
use crate::linalg::path::{ChangeGroup, LARGE_GROUP, MAX_CHANGES, Paths, SMALL_GROUP};
use crate::linalg::supernodes::TILE;
use crate::linalg::symbolic::{Panel, Symbolic};
use crate::linalg::{Factor, FactorScratch, FlopCount};
use crate::math::Scalar;
use crate::simd::{Pack, SimdLoop};

/// A list of rank-one changes `w a aᵀ` of a symmetric matrix.
#[derive(Clone, Debug, Default)]
pub struct LowRank {
    weights: Vec<f64>,
    /// End of the entries of each change.
    ends: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl LowRank {
    /// Maximum number of changes applied at once.
    pub const MAX_RANK: usize = MAX_CHANGES;

    /// Removes all changes.
    pub fn clear(&mut self) {
        self.weights.clear();
        self.ends.clear();
        self.entries.clear();
    }

    /// Adds `weight · a aᵀ`, with the entries (row, value) of `a`. The rows must be coupled to each
    /// other in the matrix: one row, or those of one element.
    ///
    /// # Panics
    /// If `a` has no entries.
    pub fn push(&mut self, weight: f64, a: impl IntoIterator<Item = (u32, f64)>) {
        self.entries.extend(a);
        assert!(self.ends.last().copied().unwrap_or(0) < self.entries.len(), "nothing to change");
        self.ends.push(self.entries.len());
        self.weights.push(weight);
    }

    /// Returns the number of changes.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns true if there are no changes.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        8 * (self.weights.capacity() + self.ends.capacity()) + 16 * self.entries.capacity()
    }

    /// Returns the weight and the entries of a change.
    pub fn change(&self, i: usize) -> (f64, &[(u32, f64)]) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        (self.weights[i], &self.entries[start..self.ends[i]])
    }
}

/// Workspace of updates, for factors of one structure.
#[derive(Clone, Debug)]
pub struct UpdateScratch {
    paths: Paths,
    /// First column of each change and its index, ascending.
    order: Vec<(u32, u32)>,
    columns: Vec<u32>,
    /// W: for each reached row the values of all changes; then a padding row of zeros.
    rows: Vec<f64>,
    /// K: for each change its row within its large group.
    inverse: Vec<f64>,
    /// W₁ and K' UᵀT⁻¹ of each group on the current panel.
    own: Vec<f64>,
    gain: Vec<f64>,
    widest: usize,
}

impl UpdateScratch {
    /// Creates a workspace for all factors of this structure.
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

    /// Finds the paths of the changes and returns the cost of applying them.
    ///
    /// # Panics
    /// If there are more than [`LowRank::MAX_RANK`] changes, or one whose rows are not coupled.
    pub fn plan(&mut self, symbolic: &Symbolic, change: &LowRank) -> FlopCount {
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
        let mut work = FlopCount::default();
        for &panel in &self.paths.panels {
            let groups = self.paths.reaching(panel);
            let panel = &symbolic.panels[panel as usize];
            groups.for_each(|group| work.add_update(panel, group.size));
        }
        work
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let numbers = [&self.rows, &self.inverse, &self.own, &self.gain];
        self.paths.bytes()
            + 8 * (numbers.iter().map(|v| v.capacity()).sum::<usize>() + self.order.capacity())
            + 4 * self.columns.capacity()
    }

    /// Returns the number of values per row of W.
    fn stride(&self) -> usize {
        self.order.len().next_multiple_of(SMALL_GROUP)
    }

    /// Returns the largest factor by which the changes have scaled K, and the first column of that
    /// change.
    fn growth(&self) -> (f64, usize) {
        let mut worst = (1.0, 0);
        for (k, &(column, _)) in self.order.iter().enumerate() {
            let size = self.inverse[LARGE_GROUP * k + k % LARGE_GROUP].abs();
            // Zero and NaN count as infinite growth.
            let growth = if size > 0.0 { size.max(1.0 / size) } else { f64::INFINITY };
            if growth > worst.0 {
                worst = (growth, column as usize);
            }
        }
        worst
    }

    /// Fills W and K from the planned changes.
    fn fill(&mut self, symbolic: &Symbolic, change: &LowRank) {
        let stride = self.stride();
        let fresh = |v: &mut Vec<f64>, len: usize| {
            v.clear();
            v.resize(len, 0.0);
        };
        fresh(&mut self.rows, (self.paths.row_count + 1) * stride);
        fresh(&mut self.inverse, LARGE_GROUP * stride);
        fresh(&mut self.own, self.widest * stride);
        fresh(&mut self.gain, self.widest * stride);
        for (k, &(_, i)) in self.order.iter().enumerate() {
            let (weight, entries) = change.change(i as usize);
            self.inverse[LARGE_GROUP * k + k % LARGE_GROUP] = if weight < 0.0 { -1.0 } else { 1.0 };
            let scale = weight.abs().sqrt();
            for &(row, number) in entries {
                let row = symbolic.order.to_new[row as usize];
                self.rows[self.paths.place(symbolic, row) * stride + k] += scale * number;
            }
        }
    }
}

impl<S: Scalar> Factor<S> {
    /// Updates the factor to that of the changed matrix. Requires, and also updates, the workspace of
    /// the factorisation that made it. Returns the approximate ratio of the rounding error this adds to
    /// that of a factorisation. Fails if a removal leaves almost nothing of a pivot or an addition
    /// makes it very much larger; the factor is then unchanged, but the workspace is invalid.
    ///
    /// # Panics
    /// If the workspace belongs to another structure or its last factorisation failed, or as for
    /// [`UpdateScratch::plan`].
    pub fn update(
        &mut self,
        change: &LowRank,
        scratch: &mut FactorScratch,
        work: &mut UpdateScratch,
    ) -> Result<f64, Error> {
        let symbolic = &*self.symbolic;
        assert_eq!(scratch.storage.as_slice().len(), symbolic.storage, "scratch of another factor");
        assert!(scratch.holds_factor, "the scratch does not hold a factor");
        work.plan(symbolic, change);
        work.fill(symbolic, change);
        let storage = scratch.storage.as_mut_slice();
        let mut sweep = PanelUpdate { symbolic, storage, work, refused: None };
        f64::dispatch_packed(&mut sweep);
        let refused = sweep.refused.take();
        let (growth, strongest) = work.growth();
        let refused = refused.or((growth >= MAX_PIVOT_GROWTH).then_some((strongest, f64::NAN)));
        if let Some((column, pivot)) = refused {
            scratch.holds_factor = false;
            let row = symbolic.order.to_old[column] as usize;
            return Err(Error::NotPositiveDefinite { row, pivot });
        }
        let mut chunk = 0;
        for &panel in &work.paths.panels {
            let panel = panel as usize;
            while symbolic.subtrees[chunk].panels.end <= panel {
                chunk += 1;
            }
            let place = &self.subtrees[chunk].panels[panel - symbolic.subtrees[chunk].panels.start];
            let panel = &symbolic.panels[panel];
            let from = &scratch.storage.as_slice()[panel.offset..][..panel.storage()];
            store_panel(panel, from, place, self.values.as_mut_slice());
        }
        Ok(growth)
    }
}

/// Updates all reached panels.
struct PanelUpdate<'a> {
    symbolic: &'a Symbolic,
    storage: &'a mut [f64],
    work: &'a mut UpdateScratch,
    refused: Option<(usize, f64)>,
}

impl SimdLoop<f64> for PanelUpdate<'_> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        let stride = self.work.stride();
        for at in 0..self.work.paths.panels.len() {
            let number = self.work.paths.panels[at];
            let panel = &self.symbolic.panels[number as usize];
            let triangles = panel.width.div_ceil(TILE);
            let mut places = Places::new(self.symbolic, panel);
            // The last tile of the triangle may also hold rows below.
            let own = panel.width % TILE;
            let mixed = places.next(&self.work.paths, own, (TILE - own) % TILE);
            for ChangeGroup { first, size } in self.work.paths.reaching(number) {
                let done = if size == LARGE_GROUP {
                    self.update_triangle::<R, LARGE_GROUP>(number, first, stride, &mixed)
                } else {
                    self.update_triangle::<R, SMALL_GROUP>(number, first, stride, &mixed)
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
                for ChangeGroup { first, size } in self.work.paths.reaching(number) {
                    if size == LARGE_GROUP {
                        update_rows_below::<R, LARGE_GROUP>(tile, self.work, first, stride, &rows);
                    } else {
                        update_rows_below::<R, SMALL_GROUP>(tile, self.work, first, stride, &rows);
                    }
                }
            }
        }
    }
}

impl PanelUpdate<'_> {
    #[inline(always)]
    fn update_triangle<R: Pack<Scalar = f64>, const N: usize>(
        &mut self,
        number: u32,
        first: usize,
        stride: usize,
        mixed: &[usize; TILE],
    ) -> Result<(), (usize, f64)> {
        let panel = &self.symbolic.panels[number as usize];
        let work = &mut *self.work;
        let start = work.paths.row_starts[number as usize] as usize;
        let room = work.widest * first..work.widest * first + panel.width * N;
        let own = &mut work.own[room.clone()];
        let rows = work.rows[start * stride..].chunks_exact(stride);
        for (own, row) in own.chunks_exact_mut(N).zip(rows) {
            own.copy_from_slice(&row[first..first + N]);
        }
        let mut last = [[0.0; TILE]; N];
        gather(&work.rows, mixed, stride, first, &mut last);
        // Changes that are not in one group here have not been before: the rest of K is not needed.
        let kept = &mut work.inverse[first * LARGE_GROUP..(first + N) * LARGE_GROUP];
        let mut inverse = [[0.0; N]; N];
        for (inverse, kept) in inverse.iter_mut().zip(kept.chunks_exact(LARGE_GROUP)) {
            inverse.copy_from_slice(&kept[first % LARGE_GROUP..][..N]);
        }
        let mut vectors = UpdateVectors {
            own,
            gain: &mut work.gain[room],
            inverse: inverse.as_flattened_mut(),
            last: last.as_flattened_mut(),
        };
        let data = &mut self.storage[panel.offset..][..panel.storage()];
        let done = update_triangle::<R, N>(data, panel.width, &mut vectors);
        for (inverse, kept) in inverse.iter().zip(kept.chunks_exact_mut(LARGE_GROUP)) {
            kept[first % LARGE_GROUP..][..N].copy_from_slice(inverse);
        }
        for y in &mut last {
            y[..panel.width % TILE].fill(0.0);
        }
        scatter(&mut work.rows, mixed, stride, first, &last);
        done
    }
}

#[inline(always)]
fn update_rows_below<R: Pack<Scalar = f64>, const N: usize>(
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
    update_tile_rows::<R, N>(tile, own, gain, y.as_flattened_mut());
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

/// Writes the vectors of a group back. The padding row receives zeros, since the panel is zero there.
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

/// Positions in W of the rows below a panel, tile by tile.
struct Places<'a> {
    symbolic: &'a Symbolic,
    rows: &'a [u32],
}

impl<'a> Places<'a> {
    #[inline(always)]
    fn new(symbolic: &'a Symbolic, panel: &Panel) -> Self {
        Self { symbolic, rows: symbolic.rows(panel) }
    }

    /// Returns the next tile, with up to `count` rows after the panel's own; these and rows beyond the
    /// panel get the position of the padding row.
    #[inline(always)]
    fn next(&mut self, paths: &Paths, own: usize, count: usize) -> [usize; TILE] {
        let mut out = [paths.row_count; TILE];
        let (now, later) = self.rows.split_at(self.rows.len().min(count));
        for (out, &row) in out[own..].iter_mut().zip(now) {
            *out = paths.place(self.symbolic, row);
        }
        self.rows = later;
        out
    }
}
