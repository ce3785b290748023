//! Measures.
mod common;
use common::{brief, run};
use pliant::OneStep;
use pliant::prelude::*;

fn steps(model: Model, frames: usize) -> Vec<OneStep<f64>> {
    let settings = ProjectiveDynamics { iterations: 100, ..Default::default() };
    let mut sim = Simulation::<f64>::prepare(model, settings).unwrap();
    let mut list = Vec::new();
    for _ in 0..5 {
        run(&mut sim, frames / 5);
        list.push(OneStep::next_of(&mut sim));
    }
    list
}

#[test]
fn measure() {
    let cases = [
        ("curtain", steps(pliant_scenes::curtain(21).unwrap(), 50)),
        ("bar", steps(pliant_scenes::twisting_bar(1).unwrap(), 100)),
        ("cantilever", steps(pliant_scenes::cantilever(2).unwrap(), 100)),
        ("cloth", steps(pliant_scenes::hanging_cloth(16).unwrap(), 50)),
        ("edges", steps(pliant_scenes::hanging_cloth_edges(16).unwrap(), 50)),
    ];
    let counts = [1, 2, 5, 10, 20, 50, 100, 200, 400];
    for (name, steps) in cases {
        let best: Vec<f64> =
            steps.iter().map(|s| s.objective(&s.minimiser().unwrap(), false)).collect();
        let show = |label: &str, make: &dyn Fn(usize) -> AnySolver| {
            let time = std::time::Instant::now();
            let mut rises = 0;
            let mut last = vec![f64::INFINITY; steps.len()];
            let errors = counts.map(|n| {
                let mut sum = 0.0;
                for (i, (s, best)) in steps.iter().zip(&best).enumerate() {
                    let gap = s.gap(&s.solve(&make(n)).unwrap().0, *best);
                    if gap > last[i] * (1.0 + 1e-9) + 1e-12 { rises += 1; }
                    last[i] = gap;
                    sum += gap;
                }
                sum / steps.len() as f64
            });
            println!("{name:10} {label:24} {} rises {rises} {:.0} ms", brief(&errors), time.elapsed().as_secs_f64() * 1e3);
        };
        show("projective", &|n| ProjectiveDynamics { iterations: n, ..Default::default() }.into());
        for name in ["vbd", "vbd+chebyshev", "projective+anderson"] {
            show(name, &|n| AnySolver::by_name(name).unwrap().with_iterations(n));
        }
    }
}
