//! Pliant: deformable bodies (cloth, shells, soft solids, strands) on one description of the
//! scene, run by any solver.
//!
//! ```
//! use pliant::prelude::*;
//!
//! fn main() -> Result<(), pliant::Error> {
//!     let mut scene = ModelBuilder::new();
//!     let cloth = scene.cloth(Grid::square(16).size(1.0), Fabric::cotton())?;
//!     scene.pin(cloth.corner(0));
//!     scene.pin(cloth.corner(1));
//!
//!     let mut sim = Simulation::new(scene.build()?, ProjectiveDynamics::default())?;
//!     for _ in 0..30 {
//!         let report = sim.step();
//!         if let Some(warning) = report.warning() {
//!             eprintln!("{warning}");
//!         }
//!     }
//!     let lowest = cloth.positions(&sim).map(|p| p[1]).fold(f32::MAX, f32::min);
//!     assert!(lowest < -0.1);
//!     Ok(())
//! }
//! ```
//!
//! Five nouns: a [`Model`] is what is simulated, made by a [`ModelBuilder`]; a [`State`] is all that
//! changes; a [solver](solvers) moves it; a [`Simulation`] holds the three; a [`StepReport`] is what
//! a step says. Two more for those who extend it: an [element] and a [batch].
//!
//! All quantities are in SI units.

pub mod batch;
mod blade;
mod build;
pub mod contact;
mod damping;
pub mod element;
pub mod elements;
pub mod error;
mod free_parts;
mod integrator;
pub mod linalg;
mod live;
pub mod material;
pub mod math;
pub mod mesh;
mod model;
mod motion;
mod one_step;
pub mod parallel;
mod past;
mod pressure;
mod report;
mod retopology;
mod rewire;
pub mod rigid;
mod rigid_body;
mod rigid_motion;
pub mod simd;
mod simulation;
pub mod solvers;
mod state;
mod step;
mod strain_limit;
mod support;
mod system;
mod tear;
mod tethers;
mod torn;
mod viscosity;
mod wind;
mod yielding;

pub use blade::Blade;
pub use build::{Body, Examples, ModelBuilder};
pub use damping::Damping;
pub use error::Error;
pub use integrator::Integrator;
pub use model::{BodyInfo, MassModel, Model, PinnedVertex};
pub use motion::{Motion, Wind};
pub use one_step::OneStep;
pub use pressure::{Inflation, Pressure};
pub use report::{Stage, StepReport, Warning};
pub use rigid_body::{Carried, MassProperties};
pub use simulation::Simulation;
pub use state::State;
pub use strain_limit::{BodyLimits, StrainLimit};
pub use support::{Support, support_matrix, support_of};
pub use system::{Precision, System};
pub use tear::{Tear, TearMode, TearReport, Tearing};
pub use tethers::Tethers;

/// What most programs need.
pub mod prelude {
    pub use crate::contact::{Collider, ContactMode, Partners, Touch};
    pub use crate::material::{
        Bend, Fabric, Fibers, Plasticity, Solid, Springs, Stiffening, Stretch, Thread,
    };
    pub use crate::mesh::{
        Bar, Curtain, Cylinder, Grid, Icosphere, Pattern, SpringNetwork, Strand, TetBall, TetBlock,
        TetMesh, TetTorus, Torus, TriMesh,
    };
    pub use crate::solvers::{
        AnySolver, Constrained, Explicit, Hpbd, MassSpring, Newton, Pbd, ProjectiveDynamics,
        Solver, Sweep, Vbd, Xpbd,
    };
    pub use crate::{
        Blade, Body, Damping, Inflation, Integrator, MassModel, Model, ModelBuilder, Motion,
        Precision, Pressure, Simulation, State, StepReport, StrainLimit, TearMode, Tearing,
        Tethers, Wind,
    };
}
