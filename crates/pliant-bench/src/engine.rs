//! The engine on the workloads, through its public interface, in single precision.
//!
//! | workload | run |
//! |---|---|
//! | local/global | one solve of Projective Dynamics with that many iterations |
//! | projections | that many solves of PBD with one iteration: stiffness is per sweep, as in pypbd |
//! | whole steps | one step of a simulation: XPBD, that many substeps of one iteration |
//!
//! The steps use the peer's material: the sheet's edges have its natural frequency, the block its Young's
//! modulus and Poisson's ratio. Energies are not reported, as the peer does not compute them.

use crate::geometry::Point;
use crate::measure::length;
use crate::runner::Runner;
use crate::workload::{GRAVITY, Kind, Workload};
use pliant::batch::Elements;
use pliant::contact::ContactSet;
use pliant::elements::{
    Dihedral, GreenMeasure, Spring, TetGreen, TetStrain, TetVolume, TriangleGreen,
};
use pliant::parallel::Exec;
use pliant::prelude::*;
use pliant::simd::Lanes;
use pliant::solvers::{PreparedSolver, Problem};
use pliant::{Error, System};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Instant;

/// Natural frequency of the sheet's edges in whole steps \[Hz\].
pub const EDGE_FREQUENCY: f64 = 1.0e3;

/// Poisson's ratio of the block in whole steps.
pub const POISSON: f64 = 0.3;

/// Strain functions that pypbd is configured with: plain stretch, normalised shear.
const MEASURE: GreenMeasure = GreenMeasure { plain_stretch: true, plain_shear: false };

/// Opens the engine on a workload.
pub fn engine(workload: &Workload, threads: usize) -> Result<Box<dyn Runner>, Error> {
    Ok(if workload.is_step() {
        Box::new(Steps::new(workload, threads)?)
    } else {
        Box::new(Solves::new(workload, threads)?)
    })
}

/// Model of a workload: rest positions, pins and elements.
fn model(workload: &Workload) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let mass = |&w: &f64| if w > 0.0 { 1.0 / w } else { 1.0 };
    let masses: Vec<f64> = workload.inv_mass.iter().map(mass).collect();
    let body = scene.points(&workload.rest, &masses)?;
    for (v, _) in workload.inv_mass.iter().enumerate().filter(|&(_, &w)| w == 0.0) {
        scene.pin(body.vertex(v));
    }
    scene.gravity([0.0, GRAVITY, 0.0]);
    scene.time_step(workload.h);
    match workload.kind {
        Kind::Rotations => add_cells(&mut scene, workload, workload.stiffness, 0.0)?,
        Kind::StepBlock => {
            let solid = Solid::new(1000.0, workload.stiffness, POISSON);
            add_cells(&mut scene, workload, solid.strain_weight(), solid.volume_weight())?;
        }
        Kind::StrainTriangles | Kind::StrainTets => add_strain(&mut scene, workload)?,
        _ => add_edges(&mut scene, workload),
    }
    let mut bends = Elements::constraint();
    for &[a, b, c, d] in &workload.dihedrals {
        let vertices = [c, d, a, b];
        bends.push(vertices, 1.0, Dihedral::new(vertices.map(|v| workload.rest[v as usize])));
    }
    scene.elements(bends.pbd_stiffness(Some(workload.bend_stiffness)));
    scene.build()
}

/// Adds springs along the edges: at full stiffness for projections, with a given frequency for whole steps.
fn add_edges(scene: &mut ModelBuilder, workload: &Workload) {
    let frequency = 2.0 * std::f64::consts::PI * EDGE_FREQUENCY;
    let mut springs = Elements::projective();
    for &edge in &workload.edges {
        let inv_mass: f64 = edge.iter().map(|&v| workload.inv_mass[v as usize]).sum();
        let weight = match workload.kind {
            Kind::StepSheet => frequency * frequency / inv_mass,
            _ => workload.stiffness,
        };
        springs.push(edge, weight, Spring { length: length(&workload.rest, edge) });
    }
    scene.elements(springs.pbd_stiffness(Some(1.0)));
}

/// Adds tetrahedra with these weights of strain and volume \[Pa\].
fn add_cells(
    scene: &mut ModelBuilder,
    workload: &Workload,
    strain_weight: f64,
    volume_weight: f64,
) -> Result<(), Error> {
    let mut strain = Elements::projective();
    let mut volumes = Elements::constraint();
    for &tet in &workload.tets {
        let rest = tet.map(|v| workload.rest[v as usize]);
        let (element, volume) = TetStrain::new(rest, [1.0, 1.0])?;
        strain.push(tet, strain_weight * volume, element);
        if volume_weight > 0.0 {
            let (element, volume) = TetVolume::new(rest)?;
            volumes.push(tet, volume_weight * volume, element);
        }
    }
    scene.elements(strain);
    scene.elements(volumes);
    Ok(())
}

/// Adds the entries of Green's strain at full stiffness.
fn add_strain(scene: &mut ModelBuilder, workload: &Workload) -> Result<(), Error> {
    const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut triangles = Elements::constraint();
    let mut tets = Elements::constraint();
    if workload.kind == Kind::StrainTriangles {
        for &triangle in &workload.triangles {
            let rest = triangle.map(|v| workload.rest[v as usize]);
            let (element, _) =
                TriangleGreen::new(rest, Some(AXES[0]), [1.0; 2], [1.0; 3], MEASURE)?;
            triangles.push(triangle, 1.0, element);
        }
    } else {
        for &tet in &workload.tets {
            let rest = tet.map(|v| workload.rest[v as usize]);
            let (element, _) = TetGreen::new(rest, AXES, [1.0; 3], [1.0; 6], MEASURE)?;
            tets.push(tet, 1.0, element);
        }
    }
    scene.elements(triangles.pbd_stiffness(Some(1.0)));
    scene.elements(tets.pbd_stiffness(Some(1.0)));
    Ok(())
}

/// A solver applied to given positions, without integration.
struct Solves {
    system: System<f32>,
    exec: Exec,
    h: f64,
    start: Vec<[f32; 4]>,
    x: Vec<[f32; 4]>,
    /// True for local/global solves, whose solvers are prepared for the requested number of iterations and
    /// kept; projections are repeated solves of one iteration.
    local_global: bool,
    solvers: BTreeMap<u32, Box<dyn PreparedSolver<f32>>>,
}

impl Solves {
    fn new(workload: &Workload, threads: usize) -> Result<Self, Error> {
        let system = System::new(Arc::new(model(workload)?));
        let place = |(p, &w): (&Point, &f32)| [p[0] as f32, p[1] as f32, p[2] as f32, w];
        let start: Vec<[f32; 4]> = workload.start.iter().zip(&system.inv_mass).map(place).collect();
        let mut solves = Self {
            system,
            exec: Exec::new(threads, Lanes::Packed),
            h: workload.h,
            x: start.clone(),
            start,
            local_global: workload.is_local_global(),
            solvers: BTreeMap::new(),
        };
        let first = solves.prepare(workload.iterations)?;
        solves.solvers.insert(workload.iterations, first);
        Ok(solves)
    }

    fn prepare(&self, iterations: u32) -> Result<Box<dyn PreparedSolver<f32>>, Error> {
        if self.local_global {
            let iterations = iterations as usize;
            return ProjectiveDynamics { iterations, ..Default::default() }.prepare(
                &self.system,
                self.h,
                &self.exec,
            );
        }
        Pbd { iterations: 1, ..Default::default() }.prepare(&self.system, self.h, &self.exec)
    }
}

impl Runner for Solves {
    fn name(&self) -> &'static str {
        "pliant"
    }

    fn precision(&self) -> &'static str {
        "f32"
    }

    fn reset(&mut self) -> io::Result<()> {
        self.x.copy_from_slice(&self.start);
        Ok(())
    }

    fn run(&mut self, iterations: u32) -> io::Result<f64> {
        if !self.solvers.contains_key(&iterations) {
            let prepared = self.prepare(iterations).map_err(io::Error::other)?;
            self.solvers.insert(iterations, prepared);
        }
        let Self { system, exec, h, start, x, local_global, solvers: steppers } = self;
        let Some(prepared) = steppers.get_mut(&iterations) else {
            return Err(io::Error::other("no solver was prepared"));
        };
        let solves = if *local_global { 1 } else { iterations };
        let begin = Instant::now();
        exec.install(|| {
            for _ in 0..solves {
                let contacts = &mut ContactSet::default();
                let problem = &mut Problem {
                    system,
                    exec,
                    h: *h,
                    previous: start,
                    predicted: start,
                    x,
                    contacts,
                };
                prepared.solve(problem);
            }
        });
        Ok(begin.elapsed().as_secs_f64() * 1e3)
    }

    fn positions(&mut self) -> io::Result<Vec<Point>> {
        Ok(widened(&self.x))
    }
}

/// A simulation of whole steps.
struct Steps {
    sim: Simulation,
}

impl Steps {
    fn new(workload: &Workload, threads: usize) -> Result<Self, Error> {
        let mut sim = Simulation::new(model(workload)?, solver(workload.iterations))?;
        sim.set_threads(threads);
        sim.set_diagnostics(false);
        Ok(Self { sim })
    }
}

fn solver(substeps: u32) -> Xpbd {
    Xpbd::new(1, substeps as usize)
}

impl Runner for Steps {
    fn name(&self) -> &'static str {
        "pliant"
    }

    fn precision(&self) -> &'static str {
        "f32"
    }

    fn whole_steps(&self) -> bool {
        true
    }

    fn reset(&mut self) -> io::Result<()> {
        self.sim.reset();
        Ok(())
    }

    fn run(&mut self, iterations: u32) -> io::Result<f64> {
        self.sim.set_solver(solver(iterations)).map_err(io::Error::other)?;
        let begin = Instant::now();
        self.sim.step();
        let elapsed = begin.elapsed().as_secs_f64() * 1e3;
        match self.sim.report().warning() {
            Some(warning) => Err(io::Error::other(warning.to_string())),
            None => Ok(elapsed),
        }
    }

    fn positions(&mut self) -> io::Result<Vec<Point>> {
        Ok(widened(&self.sim.state().positions))
    }

    fn note(&self) -> String {
        "XPBD".to_owned()
    }
}

fn widened(x: &[[f32; 4]]) -> Vec<Point> {
    x.iter().map(|p| [f64::from(p[0]), f64::from(p[1]), f64::from(p[2])]).collect()
}
