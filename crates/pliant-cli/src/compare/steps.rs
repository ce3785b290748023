//! The error of single steps, by iterations and by time.

use std::time::Instant;

use pliant::OneStep;
use pliant::prelude::*;
use pliant::solvers::Solver;

/// Iterations at which the error is measured.
const COUNTS: [usize; 9] = [1, 2, 3, 5, 10, 20, 50, 100, 200];

/// An error below this is rounding: more iterations would say nothing.
const SOLVED: f64 = 1e-13;

/// A step that takes longer \[ms\] is of no use to anybody who chooses a solver.
const LONGEST: f64 = 300.0;

/// Error and time of a solver at growing numbers of iterations.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The solver.
    pub solver: String,
    /// Iterations, mean time of a step \[ms\], mean relative energy error; up to where the
    /// step is solved, or takes too long.
    pub points: Vec<(usize, f64, f64)>,
}

/// Measures a solver on steps, given the objectives of their minimisers \[J\].
pub fn curve(
    solver: &AnySolver,
    steps: &[OneStep<f64>],
    best: &[f64],
) -> Result<Curve, pliant::Error> {
    let mut points = Vec::new();
    for n in COUNTS {
        let settings = one_substep(solver, n);
        let (mut ms, mut error) = (0.0, 0.0);
        for (step, &best) in steps.iter().zip(best) {
            let mut stepper = step.solver(&settings)?;
            let mut x = step.guess.clone();
            ms += shortest(|| step.solve_with(&mut *stepper, &mut x)) / steps.len() as f64;
            error += step.gap(&x, best).max(0.0) / steps.len() as f64;
        }
        points.push((n, ms, error));
        if error < SOLVED || ms > LONGEST {
            break;
        }
    }
    Ok(Curve { solver: solver.name().to_owned(), points })
}

/// The shortest of several runs \[ms\]: what else the machine does only adds. Long ones run twice.
fn shortest<T>(mut run: impl FnMut() -> T) -> f64 {
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

/// All iterations in one substep: the step that is judged. Newton takes as many as it is given.
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

/// The mean error with the iterations that the solver's settings take per frame.
pub fn error_at(
    solver: &AnySolver,
    steps: &[OneStep<f64>],
    best: &[f64],
) -> Result<f64, pliant::Error> {
    if let AnySolver::Newton(newton) = solver
        && newton.iterations > 1
    {
        // The reference itself: what is left is rounding.
        return Ok(0.0);
    }
    let mut error = 0.0;
    let settings = solver.clone().with_iterations(per_frame(solver)).with_substeps(1);
    for (step, &best) in steps.iter().zip(best) {
        let (x, _) = step.solve(&settings)?;
        error += step.gap(&x, best).max(0.0) / steps.len() as f64;
    }
    Ok(error)
}

/// Iterations of a frame, all substeps together.
fn per_frame(solver: &AnySolver) -> usize {
    solver.iterations() * solver.substeps().max(1)
}
