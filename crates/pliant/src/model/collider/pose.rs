//! Pose of a collider: rotation and translation.

use crate::math::Vec3;
use crate::model::motion::Motion;

/// Rotation and translation: local point `p` is at `R p + t`.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Images of the local axes.
    pub axes: [Vec3<f64>; 3],
    /// Image of the local origin \[m\].
    pub origin: Vec3<f64>,
}

impl Pose {
    /// Pose without rotation.
    pub fn from_translation(origin: [f64; 3]) -> Self {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::of);
        Self { axes, origin: Vec3::of(origin) }
    }

    /// Pose after a motion: a path moves the origin without rotation, a spin rotates as well.
    pub fn after_motion(&self, motion: &Motion, time: f64) -> Self {
        let image = |p: Vec3<f64>| Vec3::of(motion.at([p.x, p.y, p.z], time));
        let origin = image(self.origin);
        let axes = match motion {
            Motion::Spin { .. } => self.axes.map(|a| image(self.origin + a) - origin),
            _ => self.axes,
        };
        Self { axes, origin }
    }

    /// Transforms a local direction to the world.
    pub fn transform_vector(&self, d: Vec3<f64>) -> Vec3<f64> {
        self.axes[0].scale(d.x) + self.axes[1].scale(d.y) + self.axes[2].scale(d.z)
    }

    /// Transforms a local point to the world.
    pub fn transform_point(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.origin + self.transform_vector(p)
    }

    /// Transforms a point of the world to local coordinates.
    pub fn inverse_transform_point(&self, p: Vec3<f64>) -> Vec3<f64> {
        let d = p - self.origin;
        Vec3::new(self.axes[0].dot(d), self.axes[1].dot(d), self.axes[2].dot(d))
    }
}
