//! The faces of an element in projective form.

use std::marker::PhantomData;

use super::algebra::{
    apply, apply_transposed, difference, norm_squared, solve_definite, weighted_norm,
};
use super::{Curvature, Faces, Multipliers, Projective};
use crate::math::{Real, Scalar, Vec3};

/// The faces of a [`Projective`] element.
pub struct ByProjection<E, const D: usize>(PhantomData<E>);

impl<E: Projective<N, D, K>, const N: usize, const D: usize, const K: usize> Faces<N, K>
    for ByProjection<E, D>
{
    const NAME: &'static str = E::NAME;
    const COST_NS: usize = E::COST_NS;
    const CONSTRAINTS: usize = 1;
    const MULTIPLIERS: usize = 3 * D;
    const UNILATERAL: bool = false;
    const PULL_IS_FORCE: bool = true;

    #[inline(always)]
    fn constraint<R: Real>(_: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        let a = E::matrix(rest);
        let (c, n) = E::gap(rest, &apply(&a, x));
        (c, apply_transposed(&a, &n))
    }

    #[inline(always)]
    fn response<R: Real>(rest: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R {
        if D > 1 {
            return weighted_norm(g, inv_mass);
        }
        // With one row the gradients are multiples of one unit vector.
        let a = E::matrix(rest);
        let mut sum = R::zero();
        for k in 0..N {
            sum += inv_mass[k] * (a[0][k] * a[0][k]);
        }
        sum
    }

    /// The multiplier is a vector for each of `y`, and what it adds to `x` is `M⁻¹AᵀΛ` whatever the
    /// iterate it was found at, since `A` is constant. With `W = A M⁻¹ Aᵀ` and `p` nearest to the
    /// present `y`, the correction solves
    ///
    /// ```text
    /// Λ = −κ (y' − p),   y' = y + W (Λ − Λ_before)
    /// ```
    ///
    /// Where nothing moves any more, Λ is the element's force: the minimiser of the implicit Euler
    /// step. A scalar multiplier on `C = ‖y − p‖` would have added up along directions of different
    /// iterates instead. (With `p` nearest to `y − WΛ`, the element is solved exactly and the whole
    /// diverges, as compressed springs flip.)
    #[inline(always)]
    fn relax_compliant<R: Real>(
        _: usize,
        rest: &[R; K],
        kappa: R,
        _: R,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
        multipliers: &mut impl Multipliers<R>,
    ) {
        let a = E::matrix(rest);
        let mut w = [[R::zero(); D]; D];
        let mut trace = R::zero();
        for d in 0..D {
            for e in 0..D {
                for k in 0..N {
                    w[d][e] += a[d][k] * a[e][k] * inv_mass[k];
                }
            }
            trace += w[d][d];
        }
        let mut kappa = kappa;
        if D > 1 {
            // Rows that pinned vertices make dependent would cancel in what is left of the digits.
            kappa = kappa / (R::one() + kappa * trace * R::of(100.0 * R::Scalar::EPSILON));
        }
        let mut before = [Vec3::zero(); D];
        for d in 0..D {
            let at = 3 * d;
            before[d] =
                Vec3::new(multipliers.get(at), multipliers.get(at + 1), multipliers.get(at + 2));
        }
        let mut y = apply(&a, x);
        let p = E::project(rest, &y);
        for d in 0..D {
            for e in 0..D {
                y[d] -= before[e].scale(w[d][e]);
            }
        }
        let mut after = [Vec3::zero(); D];
        for d in 0..D {
            after[d] = (p[d] - y[d]).scale(kappa);
            for e in 0..D {
                w[d][e] *= kappa;
            }
            w[d][d] += R::one();
        }
        solve_definite(&mut w, &mut after);
        for d in 0..D {
            let at = 3 * d;
            multipliers.set(at, after[d].x);
            multipliers.set(at + 1, after[d].y);
            multipliers.set(at + 2, after[d].z);
        }
        let step = apply_transposed(&a, &difference(&after, &before));
        for k in 0..N {
            x[k] += step[k].scale(inv_mass[k]);
        }
    }

    #[inline(always)]
    fn energy<R: Real>(_: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> R {
        let y = apply(&E::matrix(rest), x);
        norm_squared(&difference(&y, &E::project(rest, &y))) * R::of(0.5)
    }

    #[inline(always)]
    fn force<R: Real>(which: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        Self::pull(which, rest, R::zero(), x).0
    }

    #[inline(always)]
    fn pull<R: Real>(_: usize, rest: &[R; K], _: R, x: &[Vec3<R>; N]) -> ([Vec3<R>; N], R) {
        let a = E::matrix(rest);
        let y = apply(&a, x);
        let d = difference(&E::project(rest, &y), &y);
        (apply_transposed(&a, &d), norm_squared(&d) * R::of(0.5))
    }

    fn quadratic(_: usize, rest: &[f64; K]) -> [[f64; N]; N] {
        let a = E::matrix(rest);
        let mut q = [[0.0; N]; N];
        for i in 0..N {
            for j in 0..N {
                for d in 0..D {
                    q[i][j] += a[d][i] * a[d][j];
                }
            }
        }
        q
    }

    fn share(_: usize, _: &[f64; K]) -> f64 {
        1.0
    }

    fn projective_weight(_: usize, _: &[f64; K], _: &[Vec3<f64>; N]) -> f64 {
        1.0
    }

    fn gain(_: usize, rest: &[f64; K], _: &[Vec3<f64>; N], inv_mass: &[f64; N]) -> f64 {
        // At rest the direction is undefined where D > 1: the mean over all directions.
        let a = E::matrix(rest);
        let mut sum = 0.0;
        for d in 0..D {
            for k in 0..N {
                sum += inv_mass[k] * a[d][k] * a[d][k];
            }
        }
        sum / D as f64
    }

    fn hessian(_: usize, rest: &[f64; K], x: &[Vec3<f64>; N], definite: bool, out: &mut [f64]) {
        const { assert!(D <= 3, "an element has at most three rows") };
        let a = E::matrix(rest);
        let mut c = Curvature::identity();
        E::curvature(rest, &apply(&a, x), definite, &mut c);
        for (p, q) in pairs::<N>() {
            for i in 0..3 {
                for j in 0..3 {
                    let mut sum = 0.0;
                    for d in 0..D {
                        for e in 0..D {
                            sum += a[d][p] * a[e][q] * c.m[3 * d + i][3 * e + j];
                        }
                    }
                    out[(3 * p + i) * 3 * N + 3 * q + j] = sum;
                }
            }
        }
    }
}

fn pairs<const N: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|p| (0..N).map(move |q| (p, q)))
}
