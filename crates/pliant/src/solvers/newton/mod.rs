//! Newton's method on the objective of implicit Euler: the reference for the other solvers.
//!
//! Minimises `g(x) = 1/2h² ‖x − s‖²_M + E(x)`, Fast Simulation of Mass-Spring Systems eq. (8), by
//! `H d = −∇g`, `x += t d`, with
//!
//! * the exact Hessian, replaced where it is not positive definite either by element Hessians projected
//!   to their positive semi-definite part or by a shift along its diagonal;
//! * a line search that never accepts an increase of the objective;
//! * a sparse Cholesky factorisation, or conjugate gradients with a diagonal preconditioner.
//!
//! [`Newton::semi_implicit`] is the papers' baseline: one iteration from the old positions without a
//! line search (Baraff and Witkin 1998). [`Newton::hybrid`] starts with local/global iterations, as
//! Fast Simulation of Mass-Spring Systems §5 recommends where an exact result is required.
//!
//! The solver always works in double precision, including for simulations in single precision.

pub(crate) mod linear_system;
use std::sync::Arc;

use crate::Error;
use crate::batch::ElementPrecision;
use crate::contact::ContactSet;
use crate::dynamics::integrator::Integrator;
use crate::linalg::{
    ConjugateGradients, Factor, FactorScratch, OrderingHints, SolveScratch, Symbolic,
    SymmetricMatrix,
};
use crate::math::Scalar;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::solvers::newton::linear_system::{entry_slots, identity, pattern};
use crate::solvers::rank_one_terms::RankOneTerms;
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{
    MemoryUsage, PreparedSolver, Problem, ProjectiveDynamics, SolveReport, Solver, named,
};
use crate::system::System;

/// Second derivatives from which the system is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hessian {
    /// Exact second derivatives; in iterations where their sum is not positive definite, as
    /// [`Hessian::PsdProjected`]. Projects only where needed (Longva et al. 2023).
    Adaptive,
    /// The positive semi-definite part of each element's Hessian. Where elements are compressed the
    /// convergence is linear (a curtain took 155 iterations, against 10).
    PsdProjected,
    /// Exact second derivatives, shifted along the diagonal where the sum is not positive definite: the
    /// baseline of Fast Simulation of Mass-Spring Systems §5.
    Exact,
}

/// Method that solves the linear systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinearSolver {
    /// Sparse Cholesky factorisation.
    Cholesky,
    /// Preconditioned conjugate gradients to a relative residual, always on [`Hessian::PsdProjected`],
    /// because they cannot detect whether a matrix is positive definite.
    ConjugateGradients {
        /// Relative residual at which to stop.
        tolerance: f64,
    },
}

/// Default relative residual of conjugate gradients where they are chosen by name.
const DEFAULT_CG_TOLERANCE: f64 = 1e-8;

/// Settings of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Maximum number of iterations per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Stop when the norm of the gradient has fallen to this fraction of its initial value.
    pub tolerance: f64,
    /// Hessian used.
    pub hessian: Hessian,
    /// Linear solver used.
    pub linear_solver: LinearSolver,
    /// True if steps are shortened until the objective decreases.
    pub line_search: bool,
    /// Number of local/global iterations before the first Newton iteration.
    pub warm_start_iterations: usize,
    /// True to start at the old positions instead of the inertial guess.
    pub start_from_previous: bool,
    /// Time integration scheme; must be an implicit one.
    pub integrator: Integrator,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            iterations: 50,
            substeps: 1,
            tolerance: 1e-9,
            hessian: Hessian::Adaptive,
            linear_solver: LinearSolver::Cholesky,
            line_search: true,
            warm_start_iterations: 0,
            start_from_previous: false,
            integrator: Integrator::ImplicitEuler,
        }
    }
}

impl Newton {
    /// Returns settings for one linearised implicit step from the old positions (Baraff and Witkin
    /// 1998).
    pub fn semi_implicit() -> Self {
        let line_search = false;
        Self {
            iterations: 1,
            tolerance: 0.0,
            line_search,
            start_from_previous: true,
            ..Self::default()
        }
    }

    /// Returns settings with local/global iterations first, then Newton to convergence.
    pub fn hybrid(warm_start: usize) -> Self {
        Self { warm_start_iterations: warm_start, ..Self::default() }
    }
}

impl HasSettings for Newton {
    const SETTINGS: &[Setting<Self>] = &[
        Setting::iterations(|s| &mut s.iterations),
        Setting::substeps(|s| &mut s.substeps),
        Setting::number(
            "tolerance",
            "",
            "gradient below which iterations end, relative to the first",
            0.1,
            |s| Some(&mut s.tolerance),
        ),
        Setting::choice(
            "hessian",
            "second derivatives",
            &["adaptive", "projected", "exact"],
            |s| match s.hessian {
                Hessian::Adaptive => 0,
                Hessian::PsdProjected => 1,
                Hessian::Exact => 2,
            },
            |s, k| s.hessian = [Hessian::Adaptive, Hessian::PsdProjected, Hessian::Exact][k],
        ),
        Setting::choice(
            "linear_solver",
            "solution of the linear systems",
            &["cholesky", "conjugate-gradients"],
            |s| match s.linear_solver {
                LinearSolver::Cholesky => 0,
                LinearSolver::ConjugateGradients { .. } => 1,
            },
            |s, k| {
                s.linear_solver = match k {
                    0 => LinearSolver::Cholesky,
                    _ => LinearSolver::ConjugateGradients { tolerance: DEFAULT_CG_TOLERANCE },
                }
            },
        ),
        Setting::number("cg_tolerance", "", "relative residual of conjugate gradients", 0.1, |s| {
            match &mut s.linear_solver {
                LinearSolver::ConjugateGradients { tolerance } => Some(tolerance),
                LinearSolver::Cholesky => None,
            }
        }),
        Setting::flag("line_search", "shorten steps until the objective decreases", |s| {
            &mut s.line_search
        }),
        Setting::count(
            "warm_start_iterations",
            "number of local/global iterations before Newton's method",
            [0.0, 1000.0],
            |s| &mut s.warm_start_iterations,
        ),
        Setting::flag(
            "start_from_previous",
            "start at the previous positions instead of the predicted ones",
            |s| &mut s.start_from_previous,
        ),
    ];
}

impl Solver for Newton {
    fn name(&self) -> &'static str {
        named!("newton", self.integrator)
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn integrator(&self) -> Integrator {
        self.integrator
    }

    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        h: f64,
        exec: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        self.integrator.require_implicit(self.name())?;
        let own = System::<f64>::new(system.model.clone());
        let matrix = pattern(&own);
        let n = matrix.size();
        let cholesky = match self.linear_solver {
            LinearSolver::ConjugateGradients { .. } => None,
            LinearSolver::Cholesky => {
                let positions = Some(system.model.rest_positions());
                let symbolic =
                    Arc::new(Symbolic::new(&matrix, OrderingHints { block: 3, positions }));
                let mut scratch = FactorScratch::new(&symbolic);
                let factor = Factor::new(&symbolic, &identity(&matrix), &mut scratch)?;
                let solve = SolveScratch::new(&factor);
                Some(Cholesky { factor, scratch, solve })
            }
        };
        let tolerance = match self.linear_solver {
            LinearSolver::ConjugateGradients { tolerance } => tolerance,
            LinearSolver::Cholesky => 0.0,
        };
        let local_global =
            ProjectiveDynamics { iterations: self.warm_start_iterations, ..Default::default() };
        let warm = match self.warm_start_iterations {
            0 => None,
            _ => Some(local_global.prepare(&own, h, exec)?),
        };
        let slots = entry_slots(&own, &matrix);
        let points = || vec![Point::default(); own.len()];
        Ok(Box::new(PreparedNewton {
            settings: *self,
            matrix,
            slots,
            cholesky,
            cg: ConjugateGradients::new(tolerance, 10 * n.max(100)),
            warm_start_solver: warm,
            x: points(),
            s: points(),
            previous: points(),
            search_start: points(),
            force: points(),
            gradient: vec![0.0; n],
            rhs: vec![0.0; n],
            direction: vec![0.0; n],
            mass_product: vec![
                0.0;
                if own.model.mass_matrix().is_some() { 2 * own.len() } else { 0 }
            ],
            contacts: ContactSet::default(),
            vertex_stiffness: own.vertex_stiffness(),
            rank_one_terms: RankOneTerms::new(&own),
            system: own,
        }))
    }
}

struct Cholesky {
    factor: Factor<f64>,
    scratch: FactorScratch,
    solve: SolveScratch<f64>,
}

struct PreparedNewton {
    settings: Newton,
    system: System<f64>,
    matrix: SymmetricMatrix,
    /// Matrix slot of each entry that the batches emit, in their order.
    slots: Vec<u32>,
    cholesky: Option<Cholesky>,
    cg: ConjugateGradients,
    warm_start_solver: Option<Box<dyn PreparedSolver<f64>>>,
    x: Vec<Point<f64>>,
    s: Vec<Point<f64>>,
    previous: Vec<Point<f64>>,
    search_start: Vec<Point<f64>>,
    force: Vec<Point<f64>>,
    gradient: Vec<f64>,
    rhs: Vec<f64>,
    direction: Vec<f64>,
    /// Scratch for products with a consistent mass matrix.
    mass_product: Vec<f64>,
    /// Contacts of this substep.
    contacts: ContactSet,
    /// Elastic stiffness of each vertex with its neighbours fixed, without inertia [N/m].
    vertex_stiffness: Vec<f64>,
    /// Terms that couple too many vertices to be stored in the matrix.
    rank_one_terms: RankOneTerms<f64>,
}

impl<S: ElementPrecision> PreparedSolver<S> for PreparedNewton {
    fn solve(&mut self, problem: &mut Problem<S>) -> SolveReport {
        self.system.set_time(problem.system.time());
        widen(problem.predicted, &mut self.s, &self.system.inv_mass);
        widen(problem.previous, &mut self.previous, &self.system.inv_mass);
        self.x.copy_from_slice(&self.s);
        if self.settings.start_from_previous {
            for (x, b) in self.x.iter_mut().zip(&self.previous) {
                if x[3] > 0.0 {
                    *x = *b;
                }
            }
        }
        std::mem::swap(&mut self.contacts, problem.contacts);
        if let Some(warm) = &mut self.warm_start_solver {
            let mut start = Problem {
                system: &self.system,
                exec: problem.exec,
                h: problem.h,
                previous: &self.previous,
                predicted: &self.s,
                x: &mut self.x,
                contacts: &mut self.contacts,
            };
            warm.solve(&mut start);
        }
        let solved = self.minimise_with_contacts(problem.exec, problem.h);
        std::mem::swap(&mut self.contacts, problem.contacts);
        for (to, from) in problem.x.iter_mut().zip(&self.x) {
            (0..3).for_each(|c| to[c] = S::from_f64(from[c]));
        }
        solved
    }

    fn bytes(&self) -> MemoryUsage {
        let factor = self.cholesky.as_ref().map_or(0, |c| c.factor.bytes());
        let points = 5 * 32 * self.x.len() + 24 * self.gradient.len() + 4 * self.slots.len();
        let linear = self.cholesky.as_ref().map_or(0, |c| c.scratch.bytes() + c.solve.bytes());
        let linear = linear + self.matrix.bytes() + self.cg.bytes();
        MemoryUsage { factor, scratch: points + linear + self.rank_one_terms.bytes() }
    }
}

fn widen<S: Scalar>(from: &[Point<S>], to: &mut [Point<f64>], inv_mass: &[f64]) {
    for ((to, from), &w) in to.iter_mut().zip(from).zip(inv_mass) {
        *to = [from[0].to_f64(), from[1].to_f64(), from[2].to_f64(), w];
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

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
/// Maximum number of halvings of a step in the line search.
const MAX_BACKTRACKS: usize = 40;

impl PreparedNewton {
    /// Minimises the objective with contacts as an augmented Lagrangian: the multipliers are updated
    /// from round to round until forces and penetration are within tolerance.
    fn minimise_with_contacts(&mut self, exec: &Exec, h: f64) -> SolveReport {
        if self.contacts.is_empty() {
            return self.minimise(exec, h);
        }
        let (mass, inv_h2) = (&self.system.mass, 1.0 / (h * h));
        let stiffness = &self.vertex_stiffness;
        self.contacts.set_stiffness(CONTACT_STIFFNESS_RATIO, |v| mass[v] * inv_h2 + stiffness[v]);
        let mut all = SolveReport::default();
        for _ in 0..MAX_CONTACT_ROUNDS {
            let solved = self.minimise(exec, h);
            all = SolveReport { iterations: all.iterations + solved.iterations, ..solved };
            let changed = self.contacts.update_friction_limits(&self.x)
                + self.contacts.update_multipliers(&self.x);
            if changed < CONTACT_FORCE_TOLERANCE
                && self.contacts.violation(&self.x) < PENETRATION_TOLERANCE
            {
                break;
            }
        }
        self.contacts.finish_solve(&self.x);
        all
    }

    fn minimise(&mut self, exec: &Exec, h: f64) -> SolveReport {
        let mut solved =
            SolveReport { converged: self.settings.tolerance == 0.0, ..SolveReport::default() };
        let mut first = f64::NAN;
        let mut floor = 0.0;
        let mut value = self.objective(exec, h);
        loop {
            solved.residual = self.evaluate_gradient(exec, h);
            if solved.iterations == 0 {
                first = solved.residual;
            }
            let goal = f64::max(self.settings.tolerance * first, floor);
            if solved.residual <= goal || solved.residual == 0.0 {
                solved.converged = true;
            }
            let done = solved.converged && self.settings.tolerance > 0.0;
            if done || solved.iterations == self.settings.iterations {
                return solved;
            }
            self.find_direction(h);
            floor = self.rounding_floor();
            solved.iterations += 1;
            match self.line_search(exec, h, value, solved.residual) {
                Some(lower) => value = lower,
                None => {
                    // No step lowers the objective: this is its minimum, up to rounding.
                    solved.converged = true;
                    return solved;
                }
            }
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

    /// Moves along the direction by a step that decreases the objective. Returns its new value, or
    /// `None`.
    fn line_search(&mut self, exec: &Exec, h: f64, value: f64, slope_norm: f64) -> Option<f64> {
        let slope: f64 = self.gradient.iter().zip(&self.direction).map(|(g, d)| g * d).sum();
        self.search_start.copy_from_slice(&self.x);
        let mut t = 1.0;
        for _ in 0..MAX_BACKTRACKS {
            for (i, (x, from)) in self.x.iter_mut().zip(&self.search_start).enumerate() {
                (0..3).for_each(|c| x[c] = from[c] + t * self.direction[3 * i + c]);
            }
            let trial = self.objective(exec, h);
            if !self.settings.line_search || trial <= value + 1e-4 * t * slope {
                return Some(trial);
            }
            // Too close to the minimum for the value to be significant; the gradient still is.
            if (t * slope).abs() <= RELATIVE_ROUNDING * value.abs() {
                let gradient = self.evaluate_gradient(exec, h);
                if gradient < slope_norm {
                    return Some(trial.min(value));
                }
            }
            t *= 0.5;
        }
        self.x.copy_from_slice(&self.search_start);
        None
    }
}
