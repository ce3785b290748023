//! What a step says about itself.

use std::fmt;

use crate::contact::ContactReport;
use crate::linalg::Followed;
use crate::tear::TearReport;

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Look at the state that the user may have changed.
    Validate,
    /// Forces, damping and the inertial guess `s = x + h v + h² M⁻¹ f`.
    Predict,
    /// Find contacts.
    Collide,
    /// Run the solver.
    Solve,
    /// Velocities from positions, their damping, strain limits.
    Velocity,
    /// Keep what is finite, roll back what is not, sum up.
    Finish,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 6] =
        [Self::Validate, Self::Predict, Self::Collide, Self::Solve, Self::Velocity, Self::Finish];
}

/// Something that went wrong in a step and was dealt with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Warning {
    /// A body's state held an infinite number or NaN before the step; it was set back.
    NotFiniteBefore {
        /// The body.
        body: usize,
        /// The first such vertex.
        vertex: usize,
    },
    /// A body's state became infinite or NaN in the step; it was set back.
    NotFiniteAfter {
        /// The body.
        body: usize,
        /// The first such vertex.
        vertex: usize,
    },
    /// A body flew apart in the step; it was set back.
    Unbounded {
        /// The body.
        body: usize,
        /// The first vertex that moved too far.
        vertex: usize,
    },
    /// A solver that iterates to a tolerance did not reach it.
    NotConverged {
        /// Iterations taken.
        iterations: usize,
        /// What is left of the residual \[N\].
        residual: f64,
    },
    /// The substeps of an explicit solver are too long for the stiffest part of the model. Told once,
    /// by the first step after the solver was made ready.
    StepTooLong {
        /// Substeps that a step is made of.
        substeps: usize,
        /// Substeps that it needs.
        needed: usize,
    },
    /// Surfaces cross at the end of a step in offline mode: what moves as prescribed left them no room.
    Crossing {
        /// Edges that cross triangles.
        edges: usize,
    },
    /// The solver cannot run what a tear would leave; nothing tore.
    NotTorn {
        /// Edges that would have given way.
        edges: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFiniteBefore { body, vertex } => write!(
                f,
                "body {body}, vertex {vertex}: the state was not finite before the step; \
                 the body was set back to its last good state and stopped"
            ),
            Self::NotFiniteAfter { body, vertex } => write!(
                f,
                "body {body}, vertex {vertex}: the step gave a position that is not finite; \
                 the body was set back and stopped (try a smaller step or softer material)"
            ),
            Self::Unbounded { body, vertex } => write!(
                f,
                "body {body}, vertex {vertex}: moved too far in one step; \
                 the body was set back and stopped (try a smaller step or softer material)"
            ),
            Self::NotConverged { iterations, residual } => write!(
                f,
                "the solver stopped after {iterations} iterations with residual {residual:.3e} N"
            ),
            Self::StepTooLong { substeps, needed } => write!(
                f,
                "explicit steps this long are unstable for the stiffest part of the model: \
                 it needs {needed} substeps instead of {substeps} (or an implicit solver)"
            ),
            Self::Crossing { edges } => write!(
                f,
                "{edges} edges cross triangles: what moves as prescribed left surfaces no room; they are \
                 drawn apart from now on (leave more room between what moves)"
            ),
            Self::NotTorn { edges } => write!(
                f,
                "{edges} edges should have given way, but the solver cannot run what that would leave; \
                 nothing tore (try another solver)"
            ),
        }
    }
}

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Steps taken so far.
    pub step: u64,
    /// Time at the end of the step \[s\].
    pub time: f64,
    /// Time spent in each stage \[s\], in the order of [`Stage::ALL`].
    pub seconds: [f64; 6],
    /// Solver iterations, over all substeps.
    pub iterations: usize,
    /// Norm of the force that the last iteration found unbalanced \[N\].
    pub residual: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Elastic energy \[J\].
    pub elastic: f64,
    /// Potential energy of gravity \[J\], zero at the origin.
    pub potential: f64,
    /// What touched.
    pub contacts: ContactReport,
    /// How a factor that follows contacts was brought up to date in the last substep, if there is one.
    pub followed: Option<Followed>,
    /// What tore or was cut at the end of the step.
    pub tears: TearReport,
    /// What went wrong and was dealt with.
    pub warnings: Vec<Warning>,
}

impl StepReport {
    /// The first warning, if any.
    pub fn warning(&self) -> Option<Warning> {
        self.warnings.first().copied()
    }

    /// Time spent in a stage \[s\].
    pub fn seconds_in(&self, stage: Stage) -> f64 {
        self.seconds[stage as usize]
    }

    /// Kinetic, elastic and potential energy together \[J\].
    pub fn energy(&self) -> f64 {
        self.kinetic + self.elastic + self.potential
    }
}
