//! `pliant bench`: times the scenes under the solvers on this machine.

use std::time::Instant;

use pliant::Simulation;
use pliant::solvers::AnySolver;
use serde_json::json;

use crate::args::BenchArgs;
use crate::error::CliError;
use crate::source::{NamedSolver, did_you_mean};
use crate::ui::{Ui, format_table};

/// `pliant bench`: prints the median time of a frame.
pub fn bench(args: &BenchArgs, ui: Ui) -> Result<(), CliError> {
    let parse = |text: &String| NamedSolver::parse(text, AnySolver::by_name);
    let solvers = args.solvers.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    let mut scenes = Vec::new();
    for name in &args.scenes {
        scenes.push(pliant_scenes::by_name(name).ok_or_else(|| {
            let names: Vec<&str> = pliant_scenes::all().iter().map(|s| s.name).collect();
            CliError::invalid_input(format!(
                "there is no scene \"{name}\"{}",
                did_you_mean(name, &names)
            ))
        })?);
    }
    if scenes.is_empty() {
        scenes = pliant_scenes::all().iter().collect();
    }
    if args.frames == 0 || args.threads == 0 {
        return Err(CliError::invalid_input("--frames and --threads must be at least 1"));
    }
    let mut rows = Vec::new();
    for scene in scenes {
        for NamedSolver { label: name, solver } in &solvers {
            let model = (scene.build)(scene.default_size).map_err(CliError::failed)?;
            let vertices = model.len();
            // A solver that refuses a scene prints its reason; the others continue.
            let time = match Simulation::new(model, solver.clone()) {
                Ok(sim) => Ok(median_ms(sim, args)),
                Err(e) => Err(e.to_string()),
            };
            ui.print_json(&json!({
                "scene": scene.name, "solver": name, "vertices": vertices,
                "threads": args.threads, "ms_per_frame": time.as_ref().ok(),
            }));
            let (ms, rate) = match &time {
                Ok(ms) => (format!("{ms:.3}"), format!("{:.0}", 1e3 / ms)),
                Err(_) => ("—".to_owned(), "—".to_owned()),
            };
            rows.push(vec![scene.name.to_owned(), name.clone(), vertices.to_string(), ms, rate]);
        }
    }
    if !ui.json() {
        let head = ["scene", "solver", "vertices", "ms/frame", "frames/s"];
        ui.print(format_table(&head, &rows));
    }
    Ok(())
}

fn median_ms(mut sim: Simulation, args: &BenchArgs) -> f64 {
    sim.set_threads(args.threads);
    sim.set_diagnostics(false);
    sim.step();
    let mut times: Vec<f64> = (0..args.frames)
        .map(|_| {
            let begin = Instant::now();
            sim.step();
            1e3 * begin.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
