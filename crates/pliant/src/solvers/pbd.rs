//! Position Based Dynamics, §3.1 to §3.3: sequential projection of constraints.
//!
//! ```text
//! loop n times
//!   for every constraint:  Δx_i = −k' w_i ∇_iC · C / Σ_j w_j |∇_jC|²        eq. (9)
//! ```
//!
//! with `k' = 1 − (1 − k)^(1/n)`. For an isolated constraint this makes the effect of k independent of
//! n. A coupled system still gets stiffer with more iterations, and the momentum of single vertices is
//! not preserved. Use XPBD or Projective Dynamics where that matters.
//!
//! The Jacobi variants project all constraints from the same positions. *Averaging* blends the results
//! as in the lecture, P10: `x_i ← (Σ x_new + α x_i) / (n_i + α)`. *Momentum* restores the inertia,
//! Projective Dynamics eq. (14): every vertex minimises `1/2h² |q − s|² + Σ ω²/2 |q − p|²`, with
//! `ω² = w Σ m⁻¹|∇C|²` of each constraint.
//!
//! Both can be accelerated by Chebyshev's semi-iterative method (Wang 2015), with the spectral radius
//! estimated in each step and the fallback to plain sweeps described in
//! [`Acceleration`](crate::solvers::Acceleration).

use crate::Error;
use crate::batch::ElementPrecision;
use crate::parallel::{Exec, for_chunks};
use crate::simd::Point;
use crate::solvers::acceleration::{Chebyshev, advance_chebyshev};
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{MemoryUsage, PreparedSolver, Problem, SolveReport, Solver, require_lumped};
use crate::system::System;

/// Order in which constraints are projected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sweep {
    /// One after another, in an order fixed by the scene.
    GaussSeidel,
    /// All at once, averaged at each vertex with a weight `alpha` on its old position.
    Jacobi {
        /// Weight of the old position relative to each projection, zero or more.
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
    /// Order of the projections.
    pub sweep: Sweep,
    /// True if Jacobi sweeps are accelerated by Chebyshev's semi-iterative method. An error with
    /// Gauss–Seidel sweeps.
    pub chebyshev: bool,
}

impl Pbd {
    /// Returns settings with averaged Jacobi sweeps.
    pub fn jacobi() -> Self {
        Self { sweep: Sweep::Jacobi { alpha: 1.0 }, ..Self::default() }
    }

    /// Returns settings with Jacobi sweeps balanced against inertia.
    pub fn momentum() -> Self {
        Self { sweep: Sweep::JacobiMomentum, ..Self::default() }
    }
}

impl Default for Pbd {
    fn default() -> Self {
        Self { iterations: 10, substeps: 1, sweep: Sweep::GaussSeidel, chebyshev: false }
    }
}

impl HasSettings for Pbd {
    const SETTINGS: &[Setting<Self>] = &[
        Setting::iterations(|s| &mut s.iterations),
        Setting::substeps(|s| &mut s.substeps),
        Setting::number(
            "alpha",
            "",
            "weight of the old position in averaged Jacobi sweeps",
            10.0,
            |s| match &mut s.sweep {
                Sweep::Jacobi { alpha } => Some(alpha),
                _ => None,
            },
        ),
    ];
}

impl Solver for Pbd {
    fn name(&self) -> &'static str {
        match (self.sweep, self.chebyshev) {
            (Sweep::GaussSeidel, _) => "pbd",
            (Sweep::Jacobi { .. }, false) => "pbd_jacobi",
            (Sweep::Jacobi { .. }, true) => "pbd_jacobi+chebyshev",
            (Sweep::JacobiMomentum, false) => "pbd_momentum",
            (Sweep::JacobiMomentum, true) => "pbd_momentum+chebyshev",
        }
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        require_lumped(self.name(), system)?;
        if let Sweep::Jacobi { alpha } = self.sweep
            && !(alpha >= 0.0 && alpha.is_finite())
        {
            let remedy = "it must be finite and not negative";
            return Err(Error::Quantity { name: "pbd", field: "alpha", value: alpha, remedy });
        }
        if self.chebyshev && self.sweep == Sweep::GaussSeidel {
            return Err(Error::Unsupported {
                solver: "pbd",
                what: "Chebyshev acceleration of Gauss–Seidel sweeps",
                remedy: "use a Jacobi sweep, such as pbd+chebyshev",
            });
        }
        let scale = |b: &dyn crate::batch::AnyBatch<S>| match self.sweep {
            Sweep::JacobiMomentum => b.squared_frequencies(),
            _ => b.stiffness(h, self.iterations),
        };
        let jacobi = if self.sweep == Sweep::GaussSeidel { 0 } else { system.len() };
        Ok(Box::new(PreparedPbd {
            settings: *self,
            scale: system.batches.iter().map(|b| scale(b.as_ref())).collect(),
            corrections: vec![Point::default(); jacobi],
            last: vec![Point::default(); if self.chebyshev { jacobi } else { 0 }],
        }))
    }
}

struct PreparedPbd<S> {
    settings: Pbd,
    /// Stiffness per iteration, or squared frequency, for each slot of each batch.
    scale: Vec<Vec<S>>,
    /// Sums of corrections, with their count or weight as the fourth component; then the increments.
    corrections: Vec<Point<S>>,
    /// The iterate before the last; empty unless Chebyshev's method is used.
    last: Vec<Point<S>>,
}

impl<S: ElementPrecision> PreparedSolver<S> for PreparedPbd<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> SolveReport {
        let mut recurrence = Chebyshev::new();
        for i in 0..self.settings.iterations {
            match self.settings.sweep {
                Sweep::GaussSeidel => {
                    for (batch, k) in problem.system.batches.iter().zip(&self.scale) {
                        batch.relax(problem.exec, problem.x, k);
                    }
                    problem.contacts.relax(problem.x);
                    continue;
                }
                Sweep::Jacobi { alpha } => self.average(problem, S::from_f64(alpha)),
                Sweep::JacobiMomentum => self.balance(problem),
            }
            self.advance(problem);
            if self.settings.chebyshev && i + 1 < self.settings.iterations {
                advance_chebyshev(&mut recurrence, problem.x, &self.corrections, &mut self.last);
            }
            problem.contacts.relax(problem.x);
        }
        SolveReport { iterations: self.settings.iterations, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> MemoryUsage {
        let scale: usize = self.scale.iter().map(Vec::len).sum();
        let points = self.corrections.len() + self.last.len();
        MemoryUsage { factor: 0, scratch: (scale + 4 * points) * size_of::<S>() }
    }
}

impl<S: ElementPrecision> PreparedPbd<S> {
    fn accumulate_corrections(&mut self, problem: &Problem<S>, count: bool) {
        self.corrections.fill(Point::default());
        for (batch, k) in problem.system.batches.iter().zip(&self.scale) {
            batch.add_jacobi_correction(problem.exec, problem.x, &mut self.corrections, k, count);
        }
    }

    /// Converts the sums into increments: the mean of the projections.
    fn average(&mut self, problem: &Problem<S>, alpha: S) {
        self.accumulate_corrections(problem, true);
        for_chunks(problem.exec, &mut self.corrections, problem.x, |_, sum, x| {
            for (d, x) in sum.iter_mut().zip(x) {
                let weight = (d[3] + alpha).max(S::from_f64(1.0));
                let free = x[3] > S::default();
                for c in 0..3 {
                    d[c] = if free { d[c] / weight } else { S::default() };
                }
            }
        });
    }

    /// Converts the sums into increments: the balance of inertia and projections.
    fn balance(&mut self, problem: &Problem<S>) {
        self.accumulate_corrections(problem, false);
        let inertia = S::from_f64(1.0 / (problem.h * problem.h));
        let predicted = problem.predicted;
        for_chunks(problem.exec, &mut self.corrections, problem.x, |at, sum, x| {
            for (i, (d, x)) in sum.iter_mut().zip(x).enumerate() {
                let s = predicted[at + i];
                let free = x[3] > S::default();
                for c in 0..3 {
                    let step = ((s[c] - x[c]) * inertia + d[c]) / (inertia + d[3]);
                    d[c] = if free { step } else { S::default() };
                }
            }
        });
    }

    /// Moves the vertices by their increments.
    fn advance(&mut self, problem: &mut Problem<S>) {
        for_chunks(problem.exec, problem.x, &self.corrections, |_, x, d| {
            for (x, d) in x.iter_mut().zip(d) {
                *x = [x[0] + d[0], x[1] + d[1], x[2] + d[2], x[3]];
            }
        });
    }
}
