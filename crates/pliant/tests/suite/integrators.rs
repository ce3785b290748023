//! Contract: integrators have the order they claim, the past that BDF2 needs is dropped where it no
//! longer belongs to the state, pins are where they are told, and explicit solvers say when their
//! steps are too long.

use std::sync::Arc;

use crate::common;
use pliant::mesh::SpringKind;
use pliant::prelude::*;
use pliant::solvers::LIST;
use pliant::{Error, Warning};

/// A mass of 1 kg, started away from rest, drawn to the origin by a spring of rest length zero: each
/// coordinate is `x₀ cos ωt + v₀/ω sin ωt` with ω² = 9 /s², under gravity around `g/ω²`.
fn oscillator() -> Model {
    let mut scene = ModelBuilder::new();
    let body = scene.points(&[[0.3, 0.2, -0.1]], &[1.0]).unwrap();
    scene.velocities_mut(&body)[0] = [0.0, 0.5, 1.0];
    scene.attach(0, [0.0; 3], 9.0);
    scene.build().unwrap()
}

/// Distance of position, and of velocity, from the closed form after one second in `steps` steps.
fn errors(solver: &AnySolver, steps: usize) -> [f64; 2] {
    let solver = solver.clone().with_substeps(1);
    let mut sim = Simulation::<f64>::with_precision(oscillator(), solver).unwrap();
    sim.set_time_step(1.0 / steps as f64).unwrap();
    (0..steps).for_each(|_| drop(sim.step().clone()));
    let (x, v) = (sim.state().positions[0], sim.state().velocities[0]);
    let (sin, cos) = (pliant::math::sin(3.0), pliant::math::cos(3.0));
    let (x0, v0, mid) = ([0.3, 0.2, -0.1], [0.0, 0.5, 1.0], [0.0, -9.81 / 9.0, 0.0]);
    let (mut dx, mut dv) = (0.0, 0.0);
    for c in 0..3 {
        let (a, b) = (x0[c] - mid[c], v0[c] / 3.0);
        dx = f64::max(dx, (x[c] - (mid[c] + a * cos + b * sin)).abs());
        dv = f64::max(dv, (v[c] - 3.0 * (b * cos - a * sin)).abs());
    }
    [dx, dv]
}

#[test]
fn errors_fall_with_the_order_of_the_integrator() {
    // The problem is linear: one local/global iteration solves it.
    let solvers = [
        ("projective", 1),
        ("projective@midpoint", 2),
        ("projective@bdf2", 2),
        ("newton", 1),
        ("newton@midpoint", 2),
        ("newton@bdf2", 2),
        ("explicit", 1),
        ("symplectic", 1),
        ("verlet", 2),
    ];
    for (name, order) in solvers {
        let solver = AnySolver::by_name(name).unwrap();
        let (coarse, fine) = (errors(&solver, 400), errors(&solver, 800));
        // Half the step: half the error at first order, a quarter at second.
        let ratios = [0, 1].map(|k| coarse[k] / fine[k]);
        println!("{name:20} halving the step divides errors by {ratios:.3?}");
        // Measured within 1 %.
        for ratio in ratios {
            let expected = if order == 1 { 2.0 } else { 4.0 };
            let off = (ratio / expected - 1.0).abs();
            assert!(off < 0.05, "{name}: {ratios:?}, errors {coarse:?} {fine:?}");
        }
    }
}

fn bdf2() -> ProjectiveDynamics {
    ProjectiveDynamics { integrator: Integrator::Bdf2, ..Default::default() }
}

/// After the same three steps of BDF2 and a change, both must go on alike.
fn assert_same_run(mut a: Simulation<f64>, mut b: Simulation<f64>, what: &str) {
    for step in 0..3 {
        a.step();
        b.step();
        assert_eq!(a.hash(), b.hash(), "{what}, step {step}");
    }
}

fn after_three(model: &Arc<Model>) -> Simulation<f64> {
    let mut sim = Simulation::with_precision(model.clone(), bdf2()).unwrap();
    (0..3).for_each(|_| drop(sim.step().clone()));
    sim
}

/// A simulation without a past at the positions and velocities of another.
fn fresh(sim: &Simulation<f64>) -> Simulation<f64> {
    let mut fresh = Simulation::with_precision(sim.model().clone(), bdf2()).unwrap();
    fresh.set_time_step(sim.time_step()).unwrap();
    fresh.state_mut().positions.clone_from(&sim.state().positions);
    fresh.state_mut().velocities.clone_from(&sim.state().velocities);
    (fresh.state_mut().step, fresh.state_mut().time) = (sim.state().step, sim.state().time);
    fresh
}

#[test]
fn bdf2_restarts_where_its_history_is_invalid() {
    let model = Arc::new(common::cloth(5));
    // A past is worth something: without it the next step differs.
    let (mut with, mut without) = (after_three(&model), fresh(&after_three(&model)));
    with.step();
    without.step();
    assert!(with.hash() != without.hash());

    let mut sim = after_three(&model);
    sim.state_mut().positions[7][1] += 0.01;
    assert_same_run(fresh(&sim), sim, "a vertex moved by the user");

    let mut sim = after_three(&model);
    sim.state_mut().velocities[7][1] += 0.1;
    assert_same_run(fresh(&sim), sim, "a velocity changed by the user");

    let mut sim = after_three(&model);
    sim.set_time_step(0.01).unwrap();
    assert_same_run(fresh(&sim), sim, "another time step");

    let mut sim = after_three(&model);
    sim.set_solver(Xpbd::default()).unwrap();
    sim.step();
    sim.set_solver(bdf2()).unwrap();
    assert_same_run(fresh(&sim), sim, "a step by another integrator");

    let mut sim = after_three(&model);
    let snapshot = sim.snapshot();
    let mut other = Simulation::with_precision(model.clone(), bdf2()).unwrap();
    other.restore(&snapshot).unwrap();
    assert_eq!(other.snapshot(), snapshot);
    sim.set_time_step(0.01).unwrap();
    other.set_time_step(0.01).unwrap();
    assert_same_run(sim, other, "restored, then another time step");
}

#[test]
fn history_is_kept_per_body() {
    let mut scene = ModelBuilder::new();
    for k in 0..2 {
        let at = [2.0 * k as f64, 0.0, 0.0];
        let cloth = scene.cloth(Grid::square(4).size(1.0).at(at), Fabric::cotton()).unwrap();
        scene.pin(cloth.corner(0));
    }
    let model = Arc::new(scene.build().unwrap());
    let (mut touched, mut untouched) = (after_three(&model), after_three(&model));
    touched.state_mut().positions[3][1] += 0.01;
    for _ in 0..5 {
        touched.step();
        untouched.step();
        assert_eq!(touched.state().positions[16..], untouched.state().positions[16..]);
        assert_ne!(touched.state().positions[..16], untouched.state().positions[..16]);
    }
}

#[test]
fn pins_are_where_they_are_told_under_every_integrator() {
    let spin = Motion::Spin { center: [0.0; 3], axis: [0.0, 0.0, 1.0], rate: 2.0, drift: [0.0; 3] };
    for name in LIST.iter().map(|(n, _)| *n).chain(["newton@midpoint", "newton@bdf2"]) {
        let mut scene = ModelBuilder::new();
        let net = scene.springs(Curtain::new(3), Springs::new(50.0, 1.0)).unwrap();
        let start = scene.positions_mut(&net)[0];
        scene.pin_moving(net.vertex(0), spin.clone());
        let solver = AnySolver::by_name(name).unwrap();
        let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), solver).unwrap();
        for _ in 0..60 {
            sim.step();
            let (x, told) = (sim.state().positions[0], spin.at(start, sim.state().time));
            let gap = (0..3).map(|c| (x[c] - told[c]).abs()).fold(0.0, f64::max);
            // The time is a sum of substeps, hence not quite zero.
            assert!(gap < 1e-12, "{name}: {gap:e}");
        }
        let (v, x) = (sim.state().velocities[0], sim.state().positions[0]);
        let speed = (v[0] * v[0] + v[1] * v[1]).sqrt();
        let exact = 2.0 * (x[0] * x[0] + x[1] * x[1]).sqrt();
        assert!((speed - exact).abs() <= 1e-3 * exact, "{name}: {speed} against {exact}");
    }
}

#[test]
fn explicit_solvers_say_how_many_substeps_they_need() {
    // Two masses of 0.1 kg on a spring: ω² = k (1/m₁ + 1/m₂) = 1000 (10 + 10) = 20,000 /s².
    let model = || {
        let mut scene = ModelBuilder::new();
        scene.gravity([0.0; 3]);
        let positions = vec![[0.0; 3], [1.0, 0.0, 0.0]];
        let (springs, kinds) = (vec![[0, 1]], vec![SpringKind::Structural]);
        let mesh = SpringNetwork { positions, springs, kinds, ..Default::default() };
        let body = scene.springs(mesh, Springs::new(1000.0, 0.2)).unwrap();
        scene.positions_mut(&body)[1][0] = 1.1;
        scene.time_step(0.1);
        scene.build().unwrap()
    };
    // ω = 141.4 /s, and h ω < 2 needs 7.07 substeps of a step of 0.1 s.
    for solver in [Explicit::symplectic(), Explicit::verlet()] {
        let run = |substeps: usize| {
            let solver = Explicit { substeps, ..solver };
            let mut sim = Simulation::<f64>::with_precision(model(), solver).unwrap();
            let first = sim.step().warning();
            let mut worst = 0.0_f64;
            for _ in 0..100 {
                sim.step();
                assert!(
                    !sim.report().warnings.iter().any(|w| matches!(w, Warning::StepTooLong { .. }))
                );
                worst = worst.max(sim.report().total_energy());
            }
            (first, worst)
        };
        assert_eq!(run(4).0, Some(Warning::StepTooLong { substeps: 4, required: 8 }));
        let (warning, worst) = run(8);
        assert_eq!(warning, None);
        // It starts with 5 J. Symplectic Euler keeps E − h v·kx/2, so that E may swing by up to
        // (1 + hω/2)/(1 − hω/2) = 16 times, but does not grow; measured 43 J.
        assert!(worst < 80.0, "{worst}");
    }
    // Explicit Euler: h ≤ 2/(ω² · 1 s) = 1e-4 s, and Gershgorin's bound is exact here.
    let mut sim = Simulation::new(model(), Explicit::default()).unwrap();
    let warning = sim.step().warning();
    assert_eq!(warning, Some(Warning::StepTooLong { substeps: 100, required: 1000 }));
    assert!(warning.unwrap().to_string().contains("at least 1000 substeps"));
}

#[test]
fn what_blows_up_is_set_back_and_told() {
    let mut sim =
        Simulation::new(common::cloth(9), Explicit { substeps: 1, ..Explicit::default() });
    let mut warnings = Vec::new();
    for _ in 0..60 {
        let sim = sim.as_mut().unwrap();
        warnings.extend(sim.step().warnings.iter().copied());
        assert_eq!(common::first_non_finite(sim), None);
    }
    assert!(matches!(warnings[0], Warning::StepTooLong { .. }));
    let set_back =
        |w: &Warning| matches!(w, Warning::Unbounded { .. } | Warning::NonFiniteResult { .. });
    assert!(warnings.iter().any(set_back), "{warnings:?}");
}

#[test]
fn what_a_solver_cannot_honour_is_refused() {
    for name in ["xpbd@midpoint", "pbd@bdf2", "explicit@bdf2", "symplectic@midpoint"] {
        let error = AnySolver::by_name(name).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{name}: {error}");
    }
    assert!(matches!(AnySolver::by_name("newton@leapfrog"), Err(Error::UnknownSolver { .. })));
    assert_eq!(AnySolver::by_name("xpbd@euler").unwrap(), Xpbd::default().into());
    let name = "projective+anderson@bdf2";
    assert_eq!(AnySolver::by_name(name).unwrap().name(), name);
    for solver in [
        AnySolver::from(Newton { integrator: Integrator::Verlet, ..Newton::default() }),
        ProjectiveDynamics { integrator: Integrator::ExplicitEuler, ..Default::default() }.into(),
        Explicit { integrator: Integrator::Bdf2, ..Explicit::default() }.into(),
    ] {
        let error = Simulation::new(common::curtain(3), solver).err();
        assert!(matches!(error, Some(Error::Unsupported { .. })), "{error:?}");
    }
    // Explicit solvers divide by the masses at the vertices.
    let mut scene = ModelBuilder::new();
    scene.mass_model(MassModel::Consistent);
    scene.cloth(Grid::square(3).size(1.0), Fabric::cotton()).unwrap();
    let error = Simulation::new(scene.build().unwrap(), Explicit::default()).err();
    assert!(matches!(error, Some(Error::Unsupported { what: "a consistent mass matrix", .. })));
}
