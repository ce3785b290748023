//! Second derivatives of clusters, by central differences of their gradients.

use crate::batch::cluster::Cluster;
use crate::element::ConstraintKind;
use crate::math::Vec3;
use crate::math::eigen::{eigen_symmetric, project_psd_with_scratch};

/// Clusters with more vertices use only the Gauss–Newton part of their Hessian: the cost of the curvature grows with
/// the cube of their size.
const MAX_EXACT_HESSIAN_VERTICES: usize = 64;

/// Scratch memory for the Hessian of a cluster. It is allocated at the first use and grows to the largest cluster.
#[derive(Default)]
pub(super) struct Curvature {
    /// The positions of the vertices.
    pub x: Vec<Vec3<f64>>,
    /// Scratch for a gradient.
    pub g: Vec<Vec3<f64>>,
    plus: Vec<Vec3<f64>>,
    minus: Vec<Vec3<f64>>,
    h: Vec<f64>,
    eigen: Vec<f64>,
}

impl Curvature {
    /// Returns `∇C ∇Cᵀ + C ∇²C` at `x`, the curvature by central differences of the gradient.
    pub fn hessian<C: Cluster>(&mut self, cluster: &C, definite: bool) -> &[f64] {
        let Self { x, g, h, .. } = self;
        let n = 3 * x.len();
        g.resize(x.len(), Vec3::zero());
        let c = cluster.evaluate(x, g);
        h.clear();
        if C::KIND == ConstraintKind::Inequality && c >= 0.0 {
            h.resize(n * n, 0.0);
            return &self.h;
        }
        let flat = |i: usize| [g[i / 3].x, g[i / 3].y, g[i / 3].z][i % 3];
        h.extend((0..n * n).map(|i| flat(i / n) * flat(i % n)));
        if x.len() <= MAX_EXACT_HESSIAN_VERTICES {
            self.add_curvature(cluster, c);
            if definite {
                self.eigen.resize(2 * n * n, 0.0);
                project_psd_with_scratch(&mut self.h, n, &mut self.eigen);
            }
        }
        &self.h
    }

    /// Returns the positive modes of `−λ ∇²C` at `x`, the curvature by central differences of the gradient.
    pub fn stiffness<C: Cluster>(
        &mut self,
        cluster: &C,
        lambda: f64,
        add: &mut dyn FnMut(f64, &[Vec3<f64>]),
    ) {
        let Self { x, h, eigen, .. } = self;
        let n = 3 * x.len();
        h.clear();
        h.resize(n * n, 0.0);
        eigen.clear();
        eigen.resize(n * n, 0.0);
        self.add_curvature(cluster, -lambda);
        let Self { g, h, eigen, .. } = self;
        if h.iter().any(|c| !c.is_finite()) {
            return;
        }
        eigen_symmetric(h, eigen, n);
        // Modes below the error of the differences are no stiffness.
        let least = 1e-7 * (0..n).map(|mode| h[mode * (n + 1)].abs()).fold(0.0, f64::max);
        for mode in 0..n {
            if h[mode * n + mode] > least {
                let q = &eigen[mode * n..(mode + 1) * n];
                for (g, q) in g.iter_mut().zip(q.chunks_exact(3)) {
                    *g = Vec3::new(q[0], q[1], q[2]);
                }
                add(h[mode * n + mode], g);
            }
        }
    }

    /// Adds `scale · ∇²C` at `x` to the matrix, by central differences of the gradient.
    fn add_curvature<C: Cluster>(&mut self, cluster: &C, scale: f64) {
        let Self { x, plus, minus, h, .. } = self;
        let n = 3 * x.len();
        for list in [&mut *plus, minus] {
            list.resize(x.len(), Vec3::zero());
        }
        let size = x.iter().map(|v| (*v - x[0]).norm()).fold(0.0, f64::max).max(1e-9);
        let step = 1e-5 * size;
        for column in 0..n {
            let home = x[column / 3];
            let mut axis = [0.0; 3];
            axis[column % 3] = step;
            for (sign, to) in [(1.0, &mut *plus), (-1.0, &mut *minus)] {
                x[column / 3] = home + Vec3::of(axis).scale(sign);
                cluster.evaluate(x, to);
            }
            x[column / 3] = home;
            for row in 0..x.len() {
                let d = (plus[row] - minus[row]).scale(0.25 * scale / step);
                for (i, value) in [d.x, d.y, d.z].into_iter().enumerate() {
                    // Half of the value in each triangle keeps the matrix symmetric.
                    h[(3 * row + i) * n + column] += value;
                    h[column * n + 3 * row + i] += value;
                }
            }
        }
    }
}
