//! The renderer: gather, cast the shadow, project, and then band by band find what is seen and
//! shade it.

use crate::color::Encoder;
use crate::geometry::Geometry;
use crate::ground::Backdrop;
use crate::picture::Picture;
use crate::project::{Flat, Projector, STEPS};
use crate::raster::{Band, NOTHING, ROWS, SAMPLES};
use crate::scene::Scene;
use crate::shade::Shader;
use crate::shadow::ShadowMap;
use crate::stage::Stage;
use crate::vector::{Vec3, along};

/// A pixel that shows no triangle.
const EMPTY: [u32; SAMPLES] = [NOTHING; SAMPLES];

/// Draws pictures of one size; keeps its buffers from picture to picture.
pub struct Renderer {
    width: usize,
    height: usize,
    geometry: Geometry,
    flats: Vec<Flat>,
    bins: Vec<Vec<u32>>,
    band: Band,
    shadow: ShadowMap,
    /// The last stage's backdrop; an animation has one stage.
    backdrop: Option<(Stage, Backdrop)>,
    encoder: Encoder,
}

impl Renderer {
    /// For pictures of a size in pixels, at least 1 and at most 8192 each way.
    pub fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.clamp(1, 8192), height.clamp(1, 8192));
        Self {
            width,
            height,
            geometry: Geometry::default(),
            flats: Vec::new(),
            bins: vec![Vec::new(); height.div_ceil(ROWS)],
            band: Band::new(width),
            shadow: ShadowMap::new(),
            backdrop: None,
            encoder: Encoder::new(),
        }
    }

    /// Draws the scene as seen from the stage.
    pub fn draw(&mut self, stage: &Stage, scene: &Scene) -> Picture {
        let (width, height) = (self.width, self.height);
        let camera = stage.camera(width as f32 / height as f32);
        let pixel = 2.0 * camera.tan_y / height as f32;
        self.geometry.gather(scene, &camera, stage.bounds().diagonal(), pixel);
        self.shadow.cast(stage, &self.geometry);
        Projector::new(camera, width, height).project(&mut self.geometry, &mut self.flats);
        self.sort_into_bands();

        let backdrop = match &mut self.backdrop {
            Some((known, backdrop)) if known == stage => backdrop,
            stale => {
                let made = Backdrop::new(stage, &camera, width, height);
                &mut stale.insert((*stage, made)).1
            }
        };
        backdrop.lay(&self.shadow, &camera);
        let shader = Shader {
            geometry: &self.geometry,
            shadow: &self.shadow,
            camera: &camera,
            toward_light: stage.toward_light(),
        };
        let mut picture = Picture::new(width, height, [0; 3]);
        for (b, bin) in self.bins.iter().enumerate() {
            let first = b * ROWS;
            let rows = ROWS.min(height - first);
            self.band.start(first, rows);
            for &id in bin {
                self.band.fill(id, &self.flats[id as usize]);
            }
            for y in first..first + rows {
                let shown = self.band.row(y);
                let [from, to] = backdrop.reach(y);
                for (x, out) in picture.row_mut(y).iter_mut().enumerate() {
                    if shown[x] == EMPTY {
                        *out = match (from..to).contains(&x) {
                            true => backdrop.color(x, y, &self.shadow, &self.encoder),
                            false => backdrop.plain(x, y),
                        };
                        continue;
                    }
                    let light = resolve(&shown[x], &self.flats, |id| match id {
                        NOTHING => backdrop.light(x, y, &self.shadow),
                        id => {
                            let flat = &self.flats[id as usize];
                            shader.shade(flat, x as f32 + 0.5, y as f32 + 0.5)
                        }
                    });
                    *out = self.encoder.srgb(light);
                }
            }
        }
        picture
    }

    /// Lists, for each band, the triangles that reach it, in the order of the scene.
    fn sort_into_bands(&mut self) {
        self.bins.iter_mut().for_each(Vec::clear);
        let rows = ROWS as i32 * STEPS;
        let last = self.bins.len() as i32 - 1;
        for (id, flat) in self.flats.iter().enumerate() {
            let top = flat.y.iter().min().map_or(0, |y| y.div_euclid(rows));
            let bottom = flat.y.iter().max().map_or(0, |y| y.div_euclid(rows));
            for b in top.max(0)..=bottom.min(last) {
                self.bins[b as usize].push(id as u32);
            }
        }
    }
}

/// The mean light of a pixel's samples. Neighbours on one smooth surface are shaded as one: half of
/// a fine mesh's pixels lie on an edge, and the light does not change there.
fn resolve(shown: &[u32; SAMPLES], flats: &[Flat], light_of: impl Fn(u32) -> Vec3) -> Vec3 {
    if shown.iter().all(|id| *id == shown[0]) {
        return light_of(shown[0]);
    }
    let mut sum = [0.0; 3];
    let mut done = [false; SAMPLES];
    for s in 0..SAMPLES {
        if done[s] {
            continue;
        }
        let mut count = 0;
        for r in s..SAMPLES {
            if !done[r] && alike(shown[s], shown[r], flats) {
                done[r] = true;
                count += 1;
            }
        }
        sum = along(sum, light_of(shown[s]), count as f32 / SAMPLES as f32);
    }
    sum
}

/// Whether two samples show the same triangle, or two that share a vertex and face the same way.
fn alike(a: u32, b: u32, flats: &[Flat]) -> bool {
    if a == b || a == NOTHING || b == NOTHING {
        return a == b;
    }
    let (a, b) = (&flats[a as usize], &flats[b as usize]);
    a.back == b.back && a.corners.iter().any(|v| b.corners.contains(v))
}
