//! Axis-aligned bounding boxes for framing the camera.

use crate::vector::{Vec3, is_finite};

/// Bounding box of points; initially empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Minimum coordinates \[m\].
    pub min: [f32; 3],
    /// Maximum coordinates \[m\].
    pub max: [f32; 3],
}

impl Default for Bounds {
    fn default() -> Self {
        Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] }
    }
}

impl Bounds {
    /// Bounding box of points \[m\]. Points that are not finite are ignored.
    pub fn of(points: &[[f32; 3]]) -> Self {
        let mut bounds = Self::default();
        bounds.extend(points);
        bounds
    }

    /// Extends the box by points \[m\]. Call it with every frame of an animation.
    pub fn extend(&mut self, points: &[[f32; 3]]) {
        for p in points.iter().filter(|p| is_finite(p)) {
            for c in 0..3 {
                self.min[c] = self.min[c].min(p[c]);
                self.max[c] = self.max[c].max(p[c]);
            }
        }
    }

    /// True if the box contains no point.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|c| self.min[c] > self.max[c])
    }

    /// Returns the box, or one of a metre around the origin if it is empty.
    pub(crate) fn or_unit(self) -> Self {
        if self.is_empty() { Self { min: [-0.5; 3], max: [0.5; 3] } } else { self }
    }

    pub(crate) fn center(&self) -> Vec3 {
        (Vec3::from(self.min) + Vec3::from(self.max)) * 0.5
    }

    /// Length of the diagonal \[m\].
    pub(crate) fn diagonal(&self) -> f32 {
        (Vec3::from(self.max) - Vec3::from(self.min)).length().max(1e-6)
    }

    pub(crate) fn corners(&self) -> [Vec3; 8] {
        let pick = |i: usize, c: usize| if i >> c & 1 == 0 { self.min[c] } else { self.max[c] };
        std::array::from_fn(|i| Vec3::new(pick(i, 0), pick(i, 1), pick(i, 2)))
    }
}
