//! Newton's method on the objective of implicit Euler: the reference that others are judged by.
//!
//! Minimises `g(x) = 1/2h² ‖x − s‖²_M + E(x)`, Fast Simulation of Mass-Spring Systems eq. (8), by
//! `H d = −∇g`, `x += t d`, with
//!
//! * the exact Hessian, and where it is not positive definite either element Hessians projected to
//!   their positive semi-definite part or a shift along its diagonal;
//! * a line search that never accepts a rise of the objective;
//! * a sparse Cholesky factorisation, or conjugate gradients with a diagonal preconditioner.
//!
//! [`Newton::semi_implicit`] is the papers' baseline: one iteration from the old positions without
//! a line search (Baraff and Witkin 1998). [`Newton::hybrid`] starts with local/global iterations,
//! as Fast Simulation of Mass-Spring Systems §5 recommends where an exact result is wanted.
//!
//! It always works in double precision, also for simulations in single precision.

use std::sync::Arc;

use super::coupling::Couplings;
use super::{Memory, Problem, ProjectiveDynamics, Solved, Solver, Stepper, named};
use crate::Error;
use crate::contact::Contacts;
use crate::integrator::Integrator;
use crate::linalg::{
    ConjugateGradients, Factor, FactorScratch, Hints, Operator, Serial, SolveScratch, Symbolic,
    SymmetricMatrix,
};
use crate::math::Scalar;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::system::{Precision, System};

/// Which second derivatives the system is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hessian {
    /// All of them, and in iterations where their sum is not positive definite, as
    /// [`Hessian::Definite`]: projects only where needed (Longva et al. 2023).
    Adaptive,
    /// Of each element, only the positive semi-definite part. Where elements are compressed it
    /// converges linearly (a curtain took 155 iterations, against 10).
    Definite,
    /// All, shifted along the diagonal where the sum is not positive definite: the baseline of Fast
    /// Simulation of Mass-Spring Systems §5.
    Exact,
}

/// How the linear systems are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinearSolver {
    /// By a sparse factorisation.
    Cholesky,
    /// By preconditioned conjugate gradients to a relative residual, always on
    /// [`Hessian::Definite`]: they cannot tell whether a matrix is.
    ConjugateGradients {
        /// Relative residual at which to stop.
        tolerance: f64,
    },
}

/// Settings of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Iterations per substep, at most.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Stop when the norm of the gradient has fallen to this fraction of the first.
    pub tolerance: f64,
    /// Which Hessian.
    pub hessian: Hessian,
    /// Which linear solver.
    pub linear: LinearSolver,
    /// Whether steps are shortened until the objective falls.
    pub line_search: bool,
    /// Local/global iterations before the first Newton iteration.
    pub warm_start: usize,
    /// Start at the old positions instead of the inertial guess.
    pub from_before: bool,
    /// How a step follows from the one before: one of the implicit ones.
    pub integrator: Integrator,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            iterations: 50,
            substeps: 1,
            tolerance: 1e-9,
            hessian: Hessian::Adaptive,
            linear: LinearSolver::Cholesky,
            line_search: true,
            warm_start: 0,
            from_before: false,
            integrator: Integrator::ImplicitEuler,
        }
    }
}

impl Newton {
    /// One linearised implicit step from the old positions (Baraff and Witkin 1998).
    pub fn semi_implicit() -> Self {
        let line_search = false;
        Self { iterations: 1, tolerance: 0.0, line_search, from_before: true, ..Self::default() }
    }

    /// Some local/global iterations first, then Newton to convergence.
    pub fn hybrid(warm_start: usize) -> Self {
        Self { warm_start, ..Self::default() }
    }
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

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        h: f64,
        exec: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        self.integrator.require_implicit(self.name())?;
        let own = System::<f64>::new(system.model.clone());
        let matrix = pattern(&own);
        let n = matrix.size();
        let cholesky = match self.linear {
            LinearSolver::ConjugateGradients { .. } => None,
            LinearSolver::Cholesky => {
                let positions = Some(system.model.rest_positions());
                let symbolic = Arc::new(Symbolic::new(&matrix, Hints { block: 3, positions }));
                let mut scratch = FactorScratch::new(&symbolic);
                let factor = Factor::new(&symbolic, &identity(&matrix), &mut scratch)?;
                let solve = SolveScratch::new(&factor);
                Some(Cholesky { factor, scratch, solve })
            }
        };
        let tolerance = match self.linear {
            LinearSolver::ConjugateGradients { tolerance } => tolerance,
            LinearSolver::Cholesky => 0.0,
        };
        let local_global = ProjectiveDynamics { iterations: self.warm_start, ..Default::default() };
        let warm = match self.warm_start {
            0 => None,
            _ => Some(local_global.prepare(&own, h, exec)?),
        };
        let slots = entry_slots(&own, &matrix);
        let points = || vec![Point::default(); own.len()];
        Ok(Box::new(NewtonStepper {
            settings: *self,
            matrix,
            slots,
            cholesky,
            cg: ConjugateGradients::new(tolerance, 10 * n.max(100)),
            warm,
            x: points(),
            s: points(),
            before: points(),
            trial: points(),
            force: points(),
            gradient: vec![0.0; n],
            rhs: vec![0.0; n],
            direction: vec![0.0; n],
            column: vec![0.0; if own.model.mass_matrix().is_some() { 2 * own.len() } else { 0 }],
            contacts: Contacts::default(),
            stiffness: own.stiffness_of_vertices(),
            couplings: Couplings::new(&own),
            system: own,
        }))
    }
}

/// The pattern of the Hessian: three rows per vertex, all pairs of vertices that share an element; of
/// elements with couplings only the entries that they have.
fn pattern(system: &System<f64>) -> SymmetricMatrix {
    let n = 3 * system.len();
    let mut entries: Vec<(u32, u32, f64)> = (0..n as u32).map(|i| (i, i, 0.0)).collect();
    let at_rest: Vec<Point<f64>> =
        system.model.rest_positions().iter().map(|p| [p[0], p[1], p[2], 1.0]).collect();
    for (elements, batch) in system.model.elements().iter().zip(&system.batches) {
        if batch.couplings() > 0 {
            batch.hessian(&at_rest, false, &mut |i, j, _| entries.push((i, j, 0.0)));
        }
        for e in (0..elements.len()).filter(|_| batch.couplings() == 0) {
            let vertices = elements.vertices(e);
            for &p in vertices {
                for &q in vertices.iter().filter(|&&q| q <= p) {
                    for i in 0..3 {
                        for j in (0..3).filter(|&j| 3 * q + j <= 3 * p + i) {
                            entries.push((3 * p + i, 3 * q + j, 0.0));
                        }
                    }
                }
            }
        }
        // Duplicates of one type are dropped before the next adds its own.
        entries.sort_unstable_by_key(|e| (e.0, e.1));
        entries.dedup_by_key(|e| (e.0, e.1));
    }
    if let Some(mass) = system.model.mass_matrix() {
        for column in 0..mass.size() {
            for &row in mass.column(column).0 {
                (0..3).for_each(|c| entries.push((3 * row + c, 3 * column as u32 + c, 0.0)));
            }
        }
    }
    SymmetricMatrix::from_triplets(n, entries.into_iter())
}

/// Marks an entry of a pinned vertex, which the matrix does not take.
const NOWHERE: u32 = u32::MAX;

/// Looks up the place of every entry that the batches give. Their order does not depend on values.
fn entry_slots(system: &System<f64>, matrix: &SymmetricMatrix) -> Vec<u32> {
    let free = |row: u32| system.inv_mass[row as usize / 3] > 0.0;
    let x: Vec<Point<f64>> =
        system.model.rest_positions().iter().map(|p| [p[0], p[1], p[2], 1.0]).collect();
    let mut slots = Vec::new();
    for batch in &system.batches {
        batch.hessian(&x, false, &mut |i, j, _| {
            let place = matrix.slot(i as usize, j as usize).filter(|_| free(i) && free(j));
            slots.push(place.map_or(NOWHERE, |s| s as u32));
        });
    }
    slots
}

fn identity(pattern: &SymmetricMatrix) -> SymmetricMatrix {
    let mut matrix = pattern.clone();
    (0..matrix.size()).for_each(|i| matrix.add(i, i, 1.0));
    matrix
}

struct Cholesky {
    factor: Factor<f64>,
    scratch: FactorScratch,
    solve: SolveScratch<f64>,
}

struct NewtonStepper {
    settings: Newton,
    system: System<f64>,
    matrix: SymmetricMatrix,
    /// Where in the matrix each entry goes that the batches give, in their order.
    slots: Vec<u32>,
    cholesky: Option<Cholesky>,
    cg: ConjugateGradients,
    warm: Option<Box<dyn Stepper<f64>>>,
    x: Vec<Point<f64>>,
    s: Vec<Point<f64>>,
    before: Vec<Point<f64>>,
    trial: Vec<Point<f64>>,
    force: Vec<Point<f64>>,
    gradient: Vec<f64>,
    rhs: Vec<f64>,
    direction: Vec<f64>,
    /// Room for products with a consistent mass matrix.
    column: Vec<f64>,
    /// What touches in this substep.
    contacts: Contacts,
    /// What holds each vertex where its neighbours stay, beside inertia [N/m].
    stiffness: Vec<f64>,
    /// What couples too many vertices to be in the matrix.
    couplings: Couplings<f64>,
}

impl<S: Precision> Stepper<S> for NewtonStepper {
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved {
        self.system.set_time(problem.system.time());
        widen(problem.guess, &mut self.s, &self.system.inv_mass);
        widen(problem.before, &mut self.before, &self.system.inv_mass);
        self.x.copy_from_slice(&self.s);
        if self.settings.from_before {
            for (x, b) in self.x.iter_mut().zip(&self.before) {
                if x[3] > 0.0 {
                    *x = *b;
                }
            }
        }
        std::mem::swap(&mut self.contacts, problem.contacts);
        if let Some(warm) = &mut self.warm {
            let mut start = Problem {
                system: &self.system,
                exec: problem.exec,
                h: problem.h,
                before: &self.before,
                guess: &self.s,
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

    fn bytes(&self) -> Memory {
        let factor = self.cholesky.as_ref().map_or(0, |c| c.factor.bytes());
        let points = 5 * 32 * self.x.len() + 24 * self.gradient.len() + 4 * self.slots.len();
        let linear = self.cholesky.as_ref().map_or(0, |c| c.scratch.bytes() + c.solve.bytes());
        let linear = linear + self.matrix.bytes() + self.cg.bytes();
        Memory { factor, scratch: points + linear + self.couplings.bytes() }
    }
}

/// The matrix with what couples too many vertices to be in it.
struct Coupled<'a> {
    matrix: &'a SymmetricMatrix,
    couplings: &'a Couplings<f64>,
}

impl Operator for Coupled<'_> {
    fn size(&self) -> usize {
        self.matrix.size()
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.matrix.mul_vec(x, y);
        self.couplings.apply(x, y);
    }
    fn diagonal(&self, out: &mut [f64]) {
        Operator::diagonal(self.matrix, out);
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

/// A Newton decrement below this fraction of the objective cannot be seen in its value.
const ROUNDING: f64 = 1e-13;
/// How much stiffer than what it touches a contact is.
const CONTACT_STIFFNESS: f64 = 10.0;
/// Rounds in which the multipliers of contacts grow, at most.
const CONTACT_ROUNDS: usize = 16;
/// Contacts that are deeper than this go through another round \[m\].
const CONTACT_DEPTH: f64 = 1e-6;
/// Forces of contacts that have changed by more than this part go through another round as well.
const CONTACT_CHANGE: f64 = 1e-3;
/// Halvings of a step before the search gives up.
const HALVINGS: usize = 40;

impl NewtonStepper {
    /// Minimises with contacts as an augmented Lagrangian: their multipliers grow from round to round
    /// until nothing is deep.
    fn minimise_with_contacts(&mut self, exec: &Exec, h: f64) -> Solved {
        if self.contacts.is_empty() {
            return self.minimise(exec, h);
        }
        let (mass, inv_h2) = (&self.system.mass, 1.0 / (h * h));
        let stiffness = &self.stiffness;
        self.contacts.stiffen(CONTACT_STIFFNESS, |v| mass[v] * inv_h2 + stiffness[v]);
        let mut all = Solved::default();
        for _ in 0..CONTACT_ROUNDS {
            let solved = self.minimise(exec, h);
            all = Solved { iterations: all.iterations + solved.iterations, ..solved };
            let changed = self.contacts.grip(&self.x) + self.contacts.update(&self.x);
            if changed < CONTACT_CHANGE && self.contacts.violation(&self.x) < CONTACT_DEPTH {
                break;
            }
        }
        self.contacts.end(&self.x);
        all
    }

    fn minimise(&mut self, exec: &Exec, h: f64) -> Solved {
        let mut solved = Solved { converged: self.settings.tolerance == 0.0, ..Solved::default() };
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
            match self.search(exec, h, value, solved.residual) {
                Some(lower) => value = lower,
                None => {
                    // No step lowers the objective: this is its minimum, to rounding.
                    solved.converged = true;
                    return solved;
                }
            }
        }
    }

    /// The norm of a gradient that is zero but for the rounding of positions \[N\].
    fn rounding_floor(&self) -> f64 {
        let of = |i: usize, c: usize| self.matrix.column(3 * i + c).1[0] * self.x[i][c];
        let free = (0..self.x.len()).filter(|&i| self.x[i][3] > 0.0);
        let square = |v: f64| v * v;
        let sum: f64 = free.map(|i| (0..3).map(|c| square(of(i, c))).sum::<f64>()).sum();
        f64::EPSILON * (sum.sqrt() + self.couplings.rounding(&self.x))
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
        self.contacts.push(&self.x, &mut self.force);
        let inv_h2 = 1.0 / (h * h);
        for i in 0..self.x.len() {
            let (m, free) = (self.system.mass[i], self.x[i][3] > 0.0);
            for c in 0..3 {
                let inertia = m * inv_h2 * (self.x[i][c] - self.s[i][c]);
                self.gradient[3 * i + c] = if free { inertia - self.force[i][c] } else { 0.0 };
            }
        }
        if let Some(mass) = self.system.model.mass_matrix() {
            let (d, md) = self.column.split_at_mut(self.x.len());
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

    /// The Hessian of the objective, with the identity for pinned vertices.
    fn assemble(&mut self, h: f64, definite: bool) {
        let (matrix, x) = (&mut self.matrix, &self.x);
        matrix.set_zero();
        let free = |row: usize| x[row / 3][3] > 0.0;
        let inv_h2 = 1.0 / (h * h);
        for row in 0..3 * x.len() {
            if !free(row) {
                matrix.add(row, row, 1.0);
            } else if self.system.model.mass_matrix().is_none() {
                matrix.add(row, row, self.system.mass[row / 3] * inv_h2);
            }
        }
        if let Some(mass) = self.system.model.mass_matrix() {
            for column in 0..mass.size() {
                let (rows, values) = mass.column(column);
                for (&row, &m) in rows.iter().zip(values) {
                    let row = row as usize;
                    if free(3 * row) && free(3 * column) {
                        (0..3).for_each(|c| matrix.add(3 * row + c, 3 * column + c, m * inv_h2));
                    }
                }
            }
        }
        let mut slots = self.slots.iter();
        for batch in &self.system.batches {
            batch.hessian(x, definite, &mut |_, _, value| match slots.next() {
                Some(&slot) if slot != NOWHERE => matrix.add_at(slot as usize, value),
                _ => {}
            });
        }
        for &v in self.contacts.vertices() {
            let v = v as usize;
            if x[v][3] > 0.0 {
                let (_, b) = self.contacts.at_vertex(v, x);
                (0..3).for_each(|c| matrix.add(3 * v + c, 3 * v + c, b[c]));
                matrix.add(3 * v + 1, 3 * v, b[3]);
                matrix.add(3 * v + 2, 3 * v + 1, b[4]);
                matrix.add(3 * v + 2, 3 * v, b[5]);
            }
        }
    }

    /// Solves `H d = −∇g`; leaves `d` zero where nothing is finite.
    fn find_direction(&mut self, h: f64) {
        self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = -g);
        if self.cholesky.is_none() {
            self.assemble(h, true);
            self.rhs.copy_from_slice(&self.direction);
            self.direction.fill(0.0);
            self.couplings.look(&self.system, &self.x);
            let whole = Coupled { matrix: &self.matrix, couplings: &self.couplings };
            self.cg.solve(&whole, &self.rhs, &mut self.direction);
            return;
        }
        self.assemble(h, self.settings.hessian == Hessian::Definite);
        let mut positive = self.factor();
        if !positive && self.settings.hessian == Hessian::Adaptive {
            self.assemble(h, true);
            positive = self.factor();
        }
        // Definite parts can fail to rounding alone, and a small shift mends that.
        let n = self.gradient.len();
        let largest = (0..n).map(|i| self.matrix.column(i).1[0].abs()).fold(0.0, f64::max);
        let mut shift = 1e-10 * largest;
        while !positive && shift < largest {
            (0..n).for_each(|i| self.matrix.add(i, i, shift));
            positive = self.factor();
            shift *= 10.0;
        }
        match &mut self.cholesky {
            Some(c) if positive => c.factor.solve1(&mut self.direction, &mut c.solve, &Serial),
            _ => self.direction.fill(0.0),
        }
        if positive && !self.couplings.is_empty() {
            self.couple();
        }
    }

    /// Brings what the factor does not have into the direction.
    fn couple(&mut self) {
        let Some(c) = &mut self.cholesky else { return };
        let (rhs, points) = (&mut self.rhs, &mut self.force);
        self.couplings.look(&self.system, &self.x);
        self.couplings.factor(|z| {
            rhs.chunks_exact_mut(3).zip(&*z).for_each(|(to, z)| to.copy_from_slice(&z[..3]));
            c.factor.solve1(rhs, &mut c.solve, &Serial);
            rhs.chunks_exact(3).zip(z).for_each(|(from, z)| z[..3].copy_from_slice(from));
        });
        let direction = &mut self.direction;
        direction.chunks_exact(3).zip(&mut *points).for_each(|(d, p)| p[..3].copy_from_slice(d));
        self.couplings.correct(points);
        direction.chunks_exact_mut(3).zip(points).for_each(|(d, p)| d.copy_from_slice(&p[..3]));
    }

    /// Factors the matrix; says whether it is positive definite.
    fn factor(&mut self) -> bool {
        let Some(c) = &mut self.cholesky else { return false };
        c.factor.refactor(&self.matrix, &mut c.scratch).is_ok()
    }

    /// Moves along the direction as far as the objective falls; its new value, or none.
    fn search(&mut self, exec: &Exec, h: f64, value: f64, slope_norm: f64) -> Option<f64> {
        let slope: f64 = self.gradient.iter().zip(&self.direction).map(|(g, d)| g * d).sum();
        self.trial.copy_from_slice(&self.x);
        let mut t = 1.0;
        for _ in 0..HALVINGS {
            for (i, (x, from)) in self.x.iter_mut().zip(&self.trial).enumerate() {
                (0..3).for_each(|c| x[c] = from[c] + t * self.direction[3 * i + c]);
            }
            let trial = self.objective(exec, h);
            if !self.settings.line_search || trial <= value + 1e-4 * t * slope {
                return Some(trial);
            }
            // Too close to the minimum for its value to tell: the gradient still can.
            if (t * slope).abs() <= ROUNDING * value.abs() {
                let gradient = self.evaluate_gradient(exec, h);
                if gradient < slope_norm {
                    return Some(trial.min(value));
                }
            }
            t *= 0.5;
        }
        self.x.copy_from_slice(&self.trial);
        None
    }
}
