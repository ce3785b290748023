//! Volume of a tetrahedron between bounds, Projective Dynamics §5.2 and eq. (24): the deformation gradient is projected
//! to the nearest one with `σ_min ≤ det ≤ σ_max`.
//!
//! Its weight is the stiffness of the material times the rest volume.

use crate::Error;
use crate::batch::Elements;
use crate::element::{Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::determinant::{clamp_product, eigenvalues};
use crate::elements::strain::validate_bounds;
use crate::elements::tet_strain::{flatten, gradient_matrix, inverse_edges, shape};
use crate::math::{Mat3, Real, Vec3, svd3};
use crate::mesh::Stencil;

/// A tetrahedron whose volume stays between bounds.
#[derive(Clone, Copy, Debug)]
pub struct TetVolumeBounds {
    /// Inverse of the matrix of rest edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 3]; 3],
    /// Smallest and largest volume that cost no energy, relative to the rest volume.
    pub bounds: [f64; 2],
}

impl TetVolumeBounds {
    /// Makes the element of a rest shape; returns also its volume \[m³\].
    pub fn new(rest: [[f64; 3]; 4], bounds: [f64; 2]) -> Result<(Self, f64), Error> {
        validate_bounds(Self::NAME, bounds)?;
        let (inverse, volume) = inverse_edges(rest)?;
        Ok((Self { inverse, bounds }, volume))
    }
}

impl Projective<4, 3, 11> for TetVolumeBounds {
    const NAME: &'static str = "tet_volume_bounds";
    const COST_NS: usize = 60;

    fn parameters(&self) -> [f64; 11] {
        flatten(&self.inverse, &self.bounds)
    }

    #[inline(always)]
    fn matrix<R: Real>(rest: &[R; 11]) -> [[R; 4]; 3] {
        gradient_matrix(&shape(rest))
    }

    #[inline(always)]
    fn project<R: Real>(rest: &[R; 11], y: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let svd = svd3(&Mat3 { cols: *y });
        let d = clamp_product(&svd.sigma, rest[9], rest[10]);
        // Only the change is rotated back, so that an admissible value is returned bit for bit.
        let ud = Mat3::from_cols(
            svd.u.cols[0].scale(d[0]),
            svd.u.cols[1].scale(d[1]),
            svd.u.cols[2].scale(d[2]),
        );
        let change = ud.mul(&svd.v.transpose()).cols;
        [y[0] + change[0], y[1] + change[1], y[2] + change[2]]
    }

    fn curvature(rest: &[f64; 11], y: &[Vec3<f64>; 3], definite: bool, out: &mut Curvature) {
        let svd = svd3(&Mat3 { cols: *y });
        let v = svd.v.cols.map(|c| [c.x, c.y, c.z]);
        eigenvalues(&svd.sigma, rest[9], rest[10]).write(&svd.u.cols, &v, definite, out);
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "tet_volume_bounds",
    summary: "volume ratio of a tetrahedron within bounds",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(Elements::projective(), 4, |x| TetVolumeBounds::new(x, [0.9, 1.1])
        .map(|(e, _)| e)),
};
