//! `pliant compare`: one scene under several solvers, measured against the converged solution.
//!
//! The reference is Newton's method to convergence in double precision. Two things are measured:
//!
//! * **runs**: every solver simulates the whole scene on its own (f32, as users run it): time per
//!   frame, distance from the reference at the end, difference in energy, stretch;
//! * **steps**: at several frames of the reference every solver solves the same implicit Euler step
//!   from the same start: the relative energy error of Fast Simulation of Mass-Spring Systems
//!   eq. (15), by iterations and by time.
//!
//! Explicit solvers do not iterate: they have no curves, and their runs take as many substeps as
//! they need to be stable.

mod explicit;
mod files;
mod steps;

use std::sync::Arc;
use std::time::Instant;

use pliant::prelude::*;
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST, Solver};
use pliant::{ImplicitStep, Model};
use serde_json::json;

use crate::args::CompareArgs;
use crate::error::CliError;
use crate::source;
use crate::ui::{Ui, format_table};
use steps::Curve;

/// Frames of the reference at which single steps are compared.
const SAMPLE_COUNT: usize = 8;

/// Measurements of one solver.
#[derive(Clone, Debug)]
pub struct Row {
    /// The solver.
    pub solver: String,
    /// Iterations per frame, all substeps together.
    pub iterations: usize,
    /// Median time of a frame \[ms\].
    pub ms: f64,
    /// Relative energy error of single steps, mean over the samples; NaN for explicit solvers.
    pub error: f64,
    /// Largest distance from the reference at the end \[m\].
    pub distance: f64,
    /// Difference to the reference's energy at the end, relative to the range of the reference's energy.
    pub energy_difference: f64,
    /// Largest stretch of an edge at the end, relative to its rest length.
    pub stretch: f64,
}

/// The reference run.
struct Reference {
    final_positions: Vec<[f64; 3]>,
    energy: f64,
    energy_range: f64,
    steps: Vec<ImplicitStep<f64>>,
    /// Objective at the minimiser of each sampled step \[J\].
    min_objectives: Vec<f64>,
}

/// Names of the requested solvers.
fn solver_names(args: &CompareArgs, ui: Ui) -> Vec<String> {
    if !args.all {
        return args.solvers.iter().map(|n| n.trim().to_owned()).collect();
    }
    let left_out = INTEGRATED.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ");
    ui.info(format!(
        "left out: {left_out}: they solve the steps of the same solvers without @, and their motion \
         is another one, which the reference says nothing about"
    ));
    LIST.iter().chain(ACCELERATED).map(|(n, _)| (*n).to_owned()).collect()
}

/// `pliant compare`.
pub fn compare(args: &CompareArgs, ui: Ui) -> Result<(), CliError> {
    if args.frames == 0 || args.solvers.is_empty() {
        return Err(CliError::invalid_input("give at least one frame and one solver"));
    }
    let scene = source::open(&args.scene, ui)?;
    let title = scene.name.clone();
    let mut solvers = Vec::new();
    for name in solver_names(args, ui) {
        solvers.push(scene.solver_named(&name, None, None)?);
    }
    let model = Arc::new(scene.model);
    ui.info(format!("the reference: Newton's method to convergence, {} frames", args.frames));
    let reference = reference(&model, args, ui)?;
    let (mut rows, mut curves, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    let mut ran = Vec::new();
    for solver in solvers {
        let name = solver.name();
        ui.info(format!("{name} …"));
        match measure(&model, &solver, &reference, args) {
            Ok((row, curve)) => {
                rows.push(row);
                ran.push(solver.clone());
                curves.extend(curve);
            }
            Err(e) => refused.push(format!("{name} cannot run this scene: {e}")),
        }
    }
    print_table(&rows, ui);
    for (row, solver) in rows.iter().zip(&ran) {
        if row.error.is_nan() {
            ui.info(format!(
                "{}: not in the charts, because it does not iterate; its run took {} substeps per frame",
                row.solver, row.iterations
            ));
        } else if solver.substeps() > 1 {
            ui.info(format!(
                "{}: the energy error is that of {} iterations in one step; its run took {} substeps",
                row.solver,
                row.iterations,
                solver.substeps()
            ));
        }
    }
    refused.iter().for_each(|line| ui.warn(line));
    if rows.is_empty() {
        return Err(CliError::invalid_input("none of the solvers can run this scene"));
    }
    let written = files::write(&args.out, &title, &rows, &curves)?;
    for path in written {
        ui.info(format!("wrote {}", path.display()));
    }
    Ok(())
}

fn converged_newton() -> Newton {
    Newton { iterations: 100, ..Newton::default() }
}

fn prepare<S: Precision>(
    model: &Arc<Model>,
    solver: AnySolver,
    args: &CompareArgs,
) -> Result<Simulation<S>, pliant::Error> {
    let mut sim = Simulation::<S>::with_precision(Arc::clone(model), solver)?;
    if let Some(dt) = args.dt {
        sim.set_time_step(dt)?;
    }
    Ok(sim)
}

fn reference(model: &Arc<Model>, args: &CompareArgs, ui: Ui) -> Result<Reference, CliError> {
    let mut sim =
        prepare::<f64>(model, converged_newton().into(), args).map_err(CliError::invalid_input)?;
    let samples = crate::film::evenly_spaced(args.frames, SAMPLE_COUNT);
    let mut steps = Vec::new();
    let (mut low, mut high) = (f64::MAX, f64::MIN);
    let mut progress = ui.progress(args.frames, 0);
    for frame in 0..args.frames {
        if samples.contains(&frame) {
            steps.push(ImplicitStep::from_simulation(&mut sim));
        }
        sim.step();
        let energy = sim.report().total_energy();
        (low, high) = (low.min(energy), high.max(energy));
        progress.update(frame + 1, "");
        if crate::run::stop_requested() {
            return Err(CliError {
                message: "stopped".to_owned(),
                code: crate::error::EXIT_INTERRUPTED,
            });
        }
    }
    let energy = sim.report().total_energy();
    let range = (high - low).max(1e-12);
    let mut best = Vec::new();
    for step in &steps {
        best.push(step.objective(&step.minimiser().map_err(CliError::failed)?, false));
    }
    Ok(Reference {
        final_positions: positions(&sim),
        energy,
        energy_range: range,
        steps,
        min_objectives: best,
    })
}

/// Measures a solver on single steps and on a run of the whole scene.
fn measure(
    model: &Arc<Model>,
    solver: &AnySolver,
    reference: &Reference,
    args: &CompareArgs,
) -> Result<(Row, Option<Curve>), pliant::Error> {
    if let AnySolver::Explicit(_) = solver {
        let solver = explicit::with_stable_substeps(model, solver, args)?;
        return Ok((run(model, &solver, f64::NAN, reference, args)?, None));
    }
    let curve = steps::curve(solver, &reference.steps, &reference.min_objectives)?;
    let solver = match args.budget {
        Some(ms) => within_budget(solver, &curve, ms),
        None => solver.clone(),
    };
    let error = steps::error_at(&solver, &reference.steps, &reference.min_objectives)?;
    Ok((run(model, &solver, error, reference, args)?, Some(curve)))
}

/// Runs the whole scene under a solver whose single-step error is already measured.
fn run(
    model: &Arc<Model>,
    solver: &AnySolver,
    error: f64,
    reference: &Reference,
    args: &CompareArgs,
) -> Result<Row, pliant::Error> {
    let mut sim = prepare::<f32>(model, solver.clone(), args)?;
    let mut times = Vec::new();
    for _ in 0..args.frames {
        let begin = Instant::now();
        sim.step();
        times.push(1e3 * begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let x = positions(&sim);
    let iterations = sim.report().iterations;
    let distance = |(a, b): (&[f64; 3], &[f64; 3])| length(*a, *b);
    Ok(Row {
        solver: solver.name().to_owned(),
        iterations,
        ms: times[times.len() / 2],
        error,
        distance: x.iter().zip(&reference.final_positions).map(distance).fold(0.0, f64::max),
        energy_difference: (sim.report().total_energy() - reference.energy)
            / reference.energy_range,
        stretch: max_stretch(model, &x),
    })
}

/// The solver with as many iterations as fit into `ms` milliseconds per frame, at least one.
fn within_budget(solver: &AnySolver, curve: &Curve, ms: f64) -> AnySolver {
    let substeps = solver.substeps().max(1) as f64;
    let most = (ms / (substeps * curve.ms_per_iteration().max(1e-6))).floor();
    solver.clone().with_iterations(most.clamp(1.0, 10_000.0) as usize)
}

fn positions<S: Precision>(sim: &Simulation<S>) -> Vec<[f64; 3]> {
    sim.state().positions.iter().map(|p| [p[0], p[1], p[2]].map(|c| c.to_f64())).collect()
}

fn length(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum::<f64>().sqrt()
}

/// Largest relative length change of any edge of a surface and any two-vertex element.
fn max_stretch(model: &Model, x: &[[f64; 3]]) -> f64 {
    let rest = model.rest_positions();
    let mut most: f64 = 0.0;
    let mut add = |a: u32, b: u32| {
        let (a, b) = (a as usize, b as usize);
        let (now, then) = (length(x[a], x[b]), length(rest[a], rest[b]));
        if then > 0.0 {
            most = most.max((now / then - 1.0).abs());
        }
    };
    for triangle in model.bodies().iter().flat_map(|b| &b.triangles) {
        for i in 0..3 {
            add(triangle[i], triangle[(i + 1) % 3]);
        }
    }
    for elements in model.elements() {
        for e in 0..elements.len() {
            if let [a, b] = elements.vertices(e) {
                add(*a, *b);
            }
        }
    }
    most
}

fn print_table(rows: &[Row], ui: Ui) {
    for r in rows {
        ui.print_json(&json!({
            "solver": r.solver, "iterations": r.iterations, "ms_per_frame": r.ms,
            "relative_energy_error": r.error, "max_position_error_m": r.distance,
            "energy_drift": r.energy_difference, "stretch": r.stretch,
        }));
    }
    if ui.json() || rows.is_empty() {
        return;
    }
    let cells = |r: &Row| {
        vec![
            r.solver.clone(),
            r.iterations.to_string(),
            format!("{:.3}", r.ms),
            if r.error.is_nan() { "–".to_owned() } else { format!("{:.1e}", r.error) },
            format!("{:.2}", 1e3 * r.distance),
            format!("{:+.2}", 100.0 * r.energy_difference),
            format!("{:.2}", 100.0 * r.stretch),
        ]
    };
    let head = [
        "solver",
        "iterations",
        "ms/frame",
        "energy error",
        "max error mm",
        "energy drift %",
        "stretch %",
    ];
    ui.print(format_table(&head, &rows.iter().map(cells).collect::<Vec<_>>()));
}
