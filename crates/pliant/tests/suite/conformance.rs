//! Contract: every registered element runs under every solver in both precisions, whatever the
//! situation: at rest, deformed, collapsed to a point, a line or a plane, with a weight of zero or
//! 1e12, free or pinned. Ten steps stay finite and nothing panics. With ordinary weights and the
//! solvers' default settings nothing even has to be set back, except where a measure starts at
//! almost nothing: there the gradient of an area or a volume vanishes, and a correction along it
//! leads anywhere; and where an explicit solver said beforehand that its steps are too long.
//! What cannot be simulated (a repeated index, an index out of range, a weight that is negative or
//! NaN, a rest shape without measure) is refused with a typed error, or runs and stays finite.
//!
//! It loops over [`registry`] and the list of solvers, so it covers whatever is added to either.

use std::sync::Arc;

use crate::common::{
    self, Random, RandomGeometry, constrained_variants, first_non_finite, rest_shape, simulate,
    solvers,
};
use pliant::elements::{ElementInfo, registry};
use pliant::prelude::*;
use pliant::solvers::LIST;
use pliant::{Error, Warning, compatibility_matrix};

const STEPS: usize = 10;

/// A model of one element on points of 0.1 kg.
fn model(
    info: &ElementInfo,
    rest: &[[f64; 3]],
    start: &[[f64; 3]],
    weight: f64,
    pinned: usize,
) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let body = scene.points(rest, &vec![0.1; rest.len()])?;
    let vertices: Vec<u32> = (0..rest.len() as u32).collect();
    scene.boxed_elements((info.sample)(&vertices, rest, weight)?);
    scene.positions_mut(&body).copy_from_slice(start);
    (0..pinned).for_each(|v| scene.pin(v));
    scene.build()
}

/// Start positions of the points, by name.
fn starts(points: usize) -> Vec<(&'static str, Vec<[f64; 3]>)> {
    let rest = rest_shape(points);
    let mut random = Random::new(5);
    let all = |f: &dyn Fn([f64; 3]) -> [f64; 3]| rest.iter().map(|&p| f(p)).collect::<Vec<_>>();
    vec![
        ("at rest", rest.clone()),
        ("deformed", rest.iter().map(|&p| common::add(p, random.point(0.3))).collect()),
        ("doubled", all(&|p| p.map(|c| 2.0 * c))),
        ("mirrored", all(&|p| [-p[0], p[1], p[2]])),
        ("flat", all(&|p| [p[0], 0.0, p[2]])),
        ("collinear", all(&|p| [p[0], p[0], p[0]])),
        ("all points equal", all(&|_| [0.3, 0.2, 0.1])),
        ("far away", all(&|p| [p[0] + 300.0, p[1], p[2]])),
        ("tiny", all(&|p| p.map(|c| 1e-6 * c))),
    ]
}

/// Results of all runs.
#[derive(Default)]
struct Runs {
    count: usize,
    /// Runs with default settings in which a body had to be set back.
    rolled_back: Vec<String>,
}

/// Ten steps under every solver: finite; unless `lenient`, without being set back.
fn run<S: Precision>(what: &str, model: &Arc<Model>, lenient: bool, runs: &mut Runs) {
    for (name, solver) in solvers().into_iter().chain(constrained_variants()) {
        let Some(mut sim) = simulate::<S>(model, &solver) else { continue };
        let what = format!("{what} under {name} in {}", S::NAME);
        let (mut found, mut told) = (None, false);
        for step in 0..STEPS {
            let warnings = &sim.step().warnings;
            told |= warnings.iter().any(|w| matches!(w, Warning::StepTooLong { .. }));
            let warning = warnings.iter().copied().find(is_rollback);
            found = found.or(warning.map(|w| format!("{what}, step {step}: {w:?}")));
            assert_eq!(first_non_finite(&sim), None, "{what}, step {step}");
        }
        // The variants include one step of Newton's method, which may well fly apart.
        let default = LIST.iter().any(|(n, _)| *n == name);
        // An explicit solver that said its steps are too long may do so too; and the gradient of an
        // angle on a line has no bound, which nothing at rest foretells.
        told |= matches!(solver, AnySolver::Explicit(_)) && what.contains("collinear");
        runs.rolled_back.extend(found.filter(|_| default && !lenient && !told));
        runs.count += 1;
    }
}

fn is_rollback(warning: &Warning) -> bool {
    !matches!(warning, Warning::NotConverged { .. } | Warning::StepTooLong { .. })
}

/// Every second case, so that both precisions together run every one; all of them with `PLIANT_THOROUGH=1`.
fn every_element_stays_finite<S: Precision>(half: usize) {
    let (mut runs, mut case) = (Runs::default(), 0);
    for info in registry() {
        let rest = rest_shape(info.points);
        for (situation, start) in starts(info.points) {
            for weight in [0.0, 1.0, 1e12] {
                for pinned in [0, 1, info.points] {
                    case += 1;
                    if case % 2 != half && !common::thorough() {
                        continue;
                    }
                    let what =
                        format!("{} {situation}, weight {weight:e}, {pinned} pinned", info.name);
                    let model = model(info, &rest, &start, weight, pinned).expect(&what);
                    let model = Arc::new(model);
                    let lenient = weight > 1.0;
                    run::<S>(&what, &model, lenient, &mut runs);
                }
            }
        }
    }
    println!("{} runs of {STEPS} steps in {}", runs.count, S::NAME);
    assert!(runs.count > if common::thorough() { 5_000 } else { 2_500 }, "{}", runs.count);
    assert!(runs.rolled_back.is_empty(), "{:#?}", runs.rolled_back);
}

#[test]
fn every_element_stays_finite_under_every_solver_in_single_precision() {
    every_element_stays_finite::<f32>(0);
}

#[test]
fn every_element_stays_finite_under_every_solver_in_double_precision() {
    every_element_stays_finite::<f64>(1);
}

#[test]
fn a_degenerate_rest_shape_is_refused_or_runs() {
    let (mut refused, mut runs) = (0, Runs::default());
    for info in registry() {
        for (situation, rest) in starts(info.points) {
            for (moved, start) in [("there", rest.clone()), ("moved", rest_shape(info.points))] {
                match model(info, &rest, &start, 10.0, 0) {
                    Err(Error::DegenerateRest { .. } | Error::ElementRestData { .. }) => {
                        refused += 1
                    }
                    Err(error) => panic!("{} {situation}: {error}", info.name),
                    Ok(model) => {
                        let what = format!("{} with a rest shape {situation}, {moved}", info.name);
                        let model = Arc::new(model);
                        run::<f32>(&what, &model, false, &mut runs);
                        run::<f64>(&what, &model, false, &mut runs);
                    }
                }
            }
        }
    }
    println!("{refused} rest shapes refused, {} runs", runs.count);
    assert!(refused > 0 && runs.count > 0);
    assert!(runs.rolled_back.is_empty(), "{:#?}", runs.rolled_back);
}

#[test]
fn a_rest_shape_that_is_not_finite_is_refused() {
    for info in registry() {
        let mut rest = rest_shape(info.points);
        rest[info.points - 1][1] = f64::NAN;
        let vertices: Vec<u32> = (0..info.points as u32).collect();
        let mut scene = ModelBuilder::new();
        scene.points(&rest_shape(info.points), &vec![1.0; info.points]).unwrap();
        let error = match (info.sample)(&vertices, &rest, 1.0) {
            Err(error) => error,
            Ok(elements) => {
                scene.boxed_elements(elements);
                scene.build().expect_err(info.name)
            }
        };
        let typed = matches!(
            error,
            Error::DegenerateRest { .. } | Error::ElementRestData { element: 0, .. }
        );
        assert!(typed, "{}: {error}", info.name);
    }
}

/// Builds a scene with one sound element and one with the given vertices and weight.
fn second(info: &ElementInfo, vertices: &[u32], weight: f64) -> Error {
    let n = info.points;
    let mut scene = ModelBuilder::new();
    scene.points(&rest_shape(2 * n), &vec![1.0; 2 * n]).unwrap();
    let sound: Vec<u32> = (0..n as u32).collect();
    scene.boxed_elements((info.sample)(&sound, &rest_shape(n), 1.0).unwrap());
    scene.boxed_elements((info.sample)(vertices, &rest_shape(n), weight).unwrap());
    scene.build().expect_err(info.name)
}

#[test]
fn bad_elements_are_refused_by_index() {
    for info in registry() {
        let n = info.points as u32;
        let sound: Vec<u32> = (n..2 * n).collect();
        // Elements that share weights over their body are not counted together with others.
        let at = if info.name == "body_examples" { 0 } else { 1 };
        for weight in [f64::NAN, -1.0, f64::INFINITY] {
            let error = second(info, &sound, weight);
            let named = matches!(error, Error::ElementWeight { name, element, weight: w }
                if element == at && name == info.name && w.to_bits() == weight.to_bits());
            assert!(named, "{}: {error}", info.name);
        }
        for vertex in [2 * n, u32::MAX] {
            let mut vertices = sound.clone();
            vertices[info.points - 1] = vertex;
            let points = 2 * info.points;
            let expected = Error::ElementIndex { name: info.name, element: at, vertex, points };
            assert_eq!(second(info, &vertices, 1.0), expected);
        }
        if info.points > 1 {
            let mut vertices = sound.clone();
            vertices[info.points - 1] = n;
            let expected = Error::ElementRepeatedIndex { name: info.name, element: at, vertex: n };
            assert_eq!(second(info, &vertices, 1.0), expected);
        }
    }
}

#[test]
fn a_million_elements_take_a_step() {
    let n = 1_000_001;
    let info = registry().iter().find(|e| e.name == "spring").unwrap();
    let rest: Vec<[f64; 3]> = (0..n).map(|i| [1e-3 * i as f64, 0.0, 0.0]).collect();
    let vertices: Vec<u32> = (0..n as u32 - 1).flat_map(|i| [i, i + 1]).collect();
    let ends: Vec<[f64; 3]> = vertices.iter().map(|&v| rest[v as usize]).collect();
    let mut scene = ModelBuilder::new();
    scene.points(&rest, &vec![1e-3; n]).unwrap();
    scene.boxed_elements((info.sample)(&vertices, &ends, 100.0).unwrap());
    scene.pin(0);
    let model = Arc::new(scene.build().unwrap());
    assert_eq!(model.elements()[0].len(), 1_000_000);
    for name in ["xpbd", "vbd", "pbd", "hpbd"] {
        let mut sim =
            simulate::<f32>(&model, &AnySolver::by_name(name).unwrap().with_substeps(1)).unwrap();
        assert_eq!(sim.step().warning(), None, "{name}");
        assert_eq!(first_non_finite(&sim), None, "{name}");
        // The far end fell freely, the pinned end did not move.
        let fall = 9.81 / 3600.0;
        let y = |v: usize| f64::from(sim.state().positions[v][1]);
        assert!((y(n - 1) + fall).abs() < 1e-4 && y(0) == 0.0, "{name}: {} {}", y(n - 1), y(0));
    }
}

#[test]
fn only_the_solver_for_springs_refuses_elements() {
    let all = compatibility_matrix();
    assert_eq!(all.len(), registry().len() * LIST.len());
    for pair in all {
        let refused = pair.solver == "mass_spring" && !["spring", "pin"].contains(&pair.element);
        assert_eq!(pair.refusal.is_some(), refused, "{pair:?}");
    }
}
