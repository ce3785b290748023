//! Volume of a tetrahedron as a scalar constraint, Strain Based Dynamics eqs. (18), (47)–(52): `C = det F − s`, with
//! `det F` the signed volume over the rest volume and `s` the product of the rest stretches. An inverted tetrahedron is
//! turned back through its base.
//!
//! Together with strain elements that distinguish a tetrahedron from its mirror image, it can be disabled near
//! inversion: in Projective Dynamics it is then inactive wherever a tetrahedron at one of its vertices is inverted.
//! Otherwise some tetrahedra among neighbours that keep their volume would stay inverted forever (of 320 that started
//! scrambled with ν = 0.45, three).
//!
//! Its weight is an energy per squared relative volume \[J\]: a bulk modulus times the rest volume.

use crate::Error;
use crate::batch::Elements;
use crate::element::Constraint;
use crate::elements::ElementInfo;
use crate::elements::tet_strain::inverse_edges;
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;

/// A tetrahedron that keeps its volume.
#[derive(Clone, Copy, Debug)]
pub struct TetVolume {
    /// One over six times the signed rest volume [1/m³].
    pub inv_det: f64,
    /// The volume to keep, relative to the rest volume.
    pub ratio: f64,
    /// True if, in Projective Dynamics, it is disabled near inverted tetrahedra, where another element turns those
    /// back.
    pub disabled_near_inversion: bool,
}

impl TetVolume {
    /// Makes the element of a rest shape; returns also its volume \[m³\].
    pub fn new(rest: [[f64; 3]; 4]) -> Result<(Self, f64), Error> {
        let (_, volume) = inverse_edges(rest)?;
        let x = rest.map(Vec3::<f64>::of);
        let det = (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]));
        Ok((Self { inv_det: 1.0 / det, ratio: 1.0, disabled_near_inversion: false }, volume))
    }
}

impl Constraint<4, 3> for TetVolume {
    const NAME: &'static str = "tet_volume";
    const COST_NS: usize = 4;
    const GRADIENT_CAN_VANISH: bool = true;
    const DISABLED_NEAR_INVERSION: bool = true;

    fn is_inverted(rest: &[f64; 3], x: &[Vec3<f64>; 4]) -> bool {
        rest[2] > 0.5 && Self::evaluate(rest, x).0 + rest[1] < 0.0
    }

    fn parameters(&self) -> [f64; 3] {
        [self.inv_det, self.ratio, f64::from(self.disabled_near_inversion)]
    }

    #[inline(always)]
    fn evaluate<R: Real>(&[inv_det, ratio, _]: &[R; 3], x: &[Vec3<R>; 4]) -> (R, [Vec3<R>; 4]) {
        let (a, b, c) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let g1 = b.cross(c).scale(inv_det);
        let g2 = c.cross(a).scale(inv_det);
        let g3 = a.cross(b).scale(inv_det);
        (a.dot(g1) - ratio, [-(g1 + g2 + g3), g1, g2, g3])
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "tet_volume",
    summary: "volume of a tetrahedron",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(Elements::constraint(), 4, |x| TetVolume::new(x).map(|(e, _)| e)),
};
