//! Precision of a simulation: the code compiled once for `f32` and once for `f64`.

use crate::Error;
use crate::batch::ElementPrecision;
use crate::parallel::Exec;
use crate::simulation::Simulation;
use crate::solvers::{AnySolver, PreparedSolver, Solver};
use crate::system::System;

/// Precision that simulations run in: `f32` or `f64`.
///
/// Its methods are compiled once for each, in this crate, not again in every program that names a [`Simulation`].
pub trait Precision: ElementPrecision {
    /// Prepares a solver for steps of `h` \[s\].
    fn prepare_solver(
        solver: &AnySolver,
        system: &System<Self>,
        h: f64,
        exec: &Exec,
    ) -> Result<Box<dyn PreparedSolver<Self>>, Error>;
    /// Runs all stages of one step.
    fn run_stages(sim: &mut Simulation<Self>);
}

macro_rules! precision {
    ($t:ident) => {
        impl Precision for $t {
            fn prepare_solver(
                solver: &AnySolver,
                system: &System<$t>,
                h: f64,
                exec: &Exec,
            ) -> Result<Box<dyn PreparedSolver<$t>>, Error> {
                solver.prepare(system, h, exec)
            }
            fn run_stages(sim: &mut Simulation<$t>) {
                sim.run_stages();
            }
        }
    };
}

precision!(f32);
precision!(f64);
