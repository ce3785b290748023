//! Projective Dynamics, Algorithm 1: local projections and one prefactored global solve.
//!
//! ```text
//! x = s
//! loop n times
//!   local    p_i = project(A_i x)                                 for every element
//!   global   (M/h² + Σ w AᵀA) d = M/h² (s − x) + Σ w Aᵀ(p − A x)
//!            x += d;  break where |d| is small                     lecture, P25
//! ```
//!
//! The global step solves for the increment `d`, not for positions as eq. (10) is printed: far
//! from the origin and in single precision the absolute form loses the linear momentum (drift of
//! 2.9 Σm|v| over 1000 steps, against 5e-4). Both have the same iterates.
//!
//! An iteration never raises the objective; its fixed point is the implicit Euler solution.
//! Pinned vertices are out of the unknowns: their rows are the identity and their residual zero.

use std::sync::Arc;

use super::{Memory, Problem, Solved, Solver, Stepper};
use crate::Error;
use crate::linalg::{Factor, FactorScratch, Hints, SolveScratch, Symbolic, SymmetricMatrix};
use crate::math::Scalar;
use crate::parallel::{Exec, for_chunks};
use crate::simd::Point;
use crate::system::{Precision, System};

/// Settings of Projective Dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectiveDynamics {
    /// Local/global iterations per substep, at most.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Stop when no vertex moved further than this in an iteration \[m\]; zero never stops early.
    pub tolerance: f64,
}

impl Default for ProjectiveDynamics {
    fn default() -> Self {
        Self { iterations: 10, substeps: 1, tolerance: 0.0 }
    }
}

impl Solver for ProjectiveDynamics {
    fn name(&self) -> &'static str {
        "projective"
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        let matrix = global_matrix(system, h);
        let hints = Hints { positions: Some(system.model.rest_positions()), ..Hints::default() };
        let symbolic = Arc::new(Symbolic::new(&matrix, hints));
        let factor = Factor::new(&symbolic, &matrix, &mut FactorScratch::new(&symbolic))?;
        let scratch = SolveScratch::new(&factor);
        let inv_h2 = 1.0 / (h * h);
        let inertia = system
            .mass
            .iter()
            .zip(&system.inv_mass)
            .map(
                |(m, w)| {
                    if w.to_f64() > 0.0 { S::from_f64(m.to_f64() * inv_h2) } else { S::default() }
                },
            )
            .collect();
        let consistent = system.model.mass_matrix().is_some();
        Ok(Box::new(ProjectiveStepper {
            settings: *self,
            factor,
            scratch,
            inertia,
            residual: vec![Point::default(); system.len()],
            column: vec![0.0; if consistent { 2 * system.len() } else { 0 }],
        }))
    }
}

/// `M/h² + Σ w AᵀA`, with the rows and columns of pinned vertices replaced by the identity.
fn global_matrix<S: Precision>(system: &System<S>, h: f64) -> SymmetricMatrix {
    let free = |v: u32| system.inv_mass[v as usize].to_f64() > 0.0;
    let inv_h2 = 1.0 / (h * h);
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    for v in 0..system.len() as u32 {
        entries.push((v, v, if free(v) { 0.0 } else { 1.0 }));
    }
    let mut add = |i: u32, j: u32, value: f64| {
        if free(i) && free(j) {
            entries.push((i, j, value));
        }
    };
    match system.model.mass_matrix() {
        None => {
            let masses = system.model.masses();
            masses.iter().enumerate().for_each(|(v, m)| add(v as u32, v as u32, m * inv_h2));
        }
        Some(mass) => {
            for column in 0..mass.size() {
                let (rows, values) = mass.column(column);
                for (&row, &m) in rows.iter().zip(values) {
                    add(row, column as u32, m * inv_h2);
                }
            }
        }
    }
    system.batches.iter().for_each(|b| b.stamp(&mut add));
    SymmetricMatrix::from_triplets(system.len(), entries.into_iter())
}

struct ProjectiveStepper<S: Precision> {
    settings: ProjectiveDynamics,
    factor: Factor<S>,
    scratch: SolveScratch<S>,
    /// `m/h²`, zero where pinned.
    inertia: Vec<S>,
    residual: Vec<Point<S>>,
    /// Room for products with a consistent mass matrix.
    column: Vec<f64>,
}

impl<S: Precision> Stepper<S> for ProjectiveStepper<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved {
        let mut solved = Solved { converged: self.settings.tolerance == 0.0, ..Solved::default() };
        for i in 0..self.settings.iterations {
            self.unbalanced(problem);
            if i + 1 == self.settings.iterations || self.settings.tolerance > 0.0 {
                solved.residual = norm(&self.residual);
            }
            self.factor.solve3(&mut self.residual, &mut self.scratch, problem.exec);
            advance(problem, &self.residual);
            solved.iterations += 1;
            if self.settings.tolerance > 0.0 && longest(&self.residual) < self.settings.tolerance {
                solved.converged = true;
                break;
            }
        }
        solved
    }

    fn bytes(&self) -> Memory {
        let vectors = (self.inertia.len() + 4 * self.residual.len()) * size_of::<S>();
        let scratch = vectors + 8 * self.column.len() + self.scratch.bytes();
        Memory { factor: self.factor.bytes(), scratch }
    }
}

impl<S: Precision> ProjectiveStepper<S> {
    /// `M/h² (s − x) + Σ w Aᵀ(p − A x)`, zero where pinned.
    fn unbalanced(&mut self, problem: &Problem<S>) {
        let (x, s) = (&*problem.x, problem.guess);
        for_chunks(problem.exec, &mut self.residual, &self.inertia, |at, r, inertia| {
            for (i, (r, &m)) in r.iter_mut().zip(inertia).enumerate() {
                let (x, s) = (&x[at + i], &s[at + i]);
                *r = [m * (s[0] - x[0]), m * (s[1] - x[1]), m * (s[2] - x[2]), S::default()];
            }
        });
        if !self.column.is_empty() {
            self.consistent_inertia(problem);
        }
        for batch in &problem.system.batches {
            batch.pull(problem.exec, x, &mut self.residual);
        }
        for pin in problem.system.model.pins() {
            self.residual[pin.vertex] = Point::default();
        }
    }

    /// Replaces the residual by `M/h² (s − x)` with the consistent matrix.
    fn consistent_inertia(&mut self, problem: &Problem<S>) {
        let Some(mass) = problem.system.model.mass_matrix() else { return };
        let n = self.residual.len();
        let (d, md) = self.column.split_at_mut(n);
        for c in 0..3 {
            for i in 0..n {
                let free = problem.x[i][3] > S::default();
                let offset = problem.guess[i][c].to_f64() - problem.x[i][c].to_f64();
                d[i] = if free { offset } else { 0.0 };
            }
            mass.mul_vec(d, md);
            for i in 0..n {
                self.residual[i][c] = S::from_f64(md[i] / (problem.h * problem.h));
            }
        }
    }
}

/// `x += d`, leaving the inverse masses alone.
fn advance<S: Precision>(problem: &mut Problem<S>, d: &[Point<S>]) {
    for_chunks(problem.exec, problem.x, d, |_, x, d| {
        for (x, d) in x.iter_mut().zip(d) {
            *x = [x[0] + d[0], x[1] + d[1], x[2] + d[2], x[3]];
        }
    });
}

fn square<S: Scalar>(p: &Point<S>) -> f64 {
    let [x, y, z] = [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()];
    x * x + y * y + z * z
}

fn norm<S: Scalar>(v: &[Point<S>]) -> f64 {
    v.iter().map(square).sum::<f64>().sqrt()
}

fn longest<S: Scalar>(v: &[Point<S>]) -> f64 {
    v.iter().map(square).fold(0.0, f64::max).sqrt()
}
