//! Articulated rigid bodies, after the lecture's P29–P36: bodies with mass and inertia, joints as
//! constraints with multipliers and compliance, solved together in every step.
//!
//! ```
//! use pliant::rigid::{ArticulationBuilder, Joint, RigidBody};
//!
//! // A rod of 1 m on a hinge, let go from the horizontal.
//! let mut scene = ArticulationBuilder::new();
//! let rod = scene.body(RigidBody::capsule([1.0, 0.0, 0.0], 0.02, 1.0).at([0.5, 0.0, 0.0]));
//! scene.joint(Joint::hinge(None, Some(rod), [0.0; 3], [0.0, 0.0, 1.0]));
//! let mut rods = scene.build()?;
//! for _ in 0..60 {
//!     rods.step(1.0 / 60.0);
//! }
//! assert!(rods.joint_gap() < 1e-3);
//! # Ok::<(), pliant::Error>(())
//! ```
//!
//! A step of `h` finds the velocities `v` and the multipliers `λ` (forces and torques) of
//!
//! ```text
//! M (v − v_free) = h Jᵀ λ              v_free = v_old + h g
//! φ + h J v + C λ = 0                  φ ≥ 0, λ ≥ 0 for limits and the ground
//! ```
//!
//! (P31), linearised at the old poses, with the geometric stiffness of the multipliers of the last
//! step (P34–P36, Tournier et al. 2015). More iterations linearise again where the last one led.
//! Compliance is an inverse stiffness, and zero is a hard joint.
//!
//! Angular *momenta* are what is kept from step to step, and a body turns by the angular velocity
//! that its momentum gives it half a step ahead. So a free body keeps its angular momentum to
//! rounding, whatever its inertia.
//!
//! All quantities are in SI units and double precision. The same input gives the same bits; a
//! snapshot holds everything that a step depends on, the multipliers among it.

mod articulation;
mod body;
mod build;
mod joint;
mod joint_rows;
mod pose;
mod ragdoll;
mod snapshot;

pub use articulation::{Articulation, ArticulationReport, ArticulationSettings};
pub use body::RigidBody;
pub use build::ArticulationBuilder;
pub use joint::{Joint, JointKind};
pub use pose::Pose;
pub use ragdoll::{Ragdoll, RagdollBodies};
