//! Pictures of what bodies show: one frame, a sheet of several, or a film.

use std::path::Path;

use pliant_io::skin::Shape;
use pliant_render::{
    Bounds, Film, Lines, Mesh, Paint, Palette, Path as LinePath, Picture, Renderer, Rgb, Scene,
    Sheet, Stage, color,
};

use crate::failure::Failure;

/// Fronts and backs of bodies, in turn.
const PAINTS: [[Rgb; 2]; 5] = [
    [color::CORAL, color::SAND],
    [color::AZURE, color::SAND],
    [color::JADE, color::SAND],
    [color::PLUM, color::SAND],
    [color::HONEY, color::STONE],
];

/// Where the bodies' shown vertices are at a time.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its number.
    pub number: usize,
    /// The time \[s\].
    pub time: f64,
    /// The positions \[m\] of each shape.
    pub bodies: Vec<Vec<[f32; 3]>>,
}

/// Draws frames of one animation, all from the same place.
pub struct Camera<'a> {
    shapes: &'a [Shape],
    renderer: Renderer,
    stage: Stage,
}

impl<'a> Camera<'a> {
    /// A camera that sees all of `frames`, for pictures of `size` pixels.
    pub fn new(shapes: &'a [Shape], frames: &[Frame], size: [usize; 2]) -> Self {
        let mut bounds = Bounds::of(&[]);
        for body in frames.iter().flat_map(|f| &f.bodies) {
            bounds.extend(body);
        }
        Self { shapes, renderer: Renderer::new(size[0], size[1]), stage: Stage::around(bounds) }
    }

    /// The picture of one frame.
    pub fn draw(&mut self, frame: &Frame) -> Picture {
        let mut scene = Scene::default();
        for (k, (shape, positions)) in self.shapes.iter().zip(&frame.bodies).enumerate() {
            let [front, back] = PAINTS[k % PAINTS.len()];
            match shape {
                Shape::Surface(surface) => {
                    let mesh = Mesh::new(positions, &surface.triangles);
                    scene.meshes.push(mesh.paint(Paint::Sides { front, back }));
                }
                Shape::Strands(strands) => {
                    let lines = Lines::new(positions, LinePath::Chains(&strands.lengths));
                    scene.lines.push(Lines { color: front, ..lines });
                }
            }
        }
        self.renderer.draw(&self.stage, &scene)
    }

    /// A sheet of several frames.
    pub fn sheet(&mut self, title: &str, frames: &[Frame]) -> Picture {
        let mut sheet = Sheet::new(if frames.len() > 4 { 3 } else { 2 }).title(title);
        for frame in frames {
            let caption = format!("frame {}   {:.2} s", frame.number, frame.time);
            sheet.push(self.draw(frame), &caption);
        }
        sheet.picture()
    }

    /// A film of frames at a rate \[1/s\].
    pub fn film(&mut self, path: &Path, frames: &[Frame], fps: f64) -> Result<(), Failure> {
        let few = spread(frames.len(), 5);
        let samples: Vec<Picture> = few.iter().map(|&i| self.draw(&frames[i])).collect();
        let palette = Palette::of(&samples);
        let size = samples.first().map_or([1, 1], |p| [p.width(), p.height()]);
        let mut film = Film::create(path, size, fps, palette).map_err(Failure::run)?;
        for frame in frames {
            film.push(&self.draw(frame)).map_err(Failure::run)?;
        }
        film.finish().map_err(Failure::run)
    }
}

/// `count` numbers from 0 to `len - 1`, evenly apart, with both ends.
pub fn spread(len: usize, count: usize) -> Vec<usize> {
    if len <= count {
        return (0..len).collect();
    }
    (0..count).map(|i| i * (len - 1) / (count - 1).max(1)).collect()
}
