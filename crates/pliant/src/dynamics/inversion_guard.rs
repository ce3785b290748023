//! Inversion guard of Projective Dynamics: volume terms are disabled near inverted elements.
//!
//! Neighbours that conserve their volume can keep a tetrahedron inverted for ever. If a tetrahedron is inverted
//! at the start of a step, the volume terms at its vertices are disabled in that step and leave the recovery to
//! the strain term, which always pulls towards a proper rotation. Everything else continues: the matrix is the
//! same.

use crate::batch::AnyBatch;
use crate::batch::ElementPrecision;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::system::System;

/// Elements whose projective force is disabled in this step because they share a vertex with an inverted
/// element.
pub struct InversionGuard<S> {
    /// For each vertex, true if it belongs to an inverted element.
    inverted_vertices: Vec<bool>,
    /// Weights of each batch whose elements can be disabled; empty for other batches.
    weights: Vec<Vec<S>>,
    active: bool,
}

impl<S: ElementPrecision> InversionGuard<S> {
    /// Allocates memory for a model.
    pub fn new(system: &System<S>) -> Self {
        let numbers =
            |b: &dyn AnyBatch<S>| if b.disabled_near_inversion() { b.constraints() } else { 0 };
        let weights = system.batches.iter().map(|b| vec![S::default(); numbers(b.as_ref())]);
        let weights: Vec<Vec<S>> = weights.collect();
        let needed = weights.iter().any(|w| !w.is_empty());
        let marked = vec![false; if needed { system.len() } else { 0 }];
        Self { inverted_vertices: marked, weights, active: false }
    }

    /// Finds the inverted elements at the start of a step.
    pub fn detect_inversions(&mut self, system: &System<S>, x: &[Point<S>]) {
        self.active = false;
        if self.inverted_vertices.is_empty() {
            return;
        }
        self.inverted_vertices.fill(false);
        for batch in system.batches.iter().filter(|b| b.disabled_near_inversion()) {
            self.active |= batch.mark_inverted(x, &mut self.inverted_vertices);
        }
        if self.active {
            for (batch, weights) in system.batches.iter().zip(&mut self.weights) {
                if batch.disabled_near_inversion() {
                    batch.masked_weights(&self.inverted_vertices, weights);
                }
            }
        }
    }

    /// Adds `w Aᵀ(p − A x)` of all active elements to `y`.
    pub fn add_projective_force(
        &self,
        system: &System<S>,
        exec: &Exec,
        x: &[Point<S>],
        y: &mut [Point<S>],
    ) {
        for (batch, weights) in system.batches.iter().zip(&self.weights) {
            if self.active && batch.disabled_near_inversion() {
                batch.add_projective_force_weighted(exec, x, y, weights);
            } else {
                batch.add_projective_force(exec, x, y);
            }
        }
    }

    /// Objective that Projective Dynamics minimises in this step, with the predicted positions `s` \[J\].
    pub fn objective(
        &self,
        system: &System<S>,
        exec: &Exec,
        x: &[Point<S>],
        s: &[Point<S>],
        h: f64,
    ) -> f64 {
        let mut sum = system.inertia(x, s) / (2.0 * h * h);
        for (batch, weights) in system.batches.iter().zip(&self.weights) {
            sum += if self.active && batch.disabled_near_inversion() {
                batch.projective_energy_weighted(exec, x, weights)
            } else {
                batch.projective_energy(exec, x)
            };
        }
        sum
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.inverted_vertices.len()
            + self.weights.iter().map(|w| size_of_val(w.as_slice())).sum::<usize>()
    }
}
