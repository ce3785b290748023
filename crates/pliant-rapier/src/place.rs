//! Where a rigid thing is, in double precision.

use crate::vector::{V, add, cross, scale, sub};
use rapier3d::math::{Pose, Vector};

/// A rotation and a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// A unit quaternion: vector part, scalar part.
    turn: (V, f64),
    origin: V,
}

impl Place {
    /// The same as rapier's.
    pub fn of(pose: &Pose) -> Self {
        let q = pose.rotation;
        let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(f64::from);
        // Single precision leaves a length that is not quite one.
        let inv = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
        Self { turn: (scale([x, y, z], inv), w * inv), origin: wide(pose.translation) }
    }

    /// A local direction in the world.
    pub fn vector(&self, v: V) -> V {
        let (q, w) = self.turn;
        let t = scale(cross(q, v), 2.0);
        add(v, add(scale(t, w), cross(q, t)))
    }

    /// A local point in the world \[m\].
    pub fn point(&self, p: V) -> V {
        add(self.origin, self.vector(p))
    }

    /// A point of the world in local coordinates \[m\].
    pub fn local(&self, p: V) -> V {
        let back = Self { turn: (scale(self.turn.0, -1.0), self.turn.1), origin: [0.0; 3] };
        back.vector(sub(p, self.origin))
    }

    /// The axis, of any length but zero, and the angle \[rad\] of the rotation.
    pub fn axis_angle(&self) -> (V, f64) {
        let (q, w) = self.turn;
        let length = crate::vector::norm(q);
        if length > 0.0 {
            (q, 2.0 * pliant::math::atan2(length, w))
        } else {
            ([0.0, 1.0, 0.0], 0.0)
        }
    }

    pub fn origin(&self) -> V {
        self.origin
    }
}

/// rapier's vector in double precision.
pub fn wide(v: Vector) -> V {
    [v.x, v.y, v.z].map(f64::from)
}

/// A vector for rapier.
pub fn narrow(v: V) -> Vector {
    Vector::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_where_it_was() {
        let pose = Pose::new(Vector::new(1.0, -2.0, 0.5), Vector::new(0.3, 1.1, -0.4));
        let place = Place::of(&pose);
        let p = [0.2, 0.7, -1.3];
        let there = place.point(p);
        let rapier = wide(pose.transform_point(narrow(p)));
        for c in 0..3 {
            assert!((there[c] - rapier[c]).abs() < 1e-6, "{there:?} {rapier:?}");
            assert!((place.local(there)[c] - p[c]).abs() < 1e-14);
        }
        let (axis, angle) = place.axis_angle();
        let length = crate::vector::norm(axis);
        let expected = [0.3, 1.1, -0.4];
        for c in 0..3 {
            assert!((angle * axis[c] / length - expected[c]).abs() < 1e-6);
        }
    }
}
