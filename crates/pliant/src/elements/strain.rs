//! Limits on singular values: what triangle and tetrahedron strain share.
//!
//! The energy is `½ Σ (σᵢ − clamp(σᵢ))²` in the singular values of the deformation gradient. Its
//! Hessian has closed-form eigenvectors (Smith, de Goes and Kim 2019, "Analytic eigensystems for
//! isotropic distortion energies"): scalings `uᵢ vᵢᵀ`, and for each pair of directions a twist and
//! a flip, so that its positive semi-definite part is a clamp of eigenvalues.

use crate::Error;
use crate::element::Curvature;
use crate::math::Vec3;

/// Refuses bounds on an area or a volume that are negative or in the wrong order.
pub fn check_bounds(name: &'static str, [min, max]: [f64; 2]) -> Result<(), Error> {
    if min >= 0.0 && min <= max && max.is_finite() {
        return Ok(());
    }
    let value = if min >= 0.0 { max } else { min };
    let remedy = "give finite bounds with 0 ≤ min ≤ max";
    Err(Error::Quantity { name, field: "bounds", value, remedy })
}

/// Distance of a singular value to its limits, and the slope of that distance.
fn beyond(sigma: f64, [min, max]: [f64; 2]) -> (f64, f64) {
    let psi = sigma - sigma.clamp(min, max.max(min));
    (psi, if sigma > min && sigma < max { 0.0 } else { 1.0 })
}

/// The Hessian for `F = Σ σᵢ uᵢ vᵢᵀ` with `v` of two or three entries per direction.
pub fn curvature<const D: usize>(
    u: &[Vec3<f64>; 3],
    v: &[[f64; D]; D],
    sigma: &[f64; D],
    limits: [f64; 2],
    definite: bool,
    out: &mut Curvature,
) {
    let keep = |value: f64| if definite { value.max(0.0) } else { value };
    *out = Curvature::zero();
    // Column d of the matrix u vᵀ is u times v[d].
    let outer = |u: Vec3<f64>, v: &[f64; D]| -> [Vec3<f64>; D] { v.map(|c| u.scale(c)) };
    for i in 0..D {
        let (psi_i, slope_i) = beyond(sigma[i], limits);
        out.add_mode(keep(slope_i), &outer(u[i], &v[i]));
        for j in i + 1..D {
            let (psi_j, _) = beyond(sigma[j], limits);
            let (a, b) = (outer(u[i], &v[j]), outer(u[j], &v[i]));
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let twist: [Vec3<f64>; D] = std::array::from_fn(|d| (a[d] - b[d]).scale(half));
            let flip: [Vec3<f64>; D] = std::array::from_fn(|d| (a[d] + b[d]).scale(half));
            let sum = sigma[i] + sigma[j];
            let gap = sigma[i] - sigma[j];
            // Where a quotient is 0/0 its limit is the slope; where only the denominator vanishes
            // the curvature is unbounded and its definite part is what a descent needs.
            let twisting = if sum.abs() > 1e-9 { (psi_i + psi_j) / sum } else { 0.0 };
            let flipping = if gap.abs() > 1e-9 { (psi_i - psi_j) / gap } else { slope_i };
            out.add_mode(keep(twisting), &twist);
            out.add_mode(keep(flipping), &flip);
        }
        if D == 2 {
            let bending = if sigma[i] > 1e-9 { psi_i / sigma[i] } else { 0.0 };
            out.add_mode(keep(bending), &outer(u[2], &v[i]));
        }
    }
}
