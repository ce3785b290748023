//! Nearest rotation of a matrix (polar decomposition), without warm start and without an SVD.
//!
//! For 3×3 matrices this is Markley's method from attitude determination (Attitude Determination
//! Using Vector Observations: A Fast Optimal Matrix Algorithm, 1993). The nearest proper rotation
//! of F = U Σ Vᵀ is
//!
//! R = ((κ + n) F + λ cof F − F FᵀF) / ζ,  κ = (λ² − n)/2,  ζ = κ λ − det F,  n = ‖F‖²,
//!
//! where λ = σ₁ + σ₂ + σ₃ (σ₃ with the sign of det F) is the largest root of p(λ) = κ² − ‖cof F‖² − 2 λ
//! det F. All four roots are real and √3 ‖F‖ is an upper bound, so Halley's iteration descends to λ
//! from there reliably. Inverted elements need no special case.
//!
//! An error in λ changes only the singular values of R, never its singular vectors, because F, cof F
//! and F FᵀF share them. A rough λ therefore suffices: one step of Newton's iteration for the polar
//! factor, X ← (X + X⁻ᵀ)/2 (Higham, 1986), squares the remaining error.
//!
//! ζ = (σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁) vanishes with σ₂+σ₃, where the nearest rotation is not unique. Lanes close
//! to this case use U Vᵀ from [`svd3`].

use crate::math::givens::{rescale, rescale3x2};
use crate::math::svd3x2::svd3x2_outlined;
use crate::math::{Mat3, Mat3x2, Real, Scalar, Vec3, svd3};

/// Returns the proper rotation nearest to `f`, for any finite matrix.
#[inline(always)]
pub fn polar3<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    let (f, _) = rescale(f);
    let (r, good) = markley(&f);
    if !R::any_lt(good, R::one()) {
        return r;
    }
    // Lanes near a double root use the decomposition.
    let d = svd3(&f);
    Mat3::select_lt(good, R::one(), &d.u.mul(&d.v.transpose()), &r)
}

/// Returns the nearest rotation by the formula above, and one in the lanes where it is accurate (else
/// zero).
#[inline(always)]
fn markley<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R) {
    let accuracy = accuracy::<R>();
    let [x, y, z] = f.cols;

    // The stretch FᵀF, its trace n, and the sum of its principal minors ‖cof F‖².
    let (xx, yy, zz) = (x.norm_squared(), y.norm_squared(), z.norm_squared());
    let (xy, yz, zx) = (x.dot(y), y.dot(z), z.dot(x));
    let n = xx + yy + zz;
    let minors = (xx * yy - xy * xy) + (yy * zz - yz * yz) + (zz * xx - zx * zx);
    let cof = f.cofactor();
    let det = x.dot(cof.cols[0]);

    let lambda = trace_of_stretch(n, minors, det);
    let kappa = R::of(0.5) * (lambda * lambda - n);
    let zeta = kappa * lambda - det;
    let inv = R::one() / zeta;
    let (a, b) = ((kappa + n) * inv, lambda * inv);
    let (xx, yy, zz) = (a - xx * inv, a - yy * inv, a - zz * inv);
    let (xy, yz, zx) = (xy * inv, yz * inv, zx * inv);
    let rough = Mat3::from_cols(
        x.scale(xx) - y.scale(xy) - z.scale(zx) + cof.cols[0].scale(b),
        y.scale(yy) - x.scale(xy) - z.scale(yz) + cof.cols[1].scale(b),
        z.scale(zz) - x.scale(zx) - y.scale(yz) + cof.cols[2].scale(b),
    );
    let (r, rough_det) = newton_step(&rough);

    // All errors that λ causes in the singular values of R have one sign, so the determinant reveals
    // their size, even if λ has not converged or was lost in rounding.
    let off = (rough_det - R::one()).abs();
    let good = R::select_lt(off, R::of(accuracy.max_det_error), R::one(), R::zero());
    (r, R::select_lt(lambda * n * R::of(accuracy.min_relative_zeta), zeta, good, R::zero()))
}

/// Termination and acceptance thresholds for a precision.
struct Accuracy {
    /// Step size, relative to its effect on the rotation, after which the next step is negligible:
    /// Halley's steps shrink cubically.
    last_step: f64,
    /// Maximum number of steps before a lane falls back to the decomposition.
    max_steps: usize,
    /// Largest |det R − 1| that a Newton step still reduces to rounding.
    max_det_error: f64,
    /// Fraction of λ ‖F‖² below which ζ is so small that the rounding errors of the sum for R are
    /// visible.
    min_relative_zeta: f64,
}

/// Returns the thresholds, chosen by measurement on 400,000 matrices of each of seven families, among
/// them singular values (1, w, ±w) and (1, 1, w − 1) with w from 1 down to 1e-4. In the Frobenius norm,
/// RᵀR is the identity to 9 ε (4 ε without the decomposition). The error of R in `f32` is below 2 ε
/// within 30 % of a rotation, and below 8 ε ‖F‖/(σ₂ + σ₃) anywhere. In `f64` the same bounds for the
/// difference from U Vᵀ are 6 ε and 45 ε ‖F‖/(σ₂ + σ₃). Within 30 % of a rotation, 95 % of the matrices
/// take one step in `f32` and two in `f64`.
#[inline(always)]
const fn accuracy<R: Real>() -> Accuracy {
    if R::Scalar::EPSILON > 1e-10 {
        Accuracy { last_step: 8e-2, max_steps: 8, max_det_error: 6e-4, min_relative_zeta: 5e-3 }
    } else {
        Accuracy { last_step: 2e-3, max_steps: 10, max_det_error: 2e-8, min_relative_zeta: 1e-4 }
    }
}

/// Returns λ = σ₁ + σ₂ + σ₃, up to an error that one Newton step removes from the rotation.
#[inline(always)]
fn trace_of_stretch<R: Real>(n: R, minors: R, det: R) -> R {
    let accuracy = accuracy::<R>();
    let zero = R::zero();
    let mut lambda = (R::of(3.0) * n).sqrt();
    let mut moving = R::one();
    let mut step = 0;
    while step < accuracy.max_steps && R::any_lt(zero, moving) {
        let square = lambda * lambda;
        let kappa = R::of(0.5) * (square - n);
        let zeta = kappa * lambda - det;
        let p = kappa * kappa - minors - (det + det) * lambda;
        // Halley's step with p' = 2 ζ and p'' = 2 (κ + λ²).
        let delta = (p + p) * zeta / (R::of(4.0) * zeta * zeta - p * (kappa + square));
        lambda = R::select_lt(zero, moving, lambda - delta, lambda);
        moving = R::select_lt(R::of(accuracy.last_step) * zeta, delta * square, moving, zero);
        step += 1;
    }
    lambda
}

/// Returns one step of Newton's iteration for the orthogonal polar factor, and the determinant of `m`.
#[inline(always)]
fn newton_step<R: Real>(m: &Mat3<R>) -> (Mat3<R>, R) {
    let cof = m.cofactor();
    let det = m.cols[0].dot(cof.cols[0]);
    let half = R::of(0.5);
    let inv = half / det;
    let [a, b, c] = m.cols;
    let step = Mat3::from_cols(
        a.scale(half) + cof.cols[0].scale(inv),
        b.scale(half) + cof.cols[1].scale(inv),
        c.scale(half) + cof.cols[2].scale(inv),
    );
    (step, det)
}

/// Returns the matrix with orthonormal columns nearest to `f`, for any finite 3×2 matrix.
///
/// F (FᵀF)^(−1/2) = (F + G)/(σ₁ + σ₂) in closed form, where G = (y × n, n × x) with the unit normal n
/// of the columns x and y: G has the singular vectors of F with the values exchanged. The sum of the
/// values is the root of ‖F‖² + 2 |x × y|. Lanes with nearly parallel columns, whose normal is lost in
/// rounding, use the decomposition.
#[inline(always)]
pub fn polar3x2<R: Real>(f: &Mat3x2<R>) -> Mat3x2<R> {
    let (f, _) = rescale3x2(f);
    let [x, y] = f.cols;
    let one = R::one();
    let n = x.norm_squared() + y.norm_squared();
    let normal = x.cross(y);
    let area = normal.norm();
    let normal = normal.scale(one / area);
    let inv = one / (n + area + area).sqrt();
    let a = (x + y.cross(normal)).scale(inv);
    let b = (y + normal.cross(x)).scale(inv);

    let least = n * R::of(0.05);
    let good = R::select_lt(least, area, one, R::zero());
    if !R::any_lt(good, one) {
        return Mat3x2 { cols: [a, b] };
    }
    let d = svd3x2_outlined(&f);
    let [[c, s], [t, e]] = d.v.cols;
    let p = d.u[0].scale(c) + d.u[1].scale(t);
    let q = d.u[0].scale(s) + d.u[1].scale(e);
    Mat3x2 { cols: [Vec3::select_lt(good, one, p, a), Vec3::select_lt(good, one, q, b)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::svd3x2;
    use crate::math::testing::*;
    use crate::simd::{Lanes, Pack};

    struct Polar3;
    impl Kernel for Polar3 {
        const IN: usize = 9;
        const OUT: usize = 9;
        #[inline(always)]
        fn eval<R: Pack>(x: &[R], y: &mut [R]) {
            write_matrix(&polar3(&matrix(x)), y);
        }
    }

    struct Polar3x2;
    impl Kernel for Polar3x2 {
        const IN: usize = 6;
        const OUT: usize = 6;
        #[inline(always)]
        fn eval<R: Pack>(x: &[R], y: &mut [R]) {
            write_matrix3x2(&polar3x2(&matrix3x2(x)).cols, y);
        }
    }

    /// Returns the condition number of the nearest rotation: ‖F‖/(σ₂ + σ₃).
    fn condition(sigma: [f64; 3]) -> f64 {
        sigma[0] / (sigma[1] + sigma[2]).max(1e-300)
    }

    fn check3<S: Scalar>(bound: f64) {
        let input = matrices::<S>();
        let out = run::<S, Polar3>(Lanes::Scalar, &input);
        assert_same_bits(&out, &run::<S, Polar3>(Lanes::Packed, &input));
        let mut random = Random::new(3);
        let (mut turned, mut far) = (0.0_f64, 0.0_f64);
        for i in 0..input[0].len() {
            let x: Vec<f64> = input.iter().map(|column| column[i].to_f64()).collect();
            let y: Vec<f64> = out.iter().map(|column| column[i].to_f64()).collect();
            let (f, r) = (matrix(&x), matrix(&y));
            turned = turned.max(rotation_error(&r));
            let exact = svd3(&f);
            let condition = condition(exact.sigma);
            let q = exact.u.mul(&exact.v.transpose());
            if condition < 1e3 {
                far = far.max(distance(&r, &q) / condition);
            }
            // No rotation is nearer. Squared distances, up to ‖F‖² and 3, are −2 tr(RᵀF).
            let norm = exact.sigma[0].max(S::TINY / S::EPSILON);
            let found = inner(&r, &f) / norm;
            for other in [random.rotation(), q] {
                assert!(found >= inner(&other, &f) / norm - bound, "{i}: {f:?} {r:?}");
            }
        }
        println!("polar3 {}: rotation {turned:.2e}, error/condition {far:.2e}", S::NAME);
        assert!(turned <= bound && far <= bound, "{turned:e} {far:e}");
    }

    fn inner(a: &Mat3<f64>, b: &Mat3<f64>) -> f64 {
        (0..3).map(|k| a.cols[k].dot(b.cols[k])).sum()
    }

    #[test]
    fn polar3_is_the_nearest_rotation() {
        // Measured: 5.9e-7 and 4.0e-15.
        check3::<f32>(2e-6);
        check3::<f64>(3e-14);
    }

    fn check3x2<S: Scalar>(bound: f64) {
        let input = &matrices::<S>()[..6];
        let out = run::<S, Polar3x2>(Lanes::Scalar, input);
        assert_same_bits(&out, &run::<S, Polar3x2>(Lanes::Packed, input));
        let (mut turned, mut far) = (0.0_f64, 0.0_f64);
        for i in 0..input[0].len() {
            let x: Vec<f64> = input.iter().map(|column| column[i].to_f64()).collect();
            let y: Vec<f64> = out.iter().map(|column| column[i].to_f64()).collect();
            let (f, r) = (matrix3x2(&x), matrix3x2(&y));
            turned = turned.max(frame_error(&r));
            let d = svd3x2(&f);
            let [[c, s], [t, e]] = d.v.cols;
            let p = d.u[0].scale(c) + d.u[1].scale(t) - r.cols[0];
            let q = d.u[0].scale(s) + d.u[1].scale(e) - r.cols[1];
            let condition = d.sigma[0] / d.sigma[1].max(1e-300);
            if condition < 1e3 {
                far = far.max(p.norm().max(q.norm()) / condition);
            }
        }
        println!("polar3x2 {}: columns {turned:.2e}, error/condition {far:.2e}", S::NAME);
        assert!(turned <= bound && far <= bound, "{turned:e} {far:e}");
    }

    #[test]
    fn polar3x2_is_the_nearest_pair_of_orthonormal_columns() {
        // Measured: 4.9e-7 and 8.9e-16.
        check3x2::<f32>(2e-6);
        check3x2::<f64>(1e-14);
    }

    fn idempotence<S: Scalar>() -> f64 {
        let mut random = Random::new(5);
        let mut worst = 0.0_f64;
        for _ in 0..10_000 {
            let r = entries(&random.rotation()).map(S::from_f64);
            let mut again = [S::default(); 9];
            write_matrix(&polar3(&matrix(&r)), &mut again);
            for k in 0..9 {
                worst = worst.max((again[k].to_f64() - r[k].to_f64()).abs() / S::EPSILON);
            }
        }
        println!("polar3 {}: rotations move by {worst:.2} eps", S::NAME);
        worst
    }

    #[test]
    fn polar3_leaves_rotations_alone() {
        // Measured: 1.5 and 2.0.
        assert!(idempotence::<f32>() <= 3.0);
        assert!(idempotence::<f64>() <= 3.0);
        assert_eq!(entries(&polar3(&Mat3::identity())), entries(&Mat3::identity()));
    }
}
