//! What is drawn and exported of a body or collider, and how it follows the simulation.
//!
//! A body from a generator shows its own vertices. One from a file shows the file's vertices in the
//! file's order: welded ones share a simulated vertex, and a detailed surface in a coarse lattice
//! follows its tetrahedra (Projective Dynamics §7.1).

use pliant::contact::Collider;
use pliant::math::Scalar;
use pliant::simd::Point;
use pliant::{Model, Precision, Simulation};
use serde::{Deserialize, Serialize};

use crate::embedding::Embedding;
use crate::export::{Strands, Track};
use crate::prop::Prop;
use crate::surface::{Surface, Uvs};

/// What a body or collider shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// Triangles.
    Surface(Surface),
    /// Polylines.
    Strands(Strands),
    /// Triangles of a collider.
    Prop(Prop),
}

impl Shape {
    /// The shape as exporters take it.
    pub fn track(&self) -> Track<'_> {
        match self {
            Self::Surface(surface) => Track::Surface(surface),
            Self::Strands(strands) => Track::Strands(strands),
            Self::Prop(prop) => Track::Prop(prop),
        }
    }

    /// How many vertices it shows.
    pub fn vertices(&self) -> usize {
        self.track().vertices()
    }

    /// The collider's triangles, if it is one.
    pub fn prop(&self) -> Option<&Prop> {
        match self {
            Self::Prop(prop) => Some(prop),
            _ => None,
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
    /// All move with a collider.
    Collider(Box<Collider>),
    /// Each is a corner of a triangle, which may tear from its neighbours: three for each triangle of this
    /// body, given by the model's vertices when all was whole.
    Corners(usize, Vec<[u32; 3]>),
}

/// The visible side of one body or collider.
#[derive(Clone, Debug)]
pub struct Skin {
    /// What is shown.
    pub shape: Shape,
    /// How it moves.
    pub binding: Binding,
    /// The body's vertices in the model; a collider has none.
    pub vertices: std::ops::Range<usize>,
}

impl Skin {
    /// The skin of a generated body: its surface, or its polyline. Of a body that may tear, or that a blade
    /// of the model may cut, it is one that can follow.
    pub fn of_body(model: &Model, body: usize) -> Self {
        let info = &model.bodies()[body];
        let cut = info.sheet && !model.blades().is_empty();
        if (info.tearing.is_some() || cut) && !info.triangles.is_empty() {
            return Self::tearing(model, body);
        }
        let first = info.vertices.start as u32;
        if let Some(carried) = &info.carried {
            let rest = &model.rest_positions()[info.vertices.clone()];
            let four = [0, 1, 2, 3].map(|k| [rest[k][0], rest[k][1], rest[k][2], 1.0]);
            let points = 0..carried.weights.len();
            let surface = Surface {
                name: info.name.clone(),
                positions: points.map(|k| carried.point(k, &four)).collect(),
                triangles: carried.triangles.clone(),
                uvs: None,
                groups: vec![],
                welds: vec![],
            };
            return Self {
                shape: Shape::Surface(surface),
                binding: Binding::Embedded(Embedding::in_one_tet(&carried.weights)),
                vertices: info.vertices.clone(),
            };
        }
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
            Surface { name: info.name.clone(), positions, triangles, uvs, ..Surface::default() };
        Self {
            shape: Shape::Surface(surface),
            binding: Binding::Vertices(shown),
            vertices: info.vertices.clone(),
        }
    }

    /// The skin of a body whose triangles may come apart: each has corners of its own, in the order of the
    /// whole model's triangles, and those that are one vertex are joined again where they are shown.
    pub fn tearing(model: &Model, body: usize) -> Self {
        let info = &model.bodies()[body];
        let first = info.vertices.start as u32;
        let whole: Vec<[u32; 3]> = info.triangles.clone();
        let corners = whole.as_flattened();
        let local = |t: &[u32; 3]| t.map(|v| v - first);
        let uvs = info
            .uvs
            .as_ref()
            .map(|uvs| Uvs { values: uvs.clone(), corners: whole.iter().map(local).collect() });
        let surface = Surface {
            name: info.name.clone(),
            positions: corners.iter().map(|&v| model.rest_positions()[v as usize]).collect(),
            triangles: (0..whole.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
            uvs,
            groups: vec![],
            welds: corners.iter().map(|v| v - first).collect(),
        };
        Self {
            shape: Shape::Surface(surface),
            binding: Binding::Corners(body, whole),
            vertices: info.vertices.clone(),
        }
    }

    /// The skins of all bodies of a model of generated meshes, then those of its colliders.
    pub fn of_model(model: &Model) -> Vec<Self> {
        let bodies = (0..model.bodies().len()).map(|body| Self::of_body(model, body));
        let colliders = Prop::of_model(model).into_iter().zip(model.colliders());
        let colliders = colliders.map(|(prop, collider)| Self {
            shape: Shape::Prop(prop),
            binding: Binding::Collider(Box::new(collider.clone())),
            vertices: 0..0,
        });
        bodies.chain(colliders).collect()
    }

    /// How many vertices are shown.
    pub fn len(&self) -> usize {
        self.shape.vertices()
    }

    /// Whether nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the shown vertices are \[m\] in a simulation, with its tears: triangles that are gone are drawn
    /// together in a point.
    pub fn positions_in<S: Precision>(&self, sim: &Simulation<S>, out: &mut Vec<[f32; 3]>) {
        let Binding::Corners(body, _) = &self.binding else {
            let state = sim.state();
            return self.positions(state.time, &state.positions, out);
        };
        let at = |v: u32| {
            let p = &sim.state().positions[v as usize];
            [p[0], p[1], p[2]].map(|c| c.to_f64() as f32)
        };
        out.clear();
        for (corners, here) in sim.corners(*body) {
            out.extend(if here { corners.map(at) } else { [at(corners[0]); 3] });
        }
    }

    /// Where the shown vertices are \[m\], given a time \[s\] and the positions of the whole model \[m\]
    /// then, without tears.
    pub fn positions<S: Scalar>(&self, time: f64, model: &[Point<S>], out: &mut Vec<[f32; 3]>) {
        let own = &model[self.vertices.clone()];
        let single = |p: &Point<S>| [p[0], p[1], p[2]].map(|c| c.to_f64() as f32);
        out.clear();
        match &self.binding {
            Binding::Vertices(list) => out.extend(list.iter().map(|&v| single(&own[v as usize]))),
            Binding::Corners(_, whole) => {
                out.extend(whole.as_flattened().iter().map(|&v| single(&model[v as usize])));
            }
            Binding::Embedded(embedding) => {
                let corners: Vec<[f32; 3]> = own.iter().map(single).collect();
                out.resize(self.len(), [0.0; 3]);
                // The counts agree: both were made for this body.
                let _ = embedding.apply(&corners, out);
            }
            Binding::Collider(collider) => {
                if let Shape::Prop(prop) = &self.shape {
                    prop.positions(collider, time, out);
                }
            }
        }
    }
}
