//! Strain of a tetrahedron, Projective Dynamics eq. (16) over volumes and Appendix A.
//!
//! ```text
//!      x₃             y = F, the deformation gradient: F = [x₁−x₀, x₂−x₀, x₃−x₀] X⁻¹
//!     /|\             p = U clamp(Σ) Vᵀ, with the last singular value negated where det F < 0
//!    / | \
//!  x₀--|--x₂          limits [1, 1]: p is the nearest rotation
//!    \ | /
//!      x₁
//! ```
//!
//! Its weight is the stiffness of the material times the rest volume.

use crate::Error;
use crate::batch::Elements;
use crate::element::{Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::strain;
use crate::math::{Mat3, Real, Vec3, polar3, svd3};
use crate::mesh::Stencil;

/// A tetrahedron that resists deformation beyond its limits.
#[derive(Clone, Copy, Debug)]
pub struct TetStrain {
    /// Inverse of the matrix of rest edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 3]; 3],
    /// Smallest and largest singular value that cost no energy; `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
}

impl TetStrain {
    /// Makes the element of a rest shape; returns also its volume \[m³\].
    pub fn new(rest: [[f64; 3]; 4], limits: [f64; 2]) -> Result<(Self, f64), Error> {
        let (inverse, volume) = inverse_edges(rest)?;
        Ok((Self { inverse, limits }, volume))
    }
}

/// Returns the inverse, by columns, of the edges from vertex 0, and the volume.
pub(super) fn inverse_edges(rest: [[f64; 3]; 4]) -> Result<([[f64; 3]; 3], f64), Error> {
    let x = rest.map(Vec3::<f64>::of);
    let edges = Mat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let det = edges.det();
    let scale = edges.norm_squared().sqrt();
    if !(det.abs() > 1e-12 * scale * scale * scale && det.is_finite()) {
        return Err(Error::DegenerateRest { name: "tetrahedron", measure: det / 6.0 });
    }
    // The inverse is the transposed cofactor matrix over the determinant.
    let c = edges.cofactor();
    let inverse = [0, 1, 2].map(|column| {
        let row = |v: Vec3<f64>| [v.x, v.y, v.z][column] / det;
        [row(c.cols[0]), row(c.cols[1]), row(c.cols[2])]
    });
    Ok((inverse, (det / 6.0).abs()))
}

/// The rows of `A`: `F = Σ x_k a_k`, where vertex 0 has minus the sum of the others.
#[inline(always)]
pub(super) fn gradient_matrix<R: Real>(b: &[R; 9]) -> [[R; 4]; 3] {
    [
        [-(b[0] + b[1] + b[2]), b[0], b[1], b[2]],
        [-(b[3] + b[4] + b[5]), b[3], b[4], b[5]],
        [-(b[6] + b[7] + b[8]), b[6], b[7], b[8]],
    ]
}

pub(super) fn flatten(inverse: &[[f64; 3]; 3], limits: &[f64; 2]) -> [f64; 11] {
    let [a, b, c] = inverse;
    [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], limits[0], limits[1]]
}

#[inline(always)]
pub(super) fn shape<R: Real>(rest: &[R; 11]) -> [R; 9] {
    let [a, b, c, d, e, f, g, h, i, _, _] = *rest;
    [a, b, c, d, e, f, g, h, i]
}

impl Projective<4, 3, 11> for TetStrain {
    const NAME: &'static str = "tet_strain";
    const COST_NS: usize = 25;

    fn parameters(&self) -> [f64; 11] {
        flatten(&self.inverse, &self.limits)
    }

    #[inline(always)]
    fn matrix<R: Real>(rest: &[R; 11]) -> [[R; 4]; 3] {
        gradient_matrix(&shape(rest))
    }

    #[inline(always)]
    fn project<R: Real>(rest: &[R; 11], y: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let f = Mat3 { cols: *y };
        let (min, max) = (rest[9], rest[10]);
        // Lanes with a single admissible value take the rotation times it; the others need the SVD.
        let rotation = polar3(&f);
        let mut p = Mat3::from_cols(
            rotation.cols[0].scale(min),
            rotation.cols[1].scale(min),
            rotation.cols[2].scale(min),
        );
        if R::any_lt(min, max) {
            let svd = svd3(&f);
            let s = [
                svd.sigma[0].clamp(min, max),
                svd.sigma[1].clamp(min, max),
                svd.sigma[2].clamp(min, max),
            ];
            let us = Mat3::from_cols(
                svd.u.cols[0].scale(s[0]),
                svd.u.cols[1].scale(s[1]),
                svd.u.cols[2].scale(s[2]),
            );
            p = Mat3::select_lt(min, max, &us.mul(&svd.v.transpose()), &p);
        }
        p.cols
    }

    fn curvature(rest: &[f64; 11], y: &[Vec3<f64>; 3], definite: bool, out: &mut Curvature) {
        let svd = svd3(&Mat3 { cols: *y });
        let v = svd.v.cols.map(|c| [c.x, c.y, c.z]);
        strain::curvature(&svd.u.cols, &v, &svd.sigma, [rest[9], rest[10]], definite, out);
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "tet_strain",
    summary: "deformation of a tetrahedron, with a strain-free range",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(Elements::projective(), 4, |x| TetStrain::new(x, [1.0, 1.0]).map(|(e, _)| e)),
};
