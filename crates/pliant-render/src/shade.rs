//! Surface shading: a warm key light with its shadow, ambient light of the sky and the ground, a sheen at
//! grazing angles, and slight translucency of thin cloth.

use crate::geometry::{Geometry, Material};
use crate::project::{ScreenTriangle, at};
use crate::shadow::ShadowMap;
use crate::vector::{Vec3, mix, unit};
use crate::view_setup::Camera;

const KEY: Vec3 = Vec3::new(0.88, 0.84, 0.78);
const SKY: Vec3 = Vec3::new(0.46, 0.50, 0.56);
const FLOOR: Vec3 = Vec3::new(0.34, 0.31, 0.29);
const FILL: Vec3 = Vec3::new(0.13, 0.15, 0.18);

/// Input of the shading.
pub(crate) struct Shader<'a> {
    pub geometry: &'a Geometry,
    pub shadow: &'a ShadowMap,
    pub camera: &'a Camera,
    pub toward_light: Vec3,
}

impl Shader<'_> {
    /// Linear light from a triangle to the eye, at the centre of a pixel.
    pub(crate) fn shade(&self, triangle: &ScreenTriangle, x: f32, y: f32) -> Vec3 {
        // At the border of a triangle the pixel centre may be just outside: clamp to the triangle.
        let w = 1.0 / at(&triangle.inv_w, x, y).max(1e-12);
        let u = (at(&triangle.u_w, x, y) * w).clamp(0.0, 1.0);
        let v = (at(&triangle.v_w, x, y) * w).clamp(0.0, 1.0 - u);
        let t = 1.0 - u - v;
        let [a, b, c] = triangle.corners.map(|k| &self.geometry.vertices[k as usize]);
        let blend = |a: Vec3, b: Vec3, c: Vec3| a * t + b * u + c * v;
        let position = blend(a.position, b.position, c.position);
        let mut normal = unit(blend(a.normal, b.normal, c.normal), Vec3::Y);
        let mut hollow = t * a.concavity + u * b.concavity + v * c.concavity;
        let mut color = blend(a.color, b.color, c.color);

        let material = &self.geometry.materials[triangle.material as usize];
        if triangle.back && !material.line {
            normal = -normal;
            hollow = -hollow;
            color = material.back.unwrap_or(color);
        }
        if let Some(pattern) = &material.pattern {
            let places = [a.pattern, b.pattern, c.pattern];
            let gradients = barycentric_gradients(triangle, [u, v], w);
            let at = |c: usize| t * places[0][c] + u * places[1][c] + v * places[2][c];
            // Width of a pixel in periods.
            let width = |c: usize| {
                let slope = |d: usize| (0..3).map(|k| places[k][c] * gradients[k][d]).sum::<f32>();
                slope(0).abs() + slope(1).abs()
            };
            let share = pattern.motif.share([at(0), at(1)], [width(0), width(1)]);
            color = mix(color, pattern.color, share);
        }
        if material.wire > 0.0 {
            let edge = edge_strength(triangle, [t, u, v], w);
            color *= 1.0 - 0.75 * material.wire * edge;
        }
        self.lit(position, normal, hollow, color, material)
    }

    fn lit(&self, p: Vec3, n: Vec3, hollow: f32, color: Vec3, material: &Material) -> Vec3 {
        let toward_eye = unit(self.camera.eye - p, Vec3::Z);
        let key = n.dot(self.toward_light);
        let reach = self.shadow.light(p, n);
        // Wrapped diffuse light for cloth, plus some light transmitted from behind.
        let front = ((key + 0.12) / 1.12).max(0.0);
        let through = if material.line { 0.0 } else { 0.22 * (-key).max(0.0) };
        let open = (1.0 - 0.45 * hollow).clamp(0.45, 1.25);
        let around = mix(FLOOR, SKY, 0.5 + 0.5 * n.y) * (open * (0.72 + 0.28 * reach));
        let facing = n.dot(toward_eye).clamp(0.0, 1.0);
        let fill = FILL * (facing * open);
        let light = KEY * ((front + through) * reach) + around + fill;
        let body = color * light;

        // Squared cosine to the half vector: (n·(l + e))² / |l + e|².
        let (upon, between) = (key + n.dot(toward_eye), self.toward_light.dot(toward_eye));
        let h2 = if upon > 0.0 { upon * upon / (2.0 + 2.0 * between).max(1e-6) } else { 0.0 };
        let h8 = (h2 * h2) * (h2 * h2);
        let shine = h8 * h8 * h8 * 0.30 * reach;
        let rim = (1.0 - facing) * (1.0 - facing) * (1.0 - facing) * 0.22;
        let gleam = material.gloss * (shine + rim * (0.3 + 0.7 * reach));
        body + mix(Vec3::splat(gleam), color * gleam, 0.35)
    }
}

/// Screen gradients of the barycentric coordinates t, u and v, per pixel.
fn barycentric_gradients(triangle: &ScreenTriangle, [u, v]: [f32; 2], w: f32) -> [[f32; 2]; 3] {
    // The screen gradient of u = (u/w) w is w (∇(u/w) − u ∇(1/w)); likewise for v.
    let slope = |plane: &[f32; 3], value: f32| {
        [w * (plane[0] - value * triangle.inv_w[0]), w * (plane[1] - value * triangle.inv_w[1])]
    };
    let (du, dv) = (slope(&triangle.u_w, u), slope(&triangle.v_w, v));
    [[-du[0] - dv[0], -du[1] - dv[1]], du, dv]
}

/// Edge strength: 1 on an edge of the triangle, 0 at a distance of one pixel.
fn edge_strength(triangle: &ScreenTriangle, [t, u, v]: [f32; 3], w: f32) -> f32 {
    let [dt, du, dv] = barycentric_gradients(triangle, [u, v], w);
    let pixels = |value: f32, d: [f32; 2]| value / (d[0] * d[0] + d[1] * d[1]).sqrt().max(1e-9);
    let nearest = pixels(t, dt).min(pixels(u, du)).min(pixels(v, dv));
    (1.0 - nearest).clamp(0.0, 1.0)
}
