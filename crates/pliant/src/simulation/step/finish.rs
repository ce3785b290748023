//! Finish: rollback of bodies that are not finite or moved too far, plastic flow, energies of the report.

use crate::report::Warning;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;

impl<S: Precision> Simulation<S> {
    /// Loads the plastic state into the elements: the state may have been restored.
    pub(super) fn load_plastic_state(&mut self) {
        let mut rest = self.state.plastic_state.as_slice();
        for batch in self.system.batches.iter_mut().filter(|b| b.plastic_state_len() > 0) {
            let (own, others) = rest.split_at(batch.plastic_state_len());
            batch.load_plastic_state(own);
            rest = others;
        }
    }

    /// Advances plastic flow and stores the plastic state of the elements.
    pub(super) fn update_plasticity(&mut self) {
        let mut rest = self.state.plastic_state.as_mut_slice();
        for batch in self.system.batches.iter_mut().filter(|b| b.plastic_state_len() > 0) {
            let (own, others) = rest.split_at_mut(batch.plastic_state_len());
            batch.update_plasticity(&self.state.positions, self.dt);
            batch.store_plastic_state(own);
            rest = others;
        }
    }

    pub(super) fn finish(&mut self, h: f64) {
        self.store_history(h);
        self.system.set_time(self.state.time);
        self.roll_back(|body, vertex| Warning::NonFiniteResult { body, vertex }, true);
        self.update_plasticity();
        self.scratch.contacts.report(&self.state.positions, &mut self.report.contacts);
        self.report.step = self.state.step;
        self.report.time = self.state.time;
        if self.diagnostics {
            let (x, v) = (&self.state.positions, &self.state.velocities);
            let g = self.system.model.gravity();
            self.report.elastic_energy = self.system.elastic_energy(&self.exec, x);
            let (mut kinetic, mut potential) = (0.0, 0.0);
            for (i, m) in self.system.mass.iter().enumerate() {
                let m = m.to_f64();
                for c in 0..3 {
                    kinetic += 0.5 * m * v[i][c].to_f64() * v[i][c].to_f64();
                    potential -= m * g[c] * x[i][c].to_f64();
                }
            }
            (self.report.kinetic_energy, self.report.potential_energy) = (kinetic, potential);
        }
    }

    /// Sets every body that is not finite, or moved too far, back to its last valid state, at rest. The measure
    /// is the distance that its velocities would move it in a step; with `after`, also the distance that it
    /// moved.
    pub(super) fn roll_back(&mut self, warning: fn(usize, usize) -> Warning, after: bool) {
        let (bound, dt) = (self.scratch.max_displacement, self.dt);
        for (b, body) in self.system.model.bodies().iter().enumerate() {
            let (x, v) = (&mut self.state.positions, &mut self.state.velocities);
            let mut found = None;
            for i in body.all_vertices() {
                let finite = x[i][..3].iter().chain(&v[i][..3]).all(|c| c.is_finite());
                let last_valid = &self.scratch.last_valid[0][i];
                let moved = (0..3).map(|c| {
                    let moved = (x[i][c].to_f64() - last_valid[c].to_f64()).abs();
                    let next = (v[i][c].to_f64() * dt).abs();
                    if after { moved.max(next) } else { next }
                });
                if !finite {
                    found = Some(warning(b, i));
                } else if !(moved.fold(0.0, f64::max) <= bound) {
                    found = Some(Warning::Unbounded { body: b, vertex: i });
                }
                if found.is_some() {
                    break;
                }
            }
            if let Some(warning) = found {
                self.report.warnings.push(warning);
                let last_valid = &self.scratch.last_valid[0];
                for i in body.all_vertices() {
                    (x[i], v[i]) = (last_valid[i], Point::default());
                }
                self.state.history.reset_body(b, body.all_vertices(), last_valid);
            }
        }
    }
}
