//! The solvers, one file each, and the list of them.
//!
//! A solver's settings implement [`Solver`]; [`Solver::prepare`] turns them into a [`Stepper`] for
//! one model, which owns all scratch memory. Solvers see batches, never elements.

mod acceleration;
mod constrained;
mod coupling;
mod explicit;
mod hierarchical;
mod mass_spring;
mod newton;
mod pbd;
mod projective;
mod stability;
mod vertex_descent;
mod xpbd;

pub use acceleration::Acceleration;
pub use constrained::Constrained;
pub use explicit::Explicit;
pub use hierarchical::Hpbd;
pub use mass_spring::MassSpring;
pub use newton::{Hessian, LinearSolver, Newton};
pub use pbd::{Pbd, Sweep};
pub use projective::ProjectiveDynamics;
pub use vertex_descent::Vbd;
pub use xpbd::Xpbd;

use std::fmt::Debug;

use crate::Error;
use crate::contact::Contacts;
use crate::integrator::Integrator;
use crate::linalg::Followed;
use crate::parallel::Exec;
use crate::report::Warning;
use crate::simd::Point;
use crate::system::{Precision, System};

/// The settings of a solver.
pub trait Solver: Clone + Debug + Send + Sync + 'static {
    /// Its name, as users write it.
    fn name(&self) -> &'static str;
    /// Substeps per frame.
    fn substeps(&self) -> usize {
        1
    }
    /// How a step follows from the one before.
    fn integrator(&self) -> Integrator {
        Integrator::ImplicitEuler
    }
    /// Whether its steppers follow a system of which elements vanish.
    fn follows(&self) -> bool {
        false
    }
    /// Allocates and factors whatever problems of the step `h` \[s\] on this system need. It is the
    /// integrator's [`solve_step`](Integrator::solve_step).
    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        h: f64,
        exec: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error>;
}

/// One substep's problem: find `x` near the inertial guess `s` that the elements agree with. The
/// integrator chooses where it sets out from, its step and its guess.
pub struct Problem<'a, S> {
    /// The model's masses and elements.
    pub system: &'a System<S>,
    /// Threads and lanes.
    pub exec: &'a Exec,
    /// The step \[s\].
    pub h: f64,
    /// Positions that the step sets out from \[m\].
    pub before: &'a [Point<S>],
    /// The inertial guess \[m\], pinned vertices at their targets.
    pub guess: &'a [Point<S>],
    /// The solution \[m\]: holds `guess` on entry. The fourth numbers must stay.
    pub x: &'a mut [Point<S>],
    /// What touches, with no multipliers on entry, and at the end none or those of positions \[kg m\].
    pub contacts: &'a mut Contacts,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Iterations taken.
    pub iterations: usize,
    /// Norm of the unbalanced force that the last iteration found \[N\]; NaN if the solver has none.
    pub residual: f64,
    /// Whether a solver that iterates to a tolerance reached it.
    pub converged: bool,
}

/// A solver made ready for one model and one time step.
pub trait Stepper<S>: Send {
    /// Moves `problem.x` to the solution. Allocates nothing and never fails.
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved;
    /// Memory held, in bytes: the factor, and everything else.
    fn bytes(&self) -> Memory;
    /// Of an explicit solver, the change of velocity that its last solve found [m/s].
    fn kick(&self) -> Option<&[Point<S>]> {
        None
    }
    /// Of a solver with a factor that follows contacts, how its last solve brought it up to date.
    fn followed(&self) -> Option<Followed> {
        None
    }
    /// Goes on with a system of as many vertices as it was prepared for, of which elements have vanished,
    /// at the same step `h` \[s\]. What it becomes depends on both systems alone, not on others in between.
    /// None where it must be prepared again: then it has not changed.
    fn follow(&mut self, system: &System<S>, h: f64) -> Option<Followed> {
        let _ = (system, h);
        None
    }
    /// What users should know before the first step.
    fn warning(&self) -> Option<Warning> {
        None
    }
}

/// The name of a solver with an integrator.
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
pub struct Memory {
    /// The factor of its matrix.
    pub factor: usize,
    /// Everything else.
    pub scratch: usize,
}

/// Declares the list of solvers: an enum over their settings, found by name. First those that
/// iterate, then those that do not, then further names for settings of either.
macro_rules! solvers {
    (
        $($variant:ident $name:literal $summary:literal),* $(,)?;
        $($once:ident $once_name:literal $once_summary:literal),* $(,)?;
        $($also:literal $also_summary:literal = $settings:expr),* $(,)?
    ) => {
        /// Any solver's settings.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnySolver {
            $(#[doc = $summary] $variant($variant),)*
            $(#[doc = $once_summary] $once($once),)*
        }

        /// Every solver: its name and one line on it.
        pub const LIST: &[(&str, &str)] = &[
            $(($name, $summary),)*
            $(($once_name, $once_summary),)*
            $(($also, $also_summary),)*
        ];

        impl AnySolver {
            /// The solver of that name with its default settings. `projective+anderson` and its like
            /// are a solver with an [`Acceleration`]; `pbd_jacobi` and `pbd_momentum` are Position
            /// Based Dynamics by Jacobi sweeps; `newton@midpoint` and its like are solvers with
            /// another [`Integrator`].
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
                    $($once_name => Self::$once($once::default()),)*
                    $($also => $settings.into(),)*
                    "pbd_jacobi" => Pbd::jacobi().into(),
                    "pbd_momentum" => Pbd::momentum().into(),
                    _ => return Err(unknown()),
                };
                let solver = plain.accelerated(kind).ok_or_else(unknown)?;
                if integrator.is_empty() && !name.contains('@') {
                    return Ok(solver);
                }
                let found = Integrator::LIST.iter().find(|(n, _)| *n == integrator);
                let (_, integrator) = *found.ok_or_else(unknown)?;
                solver.with_integrator(integrator)
            }

            /// Iterations per substep, at most; explicit ones count as one.
            pub fn iterations(&self) -> usize {
                match self {
                    $(Self::$variant(s) => s.iterations,)*
                    $(Self::$once(_) => 1,)*
                }
            }

            /// The same solver with another number of iterations per substep; explicit ones have
            /// none and stay as they are.
            pub fn with_iterations(mut self, n: usize) -> Self {
                match &mut self {
                    $(Self::$variant(s) => s.iterations = n,)*
                    $(Self::$once(_) => {})*
                }
                self
            }

            /// The same solver with another number of substeps per frame.
            pub fn with_substeps(mut self, n: usize) -> Self {
                match &mut self {
                    $(Self::$variant(s) => s.substeps = n,)*
                    $(Self::$once(s) => s.substeps = n,)*
                }
                self
            }
        }

        impl Solver for AnySolver {
            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(s) => s.name(),)*
                    $(Self::$once(s) => s.name(),)*
                }
            }
            fn substeps(&self) -> usize {
                match self {
                    $(Self::$variant(s) => s.substeps(),)*
                    $(Self::$once(s) => s.substeps(),)*
                }
            }
            fn integrator(&self) -> Integrator {
                match self {
                    $(Self::$variant(s) => s.integrator(),)*
                    $(Self::$once(s) => s.integrator(),)*
                }
            }
            fn follows(&self) -> bool {
                match self {
                    $(Self::$variant(s) => s.follows(),)*
                    $(Self::$once(s) => s.follows(),)*
                }
            }
            fn prepare<S: Precision>(
                &self,
                system: &System<S>,
                h: f64,
                exec: &Exec,
            ) -> Result<Box<dyn Stepper<S>>, Error> {
                match self {
                    $(Self::$variant(s) => s.prepare(system, h, exec),)*
                    $(Self::$once(s) => s.prepare(system, h, exec),)*
                }
            }
        }

        $(impl From<$variant> for AnySolver {
            fn from(s: $variant) -> Self {
                Self::$variant(s)
            }
        })*
        $(impl From<$once> for AnySolver {
            fn from(s: $once) -> Self {
                Self::$once(s)
            }
        })*
    };
}

solvers! {
    ProjectiveDynamics "projective" "Projective Dynamics: local projections, one prefactored global solve; the default",
    MassSpring "mass_spring" "local/global iteration for springs alone (Liu et al. 2013)",
    Xpbd "xpbd" "position based dynamics with compliance: stiffness independent of iterations",
    Vbd "vbd" "vertex block descent: Newton steps of one vertex at a time (Chen et al. 2024)",
    Pbd "pbd" "position based dynamics as of 2007: fast, stiffness depends on iterations",
    Hpbd "hpbd" "hierarchical position based dynamics: coarse levels against stretch (Müller 2008)",
    Constrained "constrained" "constraints with multipliers: stiffness up to infinity; needs a factorisation per iteration",
    Newton "newton" "Newton's method to convergence: the reference, or one semi-implicit step";
    Explicit "explicit" "explicit Euler in many substeps: unstable, for comparison";
    "symplectic" "symplectic Euler in many substeps: keeps the energy where the substeps are short" =
        Explicit::symplectic(),
    "verlet" "Verlet's method in many substeps: the same, of second order" = Explicit::verlet(),
}

impl AnySolver {
    /// The same solver with another integrator, or an error where it cannot honour it.
    pub fn with_integrator(mut self, integrator: Integrator) -> Result<Self, Error> {
        let (solver, own) = (self.name(), self.integrator());
        match &mut self {
            Self::ProjectiveDynamics(s) => s.integrator = integrator,
            Self::MassSpring(s) => s.integrator = integrator,
            Self::Newton(s) => s.integrator = integrator,
            _ if integrator == own => return Ok(self),
            _ => {
                return Err(Error::Unsupported {
                    solver,
                    what: "another integrator than its own",
                    remedy: "use projective, mass_spring or newton, which find the point that \
                             implicit midpoint and BDF2 go on from",
                });
            }
        }
        integrator.require_implicit(solver).map(|()| self)
    }
}

/// The solvers with another integrator than implicit Euler: name and one line.
pub const INTEGRATED: &[(&str, &str)] = &[
    ("projective@midpoint", "the same by implicit midpoint: keeps the energy"),
    ("projective@bdf2", "the same by BDF2: damps far less, stable at any step"),
    ("newton@midpoint", "Newton's method on implicit midpoint"),
    ("newton@bdf2", "Newton's method on BDF2"),
    ("mass_spring@midpoint", "springs alone by implicit midpoint"),
    ("mass_spring@bdf2", "springs alone by BDF2"),
];

impl AnySolver {
    /// The same solver with the acceleration of that name, if it has one.
    fn accelerated(self, kind: &str) -> Option<Self> {
        let (_, acceleration) = *Acceleration::LIST.iter().find(|(n, _)| *n == kind)?;
        Some(match (self, acceleration) {
            (plain, Acceleration::Plain) => plain,
            (Self::ProjectiveDynamics(s), _) => ProjectiveDynamics { acceleration, ..s }.into(),
            (Self::Vbd(s), Acceleration::Chebyshev) => Vbd { chebyshev: true, ..s }.into(),
            (Self::Pbd(s), Acceleration::Chebyshev) => {
                // Gauss–Seidel has no such form: the plain name means the averaged sweep.
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

/// Other forms of these solvers: name and one line.
pub const ACCELERATED: &[(&str, &str)] = &[
    ("projective+chebyshev", "the same with Chebyshev's semi-iterative method (Wang 2015)"),
    ("projective+anderson", "the same with Anderson acceleration: fewest iterations"),
    ("projective+lbfgs", "the same as a quasi-Newton method (Liu et al. 2017)"),
    ("vbd+chebyshev", "vertex block descent with Chebyshev's semi-iterative method"),
    ("pbd_jacobi", "position based dynamics, all constraints at once, averaged"),
    (
        "pbd_jacobi+chebyshev",
        "the same with Chebyshev's semi-iterative method (Wang 2015); also pbd+chebyshev",
    ),
    ("pbd_momentum", "position based dynamics, all constraints at once, balanced against inertia"),
    ("pbd_momentum+chebyshev", "the same with Chebyshev's semi-iterative method (Wang 2015)"),
];

/// Refuses what needs masses at the vertices alone.
fn require_lumped<S: Precision>(solver: &'static str, system: &System<S>) -> Result<(), Error> {
    if system.model.mass_matrix().is_some() {
        return Err(Error::Unsupported {
            solver,
            what: "a consistent mass matrix",
            remedy: "use lumped masses, or the solvers projective and newton",
        });
    }
    Ok(())
}
