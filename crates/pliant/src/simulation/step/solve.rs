//! Solve: the problem of a substep is posed to the solver, and its outcome reported.

use crate::report::Warning;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;
use crate::solvers::Problem;

impl<S: Precision> Simulation<S> {
    /// Moves the positions from the predicted ones to the solution of a step of `h` \[s\].
    pub(super) fn solve(&mut self, h: f64) {
        let mut problem = Problem {
            system: &self.system,
            exec: &self.exec,
            h,
            previous: &self.scratch.previous,
            predicted: &self.scratch.predicted,
            x: &mut self.state.positions,
            contacts: &mut self.scratch.contacts,
        };
        let solved = self.prepared_solver.solve(&mut problem);
        problem.contacts.mark_sticking();
        self.report.iterations += solved.iterations;
        self.report.residual = solved.residual;
        self.report.factor_update = self.prepared_solver.factor_update();
        if !solved.converged {
            let (iterations, residual) = (solved.iterations, solved.residual);
            self.report.warnings.push(Warning::NotConverged { iterations, residual });
        }
        if self.integrator().solves_end_positions() {
            self.system.model.rigidify(&mut self.state.positions);
        }
    }
}
