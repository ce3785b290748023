//! Contract: a snapshot taken at any step, restored into a fresh simulation of the same model and
//! continued with another number of threads, gives the same bytes as never having stopped. A
//! snapshot that is cut off, damaged, of another model or of another precision is refused, and the
//! simulation that refused it is untouched.

use std::sync::Arc;

use crate::common::{self, Random, cloth, scenes, simulate};
use pliant::Error;
use pliant::prelude::*;

/// Steps after a restore: a difference in one bit shows at once, and stays.
fn continued() -> usize {
    if common::thorough() { 120 } else { 15 }
}

fn continues<S: Precision>(name: &str, model: &Arc<Model>, solver: &AnySolver, seed: u64) {
    let mut random = Random::new(seed);
    let Some(mut sim) = simulate::<S>(model, solver) else { return };
    for _ in 0..random.below(40) {
        sim.step();
    }
    let snapshot = sim.snapshot();
    let mut fresh = simulate::<S>(model, solver).unwrap();
    fresh.set_threads(2 + random.below(3));
    fresh.restore(&snapshot).unwrap();
    assert_eq!(fresh.snapshot(), snapshot, "{name}: a snapshot of what was restored");
    for step in 0..continued() {
        sim.step();
        fresh.step();
        assert!(sim.snapshot() == fresh.snapshot(), "{name} in {}, step {step}", S::NAME);
    }
}

/// Every second pair of a scene and a solver, so that both precisions together run every pair; all
/// of them where there is time.
fn half_continue<S: Precision>(half: usize) {
    for (k, (scene, model)) in scenes().into_iter().enumerate() {
        for (j, (solver_name, solver)) in common::few_iteration_solvers().into_iter().enumerate() {
            if (k + j) % 2 == half || common::thorough() {
                let name = format!("{scene} under {solver_name}");
                continues::<S>(&name, &model, &solver, (100 * half + k) as u64);
            }
        }
    }
}

#[test]
fn a_restored_simulation_continues_to_the_bit_in_single_precision() {
    half_continue::<f32>(0);
}

#[test]
fn a_restored_simulation_continues_to_the_bit_in_double_precision() {
    half_continue::<f64>(1);
}

#[test]
fn a_pin_that_was_moved_by_hand_continues_to_the_bit() {
    let model = Arc::new(cloth(6));
    let pinned = model.pins()[0].vertex;
    let mut sim = Simulation::new(model.clone(), ProjectiveDynamics::default()).unwrap();
    sim.step();
    sim.move_pin(pinned, [0.1, 0.2, 0.3]).unwrap();
    sim.step();
    let mut fresh = Simulation::new(model, ProjectiveDynamics::default()).unwrap();
    fresh.restore(&sim.snapshot()).unwrap();
    for step in 0..continued() {
        sim.step();
        fresh.step();
        assert_eq!(sim.hash(), fresh.hash(), "step {step}");
    }
    assert!((fresh.state().positions[pinned][1] - 0.2).abs() < 1e-6);
}

/// Restoring must fail, say so, and change nothing.
fn refused<S: Precision>(sim: &mut Simulation<S>, bytes: &[u8], before: u64, what: &str) {
    match sim.restore(bytes) {
        Err(Error::Snapshot { reason }) => assert!(!reason.is_empty()),
        other => panic!("{what}: {other:?}"),
    }
    assert_eq!(sim.hash(), before, "{what} changed the simulation");
}

#[test]
fn a_damaged_snapshot_changes_nothing() {
    let mut sim = Simulation::new(cloth(5), ProjectiveDynamics::default()).unwrap();
    for _ in 0..5 {
        sim.step();
    }
    let snapshot = sim.snapshot();
    sim.step();
    let before = sim.hash();
    for length in 0..snapshot.len() {
        refused(&mut sim, &snapshot[..length], before, &format!("the first {length} bytes"));
    }
    let mut random = Random::new(1);
    let mut bytes = snapshot.clone();
    for k in 0..10_000 {
        // From one to four bits, each another one.
        let bits: Vec<usize> = (0..1 + k % 4).map(|_| random.below(8 * snapshot.len())).collect();
        bits.iter().for_each(|b| bytes[b / 8] ^= 1 << (b % 8));
        if bytes != snapshot {
            refused(&mut sim, &bytes, before, &format!("flipped bits {bits:?}"));
        }
        bits.iter().for_each(|b| bytes[b / 8] ^= 1 << (b % 8));
    }
    let mut longer = snapshot.clone();
    longer.push(0);
    refused(&mut sim, &longer, before, "a byte too many");
    // The whole one is taken.
    sim.restore(&snapshot).unwrap();
    assert!(sim.hash() != before && sim.snapshot() == snapshot);
}

#[test]
fn another_precision_or_model_is_refused() {
    let model = Arc::new(cloth(5));
    let single = Simulation::<f32>::with_precision(model.clone(), Xpbd::default()).unwrap();
    let mut double = Simulation::<f64>::with_precision(model, Xpbd::default()).unwrap();
    let mut larger = Simulation::<f32>::with_precision(cloth(6), Xpbd::default()).unwrap();
    let (before, before_larger) = (double.hash(), larger.hash());
    refused(&mut double, &single.snapshot(), before, "single into double precision");
    refused(&mut larger, &single.snapshot(), before_larger, "a smaller model");
    let message = double.restore(&single.snapshot()).unwrap_err().to_string();
    assert!(message.contains("precision") && message.contains("unchanged"), "{message}");
    // As many vertices, but other pins.
    let mut scene = ModelBuilder::new();
    scene.cloth(Grid::square(5).size(1.0), Fabric::cotton()).unwrap();
    let mut unpinned = Simulation::new(scene.build().unwrap(), Xpbd::default()).unwrap();
    let before = unpinned.hash();
    refused(&mut unpinned, &single.snapshot(), before, "other pins");
}
