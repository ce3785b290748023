//! Two solvers against the converged solution, while they run.
//!
//! Both solve the step that the first simulation takes next, from the same start and in double precision;
//! so does Newton's method to convergence. What is compared is the objective of that step, Fast Simulation
//! of Mass-Spring Systems eq. (15). It is measured as often as a quarter of the time allows.

use pliant::prelude::*;
use pliant::{OneStep, Simulation};

use crate::protocol::Comparison;
use crate::solver::Settings;
use crate::world::World;

/// Larger models are not measured while they run: a reference would take seconds.
const MOST_VERTICES: usize = 6000;
/// The part of the time that measuring may take.
const SHARE: f64 = 0.25;

/// Decides when to measure, and does it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    every: u64,
    last: Option<u64>,
}

impl Meter {
    /// Measures now, where it is due; `step_time` is what a step takes, or the time there is for one \[s\].
    pub fn look(
        &mut self,
        world: &mut World,
        step_time: f64,
        clock: fn() -> f64,
    ) -> Option<Comparison> {
        let rival = world.rival.as_ref()?.0.clone();
        let step = world.sim.state().step;
        let due = self.last.is_none_or(|last| step < last || step - last >= self.every.max(1));
        if !due {
            return None;
        }
        self.last = Some(step);
        let start = clock();
        let mut found = measure(&mut world.sim, [&world.solver, &rival]);
        let cost = clock() - start;
        self.every = (cost / (SHARE * step_time.max(1e-4))).ceil().clamp(1.0, 600.0) as u64;
        (found.step, found.every) = (step, self.every as u32);
        Some(found)
    }

    /// Measures at the next step.
    pub fn restart(&mut self) {
        self.last = None;
    }
}

fn measure(sim: &mut Simulation, solvers: [&Settings; 2]) -> Comparison {
    let mut found =
        Comparison { errors: [f64::NAN; 2], distances: [f64::NAN; 2], ..Comparison::default() };
    if sim.model().len() > MOST_VERTICES {
        found.note = format!(
            "not measured: a model of more than {MOST_VERTICES} vertices has no converged solution in time"
        );
        return found;
    }
    let step = OneStep::<f64>::posed_by(sim);
    let exact = Newton { iterations: 60, tolerance: 1e-11, ..Newton::default() };
    let Ok((best_x, _)) = step.solve(&exact.into()) else {
        found.note =
            "not measured: Newton's method, the reference, cannot run this scene".to_owned();
        return found;
    };
    let best = step.objective(&best_x, false);
    let mut notes =
        vec!["one implicit Euler step without contacts, in double precision".to_owned()];
    for (i, settings) in solvers.into_iter().enumerate() {
        let Ok(solver) = settings.solver() else { continue };
        if matches!(solver, AnySolver::Explicit(_)) {
            notes.push(format!("{} does not iterate and has no such error", settings.name));
            continue;
        }
        let Ok((x, _)) = step.solve(&solver) else { continue };
        if solver.substeps() > 1 {
            let all = solver.iterations();
            notes.push(format!(
                "{} takes {} substeps when it runs; here its {all} iterations of one",
                settings.name,
                solver.substeps()
            ));
        }
        // Rounding may find a point a little below the reference.
        found.errors[i] = step.gap(&x, best).max(0.0);
        let far = x
            .iter()
            .zip(&best_x)
            .map(|(a, b)| (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum::<f64>().sqrt());
        found.distances[i] = far.fold(0.0, f64::max);
    }
    found.note = notes.join("; ");
    found
}
