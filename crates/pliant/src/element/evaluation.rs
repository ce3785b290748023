//! Inlining policy of the expensive part of a kernel: a constraint's value and gradient, a projection, or a stress.
//!
//! Kernels for [real-time packs](Real::INLINES_EVALUATIONS) inline the evaluation, and so do all kernels of elements
//! that are [cheap](MAX_INLINE_COST_NS). The others call one shared function. Both give bit-identical results.

use std::marker::PhantomData;

use crate::element::{ConstraintGroup, Hyperelastic, Projective};
use crate::math::{Outlined, Real, Vec3};

/// Largest cost of an evaluation, in nanoseconds, that is inlined: up to there a call takes longer than the copy is
/// worth.
const MAX_INLINE_COST_NS: usize = 4;

/// Returns the value and the gradient of constraint `which`.
#[inline(always)]
pub fn evaluate<E, R: Real, const N: usize, const M: usize, const K: usize>(
    which: usize,
    rest: &[R; K],
    x: &[Vec3<R>; N],
) -> (R, [Vec3<R>; N])
where
    E: ConstraintGroup<N, M, K>,
{
    if R::INLINES_EVALUATIONS || E::COST_NS <= MAX_INLINE_COST_NS {
        E::evaluate(which, rest, x)
    } else {
        R::call::<Evaluate<E, R, N, M, K>>(&(which, *rest, *x))
    }
}

/// Returns the admissible value nearest to `y`.
#[inline(always)]
pub fn project<E, R: Real, const N: usize, const D: usize, const K: usize>(
    rest: &[R; K],
    y: &[Vec3<R>; D],
) -> [Vec3<R>; D]
where
    E: Projective<N, D, K>,
{
    if R::INLINES_EVALUATIONS || E::COST_NS <= MAX_INLINE_COST_NS {
        E::project(rest, y)
    } else {
        R::call::<Project<E, R, N, D, K>>(&(*rest, *y))
    }
}

/// Returns the stress at `y`.
#[inline(always)]
pub fn stress<E, R: Real, const N: usize, const D: usize, const K: usize>(
    rest: &[R; K],
    y: &[Vec3<R>; D],
) -> [Vec3<R>; D]
where
    E: Hyperelastic<N, D, K>,
{
    if R::INLINES_EVALUATIONS || E::COST_NS <= MAX_INLINE_COST_NS {
        E::stress(rest, y)
    } else {
        R::call::<Stress<E, R, N, D, K>>(&(*rest, *y))
    }
}

struct Evaluate<E, R, const N: usize, const M: usize, const K: usize>(PhantomData<(E, R)>);

impl<E, R: Real, const N: usize, const M: usize, const K: usize> Outlined
    for Evaluate<E, R, N, M, K>
where
    E: ConstraintGroup<N, M, K>,
{
    type Unit = E;
    type Input = (usize, [R; K], [Vec3<R>; N]);
    type Output = (R, [Vec3<R>; N]);

    #[inline(always)]
    fn run((which, rest, x): &Self::Input) -> Self::Output {
        E::evaluate(*which, rest, x)
    }
}

struct Project<E, R, const N: usize, const D: usize, const K: usize>(PhantomData<(E, R)>);

impl<E, R: Real, const N: usize, const D: usize, const K: usize> Outlined for Project<E, R, N, D, K>
where
    E: Projective<N, D, K>,
{
    type Unit = E;
    type Input = ([R; K], [Vec3<R>; D]);
    type Output = [Vec3<R>; D];

    #[inline(always)]
    fn run((rest, y): &Self::Input) -> Self::Output {
        E::project(rest, y)
    }
}

struct Stress<E, R, const N: usize, const D: usize, const K: usize>(PhantomData<(E, R)>);

impl<E, R: Real, const N: usize, const D: usize, const K: usize> Outlined for Stress<E, R, N, D, K>
where
    E: Hyperelastic<N, D, K>,
{
    type Unit = E;
    type Input = ([R; K], [Vec3<R>; D]);
    type Output = [Vec3<R>; D];

    #[inline(always)]
    fn run((rest, y): &Self::Input) -> Self::Output {
        E::stress(rest, y)
    }
}
