//! Solver forms of an element in projective form.

use std::marker::PhantomData;

use crate::element::SolverForms;
use crate::element::algebra::{
    apply, apply_transposed, difference, hessian_blocks, norm_squared, weighted_norm,
};
use crate::element::evaluation::project;
use crate::element::rows::{self, AddRow, AddStiffness};
use crate::element::{
    Curvature, Multipliers, Projective, RelaxationParams, VertexBlock, relax_sequentially,
};
use crate::math::{Real, Scalar, Vec3};

/// The solver forms of a [`Projective`] element.
pub struct ByProjection<E, const D: usize>(PhantomData<E>);

impl<E: Projective<N, D, K>, const N: usize, const D: usize, const K: usize> SolverForms<N, K>
    for ByProjection<E, D>
{
    type Element = E;
    const NAME: &'static str = E::NAME;
    const COST_NS: usize = E::COST_NS;
    const CONSTRAINTS: usize = 1;
    const MULTIPLIERS: usize = 3 * D;
    const UNILATERAL: bool = false;
    const PROJECTIVE_ENERGY_IS_EXACT: bool = true;
    const PLASTIC_STATE_LEN: usize = E::PLASTIC_STATE_LEN;

    fn update_plasticity<R: Real>(rest: &mut [R; K], x: &[Vec3<R>; N], h: R) {
        E::update_plasticity(rest, &apply(&E::matrix(rest), x), h);
    }

    #[inline(always)]
    fn constraint<R: Real>(_: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        let a = E::matrix(rest);
        let (c, n) = E::signed_distance(rest, &apply(&a, x));
        (c, apply_transposed(&a, &n))
    }

    #[inline(always)]
    fn inv_effective_mass<R: Real>(rest: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R {
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

    /// With `C = |r|`, `r = y − p`, and `∇C = Aᵀr/|r|`, eq. (9) of Position Based Dynamics needs no square root:
    /// `Δx = −k m⁻¹ Aᵀr |r|² / Σ m⁻¹|Aᵀr|²`.
    #[inline(always)]
    fn relax<R: Real>(
        rest: &[R; K],
        own: &impl RelaxationParams<R, N>,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
    ) {
        if D == 1 {
            // The root is needed for a unit vector, and the divisor is known without it.
            return relax_sequentially::<Self, R, N, K>(rest, own, inv_mass, x);
        }
        let a = E::matrix(rest);
        let y = apply(&a, x);
        let residual = difference(&y, &project::<E, _, N, D, K>(rest, &y));
        let g = apply_transposed(&a, &residual);
        let square = norm_squared(&residual);
        let step = square.div_or_zero(weighted_norm(&g, inv_mass), R::of(R::Scalar::TINY));
        let step = -(own.stiffness(0) * step);
        for k in 0..N {
            x[k] += g[k].scale(step * inv_mass[k]);
        }
    }

    /// The multiplier is a vector for each of `y`. It contributes `M⁻¹AᵀΛ` to `x`, independently of the iterate at
    /// which it was computed, because `A` is constant. With `p` nearest to the present `y`, the target is
    /// `Λ = −κ (y − p)`. A step along the residual `q = κ (y − p) + Λ` has the length that is exact along `q`:
    ///
    /// ```text
    /// ΔΛ = −q |q|² / (|q|² + κ Σ m⁻¹|Aᵀq|²)
    /// ```
    ///
    /// The first step is that of the scalar multiplier of `C = ‖y − p‖`. At convergence Λ is the element's force, and
    /// `x` the minimiser of the implicit Euler step. Scalar multipliers would instead accumulate along the directions
    /// of different iterates.
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
        let y = apply(&a, x);
        let residual = difference(&y, &project::<E, _, N, D, K>(rest, &y));
        // Divided by 1 + κ, so that its square does not overflow for any stiffness.
        let scale = R::one() / (R::one() + kappa);
        let mut q = residual;
        for d in 0..D {
            let at = 3 * d;
            let before =
                Vec3::new(multipliers.get(at), multipliers.get(at + 1), multipliers.get(at + 2));
            q[d] = (residual[d].scale(kappa) + before).scale(scale);
        }
        let g = apply_transposed(&a, &q);
        let step = if D == 1 {
            R::one() / (R::one() + kappa * Self::inv_effective_mass(rest, &g, inv_mass))
        } else {
            let square = norm_squared(&q);
            let across = weighted_norm(&g, inv_mass);
            square.div_or_zero(square + kappa * across, R::of(R::Scalar::TINY))
        };
        let step = -(step * (R::one() + kappa));
        for d in 0..D {
            let change = q[d].scale(step);
            let at = 3 * d;
            multipliers.set(at, multipliers.get(at) + change.x);
            multipliers.set(at + 1, multipliers.get(at + 1) + change.y);
            multipliers.set(at + 2, multipliers.get(at + 2) + change.z);
        }
        for k in 0..N {
            x[k] += g[k].scale(step * inv_mass[k]);
        }
    }

    #[inline(always)]
    fn projective_force<R: Real>(
        _: usize,
        rest: &[R; K],
        _: R,
        x: &[Vec3<R>; N],
        _: bool,
    ) -> ([Vec3<R>; N], R) {
        let a = E::matrix(rest);
        let y = apply(&a, x);
        let d = difference(&project::<E, _, N, D, K>(rest, &y), &y);
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

    fn rest_inv_effective_mass(
        _: usize,
        rest: &[f64; K],
        _: &[Vec3<f64>; N],
        inv_mass: &[f64; N],
    ) -> f64 {
        // At rest the direction is undefined where D > 1: use the mean over all directions.
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

    fn hessian_blocks(
        _: usize,
        rest: &[f64; K],
        x: &[Vec3<f64>; N],
        definite: bool,
        out: &mut [[f64; 9]],
    ) {
        let a = E::matrix(rest);
        let mut c = Curvature::identity();
        E::curvature(rest, &apply(&a, x), definite, &mut c);
        hessian_blocks(&a, &c, out);
    }

    fn duals() -> usize {
        3 * D
    }

    fn max_rows(_: bool) -> usize {
        3 * D
    }

    fn constraint_rows(_: usize, rest: &[f64; K], x: &[Vec3<f64>; N], add: AddRow<N>) {
        rows::projective_rows::<E, N, D, K>(rest, x, add);
    }

    fn stiffness_rows(
        _: usize,
        rest: &[f64; K],
        x: &[Vec3<f64>; N],
        dual: &[f64],
        weight: f64,
        add: AddStiffness<N>,
    ) {
        rows::projective_stiffness::<E, N, D, K>(rest, x, dual, weight, add);
    }

    #[inline(always)]
    fn vertex_block<R: Real>(
        _: usize,
        rest: &[R; K],
        x: &[Vec3<R>; N],
        corner: usize,
    ) -> VertexBlock<R> {
        let matrix = E::matrix(rest);
        let mut a = [R::zero(); D];
        for d in 0..D {
            a[d] = matrix[d][corner];
        }
        let y = apply(&matrix, x);
        let pull = difference(&project::<E, _, N, D, K>(rest, &y), &y);
        let mut force = pull[0].scale(a[0]);
        for d in 1..D {
            force += pull[d].scale(a[d]);
        }
        VertexBlock { force, block: E::block(rest, &y, &a) }
    }
}

fn pairs<const N: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|p| (0..N).map(move |q| (p, q)))
}
