//! Position Based Dynamics, §3.1 to §3.3: constraints are projected one after another.
//!
//! ```text
//! loop n times
//!   for every constraint:  Δx_i = −k' w_i ∇_iC · C / Σ_j w_j |∇_jC|²        eq. (9)
//! ```
//!
//! with `k' = 1 − (1 − k)^(1/n)`. For a constraint on its own this makes the effect of k
//! independent of n; a coupled system still gets stiffer with more iterations, and the momentum
//! of single vertices is forgotten. Use XPBD or Projective Dynamics where that matters.
//!
//! The Jacobi variants project all constraints from the same positions. *Averaging* blends the
//! results as in the lecture, P10: `x_i ← (Σ x_new + α x_i) / (n_i + α)`. *Momentum* adds the
//! inertia back, Projective Dynamics eq. (14): every vertex minimises
//! `1/2h² |q − s|² + Σ ω²/2 |q − p|²`, with `ω² = w Σ m⁻¹|∇C|²` of each constraint.

use super::{Memory, Problem, Solved, Solver, Stepper, require_lumped};
use crate::Error;
use crate::parallel::{Exec, for_chunks};
use crate::simd::Point;
use crate::system::{Precision, System};

/// In which order constraints see each other's corrections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sweep {
    /// One after another, in an order fixed by the scene.
    GaussSeidel,
    /// All at once, averaged at each vertex with a weight `alpha` on where it was.
    Jacobi {
        /// Weight of the old position against each projection, zero or more.
        alpha: f64,
    },
    /// All at once, balanced against the inertia of each vertex.
    JacobiMomentum,
}

/// Settings of Position Based Dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pbd {
    /// Iterations per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// The order of projections.
    pub sweep: Sweep,
}

impl Default for Pbd {
    fn default() -> Self {
        Self { iterations: 10, substeps: 1, sweep: Sweep::GaussSeidel }
    }
}

impl Solver for Pbd {
    fn name(&self) -> &'static str {
        "pbd"
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        require_lumped(self.name(), system)?;
        if let Sweep::Jacobi { alpha } = self.sweep
            && !(alpha >= 0.0 && alpha.is_finite())
        {
            let remedy = "give a finite weight of zero or more";
            return Err(Error::Quantity { name: "pbd", field: "alpha", value: alpha, remedy });
        }
        let scale = |b: &dyn crate::batch::AnyBatch<S>| match self.sweep {
            Sweep::JacobiMomentum => b.rates(),
            _ => b.stiffness(h, self.iterations),
        };
        let jacobi = if self.sweep == Sweep::GaussSeidel { 0 } else { system.len() };
        Ok(Box::new(PbdStepper {
            settings: *self,
            scale: system.batches.iter().map(|b| scale(b.as_ref())).collect(),
            sum: vec![Point::default(); jacobi],
        }))
    }
}

struct PbdStepper<S> {
    settings: Pbd,
    /// Stiffness of an iteration, or squared frequency, per slot of each batch.
    scale: Vec<Vec<S>>,
    /// Sums of corrections, with their count or weight as the fourth number.
    sum: Vec<Point<S>>,
}

impl<S: Precision> Stepper<S> for PbdStepper<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved {
        for _ in 0..self.settings.iterations {
            match self.settings.sweep {
                Sweep::GaussSeidel => {
                    for (batch, k) in problem.system.batches.iter().zip(&self.scale) {
                        batch.relax(problem.exec, problem.x, k);
                    }
                }
                Sweep::Jacobi { alpha } => self.average(problem, S::from_f64(alpha)),
                Sweep::JacobiMomentum => self.balance(problem),
            }
        }
        Solved { iterations: self.settings.iterations, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> Memory {
        let scale: usize = self.scale.iter().map(Vec::len).sum();
        Memory { factor: 0, scratch: (scale + 4 * self.sum.len()) * size_of::<S>() }
    }
}

impl<S: Precision> PbdStepper<S> {
    fn project_all(&mut self, problem: &Problem<S>, count: bool) {
        self.sum.fill(Point::default());
        for (batch, k) in problem.system.batches.iter().zip(&self.scale) {
            batch.correct(problem.exec, problem.x, &mut self.sum, k, count);
        }
    }

    fn average(&mut self, problem: &mut Problem<S>, alpha: S) {
        self.project_all(problem, true);
        for_chunks(problem.exec, problem.x, &self.sum, |_, x, sum| {
            for (x, d) in x.iter_mut().zip(sum) {
                let weight = (d[3] + alpha).max(S::from_f64(1.0));
                if x[3] > S::default() {
                    for c in 0..3 {
                        x[c] += d[c] / weight;
                    }
                }
            }
        });
    }

    fn balance(&mut self, problem: &mut Problem<S>) {
        self.project_all(problem, false);
        let inertia = S::from_f64(1.0 / (problem.h * problem.h));
        let guess = problem.guess;
        for_chunks(problem.exec, problem.x, &self.sum, |at, x, sum| {
            for (i, (x, d)) in x.iter_mut().zip(sum).enumerate() {
                let s = guess[at + i];
                if x[3] > S::default() {
                    for c in 0..3 {
                        x[c] += ((s[c] - x[c]) * inertia + d[c]) / (inertia + d[3]);
                    }
                }
            }
        });
    }
}
