//! Linearised constraints with multipliers: the saddle-point system of constrained dynamics.
//!
//! In coordinates `z` in which the mass matrix is the identity, a step moves `z₀`, what the inertia
//! wants, to the `z` nearest to it that the constraints agree with (the lecture's P31, errata):
//!
//! ```text
//! z − Jᵀ λ = z₀                      [ I   Jᵀ ] [  z ]   [  z₀ ]
//! J z + C λ = −φ           or        [ J  −C  ] [ −λ ] = [ −φ  ]
//! ```
//!
//! with one row of `J` for each constraint, its value `φ` and its compliance `C ≥ 0`, which is an
//! inverse stiffness. One-sided rows act where they are needed, with `λ ≥ 0`. Three ways (P32):
//!
//! * [`SaddleMethod::PrimalDual`]: the whole system by a sparse LDLᵀ;
//! * [`SaddleMethod::Schur`]: `(J Jᵀ + C) λ = −φ − J z₀` by a sparse Cholesky factorisation;
//! * [`SaddleMethod::SchurCg`]: the same by conjugate gradients, never written down.
//!
//! **Infinite stiffness and redundant rows.** Rows are scaled to unit length. All three methods see
//! the compliances raised by [`EXTRA`] of that unit, which makes the matrix quasi-definite (or
//! positive definite) whatever the rank of `J`; what this changes is taken back by solving again for
//! the residual of the true system, the method of multipliers. The multipliers stay in the range of
//! `J Jᵀ + C`: where rows repeat each other, the force is shared as by the least sum of squares.
//! Hard rows that *contradict* each other have no solution; they get large opposed multipliers and
//! a `z` between them. The residual says so.

use std::cell::RefCell;
use std::sync::Arc;

use super::{
    ConjugateGradients, Factor, FactorScratch, Hints, Ldl, Operator, Serial, SolveScratch,
    Symbolic, SymmetricMatrix,
};
use crate::Error;

/// Compliance that the methods see in addition, for rows of unit length.
pub const EXTRA: f64 = 1e-8;
/// Solves for the residual, at most. Each lowers it by about `EXTRA` over the least eigenvalue.
const REFINEMENTS: usize = 20;
/// Relative residual at which multipliers by a factorisation count as found.
const SOLVED: f64 = 1e-14;
/// Passes over the one-sided rows, at most.
const PASSES: usize = 60;
/// Compliances that one-sided rows get, one after another, where the passes come to no end: rows that
/// are nearly redundant leave multipliers without a sign.
const SOFTER: [f64; 4] = [0.0, 1e-6, 1e-4, 1e-2];
/// Passes in a row in which all wrong rows change although there are no fewer of them.
const TRIES: usize = 3;
/// A multiplier above this part of the largest, negated, does not pull: it is the rounding that
/// redundant rows leave.
const PULLS: f64 = 1e-7;

/// How the system is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SaddleMethod {
    /// Positions and multipliers together, by a sparse factorisation.
    PrimalDual,
    /// The multipliers first, by a sparse factorisation. Its matrix grows with the square of the
    /// number of constraints at a vertex: for chains and joints, not for meshes.
    Schur,
    /// The multipliers first, by conjugate gradients.
    SchurCg {
        /// Relative residual at which to stop.
        tolerance: f64,
    },
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SaddleReport {
    /// Passes over the one-sided rows, at least one.
    pub passes: usize,
    /// Solves for a residual, or iterations of conjugate gradients, in the last pass.
    pub refinements: usize,
    /// Norm of the residual of the scaled rows over that of their right-hand side.
    pub residual: f64,
    /// Whether the one-sided rows came to rest without being softened.
    pub settled: bool,
}

/// Rows over columns, their multipliers, and the means to find them. Allocates only when made.
pub struct Saddle {
    starts: Vec<u32>,
    columns: Vec<u32>,
    gradient: Vec<f64>,
    value: Vec<f64>,
    compliance: Vec<f64>,
    one_sided: Vec<bool>,
    /// The rows scaled to unit length: gradients, values, compliances, and the factor.
    unit: Vec<f64>,
    unit_value: Vec<f64>,
    unit_compliance: Vec<f64>,
    scale: Vec<f64>,
    active: Vec<bool>,
    wrong: Vec<bool>,
    /// `−φ − J z₀` and its residual, and the scaled multipliers.
    rhs: Vec<f64>,
    residual: Vec<f64>,
    step: Vec<f64>,
    dual: Vec<f64>,
    start: Vec<f64>,
    z: Vec<f64>,
    room: RefCell<Vec<f64>>,
    lambda: Vec<f64>,
    engine: Engine,
}

enum Engine {
    PrimalDual { matrix: SymmetricMatrix, slots: Vec<u32>, ldl: Box<Ldl>, both: Vec<f64> },
    Schur(Box<SchurFactor>),
    Cg(ConjugateGradients),
    Nothing,
}

struct SchurFactor {
    matrix: SymmetricMatrix,
    /// By columns of `J`: where the products of its entries go, and which they are.
    products: Vec<[u32; 3]>,
    /// The row of each entry of `J`.
    owner: Vec<u32>,
    factor: Factor<f64>,
    scratch: FactorScratch,
    solve: SolveScratch<f64>,
}

impl Saddle {
    /// Room for rows with the given columns, out of `columns`.
    pub fn new(columns: usize, rows: &[Vec<u32>], method: SaddleMethod) -> Result<Self, Error> {
        let m = rows.len();
        let mut starts = vec![0];
        for row in rows {
            starts.push(starts[starts.len() - 1] + row.len() as u32);
        }
        let list: Vec<u32> = rows.iter().flatten().copied().collect();
        let entries = list.len();
        let engine = match method {
            _ if m == 0 || columns == 0 => Engine::Nothing,
            SaddleMethod::PrimalDual => primal_dual(columns, &starts, &list),
            SaddleMethod::Schur => schur(columns, &starts, &list)?,
            SaddleMethod::SchurCg { tolerance } => {
                Engine::Cg(ConjugateGradients::new(tolerance, 10 * m.max(100)))
            }
        };
        let zeros = |n: usize| vec![0.0; n];
        Ok(Self {
            starts,
            columns: list,
            gradient: zeros(entries),
            value: zeros(m),
            compliance: zeros(m),
            one_sided: vec![false; m],
            unit: zeros(entries),
            unit_value: zeros(m),
            unit_compliance: zeros(m),
            scale: zeros(m),
            active: vec![false; m],
            wrong: vec![false; m],
            rhs: zeros(m),
            residual: zeros(m),
            step: zeros(m),
            dual: zeros(m),
            start: zeros(columns),
            z: zeros(columns),
            room: RefCell::new(zeros(columns)),
            lambda: zeros(m),
            engine,
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.value.len()
    }

    /// Switches all rows off.
    pub fn clear(&mut self) {
        self.gradient.fill(0.0);
        self.value.fill(0.0);
        self.compliance.fill(0.0);
        self.one_sided.fill(false);
    }

    /// Sets the gradient of a row to `entry(i, column)` for the `i`-th of its columns.
    pub fn fill(&mut self, row: usize, mut entry: impl FnMut(usize, u32) -> f64) {
        for (i, p) in self.entries(row).enumerate() {
            self.gradient[p] = entry(i, self.columns[p]);
        }
    }

    /// Sets the value and the compliance of a row. A row without a gradient, or with numbers that
    /// are not finite, is off.
    pub fn set(&mut self, row: usize, value: f64, compliance: f64) {
        self.value[row] = value;
        self.compliance[row] = compliance;
        self.one_sided[row] = false;
    }

    /// The same for a row that keeps its value from going below zero and never pulls: `λ ≥ 0`.
    pub fn set_one_sided(&mut self, row: usize, value: f64, compliance: f64) {
        self.set(row, value, compliance);
        self.one_sided[row] = true;
    }

    /// What the inertia wants, `z₀`.
    pub fn start_mut(&mut self) -> &mut [f64] {
        &mut self.start
    }

    /// The solution `z`.
    pub fn solution(&self) -> &[f64] {
        &self.z
    }

    /// The multipliers `λ`; zero for rows that are off.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    /// Finds the multipliers and the solution.
    pub fn solve(&mut self) -> SaddleReport {
        self.scale_rows();
        let mut report = SaddleReport::default();
        for soft in SOFTER {
            if self.pivot(soft, &mut report) {
                break;
            }
        }
        for k in 0..self.rows() {
            // Whatever happened, a one-sided row does not pull.
            if self.one_sided[k] {
                self.dual[k] = self.dual[k].max(0.0);
            }
            let off = !self.active[k];
            self.lambda[k] = if off { 0.0 } else { self.dual[k] * self.scale[k] };
        }
        self.move_on();
        report
    }

    /// Finds out which one-sided rows act, softer by a compliance of rows of unit length; says
    /// whether that came to an end. Block principal pivoting (Júdice and Pires 1994): all wrong rows
    /// change at once, and one at a time where that does not make them fewer.
    fn pivot(&mut self, soft: f64, report: &mut SaddleReport) -> bool {
        for k in (0..self.rows()).filter(|&k| self.one_sided[k] && self.scale[k] > 0.0) {
            self.unit_compliance[k] += soft;
        }
        let (mut fewest, mut tries) = (usize::MAX, TRIES);
        for _ in 0..PASSES {
            report.passes += 1;
            (report.refinements, report.residual) = self.find_multipliers();
            self.move_on();
            let wrong = self.find_wrong();
            if wrong == 0 {
                report.settled = soft == 0.0;
                return true;
            }
            if wrong < fewest {
                (fewest, tries) = (wrong, TRIES);
            } else {
                tries = tries.saturating_sub(1);
            }
            self.change_wrong(tries == 0);
        }
        false
    }

    fn entries(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Scales rows to unit length and switches on those that act.
    fn scale_rows(&mut self) {
        for k in 0..self.rows() {
            let range = self.entries(k);
            let square: f64 = self.gradient[range.clone()].iter().map(|g| g * g).sum();
            let s = 1.0 / square.sqrt();
            let (value, compliance) = (s * self.value[k], s * s * self.compliance[k]);
            let usable = s > 0.0 && s.is_finite() && value.is_finite() && compliance.is_finite();
            self.scale[k] = if usable { s } else { 0.0 };
            self.unit_value[k] = if usable { value } else { 0.0 };
            self.unit_compliance[k] = if usable { compliance } else { 1.0 };
            let mut along = 0.0;
            for p in range {
                self.unit[p] = if usable { s * self.gradient[p] } else { 0.0 };
                along += self.unit[p] * self.start[self.columns[p] as usize];
            }
            self.rhs[k] = -self.unit_value[k] - along;
            // A one-sided row is tried where it is violated now or by what the inertia wants.
            self.active[k] = usable && (!self.one_sided[k] || value < 0.0 || self.rhs[k] > 0.0);
        }
    }

    /// `z = z₀ + Jᵀ λ`.
    fn move_on(&mut self) {
        self.z.copy_from_slice(&self.start);
        for k in 0..self.rows() {
            if self.active[k] {
                for p in self.entries(k) {
                    self.z[self.columns[p] as usize] += self.unit[p] * self.dual[k];
                }
            }
        }
    }

    /// Marks one-sided rows that pull, and absent ones that would be violated; their number.
    fn find_wrong(&mut self) -> usize {
        let largest = self.dual.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
        let mut count = 0;
        for k in 0..self.rows() {
            self.wrong[k] = false;
            if !self.one_sided[k] || self.scale[k] == 0.0 {
                continue;
            }
            self.wrong[k] = if self.active[k] {
                self.dual[k] < -PULLS * largest
            } else {
                let moved: f64 =
                    self.entries(k).map(|p| self.unit[p] * self.z[self.columns[p] as usize]).sum();
                let after = self.unit_value[k] + moved;
                after < -1e-12 * (self.unit_value[k].abs() + moved.abs())
            };
            count += usize::from(self.wrong[k]);
        }
        count
    }

    /// Switches the marked rows, or only the last of them.
    fn change_wrong(&mut self, only_last: bool) {
        for k in (0..self.rows()).rev() {
            if self.wrong[k] {
                self.active[k] = !self.active[k];
                if only_last {
                    return;
                }
            }
        }
    }

    /// Solves for the scaled multipliers; refinements and relative residual.
    fn find_multipliers(&mut self) -> (usize, f64) {
        self.dual.fill(0.0);
        let size = active_norm(&self.rhs, &self.active);
        if size == 0.0 || !size.is_finite() {
            return (0, 0.0);
        }
        let rows = self.rows();
        let operator = Complement {
            starts: &self.starts,
            columns: &self.columns,
            unit: &self.unit,
            compliance: &self.unit_compliance,
            active: &self.active,
            extra: 0.0,
            room: &self.room,
        };
        let softer = Complement { extra: EXTRA, ..operator };
        if !self.engine.factor(&operator) {
            return (0, 1.0);
        }
        let goal = self.engine.tolerance() * size;
        let (mut last, mut products) = (size, 0);
        for refinement in 0..=REFINEMENTS {
            operator.apply(&self.dual, &mut self.residual);
            for k in 0..rows {
                let r = self.rhs[k] - self.residual[k];
                self.residual[k] = if self.active[k] { r } else { 0.0 };
            }
            let norm = active_norm(&self.residual, &self.active);
            let stalled = refinement > 0 && !(norm < 0.5 * last);
            if norm <= goal || stalled || refinement == REFINEMENTS {
                return (refinement.max(products), norm / size);
            }
            last = norm;
            match &mut self.engine {
                Engine::Cg(cg) => {
                    self.step.fill(0.0);
                    products += cg.solve(&softer, &self.residual, &mut self.step).iterations;
                }
                engine => {
                    self.step.copy_from_slice(&self.residual);
                    engine.solve(&mut self.step);
                }
            }
            for k in 0..rows {
                self.dual[k] += self.step[k];
            }
        }
        (REFINEMENTS, last / size)
    }

    /// Bytes held by the factor, and by all else.
    pub fn bytes(&self) -> (usize, usize) {
        let own = 8 * (2 * self.gradient.len() + 9 * self.value.len() + 3 * self.z.len())
            + 4 * (self.columns.len() + self.starts.len());
        match &self.engine {
            Engine::PrimalDual { matrix, slots, ldl, both } => {
                (ldl.bytes(), own + matrix.bytes() + 4 * slots.len() + 8 * both.len())
            }
            Engine::Schur(s) => {
                let rest = s.scratch.bytes() + s.solve.bytes() + 12 * s.products.len();
                (s.factor.bytes(), own + rest + s.matrix.bytes())
            }
            Engine::Cg(cg) => (0, own + cg.bytes()),
            Engine::Nothing => (0, own),
        }
    }
}

fn active_norm(v: &[f64], active: &[bool]) -> f64 {
    v.iter().zip(active).filter(|(_, a)| **a).map(|(v, _)| v * v).sum::<f64>().sqrt()
}

/// `J Jᵀ + C` over the active rows, and the identity over the others.
#[derive(Clone, Copy)]
struct Complement<'a> {
    starts: &'a [u32],
    columns: &'a [u32],
    unit: &'a [f64],
    compliance: &'a [f64],
    active: &'a [bool],
    /// Compliance of all rows in addition.
    extra: f64,
    room: &'a RefCell<Vec<f64>>,
}

impl Complement<'_> {
    fn entries(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }
}

impl Operator for Complement<'_> {
    fn size(&self) -> usize {
        self.active.len()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let mut room = self.room.borrow_mut();
        room.fill(0.0);
        for k in (0..self.size()).filter(|&k| self.active[k]) {
            for p in self.entries(k) {
                room[self.columns[p] as usize] += self.unit[p] * x[k];
            }
        }
        for k in 0..self.size() {
            if !self.active[k] {
                y[k] = x[k];
                continue;
            }
            let mut sum = (self.compliance[k] + self.extra) * x[k];
            for p in self.entries(k) {
                sum += self.unit[p] * room[self.columns[p] as usize];
            }
            y[k] = sum;
        }
    }

    fn diagonal(&self, out: &mut [f64]) {
        for k in 0..self.size() {
            out[k] = if self.active[k] { 1.0 + self.compliance[k] } else { 1.0 };
        }
    }
}

fn primal_dual(columns: usize, starts: &[u32], list: &[u32]) -> Engine {
    let m = starts.len() - 1;
    let mut entries = Vec::with_capacity(list.len());
    for k in 0..m {
        for p in starts[k]..starts[k + 1] {
            entries.push(((columns + k) as u32, list[p as usize], 0.0));
        }
    }
    let matrix = SymmetricMatrix::from_triplets(columns + m, entries.iter().copied());
    let slot = |e: &(u32, u32, f64)| {
        matrix.slot(e.0 as usize, e.1 as usize).expect("every entry was given") as u32
    };
    let mut slots: Vec<u32> = entries.iter().map(slot).collect();
    let diagonal = |i: usize| matrix.slot(i, i).expect("the diagonal is always there") as u32;
    slots.extend((0..columns + m).map(diagonal));
    let positive: Vec<bool> = (0..columns + m).map(|i| i < columns).collect();
    let ldl = Box::new(Ldl::new(&matrix, &positive));
    Engine::PrimalDual { both: vec![0.0; columns + m], matrix, slots, ldl }
}

fn schur(columns: usize, starts: &[u32], list: &[u32]) -> Result<Engine, Error> {
    let m = starts.len() - 1;
    let mut by_column = vec![Vec::new(); columns];
    for k in 0..m {
        for p in starts[k]..starts[k + 1] {
            by_column[list[p as usize] as usize].push((k as u32, p));
        }
    }
    let pairs = |column: &Vec<(u32, u32)>| -> Vec<[u32; 4]> {
        let of = |(i, &(k, p)): (usize, &(u32, u32))| {
            column[..=i].iter().map(move |&(l, q)| [k, l, p, q]).collect::<Vec<_>>()
        };
        column.iter().enumerate().flat_map(of).collect()
    };
    let total: usize = by_column.iter().map(|c| c.len() * (c.len() + 1) / 2).sum();
    if total > u32::MAX as usize / 4 {
        return Err(Error::Unsupported {
            solver: "constrained",
            what: "a Schur complement with so many constraints at its vertices",
            remedy: "use the method PrimalDual or SchurCg",
        });
    }
    let entries = by_column.iter().flat_map(pairs).map(|[k, l, ..]| (k, l, 0.0));
    let mut matrix = SymmetricMatrix::from_triplets(m, entries);
    let mut products = Vec::with_capacity(total);
    for [k, l, p, q] in by_column.iter().flat_map(pairs) {
        let slot = matrix.slot(k as usize, l as usize).expect("every entry was given");
        products.push([slot as u32, p, q]);
    }
    let symbolic = Arc::new(Symbolic::new(&matrix, Hints::default()));
    let mut scratch = FactorScratch::new(&symbolic);
    (0..m).for_each(|k| matrix.add(k, k, 1.0));
    let factor = Factor::new(&symbolic, &matrix, &mut scratch)?;
    let solve = SolveScratch::new(&factor);
    let owner =
        (0..m as u32).flat_map(|k| (starts[k as usize]..starts[k as usize + 1]).map(move |_| k));
    let owner = owner.collect();
    Ok(Engine::Schur(Box::new(SchurFactor { matrix, products, owner, factor, scratch, solve })))
}

impl Engine {
    /// Relative residual at which the multipliers count as found.
    fn tolerance(&self) -> f64 {
        if let Self::Cg(cg) = self { cg.tolerance.max(SOLVED) } else { SOLVED }
    }

    /// Factors the system with the extra compliance; says whether it can be solved.
    fn factor(&mut self, a: &Complement) -> bool {
        match self {
            Self::PrimalDual { matrix, slots, ldl, .. } => {
                let (m, entries) = (a.size(), a.columns.len());
                let n = slots.len() - entries - m;
                matrix.set_zero();
                for k in (0..m).filter(|&k| a.active[k]) {
                    for p in a.entries(k) {
                        matrix.add_at(slots[p] as usize, a.unit[p]);
                    }
                }
                (0..n).for_each(|i| matrix.add_at(slots[entries + i] as usize, 1.0));
                for k in 0..m {
                    let c = if a.active[k] { a.compliance[k] + EXTRA } else { 1.0 };
                    matrix.add_at(slots[entries + n + k] as usize, -c);
                }
                ldl.factor(matrix);
                true
            }
            Self::Schur(s) => {
                s.matrix.set_zero();
                let on = |p: u32| a.active[s.owner[p as usize] as usize];
                for &[slot, p, q] in &s.products {
                    if on(p) && on(q) {
                        s.matrix.add_at(slot as usize, a.unit[p as usize] * a.unit[q as usize]);
                    }
                }
                for k in 0..a.size() {
                    let c = if a.active[k] { a.compliance[k] + EXTRA } else { 1.0 };
                    s.matrix.add(k, k, c);
                }
                s.factor.refactor(&s.matrix, &mut s.scratch).is_ok()
            }
            Self::Cg(_) => true,
            Self::Nothing => false,
        }
    }

    /// Solves in place for the multipliers of a residual of the rows.
    fn solve(&mut self, rows: &mut [f64]) {
        match self {
            Self::PrimalDual { ldl, both, .. } => {
                let n = both.len() - rows.len();
                both[..n].fill(0.0);
                both[n..].copy_from_slice(rows);
                ldl.solve(both);
                rows.iter_mut().zip(&both[n..]).for_each(|(r, v)| *r = -v);
            }
            Self::Schur(s) => s.factor.solve1(rows, &mut s.solve, &Serial),
            Self::Cg(_) | Self::Nothing => {}
        }
    }
}

#[cfg(test)]
mod tests;
