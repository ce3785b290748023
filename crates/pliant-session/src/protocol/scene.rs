//! Geometry and settings of a scene.

use pliant_scenes::describe::PatternKind;
use serde::{Deserialize, Serialize};

use super::command::SolverChoice;

/// A loaded scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SceneInfo {
    /// Name of the scene.
    pub name: String,
    /// One-line summary.
    pub summary: String,
    /// Size of a built-in scene.
    pub size: Option<u32>,
    /// Version of the numbering of drawn vertices.
    pub version: u32,
    /// The bodies.
    pub bodies: Vec<RenderBody>,
    /// The colliders.
    pub colliders: Vec<RenderCollider>,
    /// Corners of the bounding box of all bodies and finite colliders at the start \[m\].
    pub bounds: [[f32; 3]; 2],
    /// Number of simulated vertices.
    pub vertices: u32,
    /// Number of simulated elements.
    pub elements: u32,
    /// All solvers, with those that refuse this scene.
    pub solvers: Vec<SolverInfo>,
    /// Defects and repairs of meshes from files, in words.
    pub notes: Vec<String>,
    /// The settings.
    pub settings: Settings,
}

/// Kind of a drawn body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// A sheet, visible from both sides.
    #[default]
    Cloth,
    /// A soft solid.
    Solid,
    /// A thread or rope.
    Strand,
    /// A net of springs.
    Springs,
    /// A rigid body.
    Rigid,
    /// A kinematic body that moves and deforms along key frames.
    Animated,
}

/// A drawn body. Its vertices are consecutive in the list of all drawn vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RenderBody {
    /// Name of the body.
    pub name: String,
    /// Kind of the body.
    pub kind: BodyKind,
    /// Its first drawn vertex.
    pub first_vertex: u32,
    /// Number of its drawn vertices.
    pub vertex_count: u32,
    /// Triangles, by drawn vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Line segments, by drawn vertices.
    pub segments: Vec<[u32; 2]>,
    /// Texture coordinates of its drawn vertices; empty if there are none.
    pub uvs: Vec<[f32; 2]>,
    /// For each drawn vertex, the first one at the same position on a seam; empty if there are no seams.
    /// Normals should be accumulated over these.
    pub welds: Vec<u32>,
    /// Thickness of its lines or cloth \[m\].
    pub thickness: f32,
    /// Colours and pattern that the scene sets.
    pub appearance: RenderAppearance,
}

/// Colours of a drawn body, sRGB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RenderAppearance {
    /// Colour; by the number of the body without one.
    pub color: Option<[u8; 3]>,
    /// Colour of the back of a cloth.
    pub back: Option<[u8; 3]>,
    /// Pattern along the texture coordinates, on both sides.
    pub pattern: Option<RenderPattern>,
}

/// A pattern of two colours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RenderPattern {
    /// Kind of the pattern.
    pub kind: PatternKind,
    /// Second colour, sRGB.
    pub color: [u8; 3],
    /// Periods along u and along v.
    pub repeat: [f32; 2],
}

/// A drawn collider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RenderCollider {
    /// Name of the collider.
    pub name: String,
    /// Vertices at the start \[m\], x y z one after the other.
    pub positions: Vec<f32>,
    /// Triangles, by its own vertices.
    pub triangles: Vec<[u32; 3]>,
    /// True if it does not move.
    pub is_static: bool,
    /// True if it is a finite part of an infinite plane.
    pub infinite: bool,
    /// True if it is smooth: drawn without edges.
    pub smooth: bool,
    /// True if it is closed, so that only its outside is visible.
    pub closed: bool,
    /// Colour that the scene sets, sRGB.
    pub color: Option<[u8; 3]>,
}

/// A solver and its compatibility with the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverInfo {
    /// Name of the solver.
    pub name: String,
    /// One-line summary.
    pub summary: String,
    /// Reason why it cannot run this scene, in words; none if it can.
    pub refusal: Option<String>,
}

/// Settings and their values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The running solver.
    pub solver: SolverChoice,
    /// The second solver, if two are compared.
    pub second_solver: Option<SolverChoice>,
    /// Time step from one frame to the next \[s\].
    pub time_step: f64,
    /// Gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Mean velocity of the air \[m/s\].
    pub wind: [f64; 3],
    /// Strength of gusts as a fraction of the mean velocity.
    pub gust: f64,
    /// Maximum simulated seconds per second.
    pub speed: f64,
    /// Pinned drawn vertices.
    pub pinned: Vec<u32>,
    /// Parameters of the solver and of the materials.
    pub parameters: Vec<Parameter>,
}

/// An adjustable parameter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name in commands, such as `solver.iterations` or `cloth[0].young`.
    pub id: String,
    /// Label for users.
    pub label: String,
    /// Meaning, in a few words; empty if the label says it.
    pub tip: String,
    /// Unit; empty if it has none.
    pub unit: String,
    /// Current value.
    pub value: f64,
    /// Smallest and largest sensible value.
    pub range: [f64; 2],
    /// True if a slider should be logarithmic.
    pub logarithmic: bool,
    /// True if the value is an integer.
    pub is_integer: bool,
    /// Names of the values 0, 1, … of a choice; empty for numbers.
    pub choices: Vec<String>,
    /// Owner of the parameter.
    pub owner: Owner,
}

/// Owner of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Owner {
    /// The solver.
    #[default]
    Solver,
    /// The material of the body with this number.
    Body(u32),
}
