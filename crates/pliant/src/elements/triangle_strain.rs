//! Strain of a triangle, Projective Dynamics eq. (16), in its 3×2 form.
//!
//! ```text
//!       x₂            y = F, 3×2: F = [x₁−x₀, x₂−x₀] X⁻¹, X the edges of the rest triangle laid
//!      /  \           flat; p = U clamp(Σ) Vᵀ
//!    x₀----x₁
//! ```
//!
//! No isometric embedding of the deformed triangle is needed: the thin SVD of F gives the same result. Its weight is
//! the stiffness of the membrane [N/m] times the rest area.

use crate::Error;
use crate::batch::Elements;
use crate::element::{Block, Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::strain;
use crate::math::{Mat3x2, Real, Vec3, polar3x2, svd3x2};
use crate::mesh::Stencil;

/// A triangle that resists deformation in its plane beyond its limits.
#[derive(Clone, Copy, Debug)]
pub struct TriangleStrain {
    /// Inverse of the matrix of flat rest edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 2]; 2],
    /// Smallest and largest singular value that cost no energy; `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
}

impl TriangleStrain {
    /// Makes the element of a rest shape; returns also its area \[m²\].
    pub fn new(rest: [[f64; 3]; 3], limits: [f64; 2]) -> Result<(Self, f64), Error> {
        let (inverse, area) = inverse_edges(rest)?;
        Ok((Self { inverse, limits }, area))
    }
}

/// Returns the inverse, by columns, of the flat edges from vertex 0, and the area.
pub(super) fn inverse_edges(rest: [[f64; 3]; 3]) -> Result<([[f64; 2]; 2], f64), Error> {
    let x = rest.map(Vec3::<f64>::of);
    let (e, f) = (x[1] - x[0], x[2] - x[0]);
    // Laid flat with the first edge along the first axis: e = (a, 0), f = (b, c).
    let a = e.norm();
    let double_area = e.cross(f).norm();
    if !(double_area > 1e-12 * (e.norm_squared() + f.norm_squared()) && double_area.is_finite()) {
        return Err(Error::DegenerateRest { name: "triangle", measure: 0.5 * double_area });
    }
    let (b, c) = (e.dot(f) / a, double_area / a);
    // The inverse of [a b; 0 c] is [1/a −b/(a c); 0 1/c].
    Ok(([[1.0 / a, 0.0], [-b / (a * c), 1.0 / c]], 0.5 * double_area))
}

/// The rows of `A` for the inverse edges `b`.
#[inline(always)]
pub(super) fn gradient_matrix<R: Real>(b: &[R; 4]) -> [[R; 3]; 2] {
    [[-(b[0] + b[1]), b[0], b[1]], [-(b[2] + b[3]), b[2], b[3]]]
}

pub(super) fn flatten(inverse: &[[f64; 2]; 2], limits: &[f64; 2]) -> [f64; 6] {
    let [a, b] = inverse;
    [a[0], a[1], b[0], b[1], limits[0], limits[1]]
}

impl Projective<3, 2, 6> for TriangleStrain {
    const NAME: &'static str = "triangle_strain";
    const COST_NS: usize = 8;

    fn parameters(&self) -> [f64; 6] {
        flatten(&self.inverse, &self.limits)
    }

    #[inline(always)]
    fn matrix<R: Real>(&[a, b, c, d, ..]: &[R; 6]) -> [[R; 3]; 2] {
        gradient_matrix(&[a, b, c, d])
    }

    #[inline(always)]
    fn project<R: Real>(&[.., min, max]: &[R; 6], y: &[Vec3<R>; 2]) -> [Vec3<R>; 2] {
        let f = Mat3x2 { cols: *y };
        let rotation = polar3x2(&f);
        let p = [rotation.cols[0].scale(min), rotation.cols[1].scale(min)];
        if !R::any_lt(min, max) {
            return p;
        }
        let svd = svd3x2(&f);
        let u = [
            svd.u[0].scale(svd.sigma[0].clamp(min, max)),
            svd.u[1].scale(svd.sigma[1].clamp(min, max)),
        ];
        let [a, b] = svd.v.cols;
        [
            Vec3::select_lt(min, max, u[0].scale(a[0]) + u[1].scale(b[0]), p[0]),
            Vec3::select_lt(min, max, u[0].scale(a[1]) + u[1].scale(b[1]), p[1]),
        ]
    }

    #[inline(always)]
    fn block<R: Real>(rest: &[R; 6], y: &[Vec3<R>; 2], a: &[R; 2]) -> Block<R> {
        let svd = svd3x2(&Mat3x2 { cols: *y });
        let [p, q] = svd.u;
        let [v, w] = svd.v.cols;
        let a = [a[0] * v[0] + a[1] * v[1], a[0] * w[0] + a[1] * w[1]];
        strain::triangle_block(&[p, q, p.cross(q)], a, svd.sigma, [rest[4], rest[5]])
    }

    fn curvature(rest: &[f64; 6], y: &[Vec3<f64>; 2], definite: bool, out: &mut Curvature) {
        let svd = svd3x2(&Mat3x2 { cols: *y });
        let [a, b] = svd.u;
        let u = [a, b, a.cross(b)];
        strain::curvature(&u, &svd.v.cols, &svd.sigma, [rest[4], rest[5]], definite, out);
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "triangle_strain",
    summary: "stretch and shear of a triangle, with a strain-free range",
    points: 3,
    stencil: Stencil::Triangle,
    sample: sample!(Elements::projective(), 3, |x| TriangleStrain::new(x, [1.0, 1.0])
        .map(|(e, _)| e)),
};
