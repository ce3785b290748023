//! Fast Simulation of Mass-Spring Systems: the local/global iteration for springs alone.
//!
//! [`ProjectiveDynamics`] restricted to the elements of the paper: Hookean springs and attachments. The
//! iterates are those of the paper's eq. (14), starting at `y`.

use crate::Error;
use crate::batch::ElementPrecision;
use crate::dynamics::integrator::Integrator;
use crate::parallel::Exec;
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{PreparedSolver, ProjectiveDynamics, Solver, named};
use crate::system::System;

/// Settings of the mass-spring solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassSpring {
    /// Local/global iterations per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Time integration scheme; must be an implicit one.
    pub integrator: Integrator,
}

impl Default for MassSpring {
    fn default() -> Self {
        Self { iterations: 10, substeps: 1, integrator: Integrator::ImplicitEuler }
    }
}

impl HasSettings for MassSpring {
    const SETTINGS: &[Setting<Self>] =
        &[Setting::iterations(|s| &mut s.iterations), Setting::substeps(|s| &mut s.substeps)];
}

impl Solver for MassSpring {
    fn name(&self) -> &'static str {
        named!("mass_spring", self.integrator)
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn integrator(&self) -> Integrator {
        self.integrator
    }

    fn supports_removal(&self) -> bool {
        true
    }

    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        h: f64,
        exec: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        self.integrator.require_implicit(self.name())?;
        for batch in &system.batches {
            if !["spring", "pin"].contains(&batch.name()) {
                return Err(Error::Unsupported {
                    solver: self.name(),
                    what: batch.name(),
                    remedy: "it runs springs and pins only; use projective, which runs every \
                        element",
                });
            }
        }
        ProjectiveDynamics { iterations: self.iterations, ..Default::default() }
            .prepare(system, h, exec)
    }
}
