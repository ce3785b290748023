//! Projection of one vector onto a spherical shell, shared by springs, edges and mean curvatures.

use crate::Error;
use crate::element::{Block, Curvature};
use crate::math::{Real, Scalar, Vec3};
use crate::mesh::measure::distance;

/// Length of an edge at rest \[m\], or an error if it is not positive and finite.
pub fn rest_length(x: [[f64; 3]; 2]) -> Result<f64, Error> {
    let length = distance(x[0], x[1]);
    if length > 0.0 && length.is_finite() {
        return Ok(length);
    }
    Err(Error::DegenerateRest { name: "edge", measure: length })
}

/// Returns `y` with its length clamped to `min..=max`. The zero vector has no direction; `+x` is used.
#[inline(always)]
pub fn project_to_shell<R: Real>(y: Vec3<R>, min: R, max: R) -> Vec3<R> {
    let (length, n) = length_and_direction(y);
    n.scale(length.clamp(min, max))
}

/// Signed distance of `|y|` from `min..=max`, and the direction of `y`.
#[inline(always)]
pub fn shell_distance<R: Real>(y: Vec3<R>, min: R, max: R) -> (R, Vec3<R>) {
    let (length, n) = length_and_direction(y);
    (length - length.clamp(min, max), n)
}

/// The length and the direction of `y`.
#[inline(always)]
pub fn length_and_direction<R: Real>(y: Vec3<R>) -> (R, Vec3<R>) {
    let square = y.norm_squared();
    let length = square.sqrt();
    // A vector whose square underflows points along +x, so that the direction is always a unit vector. Its y and z are
    // far below the rounding error of one and are kept.
    let tiny = R::of(R::Scalar::TINY);
    let inv = R::one() / R::select_lt(tiny, square, length, R::one());
    let mut n = y.scale(inv);
    n.x = R::select_lt(tiny, square, n.x, R::one());
    (length, n)
}

/// Writes the Hessian of half the squared distance of `y` to the shell.
pub fn curvature(y: Vec3<f64>, min: f64, max: f64, definite: bool, out: &mut Curvature) {
    let (length, n) = length_and_direction(y);
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

/// Returns the positive semi-definite Hessian block of one vertex whose coefficient in `y` is `a`.
#[inline(always)]
pub fn block<R: Real>(y: Vec3<R>, min: R, max: R, a: R) -> Block<R> {
    let (length, n) = length_and_direction(y);
    let goal = length.clamp(min, max);
    let inside = R::select_lt(length, max, R::zero(), R::one());
    let radial = R::select_lt(min, length, inside, R::one());
    let across = (R::one() - goal.div_or_zero(length, R::of(R::Scalar::TINY))).max(R::zero());
    let square = a * a;
    Block::isotropic(square * across).plus(Block::outer(square * (radial - across), n))
}
