//! Symmetric 3×3 matrices as six numbers: xx, yy, zz, xy, xz, yz.

use crate::math::{Mat3, Real, Vec3};

/// The identity.
#[inline(always)]
pub fn identity<R: Real>() -> [R; 6] {
    [R::one(), R::one(), R::one(), R::zero(), R::zero(), R::zero()]
}

/// Returns the full matrix.
#[inline(always)]
pub fn matrix<R: Real>(&[xx, yy, zz, xy, xz, yz]: &[R; 6]) -> Mat3<R> {
    Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
}

/// The symmetric part of `Aᵀ B`.
#[inline(always)]
pub fn of_product<R: Real>(a: &Mat3<R>, b: &Mat3<R>) -> [R; 6] {
    let half = R::of(0.5);
    let ([a, b, c], [p, q, r]) = (a.cols, b.cols);
    [
        a.dot(p),
        b.dot(q),
        c.dot(r),
        (a.dot(q) + b.dot(p)) * half,
        (a.dot(r) + c.dot(p)) * half,
        (b.dot(r) + c.dot(q)) * half,
    ]
}

/// Returns the sum over all nine entries of their products (the Frobenius inner product).
#[inline(always)]
pub fn dot<R: Real>(a: &[R; 6], b: &[R; 6]) -> R {
    let aside = a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + (aside + aside)
}

/// `a − b`.
#[inline(always)]
pub fn minus<R: Real>(a: &[R; 6], b: &[R; 6]) -> [R; 6] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]]
}

/// `a + s b`.
#[inline(always)]
pub fn plus_scaled<R: Real>(a: &[R; 6], s: R, b: &[R; 6]) -> [R; 6] {
    let mut c = *a;
    for i in 0..6 {
        c[i] += s * b[i];
    }
    c
}
