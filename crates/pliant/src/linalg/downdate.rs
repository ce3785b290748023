//! Factor of a matrix from which elements are removed: edges that break (Projective Dynamics §7.1 and
//! §8).
//!
//! The difference between the original matrix and one with the same structure or a part of it is a sum
//! of rank-one changes that updates support,
//!
//! ```text
//! Δ = Σ_{i<j} −Δ_ij (e_i − e_j)(e_i − e_j)ᵀ + Σ_i (Σ_j Δ_ij) e_i e_iᵀ
//! ```
//!
//! which for removed springs reduces to one change per spring, because the row sums vanish except next
//! to pins. The factor is always derived from that of the original matrix, by the cheaper of update and
//! refactorisation, and therefore has no history: a restored simulation gives the same bits.

use crate::Error;
use crate::linalg::{
    Factor, FactorScratch, FactorUpdate, FlopCount, LowRank, SymmetricMatrix, UpdateScratch,
    UpdateStrategy,
};
use crate::math::Scalar;

/// Fraction of the diagonal below which differences come from a different summation order.
const DIFFERENCE_TOLERANCE: f64 = 1e-13;

/// The original matrix, its factor and the workspace for updates.
#[derive(Debug)]
pub struct Downdater<S: Scalar> {
    original: SymmetricMatrix,
    original_factor: Factor<S>,
    original_panels: FactorScratch,
    scratch: FactorScratch,
    update: UpdateScratch,
    low_rank: LowRank,
    factor_flops: FlopCount,
    /// The current matrix in the structure of the original one.
    current: SymmetricMatrix,
    row_sums: Vec<f64>,
}

impl<S: Scalar> Downdater<S> {
    /// Creates a downdater from a matrix, its factor, and the workspace left by the factorisation.
    pub fn new(whole: SymmetricMatrix, plain: &Factor<S>, scratch: FactorScratch) -> Self {
        let symbolic = plain.symbolic();
        Self {
            original_factor: plain.clone(),
            original_panels: scratch.clone(),
            scratch,
            update: UpdateScratch::new(symbolic),
            low_rank: LowRank::default(),
            factor_flops: FlopCount::of_factorization(symbolic),
            current: whole.clone(),
            row_sums: vec![0.0; whole.size()],
            original: whole,
        }
    }

    /// Sets `factor` to that of a matrix whose entries are a subset of the original's.
    ///
    /// # Errors
    /// If the matrix is not positive definite; the factor is then that of the original matrix.
    pub fn downdate(
        &mut self,
        factor: &mut Factor<S>,
        matrix: &SymmetricMatrix,
    ) -> Result<FactorUpdate, Error> {
        let factor_cost = self.factor_flops.factor_cost();
        let mut update = FactorUpdate { factor_cost, ..FactorUpdate::default() };
        self.compare(matrix);
        factor.values.as_mut_slice().copy_from_slice(self.original_factor.values.as_slice());
        if self.low_rank.is_empty() {
            return Ok(update);
        }
        update.update_cost = f64::INFINITY;
        if self.low_rank.len() <= LowRank::MAX_RANK {
            let work = self.update.plan(factor.symbolic(), &self.low_rank);
            update.update_cost = work.update_cost();
            if update.update_cost < factor_cost {
                self.scratch.copy_panels(&self.original_panels);
                let changes = &self.low_rank;
                if factor.update(changes, &mut self.scratch, &mut self.update).is_ok() {
                    update.flop_count = work;
                    update.strategy = UpdateStrategy::Updated { rank: changes.len() };
                    return Ok(update);
                }
                update.update_rejected = true;
            }
        }
        if let Err(error) = factor.refactor(&self.current, &mut self.scratch) {
            factor.values.as_mut_slice().copy_from_slice(self.original_factor.values.as_slice());
            return Err(error);
        }
        update.strategy = UpdateStrategy::Refactored;
        update.flop_count = self.factor_flops;
        Ok(update)
    }

    /// Lists the changes from the original matrix to the given one.
    fn compare(&mut self, matrix: &SymmetricMatrix) {
        self.low_rank.clear();
        self.row_sums.fill(0.0);
        self.current.set_zero();
        let diagonal = self.original.diagonal();
        for column in 0..self.original.size() {
            let (rows, values) = self.original.column(column);
            for (&row, &was) in rows.iter().zip(values) {
                let i = row as usize;
                let now = matrix.slot(i, column).map_or(0.0, |slot| matrix.values()[slot]);
                self.current.add(i, column, now);
                let change = now - was;
                let size = (diagonal[i] * diagonal[column]).sqrt();
                if i == column {
                    self.row_sums[i] += change;
                } else if change.abs() > DIFFERENCE_TOLERANCE * size {
                    self.low_rank.push(-change, [(row, 1.0), (column as u32, -1.0)]);
                    self.row_sums[i] += change;
                    self.row_sums[column] += change;
                }
            }
        }
        for (i, &sum) in self.row_sums.iter().enumerate() {
            // The sum accumulates one rounding error per change in the row.
            if sum.abs() > 100.0 * DIFFERENCE_TOLERANCE * diagonal[i] {
                self.low_rank.push(sum, [(i as u32, 1.0)]);
            }
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.original.bytes()
            + self.current.bytes()
            + self.original_factor.bytes()
            + self.original_panels.bytes()
            + self.scratch.bytes()
            + self.update.bytes()
            + self.low_rank.bytes()
            + 8 * self.row_sums.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::linalg::tests::{curtain, points};
    use crate::linalg::{OrderingHints, Serial, SolveScratch, Symbolic};

    const SIDE: usize = 30;

    /// The curtain without some springs.
    fn without(base: &SymmetricMatrix, springs: &[(usize, usize)]) -> SymmetricMatrix {
        let mut matrix = base.clone();
        for &(i, j) in springs {
            let weight = -base.values()[base.slot(i, j).unwrap()];
            matrix.add(i, j, weight);
            matrix.add(i, i, -weight);
            matrix.add(j, j, -weight);
        }
        matrix
    }

    fn springs(count: usize) -> Vec<(usize, usize)> {
        (0..count).map(|k| 37 * k % (SIDE * (SIDE - 1))).map(|v| (v, v + SIDE)).collect()
    }

    fn solve(factor: &Factor<f64>) -> Vec<f64> {
        let mut x = points::<f64>(SIDE * SIDE, 5);
        factor.solve3(&mut x, &mut SolveScratch::new(factor), &Serial);
        x.iter().flat_map(|p| [p[0], p[1], p[2]]).collect()
    }

    #[test]
    fn a_downdated_factor_solves_like_a_fresh_one() {
        let base = curtain(SIDE);
        let symbolic = Arc::new(Symbolic::new(&base, OrderingHints::default()));
        let mut scratch = FactorScratch::new(&symbolic);
        let mut factor = Factor::<f64>::new(&symbolic, &base, &mut scratch).unwrap();
        let mut removals = Downdater::new(base.clone(), &factor, scratch);
        let mut worst = 0.0f64;
        for count in [1, 2, 5, 12, 300, 3, 0] {
            let matrix = without(&base, &springs(count));
            let update = removals.downdate(&mut factor, &matrix).unwrap();
            let expected = match count {
                0 => UpdateStrategy::Kept,
                1..20 => UpdateStrategy::Updated { rank: count },
                _ => UpdateStrategy::Refactored,
            };
            assert_eq!(update.strategy, expected, "{count} springs");
            let other = Arc::new(Symbolic::new(&matrix, OrderingHints::default()));
            let fresh = Factor::new(&other, &matrix, &mut FactorScratch::new(&other)).unwrap();
            let (x, expected) = (solve(&factor), solve(&fresh));
            let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let error = x.iter().zip(&expected).map(|(a, b)| (a - b).abs() / size);
            worst = error.fold(worst, f64::max);
        }
        println!("downdated against fresh: {worst:e}");
        assert!(worst < 1e-12, "{worst:e}");
    }
}
