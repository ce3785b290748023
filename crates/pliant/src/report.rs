//! Report of a step: stages and their times, warnings, energies, contacts and tears.

use std::fmt;

use crate::contact::ContactReport;
use crate::linalg::FactorUpdate;
use crate::topology::tear::TearReport;

/// Stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Validation of the state, which the user may have changed.
    Validate,
    /// Forces, damping and the predicted positions `s = x + h v + h² M⁻¹ f`.
    Predict,
    /// Existing intersections and contact detection.
    Collide,
    /// Solver.
    Solve,
    /// Contact work after the solve: post-solve contacts, restitution, depenetration, friction anchors.
    PostSolveContact,
    /// Velocities from positions, damping, strain limits.
    Velocity,
    /// Rollback of invalid bodies, plastic flow, energies, verification of intersections, tearing.
    Finish,
    /// Companion run of the adaptive solver, which measures the error.
    Estimate,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 8] = [
        Self::Validate,
        Self::Predict,
        Self::Collide,
        Self::Solve,
        Self::PostSolveContact,
        Self::Velocity,
        Self::Finish,
        Self::Estimate,
    ];
}

/// Problem that occurred in a step and was handled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Warning {
    /// A body's state was infinite or NaN before the step; the body was rolled back.
    NonFiniteInput {
        /// Index of the body.
        body: usize,
        /// First such vertex.
        vertex: usize,
    },
    /// A body's state became infinite or NaN in the step; the body was rolled back.
    NonFiniteResult {
        /// Index of the body.
        body: usize,
        /// First such vertex.
        vertex: usize,
    },
    /// A body's motion in the step exceeded the bound; the body was rolled back.
    Unbounded {
        /// Index of the body.
        body: usize,
        /// First vertex that moved too far.
        vertex: usize,
    },
    /// A solver that iterates to a tolerance did not reach it.
    NotConverged {
        /// Iterations taken.
        iterations: usize,
        /// Remaining residual \[N\].
        residual: f64,
    },
    /// The substeps of an explicit solver are too long for the stiffest part of the model. Reported once, by
    /// the first step after the solver was prepared.
    StepTooLong {
        /// Number of substeps of a step.
        substeps: usize,
        /// Number of substeps that a stable step needs.
        required: usize,
    },
    /// Surfaces intersect at the end of a step in intersection-free mode, although none did at its start:
    /// kinematic motion forced them to.
    Intersections {
        /// Number of edges that cross triangles.
        edges: usize,
    },
    /// The error of the adaptive solver grows faster than its tolerance. Reported once in a second.
    AccuracyNotMet {
        /// Error gained in a second, relative to the size of the bodies [1/s].
        rate: f64,
        /// Tolerance [1/s].
        tolerance: f64,
    },
    /// The solver does not support the model that a tear would give; nothing tore.
    TearRejected {
        /// Number of edges that would have torn.
        edges: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NonFiniteInput { body, vertex } => write!(
                f,
                "body {body}, vertex {vertex}: not finite before the step; the body was rolled \
                 back to its last valid state, with zero velocity"
            ),
            Self::NonFiniteResult { body, vertex } => write!(
                f,
                "body {body}, vertex {vertex}: not finite after the step; the body was rolled \
                 back, with zero velocity (use a shorter time step or a softer material)"
            ),
            Self::Unbounded { body, vertex } => write!(
                f,
                "body {body}, vertex {vertex}: displacement too large in one step; the body was \
                 rolled back, with zero velocity (use a shorter time step or a softer material)"
            ),
            Self::NotConverged { iterations, residual } => write!(
                f,
                "the solver did not converge: residual {residual:.3e} N after {iterations} \
                 iterations (use more iterations or substeps)"
            ),
            Self::StepTooLong { substeps, required } => write!(
                f,
                "{substeps} explicit substeps are unstable for the stiffest elements of the model; \
                 use at least {required} substeps or an implicit solver"
            ),
            Self::Intersections { edges } => write!(
                f,
                "kinematic motion forced surfaces to intersect: {edges} edges cross triangles; \
                 they are separated gradually (leave more clearance between kinematic bodies, \
                 colliders and pins)"
            ),
            Self::AccuracyNotMet { rate, tolerance } => write!(
                f,
                "the error grows by {:.2} % of the body's size per second, more than the tolerance \
                 of {:.2} % (allow more substeps or iterations, or a larger tolerance)",
                100.0 * rate,
                100.0 * tolerance
            ),
            Self::TearRejected { edges } => write!(
                f,
                "{edges} edges exceed the tear limit, but the solver does not support the torn \
                 model; nothing tore (use another solver)"
            ),
        }
    }
}

/// Accuracy of the adaptive solver, measured by a companion run with half the substeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AccuracyReport {
    /// Estimate of the error of positions (root mean square) that was gained since the companion started, relative to
    /// the size of the bodies.
    pub error: f64,
    /// Time since the companion started \[s\], a second at most.
    pub time: f64,
    /// Error gained in a second, relative to the size of the bodies [1/s].
    pub rate: f64,
    /// Tolerance [1/s].
    pub tolerance: f64,
    /// Number of substeps of the step.
    pub substeps: usize,
    /// Number of iterations of the companion.
    pub estimate_iterations: usize,
}

/// Report of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of steps taken so far.
    pub step: u64,
    /// Time at the end of the step \[s\].
    pub time: f64,
    /// Time spent in each stage \[s\], in the order of [`Stage::ALL`].
    pub seconds: [f64; Stage::ALL.len()],
    /// Number of solver iterations, over all substeps.
    pub iterations: usize,
    /// Norm of the unbalanced force that the last iteration found \[N\].
    pub residual: f64,
    /// Kinetic energy \[J\].
    pub kinetic_energy: f64,
    /// Elastic energy \[J\].
    pub elastic_energy: f64,
    /// Potential energy of gravity \[J\], zero at the origin.
    pub potential_energy: f64,
    /// Accuracy, under the adaptive solver.
    pub accuracy: Option<AccuracyReport>,
    /// Contacts.
    pub contacts: ContactReport,
    /// Update of a factor that depends on contacts in the last substep, if the solver has one.
    pub factor_update: Option<FactorUpdate>,
    /// Tears and cuts at the end of the step.
    pub tears: TearReport,
    /// Problems that were handled.
    pub warnings: Vec<Warning>,
}

impl StepReport {
    /// First warning, if any.
    pub fn warning(&self) -> Option<Warning> {
        self.warnings.first().copied()
    }

    /// Time spent in a stage \[s\].
    pub fn seconds_in(&self, stage: Stage) -> f64 {
        self.seconds[stage as usize]
    }

    /// Sum of kinetic, elastic and potential energy \[J\].
    pub fn total_energy(&self) -> f64 {
        self.kinetic_energy + self.elastic_energy + self.potential_energy
    }
}
