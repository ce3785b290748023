//! Area of a triangle between bounds, Projective Dynamics §5.2 and eq. (24): the deformation gradient is projected to
//! the nearest one with `σ_min ≤ σ₁ σ₂ ≤ σ_max`.
//!
//! Its weight is the stiffness of the membrane [N/m] times the rest area.

use crate::Error;
use crate::batch::Elements;
use crate::element::{Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::determinant::{clamp_product, eigenvalues};
use crate::elements::strain::validate_bounds;
use crate::elements::triangle_strain::{flatten, gradient_matrix, inverse_edges};
use crate::math::{Mat3x2, Real, Vec3, svd3x2};
use crate::mesh::Stencil;

/// A triangle whose area stays between bounds.
#[derive(Clone, Copy, Debug)]
pub struct TriangleAreaBounds {
    /// Inverse of the matrix of flat rest edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 2]; 2],
    /// Smallest and largest area that cost no energy, relative to the rest area.
    pub bounds: [f64; 2],
}

impl TriangleAreaBounds {
    /// Makes the element of a rest shape; returns also its area \[m²\].
    pub fn new(rest: [[f64; 3]; 3], bounds: [f64; 2]) -> Result<(Self, f64), Error> {
        validate_bounds(Self::NAME, bounds)?;
        let (inverse, area) = inverse_edges(rest)?;
        Ok((Self { inverse, bounds }, area))
    }
}

impl Projective<3, 2, 6> for TriangleAreaBounds {
    const NAME: &'static str = "triangle_area_bounds";
    const COST_NS: usize = 12;

    fn parameters(&self) -> [f64; 6] {
        flatten(&self.inverse, &self.bounds)
    }

    #[inline(always)]
    fn matrix<R: Real>(&[a, b, c, d, ..]: &[R; 6]) -> [[R; 3]; 2] {
        gradient_matrix(&[a, b, c, d])
    }

    #[inline(always)]
    fn project<R: Real>(&[.., min, max]: &[R; 6], y: &[Vec3<R>; 2]) -> [Vec3<R>; 2] {
        let svd = svd3x2(&Mat3x2 { cols: *y });
        let d = clamp_product(&svd.sigma, min, max);
        let u = [svd.u[0].scale(d[0]), svd.u[1].scale(d[1])];
        let [a, b] = svd.v.cols;
        [y[0] + u[0].scale(a[0]) + u[1].scale(b[0]), y[1] + u[0].scale(a[1]) + u[1].scale(b[1])]
    }

    fn curvature(rest: &[f64; 6], y: &[Vec3<f64>; 2], definite: bool, out: &mut Curvature) {
        let svd = svd3x2(&Mat3x2 { cols: *y });
        let [a, b] = svd.u;
        let u = [a, b, a.cross(b)];
        eigenvalues(&svd.sigma, rest[4], rest[5]).write(&u, &svd.v.cols, definite, out);
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "triangle_area_bounds",
    summary: "area ratio of a triangle within bounds",
    points: 3,
    stencil: Stencil::Triangle,
    sample: sample!(Elements::projective(), 3, |x| TriangleAreaBounds::new(x, [0.9, 1.1])
        .map(|(e, _)| e)),
};
