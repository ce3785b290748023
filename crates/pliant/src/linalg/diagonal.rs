//! A factor that follows a diagonal which changes from solve to solve.
//!
//! Contacts come and go; each adds to the diagonal at the vertices it touches. What was added stays for a
//! while after its contact is gone: for Projective Dynamics, which solves for increments, that does not
//! change where the iterations lead, and it saves a factorisation when the contact comes back.

use super::{Factor, FactorScratch, SymmetricMatrix};
use crate::Error;
use crate::math::Scalar;

/// Entries that nobody wants any more are dropped when there are this many, and
const STALE: usize = 32;
/// this many times as many as are wanted.
const STALE_SHARE: usize = 1;

/// The matrix, and what is added to its diagonal at present.
#[derive(Debug)]
pub struct ChangingDiagonal {
    /// The matrix with the additions.
    matrix: SymmetricMatrix,
    added: Vec<f64>,
    /// How many entries are not zero.
    count: usize,
    scratch: FactorScratch,
    /// Factorisations so far.
    pub refactored: usize,
}

impl ChangingDiagonal {
    /// Nothing added yet.
    pub fn new<S: Scalar>(matrix: SymmetricMatrix, factor: &Factor<S>) -> Self {
        let scratch = FactorScratch::new(factor.symbolic());
        let added = vec![0.0; matrix.size()];
        Self { matrix, added, count: 0, scratch, refactored: 0 }
    }

    /// The diagonal entry of a row without what is added.
    pub fn entry(&self, row: usize) -> f64 {
        self.matrix.column(row).1[0] - self.added[row]
    }

    /// Makes sure that at least these numbers (row, number; rows ascending) are added, and factors where
    /// that changes anything.
    pub fn follow<S: Scalar>(
        &mut self,
        factor: &mut Factor<S>,
        wanted: &[(u32, f64)],
    ) -> Result<(), Error> {
        let missing = wanted.iter().any(|&(row, number)| self.added[row as usize] < number);
        let stale = self.count.saturating_sub(wanted.len());
        let crowded = stale > STALE.max(STALE_SHARE * wanted.len());
        let idle = wanted.is_empty() && self.count > 0;
        if !(missing || crowded || idle) {
            return Ok(());
        }
        if crowded || idle {
            for row in 0..self.added.len() {
                if self.added[row] != 0.0 {
                    self.matrix.add(row, row, -self.added[row]);
                    self.added[row] = 0.0;
                }
            }
            self.count = 0;
        }
        for &(row, number) in wanted {
            let row = row as usize;
            if self.added[row] < number {
                self.count += usize::from(self.added[row] == 0.0);
                self.matrix.add(row, row, number - self.added[row]);
                self.added[row] = number;
            }
        }
        self.refactored += 1;
        factor.refactor(&self.matrix, &mut self.scratch)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.matrix.bytes() + 8 * self.added.len() + self.scratch.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::linalg::tests::lattice;
    use crate::linalg::{Hints, Serial, SolveScratch, Symbolic};
    use crate::simd::Point;

    #[test]
    fn the_factor_is_that_of_the_changed_matrix() {
        let base = lattice([9, 8, 1], 0.1);
        let symbolic = Arc::new(Symbolic::new(&base, Hints::default()));
        let mut factor: Factor<f64> =
            Factor::new(&symbolic, &base, &mut FactorScratch::new(&symbolic)).unwrap();
        let mut changing = ChangingDiagonal::new(base.clone(), &factor);
        let check = |factor: &Factor<f64>, added: &[(u32, f64)]| {
            let mut matrix = base.clone();
            added.iter().for_each(|&(row, v)| matrix.add(row as usize, row as usize, v));
            let b: Vec<f64> = (0..base.size()).map(|i| (i % 7) as f64 - 3.0).collect();
            let mut x: Vec<Point<f64>> = b.iter().map(|&v| [v, 0.0, 0.0, 0.0]).collect();
            factor.solve3(&mut x, &mut SolveScratch::new(factor), &Serial);
            let (x, mut image) = (x.iter().map(|p| p[0]).collect::<Vec<_>>(), vec![0.0; b.len()]);
            matrix.mul_vec(&x, &mut image);
            image.iter().zip(&b).for_each(|(i, b)| assert!((i - b).abs() < 1e-12));
        };
        changing.follow(&mut factor, &[(3, 5.0), (40, 2.0)]).unwrap();
        check(&factor, &[(3, 5.0), (40, 2.0)]);
        // What is gone stays for a while.
        changing.follow(&mut factor, &[(3, 5.0)]).unwrap();
        assert_eq!(changing.refactored, 1);
        check(&factor, &[(3, 5.0), (40, 2.0)]);
        assert!((changing.entry(3) - base.column(3).1[0]).abs() < 1e-12);
        changing.follow(&mut factor, &[]).unwrap();
        assert_eq!(changing.refactored, 2);
        check(&factor, &[]);
    }
}
