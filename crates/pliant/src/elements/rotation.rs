//! Derivative of the nearest rotation, and Hessians made from it.
//!
//! For `G = U Σ Vᵀ` the nearest rotation `R = U Vᵀ` changes by `dR = Σ λ T ⟨T, dG⟩` along three modes of unit length:
//! twists `T = (uᵢ vⱼᵀ − uⱼ vᵢᵀ)/√2` with `λ = 2/(σᵢ + σⱼ)`, and for a 3×2 matrix, with the normal `n` of its columns,
//! also `T = n vᵢᵀ` with `λ = 1/σᵢ`. If the admissible values turn with `R`, the Hessian of half the squared distance
//! to them is the identity minus a few outer products.

use crate::element::Curvature;
use crate::math::eigen::{MAX_SIZE, eigen_symmetric};
use crate::math::{Mat3, Mat3x2, Vec3, svd3, svd3x2};

/// A mode of the derivative: `λ` and `T`, by columns.
pub type RotationMode<const D: usize> = (f64, [Vec3<f64>; D]);

/// Returns the modes of the rotation nearest to `g`. Sums of singular values below `least` count as it: there the
/// rotation is not unique.
pub fn modes(g: &Mat3<f64>, least: f64) -> [RotationMode<3>; 3] {
    let svd = svd3(g);
    let v = svd.v.cols.map(|v| [v.x, v.y, v.z]);
    [(0, 1), (0, 2), (1, 2)].map(|(i, j)| {
        let sum = (svd.sigma[i] + svd.sigma[j]).max(least);
        (2.0 / sum, twist(&svd.u.cols, &v, i, j))
    })
}

/// Returns the modes of the pair of orthonormal columns nearest to `g`, as [`modes`] does.
pub fn modes3x2(g: &Mat3x2<f64>, least: f64) -> [RotationMode<2>; 3] {
    let svd = svd3x2(g);
    let [s, t] = svd.sigma;
    let normal = svd.u[0].cross(svd.u[1]);
    let across = |i: usize| svd.v.cols[i].map(|c| normal.scale(c));
    [
        (2.0 / (s + t).max(least), twist(&svd.u, &svd.v.cols, 0, 1)),
        (1.0 / s.max(least), across(0)),
        (1.0 / t.max(least), across(1)),
    ]
}

fn twist<const D: usize>(u: &[Vec3<f64>], v: &[[f64; D]; D], i: usize, j: usize) -> [Vec3<f64>; D] {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    std::array::from_fn(|d| (u[i].scale(v[j][d]) - u[j].scale(v[i][d])).scale(half))
}

/// Eigenvalue of a sum of outer products above which the curvature counts as unbounded: the nearest value is not
/// unique there.
const UNBOUNDED: f64 = 1e8;

/// Replaces rows `b` of `n` numbers each so that `I − Σ b bᵀ` loses its negative eigenvalues if `definite`, and
/// otherwise those that are unbounded.
///
/// # Panics
/// If there are more than [`MAX_SIZE`] rows.
pub fn limit_outer_products(b: &mut [f64], n: usize, definite: bool) {
    let count = b.len() / n;
    assert!(count <= MAX_SIZE);
    let (mut gram, mut v) = ([0.0; MAX_SIZE * MAX_SIZE], [0.0; MAX_SIZE * MAX_SIZE]);
    let (gram, v) = (&mut gram[..count * count], &mut v[..count * count]);
    for (i, p) in b.chunks_exact(n).enumerate() {
        for (j, q) in b.chunks_exact(n).enumerate() {
            gram[i * count + j] = p.iter().zip(q).map(|(p, q)| p * q).sum();
        }
    }
    let trace: f64 = (0..count).map(|i| gram[i * (count + 1)]).sum();
    if trace <= if definite { 1.0 } else { UNBOUNDED } {
        return;
    }
    eigen_symmetric(gram, v, count);
    // The rows, each along one eigenvector of their sum.
    let mut column = [0.0; MAX_SIZE];
    for k in 0..n {
        (0..count).for_each(|i| column[i] = b[i * n + k]);
        for mode in 0..count {
            let v = &v[mode * count..(mode + 1) * count];
            b[mode * n + k] = v.iter().zip(&column).map(|(v, c)| v * c).sum();
        }
    }
    for (mode, row) in b.chunks_exact_mut(n).enumerate() {
        let value = gram[mode * (count + 1)];
        if value > if definite { 1.0 } else { UNBOUNDED } {
            let root = 1.0 / value.sqrt();
            row.iter_mut().for_each(|c| *c *= root);
        }
    }
}

/// Writes `I − Σ b bᵀ`, or its positive semi-definite part, for rows of `3 D` numbers.
pub fn write_identity_minus<const D: usize>(b: &mut [f64], definite: bool, out: &mut Curvature) {
    let n = 3 * D;
    limit_outer_products(b, n, definite);
    *out = Curvature::identity();
    for row in b.chunks_exact(n) {
        for i in 0..n {
            for j in 0..n {
                out.m[i][j] -= row[i] * row[j];
            }
        }
    }
}

/// Writes `scale · m` as a row of `3 D` numbers.
pub fn flatten<const D: usize>(m: &[Vec3<f64>; D], scale: f64, row: &mut [f64]) {
    for (to, m) in row.chunks_exact_mut(3).zip(m) {
        to.copy_from_slice(&[m.x * scale, m.y * scale, m.z * scale]);
    }
}
