//! One picture: where everything is, and what the step said about itself.

use serde::{Deserialize, Serialize};

use super::scene::DrawnBody;

/// What is to be seen at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Counts all frames that were sent, for [`Command::Ack`](super::Command::Ack).
    pub number: u64,
    /// The version of the numbering of drawn vertices that it is meant for.
    pub version: u32,
    /// Steps since the start of the scene.
    pub step: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// The hash of every bit of the state.
    pub hash: u64,
    /// The first and the last recorded step; the last is after the present one where the user went back.
    pub recorded: [u64; 2],
    /// Whether what the user did before going back is being played again; it ends at the last recorded
    /// step, with the next thing that the user does, or with `ForgetFuture`.
    pub replaying: bool,
    /// Positions of all drawn vertices \[m\], x y z one after the other.
    pub positions: Vec<f32>,
    /// The stretch of each drawn vertex, for colouring: the largest relative change of length of the
    /// edges at it. Negative where that is shorter.
    pub strain: Vec<f32>,
    /// The smallest and the largest of them.
    pub strain_range: [f32; 2],
    /// Where things touch.
    pub contacts: Vec<ContactPoint>,
    /// How many contacts there are in all: the list above ends at a thousand.
    pub counts: Counts,
    /// Of each collider, in the scene's order, three rows of four numbers that take its drawn vertices
    /// from the start of the scene to now.
    pub colliders: Vec<[f32; 12]>,
    /// What the user has in the hand.
    pub grabbed: Option<Grabbed>,
    /// Energies \[J\].
    pub energy: Energy,
    /// Norm of the force that the solver left unbalanced \[N\]; NaN of solvers that have none.
    pub residual: f64,
    /// Iterations that the solver took, over all substeps.
    pub iterations: u32,
    /// Time that the step took \[ms\].
    pub ms: f64,
    /// Time spent in each stage of the step \[s\]: validate, predict, collide, solve, velocity, finish.
    pub stages: [f64; 6],
    /// What went wrong in the step and was dealt with, in words.
    pub warnings: Vec<String>,
    /// The second solver, where two are compared.
    pub rival: Option<Box<Rival>>,
}

/// A place where things touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactPoint {
    /// Where \[m\].
    pub point: [f32; 3],
    /// The direction of the force, of length one.
    pub normal: [f32; 3],
}

/// How much touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Contacts with colliders.
    pub colliders: u32,
    /// Contacts between bodies, and of bodies with themselves.
    pub pairs: u32,
    /// Pairs of features that pass each other all the same.
    pub unresolved: u32,
    /// The deepest that a contact is \[m\].
    pub deepest: f64,
}

/// What the user has in the hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grabbed {
    /// The drawn vertex.
    pub vertex: u32,
    /// Where the pointer is \[m\].
    pub target: [f32; 3],
}

/// Energies of everything \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of deformation.
    pub elastic: f64,
    /// Of gravity, zero at the origin.
    pub potential: f64,
}

/// The second of two solvers that run side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// Its name.
    pub solver: String,
    /// The hash of every bit of its state.
    pub hash: u64,
    /// Positions of all drawn vertices \[m\], in the numbering of `bodies`.
    pub positions: Vec<f32>,
    /// What is drawn of it, where it has torn in another way than the first; empty where all is drawn as
    /// the first.
    pub bodies: Vec<DrawnBody>,
    /// The stretch of each drawn vertex.
    pub strain: Vec<f32>,
    /// Energies \[J\].
    pub energy: Energy,
    /// Norm of the force that the solver left unbalanced \[N\].
    pub residual: f64,
    /// Iterations that the solver took.
    pub iterations: u32,
    /// Time that the step took \[ms\].
    pub ms: f64,
    /// What went wrong in its step and was dealt with, in words.
    pub warnings: Vec<String>,
    /// How far the two are apart at most \[m\].
    pub apart: f64,
    /// How far both are from the converged solution, where that has just become known.
    pub comparison: Option<Comparison>,
}

/// Two solvers against the converged solution of one and the same step.
///
/// The step is the one that the first simulation takes next, as one implicit Euler step without
/// contacts. Both solvers solve it from the same start in double precision, with their iterations, in
/// one substep; the reference is Newton's method until it hardly lowers the objective any more, so errors
/// below about 1e-5 mean nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The step after which the two were compared; the frame that tells it may come many steps later,
    /// because the reference takes its time.
    pub step: u64,
    /// The error of the first and of the second solver: `(g(x) − g(x*)) / (g(s) − g(x*))` with the
    /// objective `g` of implicit Euler, the converged `x*` and the inertial guess `s` (Fast Simulation of
    /// Mass-Spring Systems, eq. 15). One is no progress, zero is converged. NaN where a solver has none.
    pub errors: [f64; 2],
    /// The largest distance of a vertex from the converged solution \[m\].
    pub distances: [f64; 2],
    /// Steps since the comparison before: it is given a quarter of the time.
    pub every: u32,
    /// What a reader must know of these numbers, in words.
    pub note: String,
}
