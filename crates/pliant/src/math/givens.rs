//! Functions shared by the singular value and polar decompositions: plane rotations, perpendicular unit
//! vectors, and the scaling that keeps squares and fourth powers in range.

use crate::math::{Mat3, Mat3x2, Real, Scalar, Vec3};

/// Range of squared norms that are not scaled. Inside it the fourth powers of the entries keep their
/// precision also in `f32`, and ordinary input is not rounded by any scaling.
const NORM_RANGE: (f64, f64) = (1e-6, 1e6);

/// Returns true if the lanes are single precision; a constant to the compiler.
#[inline(always)]
pub fn is_f32<R: Real>() -> bool {
    R::Scalar::EPSILON > 1e-10
}

/// Returns the cosine and sine that diagonalise [[α, γ], [γ, β]] with the larger eigenvalue first.
///
/// The rotation is (c, s) ∝ (|d| + h, 2γ) with d = α − β and h = √(d² + 4γ²), free of cancellation,
/// plus a quarter turn where d is negative. Lanes in which both d and γ vanish are not rotated.
#[inline(always)]
pub fn sorted_rotation<R: Real>(alpha: R, beta: R, gamma: R) -> (R, R) {
    // Squares of vectors are squared again below: scale small ones out of the denormal range.
    let lift = R::of((1u64 << 30) as f64);
    let d = (alpha - beta) * lift;
    let e = (gamma + gamma) * lift;
    let h = (d * d + e * e).sqrt();
    let w = d.abs() + h;
    // Below this h² has no significant digits, and the vectors are noise compared with any in range.
    let noise = R::of(if is_f32::<R>() { 1e-15 } else { 1e-140 });
    let norm = ((h + h) * w).sqrt();
    let inv = R::one() / R::select_lt(noise, h, norm, R::one());
    let (w, e) = (w * inv, e * inv);
    let c = R::select_lt(d, R::zero(), e, w);
    let s = R::select_lt(d, R::zero(), w, e);
    (R::select_lt(noise, h, c, R::one()), R::select_lt(noise, h, s, R::zero()))
}

/// Returns a unit vector perpendicular to the unit vector `u` (Duff et al., Building an Orthonormal
/// Basis, Revisited, 2017).
#[inline(always)]
pub fn any_perpendicular<R: Real>(u: Vec3<R>) -> Vec3<R> {
    let one = R::one();
    let sign = R::select_lt(u.z, R::zero(), -one, one);
    let a = -one / (sign + u.z);
    Vec3::new(one + sign * u.x * u.x * a, sign * u.x * u.y * a, -sign * u.x)
}

/// Returns the direction of `b`, or the first axis in lanes where it is zero, and its length.
#[inline(always)]
pub fn normalize_or_x_axis<R: Real>(b: Vec3<R>) -> (Vec3<R>, R) {
    let (zero, one) = (R::zero(), R::one());
    let length = b.norm();
    let u = b.scale(one / R::select_lt(zero, length, length, one));
    (Vec3::new(R::select_lt(zero, length, u.x, one), u.y, u.z), length)
}

/// Returns the direction of `b` perpendicular to the unit vector `u`; any such direction in lanes where
/// `b` is only the rounding error of a vector of length `scale`.
///
/// The component of `b` along `u` must have been removed already; what rounding left of it is removed
/// again after the normalisation, which is sufficient (Giraud et al., 2005).
#[inline(always)]
pub fn normalize_perpendicular<R: Real>(b: Vec3<R>, u: Vec3<R>, scale: R) -> Vec3<R> {
    let noise = (scale * R::of(0.5 * R::Scalar::EPSILON)).max(R::of(R::Scalar::TINY));
    let length = b.norm();
    let w = b.scale(R::one() / R::select_lt(length, noise, R::one(), length));
    let w = w - u.scale(u.dot(w));
    if !R::any_lt(length, noise) {
        return w;
    }
    Vec3::select_lt(length, noise, any_perpendicular(u), w)
}

/// Returns the matrix scaled into range, and the factor that restores the original.
#[inline(always)]
pub fn rescale<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R) {
    let n = f.norm_squared();
    if !R::any_lt(n, R::of(NORM_RANGE.0)) && !R::any_lt(R::of(NORM_RANGE.1), n) {
        return (*f, R::one());
    }
    let [a, b, c] = f.cols;
    let (coarse, fine, back) = range_factors(n, max_abs(a).max(max_abs(b)).max(max_abs(c)));
    let a = a.scale(coarse).scale(fine);
    let b = b.scale(coarse).scale(fine);
    let c = c.scale(coarse).scale(fine);
    (Mat3::from_cols(a, b, c), back)
}

/// Does the same as [`rescale`] for a 3×2 matrix.
#[inline(always)]
pub fn rescale3x2<R: Real>(f: &Mat3x2<R>) -> (Mat3x2<R>, R) {
    let [a, b] = f.cols;
    let n = a.norm_squared() + b.norm_squared();
    if !R::any_lt(n, R::of(NORM_RANGE.0)) && !R::any_lt(R::of(NORM_RANGE.1), n) {
        return (*f, R::one());
    }
    let (coarse, fine, back) = range_factors(n, max_abs(a).max(max_abs(b)));
    let (a, b) = (a.scale(coarse).scale(fine), b.scale(coarse).scale(fine));
    (Mat3x2 { cols: [a, b] }, back)
}

/// Returns two factors that, applied one after the other, scale a matrix of squared norm `n` and
/// largest entry `m` into range, and the factor back. The first is a power of two, so that the second,
/// the inverse of the largest entry, can neither overflow nor lose bits as a denormal.
#[inline(always)]
fn range_factors<R: Real>(n: R, m: R) -> (R, R, R) {
    let (zero, one) = (R::zero(), R::one());
    let coarse = R::select_lt(one, m, R::of(1.0 / 256.0), R::of(256.0));
    let m = (m * coarse).max(R::of(R::Scalar::TINY));
    let back = m * R::select_lt(coarse, one, R::of(256.0), R::of(1.0 / 256.0));
    let above = R::select_lt(R::of(NORM_RANGE.1), n, one, zero);
    let outside = R::select_lt(n, R::of(NORM_RANGE.0), one, above);
    (
        R::select_lt(zero, outside, coarse, one),
        R::select_lt(zero, outside, one / m, one),
        R::select_lt(zero, outside, back, one),
    )
}

/// Returns the largest absolute coordinate.
#[inline(always)]
fn max_abs<R: Real>(v: Vec3<R>) -> R {
    v.x.abs().max(v.y.abs()).max(v.z.abs())
}
