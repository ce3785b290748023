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
/// Colliders are all of one muted colour.
const PROP: Rgb = color::STONE;

/// The sides of the square that is drawn of a plane.
const RIM: [[u32; 2]; 4] = [[0, 1], [1, 2], [2, 3], [3, 0]];

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
        let framed = |shape: &Shape| shape.prop().is_none_or(|p| !p.endless);
        for frame in frames {
            for (_, body) in shapes.iter().zip(&frame.bodies).filter(|(shape, _)| framed(shape)) {
                bounds.extend(body);
            }
        }
        // The highest level ground is what is seen of several.
        let grounds = shapes.iter().filter_map(|s| s.prop()?.ground());
        let mut stage = Stage::around(bounds);
        if let Some(height) = grounds.reduce(f64::max) {
            stage = stage.ground(height as f32);
        }
        Self { shapes, renderer: Renderer::new(size[0], size[1]), stage }
    }

    /// The picture of one frame.
    pub fn draw(&mut self, frame: &Frame) -> Picture {
        let triangles: Vec<Vec<[u32; 3]>> = self
            .shapes
            .iter()
            .zip(&frame.bodies)
            .map(|(shape, positions)| match shape {
                Shape::Surface(surface) => surface.drawn(positions),
                Shape::Strands(_) | Shape::Prop(_) => Vec::new(),
            })
            .collect();
        let mut scene = Scene::default();
        for (k, (shape, positions)) in self.shapes.iter().zip(&frame.bodies).enumerate() {
            let [front, back] = PAINTS[k % PAINTS.len()];
            match shape {
                Shape::Surface(_) => {
                    let mesh = Mesh::new(positions, &triangles[k]);
                    scene.meshes.push(mesh.paint(Paint::Sides { front, back }));
                }
                Shape::Strands(strands) => {
                    let lines = Lines::new(positions, LinePath::Chains(&strands.lengths));
                    scene.lines.push(Lines { color: front, ..lines });
                }
                Shape::Prop(prop) if prop.ground().is_some() => {}
                Shape::Prop(prop) => {
                    let mesh = Mesh::new(positions, &prop.surface.triangles);
                    let mesh = Mesh {
                        smooth: prop.round,
                        gloss: 0.1,
                        // So one looks into what is hollow.
                        one_sided: prop.closed,
                        casts: !prop.endless,
                        ..mesh
                    };
                    // From behind, a plane would hide all that is in front of it: its rim is enough.
                    if prop.endless && !self.stage.sees_front(positions) {
                        let rim = Lines::new(positions, LinePath::Pairs(&RIM));
                        scene.lines.push(Lines { color: PROP, ..rim });
                    } else {
                        scene.meshes.push(mesh.paint(Paint::solid(PROP)));
                    }
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
