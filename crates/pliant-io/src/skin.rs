//! Skins: the visible geometry of bodies and colliders, bound to the simulation.
//!
//! A generated body shows its own vertices. A body from a file shows the file's vertices in the file's order:
//! welded vertices share a simulated vertex, and a detailed surface in a coarse lattice follows its tetrahedra
//! (Projective Dynamics §7.1).

use pliant::contact::Collider;
use pliant::math::Scalar;
use pliant::simd::Point;
use pliant::{Model, Precision, Simulation};
use pliant_scenes::describe::Appearance;
use serde::{Deserialize, Serialize};

use crate::collider_mesh::ColliderMesh;
use crate::embedding::Embedding;
use crate::export::{Strands, Track};
use crate::surface::{Surface, Uvs};

/// Visible shape of a body or collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SkinShape {
    /// Triangles.
    Surface(Surface),
    /// Polylines.
    Strands(Strands),
    /// Triangles of a collider.
    #[serde(rename = "Prop")]
    ColliderMesh(ColliderMesh),
}

impl SkinShape {
    /// The shape as an export track.
    pub fn track(&self) -> Track<'_> {
        match self {
            Self::Surface(surface) => Track::Surface(surface),
            Self::Strands(strands) => Track::Strands(strands),
            Self::ColliderMesh(mesh) => Track::ColliderMesh(mesh),
        }
    }

    /// Colours and pattern, if the scene sets them.
    pub fn appearance(&self) -> Option<Appearance> {
        match self {
            Self::Surface(surface) => surface.appearance,
            Self::Strands(strands) => strands.appearance,
            Self::ColliderMesh(prop) => prop.surface.appearance,
        }
    }

    /// Sets the colours and the pattern.
    pub fn set_appearance(&mut self, appearance: Option<Appearance>) {
        match self {
            Self::Surface(surface) => surface.set_appearance(appearance),
            Self::Strands(strands) => strands.appearance = appearance,
            Self::ColliderMesh(prop) => prop.surface.set_appearance(appearance),
        }
    }

    /// Number of visible vertices.
    pub fn vertices(&self) -> usize {
        self.track().vertices()
    }

    /// The collider mesh, if this is one.
    pub fn collider_mesh(&self) -> Option<&ColliderMesh> {
        match self {
            Self::ColliderMesh(mesh) => Some(mesh),
            _ => None,
        }
    }
}

/// Binding of the visible vertices to the body's vertices.
#[derive(Clone, Debug)]
pub enum Binding {
    /// Each visible vertex follows the body vertex of this index.
    Vertices(Vec<u32>),
    /// Each visible vertex is embedded in a tetrahedron.
    Embedded(Embedding),
    /// All vertices move with a collider.
    Collider(Box<Collider>),
    /// Each visible vertex is one corner of a triangle, and may tear from its neighbours. Holds the body's
    /// index and the three vertices of each triangle, as indices of the original, untorn model.
    Corners(usize, Vec<[u32; 3]>),
}

/// Visible geometry of one body or collider.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Visible shape.
    pub shape: SkinShape,
    /// Binding to the simulation.
    pub binding: Binding,
    /// Range of the body's vertices in the model; empty for a collider.
    pub vertices: std::ops::Range<usize>,
}

impl Skin {
    /// Skin of a generated body: its surface or its polyline. Uses a tearing skin if the body may tear or a
    /// blade of the model may cut it.
    pub fn of_body(model: &Model, body: usize) -> Self {
        let info = &model.bodies()[body];
        let cut = info.is_sheet && !model.blades().is_empty();
        if (info.tearing.is_some() || cut) && !info.triangles.is_empty() {
            return Self::tearing(model, body);
        }
        let first = info.vertices.start as u32;
        if let Some(carried) = &info.rigid_frame {
            let rest = &model.rest_positions()[info.vertices.clone()];
            let four = [0, 1, 2, 3].map(|k| [rest[k][0], rest[k][1], rest[k][2], 1.0]);
            let points = 0..carried.weights.len();
            let surface = Surface {
                name: info.name.clone(),
                positions: points.map(|k| carried.point(k, &four)).collect(),
                triangles: carried.triangles.clone(),
                ..Surface::default()
            };
            return Self {
                shape: SkinShape::Surface(surface),
                binding: Binding::Embedded(Embedding::in_one_tet(&carried.weights)),
                vertices: info.vertices.clone(),
            };
        }
        if info.triangles.is_empty() {
            let count = (info.vertices.len() - info.frame_points) as u32;
            let (name, lengths) = (info.name.clone(), vec![count]);
            let strands = Strands { name, lengths, width: 0.002, ..Strands::default() };
            return Self {
                shape: SkinShape::Strands(strands),
                binding: Binding::Vertices((0..count).collect()),
                vertices: info.vertices.clone(),
            };
        }
        // Interior vertices of a solid are hidden; a cloth shows all its vertices.
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
            shape: SkinShape::Surface(surface),
            binding: Binding::Vertices(shown),
            vertices: info.vertices.clone(),
        }
    }

    /// Skin of a body whose triangles may separate. Each triangle has its own corners, in the order of the
    /// whole model's triangles; corners that are one vertex are merged again when the surface is shown.
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
            ..Surface::default()
        };
        Self {
            shape: SkinShape::Surface(surface),
            binding: Binding::Corners(body, whole),
            vertices: info.vertices.clone(),
        }
    }

    /// Skins of all bodies of a model of generated meshes, followed by those of its colliders.
    pub fn of_model(model: &Model) -> Vec<Self> {
        let bodies = (0..model.bodies().len()).map(|body| Self::of_body(model, body));
        let colliders = ColliderMesh::of_model(model).into_iter().zip(model.colliders());
        let colliders = colliders.map(|(mesh, collider)| Self {
            shape: SkinShape::ColliderMesh(mesh),
            binding: Binding::Collider(Box::new(collider.clone())),
            vertices: 0..0,
        });
        bodies.chain(colliders).collect()
    }

    /// Number of visible vertices.
    pub fn len(&self) -> usize {
        self.shape.vertices()
    }

    /// True if the skin has no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Computes the visible positions \[m\] in a simulation, including its tears: removed triangles are
    /// collapsed to a point.
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
        for (corners, here) in sim.current_triangles(*body) {
            out.extend(if here { corners.map(at) } else { [at(corners[0]); 3] });
        }
    }

    /// Computes the visible positions \[m\] from a time \[s\] and the positions of the whole model at that time
    /// \[m\], without tears.
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
                // The lengths match: both belong to this body.
                let _ = embedding.apply(&corners, out);
            }
            Binding::Collider(collider) => {
                if let SkinShape::ColliderMesh(mesh) = &self.shape {
                    mesh.positions(collider, time, out);
                }
            }
        }
    }
}
