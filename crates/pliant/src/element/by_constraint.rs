//! Solver forms of an element in scalar form.

use std::marker::PhantomData;

use crate::element::algebra::{norm_squared, weighted_norm};
use crate::element::evaluation::evaluate;
use crate::element::{
    Block, ConstraintGroup, ConstraintKind, Multipliers, RelaxationParams, VertexBlock,
};
use crate::element::{SolverForms, violation};
use crate::math::{Mat3, Real, Scalar, Vec3, project_psd};

/// The solver forms of a [`ConstraintGroup`] of `M`; for `M` = 1, of a [`crate::element::Constraint`].
pub struct ByConstraint<E, const M: usize = 1>(PhantomData<E>);

/// Steps of sequential quadratic programming in the local projection of a scalar constraint.
const PROJECTION_STEPS: usize = 3;

impl<E, const M: usize, const N: usize, const K: usize> SolverForms<N, K> for ByConstraint<E, M>
where
    E: ConstraintGroup<N, M, K>,
{
    type Element = E;
    const NAME: &'static str = E::NAME;
    const COST_NS: usize = E::COST_NS;
    const CONSTRAINTS: usize = M;
    const MULTIPLIERS: usize = M;
    const UNILATERAL: bool = matches!(E::KIND, ConstraintKind::Inequality);
    const PROJECTIVE_ENERGY_IS_EXACT: bool = false;
    const GRADIENT_CAN_VANISH: bool = E::GRADIENT_CAN_VANISH;
    const DISABLED_NEAR_INVERSION: bool = E::DISABLED_NEAR_INVERSION;
    const BOUNDED: bool = E::BOUNDED;
    const LOOP_OVER_CONSTRAINTS: bool = E::LOOP_OVER_CONSTRAINTS;

    fn is_inverted(rest: &[f64; K], x: &[Vec3<f64>; N]) -> bool {
        E::is_inverted(rest, x)
    }

    #[inline(always)]
    fn constraint<R: Real>(which: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        evaluate::<E, _, N, M, K>(which, rest, x)
    }

    #[inline(always)]
    fn inv_effective_mass<R: Real>(_: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R {
        weighted_norm(g, inv_mass)
    }

    #[inline(always)]
    fn relax<R: Real>(
        rest: &[R; K],
        own: &impl RelaxationParams<R, N>,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
    ) {
        E::relax(rest, own, inv_mass, x);
    }

    /// Macklin et al. 2016, with `κ` in place of the compliance `1/κ`, so that a weight of zero is
    /// harmless: `Δλ = (−C κ − λ) / (Σ m⁻¹|∇C|² κ + 1)`.
    #[inline(always)]
    fn relax_compliant<R: Real>(
        which: usize,
        rest: &[R; K],
        kappa: R,
        slack: R,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
        multipliers: &mut impl Multipliers<R>,
    ) {
        let lambda = multipliers.get(which);
        let (c, g) = evaluate::<E, _, N, M, K>(which, rest, x);
        let response = weighted_norm(&g, inv_mass) + slack;
        let mut step = (-(c * kappa) - lambda) / (response * kappa + R::one());
        if Self::UNILATERAL {
            // The multiplier of an inequality only pushes.
            step = (lambda + step).max(R::zero()) - lambda;
        }
        multipliers.set(which, lambda + step);
        for k in 0..N {
            x[k] += g[k].scale(step * inv_mass[k]);
        }
    }

    #[inline(always)]
    fn projective_force<R: Real>(
        which: usize,
        rest: &[R; K],
        slack: R,
        x: &[Vec3<R>; N],
        _: bool,
    ) -> ([Vec3<R>; N], R) {
        // Projective Dynamics eq. (26) for a general C: the step from x with the constraint linearised at the last
        // iterate. The mean drops out because the gradients sum to zero.
        let mut d = [Vec3::zero(); N];
        let (mut at, mut start, mut step) = (*x, R::zero(), 0);
        // One evaluation in a loop, instead of one before it and three unrolled: the code size of a kernel is that of
        // its evaluations.
        let c = loop {
            let (c, g) = violation::<Self, R, N, K>(which, rest, &at);
            if step == 0 {
                start = c;
            }
            if step == PROJECTION_STEPS {
                break c;
            }
            step += 1;
            let mut along = R::zero();
            for k in 0..N {
                along += g[k].dot(d[k]);
            }
            // Satisfied inequalities have c = 0 at d = 0 and stay there.
            let s = (along - c).div_or_zero(norm_squared(&g) + slack, R::of(R::Scalar::TINY));
            for k in 0..N {
                d[k] = g[k].scale(s);
                at[k] = x[k] + d[k];
            }
        };
        // Near a point where the gradient vanishes (a flat tetrahedron) the steps may go in any direction: a
        // displacement that does not reduce the violation is discarded, and the other elements act.
        for k in 0..N {
            d[k] = Vec3::select_lt(c.abs(), start.abs(), d[k], Vec3::zero());
        }
        if E::GRADIENT_ROTATES {
            remove_torque(x, &mut d);
        }
        (d, norm_squared(&d) * R::of(0.5))
    }

    fn quadratic(_: usize, _: &[f64; K]) -> [[f64; N]; N] {
        let mean = if E::TRANSLATION_INVARIANT { 1.0 / N as f64 } else { 0.0 };
        let mut q = [[-mean; N]; N];
        for k in 0..N {
            q[k][k] += 1.0;
        }
        q
    }

    fn share(which: usize, rest: &[f64; K]) -> f64 {
        E::share(which, rest)
    }

    fn projective_weight(which: usize, rest: &[f64; K], at_rest: &[Vec3<f64>; N]) -> f64 {
        let slope = norm_squared(&evaluate::<E, _, N, M, K>(which, rest, at_rest).1);
        if slope > 0.0 && slope.is_finite() { slope } else { 1.0 }
    }

    fn rest_inv_effective_mass(
        which: usize,
        rest: &[f64; K],
        at_rest: &[Vec3<f64>; N],
        inv_mass: &[f64; N],
    ) -> f64 {
        weighted_norm(&evaluate::<E, _, N, M, K>(which, rest, at_rest).1, inv_mass)
    }

    fn hessian(which: usize, rest: &[f64; K], x: &[Vec3<f64>; N], definite: bool, out: &mut [f64]) {
        let (c, g) = violation::<Self, f64, N, K>(which, rest, x);
        let active = !Self::UNILATERAL || c < 0.0;
        // ∇²C by central differences of the exact gradient, on the scale of the element.
        let size = x.iter().map(|v| (*v - x[0]).norm()).fold(0.0, f64::max).max(1e-9);
        let step = 1e-5 * size;
        for q in 0..N {
            for j in 0..3 {
                let column = 3 * q + j;
                let (plus, minus) = (
                    shifted_gradient::<E, N, M, K>(which, rest, x, q, j, step),
                    shifted_gradient::<E, N, M, K>(which, rest, x, q, j, -step),
                );
                for p in 0..N {
                    let curve = (plus[p] - minus[p]).scale(0.5 / step);
                    for i in 0..3 {
                        let value =
                            coordinate(g[p], i) * coordinate(g[q], j) + c * coordinate(curve, i);
                        out[(3 * p + i) * 3 * N + column] = if active { value } else { 0.0 };
                    }
                }
            }
        }
        symmetrise(out, 3 * N);
        if definite && active {
            project_psd(out, 3 * N);
        }
    }

    #[inline(always)]
    fn vertex_block<R: Real>(
        which: usize,
        rest: &[R; K],
        x: &[Vec3<R>; N],
        corner: usize,
    ) -> VertexBlock<R> {
        // ∇²C by forward differences: only its norm is needed. The undisplaced point comes first, in the same loop, for
        // the same reason as above.
        let step = span(x) * R::of(FINITE_DIFFERENCE_STEP);
        let (mut c, mut g, mut square) = (R::zero(), Vec3::zero(), R::zero());
        for place in 0..4 {
            let mut at = *x;
            match place {
                0 => {}
                1 => at[corner].x += step,
                2 => at[corner].y += step,
                _ => at[corner].z += step,
            }
            let (value, gradient) = evaluate::<E, _, N, M, K>(which, rest, &at);
            if place == 0 {
                (c, g) = (value, gradient[corner]);
            } else {
                square += (gradient[corner] - g).norm_squared();
            }
        }
        let bend = square.sqrt().div_or_zero(step, R::of(R::Scalar::TINY));
        let mut bent = c.abs() * bend;
        if Self::UNILATERAL {
            // A satisfied inequality does not act.
            g = Vec3::select_lt(c, R::zero(), g, Vec3::zero());
            bent = R::select_lt(c, R::zero(), bent, R::zero());
        }
        let block = Block::outer(R::one(), g).plus(Block::isotropic(bent));
        VertexBlock { force: g.scale(-c), block }
    }
}

/// Step of the differences that measure the change of a gradient, relative to the element's size.
pub(crate) const FINITE_DIFFERENCE_STEP: f64 = 1e-3;

/// The size of an element, at least 1e-9 m.
#[inline(always)]
fn span<R: Real, const N: usize>(x: &[Vec3<R>; N]) -> R {
    let mut square = R::of(1e-18);
    for k in 1..N {
        square = square.max((x[k] - x[0]).norm_squared());
    }
    square.sqrt()
}

/// Removes the rotation from displacements `d` that do not move the centre. The nearest point of a rotation-invariant
/// set exerts no torque, but a few steps towards it do.
#[inline(always)]
fn remove_torque<R: Real, const N: usize>(x: &[Vec3<R>; N], d: &mut [Vec3<R>; N]) {
    let mut centre = x[0];
    for k in 1..N {
        centre += x[k];
    }
    let centre = centre.scale(R::of(1.0 / N as f64));
    // I = Σ (|r|² − r rᵀ) by its six entries, and the torque Σ r × d.
    let (mut xx, mut yy, mut zz) = (R::zero(), R::zero(), R::zero());
    let (mut xy, mut yz, mut zx) = (R::zero(), R::zero(), R::zero());
    let mut torque = Vec3::zero();
    for k in 0..N {
        let r = x[k] - centre;
        torque += r.cross(d[k]);
        xx += r.x * r.x;
        yy += r.y * r.y;
        zz += r.z * r.z;
        xy += r.x * r.y;
        yz += r.y * r.z;
        zx += r.z * r.x;
    }
    // Points on a line have no inertia about it: a value of rounding size keeps the inertia invertible.
    let e = (xx + yy + zz) * R::of(R::Scalar::EPSILON);
    let inertia = Mat3::from_cols(
        Vec3::new(yy + zz + e, -xy, -zx),
        Vec3::new(-xy, xx + zz + e, -yz),
        Vec3::new(-zx, -yz, xx + yy + e),
    );
    // The matrix is symmetric, so its cofactor matrix is its own transpose.
    let inv = R::one().div_or_zero(inertia.det(), R::of(R::Scalar::TINY));
    let turn = inertia.cofactor().mul_vec(torque).scale(inv);
    for k in 0..N {
        d[k] -= turn.cross(x[k] - centre);
    }
}

fn shifted_gradient<E: ConstraintGroup<N, M, K>, const N: usize, const M: usize, const K: usize>(
    which: usize,
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
    vertex: usize,
    axis: usize,
    step: f64,
) -> [Vec3<f64>; N] {
    let mut at = *x;
    match axis {
        0 => at[vertex].x += step,
        1 => at[vertex].y += step,
        _ => at[vertex].z += step,
    }
    evaluate::<E, _, N, M, K>(which, rest, &at).1
}

fn coordinate(v: Vec3<f64>, axis: usize) -> f64 {
    [v.x, v.y, v.z][axis]
}

fn symmetrise(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (a[i * n + j] + a[j * n + i]);
            a[i * n + j] = mean;
            a[j * n + i] = mean;
        }
    }
}
