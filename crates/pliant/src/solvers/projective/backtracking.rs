//! Backtracking of Projective Dynamics: increments that raise the objective are shortened, extrapolations undone.

use crate::batch::ElementPrecision;
use crate::simd::Point;
use crate::solvers::Problem;
use crate::solvers::projective::{PreparedProjective, rounding};

/// Maximum number of times an increment is shortened.
const MAX_BACKTRACKS: usize = 24;

impl<S: ElementPrecision> PreparedProjective<S> {
    /// Returns the objective if backtracking is needed.
    pub(super) fn objective_if_backtracking(&self, problem: &Problem<S>) -> Option<f64> {
        (!self.plain_iterate.is_empty()).then(|| self.objective(problem))
    }

    /// Moves `x` by the increment in `residual`, or by the fraction of it that does not raise the
    /// objective above `before`. Stores the result in `plain_iterate`. Returns its objective.
    pub(super) fn backtracking_step(&mut self, problem: &mut Problem<S>, before: f64) -> f64 {
        let mass = &problem.system.mass;
        let touched = problem.contacts.vertices();
        self.free_components.preserve_centres_of_mass(
            mass,
            problem.predicted,
            problem.x,
            &mut self.residual,
            touched,
        );
        self.plain_iterate.copy_from_slice(problem.x);
        let mut part = 1.0;
        for shortening in 0..=MAX_BACKTRACKS {
            let scale = S::from_f64(part);
            for ((x, from), d) in problem.x.iter_mut().zip(&self.plain_iterate).zip(&self.residual)
            {
                for c in 0..3 {
                    x[c] = from[c] + scale * d[c];
                }
            }
            let reached = self.objective(problem);
            if reached <= before + rounding::<S>(before) {
                for d in &mut self.residual {
                    *d = d.map(|c| scale * c);
                }
                self.plain_iterate.copy_from_slice(problem.x);
                return reached;
            }
            // Tenths where halving does not help: an element may be stretched to any size.
            part *= if shortening < 4 { 0.5 } else { 0.1 };
        }
        problem.x.copy_from_slice(&self.plain_iterate);
        self.residual.fill(Point::default());
        before
    }

    /// Reverts an acceleration that raised the objective. Returns the objective if it is kept.
    pub(super) fn reject_acceleration(
        &mut self,
        problem: &mut Problem<S>,
        before: Option<f64>,
    ) -> Option<f64> {
        let (before, reached) = (before?, self.objective(problem));
        if reached <= before + rounding::<S>(before) {
            return Some(reached);
        }
        problem.x.copy_from_slice(&self.plain_iterate);
        None
    }
}
