//! Numeric factorisation A = LLᵀ, panel by panel, right-looking: when a panel is finished, its products
//! are immediately subtracted from the panels of its rows.
//!
//! Always computed in double precision and then stored for the solve in `S`. The result does not depend
//! on the machine: the order of the sums is given by the structure, products and sums are rounded
//! separately, and packs give the same bits as scalars.

use std::sync::Arc;

use crate::Error;
use crate::linalg::SymmetricMatrix;
use crate::linalg::aligned::Aligned;
use crate::linalg::layout::{SubtreeLayout, build_layout, store_panel};
use crate::linalg::panel::{self, BLOCK};
use crate::linalg::supernodes::TILE;
use crate::linalg::symbolic::{Panel, Symbolic};
use crate::math::Scalar;
use crate::simd::{Pack, SimdLoop};

/// The factor of a symmetric positive definite matrix, ready to solve in precision `S`.
#[derive(Clone, Debug)]
pub struct Factor<S: Scalar> {
    pub(super) symbolic: Arc<Symbolic>,
    pub(super) subtrees: Vec<SubtreeLayout>,
    pub(super) values: Aligned<S>,
}

/// Workspace of the factorisation. Keep it to factor again; drop it to free its memory, about that of a
/// factor in double precision.
#[derive(Clone, Debug)]
pub struct FactorScratch {
    /// The panels; after the factorisation in the inverted form by which the solve multiplies.
    pub(super) storage: Aligned<f64>,
    /// True if `storage` holds the panels of the last factor.
    pub(super) holds_factor: bool,
    /// Smallest pivot accepted in each column.
    min_pivots: Vec<f64>,
    triangle: Vec<f64>,
    buffer: Aligned<f64>,
    product: Aligned<f64>,
    target_offsets: Vec<u32>,
}

impl FactorScratch {
    /// Creates a workspace for all matrices of this structure.
    pub fn new(symbolic: &Symbolic) -> Self {
        let widest = symbolic.panels.iter().map(|p| p.width).max().unwrap_or(0);
        let highest = symbolic.panels.iter().map(Panel::height).max().unwrap_or(0);
        let highest = highest.next_multiple_of(TILE);
        Self {
            storage: Aligned::zeros(symbolic.storage),
            holds_factor: false,
            min_pivots: vec![0.0; symbolic.size()],
            triangle: vec![0.0; widest * widest],
            buffer: Aligned::zeros(BLOCK * widest),
            product: Aligned::zeros(BLOCK * highest),
            target_offsets: vec![0; highest],
        }
    }

    /// Returns true if it holds the panels of the last factor, from which an update starts.
    pub fn holds_factor(&self) -> bool {
        self.holds_factor
    }

    /// Copies the panels of another workspace for matrices of the same structure.
    pub(super) fn copy_panels(&mut self, other: &Self) {
        self.storage.as_mut_slice().copy_from_slice(other.storage.as_slice());
        self.min_pivots.copy_from_slice(&other.min_pivots);
        self.holds_factor = other.holds_factor;
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.storage.bytes()
            + self.buffer.bytes()
            + self.product.bytes()
            + 8 * (self.min_pivots.capacity() + self.triangle.capacity())
            + 4 * self.target_offsets.capacity()
    }
}

impl<S: Scalar> Factor<S> {
    /// Factors a matrix with the analysed pattern.
    pub fn new(
        symbolic: &Arc<Symbolic>,
        matrix: &SymmetricMatrix,
        scratch: &mut FactorScratch,
    ) -> Result<Self, Error> {
        let (chunks, len) = build_layout(symbolic, S::PACK);
        let symbolic = Arc::clone(symbolic);
        let mut factor = Self { symbolic, subtrees: chunks, values: Aligned::zeros(len) };
        factor.refactor(matrix, scratch)?;
        Ok(factor)
    }

    /// Factors another matrix with the same pattern, without allocation. On error the factor is
    /// unchanged.
    ///
    /// # Panics
    /// If the matrix does not have as many entries as the analysed one, or the scratch belongs to
    /// another structure.
    pub fn refactor(
        &mut self,
        matrix: &SymmetricMatrix,
        scratch: &mut FactorScratch,
    ) -> Result<(), Error> {
        let symbolic = &*self.symbolic;
        assert_eq!(matrix.entries(), symbolic.slots.len(), "the pattern must be the one analysed");
        assert_eq!(scratch.storage.as_slice().len(), symbolic.storage, "scratch of another factor");
        scratch.holds_factor = false;
        assemble(symbolic, matrix, scratch);
        let mut job = Elimination { symbolic, scratch, failed_pivot: None };
        f64::dispatch_packed(&mut job);
        if let Some((column, pivot)) = job.failed_pivot {
            let row = symbolic.order.to_old[column] as usize;
            return Err(Error::NotPositiveDefinite { row, pivot });
        }
        f64::dispatch_packed(&mut Inversion { symbolic, scratch });
        scratch.holds_factor = true;
        for (chunk, layout) in symbolic.subtrees.iter().zip(&self.subtrees) {
            for (panel, place) in symbolic.panels[chunk.panels.clone()].iter().zip(&layout.panels) {
                let from = &scratch.storage.as_slice()[panel.offset..];
                store_panel(panel, &from[..panel.storage()], place, self.values.as_mut_slice());
            }
        }
        Ok(())
    }

    /// Returns the symbolic structure.
    pub fn symbolic(&self) -> &Arc<Symbolic> {
        &self.symbolic
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.symbolic.size()
    }

    /// Returns the number of values that each half of a solve reads.
    pub fn stored(&self) -> usize {
        self.values.as_slice().len()
    }

    /// Memory held, in bytes, including the structure.
    pub fn bytes(&self) -> usize {
        let index: usize = self.subtrees.iter().map(|c| c.index.bytes()).sum();
        self.values.bytes() + index + self.symbolic.bytes()
    }
}

/// Copies the entries of the matrix into their panels.
fn assemble(symbolic: &Symbolic, matrix: &SymmetricMatrix, scratch: &mut FactorScratch) {
    let storage = scratch.storage.as_mut_slice();
    storage.fill(0.0);
    for (&slot, &v) in symbolic.slots.iter().zip(matrix.values()) {
        storage[slot] = v;
    }
    for panel in &symbolic.panels {
        for l in 0..panel.width {
            let tile = l / TILE * panel.width + l;
            let diagonal = storage[panel.offset + tile * TILE + l % TILE];
            // A smaller pivot is within the rounding error of the sums that produced it.
            scratch.min_pivots[panel.first + l] = diagonal * f64::EPSILON;
        }
    }
}

struct Elimination<'a> {
    symbolic: &'a Symbolic,
    scratch: &'a mut FactorScratch,
    failed_pivot: Option<(usize, f64)>,
}

impl SimdLoop<f64> for Elimination<'_> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        let s = &mut *self.scratch;
        let buffer = s.buffer.as_mut_slice();
        for panel in &self.symbolic.panels {
            let (done, later) =
                s.storage.as_mut_slice().split_at_mut(panel.offset + panel.storage());
            let data = &mut done[panel.offset..];
            let least = &s.min_pivots[panel.first..panel.first + panel.width];
            if let Err((column, pivot)) = panel::factor::<R>(data, panel.width, least, buffer) {
                self.failed_pivot = Some((panel.first + column, pivot));
                return;
            }
            let mut row = panel.width / BLOCK * BLOCK;
            let mut current = usize::MAX;
            while row < panel.height() {
                panel::outer_product::<R>(data, panel.width, row, buffer, s.product.as_mut_slice());
                let product = s.product.as_slice();
                for l in 0..BLOCK {
                    let at = row + l;
                    if at < panel.width || at >= panel.height() {
                        continue;
                    }
                    let column = self.symbolic.rows(panel)[at - panel.width] as usize;
                    let above = self.symbolic.panel_of[column] as usize;
                    if current != above {
                        find_targets(self.symbolic, panel, above, at, &mut s.target_offsets);
                        current = above;
                    }
                    let above = &self.symbolic.panels[above];
                    let start = above.offset - (panel.offset + panel.storage());
                    let to = &mut later[start..start + above.storage()];
                    let to = &mut to[(column - above.first) * TILE..];
                    subtract_column(
                        &product[l * TILE..],
                        at,
                        &s.target_offsets[..panel.height()],
                        to,
                    );
                }
                row += BLOCK;
            }
        }
    }
}

/// Computes the offsets of the rows of a panel, from position `from` on, in the panel `above` of one of
/// them.
#[inline(always)]
fn find_targets(symbolic: &Symbolic, panel: &Panel, above: usize, from: usize, out: &mut [u32]) {
    let above = &symbolic.panels[above];
    let end = above.first + above.width;
    let rows_above = symbolic.rows(above);
    let mut below = 0;
    let rows = &symbolic.rows(panel)[from - panel.width..];
    for (&row, out) in rows.iter().zip(&mut out[from..]) {
        let position = if (row as usize) < end {
            row as usize - above.first
        } else {
            // Every row of a panel below one of its columns is also a row of that column's panel.
            while rows_above[below] != row {
                below += 1;
            }
            above.width + below
        };
        *out = (position / TILE * above.width * TILE + position % TILE) as u32;
    }
}

/// Adds one column of negated products, starting at the tile of `at`, to a panel.
#[inline(always)]
fn subtract_column(product: &[f64], at: usize, target: &[u32], to: &mut [f64]) {
    let mut skip = at % TILE;
    let tiles = product.chunks(TILE * BLOCK).zip(target[at - skip..].chunks(TILE));
    for (product, target) in tiles {
        for (&v, &t) in product[skip..TILE].iter().zip(&target[skip..]) {
            to[t as usize] += v;
        }
        skip = 0;
    }
}

struct Inversion<'a> {
    symbolic: &'a Symbolic,
    scratch: &'a mut FactorScratch,
}

impl SimdLoop<f64> for Inversion<'_> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        let s = &mut *self.scratch;
        for panel in &self.symbolic.panels {
            let data = &mut s.storage.as_mut_slice()[panel.offset..panel.offset + panel.storage()];
            panel::invert::<R>(data, panel.width, &mut s.triangle, s.buffer.as_mut_slice());
        }
    }
}
