//! Elements: what resists deformation, and the faces that solvers see of it.
//!
//! An element is written once, in one of three forms, and runs under every solver.
//!
//! **Projective** ([`Projective`]), Projective Dynamics eq. (7): a small constant matrix `A` over
//! the element's `N` vertices gives `D` vectors `y = A x`, and `p = project(y)` is the nearest
//! point of the set of admissible values. The energy is `E = w/2 ‖A x − p‖²`.
//!
//! **Scalar** ([`Constraint`]), Position Based Dynamics §3.1: a function `C(x)` and its gradient,
//! equality or inequality. The energy is `E = w/2 C²`. Several such functions of the same vertices,
//! each with a share of the weight, are a [`ConstraintGroup`]: solvers that go constraint by
//! constraint correct them one after another.
//!
//! **Energy** ([`Hyperelastic`]): an energy `Ψ(y)` of `y = A x` that is zero at rest and nowhere
//! negative, and its gradient, the stress `P`. The energy is `E = w Ψ`. For what is neither a
//! distance nor half a square, such as rubber.
//!
//! From any of them, [`Faces`] derives what the solvers ask for:
//!
//! | face | projective | scalar | energy |
//! |---|---|---|---|
//! | `C, ∇C` (PBD) | `C = ±‖y − p‖`, `∇C = Aᵀ n`, `n = (y − p)/C` | as given | `C = √(2 Ψ)`, `∇C = Aᵀ P/C` |
//! | multipliers (XPBD) | `Λ = −w (y − p)`, one vector for each of `y` | `λ = −w C` | `Λ = −w P` |
//! | `Aᵀ(p − y)`, `AᵀA` (Projective Dynamics) | as given | mean-free coordinates, a few steps of sequential quadratic programming onto `C = 0` (PD §6) | `p − y = −P/k`, with `k` the stiffness at rest; increments that raise the objective are shortened |
//! | `−∇E` (Newton) | `w Aᵀ(p − y)`: the derivative of the projection drops out | `−w C ∇C` | `−w Aᵀ P` |
//! | `∇²E` (Newton) | `w Aᵀ(I − ∂p/∂y) A` | `w (∇C ∇Cᵀ + C ∇²C)` | `w Aᵀ(∂P/∂y) A` |
//! | `C_k, ∇C_k`, geometric stiffness (constrained) | modes `μ = 1` of `I − ∂p/∂y`, and the others | as given, `−λ ∇²C` | all modes of `∂P/∂y`, scaled so that `Σ C²/2 = Ψ` |
//! | `−∇_k E`, a definite `∇²_kk E` of one vertex (vertex block descent) | as above | `w (∇_k C ∇_k Cᵀ + |C| ‖∇²_kk C‖ I)` | as the element gives it |
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

pub use block::{Block, Corner};
pub use by_constraint::ByConstraint;
pub(crate) use by_constraint::DIFFERENCE;
pub use by_energy::ByEnergy;
pub use by_projection::ByProjection;
pub use rows::{AddRow, AddStiffness, Direction};

use std::fmt::Debug;

use crate::math::{Real, Scalar, Vec3};
use algebra::{difference, norm_squared};

/// An element in projective form: `N` vertices, `D` vectors `y = A x` (at most three), `K` numbers
/// of rest data.
pub trait Projective<const N: usize, const D: usize, const K: usize>:
    Copy + Debug + Send + Sync + 'static
{
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Rough cost of one projection, in nanoseconds, for sharing work among threads.
    const COST_NS: usize = 4;

    /// The rest data of this element, as [`Projective::matrix`] and [`Projective::project`] get it.
    fn parameters(&self) -> [f64; K];
    /// The matrix `A`: row `d` holds the coefficients of the `N` vertices in `y[d]`.
    fn matrix<R: Real>(rest: &[R; K]) -> [[R; N]; D];
    /// The admissible value nearest to `y`.
    fn project<R: Real>(rest: &[R; K], y: &[Vec3<R>; D]) -> [Vec3<R>; D];

    /// The constraint value `C` and its unit direction `n` in the space of `y`.
    ///
    /// Override it where `C` has a natural sign, such as a spring's extension.
    #[inline(always)]
    fn gap<R: Real>(rest: &[R; K], y: &[Vec3<R>; D]) -> (R, [Vec3<R>; D]) {
        let mut n = difference(y, &evaluation::project::<Self, R, N, D, K>(rest, y));
        let c = norm_squared(&n).sqrt();
        let inv = R::one().div_or_zero(c, R::of(R::Scalar::TINY));
        for d in 0..D {
            n[d] = n[d].scale(inv);
        }
        (c, n)
    }

    /// The Hessian of `½‖y − project(y)‖²` in the space of `y`.
    ///
    /// With `definite`, only its positive semi-definite part. The default keeps the identity,
    /// which bounds it from above: Newton's method then converges like Projective Dynamics.
    fn curvature(rest: &[f64; K], y: &[Vec3<f64>; D], definite: bool, out: &mut Curvature) {
        let _ = (rest, y, definite, out);
    }

    /// How many of the rest data, the last ones, change as the material flows. They are part of a
    /// simulation's state.
    const MEMORY: usize = 0;
    /// Lets the material flow for a time `h` \[s\] at `y`: changes the last [`Projective::MEMORY`]
    /// numbers of the rest data, on which the matrix must not depend.
    #[inline(always)]
    fn flow<R: Real>(rest: &mut [R; K], y: &[Vec3<R>; D], h: R) {
        let _ = (rest, y, h);
    }

    /// The block of one vertex in the Hessian of `½‖A x − project(A x)‖²`, positive semi-definite,
    /// in packs: `a` holds the vertex's column of `A`.
    ///
    /// The default is the bound `|a|² I`, with which no step raises the energy. Where the set is far
    /// from flat across `y` (a spring's sphere) it makes steps too short: the curvature itself then
    /// needs four to ten times fewer iterations on nets and cloth. On tetrahedra it saves half of
    /// them at three times the cost, so these keep the bound.
    #[inline(always)]
    fn block<R: Real>(rest: &[R; K], y: &[Vec3<R>; D], a: &[R; D]) -> Block<R> {
        let _ = (rest, y);
        Block::isotropic(algebra::sum_of_squares(a))
    }
}

/// Whether a constraint holds the value at zero or only keeps it from going below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Satisfied where `C = 0`.
    Equality,
    /// Satisfied where `C ≥ 0`.
    Inequality,
}

/// An element in scalar form: a function of `N` vertices, with `K` numbers of rest data.
pub trait Constraint<const N: usize, const K: usize>: Copy + Debug + Send + Sync + 'static {
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Rough cost of one evaluation, in nanoseconds, for sharing work among threads.
    const COST_NS: usize = 8;
    /// Equality or inequality.
    const KIND: Kind = Kind::Equality;
    /// Whether moving all vertices together changes nothing, as for every internal force.
    const TRANSLATION_INVARIANT: bool = true;
    /// Whether the gradient turns on the way to `C = 0`, so that the projection of Projective
    /// Dynamics must be freed of the torque that this leaves.
    const TURNS: bool = false;

    /// Whether the gradient can vanish where `C` does not, as an area's does in a point. What would
    /// be divided by its square is then kept from growing without bound.
    const VANISHES: bool = false;
    /// Whether the projection of Projective Dynamics rests at vertices of elements that are
    /// [inside out](Constraint::is_inverted), until others have turned those back: a volume that
    /// neighbours keep would hold them there.
    const YIELDS: bool = false;

    /// Whether an element is inside out at `x`; asked of those that yield.
    fn is_inverted(rest: &[f64; K], x: &[Vec3<f64>; N]) -> bool {
        let _ = (rest, x);
        false
    }
    /// The rest data of this element, as [`Constraint::evaluate`] gets it.
    fn parameters(&self) -> [f64; K];
    /// The value `C(x)` and its gradient with respect to each vertex.
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
    /// Rough cost of all evaluations, in nanoseconds, for sharing work among threads.
    const COST_NS: usize = 8;
    /// Equality or inequality.
    const KIND: Kind = Kind::Equality;
    /// Whether moving all vertices together changes nothing, as for every internal force.
    const TRANSLATION_INVARIANT: bool = true;
    /// Whether the gradients turn on the way to `C = 0`, as in [`Constraint::TURNS`].
    const TURNS: bool = false;

    /// Whether the gradients can vanish where `C` does not, as in [`Constraint::VANISHES`].
    const VANISHES: bool = false;
    /// Whether it rests beside elements that are inside out, as in [`Constraint::YIELDS`].
    const YIELDS: bool = false;
    /// Whether the pull of its projection never overshoots, as in [`Faces::BOUNDED`].
    const BOUNDED: bool = true;
    /// Whether kernels loop over the constraints, as in [`Faces::LOOPS`].
    const LOOPS: bool = false;

    /// Whether an element is inside out at `x`; asked of those that yield.
    fn is_inverted(rest: &[f64; K], x: &[Vec3<f64>; N]) -> bool {
        let _ = (rest, x);
        false
    }
    /// The rest data of this element, as [`ConstraintGroup::evaluate`] gets it.
    fn parameters(&self) -> [f64; K];
    /// The value of constraint `which` and its gradient with respect to each vertex. Without
    /// [`ConstraintGroup::LOOPS`], `which` is a constant in all kernels: a `match` on it costs nothing.
    fn evaluate<R: Real>(which: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]);
    /// The part of the element's weight that constraint `which` has, zero or more; PBD's stiffness
    /// is shared alike.
    fn share(which: usize, rest: &[f64; K]) -> f64;

    /// Position Based Dynamics eq. (9) for all constraints, one after another. Override it where the
    /// same corrections take fewer operations than by the gradients of every vertex.
    #[inline(always)]
    fn relax<R: Real>(
        rest: &[R; K],
        own: &impl Relaxation<R, N>,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
    ) {
        relax_in_turn::<ByConstraint<Self, M>, R, N, K>(rest, own, inv_mass, x);
    }
}

impl<E: Constraint<N, K>, const N: usize, const K: usize> ConstraintGroup<N, 1, K> for E {
    const NAME: &'static str = E::NAME;
    const COST_NS: usize = E::COST_NS;
    const KIND: Kind = E::KIND;
    const TRANSLATION_INVARIANT: bool = E::TRANSLATION_INVARIANT;
    const TURNS: bool = E::TURNS;
    const VANISHES: bool = E::VANISHES;
    const YIELDS: bool = E::YIELDS;

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

/// An element given by an energy: `N` vertices, `D` vectors `y = A x` (at most three), `K` numbers
/// of rest data. All of it for a weight of one.
pub trait Hyperelastic<const N: usize, const D: usize, const K: usize>:
    Copy + Debug + Send + Sync + 'static
{
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Rough cost of one evaluation, in nanoseconds, for sharing work among threads.
    const COST_NS: usize = 8;

    /// The rest data of this element, as the other functions get it.
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
    /// The largest curvature of Ψ at rest: what the global matrix of Projective Dynamics has.
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
        for i in 0..9 {
            for j in 0..9 {
                self.m[i][j] += value * flat[i] * flat[j];
            }
        }
    }
}

/// What XPBD remembers of an element between iterations: [`Faces::MULTIPLIERS`] numbers.
pub trait Multipliers<R> {
    /// Number `q`.
    fn get(&self, q: usize) -> R;
    /// Replaces number `q`.
    fn set(&mut self, q: usize, value: R);
}

/// Runs a block once for each constraint of the faces `$f`, with `$which` a constant each time, so
/// that a `match` on it is decided when the kernel is compiled; or in a loop, where the faces ask for it.
/// `unrolled` never loops: for blocks that see the same positions each time and share what they compute.
macro_rules! each_constraint {
    ($f:ty, $n:expr, $k:expr, $which:ident => $body:block) => {
        if <$f as Faces<$n, $k>>::LOOPS {
            for $which in 0..<$f as Faces<$n, $k>>::CONSTRAINTS $body
        } else {
            crate::element::each_constraint!(unrolled $f, $n, $k, $which => $body);
        }
    };
    (unrolled $f:ty, $n:expr, $k:expr, $which:ident => $body:block) => {
        const { assert!(<$f as Faces<$n, $k>>::CONSTRAINTS <= crate::element::MOST_CONSTRAINTS) };
        crate::element::each_constraint!(@ $f, $n, $k, $which => $body; 0 1 2 3 4 5 6);
    };
    (@ $f:ty, $n:expr, $k:expr, $which:ident => $body:block; $($i:literal)*) => {
        $(if <$f as Faces<$n, $k>>::CONSTRAINTS > $i {
            let $which: usize = $i;
            $body
        })*
    };
}
pub(crate) use each_constraint;

/// What Position Based Dynamics knows of the constraints of an element of `N` vertices.
pub trait Relaxation<R, const N: usize> {
    /// The stiffness `k'` of constraint `which` in one iteration.
    fn stiffness(&self, which: usize) -> R;
    /// What is added to `Σ m⁻¹|∇C|²` of constraint `which` where its gradient can vanish.
    fn slack(&self, which: usize, inv_mass: &[R; N]) -> R;
}

/// Keeps a quotient by `Σ m⁻¹|∇C|²` finite where all vertices are pinned or the gradient vanishes.
#[inline(always)]
pub fn least_response<R: Real>() -> R {
    R::of(if R::Scalar::EPSILON > 1e-10 { 1e-20 } else { 1e-200 })
}

/// Position Based Dynamics eq. (9) for one constraint of an element after another.
#[inline(always)]
pub(crate) fn relax_in_turn<F: Faces<N, K>, R: Real, const N: usize, const K: usize>(
    rest: &[R; K],
    own: &impl Relaxation<R, N>,
    inv_mass: &[R; N],
    x: &mut [Vec3<R>; N],
) {
    each_constraint!(F, N, K, which => {
        let (c, g) = violation::<F, R, N, K>(which, rest, x);
        let mut response = F::response(rest, &g, inv_mass);
        if F::VANISHES {
            response += own.slack(which, inv_mass);
        }
        // The quotient first: for springs it does not wait for the square root.
        let s = c * (own.stiffness(which) / response.max(least_response()));
        for k in 0..N {
            x[k] += g[k].scale(-(s * inv_mass[k]));
        }
    });
}

/// What every solver may ask of an element, whatever its form. Derived, never written by hand.
///
/// Faces that take `which` are those of one of the element's [`Faces::CONSTRAINTS`]; the element's
/// energy and forces are the sum over all of them. A projective element is one constraint.
pub trait Faces<const N: usize, const K: usize>: Send + Sync + Sized + 'static {
    /// The element.
    type Element: ?Sized;
    /// The element's name.
    const NAME: &'static str;
    /// Rough cost of one evaluation, in nanoseconds.
    const COST_NS: usize;
    /// Number of constraints, at most [`MOST_CONSTRAINTS`].
    const CONSTRAINTS: usize;
    /// Number of multipliers that XPBD keeps.
    const MULTIPLIERS: usize;
    /// Whether the constraint acts only where `C < 0`.
    const UNILATERAL: bool;
    /// Whether the projective energy is the energy, so that its pull is the force. Else the energy is
    /// `w/2 C²` and the force `−w C ∇C`.
    const PULL_IS_FORCE: bool;
    /// Whether the gradient can vanish where `C` does not. Corrections then divide by a little more
    /// than its square: by `slack`, a thousandth of that square at rest.
    const VANISHES: bool = false;
    /// Whether the pull rests beside elements that are inside out.
    const YIELDS: bool = false;
    /// Whether kernels loop over the constraints instead of holding a copy of the evaluation for each: for
    /// long evaluations that take `which` as an index. They compile in a fraction of the time.
    const LOOPS: bool = false;
    /// Whether [`Faces::quadratic`] bounds the curvature of what the pull minimises, so that no
    /// local/global iteration raises it.
    const BOUNDED: bool = true;

    /// How many of the rest data, the last ones, change as the material flows.
    const MEMORY: usize = 0;

    /// Lets the material flow for a time `h` \[s\] at `x`.
    fn flow<R: Real>(rest: &mut [R; K], x: &[Vec3<R>; N], h: R) {
        let _ = (rest, x, h);
    }
    /// Whether an element is inside out at `x`; asked of those that yield.
    fn is_inverted(rest: &[f64; K], x: &[Vec3<f64>; N]) -> bool {
        let _ = (rest, x);
        false
    }
    /// `C` and `∇C`, also where an inequality is satisfied (`C > 0`).
    fn constraint<R: Real>(which: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]);
    /// `Σ m_k⁻¹ |∇_k C|²` for the gradient `g` that [`Faces::constraint`] gave.
    fn response<R: Real>(rest: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R;
    /// Position Based Dynamics eq. (9) for all constraints, one after another.
    #[inline(always)]
    fn relax<R: Real>(
        rest: &[R; K],
        own: &impl Relaxation<R, N>,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
    ) {
        relax_in_turn::<Self, R, N, K>(rest, own, inv_mass, x);
    }
    /// XPBD's correction of constraint `which`, with `kappa = w h²`: moves `x` and the multipliers.
    fn relax_compliant<R: Real>(
        which: usize,
        rest: &[R; K],
        kappa: R,
        slack: R,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
        multipliers: &mut impl Multipliers<R>,
    );
    /// `Aᵀ(p − A x)` and `½‖A x − p‖²`: the pull of the projection and what it minimises, or anything
    /// in its place where that is not `wanted`.
    fn pull<R: Real>(
        which: usize,
        rest: &[R; K],
        slack: R,
        x: &[Vec3<R>; N],
        wanted: bool,
    ) -> ([Vec3<R>; N], R);
    /// `AᵀA`.
    fn quadratic(which: usize, rest: &[f64; K]) -> [[f64; N]; N];
    /// The part of the element's weight that constraint `which` has.
    fn share(which: usize, rest: &[f64; K]) -> f64;
    /// The weight of the projective energy, for an energy weight of one.
    fn projective_weight(which: usize, rest: &[f64; K], at_rest: &[Vec3<f64>; N]) -> f64;
    /// `Σ m_k⁻¹ |∇_k C|²` at rest [1/kg, times the square of C's unit per metre].
    fn gain(which: usize, rest: &[f64; K], at_rest: &[Vec3<f64>; N], inv_mass: &[f64; N]) -> f64;
    /// `∇²E / w`, row-major, `3 N` rows; with `definite`, only its positive semi-definite part.
    fn hessian(which: usize, rest: &[f64; K], x: &[Vec3<f64>; N], definite: bool, out: &mut [f64]);

    /// Numbers of the element's dual variable: a multiplier for each constraint, or its stress in the
    /// space of `y`.
    fn duals() -> usize {
        Self::CONSTRAINTS
    }
    /// Constraint rows and, with `geometric`, geometric stiffnesses of the element, at most.
    fn most_rows(geometric: bool) -> usize {
        Self::CONSTRAINTS * if geometric { 3 * N } else { 1 }
    }
    /// The rows of constrained dynamics: `C_k`, `∇C_k`, and which part of the dual variable `λ_k`
    /// is. `Σ w C_k ∇C_k` is the gradient of the energy.
    fn constraint_rows(which: usize, rest: &[f64; K], x: &[Vec3<f64>; N], add: AddRow<N>) {
        let (c, g) = Self::constraint(which, rest, x);
        add(c, &g, &rows::only(which));
    }
    /// The positive semi-definite part of the geometric stiffness `−λ ∇²C` as a sum of `κ g gᵀ`,
    /// for the dual variable `λ` and the weight `w` (infinite for a hard constraint).
    fn stiffness_rows(
        which: usize,
        rest: &[f64; K],
        x: &[Vec3<f64>; N],
        dual: &[f64],
        _: f64,
        add: AddStiffness<N>,
    ) {
        rows::scalar_stiffness::<Self, N, K>(which, rest, x, dual[which], add);
    }
    /// The force on vertex `corner` and its block of the Hessian, definite or bounded from above.
    fn corner<R: Real>(which: usize, rest: &[R; K], x: &[Vec3<R>; N], corner: usize) -> Corner<R>;
}

/// Constraints of one element, at most.
pub const MOST_CONSTRAINTS: usize = 7;

/// The part of `C` that is to be corrected: all of it, or only what is below zero.
#[inline(always)]
pub fn violated<F: Faces<N, K>, R: Real, const N: usize, const K: usize>(c: R) -> R {
    if F::UNILATERAL { c.min(R::zero()) } else { c }
}

/// The part of `C` that is to be corrected, and `∇C`.
#[inline(always)]
pub fn violation<F: Faces<N, K>, R: Real, const N: usize, const K: usize>(
    which: usize,
    rest: &[R; K],
    x: &[Vec3<R>; N],
) -> (R, [Vec3<R>; N]) {
    let (c, g) = F::constraint(which, rest, x);
    (violated::<F, R, N, K>(c), g)
}
