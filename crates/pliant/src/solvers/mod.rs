//! The solvers, one file each, and the list of them.
//!
//! A solver's settings implement [`Solver`]; [`Solver::prepare`] turns them into a [`PreparedSolver`]
//! for one model, which owns all scratch memory. Solvers operate on batches, never on single elements.

mod acceleration;
mod auto;
mod constrained;
mod explicit;
mod hierarchical;
mod mass_spring;
mod newton;
mod pbd;
mod projective;
mod rank_one_terms;
mod settings;
mod stability;
mod vertex_descent;
mod xpbd;

pub use crate::solvers::acceleration::Acceleration;
pub use crate::solvers::auto::Auto;
pub use crate::solvers::constrained::Constrained;
pub use crate::solvers::explicit::Explicit;
pub use crate::solvers::hierarchical::Hpbd;
pub use crate::solvers::mass_spring::MassSpring;
pub use crate::solvers::newton::{Hessian, LinearSolver, Newton};
pub use crate::solvers::pbd::{Pbd, Sweep};
pub use crate::solvers::projective::ProjectiveDynamics;
pub use crate::solvers::settings::{SettingInfo, SettingKind, SettingValue};
pub use crate::solvers::vertex_descent::Vbd;
pub use crate::solvers::xpbd::Xpbd;

use std::fmt::Debug;

use crate::Error;
use crate::batch::ElementPrecision;
use crate::contact::ContactSet;
use crate::dynamics::integrator::Integrator;
use crate::linalg::FactorUpdate;
use crate::model::Model;
use crate::parallel::Exec;
use crate::report::Warning;
use crate::simd::Point;
use crate::system::System;

/// The settings of a solver.
pub trait Solver: Clone + Debug + Send + Sync + 'static {
    /// Name of the solver, as users write it.
    fn name(&self) -> &'static str;
    /// Substeps per frame.
    fn substeps(&self) -> usize {
        1
    }
    /// Time integration scheme.
    fn integrator(&self) -> Integrator {
        Integrator::ImplicitEuler
    }
    /// Time integration scheme for a model.
    fn integrator_for(&self, model: &Model) -> Integrator {
        let _ = model;
        self.integrator()
    }
    /// True if its prepared solvers support [`PreparedSolver::remove_elements`].
    fn supports_removal(&self) -> bool {
        false
    }
    /// Allocates and factors everything that steps of length `h` \[s\] on this system need. `h` is the
    /// integrator's [`solve_step`](Integrator::solve_step).
    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        h: f64,
        exec: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error>;
}

/// The problem of one substep: find positions `x` near the inertial guess `s` that satisfy the
/// elements. The integrator chooses the base positions, the step and the inertial guess.
pub struct Problem<'a, S> {
    /// The model's masses and elements.
    pub system: &'a System<S>,
    /// Threads and lanes.
    pub exec: &'a Exec,
    /// Step length \[s\].
    pub h: f64,
    /// Positions at the start of the step \[m\].
    pub previous: &'a [Point<S>],
    /// The inertial guess \[m\], pinned vertices at their targets.
    pub predicted: &'a [Point<S>],
    /// The solution \[m\]; holds `predicted` on entry. The fourth component of each point must not
    /// change.
    pub x: &'a mut [Point<S>],
    /// Contacts. Their multipliers are zero on entry; on exit they are zero or those of positions
    /// \[kg m\].
    pub contacts: &'a mut ContactSet,
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Number of iterations taken.
    pub iterations: usize,
    /// Norm of the residual force found by the last iteration \[N\]; NaN if the solver does not compute
    /// it.
    pub residual: f64,
    /// True if a solver that iterates to a tolerance reached it.
    pub converged: bool,
}

/// A solver prepared for one model and one time step.
pub trait PreparedSolver<S>: Send {
    /// Moves `problem.x` to the solution. Allocates nothing and never fails.
    fn solve(&mut self, problem: &mut Problem<S>) -> SolveReport;
    /// Begins a frame, in which no substep may take more than `max_iterations`; for the adaptive solver.
    fn begin_frame(&mut self, max_iterations: usize) {
        let _ = max_iterations;
    }
    /// Memory held, in bytes: the factor, and everything else.
    fn bytes(&self) -> MemoryUsage;
    /// Velocity change found by the last solve of an explicit solver [m/s]; `None` for other solvers.
    fn velocity_change(&self) -> Option<&[Point<S>]> {
        None
    }
    /// Strategy and cost of the last factor update, for solvers whose factor includes contact
    /// stiffness.
    fn factor_update(&self) -> Option<FactorUpdate> {
        None
    }
    /// Switches to a system with the same number of vertices from which elements were removed, at the
    /// same step `h` \[s\]. The resulting solver depends only on the system it was prepared for and the
    /// new one, not on systems in between. Returns `None`, with the solver unchanged, if it must be
    /// prepared again.
    fn remove_elements(&mut self, system: &System<S>, h: f64) -> Option<FactorUpdate> {
        let _ = (system, h);
        None
    }
    /// Warning to report before the first step, if any.
    fn startup_warning(&self) -> Option<Warning> {
        None
    }
}

/// Name of a solver combined with an integrator.
macro_rules! named {
    ($base:literal, $integrator:expr) => {
        match $integrator {
            Integrator::ImplicitMidpoint => concat!($base, "@midpoint"),
            Integrator::Bdf2 => concat!($base, "@bdf2"),
            _ => $base,
        }
    };
}
use named;

/// Memory that a solver holds, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// The factor of its matrix.
    pub factor: usize,
    /// Everything else.
    pub scratch: usize,
}

/// Declares the list of solvers as an enum over their settings, found by name. Iterative solvers come
/// first, then explicit ones, then further names for particular settings of either kind.
macro_rules! solvers {
    (
        $($variant:ident $name:literal $summary:literal),* $(,)?;
        $($explicit:ident $explicit_name:literal $explicit_summary:literal),* $(,)?;
        $($also:literal $also_summary:literal = $settings:expr),* $(,)?
    ) => {
        /// Any solver's settings.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnySolver {
            $(#[doc = $summary] $variant($variant),)*
            $(#[doc = $explicit_summary] $explicit($explicit),)*
        }

        /// Name and one-line summary of every solver.
        pub const LIST: &[(&str, &str)] = &[
            $(($name, $summary),)*
            $(($explicit_name, $explicit_summary),)*
            $(($also, $also_summary),)*
        ];

        impl AnySolver {
            /// Returns the solver of that name with its default settings. Names such as
            /// `projective+anderson` combine a solver with an [`Acceleration`]; `pbd_jacobi` and
            /// `pbd_momentum` are Position Based Dynamics with Jacobi sweeps; `newton_pcg`,
            /// `newton_shifted`, `newton_hybrid`, `semi_implicit` and `semi_implicit_projected` are
            /// settings of [`Newton`]; names such as `newton@midpoint` select another [`Integrator`].
            pub fn by_name(name: &str) -> Result<Self, Error> {
                let unknown = || {
                    let all = LIST.iter().chain(ACCELERATED).chain(INTEGRATED);
                    let known = all.map(|(n, _)| *n).collect::<Vec<_>>().join(", ");
                    Error::UnknownSolver { name: name.to_owned(), known }
                };
                let (rest, integrator) = name.rsplit_once('@').unwrap_or((name, ""));
                let (base, kind) = rest.split_once('+').unwrap_or((rest, "plain"));
                let plain = match base.replace('-', "_").as_str() {
                    $($name => Self::$variant($variant::default()),)*
                    $($explicit_name => Self::$explicit($explicit::default()),)*
                    $($also => $settings.into(),)*
                    "pbd_jacobi" => Pbd::jacobi().into(),
                    "pbd_momentum" => Pbd::momentum().into(),
                    base => Newton::by_name(base).ok_or_else(unknown)?.into(),
                };
                let solver = plain.accelerated(kind).ok_or_else(unknown)?;
                if integrator.is_empty() && !name.contains('@') {
                    return Ok(solver);
                }
                let found = Integrator::LIST.iter().find(|(n, _)| *n == integrator);
                let (_, integrator) = *found.ok_or_else(unknown)?;
                solver.with_integrator(integrator)
            }

            /// Maximum number of iterations per substep; 1 for explicit solvers.
            pub fn iterations(&self) -> usize {
                match self {
                    $(Self::$variant(s) => s.iterations,)*
                    $(Self::$explicit(_) => 1,)*
                }
            }

            /// Returns the same solver with another number of iterations per substep. Explicit solvers
            /// have none and are returned unchanged.
            pub fn with_iterations(mut self, n: usize) -> Self {
                match &mut self {
                    $(Self::$variant(s) => s.iterations = n,)*
                    $(Self::$explicit(_) => {})*
                }
                self
            }

            /// The settings of this form of the solver, with their values.
            pub fn settings(&self) -> Vec<SettingInfo> {
                match self {
                    $(Self::$variant(s) => settings::list(s),)*
                    $(Self::$explicit(s) => settings::list(s),)*
                }
            }

            /// Changes a setting, or leaves the solver unchanged and returns an error that says which names or
            /// values are valid.
            pub fn set(&mut self, name: &str, value: &SettingValue) -> Result<(), Error> {
                let own = self.name();
                match self {
                    $(Self::$variant(s) => settings::set(s, own, name, value),)*
                    $(Self::$explicit(s) => settings::set(s, own, name, value),)*
                }
            }

            /// Returns the same solver with another number of substeps per frame.
            pub fn with_substeps(mut self, n: usize) -> Self {
                match &mut self {
                    $(Self::$variant(s) => s.substeps = n,)*
                    $(Self::$explicit(s) => s.substeps = n,)*
                }
                self
            }
        }

        impl Solver for AnySolver {
            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(s) => s.name(),)*
                    $(Self::$explicit(s) => s.name(),)*
                }
            }
            fn substeps(&self) -> usize {
                match self {
                    $(Self::$variant(s) => s.substeps(),)*
                    $(Self::$explicit(s) => s.substeps(),)*
                }
            }
            fn integrator(&self) -> Integrator {
                match self {
                    $(Self::$variant(s) => s.integrator(),)*
                    $(Self::$explicit(s) => s.integrator(),)*
                }
            }
            fn integrator_for(&self, model: &Model) -> Integrator {
                match self {
                    $(Self::$variant(s) => s.integrator_for(model),)*
                    $(Self::$explicit(s) => s.integrator_for(model),)*
                }
            }
            fn supports_removal(&self) -> bool {
                match self {
                    $(Self::$variant(s) => s.supports_removal(),)*
                    $(Self::$explicit(s) => s.supports_removal(),)*
                }
            }
            fn prepare<S: ElementPrecision>(
                &self,
                system: &System<S>,
                h: f64,
                exec: &Exec,
            ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
                match self {
                    $(Self::$variant(s) => s.prepare(system, h, exec),)*
                    $(Self::$explicit(s) => s.prepare(system, h, exec),)*
                }
            }
        }

        $(impl From<$variant> for AnySolver {
            fn from(s: $variant) -> Self {
                Self::$variant(s)
            }
        })*
        $(impl From<$explicit> for AnySolver {
            fn from(s: $explicit) -> Self {
                Self::$explicit(s)
            }
        })*
    };
}

solvers! {
    Auto "auto" "adaptive Projective Dynamics: substeps and iterations follow from an accuracy",
    ProjectiveDynamics "projective" "Projective Dynamics: local projections and one prefactored \
        global solve; the default",
    MassSpring "mass_spring" "fast mass-spring systems: local/global iteration, springs only (Liu \
        et al. 2013)",
    Xpbd "xpbd" "extended position based dynamics: stiffness independent of iterations (Macklin et \
        al. 2016)",
    Vbd "vbd" "vertex block descent: a Newton step per vertex, in sweeps (Chen et al. 2024)",
    Pbd "pbd" "position based dynamics: fast, stiffness depends on iterations (Müller et al. 2007)",
    Hpbd "hpbd" "hierarchical position based dynamics: coarse levels for stretch (Müller 2008)",
    Constrained "constrained" "Lagrange multipliers: stiffness up to infinity, one factorisation \
        per iteration",
    Newton "newton" "Newton's method with line search: the converged reference, or one linearised \
        step";
    Explicit "explicit" "explicit Euler with many substeps: unstable, for comparison only";
    "symplectic" "symplectic Euler with many substeps: no energy drift at short substeps" =
        Explicit::symplectic(),
    "verlet" "velocity Verlet with many substeps: no energy drift, second order" = Explicit::verlet(),
}

impl AnySolver {
    /// Returns the same solver with another integrator, or an error if the solver does not support it.
    pub fn with_integrator(mut self, integrator: Integrator) -> Result<Self, Error> {
        let (solver, own) = (self.name(), self.integrator());
        match &mut self {
            Self::Auto(s) => s.integrator = Some(integrator),
            Self::ProjectiveDynamics(s) => s.integrator = integrator,
            Self::MassSpring(s) => s.integrator = integrator,
            Self::Newton(s) => s.integrator = integrator,
            _ if integrator == own => return Ok(self),
            _ => {
                return Err(Error::Unsupported {
                    solver,
                    what: "a choice of integrator",
                    remedy: "use projective, mass_spring or newton for implicit midpoint and BDF2",
                });
            }
        }
        integrator.require_implicit(solver).map(|()| self)
    }
}

/// Names and one-line summaries of solvers with an integrator other than implicit Euler.
pub const INTEGRATED: &[(&str, &str)] = &[
    ("projective@midpoint", "Projective Dynamics with implicit midpoint: little numerical damping"),
    (
        "projective@bdf2",
        "Projective Dynamics with BDF2: less numerical damping, stable at any step",
    ),
    ("newton@midpoint", "Newton's method with implicit midpoint"),
    ("newton@bdf2", "Newton's method with BDF2"),
    ("mass_spring@midpoint", "fast mass-spring systems with implicit midpoint"),
    ("mass_spring@bdf2", "fast mass-spring systems with BDF2"),
];

impl AnySolver {
    /// Returns the same solver with the acceleration of that name, or `None` if it does not support it.
    fn accelerated(self, kind: &str) -> Option<Self> {
        let (_, acceleration) = *Acceleration::LIST.iter().find(|(n, _)| *n == kind)?;
        Some(match (self, acceleration) {
            (plain, Acceleration::Plain) => plain,
            (Self::ProjectiveDynamics(s), _) => ProjectiveDynamics { acceleration, ..s }.into(),
            (Self::Vbd(s), Acceleration::Chebyshev) => Vbd { chebyshev: true, ..s }.into(),
            (Self::Pbd(s), Acceleration::Chebyshev) => {
                // Chebyshev acceleration needs a Jacobi sweep, so `pbd+chebyshev` selects the averaged
                // one.
                let sweep = match s.sweep {
                    Sweep::GaussSeidel => Pbd::jacobi().sweep,
                    jacobi => jacobi,
                };
                Pbd { sweep, chebyshev: true, ..s }.into()
            }
            _ => return None,
        })
    }
}

/// Names and one-line summaries of further variants of these solvers.
pub const ACCELERATED: &[(&str, &str)] = &[
    ("projective+chebyshev", "Projective Dynamics with Chebyshev acceleration (Wang 2015)"),
    ("projective+anderson", "Projective Dynamics with Anderson acceleration: fewest iterations"),
    ("projective+lbfgs", "Projective Dynamics as a quasi-Newton method, L-BFGS (Liu et al. 2017)"),
    ("vbd+chebyshev", "vertex block descent with Chebyshev acceleration"),
    ("pbd_jacobi", "position based dynamics with Jacobi sweeps and averaged corrections"),
    (
        "pbd_jacobi+chebyshev",
        "pbd_jacobi with Chebyshev acceleration (Wang 2015); also pbd+chebyshev",
    ),
    ("pbd_momentum", "position based dynamics with Jacobi sweeps and an inertia term"),
    ("pbd_momentum+chebyshev", "pbd_momentum with Chebyshev acceleration (Wang 2015)"),
    ("newton_pcg", "Newton's method with conjugate gradients: no factor, little memory"),
    ("newton_shifted", "Newton's method, indefinite Hessians shifted along the diagonal"),
    ("newton_hybrid", "local/global iterations first, then Newton's method to convergence"),
    (
        "semi_implicit",
        "one linearised implicit step as printed (Baraff and Witkin 1998): unstable under compression",
    ),
    (
        "semi_implicit_projected",
        "one linearised implicit step with element Hessians projected to be definite",
    ),
];

/// Returns an error if the system has a consistent mass matrix; the solver needs lumped masses.
fn require_lumped<S: ElementPrecision>(
    solver: &'static str,
    system: &System<S>,
) -> Result<(), Error> {
    if system.model.mass_matrix().is_some() {
        return Err(Error::Unsupported {
            solver,
            what: "a consistent mass matrix",
            remedy: "use lumped masses, or solver projective or newton",
        });
    }
    Ok(())
}
