//! The engine with the dropped cloth, through its public interface, in single precision.

use super::drop::{CONTACT_DISTANCE, Cloth, DT, FRICTION, SOLIDS, Scene};
use super::stopwatch::Stopwatch;
use crate::geometry::Point;
use pliant::prelude::*;

struct Ours(Simulation);

/// Opens the cloth with the default settings of a solver.
pub fn open(scene: &Scene, solver: &str) -> Result<Box<dyn Cloth>, String> {
    simulation(scene, solver).map(|sim| Box::new(Ours(sim)) as _).map_err(|e| e.to_string())
}

fn simulation(scene: &Scene, solver: &str) -> Result<Simulation, pliant::Error> {
    let mut own = ModelBuilder::new();
    let cloth = own.cloth(scene.mesh.clone(), Fabric::cotton())?;
    let material = ContactMaterial {
        friction: FRICTION,
        ..ContactMaterial::of_thickness(2.0 * CONTACT_DISTANCE)
    };
    own.contact_material(&cloth, Some(material.with_self_collision()));
    own.collider(Collider::sphere(SOLIDS.center, SOLIDS.radius).friction(FRICTION));
    own.collider(Collider::plane([0.0; 3], [0.0, 1.0, 0.0]).friction(FRICTION));
    own.time_step(DT);
    let mut sim = Simulation::new(own.build()?, AnySolver::by_name(solver)?)?;
    // The peer computes no energies either.
    sim.set_diagnostics(false);
    Ok(sim)
}

impl Cloth for Ours {
    fn step(&mut self) -> f64 {
        let watch = Stopwatch::start();
        self.0.step();
        watch.ms()
    }

    fn positions(&self) -> Vec<Point> {
        let wide = |p: &[f32; 4]| [p[0], p[1], p[2]].map(f64::from);
        self.0.state().positions.iter().map(wide).collect()
    }
}
