//! The light on a surface: a warm key light with its shadow, the sky and the ground around, a sheen
//! at grazing angles, and a little light through thin cloth.

use crate::geometry::{Geometry, Material};
use crate::project::{Flat, at};
use crate::shadow::ShadowMap;
use crate::stage::Camera;
use crate::vector::{Vec3, add, along, dot, mix, mul, scale, sub, unit};

const KEY: Vec3 = [0.88, 0.84, 0.78];
const SKY: Vec3 = [0.46, 0.50, 0.56];
const FLOOR: Vec3 = [0.34, 0.31, 0.29];
const FILL: Vec3 = [0.13, 0.15, 0.18];

/// All that shading reads.
pub(crate) struct Shader<'a> {
    pub geometry: &'a Geometry,
    pub shadow: &'a ShadowMap,
    pub camera: &'a Camera,
    pub toward_light: Vec3,
}

impl Shader<'_> {
    /// The linear light that a triangle sends from a pixel's centre to the eye.
    pub(crate) fn shade(&self, flat: &Flat, x: f32, y: f32) -> Vec3 {
        // At the rim of a triangle the centre may be just outside: stay on the triangle.
        let w = 1.0 / at(&flat.inv_w, x, y).max(1e-12);
        let u = (at(&flat.u_w, x, y) * w).clamp(0.0, 1.0);
        let v = (at(&flat.v_w, x, y) * w).clamp(0.0, 1.0 - u);
        let t = 1.0 - u - v;
        let [a, b, c] = flat.corners.map(|k| &self.geometry.vertices[k as usize]);
        let blend = |a: Vec3, b: Vec3, c: Vec3| along(along(scale(a, t), b, u), c, v);
        let position = blend(a.position, b.position, c.position);
        let mut normal = unit(blend(a.normal, b.normal, c.normal), [0.0, 1.0, 0.0]);
        let mut hollow = t * a.hollow + u * b.hollow + v * c.hollow;
        let mut color = blend(a.color, b.color, c.color);

        let material = &self.geometry.materials[flat.material as usize];
        if flat.back && !material.line {
            normal = scale(normal, -1.0);
            hollow = -hollow;
            color = material.back.unwrap_or(color);
        }
        if material.wire > 0.0 {
            let edge = edge_strength(flat, [t, u, v], w);
            color = scale(color, 1.0 - 0.75 * material.wire * edge);
        }
        self.lit(position, normal, hollow, color, material)
    }

    fn lit(&self, p: Vec3, n: Vec3, hollow: f32, color: Vec3, material: &Material) -> Vec3 {
        let toward_eye = unit(sub(self.camera.eye, p), [0.0, 0.0, 1.0]);
        let key = dot(n, self.toward_light);
        let reach = self.shadow.light(p, n);
        // Light wraps a little around the edge of cloth, and some comes through from behind.
        let front = ((key + 0.12) / 1.12).max(0.0);
        let through = if material.line { 0.0 } else { 0.22 * (-key).max(0.0) };
        let open = (1.0 - 0.45 * hollow).clamp(0.45, 1.25);
        let around = scale(mix(FLOOR, SKY, 0.5 + 0.5 * n[1]), open * (0.72 + 0.28 * reach));
        let facing = dot(n, toward_eye).clamp(0.0, 1.0);
        let fill = scale(FILL, facing * open);
        let light = add(add(scale(KEY, (front + through) * reach), around), fill);
        let body = mul(color, light);

        // The cosine to the half vector, squared: (n·(l + e))² / |l + e|².
        let (upon, between) = (key + dot(n, toward_eye), dot(self.toward_light, toward_eye));
        let h2 = if upon > 0.0 { upon * upon / (2.0 + 2.0 * between).max(1e-6) } else { 0.0 };
        let h8 = (h2 * h2) * (h2 * h2);
        let shine = h8 * h8 * h8 * 0.30 * reach;
        let rim = (1.0 - facing) * (1.0 - facing) * (1.0 - facing) * 0.22;
        let gleam = material.gloss * (shine + rim * (0.3 + 0.7 * reach));
        add(body, mix([gleam; 3], scale(color, gleam), 0.35))
    }
}

/// 1 on an edge of the triangle, 0 from a pixel away.
fn edge_strength(flat: &Flat, [t, u, v]: Vec3, w: f32) -> f32 {
    // The gradient of u = (u/w) w on the picture is w (∇(u/w) − u ∇(1/w)); likewise for v.
    let slope = |plane: &[f32; 3], value: f32| {
        [w * (plane[0] - value * flat.inv_w[0]), w * (plane[1] - value * flat.inv_w[1])]
    };
    let (du, dv) = (slope(&flat.u_w, u), slope(&flat.v_w, v));
    let dt = [-du[0] - dv[0], -du[1] - dv[1]];
    let pixels = |value: f32, d: [f32; 2]| value / (d[0] * d[0] + d[1] * d[1]).sqrt().max(1e-9);
    let nearest = pixels(t, dt).min(pixels(u, du)).min(pixels(v, dv));
    (1.0 - nearest).clamp(0.0, 1.0)
}
