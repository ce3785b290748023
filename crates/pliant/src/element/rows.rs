//! Constraint rows of an element for constrained dynamics, and its geometric stiffness.
//!
//! **Scalar form.** One row `C, ∇C`; the geometric stiffness is `−λ ∇²C` (the lecture's P34, errata).
//!
//! **Projective form.** `E = w/2 ‖y − p‖²` with `y = A x`. Neither `‖y − p‖` (no gradient at zero) nor the raw rows
//! `y − p` (they constrain the direction of a stiff spring) are suitable. The Hessian in the space of `y`,
//! `w (I − ∂p/∂y)`, has eigenmodes `(w μ, q)` of two kinds:
//!
//! * `μ = 1`, normal to the set of admissible values: moving along them does not move `p`. The residual `y − p` is one
//!   of them, or their sum. These are the constraint rows, `C = qᵀ(y − p)`, `∇C = Aᵀ q`: a spring's extension; a
//!   tetrahedron's three stretches and three shears.
//! * `μ < 1`, tangential: the set is curved, and `w μ` is the force `w (y − p)` times that curvature. These are the
//!   geometric stiffness: for a spring of length `l`, `w μ = −λ/l` across it; for a tetrahedron its rotations.
//!
//! The dual variable is stored in the space of `y`, `Λ = Σ λ q = −w (y − p)` at the solution, so that it stays valid
//! when the eigenmodes change. The geometric stiffness is that of the point `y* = p − Λ/w`, at which the element's
//! force would be `Λ`: as the weight grows, it converges to `λ` times the curvature of the set, independent of the
//! rounding error of `y − p`.
//!
//! **Energy form.** `E = w Ψ(y)` with the stress `P` and the Hessian `H = Σ μ q qᵀ` in the space of `y`. Rows
//! `C = q·P/√μ`, `∇C = √μ Aᵀq` have the gradient and the Hessian of the energy; for modes with zero or negative
//! curvature its absolute value is used, with a lower bound. The line search sums `Σ w/2 C²`, which must be the energy:
//! all `C` are scaled by one `ρ` and all `∇C` by `1/ρ`, and the loss in the Hessian is added as a geometric stiffness.
//! For a quadratic energy ρ is one.

use crate::element::SolverForms;
use crate::element::algebra::{apply, apply_transposed, difference, norm_squared};
use crate::element::evaluation::project;
use crate::element::{Curvature, Projective};
use crate::math::Vec3;
use crate::math::eigen::eigen_symmetric;

/// A direction in the space of an element's dual variable.
pub type Direction = [f64; 9];

/// Callback that receives a constraint row: value, gradient, direction in the space of the dual variable.
pub type AddRow<'a, const N: usize> = &'a mut dyn FnMut(f64, &[Vec3<f64>; N], &Direction);

/// Callback that receives a stiffness `κ ≥ 0` along a gradient.
pub type AddStiffness<'a, const N: usize> = &'a mut dyn FnMut(f64, &[Vec3<f64>; N]);

/// The direction of the multiplier of one scalar constraint of an element.
pub(super) fn unit_direction(which: usize) -> Direction {
    std::array::from_fn(|i| if i == which { 1.0 } else { 0.0 })
}

/// Modes with a larger eigenvalue are normal to the set.
const NORMAL_MODE_THRESHOLD: f64 = 1.0 - 1e-6;
/// Smallest displacement of `y*` by the force of a stiff element, relative to `y`: a smaller one is lost in rounding.
const MIN_RELATIVE_DISPLACEMENT: f64 = 1e-6;
/// Largest number of vertices of a packed element.
const MAX_ELEMENT_VERTICES: usize = 9;

/// Calls `add` for each positive mode of `−λ ∇²C`, computed by central differences of the gradient.
pub(super) fn scalar_stiffness<F: SolverForms<N, K>, const N: usize, const K: usize>(
    which: usize,
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
    lambda: f64,
    add: AddStiffness<N>,
) {
    const { assert!(N <= MAX_ELEMENT_VERTICES, "an element of more vertices is a Cluster") };
    if lambda == 0.0 || !lambda.is_finite() {
        return;
    }
    let n = 3 * N;
    let mut scratch = [[0.0; 9 * MAX_ELEMENT_VERTICES * MAX_ELEMENT_VERTICES]; 2];
    let [k, v] = &mut scratch;
    let (k, v) = (&mut k[..n * n], &mut v[..n * n]);
    let size = x.iter().map(|v| (*v - x[0]).norm()).fold(0.0, f64::max).max(1e-9);
    let step = 1e-5 * size;
    for column in 0..n {
        let mut gradients = [[Vec3::zero(); N]; 2];
        for (sign, g) in [1.0, -1.0].into_iter().zip(&mut gradients) {
            let mut at = *x;
            let mut axis = [0.0; 3];
            axis[column % 3] = sign * step;
            at[column / 3] += Vec3::of(axis);
            *g = F::constraint(which, rest, &at).1;
        }
        for p in 0..N {
            let d = (gradients[0][p] - gradients[1][p]).scale(-0.25 * lambda / step);
            // Half of the value in each triangle keeps the matrix symmetric.
            for (i, value) in [d.x, d.y, d.z].into_iter().enumerate() {
                k[(3 * p + i) * n + column] += value;
                k[column * n + 3 * p + i] += value;
            }
        }
    }
    if k.iter().any(|c| !c.is_finite()) {
        return;
    }
    eigen_symmetric(k, v, n);
    // Modes below the error of the differences are no stiffness.
    let least = 1e-7 * (0..n).map(|mode| k[mode * (n + 1)].abs()).fold(0.0, f64::max);
    for mode in 0..n {
        let q = &v[mode * n..(mode + 1) * n];
        let g = std::array::from_fn(|i| Vec3::new(q[3 * i], q[3 * i + 1], q[3 * i + 2]));
        if k[mode * (n + 1)] > least {
            add(k[mode * (n + 1)], &g);
        }
    }
}

/// The eigenmodes of `I − ∂p/∂y`: `3 D` eigenvalues and eigenvectors.
struct Modes {
    value: [f64; 9],
    vector: [Direction; 9],
}

fn modes<E: Projective<N, D, K>, const N: usize, const D: usize, const K: usize>(
    rest: &[f64; K],
    y: &[Vec3<f64>; D],
) -> Modes {
    let mut c = Curvature::identity();
    E::curvature(rest, y, false, &mut c);
    if c.m == Curvature::identity().m {
        // The element does not define its curvature.
        c = finite_difference_curvature::<E, N, D, K>(rest, y);
    }
    modes_of(&c, 3 * D)
}

/// Returns the eigenmodes of the first `n` rows and columns.
fn modes_of(c: &Curvature, n: usize) -> Modes {
    let mut a = [0.0; 81];
    let mut v = [0.0; 81];
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] = 0.5 * (c.m[i][j] + c.m[j][i]);
        }
    }
    let mut out = Modes { value: [0.0; 9], vector: [[0.0; 9]; 9] };
    if a.iter().any(|c| !c.is_finite()) {
        return out;
    }
    eigen_symmetric(&mut a[..n * n], &mut v[..n * n], n);
    for k in 0..n {
        out.value[k] = a[k * n + k];
        out.vector[k][..n].copy_from_slice(&v[k * n..(k + 1) * n]);
    }
    out
}

/// Returns `I − ∂p/∂y` by central differences of the projection.
fn finite_difference_curvature<
    E: Projective<N, D, K>,
    const N: usize,
    const D: usize,
    const K: usize,
>(
    rest: &[f64; K],
    y: &[Vec3<f64>; D],
) -> Curvature {
    let p = project::<E, _, N, D, K>(rest, y);
    let size = y.iter().chain(&p).map(|v| v.norm()).fold(1e-9, f64::max);
    let step = 1e-6 * size;
    let mut out = Curvature::identity();
    for column in 0..3 * D {
        let mut axis = [0.0; 3];
        axis[column % 3] = step;
        let (mut plus, mut minus) = (*y, *y);
        plus[column / 3] += Vec3::of(axis);
        minus[column / 3] -= Vec3::of(axis);
        let d = difference(
            &project::<E, _, N, D, K>(rest, &plus),
            &project::<E, _, N, D, K>(rest, &minus),
        );
        let d = flat(&d);
        for row in 0..3 * D {
            out.m[row][column] -= d[row] * (0.5 / step);
        }
    }
    out
}

fn flat<const D: usize>(y: &[Vec3<f64>; D]) -> Direction {
    let mut out = [0.0; 9];
    for d in 0..D {
        (out[3 * d], out[3 * d + 1], out[3 * d + 2]) = (y[d].x, y[d].y, y[d].z);
    }
    out
}

fn vectors<const D: usize>(q: &[f64]) -> [Vec3<f64>; D] {
    std::array::from_fn(|d| Vec3::new(q[3 * d], q[3 * d + 1], q[3 * d + 2]))
}

fn dot(a: &Direction, b: &Direction) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The unscaled rows of an element given by an energy: for each mode of its Hessian `C`, `√μ` and `q`; and the scale ρ.
struct EnergyRows {
    modes: [(f64, f64, Direction); 9],
    scale: f64,
}

/// Lower bound on the curvature of a mode, relative to the largest curvature.
const MIN_RELATIVE_CURVATURE: f64 = 1e-3;

fn energy_modes<const D: usize>(
    c: &Curvature,
    energy: f64,
    stress: &[Vec3<f64>; D],
) -> Option<EnergyRows> {
    let n = 3 * D;
    let (mut a, mut v) = ([0.0; 81], [0.0; 81]);
    (0..n * n).for_each(|i| a[i] = 0.5 * (c.m[i / n][i % n] + c.m[i % n][i / n]));
    if a.iter().any(|c| !c.is_finite()) || !energy.is_finite() {
        return None;
    }
    eigen_symmetric(&mut a[..n * n], &mut v[..n * n], n);
    let largest = (0..n).map(|k| a[k * (n + 1)].abs()).fold(0.0, f64::max);
    let (flat, size) = (flat(stress), norm_squared(stress).sqrt());
    let mut out = EnergyRows { modes: [(0.0, 0.0, [0.0; 9]); 9], scale: 1.0 };
    let mut sum = 0.0;
    for k in 0..n {
        let mut q = [0.0; 9];
        q[..n].copy_from_slice(&v[k * n..(k + 1) * n]);
        let along = dot(&q, &flat);
        let mu = a[k * (n + 1)];
        // Modes with neither force nor stiffness have no row: at rest, the rotations.
        let acts = mu.abs() > 1e-9 * largest || along.abs() > 1e-9 * size;
        let root = mu.abs().max(MIN_RELATIVE_CURVATURE * largest).sqrt();
        if acts && root > 0.0 {
            sum += along * along / (root * root);
            out.modes[k] = (along / root, root, q);
        }
    }
    let scale = (2.0 * energy / sum).sqrt();
    if scale.is_finite() && scale > 0.0 {
        out.scale = scale;
    }
    Some(out)
}

/// Calls `add` for the modes of an energy's Hessian.
pub(super) fn energy_rows<const N: usize, const D: usize>(
    a: &[[f64; N]; D],
    c: &Curvature,
    energy: f64,
    stress: &[Vec3<f64>; D],
    add: AddRow<N>,
) {
    let Some(rows) = energy_modes(c, energy, stress) else { return };
    for (value, root, q) in rows.modes.iter().filter(|m| m.1 > 0.0) {
        let steep = root / rows.scale;
        let g = apply_transposed(a, &vectors(q)).map(|g| g.scale(steep));
        add(value * rows.scale, &g, q);
    }
}

/// Calls `add` for the loss of the Hessian by the scale ρ.
pub(super) fn energy_stiffness<const N: usize, const D: usize>(
    a: &[[f64; N]; D],
    c: &Curvature,
    energy: f64,
    stress: &[Vec3<f64>; D],
    weight: f64,
    add: AddStiffness<N>,
) {
    let Some(rows) = energy_modes(c, energy, stress) else { return };
    let lost = 1.0 - 1.0 / (rows.scale * rows.scale);
    if !(lost > 1e-9 && weight.is_finite()) {
        return;
    }
    for (_, root, q) in rows.modes.iter().filter(|m| m.1 > 0.0) {
        add(weight * lost * root * root, &apply_transposed(a, &vectors(q)));
    }
}

/// Returns the part of the residual outside the normal modes, as its norm and direction; none if it is rounding error.
/// It occurs where the projection is not exactly the nearest point.
fn remainder(residual: &Direction, left: &Direction, size: f64) -> Option<(f64, Direction)> {
    let norm = dot(left, left).sqrt();
    let seen = norm > 1e-6 * dot(residual, residual).sqrt() && norm > 1e-12 * size;
    seen.then(|| (norm, left.map(|c| c / norm)))
}

/// Calls `add` for the modes normal to the set.
pub(super) fn projective_rows<
    E: Projective<N, D, K>,
    const N: usize,
    const D: usize,
    const K: usize,
>(
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
    add: AddRow<N>,
) {
    let place = ProjectionState::of::<E, K>(rest, x);
    place.add_normal_modes(&modes::<E, N, D, K>(rest, &place.y), add);
}

/// Calls `add` for the modes tangential to the set, at the point where the element's force is `dual`.
pub(super) fn projective_stiffness<
    E: Projective<N, D, K>,
    const N: usize,
    const D: usize,
    const K: usize,
>(
    rest: &[f64; K],
    x: &[Vec3<f64>; N],
    dual: &[f64],
    weight: f64,
    add: AddStiffness<N>,
) {
    let place = ProjectionState::of::<E, K>(rest, x);
    let Some(pulled) = place.dual_point(&modes::<E, N, D, K>(rest, &place.y), dual, weight) else {
        return;
    };
    place.add_tangent_modes(&modes::<E, N, D, K>(rest, &pulled.at), &pulled, add);
}

/// State of an element in projective form: its matrix, `y` and `p`. The type depends only on the sizes of the
/// element, so that all elements of the same sizes share its code.
struct ProjectionState<const N: usize, const D: usize> {
    a: [[f64; N]; D],
    y: [Vec3<f64>; D],
    p: [Vec3<f64>; D],
}

/// The point at which the force of an element is its dual variable.
struct DualPoint<const D: usize> {
    at: [Vec3<f64>; D],
    dual_force: Direction,
    force_norm: f64,
    weight: f64,
}

impl<const N: usize, const D: usize> ProjectionState<N, D> {
    #[inline(never)]
    fn of<E: Projective<N, D, K>, const K: usize>(rest: &[f64; K], x: &[Vec3<f64>; N]) -> Self {
        let a = E::matrix(rest);
        let y = apply(&a, x);
        Self { a, y, p: project::<E, _, N, D, K>(rest, &y) }
    }

    fn add_normal_modes(&self, modes: &Modes, add: AddRow<N>) {
        let (a, y) = (&self.a, flat(&self.y));
        let residual = flat(&difference(&self.y, &self.p));
        let size = dot(&y, &y).sqrt();
        let mut left = residual;
        for k in 0..3 * D {
            let q = &modes.vector[k];
            if modes.value[k] > NORMAL_MODE_THRESHOLD {
                let c = dot(q, &residual);
                (0..9).for_each(|i| left[i] -= c * q[i]);
                add(c, &apply_transposed(a, &vectors(q)), q);
            }
        }
        if let Some((c, q)) = remainder(&residual, &left, size) {
            add(c, &apply_transposed(a, &vectors(&q)), &q);
        }
    }

    fn dual_point(&self, modes: &Modes, dual: &[f64], weight: f64) -> Option<DualPoint<D>> {
        // Only the part of the dual force along the normals at this point.
        let mut pull = [0.0; 9];
        self.add_normal_modes(modes, &mut |_, _, q| {
            let along: f64 = q.iter().zip(dual).map(|(q, d)| q * d).sum();
            (0..9).for_each(|i| pull[i] += along * q[i]);
        });
        let strength = dot(&pull, &pull).sqrt();
        let size = self.p.iter().chain(&self.y).map(|v| v.norm_squared()).sum::<f64>().sqrt();
        let weight = weight.min(strength / (MIN_RELATIVE_DISPLACEMENT * size));
        let mut at = flat(&self.p);
        (0..9).for_each(|i| at[i] -= pull[i] / weight);
        let at = vectors(&at);
        (weight > 0.0 && weight.is_finite()).then_some(DualPoint {
            at,
            dual_force: pull,
            force_norm: strength,
            weight,
        })
    }

    fn add_tangent_modes(&self, modes: &Modes, pulled: &DualPoint<D>, add: AddStiffness<N>) {
        for k in 0..3 * D {
            let (mu, q) = (modes.value[k], &modes.vector[k]);
            let along = dot(q, &pulled.dual_force) / pulled.force_norm;
            if mu > 0.0 && mu <= NORMAL_MODE_THRESHOLD && along.abs() < 0.7 {
                add(pulled.weight * mu, &apply_transposed(&self.a, &vectors(q)));
            }
        }
    }
}
