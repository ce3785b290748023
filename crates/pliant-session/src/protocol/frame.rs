//! One frame: the positions of all geometry, and the statistics of the step.

use serde::{Deserialize, Serialize};

use super::scene::RenderBody;

/// State of the picture at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Number of frames sent so far, for [`Command::Ack`](super::Command::Ack).
    pub number: u64,
    /// Version of the numbering of drawn vertices for which it is valid.
    pub version: u32,
    /// Steps since the start of the scene.
    pub step: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Hash of every bit of the state.
    pub hash: u64,
    /// First and last recorded step; the last is after the present one if the user went back.
    pub recorded_steps: [u64; 2],
    /// True while earlier actions are replayed after going back; the replay ends at the last recorded step,
    /// with the next action of the user, or with `ForgetFuture`.
    pub replaying: bool,
    /// Positions of all drawn vertices \[m\], x y z one after the other.
    pub positions: Vec<f32>,
    /// Strain of each drawn vertex, for colouring: of the edges at it, the relative length change of
    /// largest magnitude. Negative for compression.
    pub strain: Vec<f32>,
    /// Smallest and largest strain.
    pub strain_range: [f32; 2],
    /// Contact points, at most a thousand.
    pub contacts: Vec<ContactPoint>,
    /// Number of contacts in total: the list above ends at a thousand.
    pub counts: ContactCounts,
    /// Transform of each collider, in the scene's order: three rows of four numbers that map its drawn
    /// vertices from the start of the scene to now.
    pub colliders: Vec<[f32; 12]>,
    /// The grabbed vertex, if any.
    pub grabbed: Option<Grabbed>,
    /// Energies \[J\].
    pub energy: Energy,
    /// Norm of the residual force \[N\]; NaN for solvers that have none.
    pub residual: f64,
    /// Solver iterations, over all substeps.
    pub iterations: u32,
    /// Time of the step \[ms\].
    pub ms: f64,
    /// Time of each stage of the step \[s\]: validate, predict, collide, solve, contact, velocity, finish,
    /// estimate of the error.
    pub stage_seconds: [f64; 8],
    /// Warnings of the step, in words.
    pub warnings: Vec<String>,
    /// State of the second solver, if two are compared.
    pub second_sim: Option<Box<SecondSimFrame>>,
}

/// A contact point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactPoint {
    /// Position \[m\].
    pub point: [f32; 3],
    /// Direction of the force, of unit length.
    pub normal: [f32; 3],
}

/// Numbers of contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactCounts {
    /// Contacts with colliders.
    pub colliders: u32,
    /// Contacts between bodies, including self-contacts.
    pub pairs: u32,
    /// Pairs of features that cross nevertheless.
    pub unresolved_crossings: u32,
    /// Largest penetration \[m\].
    pub max_penetration: f64,
}

/// The grabbed vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grabbed {
    /// The drawn vertex.
    pub vertex: u32,
    /// Position of the pointer \[m\].
    pub target: [f32; 3],
}

/// Total energies \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy.
    pub elastic: f64,
    /// Gravitational potential energy, zero at the origin.
    pub potential: f64,
}

/// The second of two solvers that run side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SecondSimFrame {
    /// Name of the solver.
    pub solver: String,
    /// Hash of every bit of its state.
    pub hash: u64,
    /// Positions of all drawn vertices \[m\], in the numbering of `bodies`.
    pub positions: Vec<f32>,
    /// Its drawn bodies, if it has torn differently from the first; empty if they are the same.
    pub bodies: Vec<RenderBody>,
    /// Strain of each drawn vertex.
    pub strain: Vec<f32>,
    /// Energies \[J\].
    pub energy: Energy,
    /// Norm of the residual force \[N\].
    pub residual: f64,
    /// Solver iterations.
    pub iterations: u32,
    /// Time of the step \[ms\].
    pub ms: f64,
    /// Warnings of its step, in words.
    pub warnings: Vec<String>,
    /// Maximum distance between corresponding vertices of the two solvers \[m\].
    pub max_separation: f64,
    /// Errors of both solvers against the converged solution, if newly available.
    pub comparison: Option<Comparison>,
}

/// Errors of two solvers against the converged solution of the same step.
///
/// The step is the next step of the first simulation, as one implicit Euler step without contacts. Both
/// solvers solve it from the same start in double precision, with their own iterations, in one substep. The
/// reference is Newton's method until it hardly lowers the objective any more, so that errors below about
/// 1e-5 are not meaningful.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Step after which the two were compared; the frame that reports it may come many steps later, because
    /// the reference takes longer than a frame.
    pub step: u64,
    /// Error of the first and of the second solver: `(g(x) − g(x*)) / (g(s) − g(x*))` with the objective
    /// `g` of implicit Euler, the converged `x*` and the inertial prediction `s` (Fast Simulation of
    /// Mass-Spring Systems, eq. 15). One is no progress, zero is converged. NaN for solvers without such an
    /// error.
    pub errors: [f64; 2],
    /// The largest distance of a vertex from the converged solution \[m\].
    pub distances: [f64; 2],
    /// Steps since the previous comparison: measuring gets a quarter of the time.
    pub steps_since_last: u32,
    /// Remarks on these numbers, in words.
    pub note: String,
}
