//! Two-way coupling of a rapier world and a Pliant simulation: rapier simulates the rigid bodies and Pliant the
//! soft bodies; they collide and can be attached to each other.
//!
//! | rapier's body | in the simulation | coupling |
//! |---|---|---|
//! | fixed, or a collider without a body | a collider | static |
//! | kinematic, or dynamic with locked axes | a rigid body on pins that follow it through the step | one-way |
//! | dynamic | a rigid body with the same mass, centre and inertia | two-way |
//!
//! A step first advances Pliant, then rapier:
//!
//! ```text
//! drive proxies     the simulation's rigid bodies are driven to the predicted poses of rapier's
//! step              of the simulation: contacts and attachments act on both sides, implicitly
//! apply reactions   the linear and angular momentum that the rigid bodies gained is applied to rapier's
//! step              of the world
//! ```
//!
//! Collisions between rigid bodies are handled by rapier alone: in the simulation they pass through each other.
//! The estimate of the reactions of rapier's own contacts and joints is based on their latest values
//! (`reaction_estimate.rs`), so that a box on rapier's ground supports a cloth on top of it.
//!
//! ```
//! use pliant::prelude::*;
//! use pliant_rapier::RapierCoupling;
//! use rapier3d::prelude as rapier;
//!
//! # fn main() -> Result<(), pliant_rapier::Error> {
//! let mut world = rapier::PhysicsWorld::new();
//! let ball = rapier::RigidBodyBuilder::dynamic().translation(rapier::Vector::new(0.5, 0.3, 0.5));
//! let (ball, _) = world.insert(ball, rapier::ColliderBuilder::ball(0.1).density(100.0));
//!
//! let mut scene = ModelBuilder::new();
//! let cloth = scene.cloth(Grid::square(12).size(1.0), Fabric::denim())?;
//! (0..4).for_each(|corner| scene.pin(cloth.corner(corner)));
//! let mut coupling = RapierCoupling::new(&mut scene, &mut world)?;
//!
//! let mut sim = Simulation::new(scene.build()?, Xpbd::default())?;
//! for _ in 0..60 {
//!     coupling.step(&mut sim, &mut world)?;
//! }
//! assert!(world.bodies[ball].translation().y > -0.2);
//! # Ok(())
//! # }
//! ```
//!
//! Not supported: bodies and colliders added to the world after the coupling was made, collision groups, and
//! rapier's own soft bodies. A body with several colliders uses the friction of the first.

mod coupling;
mod error;
mod isometry;
mod proxy;
mod reaction_estimate;
mod shape;
mod vector;

pub use coupling::RapierCoupling;
pub use error::Error;
