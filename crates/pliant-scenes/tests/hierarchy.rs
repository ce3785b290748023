//! Measures.
mod common;
use common::{farthest, positions, diagonal};
use pliant::prelude::*;

/// Largest and mean stretch of edges.
fn stretch(sim: &Simulation<f32>) -> (f64, f64) {
    let model = sim.model();
    let (x, rest) = (positions(sim), model.rest_positions());
    let (mut worst, mut sum, mut n) = (0.0_f64, 0.0, 0.0);
    for set in model.elements() {
        for e in 0..set.len() {
            let v = set.vertices(e);
            if v.len() > 3 { continue; }
            for (i, &a) in v.iter().enumerate() {
                for &b in &v[..i] {
                    let s = common::norm(common::sub(x[a as usize], x[b as usize])) / common::norm(common::sub(rest[a as usize], rest[b as usize])) - 1.0;
                    worst = worst.max(s);
                    sum += s.max(0.0);
                    n += 1.0;
                }
            }
        }
    }
    (worst, sum / n)
}

#[test]
fn measure() {
    for (scene, size) in [("hanging_cloth", 64), ("curtain", 65), ("rope", 129), ("cantilever", 4), ("cylinder_shell", 32)] {
        let build = pliant_scenes::by_name(scene).unwrap().build;
        let solvers: Vec<(String, AnySolver)> = vec![
            ("pbd 5".into(), Pbd { iterations: 5, ..Default::default() }.into()),
            ("pbd 10".into(), Pbd { iterations: 10, ..Default::default() }.into()),
            ("pbd 20".into(), Pbd { iterations: 20, ..Default::default() }.into()),
            ("pbd 100".into(), Pbd { iterations: 100, ..Default::default() }.into()),
            ("hpbd 2".into(), Hpbd { iterations: 2, ..Default::default() }.into()),
            ("hpbd 5".into(), Hpbd { iterations: 5, ..Default::default() }.into()),
            ("hpbd 5x2".into(), Hpbd { iterations: 5, sweeps: 2, ..Default::default() }.into()),
            ("hpbd 5 l2".into(), Hpbd { iterations: 5, levels: 2, ..Default::default() }.into()),
            ("hpbd 10".into(), Hpbd { iterations: 10, ..Default::default() }.into()),
            ("hpbd 20".into(), Hpbd { iterations: 20, ..Default::default() }.into()),
            ("pd 100".into(), ProjectiveDynamics { iterations: 100, ..Default::default() }.into()),
        ];
        let mut first: Option<Vec<[f64; 3]>> = None;
        for (name, solver) in solvers {
            let mut sim = Simulation::new(build(size).unwrap(), solver).unwrap();
            sim.set_diagnostics(false);
            let t = std::time::Instant::now();
            let mut warnings = 0;
            for _ in 0..300 { if sim.step().warning().is_some() { warnings += 1; } }
            let ms = t.elapsed().as_secs_f64() * 1e3 / 300.0;
            let (worst, mean) = stretch(&sim);
            let x = positions(&sim);
            let y = x.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
            let far = first.as_ref().map_or(0.0, |f| farthest(f, &x) / diagonal(f));
            if name == "pbd 100" { first = Some(x); }
            println!("{scene:16} {name:10} {ms:.3} ms  worst {:.1} %  mean {:.2} %  lowest {y:.3}  {far:.3} from pbd100, warnings {warnings}", 100.0 * worst, 100.0 * mean);
        }
    }
}
