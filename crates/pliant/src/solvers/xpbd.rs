//! XPBD (Macklin, Müller and Chentanez 2016): Position Based Dynamics with compliance.
//!
//! Each element keeps Lagrange multipliers over the iterations of a substep, so that its stiffness
//! is the weight of its energy whatever the number of iterations. For a scalar constraint
//!
//! ```text
//! Δλ = (−C − α̃ λ) / (Σ w |∇C|² + α̃),   α̃ = 1/(k h²),   Δx_i = w_i ∇_iC Δλ
//! ```
//!
//! These add up along gradients of different iterates, so that more iterations stop short of the
//! implicit Euler step. Elements in projective form keep a vector for each of `y = A x` instead
//! (`element/by_projection.rs`), whose gradient is constant: they converge to it (relative energy
//! gap to Newton at h = 1/60 after 1000 iterations: 3e-14 on springs, 8e-4 on membranes, where the
//! scalar multipliers of the paper stay at 5e-3 and 3e-2).
//!
//! At equal cost, more substeps leave less stretch than more iterations: hence the default of two
//! by ten.

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
        let lambda = system.batches.iter().map(|b| vec![S::default(); b.multipliers()]).collect();
        Ok(Box::new(XpbdStepper { iterations: self.iterations, lambda }))
    }
}

struct XpbdStepper<S> {
    iterations: usize,
    /// The multipliers of each batch.
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
            problem.contacts.relax(problem.x);
        }
        Solved { iterations: self.iterations, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> Memory {
        let numbers: usize = self.lambda.iter().map(Vec::len).sum();
        Memory { factor: 0, scratch: numbers * size_of::<S>() }
    }
}
