//! A Hookean spring, Fast Simulation of Mass-Spring Systems eq. (9): `E = k/2 (|x₁ − x₂| − r)²`.
//!
//! ```text
//!   x₁ o~~~~~~~~o x₂        y = x₁ − x₂,  p = r y/|y|  (eq. 10)
//! ```
//!
//! Its weight is the spring constant k [N/m].

use crate::Error;
use crate::batch::Elements;
use crate::element::{Block, Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::radial;
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;
use crate::mesh::measure::distance;

/// A spring between two vertices.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    /// Rest length r \[m\], not negative.
    pub length: f64,
}

impl Projective<2, 1, 1> for Spring {
    const NAME: &'static str = "spring";
    const COST_NS: usize = 2;

    fn parameters(&self) -> [f64; 1] {
        [self.length]
    }

    #[inline(always)]
    fn matrix<R: Real>(_: &[R; 1]) -> [[R; 2]; 1] {
        [[R::one(), -R::one()]]
    }

    #[inline(always)]
    fn project<R: Real>(&[length]: &[R; 1], &[y]: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        [radial::length_and_direction(y).1.scale(length)]
    }

    #[inline(always)]
    fn signed_distance<R: Real>(&[length]: &[R; 1], &[y]: &[Vec3<R>; 1]) -> (R, [Vec3<R>; 1]) {
        let (now, n) = radial::length_and_direction(y);
        (now - length, [n])
    }

    #[inline(always)]
    fn block<R: Real>(&[length]: &[R; 1], &[y]: &[Vec3<R>; 1], &[a]: &[R; 1]) -> Block<R> {
        radial::block(y, length, length, a)
    }

    fn curvature(&[length]: &[f64; 1], y: &[Vec3<f64>; 1], definite: bool, out: &mut Curvature) {
        radial::curvature(y[0], length, length, definite, out);
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "spring",
    summary: "Hookean spring between two vertices",
    points: 2,
    stencil: Stencil::Edge,
    sample: sample!(Elements::projective(), 2, |x: [[f64; 3]; 2]| Ok::<_, Error>(Spring {
        length: distance(x[0], x[1])
    })),
};
