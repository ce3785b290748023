//! Nanoseconds per element of the sweeps that solvers are made of, scalar and packed, in both
//! precisions, on meshes that stay in cache.
//!
//! `cargo bench -p pliant --bench engine [-- name]`; every time is the least of many. A ratio
//! below 2.5 in single precision, or 1.25 in double, is marked: something was not inlined into
//! the AVX2 wrapper, or the element waits for something else than arithmetic.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use pliant::batch::{AnyBatch, AnyElements, Elements, VertexStencils};
use pliant::elements::{
    Dihedral, EdgeStrain, LaplaceBending, Spring, TetStrain, TetVolume, TriangleStrain,
};
use pliant::math::Random;
use pliant::mesh::measure::{distance, laplace_stencils};
use pliant::mesh::topology;
use pliant::parallel::Exec;
use pliant::prelude::*;
use pliant::simd::{Lanes, Point};
use pliant::{Error, System};

const REPEATS: usize = 400;

/// Elements of one type on a mesh.
struct Case {
    name: &'static str,
    rest: Vec<[f64; 3]>,
    elements: Box<dyn AnyElements>,
}

/// 34 × 34 vertices: 3300 edges, 2200 triangles.
fn sheet_cases(cases: &mut Vec<Case>) -> Result<(), Error> {
    let mesh = Grid::square(34).size(1.0).build()?;
    let at = |v: u32| mesh.positions[v as usize];
    let mut springs = Elements::projective();
    let mut edges = Elements::projective();
    for edge in topology::edges(&mesh) {
        let length = distance(at(edge[0]), at(edge[1]));
        springs.push(edge, 100.0, Spring { length });
        edges.push(edge, 1.0, EdgeStrain { length, limits: [0.99, 1.01] });
    }
    let mut triangles = [Elements::projective(), Elements::projective()];
    for (t, &triangle) in mesh.triangles.iter().enumerate() {
        for (set, limits) in triangles.iter_mut().zip([[1.0, 1.0], [0.99, 1.01]]) {
            set.push(triangle, 1.0, TriangleStrain::new(mesh.triangle_points(t), limits)?.0);
        }
    }
    let mut dihedrals = Elements::constraint();
    for hinge in topology::hinges(&mesh) {
        let v = [hinge.opposite[0], hinge.opposite[1], hinge.edge[0], hinge.edge[1]];
        dihedrals.push(v, 1.0, Dihedral::new(v.map(at)));
    }
    let mut rings = Elements::projective();
    for s in laplace_stencils(&mesh).iter().filter(|s| s.vertices.len() == 7) {
        let coefficients = std::array::from_fn(|k| s.coefficients[k]);
        let ring = LaplaceBending::<7> { coefficients, curvature: 0.0 };
        rings.push(std::array::from_fn(|k| s.vertices[k]), 1e-6, ring);
    }
    let [rotations, limited] = triangles;
    let sets: [(&str, Box<dyn AnyElements>); 6] = [
        ("spring", Box::new(springs)),
        ("edge_strain", Box::new(edges)),
        ("triangle_strain", Box::new(rotations)),
        ("triangle_strain, limits", Box::new(limited)),
        ("dihedral", Box::new(dihedrals)),
        ("laplace_bending 7", Box::new(rings)),
    ];
    for (name, elements) in sets {
        cases.push(Case { name, rest: mesh.positions.clone(), elements });
    }
    Ok(())
}

/// 8 × 8 × 8 cells, 2560 or more tetrahedra.
fn block_cases(cases: &mut Vec<Case>) -> Result<(), Error> {
    let mesh = TetBlock::new(8, 8, 8).size([0.25; 3]).build()?;
    let mut tets = [Elements::projective(), Elements::projective()];
    let mut volumes = Elements::constraint();
    for (t, &tet) in mesh.tets.iter().enumerate() {
        let points = mesh.tet_points(t);
        for (set, limits) in tets.iter_mut().zip([[1.0, 1.0], [0.99, 1.01]]) {
            set.push(tet, 1.0, TetStrain::new(points, limits)?.0);
        }
        volumes.push(tet, 1.0, TetVolume::new(points)?.0);
    }
    let [rotations, limited] = tets;
    let sets: [(&str, Box<dyn AnyElements>); 3] = [
        ("tet_strain", Box::new(rotations)),
        ("tet_strain, limits", Box::new(limited)),
        ("tet_volume", Box::new(volumes)),
    ];
    for (name, elements) in sets {
        cases.push(Case { name, rest: mesh.positions.clone(), elements });
    }
    Ok(())
}

/// The sweeps on one batch.
struct Sweeps<'a, S> {
    batch: &'a dyn AnyBatch<S>,
    stiffness: Vec<S>,
    lambda: Vec<S>,
    start: Vec<Point<S>>,
    x: Vec<Point<S>>,
    y: Vec<Point<S>>,
    corners: Vec<VertexStencils>,
    blocks: Vec<S>,
}

const NAMES: [&str; 5] = ["relax", "relax_compliant", "pull", "energy", "corners"];

impl<'a, S: Precision> Sweeps<'a, S> {
    fn new(batch: &'a dyn AnyBatch<S>, start: Vec<Point<S>>) -> Self {
        let stiffness = vec![S::from_f64(0.5); batch.constraints()];
        let lambda = vec![S::default(); batch.multipliers()];
        let (x, y) = (start.clone(), vec![Point::default(); start.len()]);
        // Nothing moves: all vertices may have one colour.
        let corners = batch.vertex_stencils(&vec![0; start.len()], 1);
        let blocks = vec![S::default(); corners[0].output_len()];
        Self { batch, stiffness, lambda, start, x, y, corners, blocks }
    }

    /// The least time of one sweep, per element [ns]. Every sweep starts from the same positions.
    fn time(&mut self, sweep: usize, lanes: Lanes) -> f64 {
        let exec = Exec::new(1, lanes);
        let mut best = f64::MAX;
        for _ in 0..REPEATS {
            self.x.copy_from_slice(&self.start);
            self.lambda.fill(S::default());
            let start = Instant::now();
            match sweep {
                0 => self.batch.relax(&exec, black_box(&mut self.x), &self.stiffness),
                1 => {
                    let h2 = S::from_f64(1e-4);
                    self.batch.relax_compliant(&exec, black_box(&mut self.x), h2, &mut self.lambda);
                }
                2 => self.batch.add_projective_force(&exec, &self.x, black_box(&mut self.y)),
                3 => _ = black_box(self.batch.energy(&exec, black_box(&self.x))),
                _ => {
                    let blocks = black_box(&mut self.blocks);
                    self.batch.vertex_blocks(&exec, &self.x, &self.corners[0], blocks);
                }
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        best * 1e9 / self.batch.len() as f64
    }
}

/// Every vertex moved by up to a tenth of a cell each way.
fn report<S: Precision>(name: &str, model: &Arc<Model>) {
    let system = System::<S>::new(model.clone());
    let mut random = Random::new(7);
    let mut moved = |c: f64| S::from_f64(c + 0.003 * random.signed_unit());
    let start: Vec<Point<S>> = model
        .rest_positions()
        .iter()
        .zip(&system.inv_mass)
        .map(|(p, &w)| [moved(p[0]), moved(p[1]), moved(p[2]), w])
        .collect();
    let mut sweeps = Sweeps::new(system.batches[0].as_ref(), start);
    let suspicious = if S::PACK == 8 { 2.5 } else { 1.25 };
    print!("{name:24} {}", S::NAME);
    for (i, sweep) in NAMES.iter().enumerate() {
        let scalar = sweeps.time(i, Lanes::Scalar);
        let packed = sweeps.time(i, Lanes::Packed);
        let ratio = scalar / packed;
        let mark = if ratio < suspicious { "!" } else { " " };
        print!("  {sweep} {scalar:6.2}/{packed:5.2} = {ratio:4.1}{mark}");
    }
    println!();
}

fn main() -> Result<(), Error> {
    let only: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let mut cases = Vec::new();
    sheet_cases(&mut cases)?;
    block_cases(&mut cases)?;
    println!("ns per element, scalar/packed = ratio");
    for Case { name, rest, elements } in cases {
        if !only.is_empty() && !only.iter().any(|o| name.contains(o.as_str())) {
            continue;
        }
        let mut scene = ModelBuilder::new();
        scene.points(&rest, &vec![1e-3; rest.len()])?;
        scene.boxed_elements(elements);
        let model = Arc::new(scene.build()?);
        report::<f32>(name, &model);
        report::<f64>(name, &model);
    }
    Ok(())
}
