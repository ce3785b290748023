//! `pliant compare`: one scene under several solvers, measured against a reference.
//!
//! There are two references, because a solver has two kinds of error:
//!
//! * **motion** (`motion.rs`, the default): the scene's motion as the time step goes to zero. Every solver runs the whole
//!   scene (f32, as users run it): distance from the motion, energy, stretch, time per frame;
//! * **step** (`steps.rs`): the implicit Euler step, solved. At several frames every solver solves the same step from the
//!   same start: the relative energy error of Fast Simulation of Mass-Spring Systems eq. (15), by iterations and by time.
//!
//! `frontier.rs` sweeps iterations × substeps against the motion, and finds the cheapest setting for an accuracy.
//! `files.rs` writes tables and charts, `pictures.rs` a sheet of the bodies at the end; `explicit.rs` finds the substeps that explicit solvers need.

mod explicit;
mod files;
mod frontier;
mod motion;
mod pictures;
mod steps;

use std::sync::Arc;

use pliant::Model;
use pliant::mesh::measure::distance;
use pliant::prelude::*;
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST};

use crate::args::{CompareArgs, ReferenceArg};
use crate::error::{CliError, EXIT_INTERRUPTED};
use crate::source::{self, LoadedScene, NamedSolver};
use crate::ui::Ui;

/// `pliant compare`.
pub fn compare(args: &CompareArgs, ui: Ui) -> Result<(), CliError> {
    if args.frames == 0 || args.solvers.is_empty() {
        return Err(CliError::invalid_input(
            "compare requires at least one frame (--frames) and one solver (--solvers)",
        ));
    }
    if args.frontier && args.reference == ReferenceArg::Step {
        let problem = "--frontier requires --reference motion; remove --reference step";
        return Err(CliError::invalid_input(problem));
    }
    let scene = source::open(&args.scene, ui)?;
    let title = scene.name.clone();
    let entries = entries(&scene, args, ui)?;
    let (model, skins) = (Arc::new(scene.model), scene.skins);
    match args.reference {
        _ if args.frontier => frontier::frontier(&title, &model, &entries, args, ui),
        ReferenceArg::Motion => motion::compare(&title, &model, &skins, &entries, args, ui),
        ReferenceArg::Step => steps::compare(&title, &model, &entries, args, ui),
    }
}

/// The requested solvers.
fn entries(scene: &LoadedScene, args: &CompareArgs, ui: Ui) -> Result<Vec<NamedSolver>, CliError> {
    if !args.all {
        return args
            .solvers
            .iter()
            .map(|text| NamedSolver::parse(text, |name| scene.solver_named(name)))
            .collect();
    }
    let mut names: Vec<&str> = LIST.iter().chain(ACCELERATED).map(|(name, _)| *name).collect();
    match args.reference {
        // Other integrators approximate the same motion.
        ReferenceArg::Motion => names.extend(INTEGRATED.iter().map(|(name, _)| *name)),
        ReferenceArg::Step => {
            let left_out = INTEGRATED.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            ui.info(format!(
                "excluded: {left_out}: their integrators do not solve the implicit Euler step; use --reference motion"
            ));
        }
    }
    names
        .into_iter()
        .map(|name| NamedSolver::parse(name, |name| scene.solver_named(name)))
        .collect()
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

/// Ctrl-C as an error.
fn check_interrupt() -> Result<(), CliError> {
    if crate::run::stop_requested() {
        return Err(CliError { message: "stopped".to_owned(), code: EXIT_INTERRUPTED });
    }
    Ok(())
}

fn positions<S: Precision>(sim: &Simulation<S>) -> Vec<[f64; 3]> {
    sim.state().positions.iter().map(|p| [p[0], p[1], p[2]].map(|c| c.to_f64())).collect()
}

/// Largest relative length change of any edge of a surface and any two-vertex element.
fn max_stretch(model: &Model, x: &[[f64; 3]]) -> f64 {
    let rest = model.rest_positions();
    let mut most: f64 = 0.0;
    let mut add = |a: u32, b: u32| {
        let (a, b) = (a as usize, b as usize);
        let (now, then) = (distance(x[a], x[b]), distance(rest[a], rest[b]));
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
