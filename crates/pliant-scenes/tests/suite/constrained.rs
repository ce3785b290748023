//! Contract of constrained dynamics: what is infinitely stiff does not stretch, the three ways of
//! solving agree, more iterations lead to Newton's minimiser, geometric stiffness keeps a loaded
//! chain from flying apart, redundant constraints change nothing, inequalities only push.

use crate::common::{
    brief, exact_newton, farthest, momentum, norm, positions, run, sub, velocities,
};
use pliant::ImplicitStep;
use pliant::batch::Elements;
use pliant::element::{Constraint, ConstraintKind};
use pliant::elements::Spring;
use pliant::linalg::SaddleMethod;
use pliant::math::{Real, Vec3};
use pliant::prelude::*;

const LINK: f64 = 0.01;
const LINKS: usize = 100;

/// A chain of 100 springs of 1 cm and 1 g, each `copies` times, with 1 kg at its end.
fn chain(direction: [f64; 3], constant: f64, copies: usize) -> Model {
    let mut scene = ModelBuilder::new();
    let at = |i: usize| direction.map(|c| LINK * i as f64 * c);
    let x: Vec<[f64; 3]> = (0..=LINKS).map(at).collect();
    let mut masses = vec![1e-3; LINKS + 1];
    masses[LINKS] = 1.0;
    scene.points(&x, &masses).unwrap();
    let mut set = Elements::projective();
    for i in 0..LINKS as u32 {
        (0..copies).for_each(|_| set.push([i, i + 1], constant, Spring { length: LINK }));
    }
    scene.elements(set);
    scene.pin(0);
    scene.build().unwrap()
}

const LEVEL: [f64; 3] = [1.0, 0.0, 0.0];
/// A tenth aside of the vertical.
const HANGING: [f64; 3] = [0.1, -0.994_987_437_106_62, 0.0];

/// The largest relative change of a link's length.
fn stretch(x: &[[f64; 3]], link: f64) -> f64 {
    let of = |w: &[[f64; 3]]| (norm(sub(w[1], w[0])) / link - 1.0).abs();
    x.windows(2).map(of).fold(0.0, f64::max)
}

/// The worst stretch and the highest speed \[m/s\] in some seconds at 60 steps each.
fn watch<S: Precision>(
    model: Model,
    solver: impl Into<AnySolver>,
    link: f64,
    seconds: f64,
) -> (f64, f64) {
    let mut sim = Simulation::<S>::with_precision(model, solver).unwrap();
    let (mut worst, mut speed) = (0.0_f64, 0.0_f64);
    for _ in 0..(60.0 * seconds) as usize {
        sim.step();
        worst = worst.max(stretch(&positions(&sim), link));
        speed = velocities(&sim).iter().map(|v| norm(*v)).fold(speed, f64::max);
    }
    (worst, speed)
}

#[test]
fn a_chain_with_a_thousandfold_weight_does_not_stretch() {
    // Let go from the horizontal: it swings down, goes slack and whips. Newton's method and the
    // others, for comparison, on the steel wire.
    let hard = watch::<f64>(chain(LEVEL, 1e6, 1), Constrained::hard(), LINK, 5.0);
    let stiff = watch::<f64>(chain(LEVEL, 1e12, 1), Constrained::default(), LINK, 5.0);
    let single = watch::<f32>(chain(LEVEL, 1e6, 1), Constrained::hard(), LINK, 5.0);
    let wire = || pliant_scenes::heavy_chain(LINKS + 1).unwrap();
    let steel = watch::<f64>(wire(), Constrained::default(), LINK, 5.0);
    println!("hard: stretch {:.1e}, speed {:.2} m/s", hard.0, hard.1);
    println!("1e12 N/m: stretch {:.1e}, speed {:.2} m/s", stiff.0, stiff.1);
    println!("hard, f32: stretch {:.1e}, speed {:.2} m/s", single.0, single.1);
    println!("steel wire: stretch {:.1e}, speed {:.2} m/s", steel.0, steel.1);
    for name in ["projective", "xpbd", "pbd"] {
        let (s, v) = watch::<f64>(wire(), AnySolver::by_name(name).unwrap(), LINK, 5.0);
        println!("  the wire under {name}: stretch {s:.1e}, speed {v:.2} m/s");
    }
    // Measured 1.6e-9, 3.6e-9 and 7.2e-6: the rounding of positions in single precision.
    for ((stretch, _), bound) in [(hard, 1e-7), (stiff, 1e-7), (single, 1e-4)] {
        assert!(stretch < bound, "{stretch:.2e}");
    }
    // At the lowest point the weight pulls with three times itself: 1.1e-5.
    let (area, young) = (std::f64::consts::PI * 1e-8, 2.1e11);
    let mass = 1001.0 * 7850.0 * area / LINKS as f64;
    let expected = 3.0 * mass * 9.81 / (young * area);
    println!("  expected of the wire: {expected:.1e}");
    assert!((steel.0 / expected - 1.0).abs() < 0.2, "{:.2e} against {expected:.2e}", steel.0);
}

#[test]
fn geometric_stiffness_keeps_a_loaded_chain_together() {
    // Hanging, a tenth aside: links of 1 g under 1 kg have a transverse frequency far above 1/h.
    for iterations in [1, 2, 10] {
        let on = Constrained { iterations, tolerance: 0.0, ..Constrained::hard() };
        let off = Constrained { geometric_stiffness: false, line_search: false, ..on };
        let with = watch::<f64>(chain(HANGING, 1e6, 1), on, LINK, 5.0);
        let without = watch::<f64>(chain(HANGING, 1e6, 1), off, LINK, 5.0);
        println!("{iterations} iterations: stretch {:.1e}, {:.2} m/s", with.0, with.1);
        println!("  without geometric stiffness: {:.1e}, {:.2} m/s", without.0, without.1);
        // Measured 1.3e-5, 2.6e-12 and 2.6e-13, and 0.30 m/s; without, 480 and more, and 215 m/s.
        assert!(with.0 < 1e-3 && with.1 < 1.0, "{with:?}");
        assert!(without.0 > 1.0 && without.1 > 10.0, "{without:?}");
    }
}

/// The step after `frames` frames of a model.
fn step_after(model: Model, frames: usize) -> ImplicitStep<f64> {
    let mut sim = Simulation::<f64>::with_precision(model, ProjectiveDynamics::default()).unwrap();
    run(&mut sim, frames);
    ImplicitStep::from_simulation(&mut sim)
}

fn xyz(x: &[pliant::simd::Point<f64>]) -> Vec<[f64; 3]> {
    x.iter().map(|p| [p[0], p[1], p[2]]).collect()
}

#[test]
fn more_iterations_lead_to_newtons_minimiser() {
    let steps = [
        ("curtain", step_after(pliant_scenes::curtain(15).unwrap(), 15)),
        ("twisting bar", step_after(pliant_scenes::twisting_bar(1).unwrap(), 60)),
        ("cloth", step_after(pliant_scenes::hanging_cloth(10).unwrap(), 20)),
        (
            "cloth of edges and angles",
            step_after(pliant_scenes::hanging_cloth_edges(10).unwrap(), 20),
        ),
    ];
    for (name, step) in steps {
        let (best, _) = step.solve(&exact_newton().into()).unwrap();
        let least = step.objective(&best, false);
        let counts = [1, 2, 5, 10, 50];
        let gaps = counts.map(|iterations| {
            let solver = Constrained { iterations, tolerance: 0.0, ..Constrained::default() };
            step.relative_energy_gap(&step.solve(&solver.into()).unwrap().0, least)
        });
        let converged = Constrained { iterations: 300, tolerance: 0.0, ..Constrained::default() };
        let (x, solved) = step.solve(&converged.into()).unwrap();
        let (gap, distance) =
            (step.relative_energy_gap(&x, least), farthest(&xyz(&x), &xyz(&best)));
        println!("{name}: gap after {counts:?} iterations: {}", brief(&gaps));
        println!(
            "  after 300: gap {gap:.1e}, {distance:.1e} m, residual {:.1e} N",
            solved.residual
        );
        // Measured 1e-13 and 7e-15 m at most.
        assert!(gap < 1e-11 && distance < 1e-12, "{name}: {gap:.1e}, {distance:.1e}");
    }
}

#[test]
fn the_three_methods_take_the_same_step() {
    let steps = [
        ("curtain", step_after(pliant_scenes::curtain(8).unwrap(), 15), f64::INFINITY),
        ("cloth", step_after(pliant_scenes::hanging_cloth(6).unwrap(), 15), f64::INFINITY),
        ("chain", step_after(chain(HANGING, 1e6, 1), 15), 0.0),
    ];
    for (name, step, hard_above) in steps {
        let one = Constrained { hard_above, ..Constrained::linearised() };
        let all = [
            SaddleMethod::PrimalDual,
            SaddleMethod::Schur,
            SaddleMethod::SchurCg { tolerance: 1e-14 },
        ]
        .map(|method| xyz(&step.solve(&Constrained { method, ..one }.into()).unwrap().0));
        let gaps = [farthest(&all[1], &all[0]), farthest(&all[2], &all[0])];
        println!("{name}: {} m from each other", brief(&gaps));
        // Measured 1.0e-15 at most.
        assert!(gaps.iter().all(|g| *g < 1e-13), "{name}: {}", brief(&gaps));
    }
}

#[test]
fn a_growing_stiffness_leads_to_the_hard_chain() {
    let end = |model: Model, solver: Constrained| {
        let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
        (0..10).for_each(|_| drop(sim.step().clone()));
        positions(&sim)
    };
    let exact = |solver| Constrained { iterations: 30, tolerance: 1e-12, ..solver };
    let hard = end(chain(HANGING, 1.0, 1), exact(Constrained::hard()));
    let distances = [1e6, 1e8, 1e10, 1e12]
        .map(|k| farthest(&end(chain(HANGING, k, 1), exact(Constrained::default())), &hard));
    println!("1e6, 1e8, 1e10, 1e12 N/m against hard: {} m", brief(&distances));
    // The weight stretches a hundred springs by m g / k each.
    for (d, k) in distances.iter().zip([1e6, 1e8, 1e10, 1e12]) {
        let expected = LINKS as f64 * 9.81 / k;
        assert!(*d < 3.0 * expected + 1e-11, "{k:e}: {d:.1e} against {expected:.1e}");
    }
}

#[test]
fn constraints_given_twice_change_nothing() {
    let end = |copies: usize, method: SaddleMethod| {
        let solver = Constrained { method, ..Constrained::hard() };
        let mut sim =
            Simulation::<f64>::with_precision(chain(HANGING, 1e6, copies), solver).unwrap();
        (0..60).for_each(|_| drop(sim.step().clone()));
        positions(&sim)
    };
    for method in [SaddleMethod::PrimalDual, SaddleMethod::Schur] {
        let apart = farthest(&end(2, method), &end(1, method));
        println!("{method:?}: {apart:.1e} m after a second");
        // Measured 1.3e-15.
        assert!(apart < 1e-12, "{apart:.1e}");
    }
}

/// The height of a vertex, not below zero.
#[derive(Clone, Copy, Debug)]
struct Floor;

impl Constraint<1, 1> for Floor {
    const NAME: &'static str = "floor";
    const KIND: ConstraintKind = ConstraintKind::Inequality;
    const TRANSLATION_INVARIANT: bool = false;
    fn parameters(&self) -> [f64; 1] {
        [0.0]
    }
    fn evaluate<R: Real>(_: &[R; 1], x: &[Vec3<R>; 1]) -> (R, [Vec3<R>; 1]) {
        (x[0].y, [Vec3::new(R::zero(), R::one(), R::zero())])
    }
}

#[test]
fn an_inequality_holds_up_and_lets_go() {
    let mut scene = ModelBuilder::new();
    let points = scene.points(&[[0.0, 0.5, 0.0], [1.0, 0.0, 0.0]], &[1.0, 1.0]).unwrap();
    // One falls on the floor; the other lies on it and is thrown up.
    scene.velocities_mut(&points)[1] = [0.0, 2.0, 0.0];
    let mut floors = Elements::constraint();
    floors.push([0], 1e6, Floor);
    floors.push([1], 1e6, Floor);
    scene.elements(floors);
    let mut sim =
        Simulation::<f64>::with_precision(scene.build().unwrap(), Constrained::hard()).unwrap();
    let (mut lowest, mut highest) = (f64::MAX, f64::MIN);
    for _ in 0..120 {
        sim.step();
        let x = positions(&sim);
        lowest = lowest.min(x[0][1]).min(x[1][1]);
        highest = highest.max(x[1][1]);
    }
    let (x, v) = (positions(&sim), velocities(&sim));
    println!("lowest {lowest:.1e} m, thrown {highest:.3} m high, end {x:?} {v:?}");
    assert!(lowest > -1e-12 && x[0][1].abs() < 1e-12 && v[0][1].abs() < 1e-12);
    // v²/2g, less what implicit Euler loses in height: v h / 2.
    assert!((highest - 4.0 / (2.0 * 9.81)).abs() < 0.5 * 2.0 / 60.0 + 1e-3, "{highest}");
}

#[test]
fn free_bodies_keep_their_momentum() {
    for (name, model) in [
        ("free_springs", pliant_scenes::free_springs(6).unwrap()),
        ("free_flight", pliant_scenes::free_flight(2).unwrap()),
    ] {
        let mut sim = Simulation::<f64>::with_precision(model, Constrained::default()).unwrap();
        let before = momentum(&sim);
        (0..100).for_each(|_| drop(sim.step().clone()));
        let change = norm(sub(momentum(&sim), before)) / norm(before);
        println!("{name}: momentum changes by {change:.1e} in 100 steps");
        // Measured 6e-15.
        assert!(change < 1e-13, "{name}: {change:.1e}");
    }
}

#[test]
fn bad_settings_are_refused() {
    let model = std::sync::Arc::new(chain(LEVEL, 1.0, 1));
    let good = Constrained::default();
    for (field, bad) in [
        ("tolerance", Constrained { tolerance: f64::NAN, ..good }),
        ("hard_above", Constrained { hard_above: -1.0, ..good }),
        (
            "tolerance of the linear solver",
            Constrained { method: SaddleMethod::SchurCg { tolerance: 0.0 }, ..good },
        ),
    ] {
        match Simulation::<f64>::with_precision(model.clone(), bad) {
            Err(pliant::Error::Quantity { field: f, .. }) => assert_eq!(f, field),
            other => panic!("{field}: {:?}", other.err()),
        }
    }
}
