//! Dense kernels on one panel in double precision.
//!
//! A panel is stored in tiles of eight rows; a tile stores its columns one after the other, eight
//! values each. The inner loop of every kernel, "eight rows × up to four columns, minus a sum of outer
//! products", thus reads two contiguous streams and keeps its results in eight registers. The order of
//! each sum is the order of the columns, on every machine.

use crate::linalg::supernodes::TILE;
use crate::simd::Pack;

/// Number of columns processed at a time.
pub const BLOCK: usize = 4;

/// Computes `c -= Σₖ aₖ bₖᵀ`: columns of eight rows `a`, rows of four `b`, the first `N` columns `c`.
#[inline(always)]
fn subtract_product<R: Pack<Scalar = f64>, const N: usize>(a: &[f64], b: &[f64], c: &mut [f64]) {
    let c = &mut c[..TILE * N];
    let mut low = [R::zero(); N];
    let mut high = [R::zero(); N];
    for l in 0..N {
        low[l] = R::load(&c[TILE * l..]);
        high[l] = R::load(&c[TILE * l + 4..]);
    }
    for (a, b) in a.chunks_exact(TILE).zip(b.chunks_exact(BLOCK)) {
        let (a_low, a_high) = (R::load(a), R::load(&a[4..]));
        for l in 0..N {
            let b = R::splat(b[l]);
            low[l] -= a_low * b;
            high[l] -= a_high * b;
        }
    }
    for l in 0..N {
        low[l].store(&mut c[TILE * l..]);
        high[l].store(&mut c[TILE * l + 4..]);
    }
}

/// Triangle of up to four rows, and the inverses of its diagonal.
#[derive(Default)]
struct Triangle {
    entries: [[f64; BLOCK]; BLOCK],
    inverse: [f64; BLOCK],
}

/// Computes `c ← c T⁻ᵀ` on eight rows and `N` columns.
#[inline(always)]
fn solve_triangle_transposed<R: Pack<Scalar = f64>, const N: usize>(t: &Triangle, c: &mut [f64]) {
    for half in [0, 4] {
        let mut x = [R::zero(); N];
        for l in 0..N {
            let mut v = R::load(&c[TILE * l + half..]);
            for k in 0..l {
                v -= x[k] * R::splat(t.entries[l][k]);
            }
            x[l] = v * R::splat(t.inverse[l]);
            x[l].store(&mut c[TILE * l + half..]);
        }
    }
}

/// Computes `c ← c T⁻¹` on eight rows and `N` columns.
#[inline(always)]
fn solve_triangle<R: Pack<Scalar = f64>, const N: usize>(t: &Triangle, c: &mut [f64]) {
    for half in [0, 4] {
        let mut x = [R::zero(); N];
        for l in (0..N).rev() {
            let mut v = R::load(&c[TILE * l + half..]);
            for k in l + 1..N {
                v -= x[k] * R::splat(t.entries[k][l]);
            }
            x[l] = v * R::splat(t.inverse[l]);
            x[l].store(&mut c[TILE * l + half..]);
        }
    }
}

/// Copies rows `row..row + 4` of some columns of a tile, four values per column.
#[inline(always)]
fn copy_rows(tile: &[f64], row: usize, out: &mut [f64]) {
    let half = row % TILE;
    for (column, out) in tile.chunks_exact(TILE).zip(out.chunks_exact_mut(BLOCK)) {
        out.copy_from_slice(&column[half..half + BLOCK]);
    }
}

/// Factors a panel of `width` columns in place: the triangle becomes that of L, the rows below are
/// divided by its transpose. A pivot must exceed its column's entry in `least`. Returns the first pivot
/// that does not, with its column, as the error.
#[inline(always)]
pub fn factor<R: Pack<Scalar = f64>>(
    data: &mut [f64],
    width: usize,
    least: &[f64],
    buffer: &mut [f64],
) -> Result<(), (usize, f64)> {
    let mut j = 0;
    while j + BLOCK <= width {
        factor_block::<R, 4>(data, width, j, least, buffer)?;
        j += BLOCK;
    }
    match width - j {
        1 => factor_block::<R, 1>(data, width, j, least, buffer),
        2 => factor_block::<R, 2>(data, width, j, least, buffer),
        3 => factor_block::<R, 3>(data, width, j, least, buffer),
        _ => Ok(()),
    }
}

#[inline(always)]
fn factor_block<R: Pack<Scalar = f64>, const N: usize>(
    data: &mut [f64],
    width: usize,
    j: usize,
    least: &[f64],
    buffer: &mut [f64],
) -> Result<(), (usize, f64)> {
    let buffer = &mut buffer[..BLOCK * j];
    let mut tiles = data[j / TILE * TILE * width..].chunks_exact_mut(TILE * width);
    let Some(diagonal) = tiles.next() else { return Ok(()) };
    let (left, own) = diagonal.split_at_mut(TILE * j);
    copy_rows(left, j, buffer);
    subtract_product::<R, N>(left, buffer, own);
    let mut triangle = Triangle::default();
    if let Some((l, pivot)) = factor_triangle::<N>(own, j % TILE, &least[j..], &mut triangle) {
        return Err((j + l, pivot));
    }
    solve_triangle_transposed::<R, N>(&triangle, own);
    // The divided diagonal has a rounding error, and the rows above it are zero.
    for l in 0..N {
        own[TILE * l..TILE * l + j % TILE + l].fill(0.0);
        own[TILE * l + j % TILE + l] = triangle.entries[l][l];
    }
    for tile in tiles {
        let (left, own) = tile.split_at_mut(TILE * j);
        subtract_product::<R, N>(left, buffer, own);
        solve_triangle_transposed::<R, N>(&triangle, own);
    }
    Ok(())
}

/// Computes the Cholesky factor of the triangle that starts at row `row` of the tile. Returns the first
/// pivot that does not exceed its least value, if any.
#[inline(always)]
fn factor_triangle<const N: usize>(
    own: &[f64],
    row: usize,
    least: &[f64],
    t: &mut Triangle,
) -> Option<(usize, f64)> {
    for l in 0..N {
        for i in l..N {
            let mut v = own[TILE * l + row + i];
            for k in 0..l {
                v -= t.entries[i][k] * t.entries[l][k];
            }
            if i > l {
                t.entries[i][l] = v * t.inverse[l];
                continue;
            }
            let positive = v > 0.0 && v > least[l] && v.is_finite();
            if !positive {
                return Some((l, v));
            }
            t.entries[l][l] = v.sqrt();
            t.inverse[l] = 1.0 / t.entries[l][l];
        }
    }
    None
}

/// Computes the products of the rows `row..row + 4` of a factored panel with all its rows from that
/// tile on: four columns of eight values per tile, **negated**.
#[inline(always)]
pub fn outer_product<R: Pack<Scalar = f64>>(
    data: &[f64],
    width: usize,
    row: usize,
    buffer: &mut [f64],
    out: &mut [f64],
) {
    let buffer = &mut buffer[..BLOCK * width];
    let tiles = data[row / TILE * TILE * width..].chunks_exact(TILE * width);
    copy_rows(&data[row / TILE * TILE * width..][..TILE * width], row, buffer);
    for (tile, out) in tiles.zip(out.chunks_exact_mut(TILE * BLOCK)) {
        out.fill(0.0);
        subtract_product::<R, BLOCK>(tile, buffer, out);
    }
}

/// Converts a factored panel [T; B] into [−T⁻¹; B T⁻¹], by which the solve multiplies. `triangle` has
/// `width²` elements, `buffer` four times the width.
#[inline(always)]
pub fn invert<R: Pack<Scalar = f64>>(
    data: &mut [f64],
    width: usize,
    triangle: &mut [f64],
    buffer: &mut [f64],
) {
    // Save T, column by column, and replace it by −1 (times the identity).
    for column in 0..width {
        for row in 0..width {
            let at = (row / TILE * width + column) * TILE + row % TILE;
            triangle[column * width + row] = data[at];
            data[at] = if row == column { -1.0 } else { 0.0 };
        }
    }
    let mut j = width / BLOCK * BLOCK;
    match width - j {
        1 => invert_block::<R, 1>(data, width, j, triangle, buffer),
        2 => invert_block::<R, 2>(data, width, j, triangle, buffer),
        3 => invert_block::<R, 3>(data, width, j, triangle, buffer),
        _ => (),
    }
    while j > 0 {
        j -= BLOCK;
        invert_block::<R, 4>(data, width, j, triangle, buffer);
    }
}

#[inline(always)]
fn invert_block<R: Pack<Scalar = f64>, const N: usize>(
    data: &mut [f64],
    width: usize,
    j: usize,
    triangle: &[f64],
    buffer: &mut [f64],
) {
    let end = j + N;
    for k in end..width {
        for l in 0..N {
            buffer[BLOCK * (k - end) + l] = triangle[(j + l) * width + k];
        }
    }
    let mut own = Triangle::default();
    for l in 0..N {
        for k in l..N {
            own.entries[k][l] = triangle[(j + l) * width + j + k];
        }
        own.inverse[l] = 1.0 / own.entries[l][l];
    }
    let first = j / TILE;
    for (t, tile) in data[first * TILE * width..].chunks_exact_mut(TILE * width).enumerate() {
        // A tile of the triangle is zero right of its last row's column.
        let filled = width.min(TILE * (first + t + 1)).max(end);
        let (left, right) = tile.split_at_mut(TILE * end);
        let right = &right[..TILE * (filled - end)];
        subtract_product::<R, N>(right, buffer, &mut left[TILE * j..]);
        solve_triangle::<R, N>(&own, &mut left[TILE * j..]);
    }
}
