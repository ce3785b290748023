//! Pliant: a simulation engine for deformable bodies (cloth, shells, soft solids, strands). One description of
//! a scene runs under any solver.
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
//! Five main types: a [`Model`] describes the bodies and is built by a [`ModelBuilder`]; a [`State`] is
//! everything that changes; a [solver](solvers) advances it; a [`Simulation`] holds the three; a [`StepReport`]
//! is the report of a step. Two more modules serve extensions: [element] and [batch].
//!
//! All quantities are in SI units.

pub mod batch;
mod build;
pub mod contact;
mod dynamics;
pub mod element;
pub mod elements;
pub mod error;
pub mod fields;
pub mod linalg;
pub mod material;
pub mod math;
pub mod mesh;
mod model;
pub mod parallel;
pub mod prelude;
mod report;
pub mod rigid;
pub mod simd;
mod simulation;
pub mod solvers;
mod system;
mod topology;

pub use crate::build::{Body, Examples, ModelBuilder};
pub use crate::dynamics::integrator::Integrator;
pub use crate::elements::inflation::Inflation;
pub use crate::error::Error;
pub use crate::material::damping::Damping;
pub use crate::material::strain_limit::StrainLimit;
pub use crate::material::tethers::Tethers;
pub use crate::model::blade::Blade;
pub use crate::model::motion::{Motion, Wind};
pub use crate::model::pressure::Pressure;
pub use crate::model::rigid_frame::{MassProperties, RigidFrame};
pub use crate::model::strain_limit::BodyLimits;
pub use crate::model::tearing::{Tear, TearMode, Tearing};
pub use crate::model::{BodyInfo, MassModel, Model, PinnedVertex};
pub use crate::report::{AccuracyReport, Stage, StepReport, Warning};
pub use crate::simulation::Simulation;
pub use crate::simulation::compatibility::{Compatibility, compatibility_matrix, compatibility_of};
pub use crate::simulation::implicit_step::ImplicitStep;
pub use crate::simulation::precision::Precision;
pub use crate::simulation::reference::{
    PositionError, ReferenceMotion, Trajectory, position_error,
};
pub use crate::system::System;
pub use crate::system::state::State;
pub use crate::topology::tear::TearReport;
