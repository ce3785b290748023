//! Vector operations for drawing, beside those of glam.

pub(crate) use glam::Vec3;

/// Interpolates from `a` to `b`.
pub(crate) fn mix(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    a + (b - a) * t
}

/// Unit vector along `a`; `fallback` if `a` has no direction.
pub(crate) fn unit(a: Vec3, fallback: Vec3) -> Vec3 {
    let n = a.length();
    if n > 1e-20 && n.is_finite() { a * (1.0 / n) } else { fallback }
}

/// True if a point has finite coordinates.
pub(crate) fn is_finite(p: &[f32; 3]) -> bool {
    p.iter().all(|c| c.is_finite())
}

/// Smooth step: 0 below `a`, 1 above `b`, smooth between.
pub(crate) fn smoothstep(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
