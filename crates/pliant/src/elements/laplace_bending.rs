//! Bending by mean curvature, Projective Dynamics eqs. (19)–(21).
//!
//! ```text
//!      x₃---x₂          y = Σ c_k x_k over the one-ring: the Laplace–Beltrami operator of the rest
//!     / \  / \          surface, whose length is twice the mean curvature
//!   x₄---x₀---x₁        p = |v_g| y/|y|, with v_g the same sum over the rest shape
//!     \ /  \ /
//!      x₅---x₆
//! ```
//!
//! Its weight is the bending stiffness \[J\] times the Voronoi area of the vertex. Rings of two (a strand) to eight
//! neighbours use SIMD packs; larger ones are [`RingBending`], with the same energy.

use crate::Error;
use crate::batch::Cluster;
use crate::batch::{Clusters, Elements};
use crate::element::{Block, Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::radial;
use crate::math::{Real, Scalar, Vec3};
use crate::mesh::Stencil;
use crate::mesh::measure::distance;

/// Bending element of a vertex with `N − 1` neighbours: preserves the mean curvature.
#[derive(Clone, Copy, Debug)]
pub struct LaplaceBending<const N: usize> {
    /// Cotangent weights over the Voronoi area [1/m²], the vertex itself first.
    pub coefficients: [f64; N],
    /// Length of the rest Laplacian [1/m]: twice the mean curvature.
    pub curvature: f64,
}

macro_rules! ring {
    ($($n:literal $k:literal),*) => {$(
        impl Projective<$n, 1, $k> for LaplaceBending<$n> {
            const NAME: &'static str = "laplace_bending";
            const COST_NS: usize = 8;

            fn parameters(&self) -> [f64; $k] {
                std::array::from_fn(|q| *self.coefficients.get(q).unwrap_or(&self.curvature))
            }

            #[inline(always)]
            fn matrix<R: Real>(rest: &[R; $k]) -> [[R; $n]; 1] {
                let mut a = [R::zero(); $n];
                a.copy_from_slice(&rest[..$n]);
                [a]
            }

            #[inline(always)]
            fn project<R: Real>(rest: &[R; $k], &[y]: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
                [radial::length_and_direction(y).1.scale(rest[$n])]
            }

            #[inline(always)]
            fn signed_distance<R: Real>(rest: &[R; $k], &[y]: &[Vec3<R>; 1]) -> (R, [Vec3<R>; 1]) {
                let (now, n) = radial::length_and_direction(y);
                (now - rest[$n], [n])
            }

            #[inline(always)]
            fn block<R: Real>(rest: &[R; $k], &[y]: &[Vec3<R>; 1], &[a]: &[R; 1]) -> Block<R> {
                radial::block(y, rest[$n], rest[$n], a)
            }

            fn curvature(rest: &[f64; $k], y: &[Vec3<f64>; 1], definite: bool, out: &mut Curvature) {
                radial::curvature(y[0], rest[$n], rest[$n], definite, out);
            }
        }
    )*};
}

ring!(3 4, 4 5, 5 6, 6 7, 7 8, 8 9, 9 10);

/// Bending element for a ring of any size: `C = |Σ c_k x_k| − |v_g|`.
#[derive(Clone, Debug)]
pub struct RingBending {
    /// Cotangent weights over the Voronoi area [1/m²], the vertex itself first.
    pub coefficients: Vec<f64>,
    /// Length of the rest Laplacian [1/m].
    pub curvature: f64,
}

impl Cluster for RingBending {
    const NAME: &'static str = "ring_bending";

    fn evaluate<S: Scalar>(&self, x: &[Vec3<S>], gradient: &mut [Vec3<S>]) -> S {
        // Relative to the central vertex, so that a position far from the origin loses no precision: the coefficients
        // sum to zero.
        let mut y = Vec3::zero();
        for (&at, &c) in x.iter().zip(&self.coefficients).skip(1) {
            y += (at - x[0]).scale(S::from_f64(c));
        }
        let (now, n) = radial::length_and_direction(y);
        let mut sum = S::default();
        for (g, &c) in gradient.iter_mut().zip(&self.coefficients).skip(1) {
            let c = S::from_f64(c);
            *g = n.scale(c);
            sum += c;
        }
        gradient[0] = n.scale(-sum);
        now - S::from_f64(self.curvature)
    }

    fn is_valid(&self, vertices: usize) -> bool {
        let mut numbers = self.coefficients.iter().chain([&self.curvature]);
        vertices > 0 && self.coefficients.len() == vertices && numbers.all(|c| c.is_finite())
    }
}

/// Uniform weights of a ring of four: the Laplacian of a point among four neighbours.
fn uniform_ring(x: &[[f64; 3]]) -> (Vec<f64>, f64) {
    let n = x.len() - 1;
    let coefficients: Vec<f64> = std::iter::once(-(n as f64)).chain(vec![1.0; n]).collect();
    let y = [0, 1, 2].map(|i| x.iter().zip(&coefficients).map(|(x, c)| x[i] * c).sum::<f64>());
    (coefficients, distance(y, [0.0; 3]))
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "laplace_bending",
    summary: "mean curvature at a vertex of a surface",
    points: 5,
    stencil: Stencil::Custom,
    sample: sample!(Elements::projective(), 5, |x: [[f64; 3]; 5]| {
        let (c, curvature) = uniform_ring(&x);
        Ok::<_, Error>(LaplaceBending::<5> {
            coefficients: std::array::from_fn(|k| c[k]),
            curvature,
        })
    }),
};

/// Registration.
pub(crate) const RING_INFO: ElementInfo = ElementInfo {
    name: "ring_bending",
    summary: "mean curvature at a vertex with any number of neighbours",
    points: 12,
    stencil: Stencil::Custom,
    sample: |vertices, rest, weight| {
        let mut set = Clusters::new();
        for (v, x) in vertices.chunks_exact(12).zip(rest.chunks_exact(12)) {
            let (coefficients, curvature) = uniform_ring(x);
            set.push(v.to_vec(), weight, RingBending { coefficients, curvature });
        }
        Ok(Box::new(set))
    },
};
