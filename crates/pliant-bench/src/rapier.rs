//! rapier3d's soft bodies as a peer, in this process and on one thread.
//!
//! The sheet uses distance edges, the block corotational cells; there are no collisions and no sleeping. A
//! solver iteration of rapier is a substep: it integrates, and sweeps the constraints once with and once
//! without bias. The benchmark counts it as one iteration. (Ten sweeps in one substep cost a third, but the
//! sheet stretched twelvefold, which is not the same work.)

use crate::engine::{EDGE_FREQUENCY, POISSON};
use crate::geometry::Point;
use crate::runner::Runner;
use crate::workload::{GRAVITY, Kind, Workload};
use rapier3d::prelude::*;
use std::io;
use std::time::Instant;

/// A rapier world with one soft body.
pub struct Rapier {
    builder: SoftBodyBuilder,
    h: f64,
    world: PhysicsWorld,
    body: SoftBodyHandle,
}

impl Rapier {
    /// Creates the world of a workload of whole steps.
    pub fn new(workload: &Workload) -> Option<Self> {
        let vector = |p: &Point| Vector::new(p[0] as f32, p[1] as f32, p[2] as f32);
        let masses = workload.inv_mass.iter().map(|&w| if w > 0.0 { 1.0 / w } else { 1.0 } as f32);
        let pinned = (0_u32..).zip(&workload.inv_mass).filter(|&(_, &w)| w == 0.0).map(|(i, _)| i);
        let builder = SoftBodyBuilder::new(workload.rest.iter().map(vector).collect())
            .masses(masses.collect())
            .pinned_particles(pinned)
            .additional_pgs_iterations(0)
            .no_surface_collider()
            .can_sleep(false);
        let builder = match workload.kind {
            Kind::StepSheet => {
                let softness = SpringCoefficients::new(EDGE_FREQUENCY as f32, 1.0);
                builder.edges(workload.edges.clone()).softness(softness)
            }
            Kind::StepBlock => builder
                .cells(workload.tets.clone())
                .cell_model(SoftBodyCellModel::Corotational)
                .material(SoftBodyMaterial {
                    young_modulus: workload.stiffness as f32,
                    poisson_ratio: POISSON as f32,
                    ..Default::default()
                }),
            _ => return None,
        };
        let (world, body) = world(&builder, workload.h);
        Some(Self { builder, h: workload.h, world, body })
    }
}

/// Creates a new world that contains the body. Extra substeps for fast particles are disabled, so that the
/// number of iterations is the requested one.
fn world(builder: &SoftBodyBuilder, h: f64) -> (PhysicsWorld, SoftBodyHandle) {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, GRAVITY as f32, 0.0);
    world.integration_parameters.dt = h as f32;
    world.integration_parameters.num_solver_iterations = 1;
    world.integration_parameters.soft_bodies.max_extra_substeps = 0;
    let body = world.insert_soft_body(builder.clone());
    (world, body)
}

impl Runner for Rapier {
    fn name(&self) -> &'static str {
        "rapier3d"
    }

    fn precision(&self) -> &'static str {
        "f32"
    }

    fn whole_steps(&self) -> bool {
        true
    }

    fn reset(&mut self) -> io::Result<()> {
        (self.world, self.body) = world(&self.builder, self.h);
        Ok(())
    }

    fn run(&mut self, iterations: u32) -> io::Result<f64> {
        self.world.integration_parameters.num_solver_iterations = iterations as usize;
        let start = Instant::now();
        self.world.step();
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }

    fn positions(&mut self) -> io::Result<Vec<Point>> {
        let body = &self.world.soft_bodies[self.body];
        let point = |p: Vector| [f64::from(p.x), f64::from(p.y), f64::from(p.z)];
        Ok(body.particle_positions().map(point).collect())
    }

    fn note(&self) -> String {
        let body = &self.world.soft_bodies[self.body];
        format!("{} edges, {} cells", body.edges().len(), body.cells().len())
    }
}
