//! Explicit solvers in a comparison: number of substeps of their runs.

use std::sync::Arc;
use std::time::Instant;

use pliant::prelude::*;
use pliant::solvers::Solver;
use pliant::{Error, Model, Warning};

use super::prepare;
use crate::args::CompareArgs;

/// Maximum number of substeps per frame; more are not worth comparing.
const MAX_SUBSTEPS: usize = 20_000;

/// The solver with as many substeps as stability needs, or as fit into the budget.
pub fn with_stable_substeps(
    model: &Arc<Model>,
    solver: &AnySolver,
    args: &CompareArgs,
) -> Result<AnySolver, Error> {
    let one = solver.clone().with_substeps(1);
    let mut sim = prepare::<f32>(model, one.clone(), args)?;
    // A single step with one substep reports the number of substeps that stability needs.
    let needed = match sim.step().warning() {
        Some(Warning::StepTooLong { required: needed, .. }) => needed,
        _ => 1,
    };
    if let Some(ms) = args.budget {
        let begin = Instant::now();
        sim.step();
        let each = 1e3 * begin.elapsed().as_secs_f64();
        let most = (ms / each.max(1e-6)).floor().clamp(1.0, MAX_SUBSTEPS as f64);
        return Ok(one.with_substeps(most as usize));
    }
    if needed > MAX_SUBSTEPS {
        return Err(Error::Unsupported {
            solver: solver.name(),
            what: "scenes that need more than 20,000 substeps per frame",
            remedy: "use an implicit solver or a softer material",
        });
    }
    Ok(one.with_substeps(needed))
}
