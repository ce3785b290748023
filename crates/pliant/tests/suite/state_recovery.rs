//! Contract: a body whose state is not finite, or that flies apart, is set back to its last good
//! state, stopped, and named in a warning; every other body moves on as if nothing had happened, to
//! the bit. `step()` never panics, whatever a user writes into the state.
//!
//! "As if nothing had happened" needs care for the solvers that look at all bodies at once
//! (Newton's line search and stopping rule, an early stop by tolerance): there the length of a step
//! depends on every body. So the others are compared with a run in which the poisoned body was set
//! back and stopped by hand, under every solver; and with an untouched run, under the solvers that
//! treat bodies apart.

use std::sync::Arc;

use crate::common::{self, few_iteration_solvers, first_non_finite, simulate};
use pliant::Warning;
use pliant::prelude::*;

/// Solvers in which a body never sees another.
const DECOUPLED_SOLVERS: [&str; 13] = [
    "projective",
    "projective@midpoint",
    "projective@bdf2",
    "mass_spring",
    "mass_spring@bdf2",
    "xpbd",
    "vbd",
    "hpbd",
    "pbd",
    "pbd-jacobi",
    "pbd-momentum",
    "symplectic",
    "verlet",
];

/// All but explicit Euler, under which bodies fly apart of themselves; the other explicit ones with
/// substeps short enough.
fn stable_solvers() -> impl Iterator<Item = (String, AnySolver)> {
    let stable = |(name, solver): (String, AnySolver)| match solver {
        AnySolver::Explicit(s) => (name, Explicit { substeps: 50, ..s }.into()),
        solver => (name, solver),
    };
    few_iteration_solvers().into_iter().filter(|(name, _)| name != "explicit").map(stable)
}

/// A body of every kind: cloth, solid, springs, strand. The poisoned one is `POISONED`.
fn four_bodies() -> Arc<Model> {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(6).size(0.5), Fabric::cotton()).unwrap();
    scene.pin(cloth.corner(0));
    let block = TetBlock::new(2, 2, 2).size([0.2; 3]).at([1.0, 0.0, 0.0]);
    scene.solid(block, Solid::jelly()).unwrap();
    let curtain = Curtain::new(5).size(0.5).at([2.0, 0.0, 0.0]);
    let curtain = scene.springs(curtain, Springs::new(100.0, 0.2)).unwrap();
    scene.pin(curtain.corner(0));
    let cord = Strand::new(8).length(0.3).at([3.0, 0.0, 0.0]);
    let cord = scene.strand(cord, Thread::rubber_cord()).unwrap();
    scene.pin(cord.vertex(0));
    Arc::new(scene.build().unwrap())
}

/// Springs alone, for the solver that knows nothing else.
fn two_curtains() -> Arc<Model> {
    let mut scene = ModelBuilder::new();
    for k in 0..2 {
        let curtain = Curtain::new(5).size(0.5).at([k as f64, 0.0, 0.0]);
        let curtain = scene.springs(curtain, Springs::new(100.0, 0.2)).unwrap();
        scene.pin(curtain.corner(0));
    }
    Arc::new(scene.build().unwrap())
}

/// Writes into the state of a vertex.
type Corruption<S> = fn(&mut State<S>, usize);

fn corruptions<S: Precision>() -> Vec<(&'static str, Corruption<S>)> {
    vec![
        ("a NaN position", |s, v| s.positions[v][1] = S::from_f64(f64::NAN)),
        ("an infinite position", |s, v| s.positions[v][0] = S::from_f64(f64::INFINITY)),
        ("a NaN velocity", |s, v| s.velocities[v][2] = S::from_f64(f64::NAN)),
    ]
}

/// Bits of all bodies but one.
fn other_bodies_bits<S: Precision>(sim: &Simulation<S>, body: usize) -> Vec<u64> {
    let mut bits = Vec::new();
    for (b, info) in sim.model().bodies().iter().enumerate().filter(|(b, _)| *b != body) {
        assert_ne!(b, body);
        for i in info.vertices.clone() {
            let state = sim.state();
            let both = state.positions[i][..3].iter().chain(&state.velocities[i][..3]);
            bits.extend(both.map(|c| c.canonical_bits()));
        }
    }
    bits
}

fn check_rollback<S: Precision>(model: &Arc<Model>) -> usize {
    let mut runs = 0;
    for (name, solver) in stable_solvers() {
        for body in 0..model.bodies().len() {
            for (what, poison) in corruptions::<S>() {
                let Some(mut sim) = simulate::<S>(model, &solver) else { continue };
                let mut by_hand = simulate::<S>(model, &solver).unwrap();
                let mut untouched = simulate::<S>(model, &solver).unwrap();
                for _ in 0..3 {
                    sim.step();
                    by_hand.step();
                    untouched.step();
                }
                // The last good state is the one before the last step.
                let range = model.bodies()[body].vertices.clone();
                let mut before = simulate::<S>(model, &solver).unwrap();
                before.step();
                before.step();
                let state = by_hand.state_mut();
                state.positions[range.clone()]
                    .copy_from_slice(&before.state().positions[range.clone()]);
                state.velocities[range.clone()].fill([S::default(); 4]);

                let vertex = range.start + 3;
                poison(sim.state_mut(), vertex);
                let label = format!("{what} in body {body} under {name}, {}", S::NAME);
                let expected = Warning::NonFiniteInput { body, vertex };
                assert_eq!(sim.step().warning(), Some(expected), "{label}");
                by_hand.step();
                untouched.step();
                // What differs in one bit differs at once.
                for step in 0..if common::thorough() { 10 } else { 4 } {
                    assert_eq!(first_non_finite(&sim), None, "{label}");
                    assert!(sim.hash() == by_hand.hash(), "{label}: not as by hand, step {step}");
                    if DECOUPLED_SOLVERS.contains(&name.as_str()) {
                        let same =
                            other_bodies_bits(&sim, body) == other_bodies_bits(&untouched, body);
                        assert!(same, "{label}: another body was touched, step {step}");
                    }
                    assert_eq!(sim.step().warnings.iter().find(|w| !is_benign(w)), None, "{label}");
                    by_hand.step();
                    untouched.step();
                }
                runs += 1;
            }
        }
    }
    runs
}

fn is_benign(warning: &Warning) -> bool {
    matches!(warning, Warning::NotConverged { .. } | Warning::StepTooLong { .. })
}

/// Bodies of every kind in single precision, curtains in double; the other way round too with `PLIANT_THOROUGH=1`.
#[test]
fn what_a_user_made_non_finite_is_set_back_and_nothing_else() {
    let (four, two) = (four_bodies(), two_curtains());
    let mut runs = vec![check_rollback::<f32>(&four), check_rollback::<f64>(&two)];
    if common::thorough() {
        runs.extend([check_rollback::<f64>(&four), check_rollback::<f32>(&two)]);
    }
    println!("{runs:?} runs");
    assert!(runs.iter().all(|&n| n > 50));
}

#[test]
fn an_absurd_velocity_stops_its_body_and_no_other() {
    fn check<S: Precision>(model: &Arc<Model>) {
        for (name, solver) in stable_solvers() {
            let Some(mut sim) = simulate::<S>(model, &solver) else { continue };
            let mut untouched = simulate::<S>(model, &solver).unwrap();
            sim.step();
            untouched.step();
            let body = 1;
            let vertex = model.bodies()[body].vertices.start + 2;
            for v in [1e30, -1e36] {
                sim.state_mut().velocities[vertex][0] = S::from_f64(v);
                let label = format!("velocity {v:e} under {name}, {}", S::NAME);
                let warnings = sim.step().warnings.clone();
                let named = |w: &Warning| matches!(*w, Warning::Unbounded { body: 1, vertex: v } if v == vertex);
                assert!(warnings.iter().any(named), "{label}: {warnings:?}");
                assert_eq!(first_non_finite(&sim), None, "{label}");
                untouched.step();
                if DECOUPLED_SOLVERS.contains(&name.as_str()) {
                    assert!(
                        other_bodies_bits(&sim, body) == other_bodies_bits(&untouched, body),
                        "{label}"
                    );
                }
            }
            // It goes on moving afterwards.
            let at = sim.state().positions[vertex];
            for _ in 0..3 {
                assert_eq!(sim.step().warnings.iter().find(|w| !is_benign(w)), None, "{name}");
            }
            assert!(sim.state().positions[vertex] != at, "{name}");
        }
    }
    check::<f32>(&four_bodies());
    check::<f64>(&four_bodies());
    check::<f32>(&two_curtains());
}

#[test]
fn a_body_that_explodes_in_the_step_is_rolled_back() {
    // A force that single precision cannot hold on one vertex of body 1.
    let mut scene = ModelBuilder::new();
    for k in 0..2 {
        let at = [k as f64, 0.0, 0.0];
        let cloth = scene.cloth(Grid::square(4).size(0.5).at(at), Fabric::cotton()).unwrap();
        // It would stop where it meets itself.
        scene.contact_material(&cloth, None);
    }
    scene.force(16 + 5, [0.0, 1e38, 0.0]).unwrap();
    let model = Arc::new(scene.build().unwrap());
    for (name, solver) in few_iteration_solvers() {
        let Some(mut sim) = simulate::<f32>(&model, &solver) else { continue };
        for _ in 0..3 {
            let warnings = sim.step().warnings.clone();
            let named = |w: &Warning| match *w {
                Warning::NonFiniteResult { body, .. } | Warning::Unbounded { body, .. } => {
                    body == 1
                }
                _ => false,
            };
            assert!(warnings.iter().any(named), "{name}: {warnings:?}");
            assert_eq!(first_non_finite(&sim), None, "{name}");
        }
        // The body stays where it was; under the solvers that keep bodies apart the other fell.
        let state = sim.state();
        assert_eq!(state.positions[16 + 5][1], 0.0, "{name}");
        if DECOUPLED_SOLVERS.contains(&name.as_str()) {
            assert!(state.positions[5][1] < -1e-3, "{name}: {}", state.positions[5][1]);
        }
    }
}

#[test]
fn no_state_makes_a_step_panic() {
    let model = four_bodies();
    for (name, solver) in few_iteration_solvers() {
        let Some(mut sim) = simulate::<f32>(&model, &solver) else { continue };
        let n = sim.state().positions.len();
        let finite = |sim: &mut Simulation<f32>, what: &str| {
            sim.step();
            assert_eq!(sim.state().positions.len(), n, "{name}: {what}");
            assert_eq!(sim.state().velocities.len(), n, "{name}: {what}");
            assert_eq!(first_non_finite(sim), None, "{name}: {what}");
        };
        finite(&mut sim, "nothing");
        sim.state_mut().positions.truncate(7);
        finite(&mut sim, "vertices taken away");
        sim.state_mut().velocities.push([0.0; 4]);
        finite(&mut sim, "a velocity too many");
        sim.state_mut().positions.fill([f32::MAX; 4]);
        finite(&mut sim, "the largest number everywhere");
        sim.state_mut().positions.fill([f32::NAN; 4]);
        finite(&mut sim, "NaN everywhere");
        sim.state_mut().positions[0][3] = f32::NAN;
        finite(&mut sim, "a NaN inverse mass");
        sim.state_mut().step = u64::MAX;
        finite(&mut sim, "the last step number");
        sim.state_mut().time = f64::NAN;
        finite(&mut sim, "a NaN time");
        sim.reset();
        finite(&mut sim, "a reset");
    }
}

#[test]
fn changing_the_solver_or_the_step_keeps_the_last_good_state() {
    let model = four_bodies();
    for change in [0, 1] {
        let mut sim = Simulation::new(model.clone(), ProjectiveDynamics::default()).unwrap();
        sim.step();
        sim.state_mut().positions[3][0] = f32::NAN;
        match change {
            0 => sim.set_solver(Xpbd::default()).unwrap(),
            _ => sim.set_time_step(0.01).unwrap(),
        }
        let expected = Warning::NonFiniteInput { body: 0, vertex: 3 };
        assert_eq!(sim.step().warning(), Some(expected));
        assert_eq!(first_non_finite(&sim), None);
    }
}

#[test]
fn an_inverse_mass_written_by_the_user_does_not_count() {
    let model = four_bodies();
    let mut sim = Simulation::new(model.clone(), Xpbd::default()).unwrap();
    let mut other = Simulation::new(model, Xpbd::default()).unwrap();
    sim.state_mut().positions[9][3] = 1e9;
    sim.step();
    other.step();
    assert_eq!(sim.hash(), other.hash());
}
