//! Commands of a user interface.

use serde::{Deserialize, Serialize};

/// A command of the user interface. A command that cannot be executed is answered by
/// [`Event::Error`](super::Event::Error) and changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Load a built-in scene by its name, as `pliant list scenes` shows it.
    LoadScene {
        /// Name of the scene; dashes count as underscores.
        name: String,
        /// Vertices or cells along one side; the scene's default unless given.
        size: Option<u32>,
    },
    /// Load a scene from the text of a scene file, or from a shared one.
    LoadText {
        /// Name of the file, for messages.
        file: String,
        /// Text of the file (TOML).
        text: String,
    },
    /// Load a dropped mesh above a ground.
    LoadMesh {
        /// Name of the file; its extension gives the format.
        file: String,
        /// Contents of the file.
        bytes: Vec<u8>,
        /// Kind of body to create from it.
        role: MeshRole,
    },
    /// Run continuously.
    Play,
    /// Pause.
    Pause,
    /// Take one step forward; a running simulation pauses after it.
    Step,
    /// Go one recorded step back; a running simulation pauses after it.
    StepBack,
    /// Go to a recorded step, for a slider; see [`Frame::recorded_steps`](super::Frame::recorded_steps). A
    /// running simulation pauses after it.
    Seek {
        /// The step.
        step: u64,
    },
    /// Discard the steps and actions recorded after the present step, so that they are not replayed.
    ForgetFuture,
    /// Return to the start of the scene, with the present settings and without the actions on it (pins,
    /// balls, cuts).
    Reset,
    /// Set the maximum simulated time per second of real time; 1 at first, infinite for as fast as
    /// possible.
    Speed {
        /// Simulated seconds per second.
        speed: f64,
    },
    /// Change the solver and continue from the same state.
    Solver(SolverChoice),
    /// Change the time step \[s\].
    TimeStep {
        /// Time from one frame to the next \[s\].
        dt: f64,
    },
    /// Change gravity.
    Gravity {
        /// Acceleration \[m/s²\].
        g: [f64; 3],
    },
    /// Change or end the wind.
    Wind {
        /// Mean velocity of the air \[m/s\]; zero is no wind.
        velocity: [f64; 3],
        /// Strength of gusts as a fraction of the mean velocity.
        gust: f64,
    },
    /// Change parameters, all or none: those of [`Settings::parameters`](super::Settings::parameters).
    Parameters {
        /// Name of each parameter ([`Parameter::id`](super::Parameter::id)) and its new value.
        values: Vec<(String, f64)>,
    },
    /// Grab a drawn vertex.
    Grab {
        /// The vertex.
        vertex: u32,
        /// Position of the pointer \[m\].
        target: [f32; 3],
    },
    /// Move the grabbed vertex.
    Drag {
        /// Position of the pointer \[m\].
        target: [f32; 3],
    },
    /// Release the grabbed vertex.
    Release,
    /// Pin a drawn vertex at its current position.
    Pin {
        /// The vertex.
        vertex: u32,
    },
    /// Release a pinned vertex.
    Unpin {
        /// The vertex.
        vertex: u32,
    },
    /// Throw a ball: a rigid body with two-way interaction.
    Throw {
        /// Initial position of the centre \[m\].
        from: [f32; 3],
        /// Initial velocity \[m/s\].
        velocity: [f32; 3],
        /// Radius \[m\].
        radius: f32,
        /// Density \[kg/m³\].
        density: f32,
    },
    /// Cut cloth and nets along the surface swept by a straight blade.
    Cut {
        /// Ends of the blade at the start of the sweep \[m\].
        from: [[f32; 3]; 2],
        /// Ends of the blade at the end of the sweep \[m\].
        to: [[f32; 3]; 2],
    },
    /// Start a second solver from the present state for comparison, or end it with none.
    Compare(Option<SolverChoice>),
    /// Request the present state as bytes, with everything needed to continue from it.
    Snapshot,
    /// Continue from a saved state.
    LoadSnapshot {
        /// Bytes of [`Event::Snapshot`](super::Event::Snapshot).
        bytes: Vec<u8>,
    },
    /// Request the recorded frames up to now as a binary glTF file.
    ExportGlb,
    /// Request the scene with all its actions as a file that reproduces the run bit for bit.
    Share,
    /// Acknowledge a drawn frame: the session may compute another.
    Ack {
        /// Number of the frame, [`Frame::number`](super::Frame::number).
        frame: u64,
    },
    /// Set the number of threads; one at first, and always in a browser. The results do not change by a
    /// bit.
    Threads {
        /// Number of threads.
        count: u32,
    },
}

/// Body created from a dropped mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeshRole {
    /// A sheet of cotton with the triangles of the mesh.
    Cloth,
    /// A soft solid of tetrahedra that fill the mesh; the mesh follows them.
    Solid,
}

/// A solver and its main settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverChoice {
    /// Name of the solver, one of [`SceneInfo::solvers`](super::SceneInfo::solvers).
    pub name: String,
    /// Iterations per substep; the scene's or the solver's own unless given.
    pub iterations: Option<u32>,
    /// Substeps per frame; the scene's or the solver's own unless given.
    pub substeps: Option<u32>,
}

impl SolverChoice {
    /// A solver with its own default settings.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }
}
