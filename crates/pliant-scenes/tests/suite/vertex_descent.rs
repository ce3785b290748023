//! Contract: vertex block descent minimises the objective of implicit Euler. Every sweep lowers it or
//! leaves it, sweeps lead to Newton's minimum, and no start makes it worse.

use crate::common::{self, brief, five_steps, run, scrambled_block};
use pliant::ImplicitStep;
use pliant::prelude::*;

fn vbd(iterations: usize, chebyshev: bool) -> AnySolver {
    Vbd { iterations, chebyshev, ..Vbd::default() }.into()
}

/// Steps of a net of springs, a twisted solid, and cloth with mean-curvature and dihedral bending.
fn cases() -> [(&'static str, Vec<ImplicitStep<f64>>); 4] {
    [
        ("curtain", five_steps(pliant_scenes::curtain(21).unwrap(), 50)),
        ("twisting bar", five_steps(pliant_scenes::twisting_bar(1).unwrap(), 100)),
        ("hanging cloth", five_steps(pliant_scenes::hanging_cloth(12).unwrap(), 50)),
        ("net of edges", five_steps(pliant_scenes::hanging_cloth_edges(12).unwrap(), 50)),
    ]
}

#[test]
fn the_energy_gap_falls_with_every_sweep_towards_zero() {
    for (name, steps) in cases() {
        let best: Vec<f64> =
            steps.iter().map(|s| s.objective(&s.minimiser().unwrap(), false)).collect();
        let gaps = |solver: AnySolver| -> Vec<f64> {
            let gap = |(s, best): (&ImplicitStep<f64>, &f64)| {
                s.relative_energy_gap(&s.solve(&solver).unwrap().0, *best)
            };
            steps.iter().zip(&best).map(gap).collect()
        };
        let mean = |gaps: &[f64]| gaps.iter().sum::<f64>() / gaps.len() as f64;
        let mut last = gaps(vbd(0, false));
        for n in 1..=60 {
            let now = gaps(vbd(n, false));
            for (i, (now, last)) in now.iter().zip(&last).enumerate() {
                assert!(
                    *now <= last * (1.0 + 1e-9),
                    "{name}, step {i}, sweep {n}: {last:e} to {now:e}"
                );
            }
            last = now;
        }
        let counts = [0, 1, 2, 5, 10, 20, 50, 100, 200, 400];
        let plain = counts.map(|n| mean(&gaps(vbd(n, false))));
        let fast = counts.map(|n| mean(&gaps(vbd(n, true))));
        println!("{name}, gap after {counts:?} sweeps: {}", brief(&plain));
        println!("{name}, the same with Chebyshev: {}", brief(&fast));
        // Measured: plain 1.8e-4, 3.1e-4, 2.6e-3, 1.4e-3; with Chebyshev at most 1.1e-9.
        assert!(plain[9] < 0.02, "{name}: {:e}", plain[9]);
        assert!(fast[9] < 1e-8, "{name}: {:e}", fast[9]);
        assert!(fast[7] < 0.2 * plain[7], "{name}: {:e} against {:e}", fast[7], plain[7]);
    }
}

#[test]
fn no_start_makes_the_objective_rise() {
    for start in 0..4 {
        for chebyshev in [false, true] {
            for iterations in [1, 2, 7, 30] {
                let settings = vbd(iterations, chebyshev);
                let mut sim =
                    Simulation::<f64>::with_precision(scrambled_block(start), settings.clone())
                        .unwrap();
                for frame in 0..20 {
                    let step = ImplicitStep::from_simulation(&mut sim);
                    let first = step.objective(&step.predicted, false);
                    let last = step.objective(&step.solve(&settings).unwrap().0, false);
                    assert!(
                        last <= first * (1.0 + 1e-9) + 1e-12,
                        "start {start}, {}, {iterations} sweeps, frame {frame}: {first:e} to {last:e}",
                        settings.name()
                    );
                    sim.step();
                }
            }
        }
    }
}

#[test]
fn a_body_that_falls_and_one_that_hangs_start_where_they_are_going() {
    // One sweep each: the block falls freely, the weight on its spring stays where it is.
    let mut scene = ModelBuilder::new();
    let place = TetBlock::new(2, 2, 2).size([0.1; 3]);
    let block = scene.solid(place, Solid::rubber()).unwrap();
    let pair = scene.points(&[[3.0, 0.0, 0.0], [3.0, -0.1, 0.0]], &[0.1, 0.1]).unwrap();
    let mut springs = pliant::batch::Elements::projective();
    // Stretched by its weight to where it starts: 0.1 kg · 9.81 m/s² / 1000 N/m.
    let at = pair.vertices().start as u32;
    springs.push([at, at + 1], 1000.0, pliant::elements::Spring { length: 0.1 - 0.981e-3 });
    scene.elements(springs);
    scene.pin(at as usize);
    let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), vbd(1, false)).unwrap();
    let before = common::positions(&sim);
    run(&mut sim, 10);
    let after = common::positions(&sim);
    let h = sim.time_step();
    let fall = 9.81 * h * h * (10.0 * 11.0 / 2.0);
    for v in block.vertices() {
        let error = (before[v][1] - after[v][1] - fall).abs();
        // Measured: 3e-15.
        assert!(error < 1e-12, "vertex {v}: {error:e}");
    }
    let hung = at as usize + 1;
    let moved = (after[hung][1] - before[hung][1]).abs();
    // Measured: 1e-16.
    assert!(moved < 1e-12, "{moved:e}");
}

#[test]
fn a_cluster_of_many_vertices_that_share_colours_lowers_the_objective() {
    // 60 vertices in one element: beyond what is coloured, so that all free ones move at once.
    let n = 60;
    let noise =
        |i: usize, k: usize| ((i * 7919 + k * 104_729 + 1) * 1_000_003 % 1009) as f64 / 1009.0;
    let points: Vec<[f64; 3]> = (0..n).map(|i| [noise(i, 0), noise(i, 1), noise(i, 2)]).collect();
    let mut coefficients = vec![1.0; n];
    coefficients[0] = 1.0 - n as f64;
    let ring = pliant::elements::RingBending { coefficients, curvature: 50.0 };
    let mut set = pliant::batch::Clusters::new();
    set.push((0..n as u32).collect(), 100.0, ring);
    let mut scene = ModelBuilder::new();
    scene.points(&points, &vec![0.01; n]).unwrap();
    scene.elements(set);
    scene.pin(3);
    let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), vbd(5, false)).unwrap();
    let step = ImplicitStep::from_simulation(&mut sim);
    let best = step.objective(&step.minimiser().unwrap(), false);
    let gaps: Vec<f64> = (0..=200)
        .map(|k| step.relative_energy_gap(&step.solve(&vbd(k, false)).unwrap().0, best))
        .collect();
    println!("gap by sweeps: {}", brief(&[gaps[0], gaps[1], gaps[10], gaps[100], gaps[200]]));
    for (k, pair) in gaps.windows(2).enumerate() {
        assert!(pair[1] <= pair[0] + 1e-12, "sweep {k}: {} to {}", pair[0], pair[1]);
    }
    assert!(gaps[200] < 1e-3, "{:e}", gaps[200]);
    run(&mut sim, 20);
}
