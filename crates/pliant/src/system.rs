//! A model in the precision and layout of a simulation: what solvers see.

use std::sync::Arc;

use crate::Error;
use crate::batch::{AnyBatch, RestState};
use crate::math::Scalar;
use crate::model::Model;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::solvers::{AnySolver, Solver, Stepper};

/// A precision that simulations run in: `f32` or `f64`.
///
/// Its methods are what is compiled once for each, here, instead of again in every program that
/// names a `Simulation`.
pub trait Precision: Scalar {
    /// The batches of a model's elements.
    fn batches(model: &Model, rest: RestState) -> Vec<Box<dyn AnyBatch<Self>>>;
    /// A solver made ready for steps of `h` \[s\].
    fn stepper(
        solver: &AnySolver,
        system: &System<Self>,
        h: f64,
        exec: &Exec,
    ) -> Result<Box<dyn Stepper<Self>>, Error>;
    /// All stages of one step.
    fn run_stages(sim: &mut Simulation<Self>);
}

macro_rules! precision {
    ($t:ident, $batch:ident) => {
        impl Precision for $t {
            fn batches(model: &Model, rest: RestState) -> Vec<Box<dyn AnyBatch<$t>>> {
                model.elements().iter().map(|e| e.$batch(rest)).collect()
            }
            fn stepper(
                solver: &AnySolver,
                system: &System<$t>,
                h: f64,
                exec: &Exec,
            ) -> Result<Box<dyn Stepper<$t>>, Error> {
                solver.prepare(system, h, exec)
            }
            fn run_stages(sim: &mut Simulation<$t>) {
                sim.run_stages();
            }
        }
    };
}

precision!(f32, batch_f32);
precision!(f64, batch_f64);

/// A model's masses and elements in one precision.
pub struct System<S> {
    /// The model.
    pub model: Arc<Model>,
    /// The elements.
    pub batches: Vec<Box<dyn AnyBatch<S>>>,
    /// Masses \[kg\], also of pinned vertices.
    pub mass: Vec<S>,
    /// Inverse masses [1/kg], zero where pinned.
    pub inv_mass: Vec<S>,
    /// The time \[s\] that elements are at which change over time.
    time: f64,
}

impl<S: Precision> System<S> {
    /// Lays out a model.
    pub fn new(model: Arc<Model>) -> Self {
        let inv: Vec<f64> = model.inverse_masses();
        let rest = RestState { positions: model.rest_positions(), inv_mass: &inv };
        let batches = S::batches(&model, rest);
        let mass = model.masses().iter().map(|&m| S::from_f64(m)).collect();
        let inv_mass = inv.iter().map(|&w| S::from_f64(w)).collect();
        Self { model, batches, mass, inv_mass, time: 0.0 }
    }

    /// The time \[s\] that elements are at which change over time.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Lets elements that change over time be as they are at `time` \[s\].
    pub fn set_time(&mut self, time: f64) {
        self.time = time;
        self.batches.iter_mut().for_each(|b| b.set_time(time));
    }

    /// What the elements remember of what happened to them, batch by batch.
    pub(crate) fn memory(&self) -> Vec<S> {
        let mut all = vec![S::default(); self.batches.iter().map(|b| b.memory()).sum()];
        let mut rest = all.as_mut_slice();
        for batch in &self.batches {
            let (own, others) = rest.split_at_mut(batch.memory());
            batch.recall(own);
            rest = others;
        }
        all
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.mass.is_empty()
    }

    /// What holds each vertex where its neighbours stay, as Projective Dynamics sees it [N/m]; nothing
    /// where nothing can be touched.
    pub(crate) fn stiffness_of_vertices(&self) -> Vec<f64> {
        if !self.model.can_touch() {
            return Vec::new();
        }
        let mut diagonal = vec![0.0; self.len()];
        for batch in &self.batches {
            batch.stamp(&mut |i, j, value| {
                if i == j {
                    diagonal[i as usize] += value;
                }
            });
        }
        diagonal
    }

    /// The elastic energy at `x` \[J\].
    pub fn elastic_energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.batches.iter().map(|b| b.energy(exec, x)).sum()
    }

    /// The objective of an implicit Euler step, `1/2h² ‖x − s‖²_M + E(x)` \[J\], Projective Dynamics
    /// eq. (4). With `projective`, E is what Projective Dynamics minimises where nothing is inside out.
    pub fn objective(
        &self,
        exec: &Exec,
        x: &[Point<S>],
        s: &[Point<S>],
        h: f64,
        projective: bool,
    ) -> f64 {
        let inertia = self.inertia(x, s) / (2.0 * h * h);
        let energy = |b: &dyn AnyBatch<S>| {
            if projective { b.distance(exec, x) } else { b.energy(exec, x) }
        };
        inertia + self.batches.iter().map(|b| energy(b.as_ref())).sum::<f64>()
    }

    /// `(x − s)ᵀ M (x − s)` over the free vertices.
    pub(crate) fn inertia(&self, x: &[Point<S>], s: &[Point<S>]) -> f64 {
        let offset = |i: usize, c: usize| {
            if self.inv_mass[i].to_f64() > 0.0 { x[i][c].to_f64() - s[i][c].to_f64() } else { 0.0 }
        };
        if let Some(matrix) = self.model.mass_matrix() {
            let mut sum = 0.0;
            for j in 0..self.len() {
                let (rows, values) = matrix.column(j);
                for (&i, m) in rows.iter().zip(values) {
                    // Only the lower triangle is stored.
                    let m = if i as usize == j { *m } else { 2.0 * m };
                    for c in 0..3 {
                        sum += m * offset(i as usize, c) * offset(j, c);
                    }
                }
            }
            return sum;
        }
        let mut sum = 0.0;
        for i in 0..self.len() {
            let d = [offset(i, 0), offset(i, 1), offset(i, 2)];
            sum += self.mass[i].to_f64() * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
        sum
    }

    /// Memory held by the elements, in bytes.
    pub fn bytes(&self) -> usize {
        self.batches.iter().map(|b| b.bytes()).sum::<usize>() + 2 * self.len() * size_of::<S>()
    }
}
