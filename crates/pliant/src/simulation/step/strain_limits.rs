//! Strain limiting: the stage of a step that applies the limits of `model/strain_limit.rs` to positions and
//! velocities.

use crate::model::Model;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;

/// Allocates memory for the positions before the correction; empty if the model has no strain limits.
pub(crate) fn allocate_positions<S: Precision>(model: &Model) -> Vec<Point<S>> {
    vec![Point::default(); if model.strain_limits().is_empty() { 0 } else { model.len() }]
}

impl<S: Precision> Simulation<S> {
    /// Moves bodies with strain limits within them, and corrects their velocities accordingly.
    pub(crate) fn apply_strain_limits(&mut self, h: f64) {
        let model = &self.system.model;
        if model.strain_limits().is_empty() {
            return;
        }
        let (state, was) = (&mut self.state, &mut self.scratch.before_strain_limit);
        was.copy_from_slice(&state.positions);
        model.strain_limits().iter().for_each(|body| body.apply(&mut state.positions));
        let inv_h = S::from_f64(1.0 / h);
        for ((x, was), v) in state.positions.iter().zip(was).zip(&mut state.velocities) {
            (0..3).for_each(|c| v[c] += (x[c] - was[c]) * inv_h);
        }
    }
}
