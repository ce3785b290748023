//! A ball and a ground of a rapier world, a cloth of Pliant's: the ball falls into the cloth, which hangs from a
//! frame that rapier moves, and is carried along.

use pliant::prelude::*;
use pliant_rapier::{Error, RapierCoupling};
use rapier3d::prelude as rapier;
use rapier3d::prelude::{ColliderBuilder, RigidBodyBuilder, Vector};

/// Runs the example.
pub fn main() -> Result<(), Error> {
    let mut world = rapier::PhysicsWorld::new();
    world.insert_collider(ColliderBuilder::cuboid(5.0, 0.1, 5.0), None);
    let frame = RigidBodyBuilder::kinematic_velocity_based().linvel(Vector::new(0.3, 0.0, 0.0));
    let frame = world.insert_body(frame);
    let ball = RigidBodyBuilder::dynamic().translation(Vector::new(0.5, 1.3, 0.5));
    let (ball, _) = world.insert(ball, ColliderBuilder::ball(0.1).mass(0.3));

    let mut scene = ModelBuilder::new();
    let sheet = Grid::square(21).size(1.0).at([0.0, 1.0, 0.0]);
    let cloth = scene.cloth(sheet, Fabric::denim())?;
    let mut coupling = RapierCoupling::new(&mut scene, &mut world)?;
    for corner in 0..4 {
        coupling.attach(&mut scene, cloth.corner(corner), frame)?;
    }

    let mut sim = Simulation::new(scene.build()?, Xpbd::default())?;
    for step in 1..=180 {
        coupling.step(&mut sim, &mut world)?;
        if step % 60 == 0 {
            let at = world.bodies[ball].translation();
            println!("{:.0} s: the ball is at {:.2}, {:.2} m", sim.state().time, at.x, at.y);
        }
    }
    assert!(world.bodies[ball].translation().x > 0.9, "it goes along");
    assert!(world.bodies[ball].translation().y > 0.4, "it does not reach the ground");
    Ok(())
}
