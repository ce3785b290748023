//! Contract: accelerated local/global iterations reach the relative error of a hundred plain ones in
//! at most forty, and never do worse than the start, whatever the start.

use crate::common::{brief, five_steps, run, scrambled_block};
use pliant::ImplicitStep;
use pliant::prelude::*;
use pliant::solvers::Acceleration;

const FAST: [Acceleration; 3] =
    [Acceleration::Chebyshev, Acceleration::Anderson, Acceleration::Lbfgs];

fn solver(iterations: usize, acceleration: Acceleration) -> AnySolver {
    ProjectiveDynamics { iterations, acceleration, ..Default::default() }.into()
}

#[test]
fn forty_accelerated_iterations_reach_a_hundred_plain_ones() {
    let cases = [
        ("curtain", five_steps(pliant_scenes::curtain(21).unwrap(), 50)),
        ("twisting bar", five_steps(pliant_scenes::twisting_bar(1).unwrap(), 100)),
    ];
    let mut slow = Vec::new();
    for (name, steps) in cases {
        let best: Vec<f64> =
            steps.iter().map(|s| s.objective(&s.minimiser().unwrap(), false)).collect();
        let error = |n: usize, acceleration: Acceleration| {
            let gap = |(s, best): (&ImplicitStep<f64>, &f64)| {
                s.relative_energy_gap(&s.solve(&solver(n, acceleration)).unwrap().0, *best)
            };
            steps.iter().zip(&best).map(gap).sum::<f64>() / steps.len() as f64
        };
        let goal = error(100, Acceleration::Plain);
        for acceleration in FAST {
            let needed = (1..=60).find(|&n| error(n, acceleration) <= goal);
            let at = brief(&[10, 20, 40].map(|n| error(n, acceleration)));
            let name_of = acceleration.name();
            println!("{name}: {name_of} reaches {goal:.1e} in {needed:?}; at 10, 20, 40: {at}");
            if needed.is_none_or(|n| n > 40) {
                slow.push(format!("{name}: {name_of} {needed:?}"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn accelerated_iterations_never_raise_the_objective_from_any_start() {
    for start in 0..4 {
        for acceleration in FAST {
            for iterations in [1, 2, 7, 30] {
                let settings = solver(iterations, acceleration);
                let mut sim =
                    Simulation::<f64>::with_precision(scrambled_block(start), settings.clone())
                        .unwrap();
                for frame in 0..20 {
                    let step = ImplicitStep::from_simulation(&mut sim);
                    let first = step.objective(&step.predicted, true);
                    let last = step.objective(&step.solve(&settings).unwrap().0, true);
                    let name = acceleration.name();
                    assert!(
                        last <= first * (1.0 + 1e-9) + 1e-12,
                        "start {start}, {name}, {iterations} iterations, frame {frame}: {first:e} to {last:e}"
                    );
                    sim.step();
                }
            }
        }
    }
}

#[test]
fn accelerated_steps_have_the_same_bits_on_any_threads_and_after_a_restore() {
    for acceleration in FAST {
        let sim = || {
            let model = pliant_scenes::hanging_cloth(24).unwrap();
            Simulation::new(model, solver(12, acceleration)).unwrap()
        };
        let (mut one, mut three) = (sim(), sim());
        three.set_threads(3);
        for step in 0..20 {
            if step == 11 {
                let snapshot = three.snapshot();
                three = sim();
                three.restore(&snapshot).unwrap();
            }
            run(&mut one, 1);
            run(&mut three, 1);
            assert_eq!(one.hash(), three.hash(), "{}, step {step}", acceleration.name());
        }
        let named = AnySolver::by_name(one.solver().name()).unwrap();
        assert_eq!(named.with_iterations(12), *one.solver());
    }
}
