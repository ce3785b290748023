//! Contract: the solver `mass_spring` is the method of Fast Simulation of Mass-Spring Systems. Its
//! iterates are those of eq. (14), `(M + h² L) x = M y + h² (J d + f_ext)` started at `y`, written
//! here as plainly as the paper prints it, with dense matrices and Gaussian elimination. Pinned
//! vertices keep their rows out of the system.

use crate::common::{self, norm, sub};
use pliant::ImplicitStep;
use pliant::prelude::*;

/// `A x = b` by elimination with partial pivoting, for three right-hand sides.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            (0..3).for_each(|c| b[i][c] -= f * b[k][c]);
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            (0..3).for_each(|c| b[k][c] -= a[k][j] * b[j][c]);
        }
        (0..3).for_each(|c| b[k][c] /= a[k][k]);
    }
    b
}

/// The paper's method on the springs of a network.
struct Reference {
    springs: Vec<([usize; 2], f64)>,
    constant: f64,
    mass: f64,
    pinned: Vec<bool>,
}

impl Reference {
    /// Global step, eq. (14), from the local step, eq. (10), at `x`.
    fn iterate(&self, x: &[[f64; 3]], y: &[[f64; 3]], h: f64, f_ext: [f64; 3]) -> Vec<[f64; 3]> {
        let n = x.len();
        let mut a = vec![vec![0.0; n]; n];
        let mut b = vec![[0.0; 3]; n];
        for i in 0..n {
            a[i][i] = self.mass;
            b[i] = [0, 1, 2].map(|c| self.mass * y[i][c] + h * h * f_ext[c]);
        }
        for &([i, j], rest) in &self.springs {
            let k = h * h * self.constant;
            let edge = sub(x[i], x[j]);
            let d = edge.map(|e| e * rest / norm(edge));
            a[i][i] += k;
            a[j][j] += k;
            a[i][j] -= k;
            a[j][i] -= k;
            for c in 0..3 {
                b[i][c] += k * d[c];
                b[j][c] -= k * d[c];
            }
        }
        for i in (0..n).filter(|&i| self.pinned[i]) {
            a[i] = vec![0.0; n];
            a[i][i] = 1.0;
            b[i] = x[i];
        }
        solve(a, b)
    }
}

#[test]
fn mass_spring_reproduces_the_papers_iterates() {
    let (n, h) = (6, 1.0 / 30.0);
    let model = pliant_scenes::curtain(n).unwrap();
    let network = Curtain::new(n).build().unwrap();
    let lengths = network.rest_lengths();
    let mut pinned = vec![false; n * n];
    model.pins().iter().for_each(|p| pinned[p.vertex] = true);
    let reference = Reference {
        springs: network.springs.iter().map(|s| s.map(|v| v as usize)).zip(lengths).collect(),
        constant: 300.0 * (n - 1) as f64 / 20.0,
        mass: 1.0 / (n * n) as f64,
        pinned,
    };
    let f_ext = model.gravity().map(|g| g * reference.mass);

    // The engine's guess holds gravity already, and its drag: read y off the positions.
    let mut sim = Simulation::<f64>::with_precision(
        model,
        MassSpring { iterations: 10, ..Default::default() },
    )
    .unwrap();
    common::run(&mut sim, 7);
    let step = ImplicitStep::from_simulation(&mut sim);
    let y: Vec<[f64; 3]> = (0..n * n)
        .map(|i| {
            let lift = if reference.pinned[i] { 0.0 } else { h * h };
            [0, 1, 2].map(|c| step.predicted[i][c] - lift * sim.model().gravity()[c])
        })
        .collect();
    // The warm start of the engine is s = y + h² M⁻¹ f_ext.
    let mut x: Vec<[f64; 3]> = step.predicted.iter().map(|p| [p[0], p[1], p[2]]).collect();
    let mut worst: f64 = 0.0;
    for iterations in 1..=10 {
        x = reference.iterate(&x, &y, h, f_ext);
        let (ours, _) =
            step.solve(&MassSpring { iterations, ..Default::default() }.into()).unwrap();
        let ours: Vec<[f64; 3]> = ours.iter().map(|p| [p[0], p[1], p[2]]).collect();
        let difference = common::farthest(&ours, &x);
        println!("iteration {iterations}: difference {difference:.1e} m");
        worst = worst.max(difference);
    }
    assert!(worst < 1e-12, "{worst:.2e}"); // measured 1.9e-15
    let moved = common::farthest(&x, &y);
    assert!(moved > 1e-3, "the step does something: {moved}");
}
