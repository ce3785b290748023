//! What there is to draw and to set.

use serde::{Deserialize, Serialize};

use super::command::SolverChoice;

/// A loaded scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SceneInfo {
    /// Its name.
    pub name: String,
    /// One line on what it shows.
    pub summary: String,
    /// The size that it was built at, where it is a built-in one.
    pub size: Option<u32>,
    /// The version of the numbering of drawn vertices.
    pub version: u32,
    /// The bodies.
    pub bodies: Vec<DrawnBody>,
    /// What they collide with.
    pub colliders: Vec<DrawnCollider>,
    /// The corners of a box around all bodies and colliders that end somewhere, at the start \[m\].
    pub bounds: [[f32; 3]; 2],
    /// Vertices that are simulated.
    pub vertices: u32,
    /// Elements that are simulated.
    pub elements: u32,
    /// All solvers, and which of them refuse this scene.
    pub solvers: Vec<SolverInfo>,
    /// What was found and repaired in meshes from files, in words.
    pub notes: Vec<String>,
    /// What can be set.
    pub settings: Settings,
}

/// What a drawn body is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// A sheet: both sides are seen.
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
    /// A body that moves and deforms as it is told.
    Animated,
}

/// A body as it is drawn. Its vertices stand one after the other in the list of all drawn vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrawnBody {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: BodyKind,
    /// Its first drawn vertex.
    pub first: u32,
    /// How many drawn vertices it has.
    pub count: u32,
    /// Its triangles, by drawn vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Its lines, by drawn vertices.
    pub segments: Vec<[u32; 2]>,
    /// Texture coordinates of its drawn vertices; empty where there are none.
    pub uvs: Vec<[f32; 2]>,
    /// Of drawn vertices that stand at the same place at a seam, the first of them; empty where there
    /// are none. Normals should be added up over these.
    pub welds: Vec<u32>,
    /// How thick its lines are, or its cloth \[m\].
    pub thickness: f32,
}

/// A collider as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrawnCollider {
    /// Its name.
    pub name: String,
    /// Its vertices at the start \[m\], x y z one after the other.
    pub positions: Vec<f32>,
    /// Its triangles, by its own vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Whether it stands still.
    pub still: bool,
    /// Whether it is a part of a plane without end.
    pub endless: bool,
    /// Whether it is smooth: drawn without edges.
    pub round: bool,
    /// Whether only its outside can be seen.
    pub closed: bool,
}

/// A solver and whether it runs the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverInfo {
    /// Its name.
    pub name: String,
    /// One line on it.
    pub summary: String,
    /// Why it cannot run this scene, in words; none where it can.
    pub refusal: Option<String>,
}

/// What can be set, and what it is set to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The solver that runs.
    pub solver: SolverChoice,
    /// The second solver, where two are compared.
    pub rival: Option<SolverChoice>,
    /// Time from one frame to the next \[s\].
    pub time_step: f64,
    /// Gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Mean velocity of the air \[m/s\].
    pub wind: [f64; 3],
    /// Strength of gusts in parts of the mean.
    pub gust: f64,
    /// Simulated seconds per second, at most.
    pub speed: f64,
    /// Drawn vertices that are held.
    pub pinned: Vec<u32>,
    /// Numbers of the solver and of the materials.
    pub parameters: Vec<Parameter>,
}

/// A number that can be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name in commands, such as `solver.iterations` or `cloth[0].young`.
    pub id: String,
    /// What it is, for users.
    pub label: String,
    /// Its unit, empty where it has none.
    pub unit: String,
    /// What it is set to.
    pub value: f64,
    /// The smallest and the largest sensible value.
    pub range: [f64; 2],
    /// Whether a slider should move by powers of ten.
    pub logarithmic: bool,
    /// Whether it is a whole number.
    pub whole: bool,
    /// What it belongs to.
    pub owner: Owner,
}

/// What a parameter belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Owner {
    /// The solver.
    #[default]
    Solver,
    /// The material of the body of this number.
    Body(u32),
}
