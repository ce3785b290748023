//! Small products and sums over the vectors of one element.

use crate::element::Curvature;
use crate::math::{Real, Vec3};

/// `A x`.
#[inline(always)]
pub(super) fn apply<R: Real, const N: usize, const D: usize>(
    a: &[[R; N]; D],
    x: &[Vec3<R>; N],
) -> [Vec3<R>; D] {
    let mut y = [Vec3::zero(); D];
    for d in 0..D {
        y[d] = x[0].scale(a[d][0]);
        for k in 1..N {
            y[d] += x[k].scale(a[d][k]);
        }
    }
    y
}

/// `Aᵀ y`.
#[inline(always)]
pub(super) fn apply_transposed<R: Real, const N: usize, const D: usize>(
    a: &[[R; N]; D],
    y: &[Vec3<R>; D],
) -> [Vec3<R>; N] {
    let mut x = [Vec3::zero(); N];
    for k in 0..N {
        x[k] = y[0].scale(a[0][k]);
        for d in 1..D {
            x[k] += y[d].scale(a[d][k]);
        }
    }
    x
}

#[inline(always)]
pub(super) fn difference<R: Real, const D: usize>(
    a: &[Vec3<R>; D],
    b: &[Vec3<R>; D],
) -> [Vec3<R>; D] {
    let mut d = *a;
    for i in 0..D {
        d[i] -= b[i];
    }
    d
}

#[inline(always)]
pub(super) fn norm_squared<R: Real, const D: usize>(d: &[Vec3<R>; D]) -> R {
    let mut sum = d[0].norm_squared();
    for i in 1..D {
        sum += d[i].norm_squared();
    }
    sum
}

#[inline(always)]
pub(super) fn weighted_norm<R: Real, const N: usize>(g: &[Vec3<R>; N], weight: &[R; N]) -> R {
    let mut sum = weight[0] * g[0].norm_squared();
    for k in 1..N {
        sum += weight[k] * g[k].norm_squared();
    }
    sum
}

#[inline(always)]
pub(super) fn sum_of_squares<R: Real, const D: usize>(a: &[R; D]) -> R {
    let mut sum = a[0] * a[0];
    for d in 1..D {
        sum += a[d] * a[d];
    }
    sum
}

/// Index of block (p, q), q ≤ p, in the lower triangle of an element's Hessian.
#[inline(always)]
pub fn block_index(p: usize, q: usize) -> usize {
    p * (p + 1) / 2 + q
}

/// Writes the 3×3 blocks of `Aᵀ C A`, row-major, in the order of [`block_index`].
pub fn hessian_blocks<const N: usize, const D: usize>(
    a: &[[f64; N]; D],
    c: &Curvature,
    out: &mut [[f64; 9]],
) {
    for q in 0..N {
        // The columns of C A of vertex q.
        let mut image = [[0.0; 9]; D];
        for d in 0..D {
            for e in 0..D {
                for i in 0..3 {
                    for j in 0..3 {
                        image[d][3 * i + j] += a[e][q] * c.m[3 * d + i][3 * e + j];
                    }
                }
            }
        }
        for p in q..N {
            let to = &mut out[block_index(p, q)];
            *to = [0.0; 9];
            for d in 0..D {
                for k in 0..9 {
                    to[k] += a[d][p] * image[d][k];
                }
            }
        }
    }
}
