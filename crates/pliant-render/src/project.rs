//! Projection of the scene to screen triangles, clipping at the near plane, and plane equations for
//! interpolation.
//!
//! With the depth `w`, quantities divided by `w` are linear in screen space. A triangle stores three planes
//! `p(x, y) = a x + b y + c`: of `1/w`, and of the barycentric coordinates `u/w` and `v/w`.

use crate::geometry::{Face, Geometry, Vertex, interpolate};
use crate::vector::Vec3;
use crate::view_setup::Camera;

/// Subpixel steps per pixel, to which corners are snapped. Edge functions are then integers, and neighbours
/// leave no gap and no overlap.
pub(crate) const SUBPIXEL_STEPS: i32 = 32;

/// Guard band: corners are kept within this many pixels of the picture.
const GUARD_BAND_PIXELS: f32 = 30_000.0;

pub(crate) type Plane = [f32; 3];

/// A triangle in screen space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenTriangle {
    pub corners: [u32; 3],
    pub material: u32,
    /// True if the back of the triangle faces the camera.
    pub back: bool,
    /// Snapped corners, ordered so that edge functions are positive inside.
    pub x: [i32; 3],
    pub y: [i32; 3],
    pub inv_w: Plane,
    pub u_w: Plane,
    pub v_w: Plane,
}

pub(crate) fn at(plane: &Plane, x: f32, y: f32) -> f32 {
    plane[0] * x + plane[1] * y + plane[2]
}

pub(crate) struct Projector {
    camera: Camera,
    center: [f32; 2],
    scale: f32,
}

impl Projector {
    pub(crate) fn new(camera: Camera, width: usize, height: usize) -> Self {
        let scale = 0.5 * height as f32 / camera.tan_y;
        Self { camera, center: [0.5 * width as f32, 0.5 * height as f32], scale }
    }

    /// Projects every face; faces that cross the near plane are clipped there.
    pub(crate) fn project(&self, geometry: &mut Geometry, out: &mut Vec<ScreenTriangle>) {
        out.clear();
        let local: Vec<Vec3> =
            geometry.vertices.iter().map(|v| self.camera.local(v.position)).collect();
        for f in 0..geometry.faces.len() {
            let face = geometry.faces[f];
            let corners = face.corners.map(|v| local[v as usize]);
            let behind = corners.iter().filter(|p| p[2] < self.camera.near).count();
            match behind {
                0 => out.extend(self.screen_triangle(face, corners)),
                3 => {}
                _ => self.clip(face, geometry, out),
            }
        }
        out.retain(|f| !(f.back && geometry.materials[f.material as usize].one_sided));
    }

    /// Clips a face at the near plane into one or two triangles.
    fn clip(&self, face: Face, geometry: &mut Geometry, out: &mut Vec<ScreenTriangle>) {
        let depth = |v: &Vertex| self.camera.local(v.position)[2] - self.camera.near;
        let corners = face.corners.map(|v| geometry.vertices[v as usize]);
        let mut kept: Vec<Vertex> = Vec::with_capacity(4);
        for k in 0..3 {
            let (a, b) = (&corners[k], &corners[(k + 1) % 3]);
            let (da, db) = (depth(a), depth(b));
            if da >= 0.0 {
                kept.push(*a);
            }
            if (da < 0.0) != (db < 0.0) {
                kept.push(interpolate(a, b, da / (da - db)));
            }
        }
        let first = geometry.vertices.len() as u32;
        let local: Vec<Vec3> = kept.iter().map(|v| self.camera.local(v.position)).collect();
        geometry.vertices.extend(&kept);
        for k in 2..kept.len() {
            let corners = [first, first + k as u32 - 1, first + k as u32];
            out.extend(
                self.screen_triangle(Face { corners, ..face }, [local[0], local[k - 1], local[k]]),
            );
        }
    }

    /// Projects a face; `None` if it is seen edge-on.
    fn screen_triangle(&self, face: Face, local: [Vec3; 3]) -> Option<ScreenTriangle> {
        let near = 0.5 * self.camera.near;
        let inv_w = local.map(|p| 1.0 / p[2].max(near));
        let snap = |v: f32| {
            (v.clamp(-GUARD_BAND_PIXELS, GUARD_BAND_PIXELS) * SUBPIXEL_STEPS as f32 + 0.5).floor()
                as i32
        };
        let mut x = [0; 3];
        let mut y = [0; 3];
        for k in 0..3 {
            x[k] = snap(self.center[0] + local[k][0] * inv_w[k] * self.scale);
            y[k] = snap(self.center[1] - local[k][1] * inv_w[k] * self.scale);
        }
        let (mut corners, mut w) = (face.corners, inv_w);
        let area = i64::from(x[1] - x[0]) * i64::from(y[2] - y[0])
            - i64::from(x[2] - x[0]) * i64::from(y[1] - y[0]);
        if area == 0 {
            return None;
        }
        // Screen y points down: triangles that are counter-clockwise in the world have area < 0.
        let back = area > 0;
        if !back {
            x.swap(1, 2);
            y.swap(1, 2);
            corners.swap(1, 2);
            w.swap(1, 2);
        }
        let (px, py) = (
            x.map(|v| v as f32 / SUBPIXEL_STEPS as f32),
            y.map(|v| v as f32 / SUBPIXEL_STEPS as f32),
        );
        let plane = |values: [f32; 3]| plane_through(px, py, values);
        Some(ScreenTriangle {
            corners,
            material: face.material,
            back,
            x,
            y,
            inv_w: plane(w),
            u_w: plane([0.0, w[1], 0.0]),
            v_w: plane([0.0, 0.0, w[2]]),
        })
    }
}

/// Plane with the given values at three screen points.
fn plane_through(x: [f32; 3], y: [f32; 3], value: [f32; 3]) -> Plane {
    let (x1, y1) = (x[1] - x[0], y[1] - y[0]);
    let (x2, y2) = (x[2] - x[0], y[2] - y[0]);
    let inv_area = 1.0 / (x1 * y2 - x2 * y1);
    let (d1, d2) = (value[1] - value[0], value[2] - value[0]);
    let a = (d1 * y2 - d2 * y1) * inv_area;
    let b = (d2 * x1 - d1 * x2) * inv_area;
    [a, b, value[0] - a * x[0] - b * y[0]]
}
