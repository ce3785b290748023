//! Singular value decomposition of 3×2 matrices, F = U Σ Vᵀ, in closed form.
//!
//! One Jacobi rotation diagonalises the 2×2 matrix FᵀF. The second column of U is the component of F V
//! perpendicular to the first, so the decomposition is complete and orthonormal for any rank.

use std::marker::PhantomData;

use crate::math::givens::{
    normalize_or_x_axis, normalize_perpendicular, rescale3x2, sorted_rotation,
};
use crate::math::{Mat2, Mat3x2, Outlined, Real, Vec3};

/// Singular value decomposition F = U Σ Vᵀ.
#[derive(Clone, Copy, Debug)]
pub struct Svd3x2<R> {
    /// Two orthonormal columns.
    pub u: [Vec3<R>; 2],
    /// σ₁ ≥ σ₂ ≥ 0.
    pub sigma: [R; 2],
    /// Right rotation.
    pub v: Mat2<R>,
}

/// Returns the singular value decomposition of any finite 3×2 matrix.
#[inline(always)]
pub fn svd3x2<R: Real>(f: &Mat3x2<R>) -> Svd3x2<R> {
    let (f, scale) = rescale3x2(f);
    let [x, y] = f.cols;
    let (c, s) = sorted_rotation(x.norm_squared(), y.norm_squared(), x.dot(y));
    let (b1, b2) = (x.scale(c) + y.scale(s), y.scale(c) - x.scale(s));
    let (u1, s1) = normalize_or_x_axis(b1);
    let b2 = b2 - u1.scale(u1.dot(b2));
    let u2 = normalize_perpendicular(b2, u1, s1);
    // Rounding may change the order of equal values; restore it.
    let s2 = u2.dot(b2).max(R::zero()).min(s1);
    Svd3x2 { u: [u1, u2], sigma: [s1 * scale, s2 * scale], v: Mat2 { cols: [[c, s], [-s, c]] } }
}

/// Outlined [`svd3x2`] for kernels that seldom need it.
#[inline(always)]
pub fn svd3x2_outlined<R: Real>(f: &Mat3x2<R>) -> Svd3x2<R> {
    R::call::<Decompose<R>>(f)
}

struct Decompose<R>(PhantomData<R>);

impl<R: Real> Outlined for Decompose<R> {
    type Unit = Self;
    type Input = Mat3x2<R>;
    type Output = Svd3x2<R>;

    #[inline(always)]
    fn run(f: &Mat3x2<R>) -> Svd3x2<R> {
        svd3x2(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Scalar;
    use crate::math::testing::*;
    use crate::simd::{Lanes, Pack};

    struct Svd;
    impl Kernel for Svd {
        const IN: usize = 6;
        const OUT: usize = 12;
        #[inline(always)]
        fn eval<R: Pack>(x: &[R], y: &mut [R]) {
            let d = svd3x2(&matrix3x2(x));
            write_matrix3x2(&d.u, &mut y[0..6]);
            [y[6], y[7]] = d.sigma;
            [[y[8], y[9]], [y[10], y[11]]] = d.v.cols;
        }
    }

    fn check<S: Scalar>(bound: f64) {
        let input = &matrices::<S>()[..6];
        let out = run::<S, Svd>(Lanes::Scalar, input);
        assert_same_bits(&out, &run::<S, Svd>(Lanes::Packed, input));
        let (mut rebuilt, mut turned) = (0.0_f64, 0.0_f64);
        for i in 0..input[0].len() {
            let x: Vec<f64> = input.iter().map(|column| column[i].to_f64()).collect();
            let y: Vec<f64> = out.iter().map(|column| column[i].to_f64()).collect();
            let (f, u, s) = (matrix3x2(&x), matrix3x2(&y[0..6]), &y[6..8]);
            let (c, t) = (y[8], y[9]);
            assert!(s[0] >= s[1] && s[1] >= 0.0, "{f:?}: {s:?}");
            assert!(c == y[11] && t == -y[10]);
            turned = turned.max((c * c + t * t - 1.0).abs()).max(frame_error(&u));
            let [a, b] = [u.cols[0].scale(s[0]), u.cols[1].scale(s[1])];
            let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let norm = largest.max(S::TINY / S::EPSILON);
            let error = (a.scale(c) - b.scale(t) - f.cols[0])
                .norm()
                .max((a.scale(t) + b.scale(c) - f.cols[1]).norm())
                / norm;
            rebuilt = rebuilt.max(error);
            assert!(error <= bound, "{i}: {f:?} {s:?}: {error:e}");
        }
        println!("svd3x2 {}: reconstruction {rebuilt:.2e}, rotations {turned:.2e}", S::NAME);
        assert!(turned <= bound, "{turned:e}");
    }

    #[test]
    fn svd3x2_rebuilds_every_matrix_from_orthonormal_columns() {
        // Measured: 7.0e-7 and 1.2e-15.
        check::<f32>(1e-6);
        check::<f64>(1e-14);
    }
}
