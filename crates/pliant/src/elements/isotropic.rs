//! Hessians of energies that are functions of the singular values of the deformation gradient `F = Σ σᵢ uᵢ vᵢᵀ`.
//!
//! Their eigenvectors are known in closed form (Smith, de Goes and Kim 2019, "Analytic eigensystems for isotropic
//! distortion energies"): scalings, which are combinations of `uᵢ vᵢᵀ`; for each pair of directions a twist
//! `(uᵢ vⱼᵀ − uⱼ vᵢᵀ)/√2` and a flip `(uᵢ vⱼᵀ + uⱼ vᵢᵀ)/√2`; for a triangle also `n vᵢᵀ` with its normal `n`. The
//! positive semi-definite part is a clamp of eigenvalues.

use crate::element::Curvature;
use crate::math::Vec3;

/// Denominators below this count as zero.
pub const NEGLIGIBLE: f64 = 1e-9;

/// Eigenvalues of a Hessian, for two (triangle) or three (tetrahedron) singular values.
pub struct Eigenvalues<const D: usize> {
    /// Eigenvalue of each scaling, and its direction in the space of the singular values.
    pub scaling: [(f64, [f64; D]); D],
    /// Eigenvalue of the twist of a pair `i < j`.
    pub twist: [[f64; D]; D],
    /// Eigenvalue of the flip of a pair `i < j`.
    pub flip: [[f64; D]; D],
    /// Eigenvalue of a triangle's normal times `vᵢᵀ`.
    pub across: [f64; D],
}

impl<const D: usize> Eigenvalues<D> {
    /// Eigenvalues that are all zero, with the directions of single values.
    pub fn zero() -> Self {
        let mut scaling = [(0.0, [0.0; D]); D];
        (0..D).for_each(|i| scaling[i].1[i] = 1.0);
        Self { scaling, twist: [[0.0; D]; D], flip: [[0.0; D]; D], across: [0.0; D] }
    }

    /// Writes the Hessian, or its positive semi-definite part.
    pub fn write(
        &self,
        u: &[Vec3<f64>; 3],
        v: &[[f64; D]; D],
        definite: bool,
        out: &mut Curvature,
    ) {
        let keep = |value: f64| if definite { value.max(0.0) } else { value };
        *out = Curvature::zero();
        // Column d of the matrix u vᵀ is u times v[d].
        let outer = |u: Vec3<f64>, v: &[f64; D]| -> [Vec3<f64>; D] { v.map(|c| u.scale(c)) };
        for i in 0..D {
            let (value, direction) = self.scaling[i];
            let mut scaling = [Vec3::zero(); D];
            for k in 0..D {
                let part = outer(u[k], &v[k]);
                (0..D).for_each(|d| scaling[d] += part[d].scale(direction[k]));
            }
            out.add_mode(keep(value), &scaling);
            for j in i + 1..D {
                let (a, b) = (outer(u[i], &v[j]), outer(u[j], &v[i]));
                let half = std::f64::consts::FRAC_1_SQRT_2;
                let twist: [Vec3<f64>; D] = std::array::from_fn(|d| (a[d] - b[d]).scale(half));
                let flip: [Vec3<f64>; D] = std::array::from_fn(|d| (a[d] + b[d]).scale(half));
                out.add_mode(keep(self.twist[i][j]), &twist);
                out.add_mode(keep(self.flip[i][j]), &flip);
            }
            if D == 2 {
                out.add_mode(keep(self.across[i]), &outer(u[2], &v[i]));
            }
        }
    }
}
