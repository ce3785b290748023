//! Rigid transforms in double precision.

use crate::vector::{V, add, cross, scale, sub};
use rapier3d::math::{Pose, Vector};

/// A rotation followed by a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Isometry {
    /// Unit quaternion: vector part, scalar part.
    rotation: (V, f64),
    translation: V,
}

impl Isometry {
    /// Converts a pose of rapier.
    pub fn of(pose: &Pose) -> Self {
        let q = pose.rotation;
        let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(f64::from);
        // Single precision leaves a length that is not exactly one.
        let inv = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
        Self { rotation: (scale([x, y, z], inv), w * inv), translation: to_f64(pose.translation) }
    }

    /// Transforms a local direction to world space.
    pub fn transform_vector(&self, v: V) -> V {
        let (q, w) = self.rotation;
        let t = scale(cross(q, v), 2.0);
        add(v, add(scale(t, w), cross(q, t)))
    }

    /// Transforms a local point to world space \[m\].
    pub fn transform_point(&self, p: V) -> V {
        add(self.translation, self.transform_vector(p))
    }

    /// Transforms a world-space point to local coordinates \[m\].
    pub fn inverse_transform_point(&self, p: V) -> V {
        let back = Self {
            rotation: (scale(self.rotation.0, -1.0), self.rotation.1),
            translation: [0.0; 3],
        };
        back.transform_vector(sub(p, self.translation))
    }

    /// Axis, of any nonzero length, and angle \[rad\] of the rotation.
    pub fn axis_angle(&self) -> (V, f64) {
        let (q, w) = self.rotation;
        let length = crate::vector::norm(q);
        if length > 0.0 {
            (q, 2.0 * pliant::math::atan2(length, w))
        } else {
            ([0.0, 1.0, 0.0], 0.0)
        }
    }

    pub fn translation(&self) -> V {
        self.translation
    }
}

/// Converts a rapier vector to double precision.
pub fn to_f64(v: Vector) -> V {
    [v.x, v.y, v.z].map(f64::from)
}

/// Converts a vector for rapier.
pub fn to_f32(v: V) -> Vector {
    Vector::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_where_it_was() {
        let pose = Pose::new(Vector::new(1.0, -2.0, 0.5), Vector::new(0.3, 1.1, -0.4));
        let place = Isometry::of(&pose);
        let p = [0.2, 0.7, -1.3];
        let there = place.transform_point(p);
        let rapier = to_f64(pose.transform_point(to_f32(p)));
        for c in 0..3 {
            assert!((there[c] - rapier[c]).abs() < 1e-6, "{there:?} {rapier:?}");
            assert!((place.inverse_transform_point(there)[c] - p[c]).abs() < 1e-14);
        }
        let (axis, angle) = place.axis_angle();
        let length = crate::vector::norm(axis);
        let expected = [0.3, 1.1, -0.4];
        for c in 0..3 {
            assert!((angle * axis[c] / length - expected[c]).abs() < 1e-6);
        }
    }
}
