//! Elements: the elastic energies of a model, and the solver forms derived from them.
//!
//! An element is written once, in one of three forms, and runs under every solver.
//!
//! **Projective** ([`Projective`]), Projective Dynamics eq. (7): a small constant matrix `A` over
//! the element's `N` vertices gives `D` vectors `y = A x`, and `p = project(y)` is the nearest
//! point of the set of admissible values. The energy is `E = w/2 ‖A x − p‖²`.
//!
//! **Scalar** ([`Constraint`]), Position Based Dynamics §3.1: a function `C(x)` and its gradient, equality or
//! inequality. The energy is `E = w/2 C²`. Several such functions of the same vertices, each with a share of the
//! weight, are a [`ConstraintGroup`]: solvers that process constraint by constraint correct them one after another.
//!
//! **Energy** ([`Hyperelastic`]): an energy `Ψ(y)` of `y = A x` that is zero at rest and nowhere negative, and its
//! gradient, the stress `P`. The energy is `E = w Ψ`. Used for energies that are neither a squared distance nor half a
//! square, such as rubber.
//!
//! From any of them, [`SolverForms`] derives the quantities that the solvers use:
//!
//! | quantity | projective | scalar | energy |
//! |---|---|---|---|
//! | `C, ∇C` (PBD) | `C = ±‖y − p‖`, `∇C = Aᵀ n`, `n = (y − p)/C` | as given | `C = √(2 Ψ)`, `∇C = Aᵀ P/C` |
//! | multipliers (XPBD) | `Λ = −w (y − p)`, one vector for each of `y` | `λ = −w C` | `Λ = −w P` |
//! | `Aᵀ(p − y)`, `AᵀA` (Projective Dynamics) | as given | local steps (1) | `p − y = −P/k` (2) |
//! | `−∇E` (Newton) | `w Aᵀ(p − y)` (3) | `−w C ∇C` | `−w Aᵀ P` |
//! | `∇²E` (Newton) | `w Aᵀ(I − ∂p/∂y) A` | `w (∇C ∇Cᵀ + C ∇²C)` | `w Aᵀ(∂P/∂y) A` |
//! | `C_k, ∇C_k` (constrained) | modes `μ = 1` of `I − ∂p/∂y` | as given | all modes of `∂P/∂y` (4) |
//! | geometric stiffness (constrained) | the other modes | `−λ ∇²C` | lost by the scale (4) |
//! | `−∇_k E`, definite `∇²_kk E` (vertex block descent) | as above | (5) | as the element gives it |
//!
//! 1. Mean-free coordinates, a few steps of sequential quadratic programming onto `C = 0` (PD §6).
//! 2. `k` is the stiffness at rest; increments that raise the objective are shortened.
//! 3. The derivative of the projection drops out.
//! 4. Scaled so that `Σ C²/2 = Ψ`; see `element/rows.rs`.
//! 5. `w (∇_k C ∇_k Cᵀ + |C| ‖∇²_kk C‖ I)`.
//!
//! The scalar form's projective weight is `w |∇C|²` at rest, so that both energies agree to first
//! order around the rest shape.
//!
//! Kernels are generic over [`Real`] and must be `#[inline(always)]` without closures.

mod algebra;
mod block;
mod by_constraint;
mod by_energy;
mod by_projection;
mod evaluation;
mod rows;
mod solver_forms;

pub use crate::element::block::{Block, VertexBlock};
pub use crate::element::by_constraint::ByConstraint;
pub(crate) use crate::element::by_constraint::FINITE_DIFFERENCE_STEP;
pub use crate::element::by_energy::ByEnergy;
pub use crate::element::by_projection::ByProjection;
pub use crate::element::rows::{AddRow, AddStiffness, Direction};
pub use solver_forms::{MAX_CONSTRAINTS, MAX_VERTICES, SolverForms, clamp_violation, violation};

use std::fmt::Debug;

use crate::element::algebra::{difference, norm_squared};
use crate::math::{Real, Scalar, Vec3};

/// An element in projective form: `N` vertices, `D` vectors `y = A x` (at most three), `K` numbers
/// of rest data.
pub trait Projective<const N: usize, const D: usize, const K: usize>:
    Copy + Debug + Send + Sync + 'static
{
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Approximate cost of one projection, in nanoseconds, for load balancing among threads.
    const COST_NS: usize = 4;

    /// The rest data of this element, as passed to [`Projective::matrix`] and [`Projective::project`].
    fn parameters(&self) -> [f64; K];
    /// The matrix `A`: row `d` holds the coefficients of the `N` vertices in `y[d]`.
    fn matrix<R: Real>(rest: &[R; K]) -> [[R; N]; D];
    /// The admissible value nearest to `y`.
    fn project<R: Real>(rest: &[R; K], y: &[Vec3<R>; D]) -> [Vec3<R>; D];

    /// Returns the constraint value `C` and its unit direction `n` in the space of `y`.
    ///
    /// Override it where `C` has a natural sign, such as a spring's extension.
    #[inline(always)]
    fn signed_distance<R: Real>(rest: &[R; K], y: &[Vec3<R>; D]) -> (R, [Vec3<R>; D]) {
        let mut n = difference(y, &evaluation::project::<Self, R, N, D, K>(rest, y));
        let c = norm_squared(&n).sqrt();
        let inv = R::one().div_or_zero(c, R::of(R::Scalar::TINY));
        for d in 0..D {
            n[d] = n[d].scale(inv);
        }
        (c, n)
    }

    /// Writes the Hessian of `½‖y − project(y)‖²` in the space of `y`.
    ///
    /// With `definite`, only its positive semi-definite part. The default is the identity, which bounds it from above:
    /// Newton's method then converges like Projective Dynamics.
    fn curvature(rest: &[f64; K], y: &[Vec3<f64>; D], definite: bool, out: &mut Curvature) {
        let _ = (rest, y, definite, out);
    }

    /// Number of trailing rest data that are plastic state. They are part of a simulation's state.
    const PLASTIC_STATE_LEN: usize = 0;
    /// Updates the plastic state for a time `h` \[s\] at `y`: changes the last [`Projective::PLASTIC_STATE_LEN`]
    /// numbers of the rest data, on which the matrix must not depend.
    #[inline(always)]
    fn update_plasticity<R: Real>(rest: &mut [R; K], y: &[Vec3<R>; D], h: R) {
        let _ = (rest, y, h);
    }

    /// Returns the block of one vertex in the Hessian of `½‖A x − project(A x)‖²`, positive semi-definite, in packs:
    /// `a` holds the vertex's column of `A`.
    ///
    /// The default is the bound `|a|² I`, with which no step raises the energy. Where the set is strongly curved across
    /// `y` (a spring's sphere) it makes steps too short: the exact curvature then needs four to ten times fewer
    /// iterations on nets and cloth. On tetrahedra it saves half of them at three times the cost, so these keep the
    /// bound.
    #[inline(always)]
    fn block<R: Real>(rest: &[R; K], y: &[Vec3<R>; D], a: &[R; D]) -> Block<R> {
        let _ = (rest, y);
        Block::isotropic(algebra::sum_of_squares(a))
    }
}

/// Kind of a constraint: equality or inequality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// Satisfied where `C = 0`.
    Equality,
    /// Satisfied where `C ≥ 0`.
    Inequality,
}

/// An element in scalar form: a function of `N` vertices, with `K` numbers of rest data.
pub trait Constraint<const N: usize, const K: usize>: Copy + Debug + Send + Sync + 'static {
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Approximate cost of one evaluation, in nanoseconds, for load balancing among threads.
    const COST_NS: usize = 8;
    /// Equality or inequality.
    const KIND: ConstraintKind = ConstraintKind::Equality;
    /// True if translating all vertices together has no effect, as for every internal force.
    const TRANSLATION_INVARIANT: bool = true;
    /// True if the gradient rotates on the way to `C = 0`, so that the resulting torque must be removed from the
    /// projection of Projective Dynamics.
    const GRADIENT_ROTATES: bool = false;

    /// True if the gradient can vanish where `C` does not, as an area's does when the triangle collapses to a point.
    /// Quotients by its square are then regularised.
    const GRADIENT_CAN_VANISH: bool = false;
    /// True if the projective force is disabled at vertices of [inverted](Constraint::is_inverted) elements until other
    /// elements have turned those back: a volume that neighbours keep would hold them inverted.
    const DISABLED_NEAR_INVERSION: bool = false;

    /// True if an element is inverted at `x`; used for elements disabled near inversion.
    fn is_inverted(rest: &[f64; K], x: &[Vec3<f64>; N]) -> bool {
        let _ = (rest, x);
        false
    }
    /// The rest data of this element, as passed to [`Constraint::evaluate`].
    fn parameters(&self) -> [f64; K];
    /// Returns the value `C(x)` and its gradient with respect to each vertex.
    fn evaluate<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]);
}

/// An element of `M` scalar constraints on the same `N` vertices, with `K` numbers of rest data:
/// `E = w/2 Σ share_m C_m²`.
///
/// Every [`Constraint`] is a group of one.
pub trait ConstraintGroup<const N: usize, const M: usize, const K: usize>:
    Copy + Debug + Send + Sync + 'static
{
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Approximate cost of all evaluations, in nanoseconds, for load balancing among threads.
    const COST_NS: usize = 8;
    /// Equality or inequality.
    const KIND: ConstraintKind = ConstraintKind::Equality;
    /// True if translating all vertices together has no effect, as for every internal force.
    const TRANSLATION_INVARIANT: bool = true;
    /// True if the gradients rotate on the way to `C = 0`, as in [`Constraint::GRADIENT_ROTATES`].
    const GRADIENT_ROTATES: bool = false;

    /// True if the gradients can vanish where `C` does not, as in [`Constraint::GRADIENT_CAN_VANISH`].
    const GRADIENT_CAN_VANISH: bool = false;
    /// True if disabled near inverted elements, as in [`Constraint::DISABLED_NEAR_INVERSION`].
    const DISABLED_NEAR_INVERSION: bool = false;
    /// True if the projection never overshoots, as in [`SolverForms::BOUNDED`].
    const BOUNDED: bool = true;
    /// True if kernels loop over the constraints, as in [`SolverForms::LOOP_OVER_CONSTRAINTS`].
    const LOOP_OVER_CONSTRAINTS: bool = false;

    /// True if an element is inverted at `x`; used for elements disabled near inversion.
    fn is_inverted(rest: &[f64; K], x: &[Vec3<f64>; N]) -> bool {
        let _ = (rest, x);
        false
    }
    /// The rest data of this element, as passed to [`ConstraintGroup::evaluate`].
    fn parameters(&self) -> [f64; K];
    /// Returns the value of constraint `which` and its gradient with respect to each vertex. Without
    /// [`ConstraintGroup::LOOP_OVER_CONSTRAINTS`], `which` is a constant in all kernels: a `match` on it costs nothing.
    fn evaluate<R: Real>(which: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]);
    /// The share of constraint `which` in the element's weight, zero or more; the PBD stiffness is shared likewise.
    fn share(which: usize, rest: &[f64; K]) -> f64;

    /// Applies Position Based Dynamics eq. (9) to all constraints, one after another. Override it where the same
    /// corrections take fewer operations than with the gradients of every vertex.
    #[inline(always)]
    fn relax<R: Real>(
        rest: &[R; K],
        own: &impl RelaxationParams<R, N>,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
    ) {
        relax_sequentially::<ByConstraint<Self, M>, R, N, K>(rest, own, inv_mass, x);
    }
}

impl<E: Constraint<N, K>, const N: usize, const K: usize> ConstraintGroup<N, 1, K> for E {
    const NAME: &'static str = E::NAME;
    const COST_NS: usize = E::COST_NS;
    const KIND: ConstraintKind = E::KIND;
    const TRANSLATION_INVARIANT: bool = E::TRANSLATION_INVARIANT;
    const GRADIENT_ROTATES: bool = E::GRADIENT_ROTATES;
    const GRADIENT_CAN_VANISH: bool = E::GRADIENT_CAN_VANISH;
    const DISABLED_NEAR_INVERSION: bool = E::DISABLED_NEAR_INVERSION;

    fn is_inverted(rest: &[f64; K], x: &[Vec3<f64>; N]) -> bool {
        <E as Constraint<N, K>>::is_inverted(rest, x)
    }
    fn parameters(&self) -> [f64; K] {
        Constraint::parameters(self)
    }
    #[inline(always)]
    fn evaluate<R: Real>(_: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        <E as Constraint<N, K>>::evaluate(rest, x)
    }
    fn share(_: usize, _: &[f64; K]) -> f64 {
        1.0
    }
}

/// An element given by an energy: `N` vertices, `D` vectors `y = A x` (at most three), `K` numbers of rest data. All
/// quantities are for a weight of one.
pub trait Hyperelastic<const N: usize, const D: usize, const K: usize>:
    Copy + Debug + Send + Sync + 'static
{
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Approximate cost of one evaluation, in nanoseconds, for load balancing among threads.
    const COST_NS: usize = 8;

    /// The rest data of this element, as passed to the other functions.
    fn parameters(&self) -> [f64; K];
    /// The matrix `A`: row `d` holds the coefficients of the `N` vertices in `y[d]`.
    fn matrix<R: Real>(rest: &[R; K]) -> [[R; N]; D];
    /// The energy Ψ, zero at rest and nowhere negative; accurate where it is small.
    fn energy<R: Real>(rest: &[R; K], y: &[Vec3<R>; D]) -> R;
    /// The stress `P = ∂Ψ/∂y`.
    fn stress<R: Real>(rest: &[R; K], y: &[Vec3<R>; D]) -> [Vec3<R>; D];
    /// The derivative of the stress along a change of `y`.
    fn stress_change<R: Real>(
        rest: &[R; K],
        y: &[Vec3<R>; D],
        change: &[Vec3<R>; D],
    ) -> [Vec3<R>; D];
    /// The largest curvature of Ψ at rest, used in the global matrix of Projective Dynamics.
    fn stiffness<R: Real>(rest: &[R; K]) -> R;
    /// The block of one vertex in the Hessian of `Ψ(A x)`, positive semi-definite or bounded from
    /// above: `a` holds the vertex's column of `A`.
    fn block<R: Real>(rest: &[R; K], y: &[Vec3<R>; D], a: &[R; D]) -> Block<R>;
}

/// A Hessian in the space of `y`: three rows and columns for each of up to three vectors.
#[derive(Clone, Copy, Debug)]
pub struct Curvature {
    /// Entry `[3 d + i][3 e + j]`: second derivative by coordinate `i` of `y[d]` and `j` of `y[e]`.
    pub m: [[f64; 9]; 9],
}

impl Curvature {
    /// The identity.
    pub fn identity() -> Self {
        let mut m = [[0.0; 9]; 9];
        for i in 0..9 {
            m[i][i] = 1.0;
        }
        Self { m }
    }

    /// Zero.
    pub fn zero() -> Self {
        Self { m: [[0.0; 9]; 9] }
    }

    /// Adds `value · q qᵀ` for a mode `q` of up to three vectors.
    pub fn add_mode(&mut self, value: f64, q: &[Vec3<f64>]) {
        let flat: [f64; 9] = std::array::from_fn(|i| match q.get(i / 3) {
            Some(v) => [v.x, v.y, v.z][i % 3],
            None => 0.0,
        });
        let size = 3 * q.len();
        for i in 0..size {
            for j in 0..size {
                self.m[i][j] += value * flat[i] * flat[j];
            }
        }
    }
}

/// XPBD multipliers of an element, kept between iterations: [`SolverForms::MULTIPLIERS`] numbers.
pub trait Multipliers<R> {
    /// Number `q`.
    fn get(&self, q: usize) -> R;
    /// Replaces number `q`.
    fn set(&mut self, q: usize, value: R);
}

/// Runs a block once for each constraint of the solver forms `$f`. `$which` is a constant each time, so that a `match`
/// on it is resolved at compile time; or a loop index, if the solver forms request a loop. `unrolled` never loops: for
/// blocks that read the same positions each time and share intermediate results.
macro_rules! each_constraint {
    ($f:ty, $n:expr, $k:expr, $which:ident => $body:block) => {
        if <$f as SolverForms<$n, $k>>::LOOP_OVER_CONSTRAINTS {
            for $which in 0..<$f as SolverForms<$n, $k>>::CONSTRAINTS $body
        } else {
            crate::element::each_constraint!(unrolled $f, $n, $k, $which => $body);
        }
    };
    (unrolled $f:ty, $n:expr, $k:expr, $which:ident => $body:block) => {
        const { assert!(<$f as SolverForms<$n, $k>>::CONSTRAINTS <= crate::element::MAX_CONSTRAINTS) };
        crate::element::each_constraint!(@ $f, $n, $k, $which => $body; 0 1 2 3 4 5 6);
    };
    (@ $f:ty, $n:expr, $k:expr, $which:ident => $body:block; $($i:literal)*) => {
        $(if <$f as SolverForms<$n, $k>>::CONSTRAINTS > $i {
            let $which: usize = $i;
            $body
        })*
    };
}
pub(crate) use each_constraint;

/// Position Based Dynamics parameters of the constraints of an element of `N` vertices.
pub trait RelaxationParams<R, const N: usize> {
    /// The stiffness `k'` of constraint `which` in one iteration.
    fn stiffness(&self, which: usize) -> R;
    /// The regularisation added to `Σ m⁻¹|∇C|²` of constraint `which` if its gradient can vanish.
    fn regularization(&self, which: usize, inv_mass: &[R; N]) -> R;
}

/// Lower bound on `Σ m⁻¹|∇C|²` that keeps quotients finite where all vertices are pinned or the gradient vanishes.
#[inline(always)]
pub fn min_inv_effective_mass<R: Real>() -> R {
    R::of(if R::Scalar::EPSILON > 1e-10 { 1e-20 } else { 1e-200 })
}

/// Applies Position Based Dynamics eq. (9) to the constraints of an element, one after another.
#[inline(always)]
pub(crate) fn relax_sequentially<F: SolverForms<N, K>, R: Real, const N: usize, const K: usize>(
    rest: &[R; K],
    own: &impl RelaxationParams<R, N>,
    inv_mass: &[R; N],
    x: &mut [Vec3<R>; N],
) {
    each_constraint!(F, N, K, which => {
        let (c, g) = violation::<F, R, N, K>(which, rest, x);
        let mut response = F::inv_effective_mass(rest, &g, inv_mass);
        if F::GRADIENT_CAN_VANISH {
            response += own.regularization(which, inv_mass);
        }
        // The quotient comes first: for springs it does not wait for the square root.
        let s = c * (own.stiffness(which) / response.max(min_inv_effective_mass()));
        for k in 0..N {
            x[k] += g[k].scale(-(s * inv_mass[k]));
        }
    });
}
