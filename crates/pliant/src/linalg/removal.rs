//! A factor that follows a matrix which loses elements: edges that break (Projective Dynamics §7.1 and §8).
//!
//! Whatever a matrix of the same structure or a part of it differs by is a sum of changes that updates
//! take,
//!
//! ```text
//! Δ = Σ_{i<j} −Δ_ij (e_i − e_j)(e_i − e_j)ᵀ + Σ_i (Σ_j Δ_ij) e_i e_iᵀ
//! ```
//!
//! and of springs that vanish it is just one for each: the sums of rows are zero but beside pins. The factor
//! is always made from the one of the whole matrix, by the cheaper of two ways, and so has no past: a
//! restored simulation gives the same bits.

use super::{
    Factor, FactorScratch, Followed, LowRank, Strategy, SymmetricMatrix, UpdateScratch, Work,
};
use crate::Error;
use crate::math::Scalar;

/// Differences below this part of the diagonal are those of sums in another order.
const NOISE: f64 = 1e-13;

/// The whole matrix, its factor and room for updates.
#[derive(Debug)]
pub struct Removals<S: Scalar> {
    whole: SymmetricMatrix,
    plain: Factor<S>,
    panels: FactorScratch,
    scratch: FactorScratch,
    update: UpdateScratch,
    low_rank: LowRank,
    factor_work: Work,
    /// The present matrix in the whole one's structure.
    present: SymmetricMatrix,
    sums: Vec<f64>,
}

impl<S: Scalar> Removals<S> {
    /// Nothing removed yet: a matrix, its factor, and the workspace that the factorisation left.
    pub fn new(whole: SymmetricMatrix, plain: &Factor<S>, scratch: FactorScratch) -> Self {
        let symbolic = plain.symbolic();
        Self {
            plain: plain.clone(),
            panels: scratch.clone(),
            scratch,
            update: UpdateScratch::new(symbolic),
            low_rank: LowRank::default(),
            factor_work: Work::of_factor(symbolic),
            present: whole.clone(),
            sums: vec![0.0; whole.size()],
            whole,
        }
    }

    /// Makes the factor that of a matrix with no entry that the whole one has not.
    ///
    /// # Errors
    /// If the matrix is not positive definite; then the factor is the whole matrix's.
    pub fn follow(
        &mut self,
        factor: &mut Factor<S>,
        matrix: &SymmetricMatrix,
    ) -> Result<Followed, Error> {
        let factor_cost = self.factor_work.factor_cost();
        let mut followed = Followed { factor_cost, ..Followed::default() };
        self.compare(matrix);
        factor.values.as_mut_slice().copy_from_slice(self.plain.values.as_slice());
        if self.low_rank.is_empty() {
            return Ok(followed);
        }
        followed.update_cost = f64::INFINITY;
        if self.low_rank.len() <= LowRank::MOST {
            let work = self.update.plan(factor.symbolic(), &self.low_rank);
            followed.update_cost = work.update_cost();
            if followed.update_cost < factor_cost {
                self.scratch.copy_panels(&self.panels);
                let changes = &self.low_rank;
                if factor.update(changes, &mut self.scratch, &mut self.update).is_ok() {
                    followed.work = work;
                    followed.strategy = Strategy::Updated { vertices: changes.len() };
                    return Ok(followed);
                }
                followed.refused = true;
            }
        }
        if let Err(error) = factor.refactor(&self.present, &mut self.scratch) {
            factor.values.as_mut_slice().copy_from_slice(self.plain.values.as_slice());
            return Err(error);
        }
        followed.strategy = Strategy::Refactored;
        followed.work = self.factor_work;
        Ok(followed)
    }

    /// Lists what the matrix differs by from the whole one.
    fn compare(&mut self, matrix: &SymmetricMatrix) {
        self.low_rank.clear();
        self.sums.fill(0.0);
        self.present.set_zero();
        let diagonal = self.whole.diagonal();
        for column in 0..self.whole.size() {
            let (rows, values) = self.whole.column(column);
            for (&row, &was) in rows.iter().zip(values) {
                let i = row as usize;
                let now = matrix.slot(i, column).map_or(0.0, |slot| matrix.values()[slot]);
                self.present.add(i, column, now);
                let change = now - was;
                let size = (diagonal[i] * diagonal[column]).sqrt();
                if i == column {
                    self.sums[i] += change;
                } else if change.abs() > NOISE * size {
                    self.low_rank.push(-change, [(row, 1.0), (column as u32, -1.0)]);
                    self.sums[i] += change;
                    self.sums[column] += change;
                }
            }
        }
        for (i, &sum) in self.sums.iter().enumerate() {
            // As many roundings as the row had changes.
            if sum.abs() > 100.0 * NOISE * diagonal[i] {
                self.low_rank.push(sum, [(i as u32, 1.0)]);
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.whole.bytes()
            + self.present.bytes()
            + self.plain.bytes()
            + self.panels.bytes()
            + self.scratch.bytes()
            + self.update.bytes()
            + self.low_rank.bytes()
            + 8 * self.sums.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::linalg::tests::{curtain, points};
    use crate::linalg::{Hints, Serial, SolveScratch, Symbolic};

    const SIDE: usize = 30;

    /// The curtain without the springs between some vertices.
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
        let symbolic = Arc::new(Symbolic::new(&base, Hints::default()));
        let mut scratch = FactorScratch::new(&symbolic);
        let mut factor = Factor::<f64>::new(&symbolic, &base, &mut scratch).unwrap();
        let mut removals = Removals::new(base.clone(), &factor, scratch);
        let mut worst = 0.0f64;
        for count in [1, 2, 5, 12, 300, 3, 0] {
            let matrix = without(&base, &springs(count));
            let followed = removals.follow(&mut factor, &matrix).unwrap();
            let expected = match count {
                0 => Strategy::Kept,
                1..20 => Strategy::Updated { vertices: count },
                _ => Strategy::Refactored,
            };
            assert_eq!(followed.strategy, expected, "{count} springs");
            let other = Arc::new(Symbolic::new(&matrix, Hints::default()));
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
