//! What is behind: a light gradient, and a ground with a faint grid that fades into it.

use crate::color::{Encoder, Rgb};
use crate::shadow::ShadowMap;
use crate::stage::{Camera, Stage};
use crate::vector::{Vec3, along, mix, mul, scale, smoothstep};

const TOP: Vec3 = [0.74, 0.79, 0.86];
const BOTTOM: Vec3 = [0.93, 0.935, 0.94];
const GROUND: Vec3 = [0.86, 0.87, 0.88];
const LINE: Vec3 = [0.55, 0.58, 0.63];
/// What the shadow leaves of the ground's light.
const SHADE: Vec3 = [0.42, 0.44, 0.50];

/// The backdrop without shadow, pixel by pixel: made once for a stage, read by every picture.
pub(crate) struct Backdrop {
    width: usize,
    /// Linear light, and how much of it is the ground's.
    light: Vec<[f32; 4]>,
    /// The same, ready to be shown.
    encoded: Vec<Rgb>,
    rays: Rays,
    height: Option<f32>,
    /// The pixels that the shadow may reach in the current picture: columns and rows.
    reach: [[usize; 2]; 2],
}

impl Backdrop {
    pub(crate) fn new(stage: &Stage, camera: &Camera, width: usize, height: usize) -> Self {
        let rays = Rays::new(camera, width, height);
        let ground = Ground::new(stage, rays);
        let encoder = Encoder::new();
        let (mut light, mut encoded) = (Vec::new(), Vec::new());
        for y in 0..height {
            let t = (y as f32 + 0.5) / height as f32;
            let sky = mix(TOP, BOTTOM, t * t * (3.0 - 2.0 * t));
            for x in 0..width {
                let seen = ground.as_ref().and_then(|g| g.color(rays.through(x, y)));
                let (color, cover) = seen.unwrap_or((sky, 0.0));
                let [r, g, b] = mix(sky, color, cover);
                light.push([r, g, b, cover]);
                encoded.push(encoder.srgb([r, g, b]));
            }
        }
        let height = ground.map(|g| g.height);
        Self { width, light, encoded, rays, height, reach: [[0; 2]; 2] }
    }

    /// Finds where the shadow may fall in the next picture.
    pub(crate) fn lay(&mut self, shadow: &ShadowMap, camera: &Camera) {
        let size = [self.width, self.light.len() / self.width];
        let Some(corners) = self.height.and_then(|h| shadow.footprint(h)) else {
            self.reach = [[0; 2]; 2];
            return;
        };
        let local = corners.map(|p| camera.local(p));
        // Behind the eye nothing projects: take the whole picture.
        if local.iter().any(|p| p[2] < camera.near) {
            self.reach = size.map(|n| [0, n]);
            return;
        }
        let on_picture = local.map(|p| self.rays.pixel(p, camera));
        self.reach = std::array::from_fn(|c| {
            let low = on_picture.iter().map(|p| p[c]).fold(f32::INFINITY, f32::min);
            let high = on_picture.iter().map(|p| p[c]).fold(f32::NEG_INFINITY, f32::max);
            // The cast saturates at zero.
            [(low.floor() as usize).min(size[c]), (high.ceil() as usize).min(size[c])]
        });
    }

    /// The linear light of a pixel in the shadow of the scene.
    pub(crate) fn light(&self, x: usize, y: usize, shadow: &ShadowMap) -> Vec3 {
        let [r, g, b, cover] = self.light[y * self.width + x];
        match self.height.filter(|_| cover > 0.0 && self.may_be_shaded(x, y)) {
            None => [r, g, b],
            Some(height) => {
                let ray = self.rays.through(x, y);
                let p = along(self.rays.eye, ray, (height - self.rays.eye[1]) / ray[1]);
                let dark = cover * (1.0 - shadow.light_on_ground(p));
                mul([r, g, b], mix([1.0; 3], SHADE, dark))
            }
        }
    }

    /// The colour of a pixel, if no shadow can be on it.
    pub(crate) fn plain(&self, x: usize, y: usize) -> Option<Rgb> {
        (!self.may_be_shaded(x, y)).then(|| self.encoded[y * self.width + x])
    }

    fn may_be_shaded(&self, x: usize, y: usize) -> bool {
        let [[x0, x1], [y0, y1]] = self.reach;
        (x0..x1).contains(&x) && (y0..y1).contains(&y)
    }
}

/// The rays from the eye through the pixels.
#[derive(Clone, Copy)]
struct Rays {
    eye: Vec3,
    /// Through the centre of the left upper pixel, and its change from pixel to pixel.
    first: Vec3,
    step_x: Vec3,
    step_y: Vec3,
    center: [f32; 2],
}

impl Rays {
    fn new(camera: &Camera, width: usize, height: usize) -> Self {
        let step_x = scale(camera.right, 2.0 * camera.tan_x / width as f32);
        let step_y = scale(camera.up, -2.0 * camera.tan_y / height as f32);
        let center = [0.5 * width as f32, 0.5 * height as f32];
        let first = along(along(camera.forward, step_x, 0.5 - center[0]), step_y, 0.5 - center[1]);
        Self { eye: camera.eye, first, step_x, step_y, center }
    }

    fn through(&self, x: usize, y: usize) -> Vec3 {
        along(along(self.first, self.step_x, x as f32), self.step_y, y as f32)
    }

    /// Where a point in the camera's frame is on the picture.
    fn pixel(&self, [x, y, z]: Vec3, camera: &Camera) -> [f32; 2] {
        let [cx, cy] = self.center;
        [cx + x / z / camera.tan_x * cx, cy - y / z / camera.tan_y * cy]
    }
}

struct Ground {
    height: f32,
    rays: Rays,
    middle: Vec3,
    /// The ground fades out between these distances from the middle \[m\].
    fade: [f32; 2],
    /// The distance of grid lines \[m\].
    grid: f32,
}

impl Ground {
    fn new(stage: &Stage, rays: Rays) -> Option<Self> {
        let size = stage.bounds().diagonal();
        let height = stage.ground_height().filter(|h| rays.eye[1] > *h)?;
        let (middle, grid) = (stage.bounds().center(), round_length(size / 6.0));
        Some(Self { height, rays, middle, fade: [0.55 * size, 1.9 * size], grid })
    }

    /// The ground where a ray meets it, and how much of it is seen.
    fn color(&self, ray: Vec3) -> Option<(Vec3, f32)> {
        if ray[1] >= -1e-6 {
            return None;
        }
        let inv = 1.0 / ray[1];
        let t = (self.height - self.rays.eye[1]) * inv;
        let p = along(self.rays.eye, ray, t);
        let (dx, dz) = (p[0] - self.middle[0], p[2] - self.middle[2]);
        let away = (dx * dx + dz * dz).sqrt();
        if away > self.fade[1] {
            return None;
        }
        let cover = 1.0 - smoothstep(self.fade[0], self.fade[1], away);

        // How far the next pixels' rays meet the ground: the width over which lines are averaged.
        let (step_x, step_y) = (self.rays.step_x, self.rays.step_y);
        let width = |c: usize| {
            let across = (step_x[c] - ray[c] * step_x[1] * inv).abs();
            let down = (step_y[c] - ray[c] * step_y[1] * inv).abs();
            t * (across + down)
        };
        let line = self.line(p[0], width(0)).max(self.line(p[2], width(2)));
        Some((mix(GROUND, LINE, 0.45 * line), cover))
    }

    /// How much of a footprint of this width around `v` a grid line covers.
    fn line(&self, v: f32, width: f32) -> f32 {
        let thick = 0.012 * self.grid;
        let cell = v / self.grid;
        let off = (cell - (cell + 0.5).floor()).abs() * self.grid;
        let reach = 0.5 * (thick + width);
        let overlap = ((reach - off) / width.max(1e-9)).clamp(0.0, 1.0);
        overlap * (thick / width.max(1e-9)).clamp(0.25, 1.0)
    }
}

/// The round length (1, 2 or 5 times a power of ten) nearest below.
fn round_length(x: f32) -> f32 {
    let mut unit = 1.0_f32;
    while unit > x && unit > 1e-12 {
        unit *= 0.1;
    }
    while unit * 10.0 <= x && unit < 1e12 {
        unit *= 10.0;
    }
    [5.0, 2.0, 1.0].into_iter().map(|k| k * unit).find(|l| *l <= x).unwrap_or(unit)
}

#[cfg(test)]
mod tests {
    use super::round_length;

    #[test]
    fn grid_lines_stand_at_round_lengths() {
        for (x, round) in [(0.3, 0.2), (1.0, 1.0), (7.0, 5.0), (49.0, 20.0), (0.06, 0.05)] {
            assert!((round_length(x) / round - 1.0).abs() < 1e-5, "{x}: {}", round_length(x));
        }
    }
}
