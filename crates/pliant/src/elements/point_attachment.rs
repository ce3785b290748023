//! A vertex attached to a point that is a weighted sum of four others: `y = x − Σ w_k q_k`, `p = 0`.
//!
//! The attachment acts both ways: the opposite of the force on the vertex is distributed to the four by their weights,
//! so that momentum is conserved (Position Based Dynamics §4.5, attachments with two-way interaction). Its weight is a
//! spring constant [N/m] with rest length zero.

use crate::Error;
use crate::batch::Elements;
use crate::element::Projective;
use crate::elements::ElementInfo;
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;
use crate::mesh::measure::tet_volume;

/// Largest weight: the distance of the point from the four, relative to their size, is limited to this.
const MAX_WEIGHT: f64 = 1e3;

/// A vertex and an affine combination of four others.
#[derive(Clone, Copy, Debug)]
pub struct PointAttachment {
    /// The weights of the four, with a sum of one.
    pub weights: [f64; 4],
}

impl PointAttachment {
    /// Makes the attachment of a point \[m\] to its own position relative to four others \[m\].
    pub fn new(point: [f64; 3], four: [[f64; 3]; 4]) -> Result<Self, Error> {
        let volume = tet_volume(four);
        let weights = [0, 1, 2, 3].map(|k| {
            let mut own = four;
            own[k] = point;
            tet_volume(own) / volume
        });
        // From a greater distance, rounding alone would move the point.
        if weights.iter().any(|w| !(w.abs() <= MAX_WEIGHT)) {
            return Err(Error::DegenerateRest {
                name: "tetrahedron of an attachment",
                measure: volume,
            });
        }
        Ok(Self { weights })
    }
}

impl Projective<5, 1, 4> for PointAttachment {
    const NAME: &'static str = "point_attachment";
    const COST_NS: usize = 4;

    fn parameters(&self) -> [f64; 4] {
        self.weights
    }

    #[inline(always)]
    fn matrix<R: Real>(&[a, b, c, d]: &[R; 4]) -> [[R; 5]; 1] {
        let zero = R::zero();
        [[R::one(), zero - a, zero - b, zero - c, zero - d]]
    }

    #[inline(always)]
    fn project<R: Real>(_: &[R; 4], _: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        [Vec3::zero()]
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "point_attachment",
    summary: "attachment of a vertex to a point in the frame of four other vertices",
    points: 5,
    stencil: Stencil::Custom,
    sample: sample!(Elements::projective(), 5, |x: [[f64; 3]; 5]| {
        PointAttachment::new(x[0], [x[1], x[2], x[3], x[4]])
    }),
};
