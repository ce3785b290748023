//! Background: a light gradient, and a ground with a faint grid that fades into it.

use crate::color::{Encoder, Rgb};
use crate::shadow::ShadowMap;
use crate::vector::{Vec3, mix, smoothstep};
use crate::view_setup::{Camera, ViewSetup};

const TOP: Vec3 = Vec3::new(0.74, 0.79, 0.86);
const BOTTOM: Vec3 = Vec3::new(0.93, 0.935, 0.94);
const GROUND: Vec3 = Vec3::new(0.86, 0.87, 0.88);
const LINE: Vec3 = Vec3::new(0.55, 0.58, 0.63);
/// Fraction of the ground's light, per channel, that remains in shadow.
const SHADOW_TINT: Vec3 = Vec3::new(0.42, 0.44, 0.50);

/// Background without shadow, pixel by pixel: computed once per view and read by every picture.
pub(crate) struct Backdrop {
    width: usize,
    /// Linear light, and the coverage by the ground.
    light: Vec<[f32; 4]>,
    /// The same colours encoded as sRGB.
    encoded: Vec<Rgb>,
    rays: Rays,
    height: Option<f32>,
    /// Pixel range of each row that the shadow may reach in the current picture.
    reach: Vec<[u32; 2]>,
    /// Mapping from pixels to shadow-map texels in the current picture.
    to_texels: ToTexels,
}

/// Mapping from a pixel to the texel of the ground point behind it: `eye + t ray(x, y)`, with the ray's slope
/// `ray.y` for the distance `t`. All are linear in x and y: constant, per column, per row.
#[derive(Clone, Copy, Default)]
struct ToTexels {
    eye: [f32; 2],
    ray: [[f32; 3]; 2],
    slope: [f32; 3],
    drop: f32,
}

impl ToTexels {
    fn at(&self, x: f32, y: f32) -> [f32; 2] {
        let linear = |c: [f32; 3]| c[0] + c[1] * x + c[2] * y;
        let t = self.drop / linear(self.slope);
        [self.eye[0] + t * linear(self.ray[0]), self.eye[1] + t * linear(self.ray[1])]
    }
}

impl Backdrop {
    pub(crate) fn new(stage: &ViewSetup, camera: &Camera, width: usize, height: usize) -> Self {
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
                let [r, g, b] = mix(sky, color, cover).to_array();
                light.push([r, g, b, cover]);
                encoded.push(encoder.srgb([r, g, b]));
            }
        }
        let height = ground.map(|g| g.height);
        let (reach, to_texels) = (Vec::new(), ToTexels::default());
        Self { width, light, encoded, rays, height, reach, to_texels }
    }

    /// Determines the region that the shadow may reach in the next picture.
    pub(crate) fn prepare_shadow(&mut self, shadow: &ShadowMap, camera: &Camera) {
        let rows = self.light.len() / self.width;
        self.reach.clear();
        self.reach.resize(rows, [0; 2]);
        let Some(height) = self.height else { return };
        let Some(corners) = shadow.footprint(height) else { return };
        let Rays { eye, first, step_x, step_y, .. } = self.rays;
        let steps = [first, step_x, step_y];
        self.to_texels = ToTexels {
            eye: shadow.texel(eye),
            ray: [0, 1].map(|c| steps.map(|v| shadow.texel_step(v)[c])),
            slope: steps.map(|v| v[1]),
            drop: height - eye[1],
        };
        let local = corners.map(|p| camera.local(p));
        // Points behind the camera cannot be projected; use the whole picture.
        if local.iter().any(|p| p[2] < camera.near) {
            self.reach.fill([0, self.width as u32]);
            return;
        }
        let corners = local.map(|p| self.rays.pixel(p, camera));
        for (y, span) in self.reach.iter_mut().enumerate() {
            *span = cross_section(corners, y as f32, self.width);
        }
    }

    /// Linear light of a pixel in the shadow of the scene.
    pub(crate) fn light(&self, x: usize, y: usize, shadow: &ShadowMap) -> Vec3 {
        let [r, g, b, cover] = self.light[y * self.width + x];
        let dark = cover * self.darkness(x, y, shadow);
        Vec3::new(r, g, b) * mix(Vec3::ONE, SHADOW_TINT, dark)
    }

    /// Colour of a pixel in the shadow of the scene.
    pub(crate) fn color(&self, x: usize, y: usize, shadow: &ShadowMap, encoder: &Encoder) -> Rgb {
        let at = y * self.width + x;
        let dark = self.light[at][3] * self.darkness(x, y, shadow);
        if dark < 1e-3 {
            return self.encoded[at];
        }
        let [r, g, b, _] = self.light[at];
        encoder.srgb((Vec3::new(r, g, b) * mix(Vec3::ONE, SHADOW_TINT, dark)).to_array())
    }

    /// Pixel range of a row that the shadow may reach: the first pixel, and the one after the last.
    pub(crate) fn shadow_span(&self, y: usize) -> [usize; 2] {
        self.reach[y].map(|x| x as usize)
    }

    /// Colour of a pixel that the shadow does not reach.
    pub(crate) fn unshadowed_color(&self, x: usize, y: usize) -> Rgb {
        self.encoded[y * self.width + x]
    }

    fn darkness(&self, x: usize, y: usize, shadow: &ShadowMap) -> f32 {
        let [from, to] = self.shadow_span(y);
        if !(from..to).contains(&x) {
            return 0.0;
        }
        1.0 - shadow.light_on_ground(self.to_texels.at(x as f32, y as f32))
    }
}

/// Range of columns in which a convex polygon crosses the row from `y` to `y + 1`.
fn cross_section(corners: [[f32; 2]; 4], y: f32, width: usize) -> [u32; 2] {
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for k in 0..4 {
        let (a, b) = (corners[k], corners[(k + 1) % 4]);
        let (top, bottom) = if a[1] < b[1] { (a, b) } else { (b, a) };
        let (from, to) = (top[1].max(y), bottom[1].min(y + 1.0));
        if from > to {
            continue;
        }
        let slope = (bottom[0] - top[0]) / (bottom[1] - top[1]).max(1e-6);
        for at in [from, to] {
            let x = top[0] + (at - top[1]) * slope;
            (low, high) = (low.min(x), high.max(x));
        }
    }
    // The casts saturate at zero; no crossing gives an empty range.
    let width = width as u32;
    if low > high {
        [0; 2]
    } else {
        [(low.floor() as u32).min(width), (high.ceil() as u32).min(width)]
    }
}

/// View rays through the pixels.
#[derive(Clone, Copy)]
struct Rays {
    eye: Vec3,
    /// Ray through the centre of the upper left pixel, and its change from pixel to pixel.
    first: Vec3,
    step_x: Vec3,
    step_y: Vec3,
    center: [f32; 2],
}

impl Rays {
    fn new(camera: &Camera, width: usize, height: usize) -> Self {
        let step_x = camera.right * (2.0 * camera.tan_x / width as f32);
        let step_y = camera.up * (-2.0 * camera.tan_y / height as f32);
        let center = [0.5 * width as f32, 0.5 * height as f32];
        let first = camera.forward + step_x * (0.5 - center[0]) + step_y * (0.5 - center[1]);
        Self { eye: camera.eye, first, step_x, step_y, center }
    }

    fn through(&self, x: usize, y: usize) -> Vec3 {
        self.first + self.step_x * x as f32 + self.step_y * y as f32
    }

    /// Pixel coordinates of a point in camera space.
    fn pixel(&self, p: Vec3, camera: &Camera) -> [f32; 2] {
        let [x, y, z] = p.to_array();
        let [cx, cy] = self.center;
        [cx + x / z / camera.tan_x * cx, cy - y / z / camera.tan_y * cy]
    }
}

struct Ground {
    height: f32,
    rays: Rays,
    middle: Vec3,
    /// Distances from the centre between which the ground fades out \[m\].
    fade: [f32; 2],
    /// Spacing of grid lines \[m\].
    grid: f32,
}

impl Ground {
    fn new(stage: &ViewSetup, rays: Rays) -> Option<Self> {
        let size = stage.bounds().diagonal();
        let height = stage.ground_height().filter(|h| rays.eye[1] > *h)?;
        let (middle, grid) = (stage.bounds().center(), round_length(size / 6.0));
        Some(Self { height, rays, middle, fade: [0.55 * size, 1.9 * size], grid })
    }

    /// Colour of the ground where a ray meets it, and its coverage.
    fn color(&self, ray: Vec3) -> Option<(Vec3, f32)> {
        if ray[1] >= -1e-6 {
            return None;
        }
        let inv = 1.0 / ray[1];
        let t = (self.height - self.rays.eye[1]) * inv;
        let p = self.rays.eye + ray * t;
        let (dx, dz) = (p[0] - self.middle[0], p[2] - self.middle[2]);
        let away = (dx * dx + dz * dz).sqrt();
        if away > self.fade[1] {
            return None;
        }
        let cover = 1.0 - smoothstep(self.fade[0], self.fade[1], away);

        // Distance on the ground to the adjacent pixels' rays: the width over which grid lines are averaged.
        let (step_x, step_y) = (self.rays.step_x, self.rays.step_y);
        let width = |c: usize| {
            let across = (step_x[c] - ray[c] * step_x[1] * inv).abs();
            let down = (step_y[c] - ray[c] * step_y[1] * inv).abs();
            t * (across + down)
        };
        let line = self.line(p[0], width(0)).max(self.line(p[2], width(2)));
        Some((mix(GROUND, LINE, 0.45 * line), cover))
    }

    /// Fraction of a footprint of this width around `v` that a grid line covers.
    fn line(&self, v: f32, width: f32) -> f32 {
        let thick = 0.012 * self.grid;
        let cell = v / self.grid;
        let off = (cell - (cell + 0.5).floor()).abs() * self.grid;
        let reach = 0.5 * (thick + width);
        let overlap = ((reach - off) / width.max(1e-9)).clamp(0.0, 1.0);
        overlap * (thick / width.max(1e-9)).clamp(0.25, 1.0)
    }
}

/// Largest round length (1, 2 or 5 times a power of ten) not above `x`.
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
