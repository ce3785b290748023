//! What is drawn: triangles and lines, borrowed from whoever owns them.

use crate::color::{CORAL, INK, Rgb, SAND};

/// The colours of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint<'a> {
    /// One colour for each side.
    Sides {
        /// The side that the triangles turn counter-clockwise on.
        front: Rgb,
        /// The other side.
        back: Rgb,
    },
    /// One colour for each vertex, on both sides: heat maps, stripes.
    Vertices(&'a [Rgb]),
}

impl Paint<'_> {
    /// The same colour on both sides.
    pub fn solid(color: Rgb) -> Self {
        Self::Sides { front: color, back: color }
    }
}

/// A triangle mesh. Triangles with an index out of range or a corner that is not finite are left
/// out, so that a simulation gone wrong can still be looked at.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    /// Where each vertex is \[m\].
    pub positions: &'a [[f32; 3]],
    /// The three vertices of each triangle.
    pub triangles: &'a [[u32; 3]],
    /// The colours.
    pub paint: Paint<'a>,
    /// Whether normals are averaged at vertices; without, every triangle is flat.
    pub smooth: bool,
    /// How strongly the triangles' edges show, from 0 to 1.
    pub wire: f32,
    /// How much the surface shines, from 0 (felt) to 1 (satin).
    pub gloss: f32,
    /// Whether only fronts are there, for the eye and the light: one looks into what is inside out.
    pub one_sided: bool,
    /// Whether it throws a shadow.
    pub casts: bool,
}

impl<'a> Mesh<'a> {
    /// A smooth cloth, red in front and sandy behind.
    pub fn new(positions: &'a [[f32; 3]], triangles: &'a [[u32; 3]]) -> Self {
        let paint = Paint::Sides { front: CORAL, back: SAND };
        let (one_sided, casts) = (false, true);
        Self { positions, triangles, paint, smooth: true, wire: 0.0, gloss: 0.35, one_sided, casts }
    }

    /// With other colours.
    pub fn paint(self, paint: Paint<'a>) -> Self {
        Self { paint, ..self }
    }

    /// With the triangles' edges at a strength from 0 to 1.
    pub fn wire(self, wire: f32) -> Self {
        Self { wire, ..self }
    }
}

/// Which points a line joins.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// All positions in order.
    Chain,
    /// Consecutive chains of these lengths: hairs.
    Chains(&'a [u32]),
    /// Pairs of vertices: springs.
    Pairs(&'a [[u32; 2]]),
}

/// How wide a line is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// In pixels, the same near and far.
    Pixels(f32),
    /// In metres.
    Meters(f32),
}

/// Lines, shaded as if they were round.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// Where each vertex is \[m\].
    pub positions: &'a [[f32; 3]],
    /// Which vertices are joined.
    pub path: Path<'a>,
    /// The colour.
    pub color: Rgb,
    /// The width.
    pub width: Width,
}

impl<'a> Lines<'a> {
    /// Dark lines, three pixels wide.
    pub fn new(positions: &'a [[f32; 3]], path: Path<'a>) -> Self {
        Self { positions, path, color: INK, width: Width::Pixels(3.0) }
    }
}

/// All that is drawn in one picture.
#[derive(Clone, Debug, Default)]
pub struct Scene<'a> {
    /// The meshes.
    pub meshes: Vec<Mesh<'a>>,
    /// The lines.
    pub lines: Vec<Lines<'a>>,
}
