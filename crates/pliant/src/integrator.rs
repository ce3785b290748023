//! Time integrators: which difference equation takes the place of `x' = v`, `M v' = f(x)`.
//!
//! With `a(x) = M⁻¹ f(x)` and a substep `h`:
//!
//! | integrator | positions | velocities | order |
//! |---|---|---|---|
//! | implicit Euler | `x₁ = x₀ + h v₁` | `v₁ = v₀ + h a(x₁)` | 1 |
//! | implicit midpoint | `x₁ = x₀ + h (v₀ + v₁)/2` | `v₁ = v₀ + h a((x₀ + x₁)/2)` | 2 |
//! | BDF2 | `x₁ = (4x₀ − x₋₁)/3 + ⅔h v₁` | `v₁ = (4v₀ − v₋₁)/3 + ⅔h a(x₁)` | 2 |
//! | explicit Euler | `x₁ = x₀ + h v₀` | `v₁ = v₀ + h a(x₀)` | 1 |
//! | symplectic Euler | `x₁ = x₀ + h v₁` | `v₁ = v₀ + h a(x₀)` | 1 |
//! | Verlet | `x₁ = x₀ + h (v₀ + v₁)/2` | `v₁ = v₀ + h a(x₀ + h v₀/2)` | 2 |
//!
//! **One problem for all implicit ones.** Each asks for the `x` that minimises
//! `½‖x − s‖²_M/τ² + E(x)` with `s = X + τ V + τ² M⁻¹ f_ext`, Projective Dynamics eq. (4), and has
//! `v = (x − X)/τ` there. Only the base `X, V`, the step `τ` of the problem and what is made of `x`
//! differ, so that solvers need not know:
//!
//! | integrator | base `X, V` | `τ` | then |
//! |---|---|---|---|
//! | implicit Euler | `x₀, v₀` | `h` | `x₁ = x`, `v₁ = v` |
//! | implicit midpoint | `x₀, v₀` | `h/2` | `x₁ = x₀ + 2 (x − x₀)`, `v₁ = v₀ + 2 (v − v₀)` |
//! | BDF2 | `(4x₀ − x₋₁)/3`, `(4v₀ − v₋₁)/3` | `2h/3` | `x₁ = x`, `v₁ = v` |
//! | BDF2, first step | `x₀, v₀` | `2h/3` | `x₁ = x₀ + 3/2 (x − x₀)`, `v₁ = v₀ + 3/2 (v − v₀)` |
//!
//! The first step of BDF2 has no `x₋₁`. It evaluates forces at ⅔h and goes on to `h` with them (the
//! one-leg θ-method with θ = ⅔): stable for any step, of second order locally, and unlike a step of
//! implicit Euler it has the `τ` of all further steps, hence their matrix. A body starts anew when
//! its state is not what the step before left ([`Past`](crate::past::Past)).
//!
//! **Pins** are where they are told at the end of a step. Within the problem of a step that looks
//! at a point before its end they stand between where they were and where they go.
//!
//! **Damping** is split off. Drag and internal damping act on the base `V` before any force does, so
//! that what rests weighs what it weighs; damping along constraints and by stiffness on `v₁`. Implicit
//! midpoint damps over `h`, the others over `τ`. It is of first order.

use crate::Error;
use crate::parallel::for_chunks;
use crate::past::Past;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::solvers::Solver;
use crate::system::Precision;

/// How a step follows from the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// First order, stable at any step, takes energy out of fast motion.
    #[default]
    ImplicitEuler,
    /// Second order, keeps the energy; what is too fast for the step rings on undamped.
    ImplicitMidpoint,
    /// Second order, stable at any step, takes far less energy than implicit Euler.
    Bdf2,
    /// First order, puts energy into every motion: for comparison.
    ExplicitEuler,
    /// First order, keeps the energy within bounds where the step is short enough.
    SymplecticEuler,
    /// Second order, otherwise as symplectic Euler.
    Verlet,
}

impl Integrator {
    /// The implicit ones by name, as written after `@` in the name of a solver.
    pub const LIST: &'static [(&'static str, Self)] = &[
        ("euler", Self::ImplicitEuler),
        ("midpoint", Self::ImplicitMidpoint),
        ("bdf2", Self::Bdf2),
    ];

    /// Whether forces are taken where the positions are known.
    pub fn is_explicit(self) -> bool {
        matches!(self, Self::ExplicitEuler | Self::SymplecticEuler | Self::Verlet)
    }

    /// Whether a solver looks for the positions at the end of a substep, where contacts must hold.
    pub fn solves_for_the_end(self) -> bool {
        matches!(self, Self::ImplicitEuler | Self::Bdf2)
    }

    /// The step `τ` \[s\] of the problem that a solver gets for a substep `h` \[s\].
    pub fn solve_step(self, h: f64) -> f64 {
        match self {
            Self::ImplicitMidpoint => 0.5 * h,
            Self::Bdf2 => h / 1.5,
            _ => h,
        }
    }

    /// The part of a substep after which its problem looks at forces that change over time.
    pub(crate) fn reach(self) -> f64 {
        match self {
            Self::ExplicitEuler | Self::SymplecticEuler => 0.0,
            Self::ImplicitMidpoint | Self::Verlet => 0.5,
            Self::ImplicitEuler | Self::Bdf2 => 1.0,
        }
    }

    /// The step \[s\] over which velocities are damped in a substep `h` \[s\].
    pub(crate) fn damping_step(self, h: f64) -> f64 {
        if self == Self::ImplicitMidpoint { h } else { self.solve_step(h) }
    }

    /// Refuses what needs no solver.
    pub(crate) fn require_implicit(self, solver: &'static str) -> Result<(), Error> {
        if !self.is_explicit() {
            return Ok(());
        }
        let remedy = "it solves implicit steps; use the solvers explicit, symplectic or verlet";
        Err(Error::Unsupported { solver, what: "an explicit integrator", remedy })
    }
}

/// What an integrator keeps over a substep.
pub(crate) struct Course<S> {
    /// Positions and velocities from which the substep set out.
    from: [Vec<Point<S>>; 2],
    /// The bodies that have no past.
    starting: Vec<bool>,
}

impl<S: Precision> Course<S> {
    /// No room yet.
    pub fn empty() -> Self {
        Self { from: [Vec::new(), Vec::new()], starting: Vec::new() }
    }

    /// Room for a model's vertices and bodies, where the integrator needs it.
    pub fn new(integrator: Integrator, points: usize, bodies: usize) -> Self {
        let needed = !matches!(integrator, Integrator::ImplicitEuler | Integrator::SymplecticEuler);
        let room = || vec![Point::default(); if needed { points } else { 0 }];
        Self { from: [room(), room()], starting: vec![true; bodies] }
    }
}

impl<S: Precision> Simulation<S> {
    pub(crate) fn integrator(&self) -> Integrator {
        self.solver().integrator()
    }

    /// Finds the bodies whose past is not that of their present state; forgets it where it is not
    /// needed.
    pub(crate) fn recall(&mut self, h: f64) {
        let (state, model) = (&mut self.state, &self.system.model);
        if self.solver.integrator() != Integrator::Bdf2 {
            return state.past.forget();
        }
        state.past.make_room(state.positions.len(), model.bodies().len());
        for (b, body) in model.bodies().iter().enumerate() {
            let (x, v) = (&state.positions, &state.velocities);
            self.scratch.course.starting[b] = !state.past.belongs(b, h, body.all(), x, v);
        }
    }

    /// Marks the state as the one that the past belongs to.
    pub(crate) fn remember(&mut self, h: f64) {
        if self.integrator() == Integrator::Bdf2 {
            let (state, model) = (&mut self.state, &self.system.model);
            state.past.h = h;
            for (b, body) in model.bodies().iter().enumerate() {
                state.past.prints[b] = Past::print(body.all(), &state.positions, &state.velocities);
            }
        }
    }

    /// Turns the state into the base `X, V` of a substep `h` \[s\].
    pub(crate) fn set_out(&mut self, h: f64, integrator: Integrator) {
        if integrator == Integrator::ImplicitMidpoint {
            self.damp_bodies(h);
        }
        let (state, course) = (&mut self.state, &mut self.scratch.course);
        if matches!(integrator, Integrator::ImplicitEuler | Integrator::SymplecticEuler) {
            return;
        }
        course.from[0].copy_from_slice(&state.positions);
        course.from[1].copy_from_slice(&state.velocities);
        match integrator {
            Integrator::Bdf2 => {
                let third = S::from_f64(1.0 / 3.0);
                for (body, starting) in self.system.model.bodies().iter().zip(&course.starting) {
                    for i in body.all().filter(|_| !starting) {
                        let (x, v) = (&mut state.positions[i], &mut state.velocities[i]);
                        let (x0, v0) = (&state.past.positions[i], &state.past.velocities[i]);
                        for c in 0..3 {
                            x[c] += (x[c] - x0[c]) * third;
                            v[c] += (v[c] - v0[c]) * third;
                        }
                    }
                }
                state.past.positions.copy_from_slice(&course.from[0]);
                state.past.velocities.copy_from_slice(&course.from[1]);
            }
            Integrator::Verlet => {
                let half = S::from_f64(0.5 * h);
                for_chunks(&self.exec, &mut state.positions, &state.velocities, |_, x, v| {
                    for (x, v) in x.iter_mut().zip(v) {
                        (0..3).for_each(|c| x[c] += v[c] * half);
                    }
                });
                for i in 0..self.system.model.pins().len() {
                    let target = self.pin_target(i, self.state.time + h);
                    self.place_pin(i, target, 0.5);
                }
            }
            _ => {}
        }
    }

    /// Puts a pin where the problem of the substep looks at it.
    pub(crate) fn look_at_pin(&mut self, pin: usize, target: [f64; 3], integrator: Integrator) {
        let reach = match integrator {
            Integrator::ImplicitMidpoint => 0.5,
            Integrator::Bdf2 => {
                let vertex = self.system.model.pins()[pin].vertex;
                let starting = &self.scratch.course.starting;
                let body = self.system.model.body_of(vertex);
                if body.is_some_and(|b| starting[b]) { 1.0 / 1.5 } else { 1.0 }
            }
            _ => 1.0,
        };
        self.place_pin(pin, target, reach);
    }

    /// Puts a pin a part of the way from where it was to its target.
    fn place_pin(&mut self, pin: usize, target: [f64; 3], reach: f64) {
        let vertex = self.system.model.pins()[pin].vertex;
        let x = &mut self.state.positions[vertex];
        if reach == 1.0 {
            (0..3).for_each(|c| x[c] = S::from_f64(target[c]));
        } else {
            let from = self.scratch.course.from[0][vertex].map(|c| c.to_f64());
            (0..3).for_each(|c| x[c] = S::from_f64(from[c] + reach * (target[c] - from[c])));
        }
    }

    /// Adds the change of velocity that an explicit solver found: what positions would say of it is
    /// lost to rounding in short substeps.
    pub(crate) fn kick(&mut self) {
        let Some(kick) = self.stepper.kick() else { return };
        for_chunks(&self.exec, &mut self.state.velocities, kick, |_, v, kick| {
            for (v, d) in v.iter_mut().zip(kick) {
                (0..3).for_each(|c| v[c] += d[c]);
            }
        });
    }

    /// Goes on from what the problem of the substep looked at to the end of the substep.
    pub(crate) fn arrive(&mut self) {
        let integrator = self.integrator();
        let h = self.dt / self.substeps as f64;
        let (state, course) = (&mut self.state, &self.scratch.course);
        let from = &course.from;
        match integrator {
            Integrator::ImplicitEuler => return,
            Integrator::ImplicitMidpoint => {
                extrapolate(&mut state.positions, &from[0], 2.0);
                extrapolate(&mut state.velocities, &from[1], 2.0);
            }
            Integrator::Bdf2 => {
                let bodies = self.system.model.bodies().iter().zip(&course.starting);
                for (body, _) in bodies.filter(|(_, starting)| **starting) {
                    for i in body.all() {
                        let one = i..i + 1;
                        extrapolate(&mut state.positions[one.clone()], &from[0][one.clone()], 1.5);
                        extrapolate(&mut state.velocities[one.clone()], &from[1][one], 1.5);
                    }
                }
            }
            Integrator::ExplicitEuler => drift(&mut state.positions, &from[0], &from[1], h),
            Integrator::SymplecticEuler => {
                drift(&mut state.positions, &self.scratch.before, &state.velocities, h);
            }
            Integrator::Verlet => {
                drift(&mut state.positions, &self.scratch.before, &state.velocities, 0.5 * h);
            }
        }
        for i in 0..self.system.model.pins().len() {
            let target = self.pin_target(i, self.state.time + h);
            let vertex = self.system.model.pins()[i].vertex;
            let old = match integrator {
                Integrator::SymplecticEuler => self.scratch.before[vertex],
                _ => self.scratch.course.from[0][vertex],
            };
            self.place_pin(i, target, 1.0);
            let (x, inv_h) = (self.state.positions[vertex], S::from_f64(1.0 / h));
            let v = &mut self.state.velocities[vertex];
            (0..3).for_each(|c| v[c] = (x[c] - old[c]) * inv_h);
        }
        self.scratch.course.starting.fill(false);
    }
}

/// `x = from + factor (x − from)`.
fn extrapolate<S: Precision>(x: &mut [Point<S>], from: &[Point<S>], factor: f64) {
    let factor = S::from_f64(factor);
    for (x, from) in x.iter_mut().zip(from) {
        (0..3).for_each(|c| x[c] = from[c] + (x[c] - from[c]) * factor);
    }
}

/// `x = from + h v`.
fn drift<S: Precision>(x: &mut [Point<S>], from: &[Point<S>], v: &[Point<S>], h: f64) {
    let h = S::from_f64(h);
    for ((x, from), v) in x.iter_mut().zip(from).zip(v) {
        (0..3).for_each(|c| x[c] = from[c] + v[c] * h);
    }
}
