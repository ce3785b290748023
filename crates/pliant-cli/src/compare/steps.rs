//! The error of single steps, by iterations and by time.

use std::time::Instant;

use pliant::ImplicitStep;
use pliant::prelude::*;
use pliant::solvers::Solver;

/// Iterations at which the error is measured.
const ITERATION_COUNTS: [usize; 9] = [1, 2, 3, 5, 10, 20, 50, 100, 200];

/// Rounding level of the error; more iterations add no information.
const ROUNDING_ERROR: f64 = 1e-13;

/// Longest useful time of a step \[ms\]; slower settings are not measured.
const MAX_STEP_MS: f64 = 300.0;

/// Error and time of a solver at growing numbers of iterations.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The solver.
    pub solver: String,
    /// Iterations, mean time of a step \[ms\] and mean relative energy error, up to the point where the
    /// step is solved or takes too long.
    pub points: Vec<(usize, f64, f64)>,
}

/// Measures a solver on steps, given the objectives at their minimisers \[J\].
pub fn curve(
    solver: &AnySolver,
    steps: &[ImplicitStep<f64>],
    best: &[f64],
) -> Result<Curve, pliant::Error> {
    let mut points = Vec::new();
    for n in ITERATION_COUNTS {
        let settings = one_substep(solver, n);
        let (mut ms, mut error) = (0.0, 0.0);
        for (step, &best) in steps.iter().zip(best) {
            let mut stepper = step.prepare(&settings)?;
            let mut x = step.predicted.clone();
            ms += min_time_ms(|| step.solve_with(&mut *stepper, &mut x)) / steps.len() as f64;
            error += step.relative_energy_gap(&x, best).max(0.0) / steps.len() as f64;
        }
        points.push((n, ms, error));
        if error < ROUNDING_ERROR || ms > MAX_STEP_MS {
            break;
        }
    }
    Ok(Curve { solver: solver.name().to_owned(), points })
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
    pub fn ms_per_iteration(&self) -> f64 {
        let (n, ms, _) = self.points[self.points.len() / 2];
        ms / n as f64
    }
}

/// Mean error with the solver's own number of iterations per frame.
pub fn error_at(
    solver: &AnySolver,
    steps: &[ImplicitStep<f64>],
    best: &[f64],
) -> Result<f64, pliant::Error> {
    if let AnySolver::Newton(newton) = solver
        && newton.iterations > 1
    {
        // The reference itself: only rounding remains.
        return Ok(0.0);
    }
    let mut error = 0.0;
    let settings = solver.clone().with_iterations(per_frame(solver)).with_substeps(1);
    for (step, &best) in steps.iter().zip(best) {
        let (x, _) = step.solve(&settings)?;
        error += step.relative_energy_gap(&x, best).max(0.0) / steps.len() as f64;
    }
    Ok(error)
}

/// Iterations per frame, over all substeps.
fn per_frame(solver: &AnySolver) -> usize {
    solver.iterations() * solver.substeps().max(1)
}
