//! Measures.
mod common;
use common::{brief, run};
use pliant::OneStep;
use pliant::prelude::*;

fn steps(model: Model, frames: usize) -> Vec<OneStep<f64>> {
    let mut sim = Simulation::<f64>::prepare(model, ProjectiveDynamics { iterations: 100, ..Default::default() }).unwrap();
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
        ("cloth", steps(pliant_scenes::hanging_cloth(16).unwrap(), 50)),
    ];
    for (name, steps) in cases {
        for base in ["pbd", "pbd_jacobi", "pbd_momentum", "pbd_jacobi+chebyshev", "pbd_momentum+chebyshev"] {
            let error = |n: usize, objective: bool| {
                let of = |s: &OneStep<f64>| {
                    let x = s.solve(&AnySolver::by_name(base).unwrap().with_iterations(n)).unwrap().0;
                    if objective { s.objective(&x, false) } else { s.system.elastic_energy(&s.exec, &x) }
                };
                steps.iter().map(of).sum::<f64>() / steps.len() as f64
            };
            let counts = [0, 1, 2, 5, 10, 15, 20, 30, 40, 50, 70, 100, 200, 500];
            println!("{name} {base:24} E {}", brief(&counts.map(|n| error(n, false))));
            println!("{name} {base:24} g {}", brief(&counts.map(|n| error(n, true))));
        }
    }
}
