//! Renderer: collects the geometry, casts the shadow, projects, then rasterises and shades band by band.

use crate::color::Encoder;
use crate::geometry::Geometry;
use crate::ground::Backdrop;
use crate::picture::Picture;
use crate::project::{Projector, SUBPIXEL_STEPS, ScreenTriangle};
use crate::raster::{BAND_ROWS, Band, NO_TRIANGLE, SAMPLES};
use crate::scene::Scene;
use crate::shade::Shader;
use crate::shadow::ShadowMap;
use crate::vector::Vec3;
use crate::view_setup::ViewSetup;

/// Samples of a pixel without triangles.
const EMPTY: [u32; SAMPLES] = [NO_TRIANGLE; SAMPLES];

/// Renderer for pictures of one size; reuses its buffers from picture to picture.
pub struct Renderer {
    width: usize,
    height: usize,
    geometry: Geometry,
    screen_triangles: Vec<ScreenTriangle>,
    bins: Vec<Vec<u32>>,
    band: Band,
    shadow: ShadowMap,
    /// Background of the last view; an animation has a single view.
    backdrop: Option<(ViewSetup, Backdrop)>,
    encoder: Encoder,
}

impl Renderer {
    /// Creates a renderer for a picture size in pixels, from 1 to 8192 in each dimension.
    pub fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.clamp(1, 8192), height.clamp(1, 8192));
        Self {
            width,
            height,
            geometry: Geometry::default(),
            screen_triangles: Vec::new(),
            bins: vec![Vec::new(); height.div_ceil(BAND_ROWS)],
            band: Band::new(width),
            shadow: ShadowMap::new(),
            backdrop: None,
            encoder: Encoder::new(),
        }
    }

    /// Draws the scene as seen from the view.
    pub fn draw(&mut self, view: &ViewSetup, scene: &Scene) -> Picture {
        let (width, height) = (self.width, self.height);
        let camera = view.camera(width as f32 / height as f32);
        let pixel = 2.0 * camera.tan_y / height as f32;
        self.geometry.gather(scene, &camera, view.bounds().diagonal(), pixel);
        self.shadow.cast(view, &self.geometry);
        Projector::new(camera, width, height)
            .project(&mut self.geometry, &mut self.screen_triangles);
        self.sort_into_bands();

        let backdrop = match &mut self.backdrop {
            Some((known, backdrop)) if known == view => backdrop,
            stale => {
                let made = Backdrop::new(view, &camera, width, height);
                &mut stale.insert((*view, made)).1
            }
        };
        backdrop.prepare_shadow(&self.shadow, &camera);
        let shader = Shader {
            geometry: &self.geometry,
            shadow: &self.shadow,
            camera: &camera,
            toward_light: view.toward_light(),
        };
        let mut picture = Picture::new(width, height, [0; 3]);
        for (b, bin) in self.bins.iter().enumerate() {
            let first = b * BAND_ROWS;
            let rows = BAND_ROWS.min(height - first);
            self.band.start(first, rows);
            for &id in bin {
                self.band.fill(id, &self.screen_triangles[id as usize]);
            }
            for y in first..first + rows {
                let shown = self.band.row(y);
                let [from, to] = backdrop.shadow_span(y);
                for (x, out) in picture.row_mut(y).iter_mut().enumerate() {
                    if shown[x] == EMPTY {
                        *out = match (from..to).contains(&x) {
                            true => backdrop.color(x, y, &self.shadow, &self.encoder),
                            false => backdrop.unshadowed_color(x, y),
                        };
                        continue;
                    }
                    let light = resolve(&shown[x], &self.screen_triangles, |id| match id {
                        NO_TRIANGLE => backdrop.light(x, y, &self.shadow),
                        id => {
                            let triangle = &self.screen_triangles[id as usize];
                            shader.shade(triangle, x as f32 + 0.5, y as f32 + 0.5)
                        }
                    });
                    *out = self.encoder.srgb(light.to_array());
                }
            }
        }
        picture
    }

    /// Lists the triangles that overlap each band, in scene order.
    fn sort_into_bands(&mut self) {
        self.bins.iter_mut().for_each(Vec::clear);
        let rows = BAND_ROWS as i32 * SUBPIXEL_STEPS;
        let last = self.bins.len() as i32 - 1;
        for (id, triangle) in self.screen_triangles.iter().enumerate() {
            let top = triangle.y.iter().min().map_or(0, |y| y.div_euclid(rows));
            let bottom = triangle.y.iter().max().map_or(0, |y| y.div_euclid(rows));
            for b in top.max(0)..=bottom.min(last) {
                self.bins[b as usize].push(id as u32);
            }
        }
    }
}

/// Mean light of a pixel's samples. Adjacent triangles of one smooth surface are shaded once: half of the
/// pixels of a fine mesh lie on an edge, and the light is continuous there.
fn resolve(
    shown: &[u32; SAMPLES],
    flats: &[ScreenTriangle],
    light_of: impl Fn(u32) -> Vec3,
) -> Vec3 {
    if shown.iter().all(|id| *id == shown[0]) {
        return light_of(shown[0]);
    }
    let mut sum = Vec3::ZERO;
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
        sum += light_of(shown[s]) * (count as f32 / SAMPLES as f32);
    }
    sum
}

/// True if two samples see the same triangle, or two that share a vertex and face the same way.
fn alike(a: u32, b: u32, flats: &[ScreenTriangle]) -> bool {
    if a == b || a == NO_TRIANGLE || b == NO_TRIANGLE {
        return a == b;
    }
    let (a, b) = (&flats[a as usize], &flats[b as usize]);
    a.back == b.back && a.corners.iter().any(|v| b.corners.contains(v))
}
