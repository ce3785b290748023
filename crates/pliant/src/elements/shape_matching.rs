//! Shape matching of a cluster of vertices (lecture P24; Müller et al. 2005): its positions about their centre are
//! pulled towards the best-fitting rotation of the rest shape.
//!
//! ```text
//! y_k = x_k − x̄             positions about the centre, by shares μ
//! R = polar(Σ μ_k y_k q_kᵀ)  the rotation that fits best
//! p_k = R q_k                the rest shape, turned
//! ```
//!
//! A cluster may be a whole body or the neighbourhood of a vertex; overlapping clusters make a soft body. Its weight is
//! a stiffness [N/m] for the mean of the vertices.

use crate::batch::ClusterProjection;
use crate::batch::Clusters;
use crate::elements::ElementInfo;
use crate::elements::isotropic::NEGLIGIBLE;
use crate::elements::rotation;
use crate::math::{Mat3, Scalar, Vec3, polar3};
use crate::mesh::Stencil;

/// A shape-matching cluster.
#[derive(Clone, Debug)]
pub struct ShapeMatching {
    /// Rest positions about their centre \[m\].
    rest: Vec<[f64; 3]>,
    /// The share of each vertex.
    shares: Vec<f64>,
}

impl ShapeMatching {
    /// Makes the cluster of these rest positions \[m\], with vertices weighted by `masses` (any unit).
    pub fn new(rest: &[[f64; 3]], masses: &[f64]) -> Self {
        let total: f64 = masses.iter().sum();
        let shares: Vec<f64> = masses.iter().map(|m| m / total).collect();
        let mut centre = [0.0; 3];
        for (x, w) in rest.iter().zip(&shares) {
            (0..3).for_each(|c| centre[c] += w * x[c]);
        }
        let about = |x: &[f64; 3]| [x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]];
        Self { rest: rest.iter().map(about).collect(), shares }
    }

    /// The mean squared distance of the vertices from their centre at rest \[m²\].
    pub fn spread(&self) -> f64 {
        let square = |q: &[f64; 3]| q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
        self.rest.iter().zip(&self.shares).map(|(q, w)| w * square(q)).sum()
    }
}

impl ClusterProjection for ShapeMatching {
    const NAME: &'static str = "shape_matching";

    fn shares(&self) -> &[f64] {
        &self.shares
    }

    fn project<S: Scalar>(&self, y: &[Vec3<S>], p: &mut [Vec3<S>]) {
        let mut moment = Mat3 { cols: [Vec3::zero(); 3] };
        for ((&y, q), &w) in y.iter().zip(&self.rest).zip(&self.shares) {
            for c in 0..3 {
                moment.cols[c] += y.scale(S::from_f64(w * q[c]));
            }
        }
        let rotation = polar3(&moment);
        for (p, &q) in p.iter_mut().zip(&self.rest) {
            *p = rotation.mul_vec(Vec3::of(q));
        }
    }

    fn curvature(&self, y: &[Vec3<f64>], definite: bool, rows: &mut Vec<f64>) {
        let mut moment = Mat3 { cols: [Vec3::zero(); 3] };
        for ((&y, q), &w) in y.iter().zip(&self.rest).zip(&self.shares) {
            (0..3).for_each(|c| moment.cols[c] += y.scale(w * q[c]));
        }
        let n = 3 * y.len();
        rows.clear();
        rows.resize(3 * n, 0.0);
        let least = (NEGLIGIBLE * self.spread()).max(f64::MIN_POSITIVE);
        for (row, (value, cols)) in rows.chunks_exact_mut(n).zip(rotation::modes(&moment, least)) {
            let mode = Mat3 { cols };
            for ((to, &q), w) in row.chunks_exact_mut(3).zip(&self.rest).zip(&self.shares) {
                let moved = mode.mul_vec(Vec3::of(q)).scale((value * w).sqrt());
                to.copy_from_slice(&[moved.x, moved.y, moved.z]);
            }
        }
        rotation::limit_outer_products(rows, n, definite);
    }

    fn is_valid(&self, vertices: usize) -> bool {
        let finite = self.rest.iter().flatten().all(|c| c.is_finite());
        let positive = self.shares.iter().all(|&w| w > 0.0 && w.is_finite());
        vertices >= 2 && self.rest.len() == vertices && finite && positive
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "shape_matching",
    summary: "shape matching of a cluster of any number of vertices",
    points: 12,
    stencil: Stencil::Custom,
    sample: |vertices, rest, weight| {
        let mut set = Clusters::new();
        for (v, x) in vertices.chunks_exact(12).zip(rest.chunks_exact(12)) {
            set.push(v.to_vec(), weight, ShapeMatching::new(x, &[1.0; 12]));
        }
        Ok(Box::new(set))
    },
};
