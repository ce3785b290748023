//! Contract: after three steps of warm-up, `step()` allocates nothing, under any solver, for cloth,
//! solids, springs and rings of any size, with every kind of damping and both mass models.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use common::{few_iteration_solvers, scenes, simulate};
use pliant::prelude::*;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting on the calling thread.
struct Counting;

fn count() {
    // The counter is gone while a thread ends.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

#[allow(unsafe_code)]
// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations in each of five steps after three. Steps that change the adaptive solver's number of substeps count as
/// none: these prepare another solver.
fn allocations<S: Precision>(model: &Arc<Model>, solver: &AnySolver) -> Option<[usize; 5]> {
    let mut sim = simulate::<S>(model, solver)?;
    for _ in 0..3 {
        sim.step();
    }
    Some([0; 5].map(|_| {
        let substeps = sim.report().accuracy.map(|accuracy| accuracy.substeps);
        let before = COUNT.get();
        sim.step();
        let found = COUNT.get() - before;
        let same = sim.report().accuracy.map(|accuracy| accuracy.substeps) == substeps;
        if same { found } else { 0 }
    }))
}

#[test]
fn a_step_allocates_nothing() {
    let before = COUNT.get();
    let probe = std::hint::black_box(vec![1u8; 100]);
    assert_eq!(COUNT.get() - before, 1, "the counter must count");
    drop(probe);
    let mut wrong = Vec::new();
    for (scene, model) in scenes() {
        for (name, solver) in few_iteration_solvers() {
            let found = [allocations::<f32>(&model, &solver), allocations::<f64>(&model, &solver)];
            if found.iter().flatten().flatten().any(|&n| n > 0) {
                wrong.push(format!("{scene} under {name}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_way_of_constrained_dynamics_allocates_nothing() {
    let model = Arc::new(common::cord(12));
    for (name, solver) in common::constrained_variants() {
        assert_eq!(allocations::<f64>(&model, &solver), Some([0; 5]), "{name}");
        assert_eq!(allocations::<f32>(&model, &solver), Some([0; 5]), "{name}, f32");
    }
}

#[test]
fn a_consistent_mass_matrix_allocates_nothing() {
    let mut scene = ModelBuilder::new();
    scene.mass_model(MassModel::Consistent);
    let cloth = scene.cloth(Grid::square(6).size(1.0), Fabric::cotton()).unwrap();
    scene.pin(cloth.corner(0));
    let model = Arc::new(scene.build().unwrap());
    for name in ["projective", "newton"] {
        let solver = AnySolver::by_name(name).unwrap();
        assert_eq!(allocations::<f64>(&model, &solver), Some([0; 5]), "{name}");
    }
}

#[test]
fn a_step_in_which_nothing_tears_allocates_nothing() {
    for tearing in [Tearing::split(1.5), Tearing::breaking(1.5)] {
        let mut scene = ModelBuilder::new();
        let net = scene.springs(Curtain::new(7), Springs::new(300.0, 5.0)).unwrap();
        scene.gravity([0.0, -1.0, 0.0]);
        scene.pin(net.corner(0));
        scene.tear(&net, tearing).unwrap();
        let away = Motion::Path(vec![(0.0, [5.0; 3]), (1.0, [5.0, 6.0, 5.0])]);
        scene.blade(Blade::new([[5.0; 3], [6.0, 5.0, 5.0]], away));
        let model = Arc::new(scene.build().unwrap());
        for (name, solver) in few_iteration_solvers() {
            let found = allocations::<f64>(&model, &solver);
            assert!(found.is_none_or(|n| n == [0; 5]), "{name}: {found:?}");
        }
        // Nor after a cut.
        let mut sim =
            Simulation::<f64>::with_precision(model, ProjectiveDynamics::default()).unwrap();
        let [from, to] = [-1.0, 1.0].map(|z| [[0.4, -3.0, z], [0.4, 3.0, z]]);
        assert!(sim.cut(from, to).unwrap().new_vertices > 3);
        for _ in 0..3 {
            sim.step();
        }
        let before = COUNT.get();
        assert!(sim.step().tears.is_empty());
        assert_eq!(COUNT.get() - before, 0);
    }
}

#[test]
fn the_first_warning_allocates_nothing() {
    let mut sim = Simulation::new(common::cloth(5), Xpbd::default()).unwrap();
    for _ in 0..3 {
        sim.step();
    }
    sim.state_mut().positions[7][0] = f32::NAN;
    let before = COUNT.get();
    sim.step();
    assert_eq!(COUNT.get() - before, 0);
    assert_eq!(sim.report().warnings.len(), 1);
}
