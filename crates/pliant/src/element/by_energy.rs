//! Solver forms of an element given by an energy.

use std::marker::PhantomData;

use crate::element::SolverForms;
use crate::element::algebra::{
    apply, apply_transposed, hessian_blocks, norm_squared, weighted_norm,
};
use crate::element::evaluation::stress;
use crate::element::rows::{self, AddRow, AddStiffness};
use crate::element::{Curvature, Hyperelastic, Multipliers, VertexBlock};
use crate::math::{Real, Scalar, Vec3, project_psd};

/// The solver forms of a [`Hyperelastic`] element.
pub struct ByEnergy<E, const D: usize>(PhantomData<E>);

/// `Σ a · b` over the vectors of an element.
#[inline(always)]
fn dot<R: Real, const D: usize>(a: &[Vec3<R>; D], b: &[Vec3<R>; D]) -> R {
    let mut sum = a[0].dot(b[0]);
    for d in 1..D {
        sum += a[d].dot(b[d]);
    }
    sum
}

impl<E: Hyperelastic<N, D, K>, const N: usize, const D: usize, const K: usize> SolverForms<N, K>
    for ByEnergy<E, D>
{
    type Element = E;
    const NAME: &'static str = E::NAME;
    const COST_NS: usize = E::COST_NS;
    const CONSTRAINTS: usize = 1;
    const MULTIPLIERS: usize = 3 * D;
    const UNILATERAL: bool = false;
    const PROJECTIVE_ENERGY_IS_EXACT: bool = true;
    // An energy may have a saddle, where its gradient vanishes although the energy does not.
    const GRADIENT_CAN_VANISH: bool = true;
    const BOUNDED: bool = false;

    /// `C = √(2 E/w)`, so that `w/2 C²` is the energy, and `∇C = Aᵀ P / C`.
    #[inline(always)]
    fn constraint<R: Real>(_: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        let a = E::matrix(rest);
        let y = apply(&a, x);
        let c = (E::energy(rest, &y).max(R::zero()) * R::of(2.0)).sqrt();
        let mut n = stress::<E, _, N, D, K>(rest, &y);
        let inv = R::one().div_or_zero(c, R::of(R::Scalar::TINY));
        for d in 0..D {
            n[d] = n[d].scale(inv);
        }
        (c, apply_transposed(&a, &n))
    }

    #[inline(always)]
    fn inv_effective_mass<R: Real>(_: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R {
        weighted_norm(g, inv_mass)
    }

    /// One multiplier for each component of the stress, as for elements in projective form. At the solution `Λ = −κ P`.
    /// A step along the residual `q = κ P + Λ` has the length that is exact along `q` for the local curvature H,
    ///
    /// ```text
    /// ΔΛ = −q |q|² / (|q|² + κ q·H A M⁻¹Aᵀq)
    /// ```
    ///
    /// where the curvature counts as at least one: along some directions it is zero or negative.
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
        let mut q = stress::<E, _, N, D, K>(rest, &y);
        let mut size = R::of(R::Scalar::TINY);
        for d in 0..D {
            let at = 3 * d;
            let before =
                Vec3::new(multipliers.get(at), multipliers.get(at + 1), multipliers.get(at + 2));
            q[d] = q[d].scale(kappa) + before;
            size = size.max(q[d].x.abs()).max(q[d].y.abs()).max(q[d].z.abs());
        }
        // Normalised by its size, so that squares do not overflow however far the element is from rest.
        let inv_size = R::one() / size;
        for d in 0..D {
            q[d] = q[d].scale(inv_size);
        }
        let g = apply_transposed(&a, &q);
        let mut moved = g;
        for k in 0..N {
            moved[k] = g[k].scale(inv_mass[k]);
        }
        let stiff = E::stress_change(rest, &y, &apply(&a, &moved));
        let across = dot(&q, &stiff).max(weighted_norm(&g, inv_mass));
        let square = norm_squared(&q);
        let step = square.div_or_zero(square + kappa * across, R::of(R::Scalar::TINY));
        let step = -(step * size);
        for d in 0..D {
            let change = q[d].scale(step);
            let at = 3 * d;
            multipliers.set(at, multipliers.get(at) + change.x);
            multipliers.set(at + 1, multipliers.get(at + 1) + change.y);
            multipliers.set(at + 2, multipliers.get(at + 2) + change.z);
        }
        for k in 0..N {
            x[k] += moved[k].scale(step);
        }
    }

    /// Quasi-Newton form of Projective Dynamics (Liu, Bouaziz and Kavan 2017): the force divided by the element's
    /// stiffness in the global matrix, that is, the force for a stiffness of one.
    #[inline(always)]
    fn projective_force<R: Real>(
        _: usize,
        rest: &[R; K],
        _: R,
        x: &[Vec3<R>; N],
        wanted: bool,
    ) -> ([Vec3<R>; N], R) {
        let a = E::matrix(rest);
        let y = apply(&a, x);
        let inv = R::one() / E::stiffness(rest);
        let mut pull = apply_transposed(&a, &stress::<E, _, N, D, K>(rest, &y));
        for k in 0..N {
            pull[k] = pull[k].scale(-inv);
        }
        // Force and energy are independent, and the energy takes longer.
        (pull, if wanted { E::energy(rest, &y) * inv } else { R::zero() })
    }

    fn quadratic(_: usize, rest: &[f64; K]) -> [[f64; N]; N] {
        let a = E::matrix(rest);
        std::array::from_fn(|i| std::array::from_fn(|j| (0..D).map(|d| a[d][i] * a[d][j]).sum()))
    }

    fn share(_: usize, _: &[f64; K]) -> f64 {
        1.0
    }

    fn projective_weight(_: usize, rest: &[f64; K], _: &[Vec3<f64>; N]) -> f64 {
        E::stiffness(rest)
    }

    fn rest_inv_effective_mass(
        _: usize,
        rest: &[f64; K],
        _: &[Vec3<f64>; N],
        inv_mass: &[f64; N],
    ) -> f64 {
        // At rest the direction is undefined: use the mean over all directions.
        let a = E::matrix(rest);
        let sum: f64 =
            a.iter().map(|row| (0..N).map(|k| inv_mass[k] * row[k] * row[k]).sum::<f64>()).sum();
        E::stiffness(rest) * sum / D as f64
    }

    fn hessian(_: usize, rest: &[f64; K], x: &[Vec3<f64>; N], definite: bool, out: &mut [f64]) {
        const { assert!(D <= 3, "an element has at most three rows") };
        let a = E::matrix(rest);
        let mut c = curvature::<E, N, D, K>(rest, &apply(&a, x));
        if definite {
            project_curvature(&mut c, 3 * D);
        }
        for p in 0..N {
            for q in 0..N {
                for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                    let mut sum = 0.0;
                    for (d, e) in (0..D * D).map(|k| (k / D, k % D)) {
                        sum += a[d][p] * a[e][q] * c.m[3 * d + i][3 * e + j];
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
        let mut c = curvature::<E, N, D, K>(rest, &apply(&a, x));
        if definite {
            project_curvature(&mut c, 3 * D);
        }
        hessian_blocks(&a, &c, out);
    }

    fn duals() -> usize {
        3 * D
    }

    fn max_rows(geometric: bool) -> usize {
        if geometric { 6 * D } else { 3 * D }
    }

    fn constraint_rows(_: usize, rest: &[f64; K], x: &[Vec3<f64>; N], add: AddRow<N>) {
        let a = E::matrix(rest);
        let y = apply(&a, x);
        let c = curvature::<E, N, D, K>(rest, &y);
        rows::energy_rows(&a, &c, E::energy(rest, &y), &stress::<E, _, N, D, K>(rest, &y), add);
    }

    fn stiffness_rows(
        _: usize,
        rest: &[f64; K],
        x: &[Vec3<f64>; N],
        _: &[f64],
        weight: f64,
        add: AddStiffness<N>,
    ) {
        let a = E::matrix(rest);
        let y = apply(&a, x);
        let c = curvature::<E, N, D, K>(rest, &y);
        rows::energy_stiffness(
            &a,
            &c,
            E::energy(rest, &y),
            &stress::<E, _, N, D, K>(rest, &y),
            weight,
            add,
        );
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
        let stress = stress::<E, _, N, D, K>(rest, &y);
        let mut force = stress[0].scale(-a[0]);
        for d in 1..D {
            force -= stress[d].scale(a[d]);
        }
        VertexBlock { force, block: E::block(rest, &y, &a) }
    }
}

/// Returns the Hessian in the space of `y`, a column for each of its coordinates.
fn curvature<E: Hyperelastic<N, D, K>, const N: usize, const D: usize, const K: usize>(
    rest: &[f64; K],
    y: &[Vec3<f64>; D],
) -> Curvature {
    let mut c = Curvature::zero();
    for column in 0..3 * D {
        let mut axis = [0.0; 3];
        axis[column % 3] = 1.0;
        let mut change = [Vec3::zero(); D];
        change[column / 3] = Vec3::of(axis);
        let change = E::stress_change(rest, y, &change);
        for row in 0..3 * D {
            let v = change[row / 3];
            c.m[row][column] = [v.x, v.y, v.z][row % 3];
        }
    }
    c
}

/// Replaces the first `n` rows and columns by their positive semi-definite part.
fn project_curvature(c: &mut Curvature, n: usize) {
    let mut flat = [0.0; 81];
    (0..n * n).for_each(|i| flat[i] = c.m[i / n][i % n]);
    project_psd(&mut flat[..n * n], n);
    (0..n * n).for_each(|i| c.m[i / n][i % n] = flat[i]);
}
