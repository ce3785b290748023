//! Scalar evaluation of single elements in double precision, used while a batch is built and by solvers that factor a
//! matrix in every iteration.
//!
//! No function here is a kernel. Each is compiled once for each element type, not for each precision, and is never
//! inlined.

use crate::batch::{AddEntry, ConstraintRow, compliance_of};
use crate::element::{MAX_CONSTRAINTS, SolverForms};
use crate::math::{Scalar, Vec3};
use crate::simd::Point;

/// Linearisation of one constraint of an element at rest.
pub struct RestLinearization {
    /// The constraint's share of the element's weight.
    pub share: f64,
    /// The weight of the projective energy, for an energy weight of one.
    pub projective_weight: f64,
    /// `Σ m⁻¹|∇C|²`.
    pub rest_inv_effective_mass: f64,
    /// `|∇C|²`, for elements whose gradient can vanish.
    pub rest_gradient_squared: Option<f64>,
}

/// Linearises constraint `which` of an element at rest.
#[inline(never)]
pub fn linearize_at_rest<F: SolverForms<N, K>, const N: usize, const K: usize>(
    which: usize,
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
    inv_mass: &[f64; N],
) -> RestLinearization {
    RestLinearization {
        share: F::share(which, rest),
        projective_weight: F::projective_weight(which, rest, x),
        rest_inv_effective_mass: F::rest_inv_effective_mass(which, rest, x, inv_mass),
        rest_gradient_squared: F::GRADIENT_CAN_VANISH
            .then(|| F::rest_inv_effective_mass(which, rest, x, &[1.0; N])),
    }
}

/// `C` and `∇C` of constraint `which`.
#[inline(never)]
pub fn constraint<F: SolverForms<N, K>, const N: usize, const K: usize>(
    which: usize,
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
) -> (f64, [Vec3<f64>; N]) {
    F::constraint(which, rest, x)
}

/// `AᵀA` of constraint `which`.
#[inline(never)]
pub fn quadratic<F: SolverForms<N, K>, const N: usize, const K: usize>(
    which: usize,
    rest: &[f64; K],
) -> [[f64; N]; N] {
    F::quadratic(which, rest)
}

/// Adds the lower triangle of an element's matrix, one row for each vertex.
pub fn assemble_per_vertex(vertices: &[u32], weight: f64, q: &[f64], add: AddEntry) {
    for (&row, q) in vertices.iter().zip(q.chunks_exact(vertices.len())) {
        for (&column, &q) in vertices.iter().zip(q) {
            if row >= column {
                add(row, column, weight * q);
            }
        }
    }
}

/// Reads the numbers of one slot, `stride` apart, in double precision.
#[inline(never)]
pub fn load_f64<S: Scalar>(numbers: &[S], stride: usize, to: &mut [f64]) {
    for (q, to) in to.iter_mut().enumerate() {
        *to = numbers[q * stride].to_f64();
    }
}

/// Reads the positions of an element's vertices in double precision.
#[inline(never)]
pub fn positions<S: Scalar, const N: usize>(x: &[Point<S>], vertices: &[u32; N]) -> [Vec3<f64>; N] {
    let mut at = [Vec3::zero(); N];
    for k in 0..N {
        let p = &x[vertices[k] as usize];
        at[k] = Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64());
    }
    at
}

/// Parameters of a request for an element's linearised constraints.
pub struct LinearizationRequest<'a> {
    /// Index of the element in the batch.
    pub element: usize,
    /// The weight of each of its constraints.
    pub weights: [f64; MAX_CONSTRAINTS],
    /// Its dual variables, if its geometric stiffness is requested.
    pub duals: Option<&'a [f64]>,
    /// Constraints with a larger weight have zero compliance.
    pub hard_above: f64,
}

/// Computes the rows of one element for [`ConstraintBatch::constraint_rows`](crate::batch::ConstraintBatch::constraint_rows).
#[inline(never)]
pub fn constraint_rows<F: SolverForms<N, K>, const N: usize, const K: usize>(
    own: &LinearizationRequest,
    rest: &[f64; K],
    at: &[Vec3<f64>; N],
    add: &mut dyn FnMut(&ConstraintRow),
) {
    let element = own.element;
    for which in 0..F::CONSTRAINTS {
        let weight = own.weights[which];
        let Some(compliance) = compliance_of(weight, own.hard_above) else { continue };
        F::constraint_rows(which, rest, at, &mut |value, gradient, direction| {
            let (one_sided, direction) = (F::UNILATERAL, Some(direction));
            let dual = 0;
            add(&ConstraintRow {
                element,
                value,
                compliance,
                gradient,
                unilateral: one_sided,
                direction,
                dual_offset: dual,
            });
        });
        let Some(duals) = own.duals else { continue };
        let weight = if compliance == 0.0 { f64::INFINITY } else { weight };
        F::stiffness_rows(which, rest, at, duals, weight, &mut |stiffness, gradient| {
            let (value, one_sided, direction, dual) = (0.0, false, None, 0);
            let compliance = 1.0 / stiffness;
            add(&ConstraintRow {
                element,
                value,
                compliance,
                gradient,
                unilateral: one_sided,
                direction,
                dual_offset: dual,
            });
        });
    }
}
