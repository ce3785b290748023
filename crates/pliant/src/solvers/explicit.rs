//! Explicit integration: forces where the positions are known, no system to solve.
//!
//! ```text
//! v += h M⁻¹ f(x)                     one evaluation of every element's force
//! ```
//!
//! at the old positions (explicit and symplectic Euler) or half a substep on (Verlet); see
//! [`Integrator`]. The cheapest substep there is, and the one with the shortest: the fastest
//! oscillation ω of the model must not turn by more than `h ω < 2` in it, and explicit Euler feeds
//! every oscillation at a rate of `h ω²/2`. When the solver is made ready it bounds ω
//! ([`stability`](super::stability)) and says how many substeps are needed, as a warning of the
//! first step: what blows up is set back by the step.

use super::stability::fastest_squared;
use super::{Memory, Problem, Solved, Solver, Stepper, require_lumped};
use crate::Error;
use crate::integrator::Integrator;
use crate::parallel::{Exec, for_chunks};
use crate::report::Warning;
use crate::simd::Point;
use crate::system::{Precision, System};

/// Settings of explicit integration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explicit {
    /// Which of the explicit integrators.
    pub integrator: Integrator,
    /// Substeps per frame.
    pub substeps: usize,
}

/// Substeps per frame unless set. At 1/60 s they carry oscillations up to ω = 12,000 /s: springs,
/// jelly, small cloths of cotton. What is finer or stiffer needs more, and the solver says so.
const SUBSTEPS: usize = 100;

/// Explicit Euler may feed oscillations at this rate [1/s]: a factor of e in a second.
const GROWTH: f64 = 1.0;

impl Default for Explicit {
    fn default() -> Self {
        Self { integrator: Integrator::ExplicitEuler, substeps: SUBSTEPS }
    }
}

impl Explicit {
    /// Symplectic (semi-implicit) Euler: positions move with the new velocities.
    pub fn symplectic() -> Self {
        Self { integrator: Integrator::SymplecticEuler, ..Self::default() }
    }

    /// Verlet's method: of second order at the same cost.
    pub fn verlet() -> Self {
        Self { integrator: Integrator::Verlet, ..Self::default() }
    }

    /// The longest substep \[s\] for a squared frequency [1/s²].
    fn longest(&self, squared: f64) -> f64 {
        match self.integrator {
            Integrator::ExplicitEuler => 2.0 * GROWTH / squared,
            _ => 2.0 / squared.sqrt(),
        }
    }
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

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        require_lumped(self.name(), system)?;
        if !self.integrator.is_explicit() {
            return Err(Error::Unsupported {
                solver: self.name(),
                what: "an implicit integrator",
                remedy: "it solves no systems; use projective or newton",
            });
        }
        let substeps = self.substeps.max(1);
        let needed = h * substeps as f64 / self.longest(fastest_squared(system));
        // A million substeps and more need no exact number.
        let needed = if needed < 1e15 { needed.ceil() as usize } else { usize::MAX };
        let warning = (needed > substeps).then_some(Warning::StepTooLong { substeps, needed });
        Ok(Box::new(ExplicitStepper { kick: vec![Point::default(); system.len()], warning }))
    }
}

struct ExplicitStepper<S> {
    /// `h M⁻¹ f`, zero where pinned.
    kick: Vec<Point<S>>,
    warning: Option<Warning>,
}

impl<S: Precision> Stepper<S> for ExplicitStepper<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved {
        self.kick.fill(Point::default());
        for batch in &problem.system.batches {
            batch.force(problem.exec, problem.before, &mut self.kick);
        }
        let h = S::from_f64(problem.h);
        for_chunks(problem.exec, &mut self.kick, &problem.system.inv_mass, |_, kick, w| {
            for (d, &w) in kick.iter_mut().zip(w) {
                *d = if w > S::default() {
                    let scale = h * w;
                    [d[0] * scale, d[1] * scale, d[2] * scale, S::default()]
                } else {
                    Point::default()
                };
            }
        });
        for_chunks(problem.exec, problem.x, &self.kick, |_, x, kick| {
            for (x, d) in x.iter_mut().zip(kick) {
                (0..3).for_each(|c| x[c] += h * d[c]);
            }
        });
        Solved { iterations: 1, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> Memory {
        Memory { factor: 0, scratch: self.kick.len() * size_of::<Point<S>>() }
    }

    fn kick(&self) -> Option<&[Point<S>]> {
        Some(&self.kick)
    }

    fn warning(&self) -> Option<Warning> {
        self.warning
    }
}
