//! Bending by the dihedral angle, Position Based Dynamics §4.1 and Strain Based Dynamics eqs.
//! (39)–(46).
//!
//! ```text
//!        x₃               edge e = x₃ − x₂ between the triangles (x₀, x₂, x₃) and (x₁, x₃, x₂)
//!       / | \             C = θ − θ₀
//!     x₀  |  x₁
//!       \ | /
//!        x₂
//! ```
//!
//! The angle is signed (`atan2` instead of the papers' `arccos`), so that a fold up differs from a
//! fold down and the gradient stays finite when flat. The printed normals in the gradients must be
//! divided by their squared norms; checked against central differences.
//!
//! The gradient vanishes for no shape but is unbounded as a triangle's area goes to zero; degenerate triangles are
//! skipped. Its weight is an energy per squared angle \[J\].

use crate::Error;
use crate::batch::Elements;
use crate::element::Constraint;
use crate::elements::ElementInfo;
use crate::math::trig::atan2;
use crate::math::{Real, Scalar, Vec3};
use crate::mesh::Stencil;

/// A hinge between two triangles that resists bending.
#[derive(Clone, Copy, Debug)]
pub struct Dihedral {
    /// Rest angle θ₀ \[rad\] in −π…π; zero when flat.
    pub angle: f64,
}

impl Dihedral {
    /// Makes the hinge of a rest shape: two opposite vertices, then the edge.
    pub fn new(rest: [[f64; 3]; 4]) -> Self {
        let x = rest.map(Vec3::<f64>::of);
        Self { angle: Self::evaluate(&[0.0], &x).0 }
    }
}

impl Constraint<4, 1> for Dihedral {
    const NAME: &'static str = "dihedral";
    const COST_NS: usize = 8;
    const GRADIENT_ROTATES: bool = true;

    fn parameters(&self) -> [f64; 1] {
        [self.angle]
    }

    #[inline(always)]
    fn evaluate<R: Real>(&[angle]: &[R; 1], x: &[Vec3<R>; 4]) -> (R, [Vec3<R>; 4]) {
        let e = x[3] - x[2];
        let (a2, a3) = (x[2] - x[0], x[3] - x[0]);
        let (b2, b3) = (x[2] - x[1], x[3] - x[1]);
        let n0 = a2.cross(a3);
        let n1 = b3.cross(b2);
        let length = e.norm();
        let tiny = R::of(R::Scalar::TINY);
        let inv_length = R::one().div_or_zero(length, tiny);

        let sine = -(n0.cross(n1).dot(e) * inv_length);
        let mut c = atan2(sine, n0.dot(n1)) - angle;
        // The shorter way around the circle.
        let pi = R::of(std::f64::consts::PI);
        let turn = R::of(std::f64::consts::TAU);
        c = R::select_lt(pi, c, c - turn, c);
        c = R::select_lt(c, -pi, c + turn, c);

        let m0 = n0.scale(R::one().div_or_zero(n0.norm_squared(), tiny));
        let m1 = n1.scale(R::one().div_or_zero(n1.norm_squared(), tiny));
        let (s3, t3) = (a3.dot(e) * inv_length, b3.dot(e) * inv_length);
        let (s2, t2) = (a2.dot(e) * inv_length, b2.dot(e) * inv_length);
        let g = [
            m0.scale(length),
            m1.scale(length),
            -(m0.scale(s3) + m1.scale(t3)),
            m0.scale(s2) + m1.scale(t2),
        ];
        (c, g)
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "dihedral",
    summary: "dihedral angle between two triangles",
    points: 4,
    stencil: Stencil::Hinge,
    sample: sample!(Elements::constraint(), 4, |x| Ok::<_, Error>(Dihedral::new(x))),
};
