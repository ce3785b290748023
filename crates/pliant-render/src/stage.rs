//! The stage: camera, light, ground and background, the same for a whole animation.

use crate::bounds::Bounds;
use crate::vector::{Vec3, along, cross, dot, is_finite, scale, sub, unit};

/// Where things are seen from and in what light. Made once around everything that will move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    bounds: Bounds,
    toward_eye: [f32; 3],
    toward_light: [f32; 3],
    ground: Option<f32>,
    lens: f32,
    margin: f32,
}

impl Stage {
    /// A stage that frames the bounds, seen from the front, a little from the right and above; the
    /// ground lies just under them.
    pub fn around(bounds: Bounds) -> Self {
        let bounds = bounds.or_unit();
        let ground = bounds.min[1] - 0.015 * bounds.diagonal();
        Self {
            bounds,
            toward_eye: unit([0.42, 0.34, 1.0], [0.0, 0.0, 1.0]),
            toward_light: unit([-0.55, 1.0, 0.52], [0.0, 1.0, 0.0]),
            ground: Some(ground),
            lens: 0.27,
            margin: 1.1,
        }
    }

    /// Seen from the direction `toward_eye`, of any length.
    pub fn seen_from(mut self, toward_eye: [f32; 3]) -> Self {
        self.toward_eye = unit(toward_eye, self.toward_eye);
        self
    }

    /// Lit by the key light from the direction `toward_light`, of any length.
    pub fn light(mut self, toward_light: [f32; 3]) -> Self {
        self.toward_light = unit(toward_light, self.toward_light);
        self
    }

    /// With the ground at a height \[m\].
    pub fn ground(mut self, height: f32) -> Self {
        self.ground = height.is_finite().then_some(height);
        self
    }

    /// Without ground and its shadow.
    pub fn floating(mut self) -> Self {
        self.ground = None;
        self
    }

    /// With `margin` times the picture around the bounds: 1 fits exactly, the default is 1.1.
    pub fn margin(mut self, margin: f32) -> Self {
        self.margin = margin.clamp(0.2, 10.0);
        self
    }

    /// Whether the first three of some points \[m\] turn counter-clockwise as seen from the camera, wherever
    /// on the picture they are.
    pub fn sees_front(&self, points: &[[f32; 3]]) -> bool {
        let [a, b, c, ..] = points else { return true };
        // The shape of the picture does not change on which side of a plane the eye is, but for planes that
        // are seen from their edge.
        let eye = self.camera(1.6).eye;
        dot(cross(sub(*b, *a), sub(*c, *a)), sub(eye, *a)) > 0.0
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

    /// The camera for a picture of this shape (width over height).
    pub(crate) fn camera(&self, aspect: f32) -> Camera {
        let back = self.toward_eye;
        let right = unit(cross([0.0, 1.0, 0.0], back), [1.0, 0.0, 0.0]);
        let up = cross(back, right);
        let (tan_y, tan_x) = (self.lens, self.lens * aspect);

        // Shift the target until the projected box is centred, then step back until it fits.
        let mut target = self.bounds.center();
        let mut distance = 0.0_f32;
        for _ in 0..4 {
            distance = 0.0;
            let mut low = [f32::INFINITY; 2];
            let mut high = [f32::NEG_INFINITY; 2];
            let local = self.bounds.corners().map(|p| {
                let d = sub(p, target);
                [dot(d, right), dot(d, up), dot(d, back)]
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
            target = along(target, right, 0.5 * (low[0] + high[0]) * distance);
            target = along(target, up, 0.5 * (low[1] + high[1]) * distance);
        }
        let distance = distance.max(0.1 * self.bounds.diagonal());
        let eye = along(target, back, distance);
        let near = 0.02 * distance;
        debug_assert!(is_finite(eye));
        Camera { eye, right, up, forward: scale(back, -1.0), tan_x, tan_y, near }
    }
}

/// A pinhole: a frame of three axes at the eye, and the tangents of half the angles of view.
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
    /// A point in the camera's frame: right, up, and the depth in front of the eye.
    pub(crate) fn local(&self, p: Vec3) -> Vec3 {
        let d = sub(p, self.eye);
        [dot(d, self.right), dot(d, self.up), dot(d, self.forward)]
    }
}
