//! Sweep of iterations × substeps of every solver against the motion: the cheapest setting for an accuracy.

use std::sync::Arc;

use pliant::prelude::*;
use pliant::solvers::Solver;
use pliant::{Model, ReferenceMotion};
use pliant_render::chart::{Axis, Series};
use serde_json::json;

use super::motion::{SolverRun, refine, run};
use super::{check_interrupt, explicit, files};
use crate::args::CompareArgs;
use crate::error::CliError;
use crate::source::NamedSolver;
use crate::ui::{Ui, format_table};

/// Errors for which the cheapest setting is printed, in percent of the size.
const TARGETS: [f64; 4] = [10.0, 3.0, 1.0, 0.3];
/// Iterations per substep.
const ITERATIONS: [usize; 5] = [1, 2, 5, 10, 20];
/// Substeps per frame; of explicit solvers, multiples of what stability needs.
const SUBSTEPS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Error below which a solver is not refined further, in percent.
const GOOD_ENOUGH: f64 = 0.1;
/// Time of a frame above which more is not tried \[ms\].
const MAX_FRAME_MS: f64 = 300.0;

/// A setting and what it gives.
struct Setting {
    label: String,
    iterations: usize,
    substeps: usize,
    run: SolverRun,
    percent: f64,
}

/// Prints the cheapest settings for some errors and draws error against time.
pub fn frontier(
    title: &str,
    model: &Arc<Model>,
    entries: &[NamedSolver],
    args: &CompareArgs,
    ui: Ui,
) -> Result<(), CliError> {
    let dt = args.dt.unwrap_or(model.time_step());
    let mut reference = ReferenceMotion::new(Arc::clone(model), dt, args.frames);
    let good_enough = 0.01 * GOOD_ENOUGH * largest_body(model);
    let (x, _) = refine(&mut reference, |_, _| good_enough, ui)?;
    let (mut settings, mut refused) = (Vec::new(), Vec::new());
    for NamedSolver { label, solver } in entries {
        if let Err(e) = sweep(
            label,
            solver,
            model,
            args,
            ui,
            |run| {
                100.0
                    * reference
                        .error(run.trajectory.last().map_or(&[][..], Vec::as_slice), &x)
                        .relative_rms
            },
            &mut settings,
        )? {
            refused.push(format!("{label} skipped: {e}"));
        }
    }
    print_table(entries, &settings, ui);
    refused.iter().for_each(|line| ui.warn(line));
    if settings.is_empty() {
        return Err(CliError::invalid_input(
            "none of the solvers supports this scene; use others (--solvers)",
        ));
    }
    let mut table =
        "solver,iterations,substeps,ms_per_frame,error_percent_of_size,on_front\n".to_owned();
    let fronts = front(settings.iter());
    for s in &settings {
        let on_front = fronts.iter().any(|f| std::ptr::eq(*f, s));
        table += &format!(
            "{},{},{},{:.5},{:e},{on_front}\n",
            s.label, s.iterations, s.substeps, s.run.ms, s.percent
        );
    }
    let curve = |name: &str, front: Vec<&Setting>| {
        Series::new(name, front.iter().map(|s| [s.run.ms, s.percent]).collect::<Vec<_>>())
    };
    let own = entries.iter().map(|e| (e, front(settings.iter().filter(|s| s.label == e.label))));
    let own = own.filter(|(_, front)| !front.is_empty()).map(|(e, front)| curve(&e.label, front));
    let axes = [Axis::log("time per frame [ms]"), Axis::log("rms position error [% of the size]")];
    let chart = files::chart(&format!("{title}: error against time"), axes, own);
    let chart = chart.series(curve("front", fronts).dashed());
    files::write(&args.out, &[("frontier.csv", table)], &[("frontier", chart)], ui)
}

/// Longest side of the largest body \[m\].
fn largest_body(model: &Model) -> f64 {
    let rest = model.rest_positions();
    let side = |body: &pliant::BodyInfo, axis: usize| {
        let along = body.visible_vertices().map(|v| rest[v][axis]);
        let ends = along.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], c| [l.min(c), h.max(c)]);
        ends[1] - ends[0]
    };
    let sides = model.bodies().iter().flat_map(|body| (0..3).map(|axis| side(body, axis)));
    sides.fold(0.0, f64::max)
}

/// Runs a solver with growing substeps and iterations. The inner error is of a solver that refuses the scene.
fn sweep(
    label: &str,
    solver: &AnySolver,
    model: &Arc<Model>,
    args: &CompareArgs,
    ui: Ui,
    percent: impl Fn(&SolverRun) -> f64,
    settings: &mut Vec<Setting>,
) -> Result<Result<(), pliant::Error>, CliError> {
    ui.info(format!("{label} …"));
    let stable = match solver {
        AnySolver::Explicit(_) => match explicit::with_stable_substeps(model, solver, args) {
            Ok(stable) => stable.substeps(),
            Err(e) => return Ok(Err(e)),
        },
        _ => 1,
    };
    let iterations: &[usize] = match solver {
        AnySolver::Explicit(_) => &[1],
        // It iterates to a tolerance.
        AnySolver::Newton(newton) => &[newton.iterations],
        _ => &ITERATIONS,
    };
    for &iterations in iterations {
        for substeps in SUBSTEPS.map(|n| n * stable) {
            check_interrupt()?;
            let solver = solver.clone().with_iterations(iterations).with_substeps(substeps);
            let run = match run(model, label, &solver, args) {
                Ok(run) => run,
                Err(e) => return Ok(Err(e)),
            };
            let (percent, ms) = (percent(&run), run.ms);
            settings.push(Setting { label: label.to_owned(), iterations, substeps, run, percent });
            if ms > MAX_FRAME_MS || percent < GOOD_ENOUGH {
                break;
            }
        }
    }
    Ok(Ok(()))
}

/// Settings than which no other is both cheaper and nearer, from cheap to dear.
fn front<'a>(settings: impl Iterator<Item = &'a Setting>) -> Vec<&'a Setting> {
    let mut all: Vec<&Setting> = settings.filter(|s| s.percent.is_finite()).collect();
    all.sort_by(|a, b| a.run.ms.total_cmp(&b.run.ms));
    let mut least = f64::INFINITY;
    all.retain(|s| {
        let better = s.percent < least;
        least = least.min(s.percent);
        better
    });
    all
}

fn print_table(entries: &[NamedSolver], settings: &[Setting], ui: Ui) {
    let cheapest = |label: &str, target: f64| {
        let near = settings.iter().filter(|s| s.label == label && s.percent <= target);
        near.min_by(|a, b| a.run.ms.total_cmp(&b.run.ms))
    };
    let mut rows = Vec::new();
    for NamedSolver { label, .. } in entries {
        let mut cells = vec![label.clone()];
        for target in TARGETS {
            let found = cheapest(label, target);
            if let Some(s) = found {
                ui.print_json(&json!({
                    "solver": label, "target_percent": target, "iterations": s.iterations,
                    "substeps": s.substeps, "ms_per_frame": s.run.ms, "error_percent": s.percent,
                }));
            }
            cells.push(found.map_or("–".to_owned(), |s| {
                format!("{} × {}: {:.2} ms", s.iterations, s.substeps, s.run.ms)
            }));
        }
        rows.push(cells);
    }
    if !ui.json() {
        let head = ["solver", "10 %", "3 %", "1 %", "0.3 %"];
        ui.print(format_table(&head, &rows));
        ui.print("cheapest iterations × substeps and their time per frame, for an rms error in percent of the size");
    }
}
