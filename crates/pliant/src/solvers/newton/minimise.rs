//! Minimisation of the objective: rounds of contacts, iterations, line search.

use crate::parallel::Exec;
use crate::simd::Point;
use crate::solvers::SolveReport;
use crate::solvers::newton::PreparedNewton;
use crate::solvers::newton::direction::Progress;

/// Fraction of the objective below which a Newton decrement does not change its value.
const RELATIVE_ROUNDING: f64 = 1e-13;
/// Contact stiffness relative to the stiffness of its vertices (inertia and elements).
const CONTACT_STIFFNESS_RATIO: f64 = 10.0;
/// Maximum number of rounds that update the contact multipliers.
const MAX_CONTACT_ROUNDS: usize = 16;
/// Penetration above which another round follows \[m\].
const PENETRATION_TOLERANCE: f64 = 1e-6;
/// Relative change of contact forces above which another round follows.
const CONTACT_FORCE_TOLERANCE: f64 = 1e-3;
/// Ratio of the objective at the previous positions to that at the inertial guess below which iterations
/// start at the former. At ratios near one the guess is the better start: it moves cloth out of the shape
/// that it is about to leave.
const PREVIOUS_START_RATIO: f64 = 0.01;
/// Bounds of the relative residual of a direction.
const LINEAR_RESIDUAL_RANGE: [f64; 2] = [1e-6, 0.1];
/// Share of the remaining gradient that a direction may leave unsolved in the last iteration.
const GOAL_SHARE: f64 = 0.3;
/// Relative gradient at which the first round of contacts ends.
const FIRST_ROUND_TOLERANCE: f64 = 1e-3;
/// Ratio of the relative gradients at which two rounds of contacts end.
const ROUND_TOLERANCE_RATIO: f64 = 0.1;
/// Maximum number of times a step beyond the trust region is lengthened.
const MAX_EXTENSIONS: usize = 20;
/// Ratio of the lengths of such steps.
const EXTENSION: f64 = 2.0;
/// Maximum number of halvings of a step in the line search.
const MAX_BACKTRACKS: usize = 40;

impl PreparedNewton {
    /// Minimises the objective with contacts as an augmented Lagrangian: the multipliers are updated
    /// from round to round until forces and penetration are within tolerance. Early rounds, whose
    /// multipliers are provisional, end at a larger gradient.
    pub(super) fn minimise_with_contacts(&mut self, exec: &Exec, h: f64) -> SolveReport {
        let (mass, inv_h2) = (&self.system.mass, 1.0 / (h * h));
        let stiffness = &self.vertex_stiffness;
        self.contacts.set_stiffness(CONTACT_STIFFNESS_RATIO, |v| mass[v] * inv_h2 + stiffness[v]);
        let first = self.first_gradient(exec, h);
        self.choose_start(exec, h);
        let mut progress = Progress::default();
        let tolerance = self.settings.tolerance;
        if self.contacts.is_empty() {
            return self.minimise(exec, h, tolerance, first, &mut progress);
        }
        let mut all = SolveReport::default();
        let mut provisional = if tolerance > 0.0 { FIRST_ROUND_TOLERANCE } else { 0.0 };
        for round in 1..=MAX_CONTACT_ROUNDS {
            let goal =
                if round == MAX_CONTACT_ROUNDS { tolerance } else { tolerance.max(provisional) };
            let solved = self.minimise(exec, h, goal, first, &mut progress);
            all = SolveReport { iterations: all.iterations + solved.iterations, ..solved };
            let changed = self.contacts.update_friction_limits(&self.x)
                + self.contacts.update_multipliers(&self.x);
            let balanced = changed < CONTACT_FORCE_TOLERANCE
                && self.contacts.violation(&self.x) < PENETRATION_TOLERANCE;
            if balanced && goal == tolerance {
                break;
            }
            provisional = if balanced { 0.0 } else { ROUND_TOLERANCE_RATIO * provisional };
        }
        self.contacts.finish_solve(&self.x);
        all
    }

    fn minimise(
        &mut self,
        exec: &Exec,
        h: f64,
        tolerance: f64,
        first: f64,
        progress: &mut Progress,
    ) -> SolveReport {
        let mut solved = SolveReport { converged: tolerance == 0.0, ..SolveReport::default() };
        let mut floor = 0.0;
        let mut last = f64::INFINITY;
        let mut value = self.objective(exec, h);
        loop {
            solved.residual = self.evaluate_gradient(exec, h);
            let goal = f64::max(tolerance * first, floor);
            if solved.residual <= goal || solved.residual == 0.0 {
                solved.converged = true;
            }
            let done = solved.converged && tolerance > 0.0;
            if done || solved.iterations == self.settings.iterations {
                return solved;
            }
            let residual = if self.settings.iterations > 1 {
                linear_residual(solved.residual, last, goal)
            } else {
                LINEAR_RESIDUAL_RANGE[0]
            };
            last = solved.residual;
            self.find_direction(h, residual, progress);
            floor = self.rounding_floor();
            solved.iterations += 1;
            match self.line_search(exec, h, value, solved.residual) {
                Some((lower, step)) => {
                    let extends = progress.truncated && step == 1.0 && self.settings.line_search;
                    let reached = if extends { self.extend(exec, h, lower) } else { (lower, step) };
                    value = reached.0;
                    progress.adapt_radius(reached.1);
                }
                None => {
                    // No step lowers the objective: this is its minimum, up to rounding.
                    solved.converged = true;
                    return solved;
                }
            }
        }
    }

    /// Returns the norm of the gradient at the inertial guess \[N\], which tolerances are relative to:
    /// a better start is no reason to iterate further.
    fn first_gradient(&mut self, exec: &Exec, h: f64) -> f64 {
        if self.warm_start_solver.is_none() {
            return self.evaluate_gradient(exec, h);
        }
        self.search_start.copy_from_slice(&self.x);
        self.x.copy_from_slice(&self.s);
        let first = self.evaluate_gradient(exec, h);
        self.x.copy_from_slice(&self.search_start);
        first
    }

    /// Moves the free vertices from the inertial guess to their previous positions where the objective is
    /// lower there by far. After a long step the guess is far from every minimum, and a descent from it may
    /// end in one of another shape, as of a bar that has buckled. Tolerances stay relative to the gradient
    /// at the guess.
    fn choose_start(&mut self, exec: &Exec, h: f64) {
        let chosen = self.settings.start_from_previous || self.warm_start_solver.is_some();
        if chosen || !self.settings.line_search {
            return;
        }
        let guess = self.objective(exec, h);
        for (x, previous) in self.x.iter_mut().zip(&self.previous).filter(|(x, _)| x[3] > 0.0) {
            *x = *previous;
        }
        let lower = self.objective(exec, h) < PREVIOUS_START_RATIO * guess;
        if !lower && guess.is_finite() {
            self.x.copy_from_slice(&self.s);
        }
    }

    /// Returns the norm of a gradient that is zero up to the rounding of positions \[N\].
    fn rounding_floor(&self) -> f64 {
        let of = |i: usize, c: usize| self.matrix.column(3 * i + c).1[0] * self.x[i][c];
        let free = (0..self.x.len()).filter(|&i| self.x[i][3] > 0.0);
        let square = |v: f64| v * v;
        let sum: f64 = free.map(|i| (0..3).map(|c| square(of(i, c))).sum::<f64>()).sum();
        f64::EPSILON * (sum.sqrt() + self.rank_one_terms.rounding_error(&self.x))
    }

    fn objective(&self, exec: &Exec, h: f64) -> f64 {
        let own = self.system.objective(exec, &self.x, &self.s, h, false);
        own + self.contacts.energy(&self.x)
    }

    /// Fills the gradient of the objective and returns its norm \[N\].
    fn evaluate_gradient(&mut self, exec: &Exec, h: f64) -> f64 {
        self.force.fill(Point::default());
        for batch in &self.system.batches {
            batch.force(exec, &self.x, &mut self.force);
        }
        self.contacts.add_forces(&self.x, &mut self.force);
        let inv_h2 = 1.0 / (h * h);
        for i in 0..self.x.len() {
            let (m, free) = (self.system.mass[i], self.x[i][3] > 0.0);
            for c in 0..3 {
                let inertia = m * inv_h2 * (self.x[i][c] - self.s[i][c]);
                self.gradient[3 * i + c] = if free { inertia - self.force[i][c] } else { 0.0 };
            }
        }
        if let Some(mass) = self.system.model.mass_matrix() {
            let (d, md) = self.mass_product.split_at_mut(self.x.len());
            for c in 0..3 {
                for i in 0..d.len() {
                    d[i] = if self.x[i][3] > 0.0 { self.x[i][c] - self.s[i][c] } else { 0.0 };
                }
                mass.mul_vec(d, md);
                for i in (0..md.len()).filter(|&i| self.x[i][3] > 0.0) {
                    self.gradient[3 * i + c] = md[i] * inv_h2 - self.force[i][c];
                }
            }
        }
        norm(&self.gradient)
    }

    /// Moves along the direction by a step that decreases the objective. Returns its new value and
    /// the fraction of the direction, or `None`.
    fn line_search(
        &mut self,
        exec: &Exec,
        h: f64,
        value: f64,
        slope_norm: f64,
    ) -> Option<(f64, f64)> {
        let slope: f64 = self.gradient.iter().zip(&self.direction).map(|(g, d)| g * d).sum();
        self.search_start.copy_from_slice(&self.x);
        let mut t = 1.0;
        for _ in 0..MAX_BACKTRACKS {
            self.move_from_start(t);
            let trial = self.objective(exec, h);
            if !self.settings.line_search || trial <= value + 1e-4 * t * slope {
                return Some((trial, t));
            }
            // Too close to the minimum for the value to be significant; the gradient still is.
            if (t * slope).abs() <= RELATIVE_ROUNDING * value.abs() {
                let gradient = self.evaluate_gradient(exec, h);
                if gradient < slope_norm {
                    return Some((trial.min(value), t));
                }
            }
            t *= 0.5;
        }
        self.x.copy_from_slice(&self.search_start);
        None
    }

    /// Continues a whole step that ended on the boundary of the trust region, in steps of growing length
    /// while the objective decreases. Returns its value and the step.
    fn extend(&mut self, exec: &Exec, h: f64, value: f64) -> (f64, f64) {
        let mut reached = (value, 1.0);
        for _ in 0..MAX_EXTENSIONS {
            let t = EXTENSION * reached.1;
            self.move_from_start(t);
            let trial = self.objective(exec, h);
            if !(trial < reached.0) {
                break;
            }
            reached = (trial, t);
        }
        self.move_from_start(reached.1);
        reached
    }

    /// Sets the positions to those at the start of a search plus a step along the direction.
    fn move_from_start(&mut self, t: f64) {
        let starts = self.x.iter_mut().zip(&self.search_start);
        for ((x, from), d) in starts.zip(self.direction.chunks_exact(3)) {
            (0..3).for_each(|c| x[c] = from[c] + t * d[c]);
        }
    }
}

/// Returns the relative residual to which a direction is computed, from the norms of the gradient now and
/// before, and the one at which iterations end: quadratic convergence (Eisenstat and Walker 1996, choice
/// 2), but no further than that end.
fn linear_residual(now: f64, last: f64, goal: f64) -> f64 {
    let ratio = now / last;
    let quadratic = if last < f64::INFINITY { ratio * ratio } else { 1.0 };
    let [least, most] = LINEAR_RESIDUAL_RANGE;
    quadratic.clamp(least, most).max(GOAL_SHARE * goal / now)
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}
