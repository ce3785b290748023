//! Small products and sums over the vectors of one element.

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
