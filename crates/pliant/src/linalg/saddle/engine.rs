//! Linear solvers of a saddle-point system: the primal–dual LDLᵀ factorisation, or the Schur
//! complement.
//!
//! [`SaddleSolver`] factors the system of the active rows, with the compliances raised by
//! [`EXTRA_COMPLIANCE`], and solves it for a correction of the multipliers; the refinement loop is in
//! `linalg/saddle/mod.rs`. [`SchurComplement`] applies the Schur complement without assembling it: for
//! residuals, and with raised compliances as the system of conjugate gradients.

use crate::Error;
use crate::linalg::saddle::{EXTRA_COMPLIANCE, RESIDUAL_TOLERANCE};
use crate::linalg::{
    ConjugateGradients, Factor, FactorScratch, Ldl, Operator, OrderingHints, Serial, SolveScratch,
    Symbolic, SymmetricMatrix,
};
use std::cell::RefCell;
use std::sync::Arc;

pub(super) enum SaddleSolver {
    PrimalDual { matrix: SymmetricMatrix, slots: Vec<u32>, ldl: Box<Ldl>, both: Vec<f64> },
    Schur(Box<SchurFactor>),
    Cg(ConjugateGradients),
    Empty,
}

pub(super) struct SchurFactor {
    pub(super) matrix: SymmetricMatrix,
    /// For each product of two entries in one column of `J`: its slot in the matrix and the indices of
    /// the two entries.
    pub(super) products: Vec<[u32; 3]>,
    /// Row of each entry of `J`.
    pub(super) owner: Vec<u32>,
    pub(super) factor: Factor<f64>,
    pub(super) scratch: FactorScratch,
    pub(super) solve: SolveScratch<f64>,
}

/// The operator `J Jᵀ + C` on the active rows, and the identity on the others.
#[derive(Clone, Copy)]
pub(super) struct SchurComplement<'a> {
    pub(super) starts: &'a [u32],
    pub(super) columns: &'a [u32],
    pub(super) unit: &'a [f64],
    pub(super) compliance: &'a [f64],
    pub(super) active: &'a [bool],
    /// Additional compliance of all rows.
    pub(super) extra_compliance: f64,
    pub(super) scratch: &'a RefCell<Vec<f64>>,
}

impl SchurComplement<'_> {
    pub(super) fn entries(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }
}

impl Operator for SchurComplement<'_> {
    fn size(&self) -> usize {
        self.active.len()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let mut room = self.scratch.borrow_mut();
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
            let mut sum = (self.compliance[k] + self.extra_compliance) * x[k];
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

pub(super) fn primal_dual(columns: usize, starts: &[u32], list: &[u32]) -> SaddleSolver {
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
    SaddleSolver::PrimalDual { both: vec![0.0; columns + m], matrix, slots, ldl }
}

pub(super) fn schur(columns: usize, starts: &[u32], list: &[u32]) -> Result<SaddleSolver, Error> {
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
    let symbolic = Arc::new(Symbolic::new(&matrix, OrderingHints::default()));
    let mut scratch = FactorScratch::new(&symbolic);
    (0..m).for_each(|k| matrix.add(k, k, 1.0));
    let factor = Factor::new(&symbolic, &matrix, &mut scratch)?;
    let solve = SolveScratch::new(&factor);
    let owner =
        (0..m as u32).flat_map(|k| (starts[k as usize]..starts[k as usize + 1]).map(move |_| k));
    let owner = owner.collect();
    Ok(SaddleSolver::Schur(Box::new(SchurFactor {
        matrix,
        products,
        owner,
        factor,
        scratch,
        solve,
    })))
}

impl SaddleSolver {
    /// Returns the relative residual at which the multipliers are converged.
    pub(super) fn tolerance(&self) -> f64 {
        if let Self::Cg(cg) = self {
            cg.tolerance.max(RESIDUAL_TOLERANCE)
        } else {
            RESIDUAL_TOLERANCE
        }
    }

    /// Factors the system with the extra compliance. Returns true if it can be solved.
    pub(super) fn factor(&mut self, a: &SchurComplement) -> bool {
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
                    let c = if a.active[k] { a.compliance[k] + EXTRA_COMPLIANCE } else { 1.0 };
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
                    let c = if a.active[k] { a.compliance[k] + EXTRA_COMPLIANCE } else { 1.0 };
                    s.matrix.add(k, k, c);
                }
                s.factor.refactor(&s.matrix, &mut s.scratch).is_ok()
            }
            Self::Cg(_) => true,
            Self::Empty => false,
        }
    }

    /// Solves in place for the multipliers, given a residual of the rows.
    pub(super) fn solve(&mut self, rows: &mut [f64]) {
        match self {
            Self::PrimalDual { ldl, both, .. } => {
                let n = both.len() - rows.len();
                both[..n].fill(0.0);
                both[n..].copy_from_slice(rows);
                ldl.solve(both);
                rows.iter_mut().zip(&both[n..]).for_each(|(r, v)| *r = -v);
            }
            Self::Schur(s) => s.factor.solve_single(rows, &mut s.solve, &Serial),
            Self::Cg(_) | Self::Empty => {}
        }
    }
}
