//! A rapier world and a Pliant simulation, side by side: what is rigid stays in rapier, what is soft in Pliant, and
//! they collide and hold each other.
//!
//! | rapier's body | in the simulation | who moves whom |
//! |---|---|---|
//! | fixed, or a collider without a body | a collider | it stands |
//! | kinematic, or dynamic with locked axes | a rigid body on pins that follow it through the step | it moves what is soft |
//! | dynamic | a rigid body with the same mass, centre and inertia | each moves the other |
//!
//! A step goes first through Pliant, then through rapier:
//!
//! ```text
//! lead      the simulation's rigid bodies are sent to where rapier's will be
//! step      of the simulation: contacts and attachments act on both sides, implicitly
//! answer    what momentum the rigid bodies gained there, linear and angular, is given to rapier's
//! step      of the world
//! ```
//!
//! Rapier alone keeps rigid things apart: in the simulation they pass through each other. What its own contacts
//! and joints do to a body is expected to be what they last did (`expected.rs`), so that a box on rapier's ground
//! holds up a cloth on it.
//!
//! ```
//! use pliant::prelude::*;
//! use pliant_rapier::Link;
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
//! let mut link = Link::new(&mut scene, &mut world)?;
//!
//! let mut sim = Simulation::new(scene.build()?, Xpbd::default())?;
//! for _ in 0..60 {
//!     link.step(&mut sim, &mut world)?;
//! }
//! assert!(world.bodies[ball].translation().y > -0.2);
//! # Ok(())
//! # }
//! ```
//!
//! Not here: bodies and colliders that come into the world after the link was made, collision groups, and rapier's
//! own soft bodies. A body with several colliders rubs as the first of them does.

mod error;
mod expected;
mod link;
mod place;
mod shape;
mod vector;
mod ward;

pub use error::Error;
pub use link::Link;
