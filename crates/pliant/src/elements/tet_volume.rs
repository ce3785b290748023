//! Volume of a tetrahedron as a scalar constraint, Strain Based Dynamics eqs. (18), (47)–(52):
//! `C = det F − s`, with `det F` the signed volume over the rest volume and `s` the product of the
//! rest stretches. An inverted tetrahedron is turned back through its base.
//!
//! Beside strain that tells a tetrahedron from its mirror image it may yield: in Projective Dynamics it
//! then rests wherever a tetrahedron at one of its vertices is inside out. Among neighbours that keep
//! their volume, some of those would stay so for ever (of 320 that started scrambled with ν = 0.45,
//! three).
//!
//! Its weight is an energy per squared relative volume \[J\]: a bulk modulus times the rest volume.

use super::tet_strain::inverse_edges;
use crate::Error;
use crate::element::Constraint;
use crate::math::{Real, Vec3};

/// A tetrahedron that keeps its volume.
#[derive(Clone, Copy, Debug)]
pub struct TetVolume {
    /// One over six times the signed rest volume [1/m³].
    pub inv_det: f64,
    /// The volume to keep, relative to the rest volume.
    pub ratio: f64,
    /// Whether it rests, in Projective Dynamics, beside tetrahedra that are inside out: where another
    /// element turns those back.
    pub yields: bool,
}

impl TetVolume {
    /// The element of a rest shape, with its volume \[m³\].
    pub fn new(rest: [[f64; 3]; 4]) -> Result<(Self, f64), Error> {
        let (_, volume) = inverse_edges(rest)?;
        let x = rest.map(Vec3::<f64>::of);
        let det = (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]));
        Ok((Self { inv_det: 1.0 / det, ratio: 1.0, yields: false }, volume))
    }
}

impl Constraint<4, 3> for TetVolume {
    const NAME: &'static str = "tet_volume";
    const COST_NS: usize = 4;
    const VANISHES: bool = true;
    const YIELDS: bool = true;

    fn is_inverted(rest: &[f64; 3], x: &[Vec3<f64>; 4]) -> bool {
        rest[2] > 0.5 && Self::evaluate(rest, x).0 + rest[1] < 0.0
    }

    fn parameters(&self) -> [f64; 3] {
        [self.inv_det, self.ratio, f64::from(self.yields)]
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
