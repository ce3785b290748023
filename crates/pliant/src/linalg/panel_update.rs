//! Dense kernels that update one panel of the factor for a change of the matrix.
//!
//! The factor stores P = [−T⁻¹; B T⁻¹] of a panel [T; B]. The change that reaches the panel is
//! `W K Wᵀ`, with N vectors W = [W₁; W₂] on its rows and a symmetric N × N matrix K. With Y = [0; W₂] − P
//! W₁, the rows of Y of the panel's own columns are U = T⁻¹ W₁, and
//!
//! ```text
//! K' = (K⁻¹ + UᵀU)⁻¹       below:  P' = P + Y K' UᵀT⁻¹,  and Y K' Yᵀ is the change of the panels above
//!                        row i:  P' = (P + Y Kᵢ Gᵢ) / √(1 + yᵢ Kᵢ yᵢᵀ),  Gᵢ = UᵀT⁻¹ of the rows before,
//!                                Kᵢ = K' of the rows before
//! ```
//!
//! (the multiple-rank update of Davis and Hager 2001, for the inverse of each triangle). The rows of a
//! tile are processed together: eight new rows are a product of a triangle with the eight old ones,
//! plus a product with G. K may have either sign, so additions and removals can be combined; 1 + y K yᵀ
//! is the ratio of the new pivot to the old one, and a removal that leaves almost nothing of it is
//! rejected.

use crate::linalg::supernodes::TILE;
use crate::simd::Pack;

/// Number of vectors kept in registers at a time.
const BLOCK: usize = 4;
/// Largest factor by which a change may scale a pivot up or down. The rounding error grows by about the
/// same factor, because K loses digits.
pub const MAX_PIVOT_GROWTH: f64 = 1e5;

/// Computes `y −= A w`: columns of eight rows `a`, rows of `N` values `w`, `N` columns of eight rows
/// `y`.
#[inline(always)]
fn subtract_product<R: Pack<Scalar = f64>, const N: usize>(a: &[f64], w: &[f64], y: &mut [f64]) {
    for block in (0..N).step_by(BLOCK) {
        let y = &mut y[TILE * block..TILE * (block + BLOCK)];
        let mut low = [R::zero(); BLOCK];
        let mut high = [R::zero(); BLOCK];
        for l in 0..BLOCK {
            low[l] = R::load(&y[TILE * l..]);
            high[l] = R::load(&y[TILE * l + 4..]);
        }
        for (a, w) in a.chunks_exact(TILE).zip(w.chunks_exact(N)) {
            let (a_low, a_high) = (R::load(a), R::load(&a[4..]));
            for l in 0..BLOCK {
                let w = R::splat(w[block + l]);
                low[l] -= a_low * w;
                high[l] -= a_high * w;
            }
        }
        for l in 0..BLOCK {
            low[l].store(&mut y[TILE * l..]);
            high[l].store(&mut y[TILE * l + 4..]);
        }
    }
}

/// Computes `a += y g`: columns of eight rows `a`, `N` columns of eight rows `y`, rows of `N` values
/// `g`.
#[inline(always)]
fn add_product<R: Pack<Scalar = f64>, const N: usize>(a: &mut [f64], y: &[f64], g: &[f64]) {
    for block in (0..N).step_by(BLOCK) {
        let y = &y[TILE * block..TILE * (block + BLOCK)];
        let low: [R; BLOCK] = std::array::from_fn(|l| R::load(&y[TILE * l..]));
        let high: [R; BLOCK] = std::array::from_fn(|l| R::load(&y[TILE * l + 4..]));
        for (a, g) in a.chunks_exact_mut(TILE).zip(g.chunks_exact(N)) {
            let g: [R; BLOCK] = std::array::from_fn(|l| R::splat(g[block + l]));
            let a_low = R::load(a) + (low[0] * g[0] + low[1] * g[1]);
            let a_high = R::load(&a[4..]) + (high[0] * g[0] + high[1] * g[1]);
            (a_low + (low[2] * g[2] + low[3] * g[3])).store(a);
            (a_high + (high[2] * g[2] + high[3] * g[3])).store(&mut a[4..]);
        }
    }
}

/// Updates a tile of rows below the triangle: `y −= P w`, then `P += y g`.
#[inline(always)]
pub fn update_tile_rows<R: Pack<Scalar = f64>, const N: usize>(
    tile: &mut [f64],
    w: &[f64],
    g: &[f64],
    y: &mut [f64],
) {
    subtract_product::<R, N>(tile, w, y);
    add_product::<R, N>(tile, y, g);
}

/// Inputs and outputs of one group of vectors on a panel.
pub struct UpdateVectors<'a> {
    /// W₁: `N` values for each column.
    pub own: &'a [f64],
    /// Receives K' UᵀT⁻¹: `N` values for each column.
    pub gain: &'a mut [f64],
    /// K on entry, K' on exit.
    pub inverse: &'a mut [f64],
    /// Y of the last tile with own rows, eight rows for each vector: W₂ in the rows below.
    pub last: &'a mut [f64],
}

/// Updates all tiles with own rows. Fails at the first column whose pivot becomes much smaller or
/// larger; the error is that column and the new pivot.
#[inline(always)]
pub fn update_triangle<R: Pack<Scalar = f64>, const N: usize>(
    data: &mut [f64],
    width: usize,
    v: &mut UpdateVectors,
) -> Result<(), (usize, f64)> {
    v.gain.fill(0.0);
    let mut turn = TileTransform::<N>::new();
    for (t, tile) in data.chunks_exact_mut(TILE * width).take(width.div_ceil(TILE)).enumerate() {
        let first = TILE * t;
        // Columns right of the last row are zero.
        let filled = width.min(first + TILE);
        let rows = filled - first;
        let tile = &mut tile[..TILE * filled];
        turn.y = [[0.0; TILE]; N];
        if rows < TILE {
            turn.y.as_flattened_mut().copy_from_slice(v.last);
        }
        subtract_product::<R, N>(tile, v.own, turn.y.as_flattened_mut());
        if let Err((row, left)) = turn.prepare(rows, v.inverse) {
            let inv = tile[TILE * (first + row) + row];
            return Err((first + row, left / (inv * inv)));
        }
        turn.apply::<R>(tile, v.gain);
        if rows < TILE {
            v.last.copy_from_slice(turn.y.as_flattened());
        }
    }
    for gain in v.gain.chunks_exact_mut(N) {
        let g = std::array::from_fn(|k| gain[k]);
        gain.copy_from_slice(&product::<N>(v.inverse, &g));
    }
    Ok(())
}

/// Returns K u.
#[inline(always)]
fn product<const N: usize>(k: &[f64], u: &[f64; N]) -> [f64; N] {
    let mut p = [0.0; N];
    for (k, u) in k.chunks_exact(N).zip(u) {
        for (p, k) in p.iter_mut().zip(k) {
            *p += k * u;
        }
    }
    p
}

/// Returns the dot product, summed as a tree.
#[inline(always)]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sum: [f64; N] = std::array::from_fn(|k| a[k] * b[k]);
    let mut half = N / 2;
    while half > 0 {
        for k in 0..half {
            sum[k] += sum[k + half];
        }
        half /= 2;
    }
    sum[0]
}

/// Transformation of a tile of eight rows.
struct TileTransform<const N: usize> {
    /// Y, eight rows for each vector.
    y: [[f64; TILE]; N],
    /// Coefficient of each old row in the new rows.
    mix: [[f64; TILE]; TILE],
    /// Coefficient of each row of G in the new rows.
    lift: [[f64; TILE]; N],
    /// Y of own rows, row by row.
    rows: [[f64; N]; TILE],
}

impl<const N: usize> TileTransform<N> {
    #[inline(always)]
    fn new() -> Self {
        let (y, lift) = ([[0.0; TILE]; N], [[0.0; TILE]; N]);
        Self { y, mix: [[0.0; TILE]; TILE], lift, rows: [[0.0; N]; TILE] }
    }

    /// Computes the transformation from Y and K of the preceding rows, with the first `own` rows in the
    /// triangle, and advances K. Fails at the first row whose pivot changes too much; the error is that
    /// row and the ratio of the pivots.
    #[inline(always)]
    fn prepare(&mut self, own: usize, k: &mut [f64]) -> Result<(), (usize, f64)> {
        self.rows = [[0.0; N]; TILE];
        self.mix = [[0.0; TILE]; TILE];
        for i in 0..TILE {
            let u: [f64; N] = std::array::from_fn(|v| self.y[v][i]);
            let p = product::<N>(k, &u);
            let mut inv = 1.0;
            if i < own {
                self.rows[i] = u;
                let left = 1.0 + dot(&u, &p);
                let sound = left > 1.0 / MAX_PIVOT_GROWTH && left < MAX_PIVOT_GROWTH;
                if !sound {
                    return Err((i, left));
                }
                inv = 1.0 / left.sqrt();
                let share = 1.0 / left;
                for (k, a) in k.chunks_exact_mut(N).zip(&p) {
                    let a = a * share;
                    for (k, b) in k.iter_mut().zip(&p) {
                        *k -= a * b;
                    }
                }
            }
            for v in 0..N {
                self.lift[v][i] = p[v] * inv;
            }
            for j in 0..i.min(own) {
                self.mix[j][i] = -(dot(&self.rows[j], &p) * inv);
            }
            self.mix[i][i] = inv;
        }
        Ok(())
    }

    /// Computes the new rows and accumulates the old ones into G.
    #[inline(always)]
    fn apply<R: Pack<Scalar = f64>>(&self, tile: &mut [f64], gain: &mut [f64]) {
        let zero = R::zero();
        for (column, gain) in tile.chunks_exact_mut(TILE).zip(gain.chunks_exact_mut(N)) {
            let (mut low, mut high) = ([zero; 2], [zero; 2]);
            for v in 0..N {
                let g = R::splat(gain[v]);
                low[v % 2] += R::load(&self.lift[v]) * g;
                high[v % 2] += R::load(&self.lift[v][4..]) * g;
            }
            for j in 0..TILE {
                let n = R::splat(column[j]);
                if j < 4 {
                    low[j % 2] += R::load(&self.mix[j]) * n;
                }
                high[j % 2] += R::load(&self.mix[j][4..]) * n;
            }
            for block in (0..N).step_by(BLOCK) {
                let mut g = [R::load(&gain[block..]), zero];
                for j in 0..TILE {
                    g[j % 2] -= R::load(&self.rows[j][block..]) * R::splat(column[j]);
                }
                (g[0] + g[1]).store(&mut gain[block..]);
            }
            (low[0] + low[1]).store(column);
            (high[0] + high[1]).store(&mut column[4..]);
        }
    }
}
