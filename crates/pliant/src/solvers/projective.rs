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
//! The global step solves for the increment `d`, not for positions as eq. (10) is printed: far
//! from the origin and in single precision the absolute form loses the linear momentum (drift of
//! 2.9 Σm|v| over 1000 steps, against 5e-4). Both have the same iterates.
//!
//! An iteration never raises the objective; its fixed point is the implicit Euler solution. Other
//! implicit integrators pose the same problem with another base and a shorter `h`
//! ([`Integrator`]): of the matrix only the mass term changes.
//! Where an element's curvature has no bound (one given by an energy) an increment that raises the
//! objective is shortened, as in the quasi-Newton view of Liu, Bouaziz and Kavan 2017.
//! Pinned vertices are out of the unknowns: their rows are the identity and their residual zero.

use std::sync::Arc;

use super::acceleration::{
    Acceleration, Chebyshev, Ring, WINDOW, add_scaled, advance_chebyshev, anderson_weights, dot,
    subtract,
};
use super::coupling::Couplings;
use super::{Memory, Problem, Solved, Solver, Stepper, named};
use crate::Error;
use crate::free_parts::FreeParts;
use crate::integrator::Integrator;
use crate::linalg::{
    ChangingDiagonal, Factor, FactorScratch, Followed, Hints, Removals, SolveScratch, Symbolic,
    SymmetricMatrix,
};
use crate::math::Scalar;
use crate::model::BodyInfo;
use crate::parallel::{Exec, for_chunks};
use crate::simd::Point;
use crate::system::{Precision, System};
use crate::tear::TearMode;
use crate::yielding::Yielding;

/// Settings of Projective Dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectiveDynamics {
    /// Local/global iterations per substep, at most.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Stop when no vertex moved further than this in an iteration \[m\]; zero never stops early.
    pub tolerance: f64,
    /// How the iterations are accelerated.
    pub acceleration: Acceleration,
    /// How a step follows from the one before: one of the implicit ones.
    pub integrator: Integrator,
}

impl Default for ProjectiveDynamics {
    fn default() -> Self {
        let (acceleration, integrator) = (Acceleration::Plain, Integrator::ImplicitEuler);
        Self { iterations: 10, substeps: 1, tolerance: 0.0, acceleration, integrator }
    }
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

    fn follows(&self) -> bool {
        true
    }

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        self.integrator.require_implicit(self.name())?;
        let matrix = global_matrix(system, h);
        let hints = Hints { positions: Some(system.model.rest_positions()), ..Hints::default() };
        let symbolic = Arc::new(Symbolic::new(&matrix, hints));
        let mut workspace = FactorScratch::new(&symbolic);
        let factor = Factor::new(&symbolic, &matrix, &mut workspace)?;
        let scratch = SolveScratch::new(&factor);
        // Contacts factor what they add to anew, and must find the same factor below.
        let breaks = |b: &BodyInfo| b.tearing.is_some_and(|t| t.mode == TearMode::Break);
        let removals = (system.model.bodies().iter().any(breaks) && !system.model.can_touch())
            .then(|| Removals::new(matrix, &factor, workspace));
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
        let careful = system.batches.iter().any(|b| !b.is_bounded());
        Ok(Box::new(ProjectiveStepper {
            settings: *self,
            factor,
            scratch,
            inertia,
            residual: vec![Point::default(); system.len()],
            yielding: Yielding::new(system),
            column: vec![0.0; if consistent { 2 * system.len() } else { 0 }],
            memory: Past::new(self.acceleration, system.len()),
            diagonal: None,
            wanted: Vec::new(),
            followed: None,
            removals,
            plain: vec![Point::default(); if careful { system.len() } else { 0 }],
            couplings: Couplings::new(system),
            free: if careful { FreeParts::new(&system.model) } else { FreeParts::default() },
        }))
    }
}

/// `M/h² + Σ w AᵀA`, with the rows and columns of pinned vertices replaced by the identity.
fn global_matrix<S: Precision>(system: &System<S>, h: f64) -> SymmetricMatrix {
    let free = |v: u32| system.inv_mass[v as usize].to_f64() > 0.0;
    let inv_h2 = 1.0 / (h * h);
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    for v in 0..system.len() as u32 {
        entries.push((v, v, if free(v) { 0.0 } else { 1.0 }));
    }
    let mut add = |i: u32, j: u32, value: f64| {
        if free(i) && free(j) {
            entries.push((i, j, value));
        }
    };
    match system.model.mass_matrix() {
        None => {
            let masses = system.model.masses();
            masses.iter().enumerate().for_each(|(v, m)| add(v as u32, v as u32, m * inv_h2));
        }
        Some(mass) => {
            for column in 0..mass.size() {
                let (rows, values) = mass.column(column);
                for (&row, &m) in rows.iter().zip(values) {
                    add(row, column as u32, m * inv_h2);
                }
            }
        }
    }
    system.batches.iter().for_each(|b| b.stamp(&mut add));
    SymmetricMatrix::from_triplets(system.len(), entries.into_iter())
}

struct ProjectiveStepper<S: Precision> {
    settings: ProjectiveDynamics,
    factor: Factor<S>,
    scratch: SolveScratch<S>,
    /// `m/h²`, zero where pinned.
    inertia: Vec<S>,
    residual: Vec<Point<S>>,
    yielding: Yielding<S>,
    /// The matrix with the stiffness of contacts, once there were any.
    diagonal: Option<ChangingDiagonal<S>>,
    /// The stiffness of contacts at each vertex.
    wanted: Vec<(u32, f64)>,
    /// How the factor was brought up to date for them.
    followed: Option<Followed>,
    /// The whole matrix, where edges may break.
    removals: Option<Removals<S>>,
    /// Room for products with a consistent mass matrix.
    column: Vec<f64>,
    memory: Past<S>,
    /// The plain image, where steps must be watched; else empty.
    plain: Vec<Point<S>>,
    /// Where steps must be watched: a shortened one does not bring back what rounding moved.
    free: FreeParts,
    /// What couples too many vertices to be in the matrix.
    couplings: Couplings<S>,
}

/// What accelerated iterations remember within a step.
struct Past<S> {
    /// Earlier iterates: images (Anderson), or differences of iterates (L-BFGS).
    x: Ring<S>,
    /// Their increments, or differences of unbalanced forces.
    f: Ring<S>,
    /// The last iterate, and room for another.
    last: Vec<Point<S>>,
    spare: Vec<Point<S>>,
}

impl<S: Scalar> Past<S> {
    fn new(acceleration: Acceleration, points: usize) -> Self {
        let (window, vectors) = match acceleration {
            Acceleration::Plain => (0, 0),
            Acceleration::Chebyshev => (0, 1),
            Acceleration::Anderson => (WINDOW + 1, 1),
            Acceleration::Lbfgs => (WINDOW, 2),
        };
        let room = |needed: bool| vec![Point::default(); if needed { points } else { 0 }];
        Self {
            x: Ring::new(window, points),
            f: Ring::new(window, points),
            last: room(vectors > 0),
            spare: room(vectors > 1),
        }
    }

    fn bytes(&self) -> usize {
        let vectors = (self.last.len() + self.spare.len()) * size_of::<Point<S>>();
        self.x.bytes() + self.f.bytes() + vectors
    }
}

impl<S: Precision> Stepper<S> for ProjectiveStepper<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved {
        self.yielding.look(problem.system, problem.before);
        self.begin_contacts(problem);
        let solved = match self.settings.acceleration {
            Acceleration::Plain => self.iterate(problem, |_: &mut Self, _| ()),
            Acceleration::Chebyshev => {
                let mut recurrence = Chebyshev::new();
                self.iterate(problem, |own: &mut Self, x| {
                    advance_chebyshev(&mut recurrence, x, &own.residual, &mut own.memory.last)
                })
            }
            Acceleration::Anderson => {
                self.memory.x.clear();
                self.memory.f.clear();
                let mut last = f64::INFINITY;
                self.iterate(problem, |own: &mut Self, x| own.anderson(&mut last, x))
            }
            Acceleration::Lbfgs => self.lbfgs(problem),
        };
        problem.contacts.end(problem.x);
        solved
    }

    fn followed(&self) -> Option<Followed> {
        self.followed
    }

    fn follow(&mut self, system: &System<S>, h: f64) -> Option<Followed> {
        let removals = self.removals.as_mut()?;
        let followed = removals.follow(&mut self.factor, &global_matrix(system, h)).ok()?;
        self.yielding = Yielding::new(system);
        self.couplings = Couplings::new(system);
        if !self.plain.is_empty() {
            self.free = FreeParts::new(&system.model);
        }
        Some(followed)
    }

    fn bytes(&self) -> Memory {
        let vectors = (self.inertia.len() + 4 * self.residual.len()) * size_of::<S>();
        let scratch = vectors + 8 * self.column.len() + self.scratch.bytes() + self.memory.bytes();
        let scratch = scratch + self.diagonal.as_ref().map_or(0, ChangingDiagonal::bytes);
        let scratch = scratch + self.yielding.bytes() + size_of_val(self.plain.as_slice());
        let scratch = scratch + self.couplings.bytes();
        let scratch = scratch + self.removals.as_ref().map_or(0, Removals::bytes);
        Memory { factor: self.factor.bytes(), scratch }
    }
}

impl<S: Precision> ProjectiveStepper<S> {
    /// Gives contacts a stiffness and the matrix the same.
    fn begin_contacts(&mut self, problem: &mut Problem<S>) {
        if problem.contacts.is_empty() && self.diagonal.is_none() {
            return;
        }
        if self.diagonal.is_none() {
            // Most scenes never need it. What was factored before can be factored again.
            let matrix = global_matrix(problem.system, problem.h);
            self.diagonal = ChangingDiagonal::new(matrix, &self.factor).ok();
        }
        let Some(diagonal) = &mut self.diagonal else { return };
        problem.contacts.stiffen(CONTACT_STIFFNESS, |v| diagonal.entry(v));
        problem.contacts.diagonal(&mut self.wanted);
        // More on the diagonal of a definite matrix leaves it definite.
        let followed = diagonal.follow(&mut self.factor, &self.wanted);
        debug_assert!(followed.is_ok(), "{followed:?}");
        self.followed = followed.ok();
    }

    /// Local/global iterations. After each but the last, `improve` gets the plain image, with the
    /// increment that led to it in `residual`, and may move it on.
    fn iterate(
        &mut self,
        problem: &mut Problem<S>,
        mut improve: impl FnMut(&mut Self, &mut [Point<S>]),
    ) -> Solved {
        let mut solved = Solved { converged: self.settings.tolerance == 0.0, ..Solved::default() };
        for i in 0..self.settings.iterations {
            let last = i + 1 == self.settings.iterations;
            problem.contacts.grip(problem.x);
            let before = self.watched(problem);
            self.unbalanced(problem);
            if last || self.settings.tolerance > 0.0 {
                solved.residual = norm(&self.residual);
            }
            self.solve_global(problem.exec);
            match before {
                None => advance(problem, &self.residual),
                Some(before) => self.advance_watched(problem, before),
            }
            solved.iterations += 1;
            if self.settings.tolerance > 0.0 && longest(&self.residual) < self.settings.tolerance {
                solved.converged = true;
                break;
            }
            if !last {
                improve(self, problem.x);
                self.back_to_plain(problem, before);
            }
        }
        solved
    }

    /// Solves for the increment in `residual`, with what couples too many vertices to be in the matrix.
    fn solve_global(&mut self, exec: &Exec) {
        self.factor.solve3(&mut self.residual, &mut self.scratch, exec);
        if !self.couplings.is_empty() {
            let Self { factor, scratch, couplings, .. } = self;
            couplings.factor(|z| factor.solve3(z, scratch, exec));
            couplings.correct(&mut self.residual);
        }
    }

    /// The objective, where steps must be watched.
    fn watched(&self, problem: &Problem<S>) -> Option<f64> {
        (!self.plain.is_empty()).then(|| self.objective(problem))
    }

    /// Moves `x` by the increment in `residual`, or by as much of it as does not raise the objective from
    /// what it was `before`; keeps where that is.
    fn advance_watched(&mut self, problem: &mut Problem<S>, before: f64) {
        let mass = &problem.system.mass;
        let touched = problem.contacts.vertices();
        self.free.keep_centres(mass, problem.guess, problem.x, &mut self.residual, touched);
        self.plain.copy_from_slice(problem.x);
        let mut part = 1.0;
        for shortening in 0..=SHORTENINGS {
            let scale = S::from_f64(part);
            for ((x, from), d) in problem.x.iter_mut().zip(&self.plain).zip(&self.residual) {
                for c in 0..3 {
                    x[c] = from[c] + scale * d[c];
                }
            }
            if self.objective(problem) <= before + rounding::<S>(before) {
                for d in &mut self.residual {
                    *d = d.map(|c| scale * c);
                }
                self.plain.copy_from_slice(problem.x);
                return;
            }
            // By tenths where halves do not help: an element may have been torn to any size.
            part *= if shortening < 4 { 0.5 } else { 0.1 };
        }
        problem.x.copy_from_slice(&self.plain);
        self.residual.fill(Point::default());
    }

    /// Takes an acceleration back that raised the objective.
    fn back_to_plain(&mut self, problem: &mut Problem<S>, before: Option<f64>) {
        let Some(before) = before else { return };
        if !(self.objective(problem) <= before + rounding::<S>(before)) {
            problem.x.copy_from_slice(&self.plain);
        }
    }

    /// Moves the plain image `x` to Anderson's combination of the last images.
    fn anderson(&mut self, last: &mut f64, x: &mut [Point<S>]) {
        let memory = &mut self.memory;
        let length = dot(&self.residual, &self.residual);
        if !(length <= *last) {
            // The last combination did harm: back to the plain image before it.
            *last = f64::INFINITY;
            memory.x.clear();
            memory.f.clear();
            for (x, good) in x.iter_mut().zip(&memory.last) {
                x[..3].copy_from_slice(&good[..3]);
            }
            return;
        }
        *last = length;
        memory.last.copy_from_slice(x);
        memory.x.push().copy_from_slice(x);
        memory.f.push().copy_from_slice(&self.residual);
        let Some(theta) = anderson_weights(&memory.f) else { return };
        for (i, x) in x.iter_mut().enumerate() {
            if !(x[3] > S::default()) {
                continue;
            }
            let newest = memory.x.get(0)[i];
            for age in 1..memory.x.len() {
                let (theta, older) = (S::from_f64(theta[age - 1]), memory.x.get(age)[i]);
                for c in 0..3 {
                    x[c] -= theta * (newest[c] - older[c]);
                }
            }
        }
    }

    /// Quasi-Newton steps with the factored matrix as the first guess of the Hessian.
    fn lbfgs(&mut self, problem: &mut Problem<S>) -> Solved {
        let mut solved = Solved { converged: self.settings.tolerance == 0.0, ..Solved::default() };
        self.memory.x.clear();
        self.memory.f.clear();
        problem.contacts.grip(problem.x);
        let mut energy = self.objective(problem);
        for i in 0..self.settings.iterations {
            self.unbalanced(problem);
            if i > 0 {
                // `last` holds the force at the iterate before; y = r_before − r_now.
                let y = self.memory.f.push();
                subtract(y, &self.memory.last, &self.residual);
                if !(dot(self.memory.x.get(0), self.memory.f.get(0)) > 0.0) {
                    self.memory.x.clear();
                    self.memory.f.clear();
                }
            }
            self.memory.last.copy_from_slice(&self.residual);
            solved.residual = norm(&self.residual);
            self.direction(problem);
            let (step, reached) = self.search(problem, energy);
            energy = reached;
            if !problem.contacts.is_empty() {
                // Friction that has changed makes it another function.
                problem.contacts.grip(problem.x);
                energy = self.objective(problem);
            }
            solved.iterations += 1;
            let tolerance = self.settings.tolerance;
            if tolerance > 0.0 && step * longest(&self.residual) < tolerance {
                solved.converged = true;
                break;
            }
        }
        solved
    }

    /// Turns the force in `residual` into a direction: the two loops of L-BFGS around the solve.
    fn direction(&mut self, problem: &Problem<S>) {
        let count = self.memory.f.len();
        let mut alpha = [0.0; WINDOW];
        for age in 0..count {
            let (s, y) = (self.memory.x.get(age), self.memory.f.get(age));
            alpha[age] = dot(s, &self.residual) / dot(s, y);
            add_scaled(&mut self.residual, -alpha[age], y);
        }
        self.solve_global(problem.exec);
        for age in (0..count).rev() {
            let (s, y) = (self.memory.x.get(age), self.memory.f.get(age));
            let beta = dot(y, &self.residual) / dot(s, y);
            add_scaled(&mut self.residual, alpha[age] - beta, s);
        }
    }

    /// Moves `x` along the direction in `residual` until the objective does not rise; the plain
    /// iteration where no step is short enough. Gives the step's length and the objective there.
    fn search(&mut self, problem: &mut Problem<S>, energy: f64) -> (f64, f64) {
        /// Halvings before the plain iteration is taken.
        const HALVINGS: usize = 4;
        let slack = rounding::<S>(energy);
        self.memory.spare.copy_from_slice(problem.x);
        let mut step = 1.0;
        for _ in 0..=HALVINGS {
            self.step_from_spare(problem, step);
            let reached = self.objective(problem);
            if reached <= energy + slack {
                self.remember(problem);
                return (step, reached);
            }
            step *= 0.5;
        }
        self.memory.x.clear();
        self.memory.f.clear();
        self.residual.copy_from_slice(&self.memory.last);
        self.solve_global(problem.exec);
        if self.plain.is_empty() {
            self.step_from_spare(problem, 1.0);
        } else {
            problem.x.copy_from_slice(&self.memory.spare);
            self.advance_watched(problem, energy);
        }
        self.remember(problem);
        (1.0, self.objective(problem))
    }

    /// What the iterations minimise \[J\].
    fn objective(&self, problem: &Problem<S>) -> f64 {
        let (system, exec) = (problem.system, problem.exec);
        let own = self.yielding.objective(system, exec, problem.x, problem.guess, problem.h);
        own + problem.contacts.energy(problem.x)
    }

    fn step_from_spare(&self, problem: &mut Problem<S>, step: f64) {
        let step = S::from_f64(step);
        for ((x, from), d) in problem.x.iter_mut().zip(&self.memory.spare).zip(&self.residual) {
            for c in 0..3 {
                x[c] = from[c] + step * d[c];
            }
        }
    }

    /// Keeps the difference to the iterate in `spare`.
    fn remember(&mut self, problem: &Problem<S>) {
        let s = self.memory.x.push();
        subtract(s, problem.x, &self.memory.spare);
    }

    /// `M/h² (s − x) + Σ w Aᵀ(p − A x)`, zero where pinned.
    fn unbalanced(&mut self, problem: &Problem<S>) {
        let (x, s) = (&*problem.x, problem.guess);
        for_chunks(problem.exec, &mut self.residual, &self.inertia, |at, r, inertia| {
            for (i, (r, &m)) in r.iter_mut().zip(inertia).enumerate() {
                let (x, s) = (&x[at + i], &s[at + i]);
                *r = [m * (s[0] - x[0]), m * (s[1] - x[1]), m * (s[2] - x[2]), S::default()];
            }
        });
        if !self.column.is_empty() {
            self.consistent_inertia(problem);
        }
        self.yielding.pull(problem.system, problem.exec, x, &mut self.residual);
        self.couplings.look(problem.system, x);
        problem.contacts.push(x, &mut self.residual);
        for pin in problem.system.model.pins() {
            self.residual[pin.vertex] = Point::default();
        }
    }

    /// Replaces the residual by `M/h² (s − x)` with the consistent matrix.
    fn consistent_inertia(&mut self, problem: &Problem<S>) {
        let Some(mass) = problem.system.model.mass_matrix() else { return };
        let n = self.residual.len();
        let (d, md) = self.column.split_at_mut(n);
        for c in 0..3 {
            for i in 0..n {
                let free = problem.x[i][3] > S::default();
                let offset = problem.guess[i][c].to_f64() - problem.x[i][c].to_f64();
                d[i] = if free { offset } else { 0.0 };
            }
            mass.mul_vec(d, md);
            for i in 0..n {
                self.residual[i][c] = S::from_f64(md[i] / (problem.h * problem.h));
            }
        }
    }
}

/// How stiff a contact is, as a part of what holds its vertices. The inertial guess is deep in what it
/// touches; what that costs, iterations that stop early leave in the material. A stiff cloth on a ball, ten
/// iterations: a stretch of 0.3 J with 1, 6e-3 J with 0.1, 5e-3 J with 0.03, 1e-2 J with 0.003 (Newton:
/// 3e-4 J). What is left of depth is projected.
const CONTACT_STIFFNESS: f64 = 0.03;
/// How often an increment is made shorter, at most.
const SHORTENINGS: usize = 24;

/// Rounding alone may raise an objective by this.
fn rounding<S: Scalar>(objective: f64) -> f64 {
    objective.abs() * if S::EPSILON > 1e-10 { 1e-6 } else { 1e-14 }
}

/// `x += d`, leaving the inverse masses alone.
fn advance<S: Precision>(problem: &mut Problem<S>, d: &[Point<S>]) {
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

fn longest<S: Scalar>(v: &[Point<S>]) -> f64 {
    v.iter().map(square).fold(0.0, f64::max).sqrt()
}
