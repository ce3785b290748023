//! Contract: the same scene gives the same bits.
//!
//! * A2: on 1, 2, 3, 5, 8 and 16 threads, at every step, for meshes large enough that the work is
//!   really split, in colours and in blocks.
//! * A3: with scalar arithmetic and with packs, in both precisions, for every element.
//! * A1: on every machine and after every change: `golden/hashes.txt` holds the hash of the state
//!   after 100 steps of every small scene under every solver in both precisions.
//!
//! A change that is meant to alter results regenerates the golden hashes with
//!
//! ```text
//! PLIANT_UPDATE_GOLDEN=1 cargo test --release -p pliant --test suite determinism::golden
//! ```
//!
//! and its commit says why they changed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::common::{
    self, RandomGeometry, block, cloth, curtain, few_iteration_solvers, scenes, simulate,
};
use pliant::prelude::*;
use pliant::simd::Lanes;

const THREADS: [usize; 5] = [2, 3, 5, 8, 16];
/// Steps on each number of threads: a difference in one bit shows at once, and stays.
fn steps() -> usize {
    if common::thorough() { 50 } else { 20 }
}

/// Hashes after each of `steps` steps.
fn hashes<S: Precision>(
    model: &Arc<Model>,
    solver: &AnySolver,
    steps: usize,
    set: impl FnOnce(&mut Simulation<S>),
) -> Vec<u64> {
    let mut sim = simulate::<S>(model, solver).unwrap();
    set(&mut sim);
    let step = |_| {
        let report = sim.step();
        // Explicit steps may blow up; what is set back must be the same as well.
        let lame = |w: &pliant::Warning| matches!(w, pliant::Warning::NotConverged { .. });
        assert!(report.warnings.iter().all(lame) || matches!(solver, AnySolver::Explicit(_)));
        sim.hash()
    };
    (0..steps).map(step).collect()
}

/// Every number of threads gives the hashes of one.
fn same_on_any_threads<S: Precision>(
    what: &str,
    model: &Arc<Model>,
    solver: AnySolver,
    steps: usize,
) {
    let one = hashes::<S>(model, &solver, steps, |_| ());
    assert!(one.windows(2).all(|w| w[0] != w[1]), "{what}: the scene stands still");
    for threads in THREADS {
        let many = hashes::<S>(model, &solver, steps, |sim| {
            sim.set_threads(threads);
            assert_eq!(sim.exec().threads(), threads);
        });
        let first = one.iter().zip(&many).position(|(a, b)| a != b);
        assert_eq!(
            first,
            None,
            "{what} in {} on {threads} threads: first step that differs",
            S::NAME
        );
    }
}

/// The solvers that run large scenes, with few iterations.
fn quick_solvers() -> Vec<(&'static str, AnySolver)> {
    let pbd = |sweep| AnySolver::from(Pbd { iterations: 2, sweep, ..Pbd::default() });
    let projective =
        |integrator| ProjectiveDynamics { iterations: 2, integrator, ..Default::default() }.into();
    vec![
        ("projective", projective(Integrator::ImplicitEuler)),
        ("xpbd", Xpbd::new(2, 1).into()),
        ("pbd", pbd(Sweep::GaussSeidel)),
        ("pbd-jacobi", pbd(Sweep::Jacobi { alpha: 1.0 })),
        ("pbd-momentum", pbd(Sweep::JacobiMomentum)),
        ("symplectic", Explicit { substeps: 2, ..Explicit::symplectic() }.into()),
        ("verlet", Explicit { substeps: 2, ..Explicit::verlet() }.into()),
        ("projective@midpoint", projective(Integrator::ImplicitMidpoint)),
        ("projective@bdf2", projective(Integrator::Bdf2)),
        ("pbd-chebyshev", Pbd { iterations: 8, chebyshev: true, ..Pbd::jacobi() }.into()),
        ("vbd", Vbd { iterations: 2, ..Vbd::default() }.into()),
        ("vbd-chebyshev", Vbd { iterations: 8, chebyshev: true, ..Vbd::default() }.into()),
        ("hpbd", Hpbd { iterations: 2, ..Hpbd::default() }.into()),
    ]
}

#[test]
fn a_cloth_is_the_same_on_any_number_of_threads() {
    // 5184 vertices: beyond two blocks of 2048, and 10,082 triangles in about ten colours.
    let model = Arc::new(cloth(72));
    assert!(model.len() > 4096);
    for (name, solver) in quick_solvers() {
        same_on_any_threads::<f32>(&format!("cloth under {name}"), &model, solver, steps());
    }
}

#[test]
fn a_solid_is_the_same_on_any_number_of_threads() {
    let model = Arc::new(block(9));
    for (name, solver) in quick_solvers() {
        same_on_any_threads::<f32>(&format!("block under {name}"), &model, solver, steps());
    }
}

#[test]
fn a_curtain_is_the_same_on_any_number_of_threads() {
    let model = Arc::new(curtain(70));
    assert!(model.len() > 4096);
    for (name, solver) in quick_solvers() {
        same_on_any_threads::<f32>(&format!("curtain under {name}"), &model, solver, steps());
    }
    let solver = MassSpring { iterations: 2, ..Default::default() };
    same_on_any_threads::<f64>("curtain under mass_spring", &model, solver.into(), steps());
}

#[test]
fn newton_is_the_same_on_any_number_of_threads() {
    let solver = AnySolver::from(Newton { iterations: 2, ..Newton::default() });
    same_on_any_threads::<f64>("cloth under newton", &Arc::new(cloth(12)), solver.clone(), steps());
    same_on_any_threads::<f32>(
        "sheet under newton",
        &Arc::new(common::rubber_sheet(8)),
        solver,
        steps(),
    );
}

/// Eight steps; twenty with `PLIANT_THOROUGH=1`.
#[test]
fn packs_give_the_bits_of_scalars() {
    fn check<S: Precision>(scene: &str, model: &Arc<Model>) {
        let steps = if common::thorough() { 20 } else { 8 };
        for (name, solver) in few_iteration_solvers() {
            if simulate::<S>(model, &solver).is_none() {
                continue;
            }
            let packed = hashes::<S>(model, &solver, steps, |_| ());
            let scalar = hashes::<S>(model, &solver, steps, |sim| sim.set_lanes(Lanes::Scalar));
            let first = packed.iter().zip(&scalar).position(|(a, b)| a != b);
            assert_eq!(first, None, "{scene} under {name} in {}: first step that differs", S::NAME);
        }
    }
    for (scene, model) in scenes() {
        check::<f32>(scene, &model);
        check::<f64>(scene, &model);
    }
}

/// Many copies of every registered element, sharing vertices, far from rest: whole packs, split
/// packs and all lanes of every kernel.
#[test]
fn packs_give_the_bits_of_scalars_for_every_element() {
    fn check<S: Precision>(model: &Arc<Model>, what: &str) {
        for (name, solver) in few_iteration_solvers() {
            let Some(mut packed) = simulate::<S>(model, &solver) else { continue };
            let mut scalar = simulate::<S>(model, &solver).unwrap();
            scalar.set_lanes(Lanes::Scalar);
            for step in 0..if common::thorough() { 5 } else { 3 } {
                packed.step();
                scalar.step();
                assert_eq!(packed.hash(), scalar.hash(), "{what} under {name}, step {step}");
            }
        }
    }
    for info in pliant::elements::registry() {
        let n = info.points;
        let mut random = common::Random::new(13);
        let rest: Vec<[f64; 3]> = (0..6 * n).map(|_| random.point(1.0)).collect();
        let mut scene = ModelBuilder::new();
        let body = scene.points(&rest, &vec![0.1; rest.len()]).unwrap();
        for _ in 0..37 {
            let mut all: Vec<u32> = (0..rest.len() as u32).collect();
            (0..n).for_each(|k| all.swap(k, k + random.below(rest.len() - k)));
            let at: Vec<[f64; 3]> = all[..n].iter().map(|&v| rest[v as usize]).collect();
            scene.boxed_elements((info.sample)(&all[..n], &at, 1.0).unwrap());
        }
        for p in scene.positions_mut(&body) {
            *p = common::add(*p, random.point(0.2));
        }
        let model = Arc::new(scene.build().unwrap());
        check::<f32>(&model, info.name);
        check::<f64>(&model, info.name);
    }
}

fn golden_file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/hashes.txt")
}

#[test]
fn golden_hashes_have_not_changed() {
    const GOLDEN_STEPS: usize = 100;
    fn last<S: Precision>(model: &Arc<Model>, solver: &AnySolver) -> Option<u64> {
        let mut sim = simulate::<S>(model, solver)?;
        for _ in 0..GOLDEN_STEPS {
            sim.step();
        }
        Some(sim.hash())
    }
    fn all<S: Precision>() -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for (scene, model) in scenes() {
            for (name, solver) in few_iteration_solvers() {
                if let Some(hash) = last::<S>(&model, &solver) {
                    found.insert(format!("{scene} {name} {}", S::NAME), format!("{hash:016x}"));
                }
            }
        }
        found
    }
    let double = std::thread::spawn(all::<f64>);
    let mut found = all::<f32>();
    found.append(&mut double.join().unwrap());
    let lines: Vec<String> = found.iter().map(|(what, hash)| format!("{what} {hash}\n")).collect();
    let head = "# Hash of the state after 100 steps: scene, solver, precision, hash. How to renew them: \
                determinism.rs.\n";
    if std::env::var_os("PLIANT_UPDATE_GOLDEN").is_some() {
        std::fs::write(golden_file(), head.to_string() + &lines.concat()).unwrap();
    }
    let text = std::fs::read_to_string(golden_file()).unwrap();
    let stored: BTreeMap<String, String> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(what, hash)| (what.to_string(), hash.to_string()))
        .collect();
    let mut wrong = Vec::new();
    for (what, hash) in &found {
        match stored.get(what) {
            None => wrong.push(format!("{what}: no golden hash, found {hash}")),
            Some(golden) if golden != hash => {
                wrong.push(format!("{what}: golden {golden}, found {hash}"));
            }
            Some(_) => {}
        }
    }
    wrong.extend(
        stored.keys().filter(|w| !found.contains_key(*w)).map(|w| format!("{w}: no longer there")),
    );
    assert!(
        wrong.is_empty(),
        "results changed. If that was meant, renew the hashes with PLIANT_UPDATE_GOLDEN=1 and say \
         why in the commit:\n{}",
        wrong.join("\n")
    );
}
