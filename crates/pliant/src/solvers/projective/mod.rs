//! Projective Dynamics, Algorithm 1: local projections and one prefactored global solve.
//!
//! ```text
//! x = s
//! loop n times
//!   local    p_i = project(A_i x)                                 for every element
//!   global   (M/h² + Σ w AᵀA) d = M/h² (s − x) + Σ w Aᵀ(p − A x)
//!            x += d;  break where |d| is small                     lecture, P25
//! ```
//!
//! The global step solves for the increment `d`, not for positions as printed in eq. (10): far from the
//! origin and in single precision the absolute form loses linear momentum (drift of 2.9 Σm|v| over 1000
//! steps, against 5e-4). Both have the same iterates.
//!
//! An iteration never raises the objective; its fixed point is the implicit Euler solution. Other
//! implicit integrators pose the same problem with another base point and a shorter `h`
//! ([`Integrator`]): only the mass term of the matrix changes. Where an element's curvature is
//! unbounded (an element defined by an energy), an increment that raises the objective is shortened, as
//! in the quasi-Newton view of Liu, Bouaziz and Kavan 2017. Pinned vertices are not unknowns: their
//! rows are the identity and their residual is zero.

pub(crate) mod accelerated;
mod adaptive;
mod backtracking;
mod global_matrix;
use std::sync::Arc;

use crate::Error;
use crate::batch::{AnyBatch, ElementPrecision};
use crate::dynamics::integrator::Integrator;
use crate::dynamics::inversion_guard::InversionGuard;
use crate::dynamics::momentum::FreeComponents;
use crate::linalg::{
    Downdater, Factor, FactorScratch, FactorUpdate, OrderingHints, SolveScratch, Symbolic,
    UpdatableFactor,
};
use crate::math::Scalar;
use crate::model::BodyInfo;
use crate::model::tearing::TearMode;
use crate::parallel::{Exec, for_chunks};
use crate::simd::Point;
use crate::solvers::acceleration::{Acceleration, Chebyshev, advance_chebyshev};
use crate::solvers::projective::accelerated::IterateHistory;
use crate::solvers::projective::adaptive::Adaptive;
use crate::solvers::projective::global_matrix::global_matrix;
use crate::solvers::rank_one_terms::RankOneTerms;
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{MemoryUsage, PreparedSolver, Problem, SolveReport, Solver, named};
use crate::system::System;

/// Settings of Projective Dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectiveDynamics {
    /// Maximum number of local/global iterations per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Stop when no vertex moves by more than this in an iteration \[m\]; zero never stops early.
    pub tolerance: f64,
    /// Acceleration of the iterations.
    pub acceleration: Acceleration,
    /// Time integration scheme; must be an implicit one.
    pub integrator: Integrator,
}

impl Default for ProjectiveDynamics {
    fn default() -> Self {
        let (acceleration, integrator) = (Acceleration::Plain, Integrator::ImplicitEuler);
        Self { iterations: 10, substeps: 1, tolerance: 0.0, acceleration, integrator }
    }
}

impl HasSettings for ProjectiveDynamics {
    const SETTINGS: &[Setting<Self>] = &[
        Setting::iterations(|s| &mut s.iterations),
        Setting::substeps(|s| &mut s.substeps),
        Setting::number(
            "tolerance",
            "m",
            "displacement per iteration below which iterations end; 0: never",
            1e-2,
            |s| Some(&mut s.tolerance),
        ),
    ];
}

impl Solver for ProjectiveDynamics {
    fn name(&self) -> &'static str {
        match self.acceleration {
            Acceleration::Plain => named!("projective", self.integrator),
            Acceleration::Chebyshev => named!("projective+chebyshev", self.integrator),
            Acceleration::Anderson => named!("projective+anderson", self.integrator),
            Acceleration::Lbfgs => named!("projective+lbfgs", self.integrator),
        }
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn integrator(&self) -> Integrator {
        self.integrator
    }

    fn supports_removal(&self) -> bool {
        true
    }

    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        self.integrator.require_implicit(self.name())?;
        prepare(*self, None, system, h)
    }
}

/// Prepares Projective Dynamics; with `max_error` \[m\], iterations adapt to that error of positions in a substep, and
/// forces are those of the exact energies.
pub(super) fn prepare<S: ElementPrecision>(
    settings: ProjectiveDynamics,
    max_error: Option<f64>,
    system: &System<S>,
    h: f64,
) -> Result<Box<dyn PreparedSolver<S>>, Error> {
    let exact = max_error.is_some();
    let matrix = global_matrix(system, h);
    let hints = OrderingHints {
        positions: Some(system.model.rest_positions()),
        ..OrderingHints::default()
    };
    let symbolic = Arc::new(Symbolic::new(&matrix, hints));
    let mut workspace = FactorScratch::new(&symbolic);
    let factor = Factor::new(&symbolic, &matrix, &mut workspace)?;
    let scratch = SolveScratch::new(&factor);
    // Contacts start from the factor of the full matrix and must find it unchanged, so edges are
    // only downdated in models that cannot collide.
    let breaks = |b: &BodyInfo| b.tearing.is_some_and(|t| t.mode == TearMode::Break);
    let downdater = (system.model.bodies().iter().any(breaks) && !system.model.can_collide())
        .then(|| Downdater::new(matrix, &factor, workspace));
    let inv_h2 = 1.0 / (h * h);
    let inertia = system
        .mass
        .iter()
        .zip(&system.inv_mass)
        .map(
            |(m, w)| {
                if w.to_f64() > 0.0 { S::from_f64(m.to_f64() * inv_h2) } else { S::default() }
            },
        )
        .collect();
    let consistent = system.model.mass_matrix().is_some();
    // The matrix bounds the curvature of the energies that Projective Dynamics minimises.
    let unbounded =
        |b: &dyn AnyBatch<S>| !b.is_bounded() || (exact && !b.projective_energy_is_exact());
    let needs_backtracking = system.batches.iter().any(|b| unbounded(b.as_ref()));
    Ok(Box::new(PreparedProjective {
        settings,
        exact,
        adaptive: max_error.map(|error| Adaptive::new(error, system)),
        factor,
        scratch,
        inertia,
        residual: vec![Point::default(); system.len()],
        inversion_guard: InversionGuard::new(system),
        mass_product: vec![0.0; if consistent { 2 * system.len() } else { 0 }],
        iterate_history: IterateHistory::new(settings.acceleration, system.len()),
        contact_factor: None,
        contact_stiffness: Vec::new(),
        factor_update: None,
        downdater,
        plain_iterate: vec![Point::default(); if needs_backtracking { system.len() } else { 0 }],
        rank_one_terms: RankOneTerms::new(system),
        free_components: if needs_backtracking {
            FreeComponents::new(&system.model)
        } else {
            FreeComponents::default()
        },
    }))
}

struct PreparedProjective<S: ElementPrecision> {
    settings: ProjectiveDynamics,
    /// True if forces and objective are those of the exact energies.
    exact: bool,
    /// State of the adaptive solver; `None` for the others.
    adaptive: Option<Adaptive<S>>,
    factor: Factor<S>,
    scratch: SolveScratch<S>,
    /// `m/h²`; zero for pinned vertices.
    inertia: Vec<S>,
    residual: Vec<Point<S>>,
    inversion_guard: InversionGuard<S>,
    /// The matrix with contact stiffness, created at the first contact.
    contact_factor: Option<UpdatableFactor<S>>,
    /// Contact stiffness at each vertex.
    contact_stiffness: Vec<(u32, f64)>,
    /// Last update of the factor for contacts.
    factor_update: Option<FactorUpdate>,
    /// The matrix with all elements, if edges can break.
    downdater: Option<Downdater<S>>,
    /// Scratch for products with a consistent mass matrix.
    mass_product: Vec<f64>,
    iterate_history: IterateHistory<S>,
    /// The plain image if backtracking is needed; empty otherwise.
    plain_iterate: Vec<Point<S>>,
    /// Unconstrained components if backtracking is needed. Their centres of mass are preserved
    /// explicitly, because a shortened step does not undo the drift due to rounding.
    free_components: FreeComponents,
    /// Terms that couple too many vertices to be stored in the matrix.
    rank_one_terms: RankOneTerms<S>,
}

impl<S: ElementPrecision> PreparedSolver<S> for PreparedProjective<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> SolveReport {
        self.inversion_guard.detect_inversions(problem.system, problem.previous);
        self.begin_contacts(problem);
        let solved = match self.settings.acceleration {
            _ if self.adaptive.is_some() => self.iterate_adaptively(problem),
            Acceleration::Plain => self.iterate(problem, |_: &mut Self, _| ()),
            Acceleration::Chebyshev => {
                let mut recurrence = Chebyshev::new();
                self.iterate(problem, |own: &mut Self, x| {
                    advance_chebyshev(
                        &mut recurrence,
                        x,
                        &own.residual,
                        &mut own.iterate_history.last_iterate,
                    )
                })
            }
            Acceleration::Anderson => {
                self.iterate_history.iterates.clear();
                self.iterate_history.increments.clear();
                let mut last = f64::INFINITY;
                self.iterate(problem, |own: &mut Self, x| own.anderson(&mut last, x))
            }
            Acceleration::Lbfgs => self.lbfgs(problem),
        };
        problem.contacts.finish_solve(problem.x);
        solved
    }

    fn factor_update(&self) -> Option<FactorUpdate> {
        self.factor_update
    }

    fn begin_frame(&mut self, max_iterations: usize) {
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.begin_frame(max_iterations);
        }
    }

    fn remove_elements(&mut self, system: &System<S>, h: f64) -> Option<FactorUpdate> {
        let downdater = self.downdater.as_mut()?;
        let update = downdater.downdate(&mut self.factor, &global_matrix(system, h)).ok()?;
        self.inversion_guard = InversionGuard::new(system);
        self.rank_one_terms = RankOneTerms::new(system);
        if !self.plain_iterate.is_empty() {
            self.free_components = FreeComponents::new(&system.model);
        }
        Some(update)
    }

    fn bytes(&self) -> MemoryUsage {
        let vectors = (self.inertia.len() + 4 * self.residual.len()) * size_of::<S>();
        let scratch = vectors
            + 8 * self.mass_product.len()
            + self.scratch.bytes()
            + self.iterate_history.bytes();
        let scratch = scratch + self.contact_factor.as_ref().map_or(0, UpdatableFactor::bytes);
        let scratch =
            scratch + self.inversion_guard.bytes() + size_of_val(self.plain_iterate.as_slice());
        let scratch = scratch + self.rank_one_terms.bytes();
        let scratch = scratch + self.adaptive.as_ref().map_or(0, Adaptive::bytes);
        let scratch = scratch + self.downdater.as_ref().map_or(0, Downdater::bytes);
        MemoryUsage { factor: self.factor.bytes(), scratch }
    }
}

impl<S: ElementPrecision> PreparedProjective<S> {
    /// Sets the contact stiffness and adds it to the factored matrix.
    fn begin_contacts(&mut self, problem: &mut Problem<S>) {
        if problem.contacts.is_empty() && self.contact_factor.is_none() {
            return;
        }
        if self.contact_factor.is_none() {
            // Most scenes never need it. A matrix that was factored before can be factored again.
            let matrix = global_matrix(problem.system, problem.h);
            self.contact_factor = UpdatableFactor::new(matrix, &self.factor).ok();
        }
        let Some(diagonal) = &mut self.contact_factor else { return };
        problem.contacts.set_stiffness(CONTACT_STIFFNESS_RATIO, |v| diagonal.base_entry(v));
        problem.contacts.diagonal(&mut self.contact_stiffness);
        // Adding to the diagonal of a definite matrix keeps it definite.
        let update = diagonal.update(&mut self.factor, &self.contact_stiffness);
        debug_assert!(update.is_ok(), "{update:?}");
        self.factor_update = update.ok();
    }

    /// Runs local/global iterations. After each but the last, `improve` receives the plain image, with
    /// the increment that led to it in `residual`, and may modify it.
    fn iterate(
        &mut self,
        problem: &mut Problem<S>,
        mut improve: impl FnMut(&mut Self, &mut [Point<S>]),
    ) -> SolveReport {
        let mut solved =
            SolveReport { converged: self.settings.tolerance == 0.0, ..SolveReport::default() };
        for i in 0..self.settings.iterations {
            let last = i + 1 == self.settings.iterations;
            problem.contacts.update_friction_limits(problem.x);
            let before = self.objective_if_backtracking(problem);
            self.compute_residual(problem);
            if last || self.settings.tolerance > 0.0 {
                solved.residual = norm(&self.residual);
            }
            self.solve_global(problem.exec);
            match before {
                None => advance(problem, &self.residual),
                Some(before) => {
                    self.backtracking_step(problem, before);
                }
            }
            solved.iterations += 1;
            if self.settings.tolerance > 0.0 && max_norm(&self.residual) < self.settings.tolerance {
                solved.converged = true;
                break;
            }
            if !last {
                improve(self, problem.x);
                self.reject_acceleration(problem, before);
            }
        }
        solved
    }

    /// Solves for the increment in `residual`, including the rank-one terms that are not in the matrix.
    fn solve_global(&mut self, exec: &Exec) {
        self.factor.solve3(&mut self.residual, &mut self.scratch, exec);
        if !self.rank_one_terms.is_empty() {
            let Self { factor, scratch, rank_one_terms: couplings, .. } = self;
            couplings.factor(|z| factor.solve3(z, scratch, exec));
            couplings.apply_woodbury(&mut self.residual);
        }
    }

    /// Returns the objective that the iterations minimise \[J\].
    fn objective(&self, problem: &Problem<S>) -> f64 {
        let (system, exec) = (problem.system, problem.exec);
        let (x, s) = (&*problem.x, problem.predicted);
        let own = if self.exact {
            system.objective(exec, x, s, problem.h, false)
        } else {
            self.inversion_guard.objective(system, exec, x, s, problem.h)
        };
        own + problem.contacts.energy(problem.x)
    }

    fn step_from_saved(&self, problem: &mut Problem<S>, step: f64) {
        let step = S::from_f64(step);
        for ((x, from), d) in
            problem.x.iter_mut().zip(&self.iterate_history.saved).zip(&self.residual)
        {
            for c in 0..3 {
                x[c] = from[c] + step * d[c];
            }
        }
    }

    /// Computes the residual `M/h² (s − x) + Σ w Aᵀ(p − A x)`; zero for pinned vertices.
    fn compute_residual(&mut self, problem: &Problem<S>) {
        let (x, s) = (&*problem.x, problem.predicted);
        for_chunks(problem.exec, &mut self.residual, &self.inertia, |at, r, inertia| {
            for (i, (r, &m)) in r.iter_mut().zip(inertia).enumerate() {
                let (x, s) = (&x[at + i], &s[at + i]);
                *r = [m * (s[0] - x[0]), m * (s[1] - x[1]), m * (s[2] - x[2]), S::default()];
            }
        });
        if !self.mass_product.is_empty() {
            self.consistent_inertia(problem);
        }
        if self.exact {
            let batches = &problem.system.batches;
            batches.iter().for_each(|b| b.force(problem.exec, x, &mut self.residual));
        } else {
            let (system, exec) = (problem.system, problem.exec);
            self.inversion_guard.add_projective_force(system, exec, x, &mut self.residual);
        }
        self.rank_one_terms.update(problem.system, x);
        problem.contacts.add_forces(x, &mut self.residual);
        for pin in problem.system.model.pins() {
            self.residual[pin.vertex] = Point::default();
        }
    }

    /// Replaces the residual by `M/h² (s − x)` with the consistent matrix.
    fn consistent_inertia(&mut self, problem: &Problem<S>) {
        let Some(mass) = problem.system.model.mass_matrix() else { return };
        let n = self.residual.len();
        let (d, md) = self.mass_product.split_at_mut(n);
        for c in 0..3 {
            for i in 0..n {
                let free = problem.x[i][3] > S::default();
                let offset = problem.predicted[i][c].to_f64() - problem.x[i][c].to_f64();
                d[i] = if free { offset } else { 0.0 };
            }
            mass.mul_vec(d, md);
            for i in 0..n {
                self.residual[i][c] = S::from_f64(md[i] / (problem.h * problem.h));
            }
        }
    }
}

/// Contact stiffness as a fraction of the diagonal entry of its vertices. The inertial guess penetrates
/// deeply, and iterations that stop early leave the energy this costs in the material. A stiff cloth on
/// a ball, ten iterations: a stretch energy of 0.3 J with 1, 6e-3 J with 0.1, 5e-3 J with 0.03, 1e-2 J
/// with 0.003 (Newton: 3e-4 J). Remaining penetration is projected out.
const CONTACT_STIFFNESS_RATIO: f64 = 0.03;

/// Returns the increase of an objective that rounding alone can cause.
fn rounding<S: Scalar>(objective: f64) -> f64 {
    objective.abs() * if S::EPSILON > 1e-10 { 1e-6 } else { 1e-14 }
}

/// Computes `x += d`, leaving the inverse masses unchanged.
fn advance<S: ElementPrecision>(problem: &mut Problem<S>, d: &[Point<S>]) {
    for_chunks(problem.exec, problem.x, d, |_, x, d| {
        for (x, d) in x.iter_mut().zip(d) {
            *x = [x[0] + d[0], x[1] + d[1], x[2] + d[2], x[3]];
        }
    });
}

fn square<S: Scalar>(p: &Point<S>) -> f64 {
    let [x, y, z] = [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()];
    x * x + y * y + z * z
}

fn norm<S: Scalar>(v: &[Point<S>]) -> f64 {
    v.iter().map(square).sum::<f64>().sqrt()
}

fn max_norm<S: Scalar>(v: &[Point<S>]) -> f64 {
    v.iter().map(square).fold(0.0, f64::max).sqrt()
}
