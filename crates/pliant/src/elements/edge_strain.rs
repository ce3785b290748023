//! Strain of an edge, Projective Dynamics §5.1 over curves: `y = (x₁ − x₂)/L`, whose length is the stretch, clamped to
//! `[σ_min, σ_max]`.
//!
//! Its weight is the stiffness of the material times the rest length, so that the resistance of a strand does not
//! depend on its resolution.

use crate::batch::Elements;
use crate::element::{Block, Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::radial;
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;

/// An edge that resists stretching beyond its limits.
#[derive(Clone, Copy, Debug)]
pub struct EdgeStrain {
    /// Rest length L \[m\], positive.
    pub length: f64,
    /// Smallest and largest stretch that cost no energy; `[1, 1]` for a plain elastic edge.
    pub limits: [f64; 2],
}

impl Projective<2, 1, 3> for EdgeStrain {
    const NAME: &'static str = "edge_strain";
    const COST_NS: usize = 2;

    fn parameters(&self) -> [f64; 3] {
        [1.0 / self.length, self.limits[0], self.limits[1]]
    }

    #[inline(always)]
    fn matrix<R: Real>(&[inv_length, ..]: &[R; 3]) -> [[R; 2]; 1] {
        [[inv_length, -inv_length]]
    }

    #[inline(always)]
    fn project<R: Real>(&[_, min, max]: &[R; 3], &[y]: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        [radial::project_to_shell(y, min, max)]
    }

    #[inline(always)]
    fn signed_distance<R: Real>(&[_, min, max]: &[R; 3], &[y]: &[Vec3<R>; 1]) -> (R, [Vec3<R>; 1]) {
        let (c, n) = radial::shell_distance(y, min, max);
        (c, [n])
    }

    #[inline(always)]
    fn block<R: Real>(&[_, min, max]: &[R; 3], &[y]: &[Vec3<R>; 1], &[a]: &[R; 1]) -> Block<R> {
        radial::block(y, min, max, a)
    }

    fn curvature(
        &[_, min, max]: &[f64; 3],
        y: &[Vec3<f64>; 1],
        definite: bool,
        out: &mut Curvature,
    ) {
        radial::curvature(y[0], min, max, definite, out);
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "edge_strain",
    summary: "stretch of an edge, with a strain-free range, weighted by its rest length",
    points: 2,
    stencil: Stencil::Edge,
    sample: sample!(Elements::projective(), 2, |x: [[f64; 3]; 2]| {
        radial::rest_length(x).map(|length| EdgeStrain { length, limits: [0.9, 1.1] })
    }),
};
