//! Limits on singular values, shared by triangle and tetrahedron strain.
//!
//! The energy is `½ Σ (σᵢ − clamp(σᵢ))²` in the singular values of the deformation gradient.

use crate::Error;
use crate::element::{Block, Curvature};
use crate::elements::isotropic::{Eigenvalues, NEGLIGIBLE};
use crate::math::{Real, Vec3};

/// Rejects bounds on an area or a volume that are negative or in the wrong order.
pub fn validate_bounds(name: &'static str, [min, max]: [f64; 2]) -> Result<(), Error> {
    if min >= 0.0 && min <= max && max.is_finite() {
        return Ok(());
    }
    let value = if min >= 0.0 { max } else { min };
    let remedy = "bounds must be finite, with 0 ≤ min ≤ max";
    Err(Error::Quantity { name, field: "bound", value, remedy })
}

/// Distance of a singular value to its limits, and the derivative of that distance.
fn bound_distance(sigma: f64, [min, max]: [f64; 2]) -> (f64, f64) {
    let psi = sigma - sigma.clamp(min, max.max(min));
    (psi, if sigma > min && sigma < max { 0.0 } else { 1.0 })
}

/// Writes the Hessian for `F = Σ σᵢ uᵢ vᵢᵀ` with `v` of two or three entries per direction.
pub fn curvature<const D: usize>(
    u: &[Vec3<f64>; 3],
    v: &[[f64; D]; D],
    sigma: &[f64; D],
    limits: [f64; 2],
    definite: bool,
    out: &mut Curvature,
) {
    let mut all = Eigenvalues::<D>::zero();
    for i in 0..D {
        let (psi_i, slope_i) = bound_distance(sigma[i], limits);
        all.scaling[i].0 = slope_i;
        for j in i + 1..D {
            let (psi_j, _) = bound_distance(sigma[j], limits);
            let sum = sigma[i] + sigma[j];
            let gap = sigma[i] - sigma[j];
            // Where a quotient is 0/0 its limit is the derivative of the distance; where only the denominator vanishes
            // the curvature is unbounded, and descent needs its definite part.
            all.twist[i][j] = if sum.abs() > NEGLIGIBLE { (psi_i + psi_j) / sum } else { 0.0 };
            all.flip[i][j] = if gap.abs() > NEGLIGIBLE { (psi_i - psi_j) / gap } else { slope_i };
        }
        all.across[i] = if sigma[i] > NEGLIGIBLE { psi_i / sigma[i] } else { 0.0 };
    }
    all.write(u, v, definite, out);
}

/// Returns the positive semi-definite block for one vertex of a triangle, in packs: `a` holds the vertex's column of
/// `A` in the directions of `v`, `u` the directions in the plane and across it.
///
/// In these directions it is a small symmetric matrix: scalings and the out-of-plane term on its diagonal, and from the
/// twist and the flip the square of `(a₂ u₁ ∓ a₁ u₂)/√2`.
#[inline(always)]
pub fn triangle_block<R: Real>(
    u: &[Vec3<R>; 3],
    a: [R; 2],
    sigma: [R; 2],
    [min, max]: [R; 2],
) -> Block<R> {
    let (o, l) = (R::zero(), R::one());
    let (tiny, half) = (R::of(1e-6), R::of(0.5));
    let square = [a[0] * a[0], a[1] * a[1]];
    let (mut psi, mut slope) = ([o; 2], [o; 2]);
    let mut across = o;
    for i in 0..2 {
        psi[i] = sigma[i] - sigma[i].clamp(min, max.max(min));
        slope[i] = R::select_lt(min, sigma[i], R::select_lt(sigma[i], max, o, l), l);
        // The curvature of half a squared distance is never above one.
        across += psi[i].div_or_zero(sigma[i], tiny).clamp(o, l) * square[i];
    }
    let twist = (psi[0] + psi[1]).div_or_zero(sigma[0] + sigma[1], tiny).clamp(o, l);
    let gap = sigma[0] - sigma[1];
    let flip = (psi[0] - psi[1]).div_or_zero(gap, tiny);
    let flip = R::select_lt(tiny, gap.abs(), flip, slope[0]).clamp(o, l);
    let both = (twist + flip) * half;
    Block::outer(slope[0] * square[0] + both * square[1], u[0])
        .plus(Block::outer(slope[1] * square[1] + both * square[0], u[1]))
        .plus(Block::outer(across, u[2]))
        .plus(Block::mixed((flip - twist) * half * a[0] * a[1], u[0], u[1]))
}
