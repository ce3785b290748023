//! What a user interface asks for.

use serde::{Deserialize, Serialize};

/// A wish of the user. What cannot be done is answered by [`Event::Error`](super::Event::Error), and
/// everything stays as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Load a built-in scene by its name, as `pliant list scenes` shows it.
    LoadScene {
        /// Its name; dashes count as underscores.
        name: String,
        /// Vertices or cells along one side; the scene's default unless given.
        size: Option<u32>,
    },
    /// Load a scene from the text of a scene file, or from a shared one.
    LoadText {
        /// What the file is called, for messages.
        file: String,
        /// Its text (TOML).
        text: String,
    },
    /// Load a mesh that was dropped, above a ground.
    LoadMesh {
        /// What the file is called; its ending says the format.
        file: String,
        /// Its bytes.
        bytes: Vec<u8>,
        /// What to make of it.
        role: MeshRole,
    },
    /// Go on by itself.
    Play,
    /// Stand still.
    Pause,
    /// One step forward; a running simulation stands still after it.
    Step,
    /// One recorded step back; a running simulation stands still after it.
    StepBack,
    /// To a recorded step, for a slider; see [`Frame::recorded`](super::Frame::recorded). A running
    /// simulation stands still after it.
    Seek {
        /// The step.
        step: u64,
    },
    /// Forget what was recorded after the present step, so that it is not played again.
    ForgetFuture,
    /// Back to the start of the scene, with the settings that are chosen now and without what was done
    /// to it (pins, balls, cuts).
    Reset,
    /// How many seconds are simulated in a second, at most; 1 at first, infinite for as fast as possible.
    Pace {
        /// Simulated seconds per second.
        speed: f64,
    },
    /// Go on with another solver, from the same state.
    Solver(SolverChoice),
    /// Change the time from one frame to the next \[s\].
    TimeStep {
        /// Seconds.
        dt: f64,
    },
    /// Change gravity.
    Gravity {
        /// Metres per second squared.
        g: [f64; 3],
    },
    /// Change the wind, or end it.
    Wind {
        /// Mean velocity of the air \[m/s\]; zero is no wind.
        velocity: [f64; 3],
        /// Strength of gusts in parts of the mean.
        gust: f64,
    },
    /// Change parameters, all or none: those of [`Settings::parameters`](super::Settings::parameters).
    Parameters {
        /// The name of each ([`Parameter::id`](super::Parameter::id)) and its new value.
        values: Vec<(String, f64)>,
    },
    /// Take a drawn vertex in the hand.
    Grab {
        /// The vertex.
        vertex: u32,
        /// Where the pointer is \[m\].
        target: [f32; 3],
    },
    /// Move the hand.
    Drag {
        /// Where the pointer is \[m\].
        target: [f32; 3],
    },
    /// Open the hand.
    Release,
    /// Hold a drawn vertex where it is.
    Pin {
        /// The vertex.
        vertex: u32,
    },
    /// Let a pinned vertex go.
    Unpin {
        /// The vertex.
        vertex: u32,
    },
    /// Throw a ball: a rigid body that pushes and is pushed.
    Throw {
        /// Where its centre starts \[m\].
        from: [f32; 3],
        /// Its velocity \[m/s\].
        velocity: [f32; 3],
        /// Its radius \[m\].
        radius: f32,
        /// Its density \[kg/m³\].
        density: f32,
    },
    /// Cut cloth and nets along the surface that a straight blade sweeps from one place to another.
    Cut {
        /// The ends of the blade at first \[m\].
        from: [[f32; 3]; 2],
        /// The ends of the blade at last \[m\].
        to: [[f32; 3]; 2],
    },
    /// Run a second solver beside the first from the present state on, or end it with none.
    Compare(Option<SolverChoice>),
    /// Ask for the present state as bytes, with all that is needed to go on from it.
    Snapshot,
    /// Go on from such bytes.
    LoadSnapshot {
        /// The bytes of [`Event::Snapshot`](super::Event::Snapshot).
        bytes: Vec<u8>,
    },
    /// Ask for the recorded frames up to now as a binary glTF file.
    ExportGlb,
    /// Ask for the scene with everything that was done to it as a file that gives the same again, bit
    /// for bit.
    Share,
    /// This frame was drawn: the session may compute another.
    Ack {
        /// The number of the frame, [`Frame::number`](super::Frame::number).
        frame: u64,
    },
    /// Run on so many threads from now on; one at first, and always in a browser. What is simulated does
    /// not change by a bit.
    Threads {
        /// How many.
        count: u32,
    },
}

/// What a dropped mesh becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeshRole {
    /// A sheet of cotton with its triangles.
    Cloth,
    /// A soft solid: tetrahedra fill it, and the mesh follows them.
    Solid,
}

/// A solver and its main settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverChoice {
    /// Its name, one of [`SceneInfo::solvers`](super::SceneInfo::solvers).
    pub name: String,
    /// Iterations per substep; the scene's or the solver's own unless given.
    pub iterations: Option<u32>,
    /// Substeps per frame; the scene's or the solver's own unless given.
    pub substeps: Option<u32>,
}

impl SolverChoice {
    /// A solver with its own settings.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }
}
