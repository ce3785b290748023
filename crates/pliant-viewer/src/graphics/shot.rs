//! Everything that one picture shows, as plain data: made by the application, drawn by the renderer.

use std::sync::Arc;

use crate::camera::Camera;
use crate::theme::Look;

/// What bodies are made of, until something tears or is thrown in.
#[derive(Debug, Default)]
pub struct Topology {
    /// Different for every other topology.
    pub stamp: u64,
    /// How each body is drawn.
    pub parts: Vec<Part>,
}

/// The surface of one body, by vertices of the whole picture.
#[derive(Debug, Default, Clone)]
pub struct Part {
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// How it looks.
    pub coat: Coat,
}

/// The looks of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coat {
    /// The colour of its front, sRGB.
    pub front: [u8; 3],
    /// The colour of its back.
    pub back: [u8; 3],
    /// How much it shines.
    pub gloss: f32,
    /// How much light comes through: 1 for cloth, 0 for solids.
    pub thin: f32,
    /// Whether strain is shown as colour.
    pub strained: bool,
}

/// Where all drawn vertices are at one time.
#[derive(Debug, Default)]
pub struct Shape {
    /// Different for every other shape.
    pub stamp: u64,
    /// Positions \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Normals, of length one.
    pub normals: Vec<[f32; 3]>,
    /// Strain for colouring.
    pub strain: Vec<f32>,
}

/// The same bodies under another solver.
#[derive(Debug)]
pub struct Ghost {
    /// What they are made of: they may have torn in another way.
    pub topology: Arc<Topology>,
    /// Where they are.
    pub shape: Arc<Shape>,
}

/// A collider's surface: it moves as a whole.
#[derive(Debug, Default)]
pub struct Prop {
    /// Where its vertices are at the start \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Their normals.
    pub normals: Vec<[f32; 3]>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// All props of a scene.
#[derive(Debug, Default)]
pub struct Props {
    /// Different for every other scene.
    pub stamp: u64,
    /// The props; those without triangles are not drawn.
    pub list: Vec<Prop>,
}

/// A line on the picture.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Its ends \[m\].
    pub ends: [[f32; 3]; 2],
    /// Its colour, sRGB and opacity.
    pub color: [u8; 4],
}

/// Lines of one width.
#[derive(Clone, Debug, Default)]
pub struct Strokes {
    /// The lines.
    pub segments: Vec<Segment>,
    /// Their width in pixels.
    pub width: f32,
    /// Whether they are seen through what is before them.
    pub on_top: bool,
}

/// A round mark.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    /// Where \[m\].
    pub place: [f32; 3],
    /// How wide, half, in pixels.
    pub radius: f32,
    /// Its colour, sRGB and opacity.
    pub color: [u8; 4],
}

/// Everything that one picture shows.
#[derive(Debug)]
pub struct Shot {
    /// Which of the pictures side by side it is.
    pub side: usize,
    /// Where it is seen from.
    pub camera: Camera,
    /// Light, ground and colours.
    pub look: Look,
    /// What there is.
    pub topology: Arc<Topology>,
    /// Where it is.
    pub shape: Arc<Shape>,
    /// The other of two solvers, drawn through it.
    pub ghost: Option<Ghost>,
    /// The colliders.
    pub props: Arc<Props>,
    /// Three rows of four numbers for each, which take it to where it is.
    pub moved: Vec<[f32; 12]>,
    /// The height of the ground \[m\].
    pub ground: f32,
    /// The corners of a box around all that casts a shadow \[m\].
    pub bounds: [[f32; 3]; 2],
    /// The range of strain that the colours span, if they are shown.
    pub heat: Option<[f32; 2]>,
    /// Whether surfaces are drawn; lines alone otherwise.
    pub surfaces: bool,
    /// Whether it must be drawn quickly rather than finely.
    pub lean: bool,
    /// Lines.
    pub strokes: Vec<Strokes>,
    /// Marks.
    pub dots: Vec<Dot>,
}
