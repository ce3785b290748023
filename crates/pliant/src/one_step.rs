//! One implicit Euler step apart from a simulation: the problem on which solvers are compared.
//!
//! Every solver gets the same inertial guess `s` and moves the vertices to its own solution. How far
//! that is from the minimiser `x*` is said by Fast Simulation of Mass-Spring Systems eq. (15),
//! `(g(x) − g(x*)) / (g(s) − g(x*))`, with the objective
//! `g(x) = ½ ‖x − s‖²_M / h² + E(x)` \[J\].

use crate::Error;
use crate::contact::Contacts;
use crate::integrator::Integrator;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::solvers::{AnySolver, Newton, Problem, Solved};
use crate::system::{Precision, System};
use crate::yielding::Yielding;

/// The problem of one step, to be solved by several solvers from the same start.
pub struct OneStep<S> {
    /// Masses and elements.
    pub system: System<S>,
    /// The step \[s\].
    pub h: f64,
    /// Positions before the step \[m\].
    pub before: Vec<Point<S>>,
    /// The inertial guess \[m\], pinned vertices at their targets.
    pub guess: Vec<Point<S>>,
    /// Threads and lanes that run it: one thread, packed.
    pub exec: Exec,
}

impl<S: Precision> OneStep<S> {
    /// The problem that the next step of `sim` will pose, taken as one substep. The simulation stays
    /// as it is. Damping along constraints and by stiffness acts outside this problem.
    pub fn next_of(sim: &mut Simulation<S>) -> Self {
        Self::posed_by(sim)
    }

    /// The same of a simulation in any precision: a fast one can be measured against an exact one.
    pub fn posed_by<T: Precision>(sim: &mut Simulation<T>) -> Self {
        let state = sim.state.clone();
        let h = sim.dt;
        sim.predict(h, Integrator::ImplicitEuler);
        let exact = |x: &[Point<T>]| x.iter().map(|p| p.map(|c| S::from_f64(c.to_f64()))).collect();
        let (mut before, mut guess): (Vec<Point<S>>, Vec<Point<S>>) =
            (exact(&sim.scratch.before), exact(&sim.scratch.guess));
        sim.state = state;
        let mut system = System::<S>::new(sim.system.model.clone());
        for x in [&mut before, &mut guess] {
            x.iter_mut().zip(&system.inv_mass).for_each(|(x, w)| x[3] = *w);
        }
        let memory: Vec<S> = sim.state.memory.iter().map(|m| S::from_f64(m.to_f64())).collect();
        let mut rest = memory.as_slice();
        for batch in system.batches.iter_mut().filter(|b| b.memory() > 0) {
            let (own, others) = rest.split_at(batch.memory().min(rest.len()));
            batch.remember(own);
            rest = others;
        }
        system.set_time(sim.state.time + h);
        Self { system, h, before, guess, exec: Exec::serial() }
    }

    /// Where a solver moves the vertices.
    pub fn solve(&self, solver: &AnySolver) -> Result<(Vec<Point<S>>, Solved), Error> {
        self.solver(solver).map(|mut stepper| {
            let mut x = self.guess.clone();
            let solved = self.solve_with(&mut *stepper, &mut x);
            (x, solved)
        })
    }

    /// A solver made ready for this step: for those who time it.
    pub fn solver(&self, solver: &AnySolver) -> Result<Box<dyn crate::solvers::Stepper<S>>, Error> {
        S::stepper(solver, &self.system, self.h, &self.exec)
    }

    /// Moves `x` from the inertial guess to the solution.
    pub fn solve_with(
        &self,
        stepper: &mut dyn crate::solvers::Stepper<S>,
        x: &mut Vec<Point<S>>,
    ) -> Solved {
        x.clone_from(&self.guess);
        stepper.solve(&mut Problem {
            system: &self.system,
            exec: &self.exec,
            h: self.h,
            before: &self.before,
            guess: &self.guess,
            x,
            contacts: &mut Contacts::default(),
        })
    }

    /// The objective of implicit Euler at `x` \[J\]; with `projective`, that which Projective Dynamics
    /// minimises (it differs for scalar constraints).
    pub fn objective(&self, x: &[Point<S>], projective: bool) -> f64 {
        if !projective {
            return self.system.objective(&self.exec, x, &self.guess, self.h, false);
        }
        let mut yielding = Yielding::new(&self.system);
        yielding.look(&self.system, &self.before);
        yielding.objective(&self.system, &self.exec, x, &self.guess, self.h)
    }

    /// The minimiser, as far as rounding lets Newton's method go.
    pub fn minimiser(&self) -> Result<Vec<Point<S>>, Error> {
        let exact = Newton { iterations: 200, tolerance: 1e-14, ..Newton::default() };
        Ok(self.solve(&exact.into())?.0)
    }

    /// The relative energy gap of `x`, eq. (15), given the objective of the minimiser \[J\].
    pub fn gap(&self, x: &[Point<S>], best: f64) -> f64 {
        let first = self.objective(&self.guess, false);
        (self.objective(x, false) - best) / (first - best)
    }
}
