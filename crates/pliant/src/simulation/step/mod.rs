//! Stages of a step, in order.
//!
//! ```text
//! validate              predict.rs         roll back bodies whose state the user made non-finite
//! untangle              contact.rs         find existing intersections, to be resolved gradually
//! per substep:
//!   predict             predict.rs         base x, v of the integrator (integrate.rs); damping of v;
//!                                          v += h (g + f/m);  s = x + h v
//!   collide             contact.rs         contacts on the path from x to s
//!   solve               solve.rs           the solver moves x from s to the solution
//!   contacts_of_solution contact.rs        with implicit Euler, post-solve contacts
//!   update_velocities   velocity.rs        v += (x − s)/h; end of the substep (integrate.rs)
//!   finish_contacts     contact.rs         with other integrators, post-solve contacts; restitution
//!   damp_constraints    velocity.rs        damping of constraints and of stiffness
//!   apply_strain_limits strain_limits.rs   stretch and area of bodies with strain limits
//!   depenetrate         contact.rs         remaining penetration, without giving velocity; in the last
//!                                          substep, in intersection-free mode in each
//!   store_anchors       contact.rs         friction anchors, kept for the next substep
//! finish                finish.rs          rollback of invalid bodies, plastic flow, energies
//! verify_intersections  contact.rs         count of the intersections that remain
//! update_tearing        ../topology.rs     tears and cuts
//! ```
//!
//! `h` is the step of the integrator's problem (`dynamics/integrator.rs`). `scratch.rs` holds the memory that
//! all stages share.

pub(crate) mod contact;
pub(crate) mod finish;
pub(crate) mod integrate;
pub(crate) mod predict;
pub(crate) mod scratch;
mod solve;
pub(crate) mod strain_limits;
pub(crate) mod velocity;

use crate::report::Stage;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;

impl<S: Precision> Simulation<S> {
    /// Runs all stages of one step, under the adaptive solver those of the companion as well.
    pub(crate) fn run_stages(&mut self) {
        match self.adaptive {
            Some(_) => self.run_adaptive_frame(),
            None => self.run_frame(true),
        }
    }

    /// Runs all stages of one frame. Verification and tearing are only those of the run, not of
    /// the companion that measures its error.
    pub(crate) fn run_frame(&mut self, is_run: bool) {
        let h = self.dt / self.substeps as f64;
        let integrator = self.integrator();
        let tau = integrator.solve_step(h);
        self.timed(Stage::Validate, |sim| sim.validate(h));
        self.timed(Stage::Collide, Self::untangle);
        for substep in 0..self.substeps {
            self.timed(Stage::Predict, |sim| sim.predict(h, integrator));
            self.timed(Stage::Collide, |sim| sim.collide(h, integrator, sim.substeps - substep));
            self.system.set_time(self.state.time + integrator.force_time_fraction() * h);
            self.timed(Stage::Solve, |sim| sim.solve(tau));
            self.timed(Stage::PostSolveContact, |sim| sim.contacts_of_solution(tau));
            self.timed(Stage::Velocity, |sim| sim.update_velocities(tau));
            self.timed(Stage::PostSolveContact, Self::finish_contacts);
            self.timed(Stage::Velocity, Self::damp_constraints);
            self.timed(Stage::Velocity, |sim| sim.apply_strain_limits(h));
            self.timed(Stage::PostSolveContact, |sim| sim.depenetrate(substep + 1 == sim.substeps));
            self.timed(Stage::PostSolveContact, Self::store_anchors);
            self.state.time += h;
        }
        self.state.step = self.state.step.wrapping_add(1);
        self.timed(Stage::Finish, |sim| sim.finish(h));
        if is_run {
            self.timed(Stage::Finish, Self::verify_intersections);
            self.timed(Stage::Finish, |sim| sim.update_tearing());
        }
    }

    pub(crate) fn timed(&mut self, stage: Stage, f: impl FnOnce(&mut Self)) {
        let start = (self.clock)();
        f(self);
        self.report.seconds[stage as usize] += (self.clock)() - start;
    }
}
