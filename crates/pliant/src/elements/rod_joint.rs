//! Bending about two axes and twist at the joint of two segments of a rod, from the rotation between their frames
//! (Umetani, Schmutz and Stam 2014; the discrete Darboux vector of Cosserat rods).
//!
//! ```text
//!        g₀       g₁
//!        |        |         κ_k = (d_i·d'_j − d_j·d'_i)/√S,  S = 1 + Σ d_i·d'_i
//!   x₀---+---x₁---+---x₂    C_k = κ_k − κ_k at rest,         (i, j, k) = (2,3,1), (3,1,2), (1,2,3)
//! ```
//!
//! For a rotation by θ about the unit axis n, `κ = 2 sin(θ/2) n`: the angle, to within 1 % up to 28°. The paper's
//! definition, with S in place of its root, is `2 tan(θ/2) n` and unbounded at half a turn, where no step length would
//! be safe.
//!
//! Its weight is an energy per squared angle \[J\]: `E I/l` for bending, with `l` the length between the middles of the
//! segments; the shares are those of both bends and of the twist, `G J/(E I)`.

use crate::Error;
use crate::batch::Elements;
use crate::element::ConstraintGroup;
use crate::elements::ElementInfo;
use crate::elements::rod_frame::frame;
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;

/// The joint of two segments of a rod: three points along it, then the frame points of both segments.
#[derive(Clone, Copy, Debug)]
pub struct RodJoint {
    /// Rotations about the three axes at rest: bends and twist \[rad\].
    pub rest: [f64; 3],
    /// Relative stiffness of each.
    pub shares: [f64; 3],
}

impl RodJoint {
    /// Makes the joint of a rest shape. `shares` are zero or more.
    pub fn new(rest: [[f64; 3]; 5], shares: [f64; 3]) -> Result<Self, Error> {
        let x = rest.map(Vec3::<f64>::of);
        for [a, b, g] in [[0, 1, 3], [1, 2, 4]] {
            let edge = x[b] - x[a];
            let across = edge.cross(x[g] - (x[a] + x[b]).scale(0.5)).norm();
            if !(across > 1e-12 * edge.norm_squared() && across.is_finite()) {
                return Err(Error::DegenerateRest { name: "rod joint", measure: across });
            }
        }
        let none = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let rest = [0, 1, 2].map(|which| Self::evaluate(which, &none, &x).0);
        Ok(Self { rest, shares })
    }
}

impl ConstraintGroup<5, 3, 6> for RodJoint {
    const NAME: &'static str = "rod_joint";
    const COST_NS: usize = 40;
    const LOOP_OVER_CONSTRAINTS: bool = true;
    const GRADIENT_ROTATES: bool = true;
    // At half a turn κ is at its largest.
    const GRADIENT_CAN_VANISH: bool = true;

    fn parameters(&self) -> [f64; 6] {
        let ([a, b, c], [d, e, f]) = (self.rest, self.shares);
        [a, b, c, d, e, f]
    }

    #[inline(always)]
    fn evaluate<R: Real>(which: usize, rest: &[R; 6], x: &[Vec3<R>; 5]) -> (R, [Vec3<R>; 5]) {
        let (i, j) = ((which + 1) % 3, (which + 2) % 3);
        let (f0, f1) = (frame(x[0], x[1], x[3]), frame(x[1], x[2], x[4]));
        let (a, b) = (&f0.axes, &f1.axes);
        let turn = a[i].dot(b[j]) - a[j].dot(b[i]);
        // Near half a turn the direction of the axis, and with it the derivative, is undefined.
        let sum = R::one() + a[0].dot(b[0]) + a[1].dot(b[1]) + a[2].dot(b[2]);
        let s = sum.max(R::of(MIN_DENOMINATOR));
        let inv = R::one() / s.sqrt();
        let kappa = turn * inv;
        // κ = turn / √s.
        let by_turn = inv;
        let by_s = R::select_lt(sum, s, R::zero(), kappa * (R::of(-0.5) / s));
        // Change of κ when the second frame rotates; the first has the opposite sign.
        let mut torque = (b[j].cross(a[i]) - b[i].cross(a[j])).scale(by_turn);
        for k in 0..3 {
            torque += b[k].cross(a[k]).scale(by_s);
        }
        let (g0, g1) = (f0.pull_back(-torque), f1.pull_back(torque));
        (kappa - rest[which], [g0[0], g0[1] + g1[0], g1[1], g0[2], g1[2]])
    }

    fn share(which: usize, rest: &[f64; 6]) -> f64 {
        rest[3 + which]
    }
}

/// Lower bound on `S`: rotations of up to 167° are exact. Beyond, where κ is a quotient of two vanishing numbers,
/// rounding errors would rotate the whole joint.
const MIN_DENOMINATOR: f64 = 0.05;

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "rod_joint",
    summary: "bending about two axes and twist between two rod segments",
    points: 5,
    stencil: Stencil::Custom,
    sample: sample!(Elements::constraint(), 5, |x| RodJoint::new(x, [1.0, 0.8, 0.6])),
};
