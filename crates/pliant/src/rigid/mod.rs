//! Articulated rigid bodies, after the lecture's P29–P36: bodies with mass and inertia, and joints as
//! constraints with multipliers and compliance, solved together in every step.
//!
//! * `body.rs`: [`RigidBody`], mass, inertia, initial pose and velocity
//! * `joint.rs`: [`Joint`], ball, hinge and distance joints
//! * `build.rs`: [`ArticulationBuilder`], checks and construction
//! * `articulation.rs`: [`Articulation`], the state and its time step
//! * `joint_rows.rs`: constraint rows and geometric stiffness of joints
//! * `pose.rs`: position and orientation
//! * `ragdoll.rs`: a ragdoll of fifteen bodies
//! * `snapshot.rs`: hash and snapshot of the state
//!
//! ```
//! use pliant::rigid::{ArticulationBuilder, Joint, RigidBody};
//!
//! // A rod of 1 m on a hinge, released from the horizontal.
//! let mut scene = ArticulationBuilder::new();
//! let rod = scene.body(RigidBody::capsule([1.0, 0.0, 0.0], 0.02, 1.0).at([0.5, 0.0, 0.0]));
//! scene.joint(Joint::hinge(None, Some(rod), [0.0; 3], [0.0, 0.0, 1.0]));
//! let mut rods = scene.build()?;
//! for _ in 0..60 {
//!     rods.step(1.0 / 60.0);
//! }
//! assert!(rods.max_joint_error() < 1e-3);
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
//! (P31), linearised at the old poses, with the geometric stiffness of the multipliers of the last step
//! (P34–P36, Tournier et al. 2015). Further iterations linearise again at the poses that the last one reached.
//! Compliance is an inverse stiffness; zero is a hard joint.
//!
//! The state holds angular *momenta*, and a body rotates by the angular velocity that its momentum gives it
//! half a step ahead. So a free body keeps its angular momentum to rounding, whatever its inertia.
//!
//! All quantities are in SI units and double precision. The same input gives the same bits; a snapshot holds
//! everything that a step depends on, including the multipliers.

mod articulation;
mod body;
mod build;
mod joint;
mod joint_rows;
mod pose;
mod ragdoll;
mod snapshot;

pub use crate::rigid::articulation::{Articulation, ArticulationReport, ArticulationSettings};
pub use crate::rigid::body::RigidBody;
pub use crate::rigid::build::ArticulationBuilder;
pub use crate::rigid::joint::{Joint, JointKind};
pub use crate::rigid::pose::Pose;
pub use crate::rigid::ragdoll::{Ragdoll, RagdollBodies};
