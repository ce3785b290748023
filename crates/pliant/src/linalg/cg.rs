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

/// An operator with a preconditioner.
pub trait Preconditioned: Operator {
    /// Replaces `z` by the approximate inverse times it. That inverse must be positive definite.
    fn precondition(&mut self, z: &mut [f64]);
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
    /// True if the operator is not positive definite: a search direction has no positive curvature.
    pub indefinite: bool,
    /// True if the solution ends on the boundary of a trust region.
    pub truncated: bool,
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

    /// Creates a solver with room for a number of rows. Set its tolerance before it is used.
    pub fn with_size(rows: usize) -> Self {
        let mut own = Self::new(0.0, 0);
        for v in [&mut own.residual, &mut own.direction, &mut own.image, &mut own.inv_diagonal] {
            v.resize(rows, 0.0);
        }
        own
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
        let (mut iterations, mut indefinite) = (0, false);
        while norm > goal && iterations < self.iterations {
            a.apply(&self.direction, &mut self.image);
            iterations += 1;
            let curvature = dot(&self.direction, &self.image);
            let usable = curvature > 0.0 && curvature.is_finite() && rz.is_finite();
            if !usable {
                indefinite = true;
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
        CgReport { iterations, residual, converged: norm <= goal, indefinite, truncated: false }
    }

    /// Solves `A x = b` from zero with the operator's own preconditioner `P`, within a trust region (Steihaug
    /// 1983): `x` is at most `radius` times as long as `P⁻¹b`, in the norm of `P`. Where it would become longer, or
    /// the curvature is not positive, `x` ends on the boundary, along the last search direction. It is always a
    /// descent direction of `½xᵀAx − bᵀx`.
    pub fn solve_preconditioned(
        &mut self,
        a: &mut impl Preconditioned,
        b: &[f64],
        x: &mut [f64],
        radius: f64,
    ) -> CgReport {
        let n = a.size();
        assert!(b.len() == n && x.len() == n, "one number per row");
        for v in [&mut self.residual, &mut self.direction, &mut self.image] {
            v.resize(n, 0.0);
        }
        x.fill(0.0);
        self.residual.copy_from_slice(b);
        self.direction.copy_from_slice(b);
        a.precondition(&mut self.direction);
        let size = dot(b, b).sqrt();
        let goal = self.tolerance * size;
        let mut rz = dot(&self.residual, &self.direction);
        let limit = radius * radius * rz;
        // Squares and product of x and the search direction in the norm of P, by recurrence.
        let (mut xx, mut xp, mut pp) = (0.0, 0.0, rz);
        let mut norm = size;
        let (mut iterations, mut indefinite, mut truncated) = (0, false, false);
        while norm > goal && iterations < self.iterations {
            a.apply(&self.direction, &mut self.image);
            iterations += 1;
            let curvature = dot(&self.direction, &self.image);
            if !(curvature.is_finite() && rz.is_finite() && rz > 0.0) {
                indefinite = true;
                break;
            }
            indefinite = !(curvature > 0.0);
            let alpha = rz / curvature;
            truncated = indefinite || !(xx + 2.0 * alpha * xp + alpha * alpha * pp <= limit);
            if truncated {
                let rest = (limit - xx).max(0.0);
                let to_boundary = rest / (xp + (xp * xp + pp * rest).sqrt());
                if to_boundary.is_finite() {
                    x.iter_mut().zip(&self.direction).for_each(|(x, p)| *x += to_boundary * p);
                }
                break;
            }
            for i in 0..n {
                x[i] += alpha * self.direction[i];
                self.residual[i] -= alpha * self.image[i];
            }
            norm = dot(&self.residual, &self.residual).sqrt();
            if norm <= goal {
                break;
            }
            // The image is not needed again; reuse it for the preconditioned residual.
            self.image.copy_from_slice(&self.residual);
            a.precondition(&mut self.image);
            let next = dot(&self.residual, &self.image);
            let beta = next / rz;
            rz = next;
            xx += 2.0 * alpha * xp + alpha * alpha * pp;
            xp = beta * (xp + alpha * pp);
            pp = rz + beta * beta * pp;
            for i in 0..n {
                self.direction[i] = self.image[i] + beta * self.direction[i];
            }
        }
        let residual = if size > 0.0 { norm / size } else { norm };
        CgReport { iterations, residual, converged: norm <= goal, indefinite, truncated }
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

    /// A diagonal operator, with the identity as its preconditioner.
    struct Diagonal<'a>(&'a [f64]);

    impl Operator for Diagonal<'_> {
        fn size(&self) -> usize {
            self.0.len()
        }
        fn apply(&self, x: &[f64], y: &mut [f64]) {
            y.iter_mut().zip(x).zip(self.0).for_each(|((y, x), a)| *y = a * x);
        }
        fn diagonal(&self, out: &mut [f64]) {
            out.copy_from_slice(self.0);
        }
    }

    impl Preconditioned for Diagonal<'_> {
        fn precondition(&mut self, _: &mut [f64]) {}
    }

    #[test]
    fn a_trust_region_bounds_the_solution_and_directions_of_negative_curvature() {
        let b = [3.0, 4.0, 0.1];
        let mut cg = ConjugateGradients::new(1e-12, 10);
        let mut x = [0.0; 3];
        let mut solve = |a: &[f64], radius: f64| {
            let report = cg.solve_preconditioned(&mut Diagonal(a), &b, &mut x, radius);
            (report, x, dot(&x, &x).sqrt() / dot(&b, &b).sqrt())
        };
        let (report, x, _) = solve(&[1.0, 2.0, 4.0], 1.5);
        assert!(report.converged && !report.truncated && !report.indefinite);
        assert!(x.iter().zip([3.0, 2.0, 0.025]).all(|(x, y)| (x - y).abs() < 1e-12), "{x:?}");
        let (report, x, length) = solve(&[0.01, 2.0, 4.0], 1.5);
        assert!(report.truncated && !report.indefinite && (length - 1.5).abs() < 1e-12, "{length}");
        assert!(dot(&x, &b) > 0.0);
        let (report, x, length) = solve(&[1.0, 2.0, -1.0], 1.5);
        assert!(report.truncated && report.indefinite && (length - 1.5).abs() < 1e-12, "{length}");
        assert!(x[2] > 1.0, "{x:?}");
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
