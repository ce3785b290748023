//! Search direction of a Newton iteration.
//!
//! A Cholesky factorisation takes as long as ten to forty products with the matrix and its factor. A
//! factor therefore serves several iterations as the preconditioner of conjugate gradients on the exact
//! Hessian of each. Their number of products decides when the next one is computed, never the time.
//!
//! Conjugate gradients also find what a factorisation hides: a direction along which the curvature is
//! negative, as of cloth that is about to buckle, or nearly zero, along which the quadratic model is
//! valid for a short way only. Elements projected to their definite parts make the preconditioner
//! definite, not the Hessian, and a trust region in the norm of the preconditioner bounds the direction.

use crate::linalg::{ConjugateGradients, FlopCount, Serial, Symbolic};
use crate::solvers::newton::linear_system::{FullHessian, apply_rank_one_terms};
use crate::solvers::newton::{Hessian, LinearSolver, PreparedNewton};

/// Largest number of products of one solve by conjugate gradients that a factor preconditions.
const MAX_PRODUCTS: usize = 50;
/// Bounds of the number of products that take as long as a factorisation.
const PRODUCTS_PER_FACTORIZATION: [f64; 2] = [4.0, 40.0];
/// Cost of a multiply-add of a solve, in those of a factorisation: a solve reads its factor from memory.
const SOLVE_COST_RATIO: f64 = 4.0;

/// State of the directions of one minimisation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// True if the factor is that of an earlier iteration.
    factored: bool,
    /// Number of products that the last direction took.
    products: usize,
    /// True if the last direction met negative curvature.
    pub(super) indefinite: bool,
    /// True if the last direction ended on the boundary of the trust region.
    pub(super) truncated: bool,
    /// Radius of the trust region, relative to the preconditioned gradient.
    radius: f64,
}

/// Radius of the first trust region: twice the step of a projected Hessian.
const FIRST_RADIUS: f64 = 2.0;
/// Bounds of the radius of a trust region.
const RADIUS_RANGE: [f64; 2] = [1.0, 1e6];
/// Factor by which the trust region grows where a whole step was accepted.
const RADIUS_GROWTH: f64 = 4.0;

impl Progress {
    /// Adapts the trust region to the fraction of the direction by which the line search moved.
    pub(super) fn adapt_radius(&mut self, step: f64) {
        if step < 1.0 {
            self.radius *= step.max(0.25);
        } else if self.truncated {
            self.radius *= RADIUS_GROWTH * step;
        }
        self.radius = self.radius.clamp(RADIUS_RANGE[0], RADIUS_RANGE[1]);
    }
}

impl Default for Progress {
    fn default() -> Self {
        let (factored, indefinite, truncated) = (false, false, false);
        Self { factored, products: 0, indefinite, truncated, radius: FIRST_RADIUS }
    }
}

/// Number of products with the matrix and its factor that take as long as a factorisation.
pub(super) fn products_per_factorization(symbolic: &Symbolic) -> usize {
    let solve = SOLVE_COST_RATIO * 2.0 * symbolic.entries().max(1) as f64;
    let ratio = FlopCount::of_factorization(symbolic).factor_cost() / solve;
    ratio.clamp(PRODUCTS_PER_FACTORIZATION[0], PRODUCTS_PER_FACTORIZATION[1]) as usize
}

impl PreparedNewton {
    /// Solves `H d = −∇g` to a relative residual. Leaves `d` zero if the matrix cannot be factored.
    pub(super) fn find_direction(&mut self, h: f64, residual: f64, progress: &mut Progress) {
        self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = -g);
        self.contact_stiffness.update(&self.contacts, &self.x);
        match (self.settings.linear_solver, self.settings.hessian) {
            (LinearSolver::ConjugateGradients { tolerance }, _) => {
                self.direction_by_diagonal(h, tolerance);
            }
            (_, Hessian::Exact) => self.direction_by_shift(h),
            (_, Hessian::Unmodified) => self.direction_unmodified(h),
            (_, Hessian::Adaptive) => self.direction_by_factor(h, residual, false, progress),
            (_, Hessian::PsdProjected) => self.direction_by_factor(h, residual, true, progress),
        }
    }

    /// Conjugate gradients with a diagonal preconditioner, on element Hessians projected to their
    /// definite parts.
    fn direction_by_diagonal(&mut self, h: f64, tolerance: f64) {
        self.assemble(h, true);
        self.rhs.copy_from_slice(&self.direction);
        self.direction.fill(0.0);
        self.rank_one_terms.update(&self.system, &self.x);
        self.cg.tolerance = tolerance;
        self.cg.iterations = 10 * self.rhs.len().max(100);
        let (cg, whole, rhs, direction) = self.split();
        cg.solve(&whole, rhs, direction);
    }

    /// The exact Hessian, shifted along the diagonal where it is not positive definite, factored in every
    /// iteration.
    fn direction_by_shift(&mut self, h: f64) {
        self.assemble(h, false);
        self.add_contact_bounds();
        if !self.factor() && !self.factor_shifted() {
            return self.direction.fill(0.0);
        }
        self.prepare_rank_one_terms(false);
        let Some(c) = &mut self.cholesky else { return };
        c.factor.solve_single(&mut self.direction, &mut c.solve, &Serial);
        apply_rank_one_terms(&mut self.rank_one_terms, &mut self.force, &mut self.direction);
    }

    /// The exact Hessian as it is, also where it is indefinite: the direction may then lead uphill.
    fn direction_unmodified(&mut self, h: f64) {
        self.assemble(h, false);
        self.add_contact_bounds();
        let Some(ldl) = &mut self.ldl else { return };
        ldl.factor(&self.matrix);
        ldl.solve(&mut self.direction);
        self.prepare_rank_one_terms(true);
        apply_rank_one_terms(&mut self.rank_one_terms, &mut self.force, &mut self.direction);
    }

    /// Conjugate gradients preconditioned by a factor, that of an earlier iteration while it serves.
    fn direction_by_factor(
        &mut self,
        h: f64,
        residual: f64,
        definite: bool,
        progress: &mut Progress,
    ) {
        self.assemble(h, definite);
        let serves = progress.factored && progress.products <= self.products_per_factorization;
        if !serves && !self.factor_definite(h, definite, progress.indefinite) {
            return self.direction.fill(0.0);
        }
        progress.factored = true;
        self.prepare_rank_one_terms(false);
        self.rhs.copy_from_slice(&self.direction);
        self.cg.tolerance = residual;
        self.cg.iterations = MAX_PRODUCTS;
        let (cg, mut whole, rhs, direction) = self.split();
        let found = cg.solve_preconditioned(&mut whole, rhs, direction, progress.radius);
        progress.products = found.iterations;
        (progress.indefinite, progress.truncated) = (found.indefinite, found.truncated);
    }

    /// Returns the operator, and what is solved with it.
    fn split(&mut self) -> (&mut ConjugateGradients, FullHessian<'_>, &[f64], &mut [f64]) {
        let whole = FullHessian {
            matrix: &self.matrix,
            rank_one_terms: &mut self.rank_one_terms,
            contacts: &self.contacts,
            contact_stiffness: &self.contact_stiffness,
            inv_mass: &self.system.inv_mass,
            cholesky: self.cholesky.as_mut(),
            points: &mut self.force,
        };
        (&mut self.cg, whole, &self.rhs, &mut self.direction)
    }

    /// Factors the assembled matrix or, where it is not definite, the sum of the elements' definite
    /// parts. Leaves the matrix as it is. Returns true if there is a factor.
    fn factor_definite(&mut self, h: f64, definite: bool, known_indefinite: bool) -> bool {
        self.add_contact_bounds();
        let exact = (definite || !known_indefinite) && self.factor();
        self.remove_contact_bounds();
        if exact {
            return true;
        }
        self.assemble(h, true);
        self.add_contact_bounds();
        // A sum of definite parts can fail by rounding alone; a small diagonal shift fixes that.
        let positive = self.factor() || self.factor_shifted();
        self.assemble(h, definite);
        positive
    }

    /// Adds to the diagonal of the matrix until it is positive definite, and factors it. Returns true if
    /// that succeeds.
    fn factor_shifted(&mut self) -> bool {
        let n = self.gradient.len();
        let largest = (0..n).map(|i| self.matrix.column(i).1[0].abs()).fold(0.0, f64::max);
        let mut shift = 1e-10 * largest;
        while shift < largest {
            (0..n).for_each(|i| self.matrix.add_diagonal(i, shift));
            if self.factor() {
                return true;
            }
            shift *= 10.0;
        }
        false
    }

    /// Factors the matrix. Returns true if it is positive definite.
    fn factor(&mut self) -> bool {
        let Some(c) = &mut self.cholesky else { return false };
        c.factor.refactor(&self.matrix, &mut c.scratch).is_ok()
    }

    /// Computes the rank-one terms at the present positions and their products with the inverse of the
    /// factor.
    fn prepare_rank_one_terms(&mut self, unmodified: bool) {
        if self.rank_one_terms.is_empty() {
            return;
        }
        self.rank_one_terms.update(&self.system, &self.x);
        let (rhs, cholesky, ldl) = (&mut self.rhs, &mut self.cholesky, &mut self.ldl);
        self.rank_one_terms.factor(|z| {
            rhs.chunks_exact_mut(3).zip(&*z).for_each(|(to, z)| to.copy_from_slice(&z[..3]));
            match (&mut *cholesky, &mut *ldl) {
                (_, Some(ldl)) if unmodified => ldl.solve(rhs),
                (Some(c), _) => c.factor.solve_single(rhs, &mut c.solve, &Serial),
                _ => {}
            }
            rhs.chunks_exact(3).zip(z).for_each(|(from, z)| z[..3].copy_from_slice(from));
        });
    }
}
