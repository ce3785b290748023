//! Predict: validation of the state, damping of velocities, external forces and the predicted positions
//! `s = x + h v`.

use crate::dynamics::integrator::Integrator;
use crate::dynamics::rigid_motion;
use crate::material::damping::Damping;
use crate::parallel::for_chunks;
use crate::report::Warning;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;

impl<S: Precision> Simulation<S> {
    pub(crate) fn validate(&mut self, h: f64) {
        self.sync_topology();
        // Vertices that the user removed get values that are not finite, so that their body is rolled back.
        let (state, lost) = (&mut self.state, [S::from_f64(f64::NAN); 4]);
        state.positions.resize(self.system.len(), lost);
        state.velocities.resize(self.system.len(), lost);
        for (x, &w) in state.positions.iter_mut().zip(&self.system.inv_mass) {
            x[3] = w;
        }
        self.roll_back(|body, vertex| Warning::NonFiniteInput { body, vertex }, false);
        self.scratch.last_valid[0].copy_from_slice(&self.state.positions);
        self.scratch.last_valid[1].copy_from_slice(&self.state.velocities);
        self.load_history(h);
        self.load_plastic_state();
    }

    pub(crate) fn predict(&mut self, whole: f64, integrator: Integrator) {
        let model = self.system.model.clone();
        if !self.scratch.substep_start.is_empty() {
            self.scratch.substep_start.copy_from_slice(&self.state.positions);
        }
        self.begin_substep(whole, integrator);
        let h = integrator.solve_step(whole);
        if let Some(wind) = model.wind() {
            self.scratch.wind_impulses.compute(&model, &self.state, wind, h);
        }
        // Damping acts before forces: it applies to motion, not to the weight of a body at rest. Implicit
        // midpoint damps in `begin_substep`.
        if integrator != Integrator::ImplicitMidpoint {
            self.damp_bodies(h);
        }
        let gravity = model.gravity().map(|g| S::from_f64(g * h));
        let (forces, wind) = (model.forces(), &self.scratch.wind_impulses.impulses);
        for_chunks(&self.exec, &mut self.state.velocities, &self.state.positions, |at, v, x| {
            for (i, (v, x)) in v.iter_mut().zip(x).enumerate() {
                for c in 0..3 {
                    v[c] += gravity[c];
                }
                for (list, scale) in [(forces, h), (wind.as_slice(), 1.0)] {
                    if let Some(f) = list.get(at + i) {
                        for c in 0..3 {
                            v[c] += x[3] * S::from_f64(f[c] * scale);
                        }
                    }
                }
            }
        });
        let state = &mut self.state;
        self.scratch.previous.copy_from_slice(&state.positions);
        let step = S::from_f64(h);
        for_chunks(&self.exec, &mut state.positions, &state.velocities, |_, x, v| {
            for (x, v) in x.iter_mut().zip(v) {
                *x = [x[0] + v[0] * step, x[1] + v[1] * step, x[2] + v[2] * step, x[3]];
            }
        });
        for i in 0..model.pins().len() {
            let target = self.pin_target(i, self.state.time + whole);
            self.set_pin_target(i, target, integrator);
        }
        self.scratch.predicted.copy_from_slice(&self.state.positions);
    }

    pub(crate) fn damp_bodies(&mut self, h: f64) {
        for body in self.system.model.bodies() {
            let (x, v) = (&self.state.positions, &mut self.state.velocities);
            if body.damping.drag > 0.0 {
                let keep = S::from_f64(1.0 - Damping::fraction(body.damping.drag, h));
                body.all_vertices().for_each(|i| (0..3).for_each(|c| v[i][c] *= keep));
            }
            if body.damping.internal > 0.0 {
                let k = Damping::fraction(body.damping.internal, h);
                rigid_motion::damp_deviations(body.all_vertices(), x, v, &self.system.mass, k);
            }
        }
    }
}
