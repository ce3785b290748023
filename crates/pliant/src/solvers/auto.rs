//! Adaptive solver: Projective Dynamics' machinery with the substeps and iterations that an accuracy needs.
//!
//! * **Problem.** Each substep minimises `1/2τ² ‖x − s‖²_M + E(x)`, with the exact energy of every element and, where
//!   nothing can collide, the second-order integrator BDF2.
//! * **Iterations.** Local steps and the prefactored global matrix, accelerated by secants that are kept over the
//!   substeps of a frame (`projective/adaptive.rs`), until the remaining error is small in the norm of the matrix.
//! * **Substeps.** A companion runs the same frames with half the substeps. The difference of both is the error of the
//!   companion, so that a fixed fraction of it is the error of the run (`simulation/accuracy.rs`). The number of
//!   substeps is doubled where it grows faster than the tolerance allows, and halved where it hardly grows.
//!
//! Nothing depends on a clock: results are the same on every machine, and a restored snapshot continues bit for bit.

use crate::Error;
use crate::batch::ElementPrecision;
use crate::dynamics::integrator::Integrator;
use crate::model::Model;
use crate::parallel::Exec;
use crate::solvers::projective;
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{PreparedSolver, ProjectiveDynamics, Solver, named};
use crate::system::System;

/// Settings of the adaptive solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Auto {
    /// Error that positions may gain in a second, relative to the size of their body [1/s].
    pub tolerance: f64,
    /// Maximum number of iterations per substep.
    pub iterations: usize,
    /// Maximum number of substeps per frame.
    pub substeps: usize,
    /// Maximum number of iterations per frame, those of the error estimate included; 0: no limit.
    pub budget: usize,
    /// Time integration scheme, an implicit one; `None`: chosen by the model.
    pub integrator: Option<Integrator>,
}

impl Default for Auto {
    fn default() -> Self {
        Self { tolerance: 0.01, iterations: 20, substeps: 32, budget: 0, integrator: None }
    }
}

impl Auto {
    /// Number of substeps of the first frame.
    const FIRST_SUBSTEPS: usize = 4;
    /// Smallest number of substeps per frame. The companion has half of them.
    pub(crate) const MIN_SUBSTEPS: usize = 2;
    /// Error of a substep's iterations, relative to what the tolerance allows over the substep.
    const ITERATION_SHARE: f64 = 0.1;

    /// Number of substeps of the first frame.
    pub(crate) fn first_substeps(&self) -> usize {
        Self::FIRST_SUBSTEPS.min(self.substeps).max(Self::MIN_SUBSTEPS)
    }
}

impl HasSettings for Auto {
    const SETTINGS: &[Setting<Self>] = &[
        Setting::number(
            "tolerance",
            "1/s",
            "error that positions may gain in a second, relative to the size of their body",
            0.1,
            |s| Some(&mut s.tolerance),
        ),
        Setting::iterations(|s| &mut s.iterations),
        Setting::count("substeps", "maximum number of substeps per frame", [1.0, 1000.0], |s| {
            &mut s.substeps
        }),
        Setting::count(
            "budget",
            "maximum number of iterations per frame, those of the error estimate included; 0: no limit",
            [0.0, 10_000.0],
            |s| &mut s.budget,
        ),
    ];
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        match self.integrator {
            Some(integrator) => named!("auto", integrator),
            None => "auto",
        }
    }

    fn substeps(&self) -> usize {
        self.first_substeps()
    }

    fn integrator(&self) -> Integrator {
        self.integrator.unwrap_or_default()
    }

    /// BDF2 where nothing can collide: impacts make velocities jump, which a two-step method continues as an
    /// acceleration.
    fn integrator_for(&self, model: &Model) -> Integrator {
        let smooth = !model.can_collide() && model.rigid_bodies().next().is_none();
        let suitable = if smooth { Integrator::Bdf2 } else { Integrator::ImplicitEuler };
        self.integrator.unwrap_or(suitable)
    }

    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        self.integrator().require_implicit(self.name())?;
        let settings =
            ProjectiveDynamics { iterations: self.iterations, ..ProjectiveDynamics::default() };
        let bodies = system.model.bodies().iter();
        let sizes = bodies
            .filter(|body| body.rigid_frame.is_none())
            .map(|body| system.model.body_size(body));
        let size = sizes.filter(|&size| size > 0.0).fold(f64::INFINITY, f64::min);
        let size = if size.is_finite() { size } else { 1.0 };
        let max_error = Self::ITERATION_SHARE * self.tolerance * size * h;
        projective::prepare(settings, Some(max_error), system, h)
    }
}
