//! Pose of a rigid body: position and orientation.

use crate::math::{Mat3, Vec3, cos, sin};

/// Position and orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the centre of mass \[m\].
    pub position: [f64; 3],
    /// Unit quaternion `[w, x, y, z]` that rotates the body's axes to the world's.
    pub orientation: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Self { position: [0.0; 3], orientation: [1.0, 0.0, 0.0, 0.0] }
    }
}

impl Pose {
    /// Rotation matrix from the body's axes to the world's.
    pub fn rotation(&self) -> Mat3<f64> {
        let [w, x, y, z] = self.orientation;
        Mat3::from_cols(
            Vec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
            Vec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
            Vec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
    }

    /// Transforms a point of the body to the world \[m\].
    pub fn to_world(&self, point: [f64; 3]) -> [f64; 3] {
        array(Vec3::of(self.position) + self.rotation().mul_vec(Vec3::of(point)))
    }

    /// Transforms a point of the world to the body \[m\].
    pub fn to_local(&self, point: [f64; 3]) -> [f64; 3] {
        array(self.rotate_to_local(Vec3::of(point) - Vec3::of(self.position)))
    }

    /// Rotates a direction of the world to the body's axes.
    pub(super) fn rotate_to_local(&self, direction: Vec3<f64>) -> Vec3<f64> {
        self.rotation().transpose().mul_vec(direction)
    }

    /// Pose after a displacement \[m\] and a rotation by a rotation vector \[rad\].
    pub fn moved(&self, displacement: [f64; 3], turn: [f64; 3]) -> Self {
        let position = array(Vec3::of(self.position) + Vec3::of(displacement));
        let orientation = normalised(quaternion_product(quaternion_exp(turn), self.orientation));
        Self { position, orientation }
    }
}

/// Unit quaternion of a rotation vector \[rad\].
fn quaternion_exp(turn: [f64; 3]) -> [f64; 4] {
    let angle = Vec3::<f64>::of(turn).norm();
    // sin(a/2)/a, with a series where the quotient loses its digits.
    let s = if angle > 1e-6 { sin(0.5 * angle) / angle } else { 0.5 - angle * angle / 48.0 };
    [cos(0.5 * angle), s * turn[0], s * turn[1], s * turn[2]]
}

fn quaternion_product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// Normalises a quaternion; the identity if its length is zero.
pub(super) fn normalised(q: [f64; 4]) -> [f64; 4] {
    let norm = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if norm > 0.0 { q.map(|c| c / norm) } else { [1.0, 0.0, 0.0, 0.0] }
}

pub(super) fn array(v: Vec3<f64>) -> [f64; 3] {
    [v.x, v.y, v.z]
}

/// Returns a unit vector perpendicular to a unit vector.
pub(super) fn perpendicular(a: Vec3<f64>) -> Vec3<f64> {
    let axis = match (a.x.abs(), a.y.abs(), a.z.abs()) {
        (x, y, z) if x <= y && x <= z => [1.0, 0.0, 0.0],
        (_, y, z) if y <= z => [0.0, 1.0, 0.0],
        _ => [0.0, 0.0, 1.0],
    };
    let b = a.cross(Vec3::of(axis));
    b.scale(1.0 / b.norm())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn quarter_turns_about_the_axes() {
        let pose = Pose::default().moved([1.0, 2.0, 3.0], [0.0, 0.0, FRAC_PI_2]);
        let p = pose.to_world([1.0, 0.0, 0.0]);
        assert!((0..3).all(|c| (p[c] - [1.0, 3.0, 3.0][c]).abs() < 1e-15), "{p:?}");
        let back = pose.to_local(p);
        assert!((0..3).all(|c| (back[c] - [1.0, 0.0, 0.0][c]).abs() < 1e-15), "{back:?}");
        // Two half turns are the identity.
        let twice = Pose::default().moved([0.0; 3], [PI, 0.0, 0.0]).moved([0.0; 3], [PI, 0.0, 0.0]);
        let p = twice.to_world([0.3, 0.4, 0.5]);
        assert!((0..3).all(|c| (p[c] - [0.3, 0.4, 0.5][c]).abs() < 1e-15), "{p:?}");
    }

    #[test]
    fn a_small_turn_is_a_cross_product() {
        let turn = [1e-8, -2e-8, 3e-8];
        let p = Pose::default().moved([0.0; 3], turn).to_world([1.0, 2.0, 3.0]);
        let expected = Vec3::<f64>::of([1.0, 2.0, 3.0])
            + Vec3::<f64>::of(turn).cross(Vec3::of([1.0, 2.0, 3.0]));
        assert!((Vec3::<f64>::of(p) - expected).norm() < 1e-14);
    }
}
