//! Pictures of bodies: one frame, a contact sheet of several, or an animated GIF.

use std::path::Path;

use pliant_io::Surface;
use pliant_io::skin::SkinShape;
use pliant_render::{
    Film, Lines, Mesh, Motif, Paint, Palette, Path as LinePath, Pattern, Picture, Renderer, Rgb,
    Scene, Sheet, ViewSetup, color,
};
use pliant_scenes::describe::{Appearance, PatternKind};

use crate::error::CliError;
use crate::framing;

/// Front and back colours of bodies, used in turn.
const BODY_COLORS: [[Rgb; 2]; 5] = [
    [color::CORAL, color::SAND],
    [color::AZURE, color::SAND],
    [color::JADE, color::SAND],
    [color::PLUM, color::SAND],
    [color::HONEY, color::STONE],
];
/// Colour of all colliders.
const COLLIDER_COLOR: Rgb = color::STONE;

/// Edges of the square that represents a plane.
const PLANE_EDGES: [[u32; 2]; 4] = [[0, 1], [1, 2], [2, 3], [3, 0]];

/// Visible vertices of all bodies at one time.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Number of the frame.
    pub number: usize,
    /// Time \[s\].
    pub time: f64,
    /// Positions \[m\] of the vertices of each shape.
    pub bodies: Vec<Vec<[f32; 3]>>,
}

/// Draws frames of one animation, all with the same camera.
pub struct FrameRenderer<'a> {
    shapes: &'a [SkinShape],
    renderer: Renderer,
    view_setup: ViewSetup,
    /// Texture coordinates of each shape.
    uvs: Vec<Vec<[f32; 2]>>,
}

impl<'a> FrameRenderer<'a> {
    /// Creates a renderer whose camera sees all of `frames` without debris, for pictures of `size` pixels.
    pub fn new(shapes: &'a [SkinShape], frames: &[Frame], size: [usize; 2]) -> Self {
        // Of several level grounds, only the highest is visible. Without one, nothing is drawn that looks like it.
        let grounds = shapes.iter().filter_map(|s| s.collider_mesh()?.ground());
        let view = ViewSetup::around(framing::bounds(shapes, frames));
        let view_setup = match grounds.reduce(f64::max) {
            Some(height) => view.ground(height as f32),
            None => view.floating(),
        };
        let uvs = shapes.iter().map(|shape| match shape {
            SkinShape::Surface(Surface { uvs: Some(uvs), .. }) => {
                uvs.values.iter().map(|uv| uv.map(|c| c as f32)).collect()
            }
            _ => Vec::new(),
        });
        let uvs = uvs.collect();
        Self { shapes, renderer: Renderer::new(size[0], size[1]), view_setup, uvs }
    }

    /// Draws one frame.
    pub fn draw(&mut self, frame: &Frame) -> Picture {
        let triangles: Vec<Vec<[u32; 3]>> = self
            .shapes
            .iter()
            .zip(&frame.bodies)
            .map(|(shape, positions)| match shape {
                SkinShape::Surface(surface) => surface.visible_triangles(positions),
                SkinShape::Strands(_) | SkinShape::ColliderMesh(_) => Vec::new(),
            })
            .collect();
        let corners: Vec<Vec<[u32; 3]>> = self
            .shapes
            .iter()
            .zip(&frame.bodies)
            .map(|(shape, positions)| match (shape, shape.appearance()) {
                (SkinShape::Surface(surface), Some(Appearance { pattern: Some(_), .. })) => {
                    surface.visible_uv_corners(positions)
                }
                _ => Vec::new(),
            })
            .collect();
        let mut scene = Scene::default();
        for (k, (shape, positions)) in self.shapes.iter().zip(&frame.bodies).enumerate() {
            let appearance = shape.appearance().unwrap_or_default();
            let [front, back] = body_colors(k, &appearance);
            match shape {
                SkinShape::Surface(_) => {
                    let pattern = appearance.pattern.map(|pattern| Pattern {
                        motif: motif(pattern.kind),
                        color: pattern.color.0,
                        repeat: pattern.repeat.map(|c| c as f32),
                        uvs: &self.uvs[k],
                        corners: &corners[k],
                    });
                    let mesh = Mesh::new(positions, &triangles[k]).pattern(pattern);
                    scene.meshes.push(mesh.paint(Paint::Sides { front, back }));
                }
                SkinShape::Strands(strands) => {
                    let lines = Lines::new(positions, LinePath::Chains(&strands.lengths));
                    scene.lines.push(Lines { color: front, ..lines });
                }
                SkinShape::ColliderMesh(collider) if collider.ground().is_some() => {}
                SkinShape::ColliderMesh(collider) => {
                    let color = appearance.color.map_or(COLLIDER_COLOR, |color| color.0);
                    let mesh = Mesh::new(positions, &collider.surface.triangles);
                    let mesh = Mesh {
                        smooth: collider.round,
                        gloss: 0.1,
                        // One-sided, so that the inside of hollow colliders is visible.
                        one_sided: collider.closed,
                        casts_shadow: !collider.infinite,
                        ..mesh
                    };
                    // From behind, a plane would hide everything in front of it; only its border is drawn.
                    if collider.infinite && !self.view_setup.sees_front(positions) {
                        let rim = Lines::new(positions, LinePath::Pairs(&PLANE_EDGES));
                        scene.lines.push(Lines { color, ..rim });
                    } else {
                        scene.meshes.push(mesh.paint(Paint::solid(color)));
                    }
                }
            }
        }
        self.renderer.draw(&self.view_setup, &scene)
    }

    /// Draws a contact sheet of several frames.
    pub fn sheet(&mut self, title: &str, frames: &[Frame]) -> Picture {
        let mut sheet = Sheet::new(if frames.len() > 4 { 3 } else { 2 }).title(title);
        for frame in frames {
            let caption = format!("frame {}   {:.2} s", frame.number, frame.time);
            sheet.push(self.draw(frame), &caption);
        }
        sheet.picture()
    }

    /// Writes an animated GIF of frames at a rate \[1/s\].
    pub fn film(&mut self, path: &Path, frames: &[Frame], fps: f64) -> Result<(), CliError> {
        let few = evenly_spaced(frames.len(), 5);
        let samples: Vec<Picture> = few.iter().map(|&i| self.draw(&frames[i])).collect();
        let palette = Palette::of(&samples);
        let size = samples.first().map_or([1, 1], |p| [p.width(), p.height()]);
        let mut film = Film::create(path, size, fps, palette).map_err(CliError::failed)?;
        for frame in frames {
            film.push(&self.draw(frame)).map_err(CliError::failed)?;
        }
        film.finish().map_err(CliError::failed)
    }
}

/// Colours of the front and the back of body number `k`.
fn body_colors(k: usize, appearance: &Appearance) -> [Rgb; 2] {
    let [front, back] = BODY_COLORS[k % BODY_COLORS.len()];
    let own = appearance.color.map(|color| color.0);
    let own_back = appearance.back.map(|color| color.0);
    [own.unwrap_or(front), own_back.or(own).unwrap_or(back)]
}

fn motif(kind: PatternKind) -> Motif {
    match kind {
        PatternKind::Stripes => Motif::Stripes,
        PatternKind::Checks => Motif::Checks,
        PatternKind::Gingham => Motif::Gingham,
    }
}

/// `count` evenly spaced indices from 0 to `len - 1`, both ends included.
pub fn evenly_spaced(len: usize, count: usize) -> Vec<usize> {
    if len <= count {
        return (0..len).collect();
    }
    (0..count).map(|i| i * (len - 1) / (count - 1).max(1)).collect()
}
