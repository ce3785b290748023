//! Elements: what resists deformation, and the faces that solvers see of it.
//!
//! An element is written once, in one of two forms, and runs under every solver.
//!
//! **Projective** ([`Projective`]), Projective Dynamics eq. (7): a small constant matrix `A` over
//! the element's `N` vertices gives `D` vectors `y = A x`, and `p = project(y)` is the nearest
//! point of the set of admissible values. The energy is `E = w/2 ‖A x − p‖²`.
//!
//! **Scalar** ([`Constraint`]), Position Based Dynamics §3.1: a function `C(x)` and its gradient,
//! equality or inequality. The energy is `E = w/2 C²`.
//!
//! From either, [`Faces`] derives what the solvers ask for:
//!
//! | face | projective | scalar |
//! |---|---|---|
//! | `C, ∇C` (PBD, XPBD) | `C = ±‖y − p‖`, `∇C = Aᵀ n`, `n = (y − p)/C` | as given |
//! | `Aᵀ(p − y)`, `AᵀA` (Projective Dynamics) | as given | mean-free coordinates, a few steps of sequential quadratic programming onto `C = 0` (PD §6) |
//! | `−∇E` (Newton) | `w Aᵀ(p − y)`: the derivative of the projection drops out | `−w C ∇C` |
//! | `∇²E` (Newton) | `w Aᵀ(I − ∂p/∂y) A` | `w (∇C ∇Cᵀ + C ∇²C)` |
//!
//! The scalar form's projective weight is `w |∇C|²` at rest, so that both energies agree to first
//! order around the rest shape.
//!
//! Kernels are generic over [`Real`] and must be `#[inline(always)]` without closures.

use std::fmt::Debug;
use std::marker::PhantomData;

use crate::math::{Mat3, Real, Scalar, Vec3, project_psd};

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
        let mut n = difference(y, &Self::project(rest, y));
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

    /// The rest data of this element, as [`Constraint::evaluate`] gets it.
    fn parameters(&self) -> [f64; K];
    /// The value `C(x)` and its gradient with respect to each vertex.
    fn evaluate<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]);
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

/// What every solver may ask of an element, whatever its form. Derived, never written by hand.
pub trait Faces<const N: usize, const K: usize>: Send + Sync + 'static {
    /// The element's name.
    const NAME: &'static str;
    /// Rough cost of one evaluation, in nanoseconds.
    const COST_NS: usize;
    /// Whether the constraint acts only where `C < 0`.
    const UNILATERAL: bool;
    /// Whether the projective energy is the energy, so that its pull is the force.
    const PULL_IS_FORCE: bool;

    /// `C` and `∇C`, also where an inequality is satisfied (`C > 0`).
    fn constraint<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]);
    /// `Σ m_k⁻¹ |∇_k C|²` for the gradient `g` that [`Faces::constraint`] gave.
    fn response<R: Real>(rest: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R;
    /// `E / w`.
    fn energy<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> R;
    /// `−∇E / w`.
    fn force<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> [Vec3<R>; N];
    /// `Aᵀ(p − A x)` and `½‖A x − p‖²`: the pull of the projection and what it minimises.
    fn pull<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> ([Vec3<R>; N], R);
    /// `AᵀA`.
    fn quadratic(rest: &[f64; K]) -> [[f64; N]; N];
    /// The weight of the projective energy, for an energy weight of one.
    fn projective_weight(rest: &[f64; K], at_rest: &[Vec3<f64>; N]) -> f64;
    /// `Σ m_k⁻¹ |∇_k C|²` at rest [1/kg, times the square of C's unit per metre].
    fn gain(rest: &[f64; K], at_rest: &[Vec3<f64>; N], inv_mass: &[f64; N]) -> f64;
    /// `∇²E / w`, row-major, `3 N` rows; with `definite`, only its positive semi-definite part.
    fn hessian(rest: &[f64; K], x: &[Vec3<f64>; N], definite: bool, out: &mut [f64]);
}

/// The faces of a [`Projective`] element.
pub struct ByProjection<E, const D: usize>(PhantomData<E>);

/// The faces of a [`Constraint`].
pub struct ByConstraint<E>(PhantomData<E>);

impl<E: Projective<N, D, K>, const N: usize, const D: usize, const K: usize> Faces<N, K>
    for ByProjection<E, D>
{
    const NAME: &'static str = E::NAME;
    const COST_NS: usize = E::COST_NS;
    const UNILATERAL: bool = false;
    const PULL_IS_FORCE: bool = true;

    #[inline(always)]
    fn constraint<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        let a = E::matrix(rest);
        let (c, n) = E::gap(rest, &apply(&a, x));
        (c, apply_transposed(&a, &n))
    }

    #[inline(always)]
    fn response<R: Real>(rest: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R {
        if D > 1 {
            return weighted_norm(g, inv_mass);
        }
        // With one row the gradients are multiples of one unit vector.
        let a = E::matrix(rest);
        let mut sum = R::zero();
        for k in 0..N {
            sum += inv_mass[k] * (a[0][k] * a[0][k]);
        }
        sum
    }

    #[inline(always)]
    fn energy<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> R {
        let y = apply(&E::matrix(rest), x);
        norm_squared(&difference(&y, &E::project(rest, &y))) * R::of(0.5)
    }

    #[inline(always)]
    fn force<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        Self::pull(rest, x).0
    }

    #[inline(always)]
    fn pull<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> ([Vec3<R>; N], R) {
        let a = E::matrix(rest);
        let y = apply(&a, x);
        let d = difference(&E::project(rest, &y), &y);
        (apply_transposed(&a, &d), norm_squared(&d) * R::of(0.5))
    }

    fn quadratic(rest: &[f64; K]) -> [[f64; N]; N] {
        let a = E::matrix(rest);
        let mut q = [[0.0; N]; N];
        for i in 0..N {
            for j in 0..N {
                for d in 0..D {
                    q[i][j] += a[d][i] * a[d][j];
                }
            }
        }
        q
    }

    fn projective_weight(_: &[f64; K], _: &[Vec3<f64>; N]) -> f64 {
        1.0
    }

    fn gain(rest: &[f64; K], _: &[Vec3<f64>; N], inv_mass: &[f64; N]) -> f64 {
        // At rest the direction is undefined where D > 1: the mean over all directions.
        let a = E::matrix(rest);
        let mut sum = 0.0;
        for d in 0..D {
            for k in 0..N {
                sum += inv_mass[k] * a[d][k] * a[d][k];
            }
        }
        sum / D as f64
    }

    fn hessian(rest: &[f64; K], x: &[Vec3<f64>; N], definite: bool, out: &mut [f64]) {
        const { assert!(D <= 3, "an element has at most three rows") };
        let a = E::matrix(rest);
        let mut c = Curvature::identity();
        E::curvature(rest, &apply(&a, x), definite, &mut c);
        for (p, q) in pairs::<N>() {
            for i in 0..3 {
                for j in 0..3 {
                    let mut sum = 0.0;
                    for d in 0..D {
                        for e in 0..D {
                            sum += a[d][p] * a[e][q] * c.m[3 * d + i][3 * e + j];
                        }
                    }
                    out[(3 * p + i) * 3 * N + 3 * q + j] = sum;
                }
            }
        }
    }
}

/// Steps of sequential quadratic programming in the local projection of a scalar constraint.
const PROJECTION_STEPS: usize = 3;

impl<E: Constraint<N, K>, const N: usize, const K: usize> Faces<N, K> for ByConstraint<E> {
    const NAME: &'static str = E::NAME;
    const COST_NS: usize = E::COST_NS;
    const UNILATERAL: bool = matches!(E::KIND, Kind::Inequality);
    const PULL_IS_FORCE: bool = false;

    #[inline(always)]
    fn constraint<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        E::evaluate(rest, x)
    }

    #[inline(always)]
    fn response<R: Real>(_: &[R; K], g: &[Vec3<R>; N], inv_mass: &[R; N]) -> R {
        weighted_norm(g, inv_mass)
    }

    #[inline(always)]
    fn energy<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> R {
        let (c, _) = violation::<Self, R, N, K>(rest, x);
        c * c * R::of(0.5)
    }

    #[inline(always)]
    fn force<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        let (c, mut g) = violation::<Self, R, N, K>(rest, x);
        for k in 0..N {
            g[k] = g[k].scale(-c);
        }
        g
    }

    #[inline(always)]
    fn pull<R: Real>(rest: &[R; K], x: &[Vec3<R>; N]) -> ([Vec3<R>; N], R) {
        // Projective Dynamics eq. (26) for a general C: the step from x with the constraint
        // linearised at the last iterate. The mean drops out because the gradients sum to zero.
        let mut d = [Vec3::zero(); N];
        let (start, mut g) = violation::<Self, R, N, K>(rest, x);
        let mut c = start;
        for _ in 0..PROJECTION_STEPS {
            let mut along = R::zero();
            for k in 0..N {
                along += g[k].dot(d[k]);
            }
            // Satisfied inequalities have c = 0 at d = 0 and stay there.
            let s = (along - c).div_or_zero(norm_squared(&g), R::of(R::Scalar::TINY));
            let mut at = *x;
            for k in 0..N {
                d[k] = g[k].scale(s);
                at[k] += d[k];
            }
            (c, g) = violation::<Self, R, N, K>(rest, &at);
        }
        // Near a point where the gradient vanishes (a flat tetrahedron) the steps lead anywhere:
        // what brings the constraint no closer is left to the other elements.
        for k in 0..N {
            d[k] = Vec3::select_lt(c.abs(), start.abs(), d[k], Vec3::zero());
        }
        if E::TURNS {
            remove_torque(x, &mut d);
        }
        (d, norm_squared(&d) * R::of(0.5))
    }

    fn quadratic(_: &[f64; K]) -> [[f64; N]; N] {
        let mean = if E::TRANSLATION_INVARIANT { 1.0 / N as f64 } else { 0.0 };
        let mut q = [[-mean; N]; N];
        for k in 0..N {
            q[k][k] += 1.0;
        }
        q
    }

    fn projective_weight(rest: &[f64; K], at_rest: &[Vec3<f64>; N]) -> f64 {
        let slope = norm_squared(&E::evaluate(rest, at_rest).1);
        if slope > 0.0 && slope.is_finite() { slope } else { 1.0 }
    }

    fn gain(rest: &[f64; K], at_rest: &[Vec3<f64>; N], inv_mass: &[f64; N]) -> f64 {
        weighted_norm(&E::evaluate(rest, at_rest).1, inv_mass)
    }

    fn hessian(rest: &[f64; K], x: &[Vec3<f64>; N], definite: bool, out: &mut [f64]) {
        let (c, g) = violation::<Self, f64, N, K>(rest, x);
        let active = !Self::UNILATERAL || c < 0.0;
        // ∇²C by central differences of the exact gradient, on the scale of the element.
        let size = x.iter().map(|v| (*v - x[0]).norm()).fold(0.0, f64::max).max(1e-9);
        let step = 1e-5 * size;
        for q in 0..N {
            for j in 0..3 {
                let column = 3 * q + j;
                let (plus, minus) = (
                    shifted_gradient::<E, N, K>(rest, x, q, j, step),
                    shifted_gradient::<E, N, K>(rest, x, q, j, -step),
                );
                for p in 0..N {
                    let curve = (plus[p] - minus[p]).scale(0.5 / step);
                    for i in 0..3 {
                        let value =
                            coordinate(g[p], i) * coordinate(g[q], j) + c * coordinate(curve, i);
                        out[(3 * p + i) * 3 * N + column] = if active { value } else { 0.0 };
                    }
                }
            }
        }
        symmetrise(out, 3 * N);
        if definite && active {
            project_psd(out, 3 * N);
        }
    }
}

/// The part of `C` that is to be corrected (all of it, or only what is below zero), and `∇C`.
#[inline(always)]
pub fn violation<F: Faces<N, K>, R: Real, const N: usize, const K: usize>(
    rest: &[R; K],
    x: &[Vec3<R>; N],
) -> (R, [Vec3<R>; N]) {
    let (c, g) = F::constraint(rest, x);
    (if F::UNILATERAL { c.min(R::zero()) } else { c }, g)
}

/// Takes the rotation out of displacements `d` that do not move the centre: the nearest point of a
/// set that may be turned freely exerts no torque, but a few steps towards it do.
#[inline(always)]
fn remove_torque<R: Real, const N: usize>(x: &[Vec3<R>; N], d: &mut [Vec3<R>; N]) {
    let mut centre = x[0];
    for k in 1..N {
        centre += x[k];
    }
    let centre = centre.scale(R::of(1.0 / N as f64));
    // I = Σ (|r|² − r rᵀ) by its six entries, and the torque Σ r × d.
    let (mut xx, mut yy, mut zz) = (R::zero(), R::zero(), R::zero());
    let (mut xy, mut yz, mut zx) = (R::zero(), R::zero(), R::zero());
    let mut torque = Vec3::zero();
    for k in 0..N {
        let r = x[k] - centre;
        torque += r.cross(d[k]);
        xx += r.x * r.x;
        yy += r.y * r.y;
        zz += r.z * r.z;
        xy += r.x * r.y;
        yz += r.y * r.z;
        zx += r.z * r.x;
    }
    // Points on a line have no inertia about it: a trace of rounding stands in.
    let e = (xx + yy + zz) * R::of(R::Scalar::EPSILON);
    let inertia = Mat3::from_cols(
        Vec3::new(yy + zz + e, -xy, -zx),
        Vec3::new(-xy, xx + zz + e, -yz),
        Vec3::new(-zx, -yz, xx + yy + e),
    );
    // Symmetric: the cofactor matrix is its own transpose.
    let inv = R::one().div_or_zero(inertia.det(), R::of(R::Scalar::TINY));
    let turn = inertia.cofactor().mul_vec(torque).scale(inv);
    for k in 0..N {
        d[k] -= turn.cross(x[k] - centre);
    }
}

fn shifted_gradient<E: Constraint<N, K>, const N: usize, const K: usize>(
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
    vertex: usize,
    axis: usize,
    step: f64,
) -> [Vec3<f64>; N] {
    let mut at = *x;
    match axis {
        0 => at[vertex].x += step,
        1 => at[vertex].y += step,
        _ => at[vertex].z += step,
    }
    E::evaluate(rest, &at).1
}

fn coordinate(v: Vec3<f64>, axis: usize) -> f64 {
    [v.x, v.y, v.z][axis]
}

fn symmetrise(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (a[i * n + j] + a[j * n + i]);
            a[i * n + j] = mean;
            a[j * n + i] = mean;
        }
    }
}

fn pairs<const N: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|p| (0..N).map(move |q| (p, q)))
}

/// `A x`.
#[inline(always)]
fn apply<R: Real, const N: usize, const D: usize>(
    a: &[[R; N]; D],
    x: &[Vec3<R>; N],
) -> [Vec3<R>; D] {
    let mut y = [Vec3::zero(); D];
    for d in 0..D {
        y[d] = x[0].scale(a[d][0]);
        for k in 1..N {
            y[d] += x[k].scale(a[d][k]);
        }
    }
    y
}

/// `Aᵀ y`.
#[inline(always)]
fn apply_transposed<R: Real, const N: usize, const D: usize>(
    a: &[[R; N]; D],
    y: &[Vec3<R>; D],
) -> [Vec3<R>; N] {
    let mut x = [Vec3::zero(); N];
    for k in 0..N {
        x[k] = y[0].scale(a[0][k]);
        for d in 1..D {
            x[k] += y[d].scale(a[d][k]);
        }
    }
    x
}

#[inline(always)]
fn difference<R: Real, const D: usize>(a: &[Vec3<R>; D], b: &[Vec3<R>; D]) -> [Vec3<R>; D] {
    let mut d = *a;
    for i in 0..D {
        d[i] -= b[i];
    }
    d
}

#[inline(always)]
fn norm_squared<R: Real, const D: usize>(d: &[Vec3<R>; D]) -> R {
    let mut sum = d[0].norm_squared();
    for i in 1..D {
        sum += d[i].norm_squared();
    }
    sum
}

#[inline(always)]
fn weighted_norm<R: Real, const N: usize>(g: &[Vec3<R>; N], weight: &[R; N]) -> R {
    let mut sum = weight[0] * g[0].norm_squared();
    for k in 1..N {
        sum += weight[k] * g[k].norm_squared();
    }
    sum
}
