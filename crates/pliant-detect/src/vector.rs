//! Operations on points and vectors.

/// A point or a vector \[m\].
pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scale(a: Vector, s: f64) -> Vector {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Linear interpolation from `a` (`t` = 0) to `b` (`t` = 1), exact at both ends.
#[inline(always)]
pub(crate) fn lerp(a: Vector, b: Vector, t: f64) -> Vector {
    add(scale(a, 1.0 - t), scale(b, t))
}
