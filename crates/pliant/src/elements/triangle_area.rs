//! Area of a triangle as a scalar constraint, Strain Based Dynamics eq. (19): `C = A/A₀ − s`.
//!
//! The paper's appendix (eq. 54) constrains the squared area; the area itself has the same zero set
//! and is corrected in fewer steps, as its own §3.4 argues for stretch. Its weight is an energy per
//! squared relative area \[J\].

use crate::Error;
use crate::batch::Elements;
use crate::element::Constraint;
use crate::elements::ElementInfo;
use crate::elements::triangle_strain::inverse_edges;
use crate::math::{Real, Scalar, Vec3};
use crate::mesh::Stencil;

/// A triangle that keeps its area.
#[derive(Clone, Copy, Debug)]
pub struct TriangleArea {
    /// One over twice the rest area [1/m²].
    pub inv_double_area: f64,
    /// The target area, relative to the rest area.
    pub ratio: f64,
}

impl TriangleArea {
    /// Makes the element of a rest shape; returns also its area \[m²\].
    pub fn new(rest: [[f64; 3]; 3]) -> Result<(Self, f64), Error> {
        let (_, area) = inverse_edges(rest)?;
        Ok((Self { inv_double_area: 0.5 / area, ratio: 1.0 }, area))
    }
}

impl Constraint<3, 2> for TriangleArea {
    const NAME: &'static str = "triangle_area";
    const COST_NS: usize = 4;
    const GRADIENT_CAN_VANISH: bool = true;

    fn parameters(&self) -> [f64; 2] {
        [self.inv_double_area, self.ratio]
    }

    #[inline(always)]
    fn evaluate<R: Real>(&[inv, ratio]: &[R; 2], x: &[Vec3<R>; 3]) -> (R, [Vec3<R>; 3]) {
        let (a, b) = (x[1] - x[0], x[2] - x[0]);
        let normal = a.cross(b);
        let double_area = normal.norm();
        // A triangle of zero area has no plane to grow in: no direction, no correction.
        let n = normal.scale(inv.div_or_zero(double_area, R::of(R::Scalar::TINY)));
        let g1 = b.cross(n);
        let g2 = n.cross(a);
        (double_area * inv - ratio, [-(g1 + g2), g1, g2])
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "triangle_area",
    summary: "area of a triangle",
    points: 3,
    stencil: Stencil::Triangle,
    sample: sample!(Elements::constraint(), 3, |x| TriangleArea::new(x).map(|(e, _)| e)),
};
