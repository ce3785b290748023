//! Integration within a step: the stages before and after the solve of a substep, for the integrators of
//! `dynamics/integrator.rs`.

use crate::dynamics::integrator::Integrator;
use crate::parallel::for_chunks;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;
use crate::solvers::Solver;
use crate::system::history::StepHistory;

/// State that an integrator keeps over a substep.
pub(crate) struct SubstepState<S> {
    /// Positions and velocities at the start of the substep.
    start: [Vec<Point<S>>; 2],
    /// For each body, true if it has no history.
    without_history: Vec<bool>,
}

impl<S: Precision> SubstepState<S> {
    /// An empty state without memory.
    pub fn empty() -> Self {
        Self { start: [Vec::new(), Vec::new()], without_history: Vec::new() }
    }

    /// Allocates memory for a model's vertices and bodies, as far as the integrator needs it.
    pub fn new(integrator: Integrator, points: usize, bodies: usize) -> Self {
        let needed = !matches!(integrator, Integrator::ImplicitEuler | Integrator::SymplecticEuler);
        let room = || vec![Point::default(); if needed { points } else { 0 }];
        Self { start: [room(), room()], without_history: vec![true; bodies] }
    }
}

impl<S: Precision> Simulation<S> {
    pub(crate) fn integrator(&self) -> Integrator {
        self.solver.integrator_for(&self.system.model)
    }

    /// Finds the bodies whose history does not match their current state. Clears the history if the integrator
    /// does not need it.
    pub(crate) fn load_history(&mut self, h: f64) {
        let integrator = self.integrator();
        let (state, model) = (&mut self.state, &self.system.model);
        if integrator != Integrator::Bdf2 {
            return state.history.clear();
        }
        state.history.resize(state.positions.len(), model.bodies().len());
        for (b, body) in model.bodies().iter().enumerate() {
            let (x, v) = (&state.positions, &state.velocities);
            self.scratch.substep_state.without_history[b] =
                !state.history.matches_state(b, h, body.all_vertices(), x, v);
        }
    }

    /// Stores the fingerprints of the current state, to which the history belongs.
    pub(crate) fn store_history(&mut self, h: f64) {
        if self.integrator() == Integrator::Bdf2 {
            let (state, model) = (&mut self.state, &self.system.model);
            state.history.h = h;
            for (b, body) in model.bodies().iter().enumerate() {
                state.history.fingerprints[b] = StepHistory::state_fingerprint(
                    body.all_vertices(),
                    &state.positions,
                    &state.velocities,
                );
            }
        }
    }

    /// Replaces the state by the base `X, V` of a substep `h` \[s\].
    pub(crate) fn begin_substep(&mut self, h: f64, integrator: Integrator) {
        if integrator == Integrator::ImplicitMidpoint {
            self.damp_bodies(h);
        }
        let (state, substep_state) = (&mut self.state, &mut self.scratch.substep_state);
        if matches!(integrator, Integrator::ImplicitEuler | Integrator::SymplecticEuler) {
            return;
        }
        substep_state.start[0].copy_from_slice(&state.positions);
        substep_state.start[1].copy_from_slice(&state.velocities);
        match integrator {
            Integrator::Bdf2 => {
                let third = S::from_f64(1.0 / 3.0);
                for (body, starting) in
                    self.system.model.bodies().iter().zip(&substep_state.without_history)
                {
                    for i in body.all_vertices().filter(|_| !starting) {
                        let (x, v) = (&mut state.positions[i], &mut state.velocities[i]);
                        let (x0, v0) = (&state.history.positions[i], &state.history.velocities[i]);
                        for c in 0..3 {
                            x[c] += (x[c] - x0[c]) * third;
                            v[c] += (v[c] - v0[c]) * third;
                        }
                    }
                }
                state.history.positions.copy_from_slice(&substep_state.start[0]);
                state.history.velocities.copy_from_slice(&substep_state.start[1]);
            }
            Integrator::Verlet => {
                let half = S::from_f64(0.5 * h);
                for_chunks(&self.exec, &mut state.positions, &state.velocities, |_, x, v| {
                    for (x, v) in x.iter_mut().zip(v) {
                        (0..3).for_each(|c| x[c] += v[c] * half);
                    }
                });
                for i in 0..self.system.model.pins().len() {
                    let target = self.pin_target(i, self.state.time + h);
                    self.interpolate_pin(i, target, 0.5);
                }
            }
            _ => {}
        }
    }

    /// Moves a pin to the position at which the problem of the substep evaluates it.
    pub(crate) fn set_pin_target(&mut self, pin: usize, target: [f64; 3], integrator: Integrator) {
        let reach = match integrator {
            Integrator::ImplicitMidpoint => 0.5,
            Integrator::Bdf2 => {
                let vertex = self.system.model.pins()[pin].vertex;
                let without_history = &self.scratch.substep_state.without_history;
                let body = self.system.model.body_of(vertex);
                if body.is_some_and(|b| without_history[b]) { 1.0 / 1.5 } else { 1.0 }
            }
            _ => 1.0,
        };
        self.interpolate_pin(pin, target, reach);
    }

    /// Moves a pin to the fraction `reach` of the line from its position at the start of the substep to its
    /// target.
    fn interpolate_pin(&mut self, pin: usize, target: [f64; 3], reach: f64) {
        let vertex = self.system.model.pins()[pin].vertex;
        let x = &mut self.state.positions[vertex];
        if reach == 1.0 {
            (0..3).for_each(|c| x[c] = S::from_f64(target[c]));
        } else {
            let from = self.scratch.substep_state.start[0][vertex].map(|c| c.to_f64());
            (0..3).for_each(|c| x[c] = S::from_f64(from[c] + reach * (target[c] - from[c])));
        }
    }

    /// Adds the velocity change that an explicit solver found: computed from positions, it would be lost to
    /// rounding in short substeps.
    pub(crate) fn apply_velocity_change(&mut self) {
        let Some(velocity_change) = self.prepared_solver.velocity_change() else { return };
        for_chunks(
            &self.exec,
            &mut self.state.velocities,
            velocity_change,
            |_, v, velocity_change| {
                for (v, d) in v.iter_mut().zip(velocity_change) {
                    (0..3).for_each(|c| v[c] += d[c]);
                }
            },
        );
    }

    /// Extrapolates from the time at which the problem was solved to the end of the substep.
    pub(crate) fn end_substep(&mut self) {
        let integrator = self.integrator();
        let h = self.dt / self.substeps as f64;
        let (state, substep_state) = (&mut self.state, &self.scratch.substep_state);
        let from = &substep_state.start;
        match integrator {
            Integrator::ImplicitEuler => return,
            Integrator::ImplicitMidpoint => {
                extrapolate(&mut state.positions, &from[0], 2.0);
                extrapolate(&mut state.velocities, &from[1], 2.0);
            }
            Integrator::Bdf2 => {
                let bodies = self.system.model.bodies().iter().zip(&substep_state.without_history);
                for (body, _) in bodies.filter(|(_, starting)| **starting) {
                    for i in body.all_vertices() {
                        let one = i..i + 1;
                        extrapolate(&mut state.positions[one.clone()], &from[0][one.clone()], 1.5);
                        extrapolate(&mut state.velocities[one.clone()], &from[1][one], 1.5);
                    }
                }
            }
            Integrator::ExplicitEuler => drift(&mut state.positions, &from[0], &from[1], h),
            Integrator::SymplecticEuler => {
                drift(&mut state.positions, &self.scratch.previous, &state.velocities, h);
            }
            Integrator::Verlet => {
                drift(&mut state.positions, &self.scratch.previous, &state.velocities, 0.5 * h);
            }
        }
        for i in 0..self.system.model.pins().len() {
            let target = self.pin_target(i, self.state.time + h);
            let vertex = self.system.model.pins()[i].vertex;
            let old = match integrator {
                Integrator::SymplecticEuler => self.scratch.previous[vertex],
                _ => self.scratch.substep_state.start[0][vertex],
            };
            self.interpolate_pin(i, target, 1.0);
            let (x, inv_h) = (self.state.positions[vertex], S::from_f64(1.0 / h));
            let v = &mut self.state.velocities[vertex];
            (0..3).for_each(|c| v[c] = (x[c] - old[c]) * inv_h);
        }
        self.scratch.substep_state.without_history.fill(false);
    }
}

/// `x = from + factor (x − from)`.
fn extrapolate<S: Precision>(x: &mut [Point<S>], from: &[Point<S>], factor: f64) {
    let factor = S::from_f64(factor);
    for (x, from) in x.iter_mut().zip(from) {
        (0..3).for_each(|c| x[c] = from[c] + (x[c] - from[c]) * factor);
    }
}

/// `x = from + h v`.
fn drift<S: Precision>(x: &mut [Point<S>], from: &[Point<S>], v: &[Point<S>], h: f64) {
    let h = S::from_f64(h);
    for ((x, from), v) in x.iter_mut().zip(from).zip(v) {
        (0..3).for_each(|c| x[c] = from[c] + v[c] * h);
    }
}
