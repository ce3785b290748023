//! Explicit integration: forces are evaluated at known positions; no system is solved.
//!
//! ```text
//! v += h M⁻¹ f(x)                     one evaluation of every element's force
//! ```
//!
//! at the old positions (explicit and symplectic Euler) or half a substep on (Verlet); see
//! [`Integrator`]. Substeps are cheaper than those of any other solver, but must also be shorter: the
//! phase of the fastest oscillation ω of the model must not advance by more than `h ω < 2` per substep,
//! and explicit Euler amplifies every oscillation at a rate of `h ω²/2`. Preparation bounds ω
//! ([`stability`](crate::solvers::stability)) and reports the number of substeps required as a warning
//! with the first step. The simulation rolls back a step that diverges.

use crate::Error;
use crate::batch::ElementPrecision;
use crate::dynamics::integrator::Integrator;
use crate::parallel::{Exec, for_chunks};
use crate::report::Warning;
use crate::simd::Point;
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::stability::max_squared_frequency;
use crate::solvers::{MemoryUsage, PreparedSolver, Problem, SolveReport, Solver, require_lumped};
use crate::system::System;

/// Settings of explicit integration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explicit {
    /// Time integration scheme; must be an explicit one.
    pub integrator: Integrator,
    /// Substeps per frame.
    pub substeps: usize,
}

/// Default number of substeps per frame. At 1/60 s they resolve oscillations up to ω = 12,000 /s:
/// springs, jelly, small cotton cloths. Finer or stiffer models need more, and the solver warns about
/// it.
const DEFAULT_SUBSTEPS: usize = 100;

/// Largest growth rate of oscillations allowed for explicit Euler [1/s]: a factor of e per second.
const MAX_GROWTH_RATE: f64 = 1.0;

impl Default for Explicit {
    fn default() -> Self {
        Self { integrator: Integrator::ExplicitEuler, substeps: DEFAULT_SUBSTEPS }
    }
}

impl Explicit {
    /// Returns symplectic (semi-implicit) Euler: positions move with the new velocities.
    pub fn symplectic() -> Self {
        Self { integrator: Integrator::SymplecticEuler, ..Self::default() }
    }

    /// Returns Verlet's method: second order at the same cost.
    pub fn verlet() -> Self {
        Self { integrator: Integrator::Verlet, ..Self::default() }
    }

    /// Returns the longest stable substep \[s\] for a squared frequency [1/s²].
    fn max_stable_step(&self, squared: f64) -> f64 {
        match self.integrator {
            Integrator::ExplicitEuler => 2.0 * MAX_GROWTH_RATE / squared,
            _ => 2.0 / squared.sqrt(),
        }
    }
}

impl HasSettings for Explicit {
    const SETTINGS: &[Setting<Self>] = &[Setting::substeps(|s| &mut s.substeps)];
}

impl Solver for Explicit {
    fn name(&self) -> &'static str {
        match self.integrator {
            Integrator::SymplecticEuler => "symplectic",
            Integrator::Verlet => "verlet",
            _ => "explicit",
        }
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn integrator(&self) -> Integrator {
        self.integrator
    }

    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        require_lumped(self.name(), system)?;
        if !self.integrator.is_explicit() {
            return Err(Error::Unsupported {
                solver: self.name(),
                what: "implicit integrators",
                remedy: "use solver projective or newton",
            });
        }
        let substeps = self.substeps.max(1);
        let needed = h * substeps as f64 / self.max_stable_step(max_squared_frequency(system));
        // Beyond 1e15 substeps the exact number is irrelevant.
        let needed = if needed < 1e15 { needed.ceil() as usize } else { usize::MAX };
        let warning =
            (needed > substeps).then_some(Warning::StepTooLong { substeps, required: needed });
        Ok(Box::new(PreparedExplicit {
            velocity_change: vec![Point::default(); system.len()],
            warning,
        }))
    }
}

struct PreparedExplicit<S> {
    /// `h M⁻¹ f`; zero for pinned vertices.
    velocity_change: Vec<Point<S>>,
    warning: Option<Warning>,
}

impl<S: ElementPrecision> PreparedSolver<S> for PreparedExplicit<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> SolveReport {
        self.velocity_change.fill(Point::default());
        for batch in &problem.system.batches {
            batch.force(problem.exec, problem.previous, &mut self.velocity_change);
        }
        let h = S::from_f64(problem.h);
        for_chunks(
            problem.exec,
            &mut self.velocity_change,
            &problem.system.inv_mass,
            |_, change, w| {
                for (d, &w) in change.iter_mut().zip(w) {
                    *d = if w > S::default() {
                        let scale = h * w;
                        [d[0] * scale, d[1] * scale, d[2] * scale, S::default()]
                    } else {
                        Point::default()
                    };
                }
            },
        );
        for_chunks(problem.exec, problem.x, &self.velocity_change, |_, x, change| {
            for (x, d) in x.iter_mut().zip(change) {
                (0..3).for_each(|c| x[c] += h * d[c]);
            }
        });
        SolveReport { iterations: 1, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> MemoryUsage {
        MemoryUsage { factor: 0, scratch: self.velocity_change.len() * size_of::<Point<S>>() }
    }

    fn velocity_change(&self) -> Option<&[Point<S>]> {
        Some(&self.velocity_change)
    }

    fn startup_warning(&self) -> Option<Warning> {
        self.warning
    }
}
