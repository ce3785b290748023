//! Frame of a rod segment, defined by a frame point beside it (the ghost point of Umetani, Schmutz and Stam 2014,
//! "Position-based elastic rods"). It allows bending and twist to be measured with positions as the only state.
//!
//! ```text
//!        g              t = (x₁ − x₀)/|x₁ − x₀|                 along the segment
//!        |              d₂ = t × a / |t × a|, a = g − (x₀ + x₁)/2
//!   x₀---+---x₁         d₁ = d₂ × t                             towards the frame point
//! ```
//!
//! The frame depends on `a` only through its direction about the segment. So bending and twist of the rod move the
//! frame point about the segment and never along or away from it; this element keeps it in place: `a·t/ℓ = 0`,
//! `|a|/ℓ = 1`, with ℓ its distance at rest. As no other force acts against it, it need not be stiff.
//!
//! Its weight is an energy per squared relative displacement \[J\].

use crate::Error;
use crate::batch::Elements;
use crate::element::ConstraintGroup;
use crate::elements::ElementInfo;
use crate::math::{Real, Scalar, Vec3};
use crate::mesh::Stencil;

/// Keeps the frame point of a rod segment at its position beside the middle: the two ends, then the frame point.
#[derive(Clone, Copy, Debug)]
pub struct RodFrame {
    /// Distance of the frame point from the middle of the segment \[m\], positive.
    pub arm: f64,
}

impl RodFrame {
    /// Makes the frame of a rest shape: two ends and the frame point.
    pub fn new(rest: [[f64; 3]; 3]) -> Result<Self, Error> {
        let x = rest.map(Vec3::<f64>::of);
        let arm = (x[2] - (x[0] + x[1]).scale(0.5)).norm();
        let length = (x[1] - x[0]).norm();
        for measure in [length, arm] {
            if !(measure > 0.0 && measure.is_finite()) {
                return Err(Error::DegenerateRest { name: "rod frame", measure });
            }
        }
        Ok(Self { arm })
    }
}

/// The axes of a segment, and the quantities that their derivatives need.
#[derive(Clone, Copy)]
pub(super) struct Frame<R> {
    /// Orthonormal axes `d₁`, `d₂` and `t`.
    pub axes: [Vec3<R>; 3],
    arm: Vec3<R>,
    inv_length: R,
    inv_across: R,
}

/// Computes the frame of the segment from `a` to `b` with the frame point `g`.
#[inline(always)]
pub(super) fn frame<R: Real>(a: Vec3<R>, b: Vec3<R>, g: Vec3<R>) -> Frame<R> {
    let tiny = R::of(R::Scalar::TINY);
    let e = b - a;
    let inv_length = R::one().div_or_zero(e.norm(), tiny);
    let t = e.scale(inv_length);
    let arm = g - (a + b).scale(R::of(0.5));
    let across = t.cross(arm);
    let inv_across = R::one().div_or_zero(across.norm(), tiny);
    let d2 = across.scale(inv_across);
    Frame { axes: [d2.cross(t), d2, t], arm, inv_length, inv_across }
}

impl<R: Real> Frame<R> {
    /// Derivatives, with respect to both ends and the frame point, of a quantity that changes by `torque · ω` when the
    /// frame rotates by `ω`: forces with exactly that torque up to rounding, so that two frames that rotate against
    /// each other conserve angular momentum.
    ///
    /// The frame rotates by `ω = t × δt + t (d₂·(δa − (a·t) δt))/|t × a|`.
    #[inline(always)]
    pub fn pull_back(&self, torque: Vec3<R>) -> [Vec3<R>; 3] {
        let [_, d2, t] = self.axes;
        let by_arm = d2.scale(torque.dot(t) * self.inv_across);
        let by_t = torque.cross(t) - by_arm.scale(self.arm.dot(t));
        let by_edge = by_t.scale(self.inv_length);
        let half = by_arm.scale(R::of(0.5));
        [-(by_edge + half), by_edge - half, by_arm]
    }
}

impl ConstraintGroup<3, 2, 1> for RodFrame {
    const NAME: &'static str = "rod_frame";
    const COST_NS: usize = 6;
    const GRADIENT_ROTATES: bool = true;

    fn parameters(&self) -> [f64; 1] {
        [1.0 / self.arm]
    }

    #[inline(always)]
    fn evaluate<R: Real>(which: usize, &[inv_arm]: &[R; 1], x: &[Vec3<R>; 3]) -> (R, [Vec3<R>; 3]) {
        let tiny = R::of(R::Scalar::TINY);
        let half = R::of(0.5);
        let arm = x[2] - (x[0] + x[1]).scale(half);
        if which == 0 {
            let e = x[1] - x[0];
            let inv_length = R::one().div_or_zero(e.norm(), tiny);
            let t = e.scale(inv_length);
            let along = arm.dot(t);
            let by_arm = t.scale(inv_arm);
            let by_edge = (arm - t.scale(along)).scale(inv_length * inv_arm);
            let middle = by_arm.scale(half);
            (along * inv_arm, [-(by_edge + middle), by_edge - middle, by_arm])
        } else {
            let length = arm.norm();
            let by_arm = arm.scale(inv_arm.div_or_zero(length, tiny));
            let middle = by_arm.scale(-half);
            (length * inv_arm - R::one(), [middle, middle, by_arm])
        }
    }

    fn share(_: usize, _: &[f64; 1]) -> f64 {
        1.0
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "rod_frame",
    summary: "position of the frame point of a rod segment relative to the segment",
    points: 3,
    stencil: Stencil::Custom,
    sample: sample!(Elements::constraint(), 3, RodFrame::new),
};
