//! Anderson mixing and L-BFGS for the local/global iteration of Projective Dynamics.
//!
//! The mixing weights, the ring buffers and Chebyshev's recurrence are in `solvers/acceleration.rs`.
//! Both methods reuse the prefactored matrix, reject iterates that do harm, and keep their history
//! within one substep only.

use crate::batch::ElementPrecision;
use crate::math::Scalar;
use crate::simd::Point;
use crate::solvers::acceleration::{
    Acceleration, HISTORY_LEN, RingBuffer, add_scaled, anderson_weights, dot, subtract,
};
use crate::solvers::projective::{PreparedProjective, max_norm, norm, rounding};
use crate::solvers::{Problem, SolveReport};

/// History of accelerated iterations within a substep.
pub(super) struct IterateHistory<S> {
    /// Earlier images (Anderson), or differences of iterates (L-BFGS).
    pub(super) iterates: RingBuffer<S>,
    /// Their increments (Anderson), or differences of residual forces (L-BFGS).
    pub(super) increments: RingBuffer<S>,
    /// Previous iterate (Chebyshev), plain image (Anderson) or residual force (L-BFGS). `saved` is the
    /// start of the line search (L-BFGS).
    pub(super) last_iterate: Vec<Point<S>>,
    pub(super) saved: Vec<Point<S>>,
}

impl<S: Scalar> IterateHistory<S> {
    pub(super) fn new(acceleration: Acceleration, points: usize) -> Self {
        let (window, vectors) = match acceleration {
            Acceleration::Plain => (0, 0),
            Acceleration::Chebyshev => (0, 1),
            Acceleration::Anderson => (HISTORY_LEN + 1, 1),
            Acceleration::Lbfgs => (HISTORY_LEN, 2),
        };
        let room = |needed: bool| vec![Point::default(); if needed { points } else { 0 }];
        Self {
            iterates: RingBuffer::new(window, points),
            increments: RingBuffer::new(window, points),
            last_iterate: room(vectors > 0),
            saved: room(vectors > 1),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let vectors = (self.last_iterate.len() + self.saved.len()) * size_of::<Point<S>>();
        self.iterates.bytes() + self.increments.bytes() + vectors
    }
}

impl<S: ElementPrecision> PreparedProjective<S> {
    /// Moves the plain image `x` to Anderson's combination of the last images.
    pub(super) fn anderson(&mut self, last: &mut f64, x: &mut [Point<S>]) {
        let history = &mut self.iterate_history;
        let length = dot(&self.residual, &self.residual);
        if !(length <= *last) {
            // The last combination increased the residual: return to the plain image before it.
            *last = f64::INFINITY;
            history.iterates.clear();
            history.increments.clear();
            for (x, good) in x.iter_mut().zip(&history.last_iterate) {
                x[..3].copy_from_slice(&good[..3]);
            }
            return;
        }
        *last = length;
        history.last_iterate.copy_from_slice(x);
        history.iterates.push().copy_from_slice(x);
        history.increments.push().copy_from_slice(&self.residual);
        let Some(theta) = anderson_weights(&history.increments) else { return };
        for (i, x) in x.iter_mut().enumerate() {
            if !(x[3] > S::default()) {
                continue;
            }
            let newest = history.iterates.get(0)[i];
            for age in 1..history.iterates.len() {
                let (theta, older) = (S::from_f64(theta[age - 1]), history.iterates.get(age)[i]);
                for c in 0..3 {
                    x[c] -= theta * (newest[c] - older[c]);
                }
            }
        }
    }

    /// Takes quasi-Newton steps with the factored matrix as the initial approximation of the Hessian.
    pub(super) fn lbfgs(&mut self, problem: &mut Problem<S>) -> SolveReport {
        let mut solved =
            SolveReport { converged: self.settings.tolerance == 0.0, ..SolveReport::default() };
        self.iterate_history.iterates.clear();
        self.iterate_history.increments.clear();
        problem.contacts.update_friction_limits(problem.x);
        let mut energy = self.objective(problem);
        for i in 0..self.settings.iterations {
            self.compute_residual(problem);
            if i > 0 {
                // `last_iterate` holds the residual at the previous iterate; y = r_before − r_now.
                let y = self.iterate_history.increments.push();
                subtract(y, &self.iterate_history.last_iterate, &self.residual);
                if !(dot(
                    self.iterate_history.iterates.get(0),
                    self.iterate_history.increments.get(0),
                ) > 0.0)
                {
                    self.iterate_history.iterates.clear();
                    self.iterate_history.increments.clear();
                }
            }
            self.iterate_history.last_iterate.copy_from_slice(&self.residual);
            solved.residual = norm(&self.residual);
            self.lbfgs_direction(problem);
            let (step, reached) = self.line_search(problem, energy);
            energy = reached;
            if !problem.contacts.is_empty() {
                // Updated friction limits change the objective.
                problem.contacts.update_friction_limits(problem.x);
                energy = self.objective(problem);
            }
            solved.iterations += 1;
            let tolerance = self.settings.tolerance;
            if tolerance > 0.0 && step * max_norm(&self.residual) < tolerance {
                solved.converged = true;
                break;
            }
        }
        solved
    }

    /// Converts the force in `residual` into a direction: the two loops of L-BFGS around the global
    /// solve.
    pub(super) fn lbfgs_direction(&mut self, problem: &Problem<S>) {
        let count = self.iterate_history.increments.len();
        let mut alpha = [0.0; HISTORY_LEN];
        for age in 0..count {
            let (s, y) =
                (self.iterate_history.iterates.get(age), self.iterate_history.increments.get(age));
            alpha[age] = dot(s, &self.residual) / dot(s, y);
            add_scaled(&mut self.residual, -alpha[age], y);
        }
        self.solve_global(problem.exec);
        for age in (0..count).rev() {
            let (s, y) =
                (self.iterate_history.iterates.get(age), self.iterate_history.increments.get(age));
            let beta = dot(y, &self.residual) / dot(s, y);
            add_scaled(&mut self.residual, alpha[age] - beta, s);
        }
    }

    /// Moves `x` along the direction in `residual` by a step that does not raise the objective. Takes
    /// the plain iteration if no step is short enough. Returns the step length and the new objective.
    pub(super) fn line_search(&mut self, problem: &mut Problem<S>, energy: f64) -> (f64, f64) {
        /// Maximum number of halvings before the plain iteration is taken.
        const MAX_HALVINGS: usize = 4;
        let slack = rounding::<S>(energy);
        self.iterate_history.saved.copy_from_slice(problem.x);
        let mut step = 1.0;
        for _ in 0..=MAX_HALVINGS {
            self.step_from_saved(problem, step);
            let reached = self.objective(problem);
            if reached <= energy + slack {
                self.store_difference(problem);
                return (step, reached);
            }
            step *= 0.5;
        }
        self.iterate_history.iterates.clear();
        self.iterate_history.increments.clear();
        self.residual.copy_from_slice(&self.iterate_history.last_iterate);
        self.solve_global(problem.exec);
        if self.plain_iterate.is_empty() {
            self.step_from_saved(problem, 1.0);
        } else {
            problem.x.copy_from_slice(&self.iterate_history.saved);
            self.backtracking_step(problem, energy);
        }
        self.store_difference(problem);
        (1.0, self.objective(problem))
    }

    /// Stores the difference to the iterate in `saved`.
    pub(super) fn store_difference(&mut self, problem: &Problem<S>) {
        let s = self.iterate_history.iterates.push();
        subtract(s, problem.x, &self.iterate_history.saved);
    }
}
