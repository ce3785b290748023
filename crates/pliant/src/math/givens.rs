//! Pieces shared by the singular value and polar decompositions: plane rotations, a unit vector
//! across another, and the scaling that keeps squares and fourth powers in range.

use super::{Mat3, Mat3x2, Real, Scalar, Vec3};

/// Squared norms outside this range are scaled; inside it the fourth powers of the entries keep
/// their precision also in `f32`, and ordinary input is not rounded by any scaling.
const RANGE: (f64, f64) = (1e-6, 1e6);

/// Whether the lanes are single precision; a constant to the compiler.
#[inline(always)]
pub fn is_single<R: Real>() -> bool {
    R::Scalar::EPSILON > 1e-10
}

/// Cosine and sine that diagonalise [[α, γ], [γ, β]] with the larger eigenvalue first.
///
/// The rotation is (c, s) ∝ (|d| + h, 2γ) with d = α − β and h = √(d² + 4γ²), free of cancellation,
/// and a quarter turn further where d is negative. Lanes in which both vanish are not turned.
#[inline(always)]
pub fn sorted_rotation<R: Real>(alpha: R, beta: R, gamma: R) -> (R, R) {
    // Squares of vectors are squared once more below: lift the small ones out of the denormals.
    let lift = R::of((1u64 << 30) as f64);
    let d = (alpha - beta) * lift;
    let e = (gamma + gamma) * lift;
    let h = (d * d + e * e).sqrt();
    let w = d.abs() + h;
    // Below this h² has no digits left, and the vectors are noise beside any in range.
    let noise = R::of(if is_single::<R>() { 1e-15 } else { 1e-140 });
    let norm = ((h + h) * w).sqrt();
    let inv = R::one() / R::select_lt(noise, h, norm, R::one());
    let (w, e) = (w * inv, e * inv);
    let c = R::select_lt(d, R::zero(), e, w);
    let s = R::select_lt(d, R::zero(), w, e);
    (R::select_lt(noise, h, c, R::one()), R::select_lt(noise, h, s, R::zero()))
}

/// A unit vector across the unit vector `u` (Duff et al., Building an Orthonormal Basis,
/// Revisited, 2017).
#[inline(always)]
pub fn across<R: Real>(u: Vec3<R>) -> Vec3<R> {
    let one = R::one();
    let sign = R::select_lt(u.z, R::zero(), -one, one);
    let a = -one / (sign + u.z);
    Vec3::new(one + sign * u.x * u.x * a, sign * u.x * u.y * a, -sign * u.x)
}

/// The direction of `b`, or the first axis in lanes where it is zero, and its length.
#[inline(always)]
pub fn direction<R: Real>(b: Vec3<R>) -> (Vec3<R>, R) {
    let (zero, one) = (R::zero(), R::one());
    let length = b.norm();
    let u = b.scale(one / R::select_lt(zero, length, length, one));
    (Vec3::new(R::select_lt(zero, length, u.x, one), u.y, u.z), length)
}

/// The direction of `b` across the unit vector `u`; any such direction in lanes where `b` is
/// nothing but the rounding error of a vector of length `scale`.
///
/// `b` must have lost its part along `u` already; what rounding left of it is removed again after
/// the normalisation, and that is enough (Giraud et al., 2005).
#[inline(always)]
pub fn direction_across<R: Real>(b: Vec3<R>, u: Vec3<R>, scale: R) -> Vec3<R> {
    let noise = (scale * R::of(0.5 * R::Scalar::EPSILON)).max(R::of(R::Scalar::TINY));
    let length = b.norm();
    let w = b.scale(R::one() / R::select_lt(length, noise, R::one(), length));
    let w = w - u.scale(u.dot(w));
    if !R::any_lt(length, noise) {
        return w;
    }
    Vec3::select_lt(length, noise, across(u), w)
}

/// The matrix with an ordinary size, and the number to multiply it with to have the first again.
#[inline(always)]
pub fn to_range<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R) {
    let n = f.norm_squared();
    if !R::any_lt(n, R::of(RANGE.0)) && !R::any_lt(R::of(RANGE.1), n) {
        return (*f, R::one());
    }
    let [a, b, c] = f.cols;
    let (coarse, fine, back) = range_factors(n, max_abs(a).max(max_abs(b)).max(max_abs(c)));
    let a = a.scale(coarse).scale(fine);
    let b = b.scale(coarse).scale(fine);
    let c = c.scale(coarse).scale(fine);
    (Mat3::from_cols(a, b, c), back)
}

/// As [`to_range`], for a 3×2 matrix.
#[inline(always)]
pub fn to_range3x2<R: Real>(f: &Mat3x2<R>) -> (Mat3x2<R>, R) {
    let [a, b] = f.cols;
    let n = a.norm_squared() + b.norm_squared();
    if !R::any_lt(n, R::of(RANGE.0)) && !R::any_lt(R::of(RANGE.1), n) {
        return (*f, R::one());
    }
    let (coarse, fine, back) = range_factors(n, max_abs(a).max(max_abs(b)));
    let (a, b) = (a.scale(coarse).scale(fine), b.scale(coarse).scale(fine));
    (Mat3x2 { cols: [a, b] }, back)
}

/// Two factors that bring a matrix of squared norm `n` and largest entry `m` into range one after
/// the other, and the factor back. The first is a power of two, so that the second, the inverse of
/// the largest entry, can neither overflow nor lose bits as a denormal.
#[inline(always)]
fn range_factors<R: Real>(n: R, m: R) -> (R, R, R) {
    let (zero, one) = (R::zero(), R::one());
    let coarse = R::select_lt(one, m, R::of(1.0 / 256.0), R::of(256.0));
    let m = (m * coarse).max(R::of(R::Scalar::TINY));
    let back = m * R::select_lt(coarse, one, R::of(256.0), R::of(1.0 / 256.0));
    let above = R::select_lt(R::of(RANGE.1), n, one, zero);
    let outside = R::select_lt(n, R::of(RANGE.0), one, above);
    (
        R::select_lt(zero, outside, coarse, one),
        R::select_lt(zero, outside, one / m, one),
        R::select_lt(zero, outside, back, one),
    )
}

/// The largest absolute coordinate.
#[inline(always)]
fn max_abs<R: Real>(v: Vec3<R>) -> R {
    v.x.abs().max(v.y.abs()).max(v.z.abs())
}
