//! View setup: camera, light, ground and background, constant over an animation.

use crate::bounds::Bounds;
use crate::vector::{Vec3, unit};

/// Camera, light and ground of a view, created once around everything that will move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewSetup {
    bounds: Bounds,
    toward_eye: Vec3,
    toward_light: Vec3,
    ground: Option<f32>,
    lens: f32,
    margin: f32,
}

impl ViewSetup {
    /// Creates a view that frames the bounds, from the front, slightly from the right and above; the ground is
    /// just below them.
    pub fn around(bounds: Bounds) -> Self {
        let bounds = bounds.or_unit();
        let ground = bounds.min[1] - 0.015 * bounds.diagonal();
        Self {
            bounds,
            toward_eye: unit(Vec3::new(0.42, 0.34, 1.0), Vec3::Z),
            toward_light: unit(Vec3::new(-0.55, 1.0, 0.52), Vec3::Y),
            ground: Some(ground),
            lens: 0.27,
            margin: 1.1,
        }
    }

    /// Sets the direction to the eye, of any length.
    pub fn seen_from(mut self, toward_eye: [f32; 3]) -> Self {
        self.toward_eye = unit(toward_eye.into(), self.toward_eye);
        self
    }

    /// Sets the direction to the key light, of any length.
    pub fn light(mut self, toward_light: [f32; 3]) -> Self {
        self.toward_light = unit(toward_light.into(), self.toward_light);
        self
    }

    /// Sets the height of the ground \[m\].
    pub fn ground(mut self, height: f32) -> Self {
        self.ground = height.is_finite().then_some(height);
        self
    }

    /// Removes the ground and its shadow.
    pub fn floating(mut self) -> Self {
        self.ground = None;
        self
    }

    /// Sets the margin around the bounds: 1 fits exactly, the default is 1.1.
    pub fn margin(mut self, margin: f32) -> Self {
        self.margin = margin.clamp(0.2, 10.0);
        self
    }

    /// True if the first three of the points \[m\] are counter-clockwise as seen from the camera, even outside
    /// the picture.
    pub fn sees_front(&self, points: &[[f32; 3]]) -> bool {
        let [a, b, c, ..] = points else { return true };
        // The aspect ratio of the picture does not change the side of a plane on which the eye is, except for
        // planes seen edge-on.
        let eye = self.camera(1.6).eye;
        let [a, b, c] = [a, b, c].map(|p| Vec3::from(*p));
        (b - a).cross(c - a).dot(eye - a) > 0.0
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    pub(crate) fn toward_light(&self) -> Vec3 {
        self.toward_light
    }

    pub(crate) fn ground_height(&self) -> Option<f32> {
        self.ground
    }

    /// Camera for a picture with this aspect ratio (width over height).
    pub(crate) fn camera(&self, aspect: f32) -> Camera {
        let back = self.toward_eye;
        let right = unit(Vec3::Y.cross(back), Vec3::X);
        let up = back.cross(right);
        let (tan_y, tan_x) = (self.lens, self.lens * aspect);

        // Shifts the target until the projected box is centred, then moves the eye back until the box fits.
        let mut target = self.bounds.center();
        let mut distance = 0.0_f32;
        for _ in 0..4 {
            distance = 0.0;
            let mut low = [f32::INFINITY; 2];
            let mut high = [f32::NEG_INFINITY; 2];
            let local = self.bounds.corners().map(|p| {
                let d = p - target;
                [d.dot(right), d.dot(up), d.dot(back)]
            });
            for [x, y, z] in local {
                let fit = (x.abs() / tan_x).max(y.abs() / tan_y);
                distance = distance.max(z + fit * self.margin);
            }
            for [x, y, z] in local {
                let depth = (distance - z).max(1e-6);
                for (k, v) in [x / depth, y / depth].into_iter().enumerate() {
                    low[k] = low[k].min(v);
                    high[k] = high[k].max(v);
                }
            }
            target += right * (0.5 * (low[0] + high[0]) * distance);
            target += up * (0.5 * (low[1] + high[1]) * distance);
        }
        let distance = distance.max(0.1 * self.bounds.diagonal());
        let eye = target + back * distance;
        let near = 0.02 * distance;
        debug_assert!(eye.is_finite());
        Camera { eye, right, up, forward: -back, tan_x, tan_y, near }
    }
}

/// Pinhole camera: an orthonormal frame at the eye, and the tangents of half the fields of view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    pub tan_x: f32,
    pub tan_y: f32,
    pub near: f32,
}

impl Camera {
    /// Point in camera space: right, up, and the depth in front of the eye.
    pub(crate) fn local(&self, p: Vec3) -> Vec3 {
        let d = p - self.eye;
        Vec3::new(d.dot(self.right), d.dot(self.up), d.dot(self.forward))
    }
}
