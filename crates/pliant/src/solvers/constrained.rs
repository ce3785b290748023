//! Constrained dynamics: compliant constraints with dual variables, after the lecture's P29–P36.
//!
//! Each element is a set of constraints `φ` with a compliance `C = 1/w` (zero if infinitely stiff) and
//! a multiplier `λ = −φ/C`, the force. With the constraints linearised at `x`, an implicit Euler step
//! with the inertial guess `s` solves (P31)
//!
//! ```text
//! M/h² (x + d − s) = Jᵀ λ
//! φ(x) + J d + C λ = 0
//! ```
//!
//! for the displacement `d` and the multipliers together. No term grows with the stiffness. The first
//! linearisation is at the old positions: one iteration is the lecture's method, further iterations are
//! Newton's method on positions and multipliers.
//!
//! **Geometric stiffness** (P34–P36, Tournier et al. 2015, "Stable Constrained Dynamics"): a taut
//! constraint also resists rotation, with `K = −λ ∇²φ`. Without it a stiff, heavily loaded chain is
//! unstable transversely to its links. The positive semi-definite part of `K` is added to the mass
//! matrix. Here it is added as extra rows, one for each mode `κ g gᵀ` of each element, with value zero
//! and compliance `1/κ`; their multipliers are the change of force that rotation causes. The primal
//! block therefore stays diagonal, and all three [`SaddleMethod`]s solve the same sparse system.
//!
//! The multipliers that `K` needs are recomputed in each step from the old positions and the inertial
//! guess, by one more solve without `K`. Tournier et al. keep them from the previous step instead. They
//! would then be part of the state, would persist when the user edits the positions, and would have to
//! be transferred from one solver to another. Recomputed, a step remains a function of positions and
//! velocities alone.
//!
//! **Line search.** From the second iteration on, a displacement is halved until it lowers
//! `1/2h² ‖x − s‖²_M + Σ ψ(φ)`. `ψ` equals each element's energy `w/2 ‖φ‖²` up to slightly more than its current
//! force, and grows linearly beyond. With the energy itself, a stiff element could hardly rotate at
//! all; `ψ` is the exact penalty of the compliant constraint, and for a hard constraint that of the
//! constraint itself (Nocedal and Wright, Numerical Optimization, §18.3).
//!
//! For redundant and contradicting constraints see [`crate::linalg::Saddle`]. Inequalities act only
//! with multipliers of the admissible sign. The solver always works in double precision.

use crate::Error;
use crate::batch::ElementPrecision;
use crate::contact::ContactSet;
use crate::element::Direction;
use crate::linalg::{Saddle, SaddleMethod};
use crate::parallel::Exec;
use crate::simd::Point;
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{MemoryUsage, PreparedSolver, Problem, SolveReport, Solver, require_lumped};
use crate::system::System;

/// Settings of constrained dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constrained {
    /// Maximum number of linearisations per substep. One is the lecture's method: cheap and stable, but
    /// links that rotate fast are too long by half the square of the angle until the next step.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Stop when the largest vertex displacement of an iteration falls to this fraction of the largest
    /// one of any iteration of the substep. Zero takes all iterations.
    pub tolerance: f64,
    /// Method that solves the linear systems.
    pub method: SaddleMethod,
    /// True if taut constraints resist rotation within a step.
    pub geometric_stiffness: bool,
    /// True if displacements that overshoot are shortened. Has no effect with a single iteration.
    pub line_search: bool,
    /// Weight above which elements have no compliance and are infinitely stiff, in the units of each
    /// element's weight. Infinite unless set.
    pub hard_above: f64,
}

impl Default for Constrained {
    fn default() -> Self {
        Self {
            iterations: 10,
            substeps: 1,
            tolerance: 1e-4,
            method: SaddleMethod::PrimalDual,
            geometric_stiffness: true,
            line_search: true,
            hard_above: f64::INFINITY,
        }
    }
}

/// Default relative residual of conjugate gradients where they are chosen by name.
const DEFAULT_CG_TOLERANCE: f64 = 1e-10;
/// Multiple of an element's current force up to which its penalty equals its energy.
const PENALTY_SCALE: f64 = 1.5;
/// Fraction of the scene's size below which displacements are rounding errors.
const RELATIVE_ROUNDING: f64 = 1e-13;
/// Maximum number of halvings of a displacement in the line search.
const MAX_BACKTRACKS: usize = 12;

impl Constrained {
    /// Returns the lecture's method: constraints linearised once, at the old positions.
    pub fn linearised() -> Self {
        Self { iterations: 1, tolerance: 0.0, ..Self::default() }
    }

    /// Returns settings in which every element is infinitely stiff.
    pub fn hard() -> Self {
        Self { hard_above: 0.0, ..Self::default() }
    }
}

impl HasSettings for Constrained {
    const SETTINGS: &[Setting<Self>] = &[
        Setting::iterations(|s| &mut s.iterations),
        Setting::substeps(|s| &mut s.substeps),
        Setting::number(
            "tolerance",
            "",
            "displacement below which iterations end, relative to the largest",
            0.1,
            |s| Some(&mut s.tolerance),
        ),
        Setting::choice(
            "method",
            "method of solving the linear systems",
            &["primal-dual", "schur", "schur-cg"],
            |s| match s.method {
                SaddleMethod::PrimalDual => 0,
                SaddleMethod::Schur => 1,
                SaddleMethod::SchurCg { .. } => 2,
            },
            |s, k| {
                s.method = match k {
                    0 => SaddleMethod::PrimalDual,
                    1 => SaddleMethod::Schur,
                    _ => SaddleMethod::SchurCg { tolerance: DEFAULT_CG_TOLERANCE },
                }
            },
        ),
        Setting::number("cg_tolerance", "", "relative residual of conjugate gradients", 0.1, |s| {
            match &mut s.method {
                SaddleMethod::SchurCg { tolerance } => Some(tolerance),
                _ => None,
            }
        }),
        Setting::flag(
            "geometric_stiffness",
            "taut constraints resist rotation within a step",
            |s| &mut s.geometric_stiffness,
        ),
        Setting::flag("line_search", "shorten displacements that overshoot", |s| {
            &mut s.line_search
        }),
        Setting::number(
            "hard_above",
            "",
            "weight above which an element is infinitely stiff",
            f64::INFINITY,
            |s| Some(&mut s.hard_above),
        ),
    ];
}

impl Solver for Constrained {
    fn name(&self) -> &'static str {
        "constrained"
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        _: f64,
        _: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        require_lumped(self.name(), system)?;
        self.validate()?;
        let own = System::<f64>::new(system.model.clone());
        let mut layout = Vec::new();
        let mut rows = Vec::new();
        let mut duals = Vec::new();
        for batch in &own.batches {
            let mut first = Vec::with_capacity(batch.len());
            batch.list_rows(self.geometric_stiffness, &mut |vertices, most| {
                let columns: Vec<u32> =
                    vertices.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]).collect();
                first.push(rows.len() as u32);
                rows.extend((0..most).map(|_| columns.clone()));
            });
            first.push(rows.len() as u32);
            layout.push(first);
            duals.push(vec![0.0; batch.duals() * batch.len()]);
        }
        let points = || vec![Point::default(); own.len()];
        let longest = layout.iter().map(Vec::len).max().unwrap_or(0);
        Ok(Box::new(PreparedConstrained {
            settings: *self,
            saddle: Saddle::new(3 * own.len(), &rows, self.method)?,
            owners: vec![RowOwner::default(); rows.len()],
            directions: vec![(0, [0.0; 9]); rows.len()],
            used_rows: vec![0; longest],
            squares: vec![[0.0; 2]; longest],
            layout,
            duals,
            extent: own.model.extent(),
            root_inv_mass: own.inv_mass.iter().map(|w| w.sqrt()).collect(),
            x: points(),
            search_start: points(),
            s: points(),
            free_prediction: points(),
            force: points(),
            system: own,
        }))
    }
}

impl Constrained {
    fn validate(&self) -> Result<(), Error> {
        let name = "solver constrained";
        let invalid = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        if !(self.tolerance >= 0.0) {
            return invalid("tolerance", self.tolerance, "it must not be negative");
        }
        if !(self.hard_above >= 0.0) {
            return invalid("hard_above", self.hard_above, "it must not be negative");
        }
        match self.method {
            SaddleMethod::SchurCg { tolerance } if !(tolerance > 0.0 && tolerance < 1.0) => {
                invalid("tolerance of the linear solver", tolerance, "it must be between 0 and 1")
            }
            _ => Ok(()),
        }
    }
}

/// Batch and element whose multiplier the row carries; `None` for a geometric-stiffness row or an
/// unused row.
#[derive(Clone, Copy, Default)]
struct RowOwner(Option<(u32, u32)>);

struct PreparedConstrained {
    settings: Constrained,
    system: System<f64>,
    saddle: Saddle,
    /// First row of each element of each batch, followed by the end.
    layout: Vec<Vec<u32>>,
    owners: Vec<RowOwner>,
    directions: Vec<(usize, Direction)>,
    /// Number of rows used so far by each element of a batch.
    used_rows: Vec<u32>,
    /// Dual variables of each batch.
    duals: Vec<Vec<f64>>,
    root_inv_mass: Vec<f64>,
    /// Size of the scene \[m\].
    extent: f64,
    /// `‖φ‖²` and the compliance of each element of a batch.
    squares: Vec<[f64; 2]>,
    x: Vec<Point<f64>>,
    /// Positions before the current displacement.
    search_start: Vec<Point<f64>>,
    s: Vec<Point<f64>>,
    /// Inertial guess without contacts.
    free_prediction: Vec<Point<f64>>,
    force: Vec<Point<f64>>,
}

impl<S: ElementPrecision> PreparedSolver<S> for PreparedConstrained {
    fn solve(&mut self, problem: &mut Problem<S>) -> SolveReport {
        let wide = |p: &Point<S>, w: f64| [p[0].to_f64(), p[1].to_f64(), p[2].to_f64(), w];
        for i in 0..self.x.len() {
            let w = self.system.inv_mass[i];
            self.s[i] = wide(&problem.predicted[i], w);
            // Pinned vertices start at their targets.
            self.x[i] = if w > 0.0 { wide(&problem.previous[i], w) } else { self.s[i] };
        }
        self.free_prediction.copy_from_slice(&self.s);
        self.system.set_time(problem.system.time());
        let solved = self.run(problem.exec, problem.h, problem.contacts);
        for ((to, from), w) in problem.x.iter_mut().zip(&self.x).zip(&self.system.inv_mass) {
            if *w > 0.0 {
                (0..3).for_each(|c| to[c] = S::from_f64(from[c]));
            }
        }
        solved
    }

    fn bytes(&self) -> MemoryUsage {
        let (factor, scratch) = self.saddle.bytes();
        let own = 104 * self.x.len()
            + 84 * self.owners.len()
            + self.layout.iter().map(|l| 4 * l.len()).sum::<usize>()
            + self.duals.iter().map(|d| 8 * d.len()).sum::<usize>();
        MemoryUsage { factor, scratch: scratch + own }
    }
}

impl PreparedConstrained {
    fn run(&mut self, exec: &Exec, h: f64, contacts: &mut ContactSet) -> SolveReport {
        // A single iteration has no tolerance to reach.
        let fixed = self.settings.tolerance == 0.0 || self.settings.iterations == 1;
        let mut solved = SolveReport { converged: fixed, ..SolveReport::default() };
        if self.settings.geometric_stiffness {
            self.linearise(h, false);
            self.saddle.solve();
            self.store_duals();
        }
        let mut farthest = 0.0_f64;
        // Vertices at rest still move by rounding errors.
        let rounding = RELATIVE_ROUNDING * self.extent;
        while solved.iterations < self.settings.iterations {
            solved.iterations += 1;
            self.linearise(h, self.settings.geometric_stiffness);
            self.saddle.solve();
            self.store_duals();
            let mut moved = self.line_search(h);
            if !contacts.is_empty() {
                moved = moved.max(self.project_contacts(contacts));
            }
            farthest = farthest.max(moved);
            let goal = (self.settings.tolerance * farthest).max(rounding);
            if self.settings.tolerance > 0.0 && moved <= goal {
                solved.converged = true;
                break;
            }
        }
        solved.residual = self.residual_norm(exec, h);
        solved
    }

    /// Projects the contacts and shifts the inertial guess by the contact multipliers applied. Returns
    /// the longest displacement \[m\].
    fn project_contacts(&mut self, contacts: &mut ContactSet) -> f64 {
        self.search_start.copy_from_slice(&self.x);
        contacts.relax(&mut self.x);
        self.s.copy_from_slice(&self.free_prediction);
        for contact in contacts.list() {
            for (&v, a) in contact.vertices().iter().zip(contact.coefficients()) {
                let d = contact.multiplier.scale(a * self.system.inv_mass[v as usize]);
                let s = &mut self.s[v as usize];
                (0..3).for_each(|c| s[c] += [d.x, d.y, d.z][c]);
            }
        }
        let mut longest = 0.0_f64;
        for &v in contacts.vertices() {
            let (x, from) = (&self.x[v as usize], &self.search_start[v as usize]);
            let square: f64 = (0..3).map(|c| (x[c] - from[c]) * (x[c] - from[c])).sum();
            longest = longest.max(square.sqrt());
        }
        longest
    }

    /// Fills the system with the constraints at `x`, in coordinates `z = √M d / h`.
    fn linearise(&mut self, h: f64, geometric: bool) {
        let Self {
            saddle, layout, owners, directions, used_rows: used, duals, root_inv_mass, ..
        } = self;
        saddle.clear();
        owners.fill(RowOwner::default());
        for (b, batch) in self.system.batches.iter().enumerate() {
            used.fill(0);
            let first = &layout[b];
            let duals = geometric.then_some(duals[b].as_slice());
            let hard_above = self.settings.hard_above;
            batch.constraint_rows(&self.x, duals, hard_above, &mut |row| {
                let k = first[row.element] + used[row.element];
                if k == first[row.element + 1] {
                    return;
                }
                used[row.element] += 1;
                let k = k as usize;
                saddle.fill(k, |p, column| {
                    let g = row.gradient[p / 3];
                    h * root_inv_mass[column as usize / 3] * [g.x, g.y, g.z][p % 3]
                });
                match row.unilateral {
                    true => saddle.set_one_sided(k, row.value, row.compliance),
                    false => saddle.set(k, row.value, row.compliance),
                }
                if let Some(direction) = row.direction {
                    owners[k] = RowOwner(Some((b as u32, row.element as u32)));
                    directions[k] = (row.dual_offset, *direction);
                }
            });
        }
        let start = saddle.free_motion_mut();
        for i in 0..self.x.len() {
            let r = self.root_inv_mass[i];
            let scale = if r > 0.0 { 1.0 / (r * h) } else { 0.0 };
            for c in 0..3 {
                start[3 * i + c] = scale * (self.s[i][c] - self.x[i][c]);
            }
        }
    }

    /// Moves `x` by the solution or a fraction of it. Returns the longest displacement \[m\] of the
    /// full step.
    fn line_search(&mut self, h: f64) -> f64 {
        self.search_start.copy_from_slice(&self.x);
        if !self.settings.line_search || self.settings.iterations == 1 {
            return self.displace(h, 1.0);
        }
        let before = self.merit(h);
        let square: f64 = self.saddle.solution().iter().map(|z| z * z).sum();
        let mut t = 1.0;
        let whole = self.displace(h, t);
        for _ in 0..MAX_BACKTRACKS {
            let after = self.merit(h);
            // Too close to the solution: the decrease is lost in rounding.
            let rounding = t * square <= 1e-12 * before.abs();
            if after <= before - 1e-4 * t * square || rounding {
                return whole;
            }
            t *= 0.5;
            self.displace(h, t);
        }
        whole
    }

    /// Sets `x` to `search_start` plus the fraction `t` of the solution. Returns the longest
    /// displacement \[m\].
    fn displace(&mut self, h: f64, t: f64) -> f64 {
        let z = self.saddle.solution();
        let mut longest = 0.0_f64;
        for i in 0..self.x.len() {
            let scale = t * h * self.root_inv_mass[i];
            let mut square = 0.0;
            for c in 0..3 {
                let d = scale * z[3 * i + c];
                self.x[i][c] = self.search_start[i][c] + d;
                square += d * d;
            }
            longest = longest.max(square.sqrt());
        }
        longest
    }

    /// Returns the merit function \[J\] at `x`: inertia plus penalties for the current dual variables.
    fn merit(&mut self, h: f64) -> f64 {
        let mut sum = 0.0;
        for i in (0..self.x.len()).filter(|&i| self.x[i][3] > 0.0) {
            let d = [0, 1, 2].map(|c| self.x[i][c] - self.s[i][c]);
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            sum += 0.5 * self.system.mass[i] / (h * h) * square;
        }
        let hard_above = self.settings.hard_above;
        for (batch, duals) in self.system.batches.iter().zip(&self.duals) {
            let squares = &mut self.squares;
            squares.fill([0.0; 2]);
            batch.constraint_rows(&self.x, None, hard_above, &mut |row| {
                let value = if row.unilateral { row.value.min(0.0) } else { row.value };
                squares[row.element][0] += value * value;
                squares[row.element][1] = row.compliance;
            });
            for (dual, &[square, compliance]) in duals.chunks_exact(batch.duals()).zip(&*squares) {
                let force = PENALTY_SCALE * dual.iter().map(|l| l * l).sum::<f64>().sqrt();
                let value = square.sqrt();
                sum += if value < compliance * force {
                    0.5 * square / compliance
                } else {
                    force * (value - 0.5 * compliance * force)
                };
            }
        }
        sum
    }

    /// Assembles the elements' dual variables from the multipliers.
    fn store_duals(&mut self) {
        self.duals.iter_mut().for_each(|d| d.fill(0.0));
        for (k, lambda) in self.saddle.multipliers().iter().enumerate() {
            let RowOwner(Some((batch, element))) = self.owners[k] else { continue };
            let n = self.system.batches[batch as usize].duals();
            let dual = &mut self.duals[batch as usize][element as usize * n..][..n];
            let (first, direction) = &self.directions[k];
            for (d, q) in dual[*first..].iter_mut().zip(direction) {
                *d += lambda * q;
            }
        }
    }

    /// Returns the norm of the residual force \[N\]; NaN if constraints may be hard, since their force
    /// is not a function of the positions.
    fn residual_norm(&mut self, exec: &Exec, h: f64) -> f64 {
        if self.settings.hard_above < f64::INFINITY {
            return f64::NAN;
        }
        self.force.fill(Point::default());
        for batch in &self.system.batches {
            batch.force(exec, &self.x, &mut self.force);
        }
        let mut sum = 0.0;
        for i in (0..self.x.len()).filter(|&i| self.x[i][3] > 0.0) {
            for c in 0..3 {
                let inertia = self.system.mass[i] / (h * h) * (self.x[i][c] - self.s[i][c]);
                let r = inertia - self.force[i][c];
                sum += r * r;
            }
        }
        sum.sqrt()
    }
}
