//! Two solvers against the converged solution, while they run.
//!
//! Both solve the step that the first simulation would take next, from the same start and in double
//! precision; so does Newton's method, until it converges. What is compared is the objective of that step,
//! Fast Simulation of Mass-Spring Systems eq. (15).
//!
//! The reference takes far longer than a frame. So it is found an iteration at a time, in a quarter of the
//! time, while the simulations go on; then the next step is looked at.

use pliant::prelude::*;
use pliant::simd::Point;
use pliant::solvers::Stepper;
use pliant::{OneStep, Simulation};

use crate::protocol::Comparison;
use crate::solver::Settings;
use crate::world::World;

/// Larger models are not measured while they run: an iteration of the reference would take a second.
const MOST_VERTICES: usize = 5000;
/// The part of the time that measuring may take.
const SHARE: f64 = 0.25;
/// The reference has converged where the unbalanced force fell to this part of the first.
const CONVERGED: f64 = 1e-9;
/// It is good enough where an iteration lowers the objective by less than this part of all that it was
/// lowered: errors of solvers are a thousand times as large.
const ENOUGH: f64 = 1e-6;
/// Iterations of the reference, at most.
const MOST_ITERATIONS: usize = 200;

/// Measures now and then.
#[derive(Default)]
pub(crate) struct Meter {
    reference: Option<Reference>,
    /// What measuring took beyond its share \[s\].
    debt: f64,
    last: Option<u64>,
}

/// A converged solution in the making.
struct Reference {
    /// The step before the problem.
    step: u64,
    /// The problem, which sets out from where the last iteration came to.
    problem: OneStep<f64>,
    /// Where it sets out from in truth.
    before: Vec<Point<f64>>,
    newton: Box<dyn Stepper<f64>>,
    x: Vec<Point<f64>>,
    /// The force that the first iteration found unbalanced \[N\].
    first: f64,
    /// The objective at the guess, and after the last iteration \[J\].
    objective: [f64; 2],
    iterations: usize,
}

impl Meter {
    /// Goes on measuring after a step; `step_time` is what a step takes, or the time there is for one \[s\].
    /// Gives what was measured where that is complete.
    pub fn look(
        &mut self,
        world: &mut World,
        step_time: f64,
        clock: fn() -> f64,
    ) -> Option<Comparison> {
        let Some((rival, _)) = &world.rival else {
            self.reference = None;
            return None;
        };
        let allowed = SHARE * step_time.max(1e-3);
        self.debt = f64::max(self.debt - allowed, 0.0);
        if self.debt > 0.0 {
            return None;
        }
        let start = clock();
        let solvers = [&world.solver, rival];
        let found = match self.reference.take() {
            Some(reference) => self.go_on(reference, start + allowed, clock, solvers),
            None => match Reference::new(&mut world.sim) {
                Ok(reference) => self.go_on(reference, start + allowed, clock, solvers),
                // Told once.
                Err(note) if self.last.is_none() => Some(Comparison { note, ..unknown() }),
                Err(_) => None,
            },
        };
        self.debt += clock() - start;
        let mut found = found?;
        let step = world.sim.state().step;
        found.every = (step - self.last.map_or(step, |last| last.min(step))).max(1) as u32;
        self.last = Some(step);
        Some(found)
    }

    fn go_on(
        &mut self,
        mut reference: Reference,
        end: f64,
        clock: fn() -> f64,
        solvers: [&Settings; 2],
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

    /// Begins anew at the next step.
    pub fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Reference {
    /// The problem of a simulation's next step; or why there is no reference, in words.
    fn new(sim: &mut Simulation) -> Result<Self, String> {
        if sim.model().len() > MOST_VERTICES {
            return Err(format!(
                "not measured: a model of more than {MOST_VERTICES} vertices has no converged solution in \
                 time"
            ));
        }
        let mut problem = OneStep::<f64>::posed_by(sim);
        let once =
            Newton { iterations: 1, tolerance: 1e-30, from_before: true, ..Newton::default() };
        let newton = problem.solver(&once.into()).map_err(|e| {
            format!("not measured: Newton's method, the reference, cannot run this scene: {e}")
        })?;
        let x = problem.guess.clone();
        let before = std::mem::replace(&mut problem.before, x.clone());
        let (step, first, iterations) = (sim.state().step, 0.0, 0);
        let objective = [problem.objective(&x, false); 2];
        Ok(Self { step, problem, before, newton, x, first, objective, iterations })
    }

    /// One iteration; whether it has converged.
    fn iterate(&mut self) -> bool {
        let solved = self.problem.solve_with(&mut *self.newton, &mut self.x);
        self.problem.before.clone_from(&self.x);
        if self.iterations == 0 {
            self.first = solved.residual;
        }
        self.iterations += 1;
        let [first, last] = self.objective;
        let now = self.problem.objective(&self.x, false);
        self.objective[1] = now;
        let little = last - now <= ENOUGH * (first - now);
        solved.converged
            || (self.iterations > 2 && little)
            || solved.residual <= CONVERGED * self.first
            || self.iterations >= MOST_ITERATIONS
    }

    /// The errors of two solvers.
    fn compare(mut self, solvers: [&Settings; 2]) -> Comparison {
        self.problem.before = self.before;
        let (step, best_x) = (&self.problem, &self.x);
        let best = step.objective(best_x, false);
        let mut found = Comparison { step: self.step, ..unknown() };
        let mut notes = vec![
            "one implicit Euler step without contacts, in double precision, to about 1e-5"
                .to_owned(),
        ];
        if self.iterations >= MOST_ITERATIONS {
            notes.push(format!("the reference has not converged in {MOST_ITERATIONS} iterations"));
        }
        for (i, settings) in solvers.into_iter().enumerate() {
            let Ok(solver) = settings.solver() else { continue };
            if matches!(solver, AnySolver::Explicit(_)) {
                notes.push(format!("{} does not iterate and has no such error", settings.name));
                continue;
            }
            let Ok((x, _)) = step.solve(&solver) else { continue };
            if solver.substeps() > 1 {
                notes.push(format!(
                    "{} takes {} substeps when it runs; here its {} iterations of one",
                    settings.name,
                    solver.substeps(),
                    solver.iterations()
                ));
            }
            // Rounding may find a point a little below the reference, and so may another valley.
            let error = step.gap(&x, best);
            if error < -1e-6 {
                notes.push(format!("{} found a lower point than the reference", settings.name));
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

fn unknown() -> Comparison {
    Comparison { errors: [f64::NAN; 2], distances: [f64::NAN; 2], ..Comparison::default() }
}
