//! Projection of one vector onto a shell: what springs, edges and mean curvatures share.

use crate::element::{Block, Curvature};
use crate::math::{Real, Scalar, Vec3};

/// `y` with its length limited to `min..=max`. The zero vector has no direction and takes `+x`.
#[inline(always)]
pub fn onto_shell<R: Real>(y: Vec3<R>, min: R, max: R) -> Vec3<R> {
    let (length, n) = polar(y);
    n.scale(length.clamp(min, max))
}

/// How far `|y|` is outside `min..=max`, with its sign, and the direction of `y`.
#[inline(always)]
pub fn beyond_shell<R: Real>(y: Vec3<R>, min: R, max: R) -> (R, Vec3<R>) {
    let (length, n) = polar(y);
    (length - length.clamp(min, max), n)
}

/// The length and the direction of `y`.
#[inline(always)]
pub fn polar<R: Real>(y: Vec3<R>) -> (R, Vec3<R>) {
    let square = y.norm_squared();
    let length = square.sqrt();
    // A vector whose square underflows points along +x, so that the direction is always unit. Its
    // y and z are far below the rounding of one and may stay.
    let tiny = R::of(R::Scalar::TINY);
    let inv = R::one() / R::select_lt(tiny, square, length, R::one());
    let mut n = y.scale(inv);
    n.x = R::select_lt(tiny, square, n.x, R::one());
    (length, n)
}

/// The Hessian of half the squared distance of `y` to the shell.
pub fn curvature(y: Vec3<f64>, min: f64, max: f64, definite: bool, out: &mut Curvature) {
    let (length, n) = polar(y);
    let goal = length.clamp(min, max);
    let radial = if length > min && length < max { 0.0 } else { 1.0 };
    let across = if goal == 0.0 {
        1.0
    } else if length > 0.0 {
        1.0 - goal / length
    } else {
        0.0
    };
    let across = if definite { across.max(0.0) } else { across };
    let n = [n.x, n.y, n.z];
    *out = Curvature::zero();
    for i in 0..3 {
        for j in 0..3 {
            let identity = if i == j { 1.0 } else { 0.0 };
            out.m[i][j] = across * identity + (radial - across) * n[i] * n[j];
        }
    }
}

/// The same, definite, for one vertex whose coefficient in `y` is `a`.
#[inline(always)]
pub fn block<R: Real>(y: Vec3<R>, min: R, max: R, a: R) -> Block<R> {
    let (length, n) = polar(y);
    let goal = length.clamp(min, max);
    let inside = R::select_lt(length, max, R::zero(), R::one());
    let radial = R::select_lt(min, length, inside, R::one());
    let across = (R::one() - goal.div_or_zero(length, R::of(R::Scalar::TINY))).max(R::zero());
    let square = a * a;
    Block::isotropic(square * across).plus(Block::outer(square * (radial - across), n))
}
