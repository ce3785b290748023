//! What is drawn and exported of a body, and how it follows the simulation.
//!
//! A body from a generator shows its own vertices. One from a file shows the file's vertices in the
//! file's order: welded ones share a simulated vertex, and a detailed surface in a coarse lattice
//! follows its tetrahedra (Projective Dynamics §7.1).

use pliant::Model;
use pliant::math::Scalar;
use pliant::simd::Point;
use serde::{Deserialize, Serialize};

use crate::embedding::Embedding;
use crate::export::{Strands, Track};
use crate::surface::{Surface, Uvs};

/// What a body shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// Triangles.
    Surface(Surface),
    /// Polylines.
    Strands(Strands),
}

impl Shape {
    /// The shape as exporters take it.
    pub fn track(&self) -> Track<'_> {
        match self {
            Self::Surface(surface) => Track::Surface(surface),
            Self::Strands(strands) => Track::Strands(strands),
        }
    }
}

/// How the shown vertices follow the body's.
#[derive(Clone, Debug)]
pub enum Binding {
    /// Each is the body's vertex of this number.
    Vertices(Vec<u32>),
    /// Each is a point in a tetrahedron.
    Embedded(Embedding),
}

/// The visible side of one body.
#[derive(Clone, Debug)]
pub struct Skin {
    /// What is shown.
    pub shape: Shape,
    /// How it moves.
    pub binding: Binding,
    /// The body's vertices in the model.
    pub vertices: std::ops::Range<usize>,
}

impl Skin {
    /// The skin of a generated body: its surface, or its polyline.
    pub fn of_body(model: &Model, body: usize) -> Self {
        let info = &model.bodies()[body];
        let first = info.vertices.start as u32;
        if info.triangles.is_empty() {
            let count = (info.vertices.len() - info.ghosts) as u32;
            let strands = Strands { name: info.name.clone(), lengths: vec![count], width: 0.002 };
            return Self {
                shape: Shape::Strands(strands),
                binding: Binding::Vertices((0..count).collect()),
                vertices: info.vertices.clone(),
            };
        }
        // Vertices inside a solid are not shown; a cloth shows all of its own.
        let mut shown: Vec<u32> = info.triangles.iter().flatten().map(|v| v - first).collect();
        shown.sort_unstable();
        shown.dedup();
        let number = |v: u32| shown.binary_search(&(v - first)).unwrap_or(0) as u32;
        let triangles: Vec<[u32; 3]> = info.triangles.iter().map(|t| t.map(number)).collect();
        let uvs = info.uvs.as_ref().map(|uvs| Uvs {
            values: shown.iter().map(|&v| uvs[v as usize]).collect(),
            corners: triangles.clone(),
        });
        let rest = &model.rest_positions()[info.vertices.clone()];
        let positions = shown.iter().map(|&v| rest[v as usize]).collect();
        let surface =
            Surface { name: info.name.clone(), positions, triangles, uvs, groups: vec![] };
        Self {
            shape: Shape::Surface(surface),
            binding: Binding::Vertices(shown),
            vertices: info.vertices.clone(),
        }
    }

    /// The skins of all bodies of a model of generated meshes.
    pub fn of_model(model: &Model) -> Vec<Self> {
        (0..model.bodies().len()).map(|body| Self::of_body(model, body)).collect()
    }

    /// How many vertices are shown.
    pub fn len(&self) -> usize {
        self.shape.track().vertices()
    }

    /// Whether nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the shown vertices are \[m\], given the positions of the whole model \[m\].
    pub fn positions<S: Scalar>(&self, model: &[Point<S>], out: &mut Vec<[f32; 3]>) {
        let own = &model[self.vertices.clone()];
        let single = |p: &Point<S>| [p[0], p[1], p[2]].map(|c| c.to_f64() as f32);
        out.clear();
        match &self.binding {
            Binding::Vertices(list) => out.extend(list.iter().map(|&v| single(&own[v as usize]))),
            Binding::Embedded(embedding) => {
                let corners: Vec<[f32; 3]> = own.iter().map(single).collect();
                out.resize(self.len(), [0.0; 3]);
                // The counts agree: both were made for this body.
                let _ = embedding.apply(&corners, out);
            }
        }
    }
}
