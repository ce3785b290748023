//! Banded Cholesky factorisation: the simplest exact solver for meshes numbered row by row.
//!
//! Only for the reference: the bandwidth of the curtain is 163 and the band mostly fill; a sparse factor with a
//! good ordering has half as many entries.

use crate::geometry::Point;

/// Lower Cholesky factor of a symmetric positive definite matrix, row by row within its band.
pub struct BandCholesky {
    size: usize,
    width: usize,
    /// Row i holds the entries of columns `i − width ..= i`.
    rows: Vec<f64>,
}

impl BandCholesky {
    /// Creates a zero matrix; `width` is the largest distance between coupled rows.
    pub fn zeros(size: usize, width: usize) -> Self {
        Self { size, width, rows: vec![0.0; size * (width + 1)] }
    }

    /// Adds to the entry at row `i`, column `j ≤ i`.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        let at = self.at(i, j);
        self.rows[at] += value;
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * (self.width + 1) + j + self.width - i
    }

    /// Factorises the matrix in place.
    pub fn factor(&mut self) {
        for i in 0..self.size {
            let first = i.saturating_sub(self.width);
            for j in first..=i {
                let from = first.max(j.saturating_sub(self.width));
                let (a, b) = (self.at(i, from), self.at(j, from));
                let count = j - from;
                let product = |k: usize| self.rows[a + k] * self.rows[b + k];
                let sum: f64 = (0..count).map(product).sum();
                let at = self.at(i, j);
                let value = self.rows[at] - sum;
                let diagonal = self.rows[self.at(j, j)];
                self.rows[at] = if i == j { value.sqrt() } else { value / diagonal };
            }
        }
    }

    /// Solves for three right-hand sides in place.
    pub fn solve(&self, x: &mut [Point]) {
        for i in 0..self.size {
            let first = i.saturating_sub(self.width);
            let row = &self.rows[self.at(i, first)..=self.at(i, i)];
            let mut sum = x[i];
            for (&l, y) in row.iter().zip(&x[first..i]) {
                for a in 0..3 {
                    sum[a] -= l * y[a];
                }
            }
            x[i] = sum.map(|s| s / row[i - first]);
        }
        for i in (0..self.size).rev() {
            let first = i.saturating_sub(self.width);
            let row = &self.rows[self.at(i, first)..=self.at(i, i)];
            let solved = x[i].map(|s| s / row[i - first]);
            x[i] = solved;
            for (&l, y) in row.iter().zip(&mut x[first..i]) {
                for a in 0..3 {
                    y[a] -= l * solved[a];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solve_undoes_the_matrix() {
        // 1-D Laplacian plus identity with second neighbours: bandwidth 2.
        let n = 20;
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 5.0,
            1 => -1.0,
            2 => -0.5,
            _ => 0.0,
        };
        let mut factor = BandCholesky::zeros(n, 2);
        for i in 0..n {
            for j in i.saturating_sub(2)..=i {
                factor.add(i, j, entry(i, j));
            }
        }
        factor.factor();
        let expected: Vec<Point> = (0..n).map(|i| [i as f64, 1.0, -0.3 * i as f64]).collect();
        let row = |i: usize, a: usize| (0..n).map(|j| entry(i, j) * expected[j][a]).sum();
        let mut x: Vec<Point> = (0..n).map(|i| std::array::from_fn(|a| row(i, a))).collect();
        factor.solve(&mut x);
        for (x, e) in x.iter().zip(&expected) {
            assert!((0..3).all(|a| (x[a] - e[a]).abs() < 1e-13));
        }
    }
}
