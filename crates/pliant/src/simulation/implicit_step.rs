//! One implicit Euler step as a problem of its own, on which solvers are compared.
//!
//! Every solver gets the same predicted positions `s` and moves the vertices to its own solution. The distance
//! to the minimiser `x*` is measured by Fast Simulation of Mass-Spring Systems eq. (15),
//! `(g(x) − g(x*)) / (g(s) − g(x*))`, with the objective `g(x) = ½ ‖x − s‖²_M / h² + E(x)` \[J\].

use crate::Error;
use crate::contact::ContactSet;
use crate::dynamics::integrator::Integrator;
use crate::dynamics::inversion_guard::InversionGuard;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;
use crate::solvers::{AnySolver, Newton, Problem, SolveReport};
use crate::system::System;

/// Fall of the energy, relative to the energy of the motion, below which eq. (15) divides rounding errors.
const MIN_ENERGY_SHARE: f64 = 1e-9;

/// Problem of one implicit Euler step, which several solvers can solve from the same start.
pub struct ImplicitStep<S> {
    /// Masses and elements.
    pub system: System<S>,
    /// Time step \[s\].
    pub h: f64,
    /// Positions before the step \[m\].
    pub previous: Vec<Point<S>>,
    /// Predicted positions \[m\], pinned vertices at their targets.
    pub predicted: Vec<Point<S>>,
    /// Execution settings: one thread, packed kernels.
    pub exec: Exec,
}

impl<S: Precision> ImplicitStep<S> {
    /// Returns the problem that the next step of `sim` will pose, taken as one substep. The state of the
    /// simulation does not change. Damping along constraints and by stiffness acts outside this problem.
    pub fn from_simulation(sim: &mut Simulation<S>) -> Self {
        Self::from_any_precision(sim)
    }

    /// As [`ImplicitStep::from_simulation`], from a simulation in any precision: a solver in single precision
    /// can be measured against an exact one.
    pub fn from_any_precision<T: Precision>(sim: &mut Simulation<T>) -> Self {
        let state = sim.state.clone();
        let h = sim.dt;
        sim.predict(h, Integrator::ImplicitEuler);
        let exact = |x: &[Point<T>]| x.iter().map(|p| p.map(|c| S::from_f64(c.to_f64()))).collect();
        let (mut previous, mut predicted): (Vec<Point<S>>, Vec<Point<S>>) =
            (exact(&sim.scratch.previous), exact(&sim.scratch.predicted));
        sim.state = state;
        let mut system = System::<S>::new(sim.system.model.clone());
        for x in [&mut previous, &mut predicted] {
            x.iter_mut().zip(&system.inv_mass).for_each(|(x, w)| x[3] = *w);
        }
        let plastic_state: Vec<S> =
            sim.state.plastic_state.iter().map(|m| S::from_f64(m.to_f64())).collect();
        let mut rest = plastic_state.as_slice();
        for batch in system.batches.iter_mut().filter(|b| b.plastic_state_len() > 0) {
            let (own, others) = rest.split_at(batch.plastic_state_len().min(rest.len()));
            batch.load_plastic_state(own);
            rest = others;
        }
        system.set_time(sim.state.time + h);
        Self { system, h, previous, predicted, exec: Exec::serial() }
    }

    /// Runs a solver on the problem. Returns the positions and the solver's report.
    pub fn solve(&self, solver: &AnySolver) -> Result<(Vec<Point<S>>, SolveReport), Error> {
        self.prepare(solver).map(|mut prepared| {
            let mut x = self.predicted.clone();
            let solved = self.solve_with(&mut *prepared, &mut x);
            (x, solved)
        })
    }

    /// Prepares a solver for this step, so that a solve can be timed alone.
    pub fn prepare(
        &self,
        solver: &AnySolver,
    ) -> Result<Box<dyn crate::solvers::PreparedSolver<S>>, Error> {
        S::prepare_solver(solver, &self.system, self.h, &self.exec)
    }

    /// Sets `x` to the predicted positions and moves it to the solution.
    pub fn solve_with(
        &self,
        prepared: &mut dyn crate::solvers::PreparedSolver<S>,
        x: &mut Vec<Point<S>>,
    ) -> SolveReport {
        x.clone_from(&self.predicted);
        prepared.solve(&mut Problem {
            system: &self.system,
            exec: &self.exec,
            h: self.h,
            previous: &self.previous,
            predicted: &self.predicted,
            x,
            contacts: &mut ContactSet::default(),
        })
    }

    /// Objective of implicit Euler at `x` \[J\]. With `projective`, the objective that Projective Dynamics
    /// minimises, which differs for scalar constraints.
    pub fn objective(&self, x: &[Point<S>], projective: bool) -> f64 {
        if !projective {
            return self.system.objective(&self.exec, x, &self.predicted, self.h, false);
        }
        let mut inversion_guard = InversionGuard::new(&self.system);
        inversion_guard.detect_inversions(&self.system, &self.previous);
        inversion_guard.objective(&self.system, &self.exec, x, &self.predicted, self.h)
    }

    /// Returns the minimiser, to the accuracy that rounding allows Newton's method.
    pub fn minimiser(&self) -> Result<Vec<Point<S>>, Error> {
        let exact = Newton { iterations: 200, tolerance: 1e-14, ..Newton::default() };
        Ok(self.solve(&exact.into())?.0)
    }

    /// Relative energy gap of `x`, eq. (15), given the objective of the minimiser \[J\].
    pub fn relative_energy_gap(&self, x: &[Point<S>], best: f64) -> f64 {
        let first = self.objective(&self.predicted, false);
        (self.objective(x, false) - best) / (first - best)
    }

    /// True if the relative energy gap means something: the energy falls from the predicted positions to the minimiser's
    /// by more than a billionth of the kinetic energy of the step. In free flight it does not.
    pub fn has_energy_gap(&self, best: f64) -> bool {
        let motion = self.system.inertia(&self.predicted, &self.previous) / (2.0 * self.h * self.h);
        let first = self.objective(&self.predicted, false);
        first - best > MIN_ENERGY_SHARE * (motion + first.abs())
    }

    /// Norm of the objective's gradient at `x` \[N\], over the free vertices.
    pub fn gradient_norm(&self, x: &[Point<S>]) -> f64 {
        let system = &self.system;
        let mut force = vec![Point::<S>::default(); x.len()];
        system.batches.iter().for_each(|batch| batch.force(&self.exec, x, &mut force));
        let is_free = |v: usize| system.inv_mass[v].to_f64() > 0.0;
        let offset = |v: usize, c: usize| {
            if is_free(v) { x[v][c].to_f64() - self.predicted[v][c].to_f64() } else { 0.0 }
        };
        let inv_h2 = 1.0 / (self.h * self.h);
        let mut gradient: Vec<[f64; 3]> =
            force.iter().map(|f| [0, 1, 2].map(|c| -f[c].to_f64())).collect();
        match system.model.mass_matrix() {
            None => {
                for (v, g) in gradient.iter_mut().enumerate() {
                    let m = system.mass[v].to_f64() * inv_h2;
                    (0..3).for_each(|c| g[c] += m * offset(v, c));
                }
            }
            Some(matrix) => {
                for column in 0..x.len() {
                    let (rows, values) = matrix.column(column);
                    for (&row, m) in rows.iter().zip(values) {
                        let row = row as usize;
                        for c in 0..3 {
                            gradient[row][c] += m * inv_h2 * offset(column, c);
                            // Only the lower triangle is stored.
                            if row != column {
                                gradient[column][c] += m * inv_h2 * offset(row, c);
                            }
                        }
                    }
                }
            }
        }
        let free = gradient.iter().enumerate().filter(|(v, _)| is_free(*v));
        free.map(|(_, g)| g[0] * g[0] + g[1] * g[1] + g[2] * g[2]).sum::<f64>().sqrt()
    }
}
