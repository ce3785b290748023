//! Contract of the adaptive solver: it meets its tolerance and says by how much it errs, its choices follow from the
//! state alone, and a budget bounds its work.

use std::sync::Arc;

use crate::common::cloth;
use pliant::prelude::*;
use pliant::{ReferenceMotion, Warning};

fn auto(tolerance: f64) -> Auto {
    Auto { tolerance, ..Auto::default() }
}

fn hanging(n: usize) -> Arc<Model> {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(n).size(1.0), Fabric::cotton()).unwrap();
    scene.pin(cloth.corner(0));
    scene.pin(cloth.corner(1));
    Arc::new(scene.build().unwrap())
}

/// Errors and estimates of each frame, relative to the size.
fn errors<S: Precision>(
    model: &Arc<Model>,
    solver: Auto,
    reference: &ReferenceMotion,
) -> Vec<[f64; 2]> {
    let mut sim = Simulation::<S>::with_precision(model.clone(), solver).unwrap();
    (0..reference.frames())
        .map(|frame| {
            let estimate = sim.step().accuracy.unwrap().error;
            let points = sim.state().positions.iter();
            let x: Vec<_> = points.map(|p| [p[0], p[1], p[2]].map(|c| c.to_f64())).collect();
            let (exact, _) = reference.positions(frame).unwrap();
            [reference.error(&x, &exact).relative_rms, estimate]
        })
        .collect()
}

fn reference(model: &Arc<Model>, frames: usize, halvings: usize) -> ReferenceMotion {
    let mut reference = ReferenceMotion::new(model.clone(), 1.0 / 60.0, frames);
    for _ in 0..halvings {
        assert!(reference.refine(|_, _| true).unwrap());
    }
    reference
}

fn check_errors<S: Precision>(model: &Arc<Model>, reference: &ReferenceMotion) {
    let measured = errors::<S>(model, Auto::default(), reference);
    let [error, estimate] = measured[measured.len() - 1];
    println!("{}: error {:.3} %, estimate {:.3} %", S::NAME, 100.0 * error, 100.0 * estimate);
    assert!(error < 0.005, "{error}");
    let near = |[error, estimate]: &&[f64; 2]| estimate / error < 3.0 && error / estimate < 3.0;
    let near = measured.iter().filter(near).count();
    assert!(
        10 * near >= 8 * measured.len(),
        "{near} of {} estimates: {measured:?}",
        measured.len()
    );
    assert!(measured.iter().all(|[error, estimate]| *estimate > 0.2 * error), "{measured:?}");
}

#[test]
fn a_falling_cloth_is_within_half_a_percent_and_the_estimate_says_how_near() {
    let model = hanging(12);
    // 64 substeps, extrapolated: known to a twentieth of the error that is measured.
    let reference = reference(&model, 20, 5);
    check_errors::<f32>(&model, &reference);
    check_errors::<f64>(&model, &reference);
}

#[test]
fn a_smaller_tolerance_gives_a_smaller_error() {
    let model = hanging(12);
    let reference = reference(&model, 15, 5);
    let last = |tolerance| {
        let errors = errors::<f64>(&model, auto(tolerance), &reference);
        errors[errors.len() - 1][0]
    };
    let errors = [0.1, 0.02, 0.002].map(last);
    println!("{errors:?}");
    assert!(errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2], "{errors:?}");
}

/// Continues from a snapshot of each step, and compares with the run that went on.
fn continues_from_snapshots<S: Precision>(model: &Arc<Model>, solver: Auto) {
    let mut run = Simulation::<S>::with_precision(model.clone(), solver).unwrap();
    let mut changes = 0;
    let mut last = 0;
    for step in 0..40 {
        let bytes = run.snapshot();
        let mut restored = Simulation::<S>::with_precision(model.clone(), solver).unwrap();
        // It has been somewhere else before.
        (0..step % 3).for_each(|_| drop(restored.step().clone()));
        restored.set_threads(1 + step % 2);
        restored.restore(&bytes).unwrap();
        assert_eq!(restored.hash(), run.hash(), "step {step}");
        let substeps = run.step().accuracy.unwrap().substeps;
        changes += usize::from(last != 0 && last != substeps);
        last = substeps;
        for _ in 0..2 {
            restored.step();
        }
        let mut ahead = Simulation::<S>::with_precision(model.clone(), solver).unwrap();
        ahead.restore(&run.snapshot()).unwrap();
        ahead.step();
        assert_eq!(restored.hash(), ahead.hash(), "after step {step}");
        for at in [0, bytes.len() / 2, bytes.len() - 20] {
            let mut bad = bytes.clone();
            bad[at] ^= 4;
            let before = restored.hash();
            assert!(restored.restore(&bad).is_err() || at == 0, "a flipped bit at {at}");
            assert_eq!(restored.hash(), before);
        }
        assert!(restored.restore(&bytes[..bytes.len() - 1]).is_err());
    }
    assert!(changes > 0, "the number of substeps never changed");
}

#[test]
fn snapshots_hold_the_companion_and_the_choice_of_substeps() {
    continues_from_snapshots::<f32>(&hanging(6), auto(0.01));
    let mut scene = ModelBuilder::new();
    scene.collider(Collider::plane([0.0, -0.3, 0.0], [0.0, 1.0, 0.0]));
    let sheet = scene.cloth(Grid::square(6).size(0.5), Fabric::cotton()).unwrap();
    scene.contact_material(&sheet, Some(ContactMaterial::of_thickness(0.005)));
    continues_from_snapshots::<f64>(&Arc::new(scene.build().unwrap()), auto(0.003));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let model = Arc::new(cloth(40));
    let hashes = [1, 2, 5].map(|threads| {
        let mut sim = Simulation::new(model.clone(), Auto::default()).unwrap();
        sim.set_threads(threads);
        (0..12).for_each(|_| drop(sim.step().clone()));
        sim.hash()
    });
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
}

#[test]
fn a_budget_bounds_the_iterations_of_every_frame_and_a_warning_says_what_it_costs() {
    let model = hanging(12);
    for budget in [12, 30, 60] {
        let solver = Auto { budget, tolerance: 1e-4, ..Auto::default() };
        let mut sim = Simulation::new(model.clone(), solver).unwrap();
        let mut warned = 0;
        for _ in 0..30 {
            let report = sim.step();
            let accuracy = report.accuracy.unwrap();
            let iterations = report.iterations + accuracy.estimate_iterations;
            assert!(iterations <= budget, "{iterations} of {budget}");
            let is_accuracy = |w: &&Warning| matches!(w, Warning::AccuracyNotMet { .. });
            warned += report.warnings.iter().filter(is_accuracy).count();
        }
        assert_eq!(warned, 1, "once in a second, at budget {budget}");
    }
}

#[test]
fn an_edited_state_starts_the_estimate_again() {
    let mut sim = Simulation::new(hanging(8), Auto::default()).unwrap();
    (0..20).for_each(|_| drop(sim.step().clone()));
    assert!(sim.report().accuracy.unwrap().time > 0.3);
    sim.state_mut().velocities[5][1] += 2.0;
    let accuracy = sim.step().accuracy.unwrap();
    assert!((accuracy.time - 1.0 / 60.0).abs() < 1e-9 && accuracy.error < 0.01, "{accuracy:?}");
}

#[test]
fn a_body_at_rest_takes_the_fewest_substeps() {
    let mut scene = ModelBuilder::new();
    let block = scene.solid(TetBlock::new(2, 2, 2).size([0.2; 3]), Solid::rubber()).unwrap();
    block.vertices().filter(|v| v % 3 == 0).for_each(|v| scene.pin(v));
    let mut sim = Simulation::new(scene.build().unwrap(), Auto::default()).unwrap();
    (0..90).for_each(|_| drop(sim.step().clone()));
    let accuracy = sim.step().accuracy.unwrap();
    assert_eq!(accuracy.substeps, 2, "{accuracy:?}");
}
