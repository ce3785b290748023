//! Time integrators: difference equations in place of `x' = v`, `M v' = f(x)`. The stages that carry them out
//! are in `simulation/step/integrate.rs`.
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
//! **One problem for all implicit integrators.** Each needs the `x` that minimises `½‖x − s‖²_M/τ² + E(x)` with
//! `s = X + τ V + τ² M⁻¹ f_ext`, Projective Dynamics eq. (4), and has `v = (x − X)/τ` there. Only the base
//! `X, V`, the step `τ` of the problem and the use of `x` differ, so solvers do not depend on the integrator:
//!
//! | integrator | base `X, V` | `τ` | then |
//! |---|---|---|---|
//! | implicit Euler | `x₀, v₀` | `h` | `x₁ = x`, `v₁ = v` |
//! | implicit midpoint | `x₀, v₀` | `h/2` | `x₁ = x₀ + 2 (x − x₀)`, `v₁ = v₀ + 2 (v − v₀)` |
//! | BDF2 | `(4x₀ − x₋₁)/3`, `(4v₀ − v₋₁)/3` | `2h/3` | `x₁ = x`, `v₁ = v` |
//! | BDF2, first step | `x₀, v₀` | `2h/3` | `x₁ = x₀ + 3/2 (x − x₀)`, `v₁ = v₀ + 3/2 (v − v₀)` |
//!
//! The first step of BDF2 has no `x₋₁`. It evaluates forces at ⅔h and extrapolates to `h` with them (the
//! one-leg θ-method with θ = ⅔): stable for any step, of second order locally, and unlike a step of implicit
//! Euler it has the `τ` of all further steps, hence their matrix. A body starts without history if its state is
//! not the one that the last step left ([`StepHistory`](crate::system::history::StepHistory)).
//!
//! **Pins** reach their targets at the end of a step. A problem that is evaluated before the end of its step
//! has them between their old positions and their targets.
//!
//! **Damping** is split off. Drag and internal damping act on the base `V` before any force, so that bodies at
//! rest keep their full weight; damping along constraints and by stiffness acts on `v₁`. Implicit midpoint
//! damps over `h`, the others over `τ`. The splitting is of first order.

use crate::Error;

/// Time integrator: the rule by which a step follows from the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// First order, stable at any step, dissipates the energy of fast motion.
    #[default]
    ImplicitEuler,
    /// Second order, conserves energy; motion too fast for the step oscillates without damping.
    ImplicitMidpoint,
    /// Second order, stable at any step, dissipates far less energy than implicit Euler.
    Bdf2,
    /// First order, adds energy to every motion: for comparison.
    ExplicitEuler,
    /// First order, keeps the energy bounded if the step is short enough.
    SymplecticEuler,
    /// Second order, otherwise as symplectic Euler.
    Verlet,
}

impl Integrator {
    /// Implicit integrators by name, as written after `@` in the name of a solver.
    pub const LIST: &'static [(&'static str, Self)] = &[
        ("euler", Self::ImplicitEuler),
        ("midpoint", Self::ImplicitMidpoint),
        ("bdf2", Self::Bdf2),
    ];

    /// True if forces are evaluated at known positions.
    pub fn is_explicit(self) -> bool {
        matches!(self, Self::ExplicitEuler | Self::SymplecticEuler | Self::Verlet)
    }

    /// True if the solver finds the positions at the end of a substep, where contacts must hold.
    pub fn solves_end_positions(self) -> bool {
        matches!(self, Self::ImplicitEuler | Self::Bdf2)
    }

    /// Step `τ` \[s\] of the problem that a solver gets for a substep `h` \[s\].
    pub fn solve_step(self, h: f64) -> f64 {
        match self {
            Self::ImplicitMidpoint => 0.5 * h,
            Self::Bdf2 => h / 1.5,
            _ => h,
        }
    }

    /// Fraction of a substep at which its problem evaluates time-dependent forces.
    pub(crate) fn force_time_fraction(self) -> f64 {
        match self {
            Self::ExplicitEuler | Self::SymplecticEuler => 0.0,
            Self::ImplicitMidpoint | Self::Verlet => 0.5,
            Self::ImplicitEuler | Self::Bdf2 => 1.0,
        }
    }

    /// Time \[s\] over which velocities are damped in a substep `h` \[s\].
    pub(crate) fn damping_step(self, h: f64) -> f64 {
        if self == Self::ImplicitMidpoint { h } else { self.solve_step(h) }
    }

    /// Returns an error for explicit integrators, on behalf of a solver that solves implicit steps only.
    pub(crate) fn require_implicit(self, solver: &'static str) -> Result<(), Error> {
        if !self.is_explicit() {
            return Ok(());
        }
        let remedy = "use solver explicit, symplectic or verlet";
        Err(Error::Unsupported { solver, what: "explicit integrators", remedy })
    }
}
