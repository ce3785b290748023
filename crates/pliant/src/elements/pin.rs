//! A soft attachment of one vertex to a point, Projective Dynamics §6: `y = x`, `p` = the target.
//!
//! Its weight is a spring constant [N/m] with rest length zero. For a vertex that must not move at all, pin it in the
//! model instead: that removes it from the unknowns.

use crate::Error;
use crate::batch::Elements;
use crate::element::Projective;
use crate::elements::ElementInfo;
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;

/// A vertex attached to a target point by a zero-length spring.
#[derive(Clone, Copy, Debug)]
pub struct Pin {
    /// Target position \[m\].
    pub target: [f64; 3],
}

impl Projective<1, 1, 3> for Pin {
    const NAME: &'static str = "pin";
    const COST_NS: usize = 2;

    fn parameters(&self) -> [f64; 3] {
        self.target
    }

    #[inline(always)]
    fn matrix<R: Real>(_: &[R; 3]) -> [[R; 1]; 1] {
        [[R::one()]]
    }

    #[inline(always)]
    fn project<R: Real>(&[x, y, z]: &[R; 3], _: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        [Vec3::new(x, y, z)]
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "pin",
    summary: "soft attachment of a vertex to a target position",
    points: 1,
    stencil: Stencil::Vertex,
    sample: sample!(Elements::projective(), 1, |x: [[f64; 3]; 1]| Ok::<_, Error>(Pin {
        target: x[0]
    })),
};
