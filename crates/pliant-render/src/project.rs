//! From the scene to triangles on the picture: projection, clipping at the near plane, and the
//! planes by which everything is interpolated.
//!
//! With the depth `w`, quantities divided by `w` are linear on the picture. A triangle keeps three
//! planes `p(x, y) = a x + b y + c`: of `1/w`, and of the barycentric coordinates `u/w` and `v/w`.

use crate::geometry::{Face, Geometry, Vertex, between};
use crate::stage::Camera;

/// A pixel is this many steps wide when corners are snapped. Edge functions are then integers, and
/// neighbours leave no gap and no overlap.
pub(crate) const STEPS: i32 = 32;

/// Corners are kept within this many pixels of the picture.
const REACH: f32 = 30_000.0;

pub(crate) type Plane = [f32; 3];

/// A triangle on the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat {
    pub corners: [u32; 3],
    pub material: u32,
    /// Whether the eye sees its back.
    pub back: bool,
    /// The snapped corners, turning so that edge functions are positive inside.
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

    /// Projects every face; faces that cross the near plane are cut there.
    pub(crate) fn project(&self, geometry: &mut Geometry, out: &mut Vec<Flat>) {
        out.clear();
        let local: Vec<[f32; 3]> =
            geometry.vertices.iter().map(|v| self.camera.local(v.position)).collect();
        for f in 0..geometry.faces.len() {
            let face = geometry.faces[f];
            let corners = face.corners.map(|v| local[v as usize]);
            let behind = corners.iter().filter(|p| p[2] < self.camera.near).count();
            match behind {
                0 => out.extend(self.flat(face, corners)),
                3 => {}
                _ => self.clip(face, geometry, out),
            }
        }
        out.retain(|f| !(f.back && geometry.materials[f.material as usize].one_sided));
    }

    /// Cuts a face at the near plane into one or two.
    fn clip(&self, face: Face, geometry: &mut Geometry, out: &mut Vec<Flat>) {
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
                kept.push(between(a, b, da / (da - db)));
            }
        }
        let first = geometry.vertices.len() as u32;
        let local: Vec<[f32; 3]> = kept.iter().map(|v| self.camera.local(v.position)).collect();
        geometry.vertices.extend(&kept);
        for k in 2..kept.len() {
            let corners = [first, first + k as u32 - 1, first + k as u32];
            out.extend(self.flat(Face { corners, ..face }, [local[0], local[k - 1], local[k]]));
        }
    }

    /// A face on the picture, unless it is seen edge on.
    fn flat(&self, face: Face, local: [[f32; 3]; 3]) -> Option<Flat> {
        let near = 0.5 * self.camera.near;
        let inv_w = local.map(|p| 1.0 / p[2].max(near));
        let snap = |v: f32| (v.clamp(-REACH, REACH) * STEPS as f32 + 0.5).floor() as i32;
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
        // The picture's y points down: what turns counter-clockwise in the world has area < 0.
        let back = area > 0;
        if !back {
            x.swap(1, 2);
            y.swap(1, 2);
            corners.swap(1, 2);
            w.swap(1, 2);
        }
        let (px, py) = (x.map(|v| v as f32 / STEPS as f32), y.map(|v| v as f32 / STEPS as f32));
        let plane = |values: [f32; 3]| plane_through(px, py, values);
        Some(Flat {
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

/// The plane that has three values at three points of the picture.
fn plane_through(x: [f32; 3], y: [f32; 3], value: [f32; 3]) -> Plane {
    let (x1, y1) = (x[1] - x[0], y[1] - y[0]);
    let (x2, y2) = (x[2] - x[0], y[2] - y[0]);
    let inv_area = 1.0 / (x1 * y2 - x2 * y1);
    let (d1, d2) = (value[1] - value[0], value[2] - value[0]);
    let a = (d1 * y2 - d2 * y1) * inv_area;
    let b = (d2 * x1 - d1 * x2) * inv_area;
    [a, b, value[0] - a * x[0] - b * y[0]]
}
