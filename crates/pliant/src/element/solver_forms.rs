//! Solver forms: the interface through which every solver evaluates an element.
//!
//! [`SolverForms`] is implemented once for each of the three forms of an element: `by_projection.rs`,
//! `by_constraint.rs` and `by_energy.rs`. It covers PBD and XPBD relaxation, the local projection and the quadratic
//! form of Projective Dynamics, Hessians for Newton's method, rows and geometric stiffness for constrained dynamics,
//! and vertex blocks for vertex block descent.

use crate::element::algebra::block_index;
use crate::element::{
    AddRow, AddStiffness, Multipliers, RelaxationParams, VertexBlock, relax_sequentially, rows,
};
use crate::math::{Real, Vec3};

/// The quantities that solvers use of an element, derived from any of its forms and never written by hand.
///
/// Functions that take `which` refer to one of the element's [`SolverForms::CONSTRAINTS`]; the element's energy and
/// forces are the sum over all of them. A projective element is one constraint.
pub trait SolverForms<const N: usize, const K: usize>: Send + Sync + Sized + 'static {
    /// The element type.
    type Element: ?Sized;
    /// The element's name.
    const NAME: &'static str;
    /// Approximate cost of one evaluation, in nanoseconds.
    const COST_NS: usize;
    /// Number of constraints, at most [`MAX_CONSTRAINTS`].
    const CONSTRAINTS: usize;
    /// Number of multipliers that XPBD keeps.
    const MULTIPLIERS: usize;
    /// True if the constraint acts only where `C < 0`.
    const UNILATERAL: bool;
    /// True if the projective energy is the energy, so that the projective force is the force. Otherwise the energy is
    /// `w/2 C²` and the force `−w C ∇C`.
    const PROJECTIVE_ENERGY_IS_EXACT: bool;
    /// True if the gradient can vanish where `C` does not. Corrections then divide by slightly more than its square:
    /// they add a regularisation of a thousandth of that square at rest.
    const GRADIENT_CAN_VANISH: bool = false;
    /// True if the projective force is disabled near inverted elements.
    const DISABLED_NEAR_INVERSION: bool = false;
    /// True if kernels loop over the constraints instead of holding a copy of the evaluation for each: for long
    /// evaluations that take `which` as an index. They compile in a fraction of the time.
    const LOOP_OVER_CONSTRAINTS: bool = false;
    /// True if [`SolverForms::quadratic`] bounds the curvature of the projective energy, so that no local/global
    /// iteration raises it.
    const BOUNDED: bool = true;

    /// Number of trailing rest data that are plastic state.
    const PLASTIC_STATE_LEN: usize = 0;

    /// Updates the plastic state for a time `h` \[s\] at `x`.
    fn update_plasticity<R: Real>(rest: &mut [R; K], x: &[Vec3<R>; N], h: R) {
        let _ = (rest, x, h);
    }
    /// True if an element is inverted at `x`; used for elements disabled near inversion.
    fn is_inverted(rest: &[f64; K], x: &[Vec3<f64>; N]) -> bool {
        let _ = (rest, x);
        false
    }
    /// Returns `C` and `∇C`, also where an inequality is satisfied (`C > 0`).
    fn constraint<R: Real>(which: usize, rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]);
    /// Returns `Σ m_k⁻¹ |∇_k C|²` for the gradient `g` from [`SolverForms::constraint`].
    fn inv_effective_mass<R: Real>(rest: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R;
    /// Applies Position Based Dynamics eq. (9) to all constraints, one after another.
    #[inline(always)]
    fn relax<R: Real>(
        rest: &[R; K],
        own: &impl RelaxationParams<R, N>,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
    ) {
        relax_sequentially::<Self, R, N, K>(rest, own, inv_mass, x);
    }
    /// Applies XPBD's correction of constraint `which`, with `kappa = w h²`: updates `x` and the multipliers.
    fn relax_compliant<R: Real>(
        which: usize,
        rest: &[R; K],
        kappa: R,
        slack: R,
        inv_mass: &[R; N],
        x: &mut [Vec3<R>; N],
        multipliers: &mut impl Multipliers<R>,
    );
    /// Returns `Aᵀ(p − A x)` and `½‖A x − p‖²`: the projective force and its energy for a weight of one. A value that
    /// is not `wanted` may be arbitrary.
    fn projective_force<R: Real>(
        which: usize,
        rest: &[R; K],
        slack: R,
        x: &[Vec3<R>; N],
        wanted: bool,
    ) -> ([Vec3<R>; N], R);
    /// `AᵀA`.
    fn quadratic(which: usize, rest: &[f64; K]) -> [[f64; N]; N];
    /// The share of constraint `which` in the element's weight.
    fn share(which: usize, rest: &[f64; K]) -> f64;
    /// The weight of the projective energy, for an energy weight of one.
    fn projective_weight(which: usize, rest: &[f64; K], at_rest: &[Vec3<f64>; N]) -> f64;
    /// `Σ m_k⁻¹ |∇_k C|²` at rest [1/kg, times the square of C's unit per metre].
    fn rest_inv_effective_mass(
        which: usize,
        rest: &[f64; K],
        at_rest: &[Vec3<f64>; N],
        inv_mass: &[f64; N],
    ) -> f64;
    /// Writes `∇²E / w`, row-major, `3 N` rows; with `definite`, only its positive semi-definite part.
    fn hessian(which: usize, rest: &[f64; K], x: &[Vec3<f64>; N], definite: bool, out: &mut [f64]);
    /// Writes the lower triangle of [`SolverForms::hessian`] in blocks of three rows and columns, row-major: block (0, 0),
    /// (1, 0), (1, 1), (2, 0) and so on.
    fn hessian_blocks(
        which: usize,
        rest: &[f64; K],
        x: &[Vec3<f64>; N],
        definite: bool,
        out: &mut [[f64; 9]],
    ) {
        let mut room = [0.0; 9 * MAX_VERTICES * MAX_VERTICES];
        let dense = &mut room[..9 * N * N];
        Self::hessian(which, rest, x, definite, dense);
        for p in 0..N {
            for q in 0..=p {
                for i in 0..3 {
                    let from = (3 * p + i) * 3 * N + 3 * q;
                    out[block_index(p, q)][3 * i..3 * i + 3]
                        .copy_from_slice(&dense[from..from + 3]);
                }
            }
        }
    }

    /// Number of values of the element's dual variable: a multiplier for each constraint, or its stress in the space of
    /// `y`.
    fn duals() -> usize {
        Self::CONSTRAINTS
    }
    /// Largest number of constraint rows and, with `geometric`, geometric stiffness rows of the element.
    fn max_rows(geometric: bool) -> usize {
        Self::CONSTRAINTS * if geometric { 3 * N } else { 1 }
    }
    /// Calls `add` for each row of constrained dynamics: `C_k`, `∇C_k`, and the direction of `λ_k` in the dual
    /// variable. `Σ w C_k ∇C_k` is the gradient of the energy.
    fn constraint_rows(which: usize, rest: &[f64; K], x: &[Vec3<f64>; N], add: AddRow<N>) {
        let (c, g) = Self::constraint(which, rest, x);
        add(c, &g, &rows::unit_direction(which));
    }
    /// Calls `add` for the positive semi-definite part of the geometric stiffness `−λ ∇²C` as a sum of `κ g gᵀ`, for
    /// the dual variable `λ` and the weight `w` (infinite for a hard constraint).
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
    /// Returns the force on vertex `corner` and its block of the Hessian, definite or bounded from above.
    fn vertex_block<R: Real>(
        which: usize,
        rest: &[R; K],
        x: &[Vec3<R>; N],
        corner: usize,
    ) -> VertexBlock<R>;
}

/// Largest number of vertices of an element with a fixed number of them.
pub const MAX_VERTICES: usize = 9;

/// Largest number of constraints of one element.
pub const MAX_CONSTRAINTS: usize = 7;

/// The violation: all of `C`, or only its negative part for an inequality.
#[inline(always)]
pub fn clamp_violation<F: SolverForms<N, K>, R: Real, const N: usize, const K: usize>(c: R) -> R {
    if F::UNILATERAL { c.min(R::zero()) } else { c }
}

/// The violation and `∇C`.
#[inline(always)]
pub fn violation<F: SolverForms<N, K>, R: Real, const N: usize, const K: usize>(
    which: usize,
    rest: &[R; K],
    x: &[Vec3<R>; N],
) -> (R, [Vec3<R>; N]) {
    let (c, g) = F::constraint(which, rest, x);
    (clamp_violation::<F, R, N, K>(c), g)
}
