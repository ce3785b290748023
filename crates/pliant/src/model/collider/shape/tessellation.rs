//! Helpers for tessellating shapes, for rendering and export.

use crate::math::Vec3;

/// Returns two unit vectors perpendicular to a direction of any length and to each other, such that the three
/// are right-handed.
pub(super) fn orthonormal_basis(direction: Vec3<f64>) -> [Vec3<f64>; 2] {
    let length: f64 = direction.norm();
    let k = direction.scale(1.0 / length);
    let least = if k.x.abs() <= k.y.abs() && k.x.abs() <= k.z.abs() {
        [1.0, 0.0, 0.0]
    } else if k.y.abs() <= k.z.abs() {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let u = k.cross(Vec3::of(least));
    let size: f64 = u.norm();
    let u = u.scale(1.0 / size);
    [u, k.cross(u)]
}
