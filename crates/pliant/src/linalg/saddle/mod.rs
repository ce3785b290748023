//! Linearised constraints with multipliers: the saddle-point system of constrained dynamics.
//!
//! In coordinates `z` in which the mass matrix is the identity, a step moves from the unconstrained
//! motion `z₀` to the nearest `z` that satisfies the constraints (the lecture's P31, errata):
//!
//! ```text
//! z − Jᵀ λ = z₀                      [ I   Jᵀ ] [  z ]   [  z₀ ]
//! J z + C λ = −φ           or        [ J  −C  ] [ −λ ] = [ −φ  ]
//! ```
//!
//! with one row of `J` for each constraint, its value `φ` and its compliance `C ≥ 0`, an inverse
//! stiffness. One-sided rows act only where needed, with `λ ≥ 0`. There are three methods (P32):
//!
//! * [`SaddleMethod::PrimalDual`]: the whole system by a sparse LDLᵀ;
//! * [`SaddleMethod::Schur`]: `(J Jᵀ + C) λ = −φ − J z₀` by a sparse Cholesky factorisation;
//! * [`SaddleMethod::SchurCg`]: the same by conjugate gradients, without assembling the matrix.
//!
//! **Infinite stiffness and redundant rows.** Rows are scaled to unit length. All three methods use
//! compliances raised by [`EXTRA_COMPLIANCE`] in that scale, which makes the matrix quasi-definite (or
//! positive definite) whatever the rank of `J`. The effect is removed by solving again for the residual
//! of the true system, the method of multipliers. The multipliers stay in the range of `J Jᵀ + C`:
//! among redundant rows the force is shared so that the sum of squares is minimal. Hard rows that
//! *contradict* each other have no solution; they get large opposed multipliers and a `z` between them,
//! which the residual reveals.

pub(crate) mod engine;
use std::cell::RefCell;

use crate::Error;
use crate::linalg::saddle::engine::{SaddleSolver, SchurComplement, primal_dual, schur};
use crate::linalg::{ConjugateGradients, Operator};

/// Compliance added to all rows by the methods, for rows of unit length.
pub const EXTRA_COMPLIANCE: f64 = 1e-8;
/// Maximum number of solves for the residual. Each reduces it by about `EXTRA_COMPLIANCE` over the
/// smallest eigenvalue.
const MAX_REFINEMENTS: usize = 20;
/// Relative residual at which multipliers found by a factorisation are converged.
const RESIDUAL_TOLERANCE: f64 = 1e-14;
/// Maximum number of passes over the one-sided rows.
const MAX_PIVOT_PASSES: usize = 60;
/// Compliances tried on one-sided rows, one after another, if the passes do not terminate: nearly
/// redundant rows leave multipliers of undetermined sign.
const FALLBACK_COMPLIANCES: [f64; 4] = [0.0, 1e-6, 1e-4, 1e-2];
/// Number of consecutive passes in which all infeasible rows are switched although their number does
/// not decrease.
const MAX_STALLED_PASSES: usize = 3;
/// Fraction of the largest multiplier by which a one-sided multiplier may be negative without counting
/// as pulling: redundant rows leave rounding errors of this size.
const MULTIPLIER_SIGN_TOLERANCE: f64 = 1e-7;

/// Method that solves the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SaddleMethod {
    /// Solves for positions and multipliers together, by a sparse factorisation.
    PrimalDual,
    /// Solves for the multipliers first, by a sparse factorisation. Its matrix grows with the square of
    /// the number of constraints at a vertex: for chains and joints, not for meshes.
    Schur,
    /// Solves for the multipliers first, by conjugate gradients.
    SchurCg {
        /// Relative residual at which to stop.
        tolerance: f64,
    },
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SaddleReport {
    /// Number of passes over the one-sided rows, at least one.
    pub pivot_passes: usize,
    /// Number of solves for a residual, or of conjugate-gradient iterations, in the last pass.
    pub refinements: usize,
    /// Norm of the residual of the scaled rows relative to that of their right-hand side.
    pub residual: f64,
    /// True if the active set of one-sided rows converged without added compliance.
    pub active_set_converged: bool,
}

/// Constraint rows, their multipliers, and the solver that finds them. Allocates only when created.
pub struct Saddle {
    starts: Vec<u32>,
    columns: Vec<u32>,
    gradient: Vec<f64>,
    value: Vec<f64>,
    compliance: Vec<f64>,
    one_sided: Vec<bool>,
    /// Rows scaled to unit length: gradients, values, compliances, and the scale factors.
    unit: Vec<f64>,
    unit_value: Vec<f64>,
    unit_compliance: Vec<f64>,
    scale: Vec<f64>,
    active: Vec<bool>,
    infeasible: Vec<bool>,
    /// `−φ − J z₀`, its residual, the correction and the scaled multipliers.
    rhs: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    dual: Vec<f64>,
    free_motion: Vec<f64>,
    z: Vec<f64>,
    scratch: RefCell<Vec<f64>>,
    lambda: Vec<f64>,
    solver: SaddleSolver,
}

impl Saddle {
    /// Allocates rows with the given column indices, out of `columns` columns.
    pub fn new(columns: usize, rows: &[Vec<u32>], method: SaddleMethod) -> Result<Self, Error> {
        let m = rows.len();
        let mut starts = vec![0];
        for row in rows {
            starts.push(starts[starts.len() - 1] + row.len() as u32);
        }
        let list: Vec<u32> = rows.iter().flatten().copied().collect();
        let entries = list.len();
        let engine = match method {
            _ if m == 0 || columns == 0 => SaddleSolver::Empty,
            SaddleMethod::PrimalDual => primal_dual(columns, &starts, &list),
            SaddleMethod::Schur => schur(columns, &starts, &list)?,
            SaddleMethod::SchurCg { tolerance } => {
                SaddleSolver::Cg(ConjugateGradients::new(tolerance, 10 * m.max(100)))
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
            infeasible: vec![false; m],
            rhs: zeros(m),
            residual: zeros(m),
            correction: zeros(m),
            dual: zeros(m),
            free_motion: zeros(columns),
            z: zeros(columns),
            scratch: RefCell::new(zeros(columns)),
            lambda: zeros(m),
            solver: engine,
        })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.value.len()
    }

    /// Deactivates all rows.
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

    /// Sets the value and the compliance of a row. A row without a gradient, or with values that are
    /// not finite, is inactive.
    pub fn set(&mut self, row: usize, value: f64, compliance: f64) {
        self.value[row] = value;
        self.compliance[row] = compliance;
        self.one_sided[row] = false;
    }

    /// Sets a one-sided row, which prevents its value from becoming negative and never pulls: `λ ≥ 0`.
    pub fn set_one_sided(&mut self, row: usize, value: f64, compliance: f64) {
        self.set(row, value, compliance);
        self.one_sided[row] = true;
    }

    /// Returns the unconstrained motion `z₀` for modification.
    pub fn free_motion_mut(&mut self) -> &mut [f64] {
        &mut self.free_motion
    }

    /// Returns the solution `z`.
    pub fn solution(&self) -> &[f64] {
        &self.z
    }

    /// Returns the multipliers `λ`; zero for inactive rows.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    /// Computes the multipliers and the solution.
    pub fn solve(&mut self) -> SaddleReport {
        self.scale_rows();
        let mut report = SaddleReport::default();
        for soft in FALLBACK_COMPLIANCES {
            if self.block_pivot(soft, &mut report) {
                break;
            }
        }
        for k in 0..self.rows() {
            // A one-sided row never pulls, even if the active set did not converge.
            if self.one_sided[k] {
                self.dual[k] = self.dual[k].max(0.0);
            }
            let off = !self.active[k];
            self.lambda[k] = if off { 0.0 } else { self.dual[k] * self.scale[k] };
        }
        self.update_solution();
        report
    }

    /// Determines the active one-sided rows, with `soft` added to their compliance in the scale of unit
    /// rows. Returns true if the active set converged. Block principal pivoting (Júdice and Pires
    /// 1994): all infeasible rows are switched at once, and one at a time if that does not reduce their
    /// number.
    fn block_pivot(&mut self, soft: f64, report: &mut SaddleReport) -> bool {
        for k in (0..self.rows()).filter(|&k| self.one_sided[k] && self.scale[k] > 0.0) {
            self.unit_compliance[k] += soft;
        }
        let (mut fewest, mut tries) = (usize::MAX, MAX_STALLED_PASSES);
        for _ in 0..MAX_PIVOT_PASSES {
            report.pivot_passes += 1;
            (report.refinements, report.residual) = self.find_multipliers();
            self.update_solution();
            let infeasible_count = self.find_infeasible();
            if infeasible_count == 0 {
                report.active_set_converged = soft == 0.0;
                return true;
            }
            if infeasible_count < fewest {
                (fewest, tries) = (infeasible_count, MAX_STALLED_PASSES);
            } else {
                tries = tries.saturating_sub(1);
            }
            self.flip_infeasible(tries == 0);
        }
        false
    }

    fn entries(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Scales rows to unit length and activates the initial set.
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
                along += self.unit[p] * self.free_motion[self.columns[p] as usize];
            }
            self.rhs[k] = -self.unit_value[k] - along;
            // A one-sided row starts active if it is violated now or by the unconstrained motion.
            self.active[k] = usable && (!self.one_sided[k] || value < 0.0 || self.rhs[k] > 0.0);
        }
    }

    /// Computes `z = z₀ + Jᵀ λ`.
    fn update_solution(&mut self) {
        self.z.copy_from_slice(&self.free_motion);
        for k in 0..self.rows() {
            if self.active[k] {
                for p in self.entries(k) {
                    self.z[self.columns[p] as usize] += self.unit[p] * self.dual[k];
                }
            }
        }
    }

    /// Marks active one-sided rows that pull and inactive ones that would be violated. Returns their
    /// number.
    fn find_infeasible(&mut self) -> usize {
        let largest = self.dual.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
        let mut count = 0;
        for k in 0..self.rows() {
            self.infeasible[k] = false;
            if !self.one_sided[k] || self.scale[k] == 0.0 {
                continue;
            }
            self.infeasible[k] = if self.active[k] {
                self.dual[k] < -MULTIPLIER_SIGN_TOLERANCE * largest
            } else {
                let moved: f64 =
                    self.entries(k).map(|p| self.unit[p] * self.z[self.columns[p] as usize]).sum();
                let after = self.unit_value[k] + moved;
                after < -1e-12 * (self.unit_value[k].abs() + moved.abs())
            };
            count += usize::from(self.infeasible[k]);
        }
        count
    }

    /// Switches the marked rows between active and inactive, or only the last of them.
    fn flip_infeasible(&mut self, only_last: bool) {
        for k in (0..self.rows()).rev() {
            if self.infeasible[k] {
                self.active[k] = !self.active[k];
                if only_last {
                    return;
                }
            }
        }
    }

    /// Solves for the scaled multipliers. Returns the number of refinements and the relative residual.
    fn find_multipliers(&mut self) -> (usize, f64) {
        self.dual.fill(0.0);
        let size = active_norm(&self.rhs, &self.active);
        if size == 0.0 || !size.is_finite() {
            return (0, 0.0);
        }
        let rows = self.rows();
        let operator = SchurComplement {
            starts: &self.starts,
            columns: &self.columns,
            unit: &self.unit,
            compliance: &self.unit_compliance,
            active: &self.active,
            extra_compliance: 0.0,
            scratch: &self.scratch,
        };
        let softer = SchurComplement { extra_compliance: EXTRA_COMPLIANCE, ..operator };
        if !self.solver.factor(&operator) {
            return (0, 1.0);
        }
        let goal = self.solver.tolerance() * size;
        let (mut last, mut products) = (size, 0);
        for refinement in 0..=MAX_REFINEMENTS {
            operator.apply(&self.dual, &mut self.residual);
            for k in 0..rows {
                let r = self.rhs[k] - self.residual[k];
                self.residual[k] = if self.active[k] { r } else { 0.0 };
            }
            let norm = active_norm(&self.residual, &self.active);
            let stalled = refinement > 0 && !(norm < 0.5 * last);
            if norm <= goal || stalled || refinement == MAX_REFINEMENTS {
                return (refinement.max(products), norm / size);
            }
            last = norm;
            match &mut self.solver {
                SaddleSolver::Cg(cg) => {
                    self.correction.fill(0.0);
                    products += cg.solve(&softer, &self.residual, &mut self.correction).iterations;
                }
                engine => {
                    self.correction.copy_from_slice(&self.residual);
                    engine.solve(&mut self.correction);
                }
            }
            for k in 0..rows {
                self.dual[k] += self.correction[k];
            }
        }
        (MAX_REFINEMENTS, last / size)
    }

    /// Memory held by the factor, and by everything else, in bytes.
    pub fn bytes(&self) -> (usize, usize) {
        let own = 8 * (2 * self.gradient.len() + 9 * self.value.len() + 3 * self.z.len())
            + 4 * (self.columns.len() + self.starts.len());
        match &self.solver {
            SaddleSolver::PrimalDual { matrix, slots, ldl, both } => {
                (ldl.bytes(), own + matrix.bytes() + 4 * slots.len() + 8 * both.len())
            }
            SaddleSolver::Schur(s) => {
                let rest = s.scratch.bytes() + s.solve.bytes() + 12 * s.products.len();
                (s.factor.bytes(), own + rest + s.matrix.bytes())
            }
            SaddleSolver::Cg(cg) => (0, own + cg.bytes()),
            SaddleSolver::Empty => (0, own),
        }
    }
}

fn active_norm(v: &[f64], active: &[bool]) -> f64 {
    v.iter().zip(active).filter(|(_, a)| **a).map(|(v, _)| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
