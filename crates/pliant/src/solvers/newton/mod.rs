//! Newton's method on the objective of implicit Euler: the reference for the other solvers.
//!
//! Minimises `g(x) = 1/2h² ‖x − s‖²_M + E(x)`, Fast Simulation of Mass-Spring Systems eq. (8), by
//! `H d = −∇g`, `x += t d`, with
//!
//! * the exact Hessian, solved by conjugate gradients; a Cholesky factor, of the Hessian or, where that is
//!   not positive definite, of element Hessians projected to their positive semi-definite part, serves
//!   several iterations as the preconditioner (`direction.rs`);
//! * a trust region for directions of little or negative curvature, as of cloth that is about to buckle,
//!   and a line search that never accepts an increase of the objective.
//!
//! Alternatives, each with a name: conjugate gradients with a diagonal preconditioner
//! ([`Newton::pcg`], `newton_pcg`); the exact Hessian, shifted along its diagonal where it is indefinite
//! ([`Newton::shifted`], `newton_shifted`); local/global iterations first, as Fast Simulation of
//! Mass-Spring Systems §5 recommends where an exact result is required ([`Newton::hybrid`],
//! `newton_hybrid`); one iteration from the old positions without a line search (Baraff and Witkin 1998),
//! with the Hessian as the paper prints it ([`Newton::semi_implicit`], `semi_implicit`) or projected where
//! it is indefinite ([`Newton::semi_implicit_projected`], `semi_implicit_projected`).
//!
//! The solver always works in double precision, including for simulations in single precision.

mod direction;
mod linear_system;
mod minimise;
use std::sync::Arc;

use crate::Error;
use crate::batch::ElementPrecision;
use crate::contact::ContactSet;
use crate::dynamics::integrator::Integrator;
use crate::linalg::{
    ConjugateGradients, Factor, FactorScratch, Ldl, OrderingHints, SolveScratch, Symbolic,
    SymmetricMatrix,
};
use crate::math::Scalar;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::solvers::newton::direction::products_per_factorization;
use crate::solvers::newton::linear_system::{BatchSlots, ContactStiffness, identity, pattern};
use crate::solvers::rank_one_terms::RankOneTerms;
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{
    MemoryUsage, PreparedSolver, Problem, ProjectiveDynamics, SolveReport, Solver, named,
};
use crate::system::System;

/// Second derivatives from which the system is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hessian {
    /// Exact second derivatives. Where their sum is not positive definite, element Hessians projected as by
    /// [`Hessian::PsdProjected`] precondition it, and directions of negative curvature are followed to the
    /// boundary of a trust region.
    Adaptive,
    /// The positive semi-definite part of each element's Hessian. Where elements are compressed the
    /// convergence is linear (a curtain took 155 iterations, against 10).
    PsdProjected,
    /// Exact second derivatives, shifted along the diagonal where the sum is not positive definite: the
    /// baseline of Fast Simulation of Mass-Spring Systems §5.
    Exact,
    /// Exact second derivatives as they are, also where their sum is indefinite. A step may then raise
    /// the objective.
    Unmodified,
}

/// Method that solves the linear systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinearSolver {
    /// Sparse Cholesky factorisation, which preconditions several iterations.
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

/// Local/global iterations of `newton_hybrid`.
const HYBRID_ITERATIONS: usize = 10;

impl Newton {
    /// Returns settings for one linearised implicit step from the old positions, as Baraff and Witkin
    /// (1998) print it: the system `M/h² + ∂²E/∂x²` with the exact second derivatives, without a line
    /// search. Under compression it may be indefinite; the step then leads to a saddle instead of a
    /// minimum, and cloth jitters or flies apart. [`Newton::semi_implicit_projected`] does not.
    pub fn semi_implicit() -> Self {
        Self { hessian: Hessian::Unmodified, ..Self::semi_implicit_projected() }
    }

    /// Returns settings for one linearised implicit step from the old positions, with element Hessians
    /// projected to their positive semi-definite part.
    pub fn semi_implicit_projected() -> Self {
        Self {
            iterations: 1,
            tolerance: 0.0,
            hessian: Hessian::PsdProjected,
            line_search: false,
            start_from_previous: true,
            ..Self::default()
        }
    }

    /// Returns settings with conjugate gradients and a diagonal preconditioner: no factor.
    pub fn pcg() -> Self {
        let linear_solver = LinearSolver::ConjugateGradients { tolerance: DEFAULT_CG_TOLERANCE };
        Self { linear_solver, ..Self::default() }
    }

    /// Returns settings with the exact Hessian, shifted along its diagonal where it is indefinite, and a
    /// factorisation in every iteration.
    pub fn shifted() -> Self {
        Self { hessian: Hessian::Exact, ..Self::default() }
    }

    /// Returns settings with local/global iterations first, then Newton to convergence.
    pub fn hybrid(warm_start: usize) -> Self {
        Self { warm_start_iterations: warm_start, ..Self::default() }
    }

    /// Returns the settings of a name other than `newton`.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "newton_pcg" => Self::pcg(),
            "newton_shifted" => Self::shifted(),
            "newton_hybrid" => Self::hybrid(HYBRID_ITERATIONS),
            "semi_implicit" => Self::semi_implicit(),
            "semi_implicit_projected" => Self::semi_implicit_projected(),
            _ => return None,
        })
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
            &["adaptive", "projected", "exact", "unmodified"],
            |s| match s.hessian {
                Hessian::Adaptive => 0,
                Hessian::PsdProjected => 1,
                Hessian::Exact => 2,
                Hessian::Unmodified => 3,
            },
            |s, k| {
                let [a, b] = [Hessian::Adaptive, Hessian::PsdProjected];
                s.hessian = [a, b, Hessian::Exact, Hessian::Unmodified][k];
            },
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
        let one_step = self.iterations == 1 && self.start_from_previous && !self.line_search;
        let diagonal = matches!(self.linear_solver, LinearSolver::ConjugateGradients { .. });
        match self.hessian {
            _ if diagonal => named!("newton_pcg", self.integrator),
            Hessian::Unmodified if one_step => named!("semi_implicit", self.integrator),
            Hessian::PsdProjected if one_step => {
                named!("semi_implicit_projected", self.integrator)
            }
            Hessian::Exact => named!("newton_shifted", self.integrator),
            _ if self.warm_start_iterations > 0 => named!("newton_hybrid", self.integrator),
            _ => named!("newton", self.integrator),
        }
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
        let hints = OrderingHints { block: 3, positions: Some(system.model.rest_positions()) };
        let unmodified = self.hessian == Hessian::Unmodified;
        let cholesky = match self.linear_solver {
            LinearSolver::ConjugateGradients { .. } => None,
            LinearSolver::Cholesky if unmodified => None,
            LinearSolver::Cholesky => {
                let symbolic = Arc::new(Symbolic::new(&matrix, hints));
                let mut scratch = FactorScratch::new(&symbolic);
                let factor = Factor::new(&symbolic, &identity(&matrix), &mut scratch)?;
                let solve = SolveScratch::new(&factor);
                Some(Cholesky { factor, scratch, solve })
            }
        };
        let ldl = match self.linear_solver {
            LinearSolver::Cholesky if unmodified => Some(Ldl::indefinite(&matrix, hints)),
            _ => None,
        };
        let local_global =
            ProjectiveDynamics { iterations: self.warm_start_iterations, ..Default::default() };
        let warm = match self.warm_start_iterations {
            0 => None,
            _ => Some(local_global.prepare(&own, h, exec)?),
        };
        let slots = BatchSlots::find(&own, &matrix);
        let points = || vec![Point::default(); own.len()];
        Ok(Box::new(PreparedNewton {
            settings: *self,
            matrix,
            slots,
            products_per_factorization: cholesky
                .as_ref()
                .map_or(0, |c| products_per_factorization(c.factor.symbolic())),
            cholesky,
            ldl,
            cg: ConjugateGradients::with_size(n),
            contact_stiffness: ContactStiffness::default(),
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
    /// Slots in the matrix of what each batch adds to it.
    slots: Vec<BatchSlots>,
    cholesky: Option<Cholesky>,
    /// Factor of a matrix that may be indefinite.
    ldl: Option<Ldl>,
    cg: ConjugateGradients,
    /// Number of products that take as long as a factorisation.
    products_per_factorization: usize,
    contact_stiffness: ContactStiffness,
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
        let points = 5 * 32 * self.x.len() + 24 * self.gradient.len();
        let slots: usize = self.slots.iter().map(BatchSlots::bytes).sum();
        let linear = self.cholesky.as_ref().map_or(0, |c| c.scratch.bytes() + c.solve.bytes());
        let linear = linear + self.matrix.bytes() + self.cg.bytes();
        let linear = linear + slots + self.contact_stiffness.bytes();
        let linear = linear + self.ldl.as_ref().map_or(0, Ldl::bytes);
        MemoryUsage { factor, scratch: points + linear + self.rank_one_terms.bytes() }
    }
}

fn widen<S: Scalar>(from: &[Point<S>], to: &mut [Point<f64>], inv_mass: &[f64]) {
    for ((to, from), &w) in to.iter_mut().zip(from).zip(inv_mass) {
        *to = [from[0].to_f64(), from[1].to_f64(), from[2].to_f64(), w];
    }
}
