//! Conjugate gradients with a diagonal (Jacobi) preconditioner, in double precision.
//!
//! Used for systems that change too often or are too large to be factored. The sums run over fixed
//! blocks of rows in a fixed order, so the result has the same bits on every machine.

use crate::linalg::SymmetricMatrix;

/// A symmetric positive definite operator: a matrix, or an operator that is never assembled.
pub trait Operator {
    /// Number of rows.
    fn size(&self) -> usize;
    /// Computes `y = A x`.
    fn apply(&self, x: &[f64], y: &mut [f64]);
    /// Writes the diagonal, or ones if it is not known.
    fn diagonal(&self, out: &mut [f64]);
}

impl Operator for SymmetricMatrix {
    fn size(&self) -> usize {
        SymmetricMatrix::size(self)
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.mul_vec(x, y);
    }
    fn diagonal(&self, out: &mut [f64]) {
        for (j, d) in out.iter_mut().enumerate() {
            *d = self.column(j).1[0];
        }
    }
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CgReport {
    /// Number of products with the operator.
    pub iterations: usize,
    /// Norm of the residual relative to that of the right-hand side.
    pub residual: f64,
    /// True if the residual reached the tolerance.
    pub converged: bool,
}

/// The solver and its workspace. Allocates only when the size grows.
#[derive(Clone, Debug)]
pub struct ConjugateGradients {
    /// Stop when the residual is below this fraction of the right-hand side.
    pub tolerance: f64,
    /// Maximum number of products with the operator.
    pub iterations: usize,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    inv_diagonal: Vec<f64>,
}

impl ConjugateGradients {
    /// Creates a solver that stops at a relative residual or after a number of iterations.
    pub fn new(tolerance: f64, iterations: usize) -> Self {
        let (residual, direction, image, inv_diagonal) = Default::default();
        Self { tolerance, iterations, residual, direction, image, inv_diagonal }
    }

    /// Solves `A x = b` from the initial guess in `x`. A breakdown (an operator that is not positive
    /// definite, a number that is not finite) ends the iteration with the last valid `x`.
    pub fn solve(&mut self, a: &impl Operator, b: &[f64], x: &mut [f64]) -> CgReport {
        let n = a.size();
        assert!(b.len() == n && x.len() == n, "one number per row");
        for v in [&mut self.residual, &mut self.direction, &mut self.image, &mut self.inv_diagonal]
        {
            v.resize(n, 0.0);
        }
        a.diagonal(&mut self.inv_diagonal);
        for d in &mut self.inv_diagonal {
            *d = if *d > 0.0 { 1.0 / *d } else { 1.0 };
        }
        a.apply(x, &mut self.image);
        for i in 0..n {
            self.residual[i] = b[i] - self.image[i];
            self.direction[i] = self.inv_diagonal[i] * self.residual[i];
        }
        let goal = self.tolerance * dot(b, b).sqrt();
        let mut rz = dot(&self.residual, &self.direction);
        let mut norm = dot(&self.residual, &self.residual).sqrt();
        let mut iterations = 0;
        while norm > goal && iterations < self.iterations {
            a.apply(&self.direction, &mut self.image);
            iterations += 1;
            let curvature = dot(&self.direction, &self.image);
            let usable = curvature > 0.0 && curvature.is_finite() && rz.is_finite();
            if !usable {
                break;
            }
            let alpha = rz / curvature;
            for i in 0..n {
                x[i] += alpha * self.direction[i];
                self.residual[i] -= alpha * self.image[i];
                // The image is not needed again; reuse it for the preconditioned residual.
                self.image[i] = self.inv_diagonal[i] * self.residual[i];
            }
            norm = dot(&self.residual, &self.residual).sqrt();
            let next = dot(&self.residual, &self.image);
            let beta = next / rz;
            rz = next;
            for i in 0..n {
                self.direction[i] = self.image[i] + beta * self.direction[i];
            }
        }
        let size = dot(b, b).sqrt();
        let residual = if size > 0.0 { norm / size } else { norm };
        CgReport { iterations, residual, converged: norm <= goal }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let vectors = [&self.residual, &self.direction, &self.image, &self.inv_diagonal];
        vectors.iter().map(|v| 8 * v.capacity()).sum()
    }
}

/// Returns the dot product, accumulated in four partial sums that are added at the end.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    for (k, (&a, &b)) in a4.remainder().iter().zip(b4.remainder()).enumerate() {
        sums[k] = a * b;
    }
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::tests::lattice;

    #[test]
    fn the_solution_of_a_lattice_is_found_and_started_from() {
        let a = lattice([9, 8, 7], 0.1);
        let b: Vec<f64> = (0..a.size()).map(|i| (i % 17) as f64 - 8.0).collect();
        let mut x = vec![0.0; a.size()];
        // Measured 80 iterations.
        let mut cg = ConjugateGradients::new(1e-12, 500);
        let report = cg.solve(&a, &b, &mut x);
        assert!(report.converged && report.iterations <= 160, "{report:?}");
        let mut r = vec![0.0; a.size()];
        a.mul_vec(&x, &mut r);
        assert!(r.iter().zip(&b).all(|(r, b)| (r - b).abs() < 1e-9));
        assert!(cg.solve(&a, &b, &mut x).iterations <= 2);
    }

    #[test]
    fn an_indefinite_matrix_ends_the_iteration() {
        let a = SymmetricMatrix::from_triplets(2, [(0, 0, 1.0), (1, 1, -1.0)].into_iter());
        let mut x = [0.0; 2];
        let report = ConjugateGradients::new(1e-9, 10).solve(&a, &[0.0, 1.0], &mut x);
        assert!(!report.converged && x == [0.0; 2]);
    }

    #[test]
    fn a_zero_right_hand_side_and_no_rows_are_solved_at_once() {
        let a = lattice([3, 3, 1], 1.0);
        let report = ConjugateGradients::new(1e-9, 10).solve(&a, &[0.0; 9], &mut [0.0; 9]);
        assert!(report.converged && report.iterations == 0);
        let none = SymmetricMatrix::from_triplets(0, std::iter::empty());
        assert!(ConjugateGradients::new(1e-9, 10).solve(&none, &[], &mut []).converged);
    }
}
