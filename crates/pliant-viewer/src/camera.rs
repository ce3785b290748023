//! Orbit camera: rotates around a target, moves with it, and zooms.
//!
//! Angles are in radians, lengths in metres, y is up. Screen coordinates are measured from the upper left
//! corner, as in the panels.

use egui::{Pos2, Rect, Vec2, pos2};
use glam::camera::rh::proj::opengl::perspective;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec3, vec3};

/// Vertical field of view, from the lower to the upper edge.
const FIELD_OF_VIEW: f32 = 0.54;
/// Maximum pitch, up or down.
const MAX_PITCH: f32 = 1.5;

/// Ray from the eye into the scene.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Origin of the ray.
    pub origin: Vec3,
    /// Direction, of unit length.
    pub direction: Vec3,
}

/// Position and orientation of the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Centre of rotation.
    pub target: Vec3,
    /// Distance of the eye from it.
    pub distance: f32,
    /// Angle around the vertical axis.
    pub yaw: f32,
    /// Angle above the horizon.
    pub pitch: f32,
    /// Size of the scene.
    pub scene_size: f32,
}

impl Default for Camera {
    fn default() -> Self {
        // From the front, slightly from the right and above, as in rendered pictures.
        Self { target: vec3(0.0, 0.0, 0.0), distance: 3.0, yaw: 0.4, pitch: 0.3, scene_size: 1.0 }
    }
}

impl Camera {
    /// Targets the centre of a box, at a distance at which it fits into the view; the direction stays.
    pub fn frame(&mut self, low: [f32; 3], high: [f32; 3], aspect: f32) {
        let (low, high) = (Vec3::from(low), Vec3::from(high));
        self.scene_size = (high - low).length().max(1e-3);
        self.target = (low + high) * 0.5;
        let (right, up, back) = self.axes();
        let tan = (0.5 * FIELD_OF_VIEW).tan();
        let narrow = tan * aspect.clamp(0.2, 4.0);
        let mut distance = 0.1 * self.scene_size;
        for corner in 0..8 {
            let pick = |bit: u32, a: f32, b: f32| if corner & bit == 0 { a } else { b };
            let p = vec3(pick(1, low.x, high.x), pick(2, low.y, high.y), pick(4, low.z, high.z));
            let d = p - self.target;
            let fit = (d.dot(right).abs() / narrow).max(d.dot(up).abs() / tan);
            distance = distance.max(d.dot(back) + 1.25 * fit);
        }
        self.distance = distance;
    }

    /// Right, up and backward axes.
    pub fn axes(&self) -> (Vec3, Vec3, Vec3) {
        let (sy, cy) = self.yaw.sin_cos();
        let (sp, cp) = self.pitch.sin_cos();
        let back = vec3(sy * cp, sp, cy * cp);
        let right = vec3(cy, 0.0, -sy);
        (right, back.cross(right), back)
    }

    /// Position of the eye.
    pub fn eye(&self) -> Vec3 {
        self.target + self.axes().2 * self.distance
    }

    /// Rotates around the target, by a pointer movement in points.
    pub fn orbit(&mut self, by: Vec2) {
        self.yaw -= 0.008 * by.x;
        self.pitch = (self.pitch + 0.008 * by.y).clamp(-MAX_PITCH, MAX_PITCH);
    }

    /// Moves with the picture, by a pointer movement over a picture of this height.
    pub fn pan(&mut self, by: Vec2, height: f32) {
        let (right, up, _) = self.axes();
        let scale = 2.0 * (0.5 * FIELD_OF_VIEW).tan() * self.distance / height.max(1.0);
        self.target += (up * by.y - right * by.x) * scale;
    }

    /// Zooms in (a factor above one) or out.
    pub fn zoom(&mut self, factor: f32) {
        let nearest = 0.02 * self.scene_size;
        self.distance = (self.distance / factor).clamp(nearest, 50.0 * self.scene_size);
    }

    /// View-projection matrix for a picture of this aspect ratio.
    pub fn matrix(&self, aspect: f32) -> Mat4 {
        let (near, far) = self.near_far();
        perspective(FIELD_OF_VIEW, aspect.max(0.01), near, far)
            * look_at_mat4(self.eye(), self.target, Vec3::Y)
    }

    fn near_far(&self) -> (f32, f32) {
        let near = (0.05 * self.distance).min(0.05 * self.scene_size).max(1e-4 * self.scene_size);
        (near, self.distance + 60.0 * self.scene_size)
    }

    /// Ray through a point of the picture.
    pub fn ray(&self, at: Pos2, picture: Rect) -> Ray {
        let (right, up, back) = self.axes();
        let tan = (0.5 * FIELD_OF_VIEW).tan();
        let x = 2.0 * (at.x - picture.center().x) / picture.height().max(1.0);
        let y = 2.0 * (picture.center().y - at.y) / picture.height().max(1.0);
        let along = (right * (x * tan) + up * (y * tan) - back).normalize();
        Ray { origin: self.eye(), direction: along }
    }

    /// Projects a position to the picture, with its distance from the eye; none if it is behind the eye.
    pub fn project(&self, place: [f32; 3], picture: Rect) -> Option<(Pos2, f32)> {
        let (right, up, back) = self.axes();
        let d = Vec3::from(place) - self.eye();
        let depth = -d.dot(back);
        let tan = (0.5 * FIELD_OF_VIEW).tan();
        let half = 0.5 * picture.height();
        let (near, _) = self.near_far();
        (depth > near).then(|| {
            let scale = half / (tan * depth);
            let (x, y) = (d.dot(right) * scale, d.dot(up) * scale);
            (pos2(picture.center().x + x, picture.center().y - y), depth)
        })
    }

    /// Metres per point of the picture at a position.
    pub fn meters_per_point(&self, place: [f32; 3], picture: Rect) -> f32 {
        let depth = (self.eye() - Vec3::from(place)).dot(self.axes().2);
        2.0 * (0.5 * FIELD_OF_VIEW).tan() * depth.max(1e-6) / picture.height().max(1.0)
    }

    /// Intersection of a ray with the plane through a position that faces the eye: the target of a grabbed
    /// vertex.
    pub fn intersect_view_plane(&self, ray: Ray, through: [f32; 3]) -> [f32; 3] {
        let back = self.axes().2;
        let along = ray.direction.dot(back);
        let reach = (Vec3::from(through) - ray.origin).dot(back);
        let t = if along.abs() > 1e-6 { reach / along } else { self.distance };
        (ray.origin + ray.direction * t).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(low: [f32; 3], high: [f32; 3], aspect: f32) -> Camera {
        let mut camera = Camera::default();
        camera.frame(low, high, aspect);
        camera
    }

    fn picture() -> Rect {
        Rect::from_min_size(pos2(100.0, 40.0), Vec2::new(800.0, 600.0))
    }

    #[test]
    fn a_ray_through_the_picture_of_a_place_meets_the_place() {
        let camera = around([-1.0, 0.0, -1.0], [1.0, 2.0, 1.0], 4.0 / 3.0);
        let place = [0.3, 0.7, -0.2];
        let (at, _) = camera.project(place, picture()).expect("in front of the eye");
        let again = camera.intersect_view_plane(camera.ray(at, picture()), place);
        for c in 0..3 {
            assert!((again[c] - place[c]).abs() < 1e-4, "{again:?}");
        }
    }

    #[test]
    fn the_matrix_and_the_projection_agree() {
        let camera = around([0.0; 3], [1.0, 2.0, 3.0], 4.0 / 3.0);
        let place = vec3(0.9, 1.1, 2.0);
        let clip = camera.matrix(4.0 / 3.0) * place.extend(1.0);
        let (at, _) = camera.project(place.into(), picture()).expect("in front of the eye");
        let x = picture().center().x + 0.5 * picture().width() * clip.x / clip.w;
        let y = picture().center().y - 0.5 * picture().height() * clip.y / clip.w;
        assert!((at.x - x).abs() < 0.1 && (at.y - y).abs() < 0.1, "{at:?} {x} {y}");
    }

    #[test]
    fn all_of_the_box_is_seen_in_wide_and_in_tall_pictures() {
        for size in [Vec2::new(1280.0, 720.0), Vec2::new(390.0, 844.0)] {
            let rect = Rect::from_min_size(pos2(0.0, 0.0), size);
            let camera = around([-1.0, 0.0, -0.1], [1.0, 1.0, 0.1], rect.aspect_ratio());
            for corner in [[-1.0, 0.0, 0.1], [1.0, 1.0, -0.1], [1.0, 0.0, 0.1]] {
                let (at, _) = camera.project(corner, rect).expect("in front of the eye");
                assert!(rect.contains(at), "{corner:?} is at {at:?} of {rect:?}");
            }
        }
    }
}
