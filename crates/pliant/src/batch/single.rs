//! Single elements in double precision: what is asked while a batch is built, and by solvers that factor
//! a matrix in every iteration.
//!
//! Nothing here is a kernel. It is compiled once for each element, not for each precision, and inlined
//! nowhere.

use super::{ConstraintRow, Stamp, compliance_of};
use crate::element::{Faces, MOST_CONSTRAINTS};
use crate::math::{Scalar, Vec3};
use crate::simd::Point;

/// What is known of one constraint of an element at rest.
pub struct AtRest {
    /// The part of the element's weight that it has.
    pub share: f64,
    /// The weight of the projective energy, for an energy weight of one.
    pub projective_weight: f64,
    /// `Σ m⁻¹|∇C|²`.
    pub gain: f64,
    /// `|∇C|²`, where it can vanish elsewhere.
    pub slope: Option<f64>,
}

/// Constraint `which` of an element at rest.
#[inline(never)]
pub fn at_rest<F: Faces<N, K>, const N: usize, const K: usize>(
    which: usize,
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
    inv_mass: &[f64; N],
) -> AtRest {
    AtRest {
        share: F::share(which, rest),
        projective_weight: F::projective_weight(which, rest, x),
        gain: F::gain(which, rest, x, inv_mass),
        slope: F::VANISHES.then(|| F::gain(which, rest, x, &[1.0; N])),
    }
}

/// `C` and `∇C` of constraint `which`.
#[inline(never)]
pub fn constraint<F: Faces<N, K>, const N: usize, const K: usize>(
    which: usize,
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
) -> (f64, [Vec3<f64>; N]) {
    F::constraint(which, rest, x)
}

/// `AᵀA` of constraint `which`.
#[inline(never)]
pub fn quadratic<F: Faces<N, K>, const N: usize, const K: usize>(
    which: usize,
    rest: &[f64; K],
) -> [[f64; N]; N] {
    F::quadratic(which, rest)
}

/// The lower triangle of an element's matrix, one row for each vertex.
pub fn stamp_square(vertices: &[u32], weight: f64, q: &[f64], add: Stamp) {
    for (&row, q) in vertices.iter().zip(q.chunks_exact(vertices.len())) {
        for (&column, &q) in vertices.iter().zip(q) {
            if row >= column {
                add(row, column, weight * q);
            }
        }
    }
}

/// Numbers of one slot, `stride` apart, in double precision.
#[inline(never)]
pub fn widen<S: Scalar>(numbers: &[S], stride: usize, to: &mut [f64]) {
    for (q, to) in to.iter_mut().enumerate() {
        *to = numbers[q * stride].to_f64();
    }
}

/// The positions of an element's vertices in double precision.
#[inline(never)]
pub fn positions<S: Scalar, const N: usize>(x: &[Point<S>], vertices: &[u32; N]) -> [Vec3<f64>; N] {
    let mut at = [Vec3::zero(); N];
    for k in 0..N {
        let p = &x[vertices[k] as usize];
        at[k] = Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64());
    }
    at
}

/// What is asked for with an element's linearised constraints.
pub struct Linearised<'a> {
    /// Which element of the batch.
    pub element: usize,
    /// The weight of each of its constraints.
    pub weights: [f64; MOST_CONSTRAINTS],
    /// Its dual variables, where its geometric stiffness is wanted.
    pub duals: Option<&'a [f64]>,
    /// Heavier constraints have no compliance.
    pub hard_above: f64,
}

/// The rows of one element, as [`AnyBatch::constraint_rows`](super::AnyBatch::constraint_rows) gives
/// them.
#[inline(never)]
pub fn rows<F: Faces<N, K>, const N: usize, const K: usize>(
    own: &Linearised,
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
                one_sided,
                direction,
                dual,
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
                one_sided,
                direction,
                dual,
            });
        });
    }
}
