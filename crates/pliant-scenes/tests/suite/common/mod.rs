//! Helpers of the contracts: sums over states.
#![allow(dead_code)]

pub mod intersections;

use pliant::ImplicitStep;
use pliant::elements::{GreenMeasure, TriangleGreen, warp_direction};
pub use pliant::math::point::{cross, norm, sub};
use pliant::mesh::TriMesh;
use pliant::prelude::*;

/// Newton's method as far as rounding lets it go.
pub fn exact_newton() -> Newton {
    Newton { iterations: 200, tolerance: 1e-14, ..Newton::default() }
}

/// Every solver that runs every element, with its default settings.
pub fn general_solvers() -> [AnySolver; 7] {
    [
        ProjectiveDynamics::default().into(),
        Xpbd::default().into(),
        Vbd::default().into(),
        Pbd::default().into(),
        Constrained::default().into(),
        Hpbd::default().into(),
        Newton::default().into(),
    ]
}

/// The steps at five frames of a run.
pub fn five_steps(model: Model, frames: usize) -> Vec<ImplicitStep<f64>> {
    let solver = ProjectiveDynamics { iterations: 100, ..Default::default() };
    let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
    let step = |_| {
        run(&mut sim, frames / 5);
        ImplicitStep::from_simulation(&mut sim)
    };
    (0..5).map(step).collect()
}

/// A block whose vertices are thrown about, in one of four ways.
pub fn scrambled_block(start: usize) -> Model {
    scrambled_block_of(start, Solid::new(1000.0, 1e6, 0.3)).0
}

/// The same of any material, and its tetrahedra.
pub fn scrambled_block_of(start: usize, material: Solid) -> (Model, Vec<[u32; 4]>) {
    let mut scene = ModelBuilder::new();
    let mesh = TetBlock::new(3, 3, 3).size([1.0; 3]).build().unwrap();
    let tets = mesh.tets.clone();
    let body = scene.solid(mesh, material).unwrap();
    for (i, p) in scene.positions_mut(&body).iter_mut().enumerate() {
        let noise = |k: usize| ((i * 7919 + k * 104_729 + 1) * 1_000_003 % 1009) as f64 / 1009.0;
        *p = match start {
            0 => [noise(0), noise(1), noise(2)],
            1 => [p[0], 0.0, p[2]],
            2 => [-p[0], p[1], p[2]],
            _ => [100.0 * noise(3), p[1], -50.0 * noise(4)],
        };
    }
    (scene.build().unwrap(), tets)
}

/// True if everything is run, at greater length: `PLIANT_THOROUGH=1`.
pub fn thorough() -> bool {
    std::env::var_os("PLIANT_THOROUGH").is_some()
}

/// Takes steps; panics on a warning, which a test that calls this does not expect.
pub fn run<S: Precision>(sim: &mut Simulation<S>, steps: usize) {
    for _ in 0..steps {
        if let Some(warning) = sim.step().warning() {
            panic!("{}, step {}: {warning}", sim.solver().name(), sim.state().step);
        }
    }
}

/// Positions in double precision.
pub fn positions<S: Precision>(sim: &Simulation<S>) -> Vec<[f64; 3]> {
    sim.state().positions.iter().map(|p| [0, 1, 2].map(|c| p[c].to_f64())).collect()
}

/// Velocities in double precision.
pub fn velocities<S: Precision>(sim: &Simulation<S>) -> Vec<[f64; 3]> {
    sim.state().velocities.iter().map(|p| [0, 1, 2].map(|c| p[c].to_f64())).collect()
}

/// True if every position and velocity is finite.
pub fn all_finite<S: Precision>(sim: &Simulation<S>) -> bool {
    positions(sim).iter().chain(&velocities(sim)).flatten().all(|c| c.is_finite())
}

/// Linear momentum [kg m/s].
pub fn momentum<S: Precision>(sim: &Simulation<S>) -> [f64; 3] {
    let v = velocities(sim);
    let m = sim.model().masses();
    [0, 1, 2].map(|c| v.iter().zip(m).map(|(v, m)| m * v[c]).sum())
}

/// Angular momentum about the origin [kg m²/s].
pub fn angular_momentum<S: Precision>(sim: &Simulation<S>) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let m = sim.model().masses();
    for ((x, v), m) in positions(sim).iter().zip(velocities(sim)).zip(m) {
        let l = cross(*x, v);
        (0..3).for_each(|c| sum[c] += m * l[c]);
    }
    sum
}

/// The largest distance between vertices of the same number \[m\].
pub fn farthest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    a.iter().zip(b).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max)
}

/// The diagonal of the bounding box \[m\].
pub fn diagonal(x: &[[f64; 3]]) -> f64 {
    let side = |c: usize| {
        let low = x.iter().map(|p| p[c]).fold(f64::MAX, f64::min);
        x.iter().map(|p| p[c]).fold(f64::MIN, f64::max) - low
    };
    norm([side(0), side(1), side(2)])
}

/// The lowest height \[m\].
pub fn lowest(x: &[[f64; 3]]) -> f64 {
    x.iter().map(|p| p[1]).fold(f64::MAX, f64::min)
}

/// Numbers to two digits, for messages.
pub fn brief(values: &[f64]) -> String {
    values.iter().map(|v| format!("{v:.1e}")).collect::<Vec<_>>().join(", ")
}

/// Mean stretch along u and v and mean shear of all triangles, by area.
pub fn strains(mesh: &TriMesh, x: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let mut total = 0.0;
    let uvs = mesh.uvs.as_ref().unwrap();
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let warp = warp_direction(mesh.triangle_points(t), triangle.map(|v| uvs[v as usize]));
        let (element, area) = TriangleGreen::new(
            mesh.triangle_points(t),
            warp,
            [1.0; 2],
            [1.0; 3],
            GreenMeasure::default(),
        )
        .unwrap();
        let p = triangle.map(|v| x[v as usize]);
        let edge = |k: usize| [0, 1, 2].map(|c| p[k][c] - p[0][c]);
        let axis = |b: [f64; 2]| [0, 1, 2].map(|c| b[0] * edge(1)[c] + b[1] * edge(2)[c]);
        let [f, g] = element.inverse.map(axis);
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (lf, lg) = (dot(f, f).sqrt(), dot(g, g).sqrt());
        for (sum, value) in sum.iter_mut().zip([lf - 1.0, lg - 1.0, (dot(f, g) / (lf * lg)).abs()])
        {
            *sum += area * value;
        }
        total += area;
    }
    sum.map(|s| s / total)
}
