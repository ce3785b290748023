//! Contract: no input within the types makes a step panic or leaves a number that is not finite.
//! Time steps from a nanosecond to ten seconds, stiffness over eighteen orders, masses over six,
//! and starts that are scrambled, flattened, mirrored or collapsed to a point. A time step that is
//! not a positive number is refused and changes nothing.

use crate::common::{self, all_finite, general_solvers, positions};
use pliant::math::Random;
use pliant::mesh::measure::tet_volume;
use pliant::prelude::*;
use pliant::{Error, Precision};

fn stays_finite<S: Precision>(what: &str, model: Model, solver: AnySolver, steps: usize) {
    let name = solver.name();
    let mut sim = match Simulation::<S>::with_precision(model, solver) {
        Ok(sim) => sim,
        // A matrix beyond the precision is refused before it can do harm.
        Err(Error::NotPositiveDefinite { .. }) => {
            println!("{what}, {name}: refused");
            return;
        }
        Err(error) => panic!("{what}, {name}: {error}"),
    };
    for _ in 0..steps {
        sim.step();
        assert!(all_finite(&sim), "{what}, {name}, step {}", sim.state().step);
    }
}

/// Every second power of ten; all of them with `PLIANT_THOROUGH=1`.
#[test]
fn any_time_step_is_finite_under_every_solver() {
    let mut h = 1e-9;
    while h < 20.0 {
        for scene in ["hanging_cloth", "hanging_cloth_edges", "jelly_block", "strand_pendulum"] {
            let build = pliant_scenes::by_name(scene).unwrap().build;
            for solver in general_solvers() {
                // Newton far from any minimum need not get there.
                let solver = match solver {
                    AnySolver::Newton(n) => Newton { iterations: 5, ..n }.into(),
                    other => other,
                };
                let with = |model: &mut Simulation<f32>| model.set_time_step(h).unwrap();
                let mut sim = Simulation::new(build(4).unwrap(), solver.clone()).unwrap();
                with(&mut sim);
                for _ in 0..5 {
                    sim.step();
                    assert!(all_finite(&sim), "{scene}, h = {h}, {}", solver.name());
                }
                let mut sim = Simulation::<f64>::with_precision(build(4).unwrap(), solver).unwrap();
                sim.set_time_step(h).unwrap();
                for _ in 0..5 {
                    sim.step();
                    assert!(all_finite(&sim), "{scene}, h = {h}, f64");
                }
            }
        }
        h *= if common::thorough() { 10.0 } else { 100.0 };
    }
}

#[test]
fn an_impossible_time_step_is_refused_and_changes_nothing() {
    for solver in general_solvers() {
        let model = || pliant_scenes::hanging_cloth(5).unwrap();
        let mut sim = Simulation::<f64>::with_precision(model(), solver.clone()).unwrap();
        let mut twin = Simulation::<f64>::with_precision(model(), solver).unwrap();
        sim.step();
        twin.step();
        for h in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let refused = sim.set_time_step(h);
            assert!(matches!(refused, Err(Error::TimeStep { .. })), "{h}: {refused:?}");
            assert_eq!(sim.hash(), twin.hash());
            assert_eq!(sim.time_step(), twin.time_step());
        }
        sim.step();
        twin.step();
        assert_eq!(sim.hash(), twin.hash(), "and continues as if nothing had been asked");
    }
}

#[test]
fn any_stiffness_is_finite_under_every_solver() {
    for exponent in (-6..=12).step_by(3) {
        let young = pliant::math::pow(10.0, exponent as f64);
        for solver in general_solvers() {
            let what = format!("E = {young:e}");
            let solid = || {
                let mut scene = ModelBuilder::new();
                let block = TetBlock::new(2, 2, 2).size([0.1; 3]);
                let body = scene.solid(block, Solid::new(1000.0, young, 0.3)).unwrap();
                scene.pin(body.corner(0));
                scene.build().unwrap()
            };
            let cloth = || {
                let mut scene = ModelBuilder::new();
                let mut fabric = Fabric::plate(1000.0, young, 0.3, 1e-3);
                fabric.bend = Bend::Dihedral;
                let body = scene.cloth(Grid::square(5), fabric).unwrap();
                scene.pin(body.corner(0));
                scene.build().unwrap()
            };
            let solver = match solver {
                AnySolver::Newton(n) => Newton { iterations: 5, ..n }.into(),
                other => other,
            };
            for build in [&solid as &dyn Fn() -> Model, &cloth] {
                stays_finite::<f32>(&what, build(), solver.clone(), 20);
                stays_finite::<f64>(&what, build(), solver.clone(), 20);
            }
        }
    }
}

#[test]
fn a_mass_ratio_of_a_million_is_finite_under_every_solver() {
    let heavy = |ratio: f64| {
        let mut scene = ModelBuilder::new();
        let points: Vec<[f64; 3]> = (0..6).map(|i| [0.1 * i as f64, 0.0, 0.0]).collect();
        let masses: Vec<f64> = (0..6).map(|i| if i % 2 == 0 { 1.0 } else { ratio }).collect();
        scene.points(&points, &masses).unwrap();
        let mut springs = pliant::batch::Elements::projective();
        for i in 0..5 {
            springs.push([i, i + 1], 1e4, pliant::elements::Spring { length: 0.1 });
        }
        scene.elements(springs);
        scene.pin(0);
        scene.build().unwrap()
    };
    for ratio in [1e-6, 1e-3, 1e3, 1e6] {
        for solver in general_solvers().into_iter().chain([MassSpring::default().into()]) {
            let what = format!("mass ratio {ratio:e}");
            stays_finite::<f32>(&what, heavy(ratio), solver.clone(), 100);
            stays_finite::<f64>(&what, heavy(ratio), solver, 100);
        }
    }
}

/// Vertices of a block in disorder.
fn disordered(start: &str, p: [f64; 3], i: usize) -> [f64; 3] {
    let mut random = Random::after(3 * i as u64);
    match start {
        "scrambled" => [0; 3].map(|_| random.range(0.0, 1.0)),
        "flattened" => [p[0], 0.0, p[2]],
        "mirrored" => [-p[0], p[1], p[2]],
        "collapsed" => [0.1; 3],
        _ => unreachable!(),
    }
}

/// Tets of negative volume after 300 steps of Projective Dynamics from a disordered start, and the
/// largest distance between vertices over that at rest.
fn inverted<S: Precision>(start: &str, material: Solid) -> (usize, f64) {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let mesh = TetBlock::new(4, 4, 4).size([1.0; 3]).build().unwrap();
    let tets = mesh.tets.clone();
    let body = scene.solid(mesh, material).unwrap();
    for (i, p) in scene.positions_mut(&body).iter_mut().enumerate() {
        *p = disordered(start, *p, i);
    }
    let model = scene.build().unwrap();
    let mut sim = Simulation::<S>::with_precision(model, ProjectiveDynamics::default()).unwrap();
    for _ in 0..300 {
        sim.step();
    }
    let x = positions(&sim);
    let volumes = tets.iter().map(|t| tet_volume(t.map(|v| x[v as usize])));
    (volumes.filter(|v| !(*v > 0.0)).count(), common::diagonal(&x) / 3.0_f64.sqrt())
}

#[test]
fn a_body_recovers_from_any_start() {
    for start in ["scrambled", "flattened", "mirrored", "collapsed"] {
        // A stiff volume term has minima of its own with a few tets inside out, from which it has to
        // stand back (`elements/tet_volume.rs`).
        for poisson in [0.0, 0.3, 0.45] {
            let material = Solid::new(1000.0, 1e5, poisson)
                .damping(Damping { internal: 2.0, ..Damping::default() });
            let (double, size) = inverted::<f64>(start, material);
            let (single, _) = inverted::<f32>(start, material);
            println!("{start}, ν = {poisson}: {double} / {single} inverted, size {size:.3}");
            assert!(double == 0 && single == 0, "{start}, ν = {poisson}");
        }
    }
}
