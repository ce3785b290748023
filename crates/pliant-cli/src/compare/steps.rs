//! Single implicit Euler steps against their minimisers, by iterations and by time.

use std::sync::Arc;
use std::time::Instant;

use pliant::prelude::*;
use pliant::solvers::Solver;
use pliant::{ImplicitStep, Model};
use pliant_render::Chart;
use pliant_render::chart::{Axis, Series};
use serde_json::json;

use super::{check_interrupt, files, prepare};
use crate::args::CompareArgs;
use crate::error::CliError;
use crate::source::NamedSolver;
use crate::ui::{Ui, format_table};

/// Frames at which single steps are compared.
const SAMPLE_COUNT: usize = 8;

/// Gradient of a minimiser, relative to that at the predicted positions, up to which it counts as solved.
const MAX_RELATIVE_GRADIENT: f64 = 1e-8;

/// Smallest plotted error: values below are rounding and would stretch the axis.
const MIN_PLOTTED_ERROR: f64 = 1e-12;

/// Iterations at which the error is measured.
const ITERATION_COUNTS: [usize; 9] = [1, 2, 3, 5, 10, 20, 50, 100, 200];

/// Rounding level of the error; more iterations add no information.
const ROUNDING_ERROR: f64 = 1e-13;

/// Longest useful time of a step \[ms\]; slower settings are not measured.
const MAX_STEP_MS: f64 = 300.0;

/// Error and time of a solver at growing numbers of iterations.
struct Curve {
    /// The solver, with its settings.
    solver: String,
    /// Iterations, mean time of a step \[ms\] and mean relative energy error, up to the point where the
    /// step is solved or takes too long.
    points: Vec<(usize, f64, f64)>,
}

/// Single steps with the objectives at their minimisers \[J\].
struct Samples {
    steps: Vec<ImplicitStep<f64>>,
    best: Vec<f64>,
}

/// Measures a solver on steps.
fn curve(label: &str, solver: &AnySolver, samples: &Samples) -> Result<Curve, pliant::Error> {
    let Samples { steps, best } = samples;
    let mut points = Vec::new();
    for n in ITERATION_COUNTS {
        let settings = one_substep(solver, n);
        let (mut ms, mut error) = (0.0, 0.0);
        for (step, &best) in steps.iter().zip(best) {
            let mut prepared = step.prepare(&settings)?;
            let mut x = step.predicted.clone();
            ms += min_time_ms(|| step.solve_with(&mut *prepared, &mut x)) / steps.len() as f64;
            error += step.relative_energy_gap(&x, best).max(0.0) / steps.len() as f64;
        }
        points.push((n, ms, error));
        if error < ROUNDING_ERROR || ms > MAX_STEP_MS {
            break;
        }
    }
    Ok(Curve { solver: label.to_owned(), points })
}

/// Shortest time of several runs \[ms\]: other load on the machine only adds time. Long runs are timed
/// twice.
fn min_time_ms<T>(mut run: impl FnMut() -> T) -> f64 {
    let mut least = f64::MAX;
    let mut total = 0.0;
    for k in 0..5 {
        let begin = Instant::now();
        run();
        let ms = 1e3 * begin.elapsed().as_secs_f64();
        (least, total) = (least.min(ms), total + ms);
        if k > 0 && total > 20.0 {
            break;
        }
    }
    least
}

/// The solver with all iterations in one substep, the step that is measured. Newton runs a fixed number of
/// iterations.
fn one_substep(solver: &AnySolver, iterations: usize) -> AnySolver {
    match solver.clone().with_iterations(iterations).with_substeps(1) {
        AnySolver::Newton(n) => Newton { tolerance: 0.0, ..n }.into(),
        other => other,
    }
}

impl Curve {
    /// Time of an iteration \[ms\].
    fn ms_per_iteration(&self) -> f64 {
        let (n, ms, _) = self.points[self.points.len() / 2];
        ms / n as f64
    }
}

/// Mean error and time \[ms\] of a step with the solver's own iterations of a frame.
fn measure(solver: &AnySolver, samples: &Samples) -> Result<(f64, f64), pliant::Error> {
    let (mut error, mut ms) = (0.0, 0.0);
    let count = samples.steps.len() as f64;
    let settings = solver
        .clone()
        .with_iterations(solver.iterations() * solver.substeps().max(1))
        .with_substeps(1);
    for (step, &best) in samples.steps.iter().zip(&samples.best) {
        let mut prepared = step.prepare(&settings)?;
        let mut x = step.predicted.clone();
        ms += min_time_ms(|| step.solve_with(&mut *prepared, &mut x)) / count;
        error += step.relative_energy_gap(&x, best).max(0.0) / count;
    }
    Ok((error, ms))
}

/// Steps of Newton's run, with their minimisers verified.
fn samples(model: &Arc<Model>, args: &CompareArgs, ui: Ui) -> Result<Samples, CliError> {
    let newton = Newton { iterations: 100, ..Newton::default() };
    let mut sim = prepare::<f64>(model, newton.into(), args).map_err(CliError::invalid_input)?;
    let frames = crate::film::evenly_spaced(args.frames, SAMPLE_COUNT);
    let mut samples = Samples { steps: Vec::new(), best: Vec::new() };
    let (mut worst, mut resolution, mut flights) = (0.0_f64, 0.0_f64, 0);
    let progress = ui.progress(args.frames, 0);
    for frame in 0..args.frames {
        if frames.contains(&frame) {
            let step = ImplicitStep::from_simulation(&mut sim);
            let mut minimiser = step.minimiser().map_err(CliError::failed)?;
            let mut best = step.objective(&minimiser, false);
            if step.has_energy_gap(best) {
                let first = step.gradient_norm(&step.predicted).max(f64::MIN_POSITIVE);
                if step.gradient_norm(&minimiser) > MAX_RELATIVE_GRADIENT * first {
                    // A second run with more iterations says how far the first one was off.
                    let tighter =
                        Newton { iterations: 2000, tolerance: 1e-14, ..Newton::default() };
                    let (x, _) = step.solve(&tighter.into()).map_err(CliError::failed)?;
                    let least = step.objective(&x, false).min(best);
                    resolution = resolution.max(step.relative_energy_gap(&minimiser, least));
                    (minimiser, best) = (x, least);
                }
                worst = worst.max(step.gradient_norm(&minimiser) / first);
                samples.steps.push(step);
                samples.best.push(best);
            } else {
                flights += 1;
            }
        }
        sim.step();
        progress.update(frame + 1, String::new());
        check_interrupt()?;
    }
    ui.info(format!(
        "reference: the minimisers of {} steps by newton, f64; largest gradient {worst:.1e} of that at the \
         predicted positions",
        samples.steps.len()
    ));
    if model.can_collide() {
        ui.info("contact is not part of the compared steps; --reference motion includes it");
    }
    if flights > 0 {
        ui.info(format!(
            "{flights} steps excluded: the predicted positions solve them, as in free flight, so that \
             the denominator of the error is zero"
        ));
    }
    if worst > MAX_RELATIVE_GRADIENT {
        ui.warn(format!(
            "newton does not solve all steps to a gradient of {MAX_RELATIVE_GRADIENT:e}: ten times the iterations \
             lowered the error by {resolution:.1e}, and errors below {:.1e} are not resolved",
            10.0 * resolution
        ));
    }
    if samples.steps.is_empty() {
        return Err(CliError::failed(
            "no step of this scene can be compared; use --reference motion",
        ));
    }
    Ok(samples)
}

/// Compares the solvers on single steps.
pub fn compare(
    title: &str,
    model: &Arc<Model>,
    entries: &[NamedSolver],
    args: &CompareArgs,
    ui: Ui,
) -> Result<(), CliError> {
    let samples = samples(model, args, ui)?;
    let (mut rows, mut curves, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for NamedSolver { label, solver } in entries {
        check_interrupt()?;
        if let AnySolver::Explicit(_) = solver {
            refused.push(format!(
                "{label} skipped: it does not solve the implicit step; --reference motion measures it"
            ));
            continue;
        }
        ui.info(format!("{label} …"));
        let measured = curve(label, solver, &samples).and_then(|curve| {
            let solver = match args.budget {
                Some(ms) => within_budget(solver, &curve, ms),
                None => solver.clone(),
            };
            Ok((measure(&solver, &samples)?, solver.iterations() * solver.substeps().max(1), curve))
        });
        match measured {
            Ok(((error, ms), iterations, curve)) => {
                rows.push((label.clone(), iterations, ms, error));
                curves.push(curve);
            }
            Err(e) => refused.push(format!("{label} skipped: {e}")),
        }
    }
    print_table(&rows, ui);
    refused.iter().for_each(|line| ui.warn(line));
    if rows.is_empty() {
        return Err(CliError::invalid_input(
            "none of the solvers supports this scene; use others (--solvers)",
        ));
    }
    let mut table = "solver,iterations,ms_per_step,relative_energy_error\n".to_owned();
    for (solver, iterations, ms, error) in &rows {
        table += &format!("{solver},{iterations},{ms:.5},{error:e}\n");
    }
    let mut points = "solver,iterations,ms,relative_energy_error\n".to_owned();
    for curve in &curves {
        for (n, ms, error) in &curve.points {
            points += &format!("{},{n},{ms:.5},{error:e}\n", curve.solver);
        }
    }
    let x = [Axis::log("iterations"), Axis::log("time per step [ms]")];
    let [by_iterations, by_time] = x;
    let charts = [
        ("error-iterations", draw(title, "iterations", by_iterations, &curves, |p| p.0 as f64)),
        ("error-time", draw(title, "time", by_time, &curves, |p| p.1)),
    ];
    files::write(&args.out, &[("table.csv", table), ("curves.csv", points)], &charts, ui)
}

/// The solver with as many iterations as fit into `ms` milliseconds per frame, at least one.
fn within_budget(solver: &AnySolver, curve: &Curve, ms: f64) -> AnySolver {
    let substeps = solver.substeps().max(1) as f64;
    let most = (ms / (substeps * curve.ms_per_iteration().max(1e-6))).floor();
    solver.clone().with_iterations(most.clamp(1.0, 10_000.0) as usize)
}

/// Chart of the error over the quantity that `along` reads from a point.
fn draw(
    title: &str,
    over: &str,
    x: Axis,
    curves: &[Curve],
    along: fn(&(usize, f64, f64)) -> f64,
) -> Chart {
    let series = curves.iter().map(|curve| {
        let points = curve.points.iter().map(|p| [along(p), p.2.max(MIN_PLOTTED_ERROR)]);
        Series::new(&curve.solver, points)
    });
    let y = Axis::log("relative energy error");
    files::chart(&format!("{title}: error over {over}"), [x, y], series)
}

fn print_table(rows: &[(String, usize, f64, f64)], ui: Ui) {
    for (solver, iterations, ms, error) in rows {
        ui.print_json(&json!({
            "solver": solver, "iterations": iterations, "ms_per_step": ms,
            "relative_energy_error": error,
        }));
    }
    if ui.json() || rows.is_empty() {
        return;
    }
    let cells = |(solver, iterations, ms, error): &(String, usize, f64, f64)| {
        let error = match *error {
            error if error < ROUNDING_ERROR => format!("< {ROUNDING_ERROR:e}"),
            error => format!("{error:.1e}"),
        };
        vec![solver.clone(), iterations.to_string(), format!("{ms:.3}"), error]
    };
    let head = ["solver", "iterations", "ms/step", "energy error"];
    ui.print(format_table(&head, &rows.iter().map(cells).collect::<Vec<_>>()));
}
