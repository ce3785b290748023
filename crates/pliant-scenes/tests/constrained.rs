//! exploration
mod common;

use common::{brief, exact_newton, farthest, positions, run};
use pliant::OneStep;
use pliant::batch::Elements;
use pliant::elements::Spring;
use pliant::linalg::SaddleMethod;
use pliant::prelude::*;

/// A chain of `n` springs of 1 cm that starts horizontally.
fn chain(n: usize, heavy: f64, constant: f64) -> Model {
    let mut scene = ModelBuilder::new();
    let x: Vec<[f64; 3]> = (0..=n).map(|i| [0.01 * i as f64, 0.0, 0.0]).collect();
    let mut m = vec![1e-3; n + 1];
    m[n] *= heavy;
    scene.points(&x, &m).unwrap();
    let mut set = Elements::projective();
    for i in 0..n as u32 {
        set.push([i, i + 1], constant, Spring { length: 0.01 });
    }
    scene.elements(set);
    scene.pin(0);
    scene.build().unwrap()
}

fn stretch(x: &[[f64; 3]], l: f64) -> f64 {
    x.windows(2)
        .map(|w| (common::norm(common::sub(w[1], w[0])) / l - 1.0).abs())
        .fold(0.0, f64::max)
}

#[test]
fn explore_chain() {
    for (what, k, c) in [
        ("hard", 1e6, Constrained::hard()),
        ("1e12", 1e12, Constrained::default()),
        ("hard no geo", 1e6, Constrained { geometric: false, ..Constrained::hard() }),
    ] {
        for iterations in [1, 2, 3, 5, 10] {
            let c = Constrained { iterations, ..c };
            let mut sim = Simulation::<f64>::prepare(chain(100, 1000.0, k), c).unwrap();
            let mut worst = 0.0_f64;
            let mut v = 0.0_f64;
            let mut warned = 0;
            let t = std::time::Instant::now();
            for _ in 0..300 {
                warned += usize::from(sim.step().warning().is_some());
                worst = worst.max(stretch(&positions(&sim), 0.01));
                v = v.max(
                    common::velocities(&sim).iter().map(|v| common::norm(*v)).fold(0.0, f64::max),
                );
            }
            println!(
                "{what} {iterations}: stretch {worst:.2e} max v {v:.2} warned {warned} {:?}",
                t.elapsed() / 300
            );
        }
    }
}

#[test]
fn explore_newton() {
    let mut steps = Vec::new();
    for (name, model, frames) in [
        ("curtain", pliant_scenes::curtain(15), 15),
        ("bar", pliant_scenes::twisting_bar(1), 60),
        ("cloth", pliant_scenes::hanging_cloth(10), 20),
        ("edges", pliant_scenes::hanging_cloth_edges(10), 20),
    ] {
        let mut sim =
            Simulation::<f64>::prepare(model.unwrap(), ProjectiveDynamics::default()).unwrap();
        run(&mut sim, frames);
        steps.push((name, OneStep::next_of(&mut sim)));
    }
    for (name, step) in &steps {
        let best = step.solve(&exact_newton().into()).unwrap().0;
        let b = step.objective(&best, false);
        for geometric in [true, false] {
            let list: Vec<f64> = [1, 2, 3, 5, 10, 20, 50, 100, 200]
                .iter()
                .map(|&iterations| {
                    let (x, _) = step
                        .solve(&Constrained { iterations, geometric, ..Default::default() }.into())
                        .unwrap();
                    step.gap(&x, b)
                })
                .collect();
            println!("{name} geometric {geometric}: {}", brief(&list));
        }
        let t = std::time::Instant::now();
        let (x, s) =
            step.solve(&Constrained { iterations: 400, ..Default::default() }.into()).unwrap();
        let xyz = |x: &[[f64; 4]]| x.iter().map(|p| [p[0], p[1], p[2]]).collect::<Vec<_>>();
        println!(
            "{name}: distance {:.1e} residual {:.1e} {:?}",
            farthest(&xyz(&x), &xyz(&best)),
            s.residual,
            t.elapsed() / 400
        );
        let _ = SaddleMethod::Schur;
    }
}
