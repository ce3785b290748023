//! Stiffness-proportional damping: forces `−β K v` with `K` the positive semi-definite stiffness of the
//! elements at the current shape.
//!
//! Velocities after a step solve `(M + h β K) v' = M v` by conjugate gradients, whichever solver moved the
//! positions, so that the damping is stable for any β. At rest, rigid motion is in the null space of `K`, so
//! this damping does not affect it.

use crate::batch::ElementPrecision;
use crate::linalg::{ConjugateGradients, SymmetricMatrix};
use crate::simd::Point;
use crate::system::System;

/// Matrix and scratch memory of its solves.
pub(crate) struct Viscosity {
    matrix: SymmetricMatrix,
    cg: ConjugateGradients,
    /// `h β` of each vertex's body.
    scale: Vec<f64>,
    rhs: Vec<f64>,
    v: Vec<f64>,
}

/// Relative residual at which the conjugate gradients stop.
const TOLERANCE: f64 = 1e-6;
/// Largest number of iterations: damping need not be exact.
const MAX_ITERATIONS: usize = 100;

impl Viscosity {
    /// Prepares stiffness damping for steps of `h` \[s\]; `None` if no body has any.
    pub fn new<S: ElementPrecision>(system: &System<S>, h: f64) -> Option<Self> {
        let model = &system.model;
        let mut scale = vec![0.0; model.len()];
        for body in model.bodies() {
            body.all_vertices().for_each(|v| scale[v] = h * body.damping.stiffness);
        }
        if scale.iter().all(|&b| b == 0.0) {
            return None;
        }
        let n = 3 * model.len();
        let mut pattern: Vec<(u32, u32, f64)> = (0..n as u32).map(|i| (i, i, 0.0)).collect();
        let x: Vec<Point<S>> = model
            .rest_positions()
            .iter()
            .map(|p| [S::from_f64(p[0]), S::from_f64(p[1]), S::from_f64(p[2]), S::default()])
            .collect();
        for batch in &system.batches {
            batch.hessian(&x, true, &mut |i, j, _| pattern.push((i, j, 0.0)));
        }
        let matrix = SymmetricMatrix::from_triplets(n, pattern.into_iter());
        let cg = ConjugateGradients::new(TOLERANCE, MAX_ITERATIONS);
        Some(Self { matrix, cg, scale, rhs: vec![0.0; n], v: vec![0.0; n] })
    }

    /// Damps the velocities `v` of vertices at `x`.
    pub fn damp<S: ElementPrecision>(
        &mut self,
        system: &System<S>,
        x: &[Point<S>],
        v: &mut [Point<S>],
    ) {
        self.matrix.set_zero();
        for (i, m) in system.mass.iter().enumerate() {
            let (m, fixed) = (m.to_f64(), system.inv_mass[i] == S::default());
            for c in 0..3 {
                let row = 3 * i + c;
                self.matrix.add(row, row, if fixed { 1.0 } else { m });
                self.v[row] = v[i][c].to_f64();
                self.rhs[row] = if fixed { self.v[row] } else { m * self.v[row] };
            }
        }
        let (matrix, scale, rhs, now) = (&mut self.matrix, &self.scale, &mut self.rhs, &self.v);
        let fixed = |row: u32| system.inv_mass[row as usize / 3] == S::default();
        for batch in &system.batches {
            batch.hessian(x, true, &mut |i, j, k| {
                let k = k * scale[i as usize / 3];
                match (fixed(i), fixed(j)) {
                    (false, false) => matrix.add(i as usize, j as usize, k),
                    // The effect of a prescribed velocity on its free neighbours moves to the right-hand side.
                    (false, true) => rhs[i as usize] -= k * now[j as usize],
                    (true, false) => rhs[j as usize] -= k * now[i as usize],
                    (true, true) => {}
                }
            });
        }
        self.cg.solve(&self.matrix, &self.rhs, &mut self.v);
        for (i, v) in v.iter_mut().enumerate() {
            (0..3).for_each(|c| v[c] = S::from_f64(self.v[3 * i + c]));
        }
    }
}
