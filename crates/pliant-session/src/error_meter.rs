//! Error of two solvers against the converged solution, measured while they run.
//!
//! Both solve the step that the first simulation would take next, from the same start and in double
//! precision; so does Newton's method, until it converges. The comparison uses the objective of that step,
//! Fast Simulation of Mass-Spring Systems eq. (15).
//!
//! The reference takes far longer than a frame. It is therefore computed one iteration at a time, in a
//! quarter of the time, while the simulations continue; then the next step is measured.

use pliant::prelude::*;
use pliant::simd::Point;
use pliant::solvers::PreparedSolver;
use pliant::{ImplicitStep, Simulation};

use crate::live_simulation::LiveSimulation;
use crate::protocol::Comparison;
use crate::solver::SolverSettings;

/// Maximum number of vertices of a measured model: in larger ones an iteration of the reference would take
/// a second.
const MAX_REFERENCE_VERTICES: usize = 5000;
/// Maximum fraction of the time spent on measuring.
const MAX_TIME_FRACTION: f64 = 0.25;
/// Convergence tolerance of the reference: ratio of the residual to the residual of the first iteration.
const RESIDUAL_TOLERANCE: f64 = 1e-9;
/// Tolerance on the decrease of the objective: the reference is accepted once an iteration lowers the
/// objective by less than this fraction of its total decrease. Errors of solvers are a thousand times as
/// large.
const DECREASE_TOLERANCE: f64 = 1e-6;
/// Maximum number of iterations of the reference.
const MAX_REFERENCE_ITERATIONS: usize = 200;

/// Incremental error measurement of two solvers.
#[derive(Default)]
pub(crate) struct ErrorMeter {
    reference: Option<ReferenceSolve>,
    /// Time spent on measuring beyond its share \[s\].
    time_debt: f64,
    last_measured_step: Option<u64>,
}

/// A reference solution in progress.
struct ReferenceSolve {
    /// Number of steps before the measured step.
    step: u64,
    /// The measured step, with the result of the last iteration as the start.
    problem: ImplicitStep<f64>,
    /// The actual start positions of the step.
    start_positions: Vec<Point<f64>>,
    newton: Box<dyn PreparedSolver<f64>>,
    x: Vec<Point<f64>>,
    /// Residual of the first iteration \[N\].
    initial_residual: f64,
    /// Objective at the predicted positions, and after the last iteration \[J\].
    objective: [f64; 2],
    iterations: usize,
}

impl ErrorMeter {
    /// Continues measuring after a step; `step_time` is the time of a step, or the time available for one
    /// \[s\]. Returns a comparison once one is complete.
    pub fn update(
        &mut self,
        live: &mut LiveSimulation,
        step_time: f64,
        clock: fn() -> f64,
    ) -> Option<Comparison> {
        let Some((second_solver, _)) = &live.second_sim else {
            self.reference = None;
            return None;
        };
        let allowed = MAX_TIME_FRACTION * step_time.max(1e-3);
        self.time_debt = f64::max(self.time_debt - allowed, 0.0);
        if self.time_debt > 0.0 {
            return None;
        }
        let start = clock();
        let solvers = [&live.solver, second_solver];
        let found = match self.reference.take() {
            Some(reference) => self.iterate_reference(reference, start + allowed, clock, solvers),
            None => match ReferenceSolve::new(&mut live.sim) {
                Ok(reference) => self.iterate_reference(reference, start + allowed, clock, solvers),
                // Reported only once.
                Err(note) if self.last_measured_step.is_none() => {
                    Some(Comparison { note, ..unmeasured() })
                }
                Err(_) => None,
            },
        };
        self.time_debt += clock() - start;
        let mut found = found?;
        let step = live.sim.state().step;
        found.steps_since_last =
            (step - self.last_measured_step.map_or(step, |last| last.min(step))).max(1) as u32;
        self.last_measured_step = Some(step);
        Some(found)
    }

    fn iterate_reference(
        &mut self,
        mut reference: ReferenceSolve,
        end: f64,
        clock: fn() -> f64,
        solvers: [&SolverSettings; 2],
    ) -> Option<Comparison> {
        loop {
            if reference.iterate() {
                return Some(reference.compare(solvers));
            }
            if clock() >= end {
                self.reference = Some(reference);
                return None;
            }
        }
    }

    /// Discards the current measurement and starts again at the next step.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

impl ReferenceSolve {
    /// Sets up the next step of a simulation; the error says why there is no reference.
    fn new(sim: &mut Simulation) -> Result<Self, String> {
        if sim.model().len() > MAX_REFERENCE_VERTICES {
            return Err(format!(
                "not measured: models of more than {MAX_REFERENCE_VERTICES} vertices are too slow \
                 to solve to convergence"
            ));
        }
        let mut problem = ImplicitStep::<f64>::from_any_precision(sim);
        let once = Newton {
            iterations: 1,
            tolerance: 1e-30,
            start_from_previous: true,
            ..Newton::default()
        };
        let newton = problem.prepare(&once.into()).map_err(|e| {
            format!("not measured: the reference solver does not support this scene: {e}")
        })?;
        let x = problem.predicted.clone();
        let before = std::mem::replace(&mut problem.previous, x.clone());
        let (step, first, iterations) = (sim.state().step, 0.0, 0);
        let objective = [problem.objective(&x, false); 2];
        Ok(Self {
            step,
            problem,
            start_positions: before,
            newton,
            x,
            initial_residual: first,
            objective,
            iterations,
        })
    }

    /// Performs one iteration. Returns true on convergence.
    fn iterate(&mut self) -> bool {
        let solved = self.problem.solve_with(&mut *self.newton, &mut self.x);
        self.problem.previous.clone_from(&self.x);
        if self.iterations == 0 {
            self.initial_residual = solved.residual;
        }
        self.iterations += 1;
        let [first, last] = self.objective;
        let now = self.problem.objective(&self.x, false);
        self.objective[1] = now;
        let little = last - now <= DECREASE_TOLERANCE * (first - now);
        solved.converged
            || (self.iterations > 2 && little)
            || solved.residual <= RESIDUAL_TOLERANCE * self.initial_residual
            || self.iterations >= MAX_REFERENCE_ITERATIONS
    }

    /// Errors of two solvers.
    fn compare(mut self, solvers: [&SolverSettings; 2]) -> Comparison {
        self.problem.previous = self.start_positions;
        let (step, best_x) = (&self.problem, &self.x);
        let best = step.objective(best_x, false);
        let mut found = Comparison { step: self.step, ..unmeasured() };
        let mut notes = vec![
            "one implicit Euler step without contacts, double precision, accurate to about 1e-5"
                .to_owned(),
        ];
        if self.iterations >= MAX_REFERENCE_ITERATIONS {
            notes.push(format!(
                "the reference did not converge in {MAX_REFERENCE_ITERATIONS} iterations"
            ));
        }
        for (i, settings) in solvers.into_iter().enumerate() {
            let Ok(solver) = settings.solver() else { continue };
            if matches!(solver, AnySolver::Explicit(_)) {
                notes.push(format!("{} does not iterate; its error is not defined", settings.name));
                continue;
            }
            let Ok((x, _)) = step.solve(&solver) else { continue };
            if solver.substeps() > 1 {
                notes.push(format!(
                    "{} runs with {} substeps; measured with {} iterations of one step",
                    settings.name,
                    solver.substeps(),
                    solver.iterations()
                ));
            }
            // The error can be slightly negative through rounding, and clearly negative if a solver finds
            // another local minimum.
            let error = step.relative_energy_gap(&x, best);
            if error < -1e-6 {
                notes.push(format!("{} found a lower minimum than the reference", settings.name));
            }
            found.errors[i] = error.max(0.0);
            let far = x
                .iter()
                .zip(best_x)
                .map(|(a, b)| (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum::<f64>().sqrt());
            found.distances[i] = far.fold(0.0, f64::max);
        }
        found.note = notes.join("; ");
        found
    }
}

fn unmeasured() -> Comparison {
    Comparison { errors: [f64::NAN; 2], distances: [f64::NAN; 2], ..Comparison::default() }
}
