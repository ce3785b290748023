//! Where a rigid thing is.

use crate::math::Vec3;
use crate::motion::Motion;

/// A rotation and a translation: local point `p` is at `R p + t`.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// The images of the local axes.
    pub axes: [Vec3<f64>; 3],
    /// The image of the local origin \[m\].
    pub origin: Vec3<f64>,
}

impl Pose {
    /// No rotation.
    pub fn at(origin: [f64; 3]) -> Self {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::of);
        Self { axes, origin: Vec3::of(origin) }
    }

    /// The pose after a motion: a path moves the origin and turns nothing, a spin turns as well.
    pub fn moved(&self, motion: &Motion, time: f64) -> Self {
        let image = |p: Vec3<f64>| Vec3::of(motion.at([p.x, p.y, p.z], time));
        let origin = image(self.origin);
        let axes = match motion {
            Motion::Spin { .. } => self.axes.map(|a| image(self.origin + a) - origin),
            _ => self.axes,
        };
        Self { axes, origin }
    }

    /// A local direction in the world.
    pub fn turn(&self, d: Vec3<f64>) -> Vec3<f64> {
        self.axes[0].scale(d.x) + self.axes[1].scale(d.y) + self.axes[2].scale(d.z)
    }

    /// A local point in the world.
    pub fn place(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.origin + self.turn(p)
    }

    /// A point of the world in local coordinates.
    pub fn local(&self, p: Vec3<f64>) -> Vec3<f64> {
        let d = p - self.origin;
        Vec3::new(self.axes[0].dot(d), self.axes[1].dot(d), self.axes[2].dot(d))
    }
}
