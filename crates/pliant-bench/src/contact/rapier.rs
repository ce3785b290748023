//! rapier3d's soft bodies with the dropped cloth: its cloth, with self-contact and all its default settings.

use super::drop::{CONTACT_DISTANCE, Cloth, DT, FRICTION, SIDE, SIZE, SOLIDS, Scene};
use super::stopwatch::Stopwatch;
use crate::geometry::Point;
use rapier3d::prelude::*;

struct Rapier {
    world: PhysicsWorld,
    body: SoftBodyHandle,
}

/// Opens the cloth in a new world.
pub fn open(scene: &Scene) -> Result<Box<dyn Cloth>, String> {
    let mut world = PhysicsWorld::new();
    world.integration_parameters.dt = DT as f32;
    let friction = FRICTION as f32;
    let center = SOLIDS.center.map(|c| c as f32);
    let ball = ColliderBuilder::ball(SOLIDS.radius as f32)
        .translation(Vector::new(center[0], center[1], center[2]));
    world.insert_collider(ball.friction(friction), None);
    let up = rapier3d::na::Unit::new_unchecked(Vector::Y);
    world.insert_collider(ColliderBuilder::halfspace(up).friction(friction), None);
    let vector = |p: &Point| Vector::new(p[0] as f32, p[1] as f32, p[2] as f32);
    let step = (SIZE / (SIDE - 1) as f64) as f32;
    // Row by row along z, as in our grid, so vertices have the same indices.
    let origin = vector(&scene.mesh.positions[0]);
    let cloth = SoftBodyBuilder::cloth(origin, Vector::Z * step, Vector::X * step, SIDE, SIDE)
        .positions(scene.mesh.positions.iter().map(vector).collect())
        .surface(scene.mesh.triangles.clone())
        .masses(scene.masses.iter().map(|&m| m as f32).collect())
        .particle_radius(CONTACT_DISTANCE as f32)
        .self_contacts(true)
        .surface_collider(ColliderBuilder::ball(CONTACT_DISTANCE as f32).friction(friction));
    let body = world.insert_soft_body(cloth);
    Ok(Box::new(Rapier { world, body }))
}

impl Cloth for Rapier {
    fn step(&mut self) -> f64 {
        let watch = Stopwatch::start();
        self.world.step();
        watch.ms()
    }

    fn positions(&self) -> Vec<Point> {
        let point = |p: Vector| [p.x, p.y, p.z].map(f64::from);
        self.world.soft_bodies[self.body].particle_positions().map(point).collect()
    }
}
