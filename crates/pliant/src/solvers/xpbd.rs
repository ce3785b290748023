//! XPBD (Macklin, Müller and Chentanez 2016): Position Based Dynamics with compliance.
//!
//! Each constraint keeps a Lagrange multiplier over the iterations of a substep, so that its
//! stiffness is the weight of its energy whatever the number of iterations:
//!
//! ```text
//! Δλ = (−C − α̃ λ) / (Σ w |∇C|² + α̃),   α̃ = 1/(k h²),   Δx_i = w_i ∇_iC Δλ
//! ```
//!
//! More iterations do not converge to the implicit Euler solution: the multipliers add up along
//! gradients of different iterates, which leaves a plateau (relative energy gap to Newton at
//! h = 1/60: up to 4e-3 on springs, 1e-2 on nets of edges, 3e-2 on membranes). More substeps do
//! converge, in the sense of a smaller time step, and at equal cost they leave less stretch than
//! more iterations: hence the default of two by ten.

use super::{Memory, Problem, Solved, Solver, Stepper, require_lumped};
use crate::Error;
use crate::parallel::Exec;
use crate::system::{Precision, System};

/// Settings of XPBD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Xpbd {
    /// Iterations per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
}

impl Default for Xpbd {
    fn default() -> Self {
        Self { iterations: 2, substeps: 10 }
    }
}

impl Solver for Xpbd {
    fn name(&self) -> &'static str {
        "xpbd"
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        _: f64,
        _: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        require_lumped(self.name(), system)?;
        let lambda = system.batches.iter().map(|b| vec![S::default(); b.slots()]).collect();
        Ok(Box::new(XpbdStepper { iterations: self.iterations, lambda }))
    }
}

struct XpbdStepper<S> {
    iterations: usize,
    /// The multiplier of each slot of each batch.
    lambda: Vec<Vec<S>>,
}

impl<S: Precision> Stepper<S> for XpbdStepper<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved {
        let h2 = S::from_f64(problem.h * problem.h);
        self.lambda.iter_mut().for_each(|l| l.fill(S::default()));
        for _ in 0..self.iterations {
            for (batch, lambda) in problem.system.batches.iter().zip(&mut self.lambda) {
                batch.relax_compliant(problem.exec, problem.x, h2, lambda);
            }
        }
        Solved { iterations: self.iterations, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> Memory {
        let slots: usize = self.lambda.iter().map(Vec::len).sum();
        Memory { factor: 0, scratch: slots * size_of::<S>() }
    }
}
