//! Elements that rest in a step of Projective Dynamics.
//!
//! A volume that neighbours keep can hold a tetrahedron inside out for ever. Where one is so at the
//! start of a step, the volumes at its vertices rest in that step and leave it to the strain, which
//! always pulls towards a proper rotation. All else goes on: the matrix is the same.

use crate::batch::AnyBatch;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::system::{Precision, System};

/// Elements whose pull rests in this step, because they stand beside some that are inside out.
pub struct Yielding<S> {
    /// Whether each vertex belongs to an element that is inside out.
    marked: Vec<bool>,
    /// The weights of each batch that yields in this step; of the others nothing.
    weights: Vec<Vec<S>>,
    any: bool,
}

impl<S: Precision> Yielding<S> {
    /// Room for a model.
    pub fn new(system: &System<S>) -> Self {
        let numbers = |b: &dyn AnyBatch<S>| if b.yields() { b.constraints() } else { 0 };
        let weights = system.batches.iter().map(|b| vec![S::default(); numbers(b.as_ref())]);
        let weights: Vec<Vec<S>> = weights.collect();
        let needed = weights.iter().any(|w| !w.is_empty());
        let marked = vec![false; if needed { system.len() } else { 0 }];
        Self { marked, weights, any: false }
    }

    /// Finds what is inside out at the start of a step.
    pub fn look(&mut self, system: &System<S>, x: &[Point<S>]) {
        self.any = false;
        if self.marked.is_empty() {
            return;
        }
        self.marked.fill(false);
        for batch in system.batches.iter().filter(|b| b.yields()) {
            self.any |= batch.mark_inverted(x, &mut self.marked);
        }
        if self.any {
            for (batch, weights) in system.batches.iter().zip(&mut self.weights) {
                if batch.yields() {
                    batch.weights_beside(&self.marked, weights);
                }
            }
        }
    }

    /// Adds `w Aᵀ(p − A x)` of all elements that act to `y`.
    pub fn pull(&self, system: &System<S>, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        for (batch, weights) in system.batches.iter().zip(&self.weights) {
            if self.any && batch.yields() {
                batch.pull_weighted(exec, x, y, weights);
            } else {
                batch.pull(exec, x, y);
            }
        }
    }

    /// What Projective Dynamics minimises in this step, with the inertial guess `s` \[J\].
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
            sum += if self.any && batch.yields() {
                batch.distance_weighted(exec, x, weights)
            } else {
                batch.distance(exec, x)
            };
        }
        sum
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.marked.len() + self.weights.iter().map(|w| size_of_val(w.as_slice())).sum::<usize>()
    }
}
