//! Contract: tethers keep a large cloth from stretching under few iterations of any solver, pull where
//! they are taut and never push, and are refused where nothing is held.

use crate::common::{self, norm, positions, run, sub};
use pliant::Error;
use pliant::mesh::topology;
use pliant::prelude::*;

/// A square metre of cotton held by its first row, horizontal at first.
fn curtain(n: usize, tethers: Option<Tethers>) -> Model {
    let mut scene = ModelBuilder::new();
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let fabric = Fabric { tethers, damping, ..Fabric::cotton() };
    let cloth = scene.cloth(Grid::square(n).size(1.0), fabric).unwrap();
    (0..n).for_each(|v| scene.pin(cloth.vertex(v)));
    scene.build().unwrap()
}

/// Elongation of the hanging curtain, and the largest stretch of an edge.
fn stretch(sim: &Simulation<f32>, n: usize) -> [f64; 2] {
    let (x, rest) = (positions(sim), sim.model().rest_positions());
    let lowest = x.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
    let mesh = Grid::square(n).size(1.0).build().unwrap();
    let of = |[a, b]: [u32; 2]| {
        let (a, b) = (a as usize, b as usize);
        norm(sub(x[a], x[b])) / norm(sub(rest[a], rest[b])) - 1.0
    };
    [-lowest - 1.0, topology::edges(&mesh).into_iter().map(of).fold(0.0, f64::max)]
}

fn hung(n: usize, tethers: Option<Tethers>, solver: AnySolver) -> [f64; 2] {
    let mut sim = Simulation::new(curtain(n, tethers), solver).unwrap();
    sim.set_diagnostics(false);
    run(&mut sim, 300);
    stretch(&sim, n)
}

#[test]
fn ten_sweeps_hold_a_large_cloth_with_tethers() {
    let solver = || Pbd { iterations: 10, ..Pbd::default() }.into();
    let with = hung(64, Some(Tethers::default()), solver());
    let without = hung(64, None, solver());
    println!("longer by {with:.4?} with tethers, {without:.2?} without (whole, worst edge)");
    assert!(with[0] < 0.03, "{with:?}");
    assert!(without[0] > 10.0 * with[0].max(0.01), "{without:?}");
}

#[test]
fn every_solver_runs_tethers() {
    for solver in common::general_solvers() {
        let name = solver.name();
        let with = hung(12, Some(Tethers { per_vertex: 2, ..Tethers::default() }), solver.clone());
        let without = hung(12, None, solver);
        println!("{name}: longer by {with:.4?} with tethers, {without:.4?} without");
        assert!(with[0] <= without[0] + 1e-3 && with[0] < 0.03, "{name}: {with:?}, {without:?}");
    }
}

/// A rope held at its start, its end brought near: slack everywhere.
fn slack_rope(tethers: Option<Tethers>) -> Model {
    let mut scene = ModelBuilder::new();
    // So limp and soft that local/global iterations converge.
    let thread = Thread { tethers, ..Thread::new(1000.0, 1e5, 2e-4) };
    let rope = scene.strand(Strand::new(33).length(1.0), thread).unwrap();
    for (i, p) in scene.positions_mut(&rope).iter_mut().enumerate() {
        // A zigzag, every segment at its length.
        let half = 0.5 / 32.0;
        *p = [half * i as f64, if i % 2 == 0 { 0.0 } else { 3f64.sqrt() * half }, 0.0];
    }
    scene.pin(rope.vertex(0));
    scene.build().unwrap()
}

#[test]
fn a_tether_never_pushes() {
    for solver in common::general_solvers() {
        let name = solver.name();
        // Local/global iterations feel slack tethers until they have converged.
        let solver = if name == "projective" { solver.with_iterations(1000) } else { solver };
        // Beside the pin a tether is as long as the edge: with slack, it is no second edge.
        let loose = Tethers { slack: 1.2, ..Tethers::default() };
        let ends = [None, Some(loose)].map(|tethers| {
            let mut sim =
                Simulation::<f64>::with_precision(slack_rope(tethers), solver.clone()).unwrap();
            run(&mut sim, 5);
            positions(&sim)
        });
        let gap = ends[0].iter().zip(&ends[1]).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max);
        println!("{name}: slack tethers move a falling rope by {gap:.1e} m");
        // Measured 2.3e-11 for local/global iterations, else rounding.
        assert!(gap < 1e-9, "{name}: {gap:e}");
    }
}

#[test]
fn energy_only_falls() {
    let solver = Pbd { iterations: 10, ..Pbd::default() };
    let mut sim = Simulation::new(curtain(24, Some(Tethers::default())), solver).unwrap();
    let mut worst = 0.0_f64;
    let mut last = f64::INFINITY;
    for _ in 0..240 {
        let report = sim.step();
        assert_eq!(report.warning(), None);
        let energy = report.kinetic_energy + report.potential_energy;
        worst = worst.max(energy - last);
        last = energy;
    }
    println!("energy rose by {worst:.1e} J at most in a step");
    assert!(worst < 1e-3, "{worst:e}");
}

#[test]
fn tethers_without_anything_held_are_refused() {
    let mut scene = ModelBuilder::new();
    let fabric = Fabric::cotton().tethered(Tethers::default());
    let cloth = scene.cloth(Grid::square(4).size(1.0), fabric).unwrap();
    scene.name(&cloth, "sail");
    let error = scene.build().unwrap_err();
    assert_eq!(error, Error::NoPinnedVertex { body: "sail".to_owned() });
    assert!(error.to_string().contains("pin a vertex"));
    for bad in [
        Tethers { slack: 0.9, ..Tethers::default() },
        Tethers { slack: f64::NAN, ..Tethers::default() },
        Tethers { per_vertex: 0, ..Tethers::default() },
        Tethers { stiffness: Some(-1.0), ..Tethers::default() },
    ] {
        let mut scene = ModelBuilder::new();
        let found = scene.springs(Curtain::new(4), Springs::new(1.0, 1.0).tethered(bad));
        assert!(matches!(found, Err(Error::Quantity { name: "springs", .. })), "{found:?}");
    }
}
