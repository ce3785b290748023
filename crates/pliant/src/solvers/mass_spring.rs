//! Fast Simulation of Mass-Spring Systems: the local/global iteration for springs alone.
//!
//! The machine of [`ProjectiveDynamics`] restricted to what the paper has: Hookean springs and
//! attachments. Its iterates are those of the paper's eq. (14), started at `y`.

use super::{ProjectiveDynamics, Solver, Stepper};
use crate::Error;
use crate::parallel::Exec;
use crate::system::{Precision, System};

/// Settings of the mass-spring solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassSpring {
    /// Local/global iterations per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
}

impl Default for MassSpring {
    fn default() -> Self {
        Self { iterations: 10, substeps: 1 }
    }
}

impl Solver for MassSpring {
    fn name(&self) -> &'static str {
        "mass_spring"
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        h: f64,
        exec: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        for batch in &system.batches {
            if !["spring", "pin"].contains(&batch.name()) {
                return Err(Error::Unsupported {
                    solver: self.name(),
                    what: batch.name(),
                    remedy: "it knows springs and pins alone; use projective, which runs every element",
                });
            }
        }
        ProjectiveDynamics { iterations: self.iterations, ..Default::default() }
            .prepare(system, h, exec)
    }
}
