//! Scene description: triangles and lines in borrowed buffers.

use crate::color::{CORAL, INK, Rgb, SAND};
use crate::pattern::Pattern;

/// Colours of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint<'a> {
    /// One colour for each side.
    Sides {
        /// Colour of the side from which the triangles are counter-clockwise.
        front: Rgb,
        /// Colour of the other side.
        back: Rgb,
    },
    /// One colour for each vertex, on both sides, for colour maps and stripes.
    Vertices(&'a [Rgb]),
}

impl Paint<'_> {
    /// Creates a paint of one colour for both sides.
    pub fn solid(color: Rgb) -> Self {
        Self::Sides { front: color, back: color }
    }
}

/// A triangle mesh. Triangles with an index out of range or a corner that is not finite are skipped, so that a
/// failed simulation can still be displayed.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    /// Position of each vertex \[m\].
    pub positions: &'a [[f32; 3]],
    /// Vertices of each triangle.
    pub triangles: &'a [[u32; 3]],
    /// Colours of the mesh.
    pub paint: Paint<'a>,
    /// Pattern over the paint.
    pub pattern: Option<Pattern<'a>>,
    /// If true, normals are averaged at vertices; otherwise every triangle is flat-shaded.
    pub smooth: bool,
    /// Strength of the wireframe, from 0 to 1.
    pub wire: f32,
    /// Glossiness of the surface, from 0 (felt) to 1 (satin).
    pub gloss: f32,
    /// If true, back faces are culled, for the camera and for the light: the inside of an inverted mesh becomes
    /// visible.
    pub one_sided: bool,
    /// True if the mesh casts a shadow.
    pub casts_shadow: bool,
}

impl<'a> Mesh<'a> {
    /// Creates a smooth cloth, red in front and sandy behind.
    pub fn new(positions: &'a [[f32; 3]], triangles: &'a [[u32; 3]]) -> Self {
        let paint = Paint::Sides { front: CORAL, back: SAND };
        let (one_sided, casts) = (false, true);
        Self {
            positions,
            triangles,
            paint,
            pattern: None,
            smooth: true,
            wire: 0.0,
            gloss: 0.35,
            one_sided,
            casts_shadow: casts,
        }
    }

    /// Sets the colours.
    pub fn paint(self, paint: Paint<'a>) -> Self {
        Self { paint, ..self }
    }

    /// Sets the pattern.
    pub fn pattern(self, pattern: Option<Pattern<'a>>) -> Self {
        Self { pattern, ..self }
    }

    /// Sets the strength of the wireframe, from 0 to 1.
    pub fn wire(self, wire: f32) -> Self {
        Self { wire, ..self }
    }
}

/// Connectivity of lines.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// One polyline through all positions in order.
    Chain,
    /// Consecutive polylines with these numbers of vertices, such as hair.
    Chains(&'a [u32]),
    /// Segments between pairs of vertices, such as springs.
    Pairs(&'a [[u32; 2]]),
}

/// Width of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// Width in pixels, independent of the distance.
    Pixels(f32),
    /// Width in metres.
    Meters(f32),
}

/// Lines, shaded as round cords.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// Position of each vertex \[m\].
    pub positions: &'a [[f32; 3]],
    /// Connectivity of the vertices.
    pub path: Path<'a>,
    /// Colour of the lines.
    pub color: Rgb,
    /// Width of the lines.
    pub width: Width,
}

impl<'a> Lines<'a> {
    /// Creates dark lines, three pixels wide.
    pub fn new(positions: &'a [[f32; 3]], path: Path<'a>) -> Self {
        Self { positions, path, color: INK, width: Width::Pixels(3.0) }
    }
}

/// Contents of one picture.
#[derive(Clone, Debug, Default)]
pub struct Scene<'a> {
    /// Meshes of the scene.
    pub meshes: Vec<Mesh<'a>>,
    /// Lines of the scene.
    pub lines: Vec<Lines<'a>>,
}
