//! Vector operations for drawing.

pub(crate) type Vec3 = [f32; 3];

pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: Vec3, s: f32) -> Vec3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// Returns `a + s b`.
pub(crate) fn add_scaled(a: Vec3, b: Vec3, s: f32) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

pub(crate) fn mix(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    add_scaled(a, sub(b, a), t)
}

pub(crate) fn mul(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

pub(crate) fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn norm(a: Vec3) -> f32 {
    dot(a, a).sqrt()
}

/// Unit vector along `a`; `fallback` if `a` has no direction.
pub(crate) fn unit(a: Vec3, fallback: Vec3) -> Vec3 {
    let n = norm(a);
    if n > 1e-20 && n.is_finite() { scale(a, 1.0 / n) } else { fallback }
}

pub(crate) fn is_finite(a: Vec3) -> bool {
    a.iter().all(|c| c.is_finite())
}

/// Smooth step: 0 below `a`, 1 above `b`, smooth between.
pub(crate) fn smoothstep(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
