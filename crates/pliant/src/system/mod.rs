//! System: a model in the precision and memory layout of a simulation, as solvers see it.
//!
//! * `mod.rs`: [`System`], masses and batches of elements
//! * `state.rs`: [`State`](state::State), positions, velocities and all else that changes; hashes and snapshots
//! * `history.rs`: the state before the last substep, for two-step integrators

pub(crate) mod history;
pub(crate) mod state;
use std::sync::Arc;

use crate::batch::{AnyBatch, ElementPrecision, RestState};
use crate::model::Model;
use crate::parallel::Exec;
use crate::simd::Point;

/// A model's masses and elements in one precision.
pub struct System<S> {
    /// The model.
    pub model: Arc<Model>,
    /// The elements, in batches by type.
    pub batches: Vec<Box<dyn AnyBatch<S>>>,
    /// Masses \[kg\], also of pinned vertices.
    pub mass: Vec<S>,
    /// Inverse masses [1/kg], zero where pinned.
    pub inv_mass: Vec<S>,
    /// Time \[s\] at which time-dependent elements are evaluated.
    time: f64,
}

impl<S: ElementPrecision> System<S> {
    /// Lays out a model in this precision.
    pub fn new(model: Arc<Model>) -> Self {
        let inv: Vec<f64> = model.inverse_masses();
        let rest = RestState { positions: model.rest_positions(), inv_mass: &inv };
        let batches = S::batches(model.elements(), rest);
        let mass = model.masses().iter().map(|&m| S::from_f64(m)).collect();
        let inv_mass = inv.iter().map(|&w| S::from_f64(w)).collect();
        Self { model, batches, mass, inv_mass, time: 0.0 }
    }

    /// Time \[s\] at which time-dependent elements are evaluated.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Sets the time \[s\] at which time-dependent elements are evaluated.
    pub fn set_time(&mut self, time: f64) {
        self.time = time;
        self.batches.iter_mut().for_each(|b| b.set_time(time));
    }

    /// Returns the plastic state of the elements, batch by batch.
    pub(crate) fn plastic_state(&self) -> Vec<S> {
        let mut all = vec![S::default(); self.batches.iter().map(|b| b.plastic_state_len()).sum()];
        let mut rest = all.as_mut_slice();
        for batch in &self.batches {
            let (own, others) = rest.split_at_mut(batch.plastic_state_len());
            batch.store_plastic_state(own);
            rest = others;
        }
        all
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// True if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.mass.is_empty()
    }

    /// Stiffness of each vertex against displacement with its neighbours fixed, the diagonal of the Projective
    /// Dynamics matrix without masses [N/m]. Empty if nothing can collide.
    pub(crate) fn vertex_stiffness(&self) -> Vec<f64> {
        if !self.model.can_collide() {
            return Vec::new();
        }
        let mut diagonal = vec![0.0; self.len()];
        for batch in &self.batches {
            batch.assemble_laplacian(&mut |i, j, value| {
                if i == j {
                    diagonal[i as usize] += value;
                }
            });
        }
        diagonal
    }

    /// Elastic energy at `x` \[J\].
    pub fn elastic_energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.batches.iter().map(|b| b.energy(exec, x)).sum()
    }

    /// Objective of an implicit Euler step, `1/2h² ‖x − s‖²_M + E(x)` \[J\], Projective Dynamics eq. (4). With
    /// `projective`, E is the energy that Projective Dynamics minimises if no element is inverted.
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
            if projective { b.projective_energy(exec, x) } else { b.energy(exec, x) }
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
