//! Lines as camera-facing ribbons with the normals of a round cord.
//!
//! ```text
//!    l0 ——— l1 ——— l2        l = p − w/2 s,  r = p + w/2 s
//!    | p0 / | p1 / | p2      s = tangent × direction to the eye
//!    r0 ——— r1 ——— r2
//! ```

use crate::color::linear;
use crate::geometry::{Face, Geometry, Material, Vertex};
use crate::scene::{Lines, Path, Width};
use crate::vector::{Vec3, is_finite, unit};
use crate::view_setup::Camera;

impl Geometry {
    /// Adds lines; `pixel` is the width of a pixel at one metre from the eye.
    pub(crate) fn lines(&mut self, lines: &Lines, camera: &Camera, pixel: f32) {
        let (one_sided, casts) = (false, true);
        let material = Material {
            back: None,
            pattern: None,
            wire: 0.0,
            gloss: 0.2,
            line: true,
            one_sided,
            casts_shadow: casts,
        };
        self.materials.push(material);
        let brush = Brush { camera, pixel, width: lines.width, color: linear(lines.color).into() };
        match lines.path {
            Path::Chain => self.chain(lines.positions, &brush),
            Path::Chains(lengths) => {
                let mut rest = lines.positions;
                for &length in lengths {
                    let (chain, after) = rest.split_at((length as usize).min(rest.len()));
                    self.chain(chain, &brush);
                    rest = after;
                }
            }
            Path::Pairs(pairs) => {
                for pair in pairs {
                    let ends = pair.map(|v| lines.positions.get(v as usize).copied());
                    if let [Some(a), Some(b)] = ends {
                        self.chain(&[a, b], &brush);
                    }
                }
            }
        }
    }

    /// Adds one polyline, interrupted at points that are not finite.
    fn chain(&mut self, points: &[[f32; 3]], brush: &Brush) {
        let material = self.materials.len() as u32 - 1;
        for run in points.split(|p| !is_finite(p)).filter(|run| run.len() > 1) {
            let first = self.vertices.len() as u32;
            for k in 0..run.len() {
                let [before, p, after] = [k.saturating_sub(1), k, (k + 1).min(run.len() - 1)]
                    .map(|k| Vec3::from(run[k]));
                self.vertices.extend(brush.sides(p, after - before));
            }
            for k in 0..run.len() as u32 - 1 {
                let v = first + 2 * k;
                self.faces.push(Face { corners: [v, v + 1, v + 3], material });
                self.faces.push(Face { corners: [v, v + 3, v + 2], material });
            }
        }
    }
}

struct Brush<'a> {
    camera: &'a Camera,
    pixel: f32,
    width: Width,
    color: Vec3,
}

impl Brush<'_> {
    /// Left and right vertex at `p` on a line in the direction of `tangent`.
    fn sides(&self, p: Vec3, tangent: Vec3) -> [Vertex; 2] {
        let view = self.camera.eye - p;
        let distance = view.length().max(self.camera.near);
        let toward = unit(view, -self.camera.forward);
        let side = unit(tangent.cross(toward), self.camera.right);
        // Lines thinner than a pixel would flicker.
        let least = 1.2 * self.pixel * distance;
        let width = match self.width {
            Width::Pixels(n) => n * self.pixel * distance,
            Width::Meters(w) => w,
        };
        let half = 0.5 * if width.is_finite() { width.max(least) } else { least };
        // Offset towards the eye, so that lines on a surface are visible.
        let lifted = p + toward * half;
        [-1.0, 1.0].map(|s| Vertex {
            position: lifted + side * (s * half),
            normal: unit(side * (s * 0.9) + toward * 0.6, toward),
            color: self.color,
            concavity: 0.0,
            pattern: [0.0; 2],
        })
    }
}
