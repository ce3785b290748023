//! Whole runs against the scene's motion: the limit of ever shorter time steps.

use std::sync::Arc;
use std::time::Instant;

use pliant::prelude::*;
use pliant::solvers::Solver;
use pliant::{Model, ReferenceMotion, Trajectory};
use pliant_io::skin::Skin;
use pliant_render::Chart;
use pliant_render::chart::{Axis, Series};
use serde_json::json;

use super::{check_interrupt, explicit, files, max_stretch, pictures, positions, prepare};
use crate::args::CompareArgs;
use crate::error::CliError;
use crate::source::NamedSolver;
use crate::ui::{Ui, format_table};

/// Ratio of the reference's changes at two halvings of the time step above which it does not converge, if it happens twice.
const NO_CONVERGENCE: f64 = 0.8;
/// Substeps per frame from which that is believed: with fewer, each halving lets modes ring that were damped before.
const MIN_STALLED_SUBSTEPS: usize = 64;
/// Substeps per frame of the reference, at most.
const MAX_REFERENCE_SUBSTEPS: usize = 256;
/// Error of the reference relative to the smallest that is measured, at most.
const REFERENCE_SHARE: f64 = 0.1;
/// Range of the energy, relative to its amount, below which a difference says nothing.
const MIN_ENERGY_RANGE: f64 = 1e-6;

/// A run of a solver.
pub struct SolverRun {
    /// The solver, with its settings.
    pub label: String,
    /// Iterations per substep; the average if it iterates to a tolerance.
    pub iterations: f64,
    /// Substeps per frame.
    pub substeps: usize,
    /// Median time of a frame \[ms\].
    pub ms: f64,
    /// Positions at the end of each frame.
    pub trajectory: Trajectory,
    /// Energy at the end \[J\].
    pub energy: f64,
    /// Largest stretch of an edge at the end.
    pub stretch: f64,
}

/// Runs the scene under a solver.
pub fn run(
    model: &Arc<Model>,
    label: &str,
    solver: &AnySolver,
    args: &CompareArgs,
) -> Result<SolverRun, pliant::Error> {
    let mut sim = prepare::<f32>(model, solver.clone(), args)?;
    let (mut times, mut trajectory, mut iterations) = (Vec::new(), Vec::new(), 0);
    for _ in 0..args.frames {
        let begin = Instant::now();
        let report = sim.step();
        times.push(1e3 * begin.elapsed().as_secs_f64());
        iterations += report.iterations;
        trajectory.push(positions(&sim));
    }
    times.sort_by(f64::total_cmp);
    let substeps = solver.substeps().max(1);
    Ok(SolverRun {
        label: label.to_owned(),
        iterations: iterations as f64 / (substeps * args.frames) as f64,
        substeps,
        ms: times[times.len() / 2],
        energy: sim.report().total_energy(),
        stretch: trajectory.last().map_or(0.0, |x| max_stretch(model, x)),
        trajectory,
    })
}

/// The solver with the substeps that stability needs, and with the iterations that fit into a budget.
fn fit_settings(
    model: &Arc<Model>,
    solver: &AnySolver,
    args: &CompareArgs,
) -> Result<AnySolver, pliant::Error> {
    if let AnySolver::Explicit(_) = solver {
        return explicit::with_stable_substeps(model, solver, args);
    }
    let Some(budget) = args.budget else { return Ok(solver.clone()) };
    let some = CompareArgs { frames: args.frames.min(5), ..args.clone() };
    let trial = run(model, "", solver, &some)?;
    let fitting = (solver.iterations() as f64 * budget / trial.ms.max(1e-6)).floor();
    Ok(solver.clone().with_iterations(fitting.clamp(1.0, 10_000.0) as usize))
}

/// Refines the reference until its own error at the end is a tenth of the smallest that it measures, which `smallest`
/// returns for its positions \[m\]. Says what the error is; returns the positions and the error.
pub fn refine(
    reference: &mut ReferenceMotion,
    smallest: impl Fn(&ReferenceMotion, &[[f64; 3]]) -> f64,
    ui: Ui,
) -> Result<(Vec<[f64; 3]>, f64), CliError> {
    let (frames, last) = (reference.frames(), reference.frames() - 1);
    let mut changes: Vec<f64> = Vec::new();
    loop {
        if let Some((x, error)) = reference.positions(last) {
            let resolved = error.rms <= REFERENCE_SHARE * smallest(reference, &x);
            changes.push(error.rms);
            let stalled = match changes[..] {
                [.., a, b, c] if reference.substeps() >= MIN_STALLED_SUBSTEPS => {
                    b > NO_CONVERGENCE * a && c > NO_CONVERGENCE * b
                }
                _ => false,
            };
            if resolved || stalled || reference.substeps() >= MAX_REFERENCE_SUBSTEPS {
                let (unconverged, residual) = reference.convergence();
                let (substeps, mm) = (reference.substeps(), 1e3 * error.rms);
                ui.info(format!(
                    "reference: newton, f64, {substeps} substeps per frame; doubling them changed it by {mm:.4} mm \
                     (rms, at the end); largest residual force {residual:.1e} N; {unconverged} of {frames} frames \
                     not converged"
                ));
                let unresolved = mm / REFERENCE_SHARE;
                if stalled && !resolved {
                    ui.warn(format!(
                        "the motion does not converge as the time step goes to zero (contact, buckling): the reference \
                         is accurate to {mm:.3} mm, and errors below {unresolved:.3} mm are not resolved"
                    ));
                } else if !resolved {
                    ui.warn(format!(
                        "the reference is accurate to {mm:.4} mm only: errors below {unresolved:.3} mm are not resolved"
                    ));
                }
                return Ok((x, error.rms));
            }
        }
        let complete = reference.refine(|substeps, frame| {
            if frame == 1 {
                ui.info(format!("reference with {substeps} substeps per frame …"));
            }
            frame == frames || !crate::run::stop_requested()
        });
        if !complete.map_err(CliError::invalid_input)? {
            check_interrupt()?;
        }
    }
}

/// Error of a run at the end.
struct Row {
    run: SolverRun,
    rms: f64,
    max: f64,
    percent: f64,
    /// Difference to the reference's energy, relative to its range; NaN if it hardly changes.
    energy: f64,
}

/// Compares the solvers.
pub fn compare(
    title: &str,
    model: &Arc<Model>,
    skins: &[Skin],
    entries: &[NamedSolver],
    args: &CompareArgs,
    ui: Ui,
) -> Result<(), CliError> {
    let dt = args.dt.unwrap_or(model.time_step());
    let mut reference = ReferenceMotion::new(Arc::clone(model), dt, args.frames);
    let (mut runs, mut refused) = (Vec::new(), Vec::new());
    for NamedSolver { label, solver } in entries {
        check_interrupt()?;
        ui.info(format!("{label} …"));
        match fit_settings(model, solver, args).and_then(|solver| run(model, label, &solver, args))
        {
            Ok(run) => runs.push(run),
            Err(e) => refused.push(format!("{label} skipped: {e}")),
        }
    }
    if runs.is_empty() {
        refused.iter().for_each(|line| ui.warn(line));
        return Err(CliError::invalid_input(
            "none of the solvers supports this scene; use others (--solvers)",
        ));
    }
    let smallest = |reference: &ReferenceMotion, x: &[[f64; 3]]| {
        let errors =
            runs.iter().map(|run| reference.error(&run.trajectory[args.frames - 1], x).rms);
        errors.fold(f64::INFINITY, f64::min)
    };
    let (x, reference_error) = refine(&mut reference, smallest, ui)?;
    let energy = reference.energy(args.frames - 1).unwrap_or(f64::NAN);
    let range = reference.energy_range();
    let range = if range > MIN_ENERGY_RANGE * energy.abs() { range } else { f64::NAN };
    let rows: Vec<Row> = runs
        .into_iter()
        .map(|run| {
            let error = reference.error(&run.trajectory[args.frames - 1], &x);
            let energy = (run.energy - energy) / range;
            Row { rms: error.rms, max: error.max, percent: 100.0 * error.relative_rms, energy, run }
        })
        .collect();
    print_table(&rows, reference_error, ui);
    if range.is_nan() {
        ui.info("energy errors omitted: the energy of this motion is nearly constant");
    }
    refused.iter().for_each(|line| ui.warn(line));
    let chart = over_time(title, &rows, &reference, dt);
    let tables = [("table.csv", csv(&rows))];
    files::write(&args.out, &tables, &[("error-motion", chart)], ui)?;
    let captions: Vec<String> = rows
        .iter()
        .map(|row| format!("{}   rms error {:.1} %", row.run.label, row.percent))
        .collect();
    let runs = captions
        .iter()
        .zip(&rows)
        .map(|(caption, row)| (caption.as_str(), row.run.trajectory[args.frames - 1].as_slice()));
    let ends: Vec<_> = std::iter::once(("reference", x.as_slice())).chain(runs).collect();
    let time = dt * args.frames as f64;
    pictures::write(&args.out.join("bodies.png"), title, skins, time, &ends, ui)
}

/// Chart of the error over time.
fn over_time(title: &str, rows: &[Row], reference: &ReferenceMotion, dt: f64) -> Chart {
    let frames: Vec<Vec<[f64; 3]>> =
        (0..reference.frames()).filter_map(|k| reference.positions(k)).map(|(x, _)| x).collect();
    let axes = [Axis::linear("time [s]"), Axis::log("rms position error [% of the size]")];
    let curves = rows.iter().map(|row| {
        let errors = row.run.trajectory.iter().zip(&frames).enumerate();
        let percent = errors
            .map(|(k, (x, y))| [dt * (k + 1) as f64, 100.0 * reference.error(x, y).relative_rms]);
        Series::new(&row.run.label, percent.collect::<Vec<_>>())
    });
    files::chart(&format!("{title}: distance from the motion"), axes, curves)
}

fn csv(rows: &[Row]) -> String {
    let mut text = "solver,iterations,substeps,ms_per_frame,rms_error_m,max_error_m,error_percent_of_size,energy_error,\
                    stretch\n"
        .to_owned();
    for Row { run, rms, max, percent, energy } in rows {
        text += &format!(
            "{},{:.1},{},{:.5},{rms:e},{max:e},{percent:e},{energy:e},{:e}\n",
            run.label, run.iterations, run.substeps, run.ms, run.stretch
        );
    }
    text
}

fn print_table(rows: &[Row], reference_error: f64, ui: Ui) {
    for Row { run, rms, max, percent, energy } in rows {
        ui.print_json(&json!({
            "solver": run.label, "iterations": run.iterations, "substeps": run.substeps,
            "ms_per_frame": run.ms, "rms_error_m": rms, "max_error_m": max,
            "error_percent_of_size": percent, "energy_error": energy, "stretch": run.stretch,
            "reference_error_m": reference_error,
        }));
    }
    if ui.json() {
        return;
    }
    let cells = |row: &Row| {
        vec![
            row.run.label.clone(),
            format!("{:.0} × {}", row.run.iterations, row.run.substeps),
            format!("{:.3}", row.run.ms),
            format!("{:.3}", 1e3 * row.rms),
            format!("{:.3}", 1e3 * row.max),
            format!("{:.3}", row.percent),
            if row.energy.is_nan() {
                "–".to_owned()
            } else {
                format!("{:+.2}", 100.0 * row.energy)
            },
            format!("{:.2}", 100.0 * row.run.stretch),
        ]
    };
    let head = [
        "solver",
        "iterations × substeps",
        "ms/frame",
        "rms error mm",
        "max error mm",
        "% of size",
        "energy error %",
        "stretch %",
    ];
    ui.print(format_table(&head, &rows.iter().map(cells).collect::<Vec<_>>()));
}
