//! Example-based material of a tetrahedron, Projective Dynamics eqs. (17), (18) and (27).
//!
//! ```text
//! y = F                       the deformation gradient against the rest shape g
//! H(w) = I + Σ w_i (S_i − I)  the rest shape that the examples allow, S_i = R_i X_{g_i} X_g⁻¹
//! p = R H(w)                  nearest to F over rotations R and weights w in their range
//! ```
//!
//! `R_i` rotates example `i` to agree best with the rest shape, so that `S_i` is the stretch of its polar
//! decomposition. The nearest point is found as in the paper, by alternating between `R` (polar decomposition of `F H`)
//! and `w` (least squares, here coordinate by coordinate because of the range).
//!
//! Ranges of a single point prescribe the weights: that is how a body's elements share them (`batch/examples.rs`). Its
//! weight is the stiffness of the material times the rest volume.

use crate::batch::{BodyExamples, Elements};
use crate::elements::ElementInfo;
use crate::mesh::Stencil;
use std::marker::PhantomData;

use crate::Error;
use crate::element::{Curvature, Projective};
use crate::elements::isotropic::NEGLIGIBLE;
use crate::elements::tet_strain::{gradient_matrix, inverse_edges};
use crate::elements::{rotation, symmetric};
use crate::math::eigen::eigen_symmetric;
use crate::math::{Mat3, Outlined, Real, Scalar, Vec3, polar3};

/// Largest number of examples of one element.
pub const MAX_EXAMPLES: usize = 4;

/// Largest number of alternations between rotation and weights; about four in ordinary shapes. Examples that resemble
/// each other, and shapes far from all of them, need hundreds for the accuracy of double precision, without which the
/// derivative of the projection is not that of its limit.
const fn max_alternations<R: Real>() -> usize {
    if R::Scalar::EPSILON > 1e-10 { 40 } else { 400 }
}
/// Change of the weights, in units of rounding, below which the alternation has converged. In double precision the weights
/// may jitter by more than the last digit for ever.
const fn converged<R: Real>() -> f64 {
    if R::Scalar::EPSILON > 1e-10 { 4.0 } else { 64.0 }
}
/// Sweeps over the weights in each alternation.
const WEIGHT_SWEEPS: usize = 4;

/// Index of the example stretches in the rest data; the bounds of the weights follow.
const STRETCHES_START: usize = 9;
const MIN_WEIGHTS_START: usize = STRETCHES_START + 6 * MAX_EXAMPLES;
const MAX_WEIGHTS_START: usize = MIN_WEIGHTS_START + MAX_EXAMPLES;

/// A tetrahedron that may deform towards examples at no energy cost.
#[derive(Clone, Copy, Debug)]
pub struct TetExample {
    /// Inverse of the matrix of rest edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 3]; 3],
    /// Stretch of each example beyond the rest shape, `S − I`: xx, yy, zz, xy, xz, yz.
    pub stretches: [[f64; 6]; MAX_EXAMPLES],
    /// Smallest and largest weight of each example.
    pub ranges: [[f64; 2]; MAX_EXAMPLES],
}

impl TetExample {
    /// Makes the element of a rest shape and its example shapes; returns also its volume \[m³\]. The paper leaves
    /// weights free; within `[0, 1]` a body stays between its examples.
    pub fn new(
        rest: [[f64; 3]; 4],
        examples: &[[[f64; 3]; 4]],
        range: [f64; 2],
    ) -> Result<(Self, f64), Error> {
        let (inverse, volume) = inverse_edges(rest)?;
        if examples.is_empty() || examples.len() > MAX_EXAMPLES {
            let problem =
                format!("a body has {} examples; it must have 1 to {MAX_EXAMPLES}", examples.len());
            return Err(Error::Scene { problem });
        }
        let [low, high] = range;
        let (name, field) = (<Self as Projective<4, 3, 41>>::NAME, "range");
        if !(low <= high && low.is_finite() && high.is_finite()) {
            let remedy = "it must be finite, with min ≤ max, such as [0, 1]";
            return Err(Error::Quantity { name, field, value: low, remedy });
        }
        let a = gradient_matrix(&inverse_numbers(&inverse));
        let mut stretches = [[0.0; 6]; MAX_EXAMPLES];
        let mut ranges = [[0.0; 2]; MAX_EXAMPLES];
        for (i, shape) in examples.iter().enumerate() {
            let x = shape.map(Vec3::<f64>::of);
            let f = Mat3 {
                cols: a.map(|row| (0..4).fold(Vec3::zero(), |sum, k| sum + x[k].scale(row[k]))),
            };
            let stretch = symmetric::of_product(&polar3(&f), &f);
            stretches[i] = symmetric::minus(&stretch, &symmetric::identity());
            ranges[i] = range;
        }
        Ok((Self { inverse, stretches, ranges }, volume))
    }
}

fn inverse_numbers(inverse: &[[f64; 3]; 3]) -> [f64; 9] {
    std::array::from_fn(|q| inverse[q / 3][q % 3])
}

/// `S_i − I` of example `which`.
#[inline(always)]
fn stretch<R: Real>(rest: &[R; 41], which: usize) -> [R; 6] {
    let mut s = [R::zero(); 6];
    s.copy_from_slice(&rest[STRETCHES_START + 6 * which..STRETCHES_START + 6 * which + 6]);
    s
}

/// `H(w)`.
#[inline(always)]
fn shape<R: Real>(rest: &[R; 41], weights: &[R; MAX_EXAMPLES]) -> [R; 6] {
    let mut h = symmetric::identity();
    for i in 0..MAX_EXAMPLES {
        h = symmetric::plus_scaled(&h, weights[i], &stretch(rest, i));
    }
    h
}

/// Indices of a prescribed weight in the rest data: the two ends of its range.
pub fn weight_range_indices(which: usize) -> [usize; 2] {
    [MIN_WEIGHTS_START + which, MAX_WEIGHTS_START + which]
}

/// Decrease of `½‖F − R H(w)‖²` per unit of example `which` at given weights, with the nearest rotation:
/// `⟨RᵀF − H, S_i − I⟩`.
#[inline(always)]
pub fn weight_descent<R: Real>(which: usize, rest: &[R; 41], y: &[Vec3<R>; 3]) -> R {
    let f = Mat3 { cols: *y };
    let mut weights = [R::zero(); MAX_EXAMPLES];
    weights.copy_from_slice(&rest[MIN_WEIGHTS_START..MAX_WEIGHTS_START]);
    let h = shape(rest, &weights);
    let rotation = polar3(&f.mul(&symmetric::matrix(&h)));
    let left = symmetric::minus(&symmetric::of_product(&rotation, &f), &h);
    symmetric::dot(&left, &stretch(rest, which))
}

/// `⟨S_i − I, S_j − I⟩` of two examples.
pub fn overlap(i: usize, j: usize, rest: &[f64; 41]) -> f64 {
    symmetric::dot(&stretch(rest, i), &stretch(rest, j))
}

impl Projective<4, 3, 41> for TetExample {
    const NAME: &'static str = "tet_example";
    const COST_NS: usize = 150;

    fn parameters(&self) -> [f64; 41] {
        let mut to = [0.0; 41];
        to[..STRETCHES_START].copy_from_slice(&inverse_numbers(&self.inverse));
        for i in 0..MAX_EXAMPLES {
            to[STRETCHES_START + 6 * i..STRETCHES_START + 6 * i + 6]
                .copy_from_slice(&self.stretches[i]);
            to[MIN_WEIGHTS_START + i] = self.ranges[i][0];
            to[MAX_WEIGHTS_START + i] = self.ranges[i][1];
        }
        to
    }

    #[inline(always)]
    fn matrix<R: Real>(rest: &[R; 41]) -> [[R; 4]; 3] {
        let mut inverse = [R::zero(); 9];
        inverse.copy_from_slice(&rest[..STRETCHES_START]);
        gradient_matrix(&inverse)
    }

    #[inline(always)]
    fn project<R: Real>(rest: &[R; 41], y: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        R::call::<OutlinedProjection<R>>(&(*rest, *y)).0
    }

    fn curvature(rest: &[f64; 41], y: &[Vec3<f64>; 3], definite: bool, out: &mut Curvature) {
        let weights = f64::call::<OutlinedProjection<f64>>(&(*rest, *y)).1;
        SecondDerivatives::new(rest, y, &weights).write_minimised(rest, &weights, definite, out);
    }
}

/// Second derivatives of `½‖F − R H(w)‖²`, with the nearest rotation `R`, by `F` and the weights.
struct SecondDerivatives {
    /// Rows `b`: by `F` alone it is `I − Σ b bᵀ`.
    rows: [f64; 27],
    /// By `F` and each weight.
    mixed: [[f64; 9]; MAX_EXAMPLES],
    /// By two weights.
    weights: [[f64; MAX_EXAMPLES]; MAX_EXAMPLES],
}

impl SecondDerivatives {
    fn new(rest: &[f64; 41], y: &[Vec3<f64>; 3], weights: &[f64; MAX_EXAMPLES]) -> Self {
        let f = Mat3 { cols: *y };
        let h = symmetric::matrix(&shape(rest, weights));
        let rotation = polar3(&f.mul(&h));
        let mut out = Self {
            rows: [0.0; 27],
            mixed: [[0.0; 9]; MAX_EXAMPLES],
            weights: [[0.0; MAX_EXAMPLES]; MAX_EXAMPLES],
        };
        // The rotation along each mode, times the square root of its value, for a unit of each weight.
        let mut turned = [[0.0; MAX_EXAMPLES]; 3];
        let modes = rotation::modes(&f.mul(&h), NEGLIGIBLE);
        for (k, (value, cols)) in modes.into_iter().enumerate() {
            let row = &mut out.rows[9 * k..9 * k + 9];
            rotation::flatten(&Mat3 { cols }.mul(&h).cols, value.sqrt(), row);
            for i in 0..MAX_EXAMPLES {
                let fs = f.mul(&symmetric::matrix(&stretch(rest, i)));
                let along: f64 = (0..3).map(|c| cols[c].dot(fs.cols[c])).sum();
                turned[k][i] = value.sqrt() * along;
            }
        }
        for i in 0..MAX_EXAMPLES {
            let rs = rotation.mul(&symmetric::matrix(&stretch(rest, i)));
            rotation::flatten(&rs.cols, -1.0, &mut out.mixed[i]);
            for k in 0..3 {
                (0..9).for_each(|q| out.mixed[i][q] -= out.rows[9 * k + q] * turned[k][i]);
            }
            for j in 0..MAX_EXAMPLES {
                let turns: f64 = turned.iter().map(|t| t[i] * t[j]).sum();
                out.weights[i][j] = overlap(i, j, rest) - turns;
            }
        }
        out
    }

    /// Writes the Hessian of the minimum over the weights that are inside their ranges, or its positive semi-definite
    /// part. Weights at an end of their range do not move.
    fn write_minimised(
        &self,
        rest: &[f64; 41],
        weights: &[f64; MAX_EXAMPLES],
        definite: bool,
        out: &mut Curvature,
    ) {
        let inside = |i: usize| {
            rest[MIN_WEIGHTS_START + i] < weights[i]
                && weights[i] < rest[MAX_WEIGHTS_START + i]
                && overlap(i, i, rest) > 0.0
        };
        let mut free = [0; MAX_EXAMPLES];
        let mut n = 0;
        for i in (0..MAX_EXAMPLES).filter(|&i| inside(i)) {
            free[n] = i;
            n += 1;
        }
        let (mut a, mut v) =
            ([0.0; MAX_EXAMPLES * MAX_EXAMPLES], [0.0; MAX_EXAMPLES * MAX_EXAMPLES]);
        let mut largest = 0.0_f64;
        for k in 0..n * n {
            a[k] = self.weights[free[k / n]][free[k % n]];
            largest = largest.max(overlap(free[k / n], free[k / n], rest));
        }
        eigen_symmetric(&mut a[..n * n], &mut v[..n * n], n);
        let mut rows = [0.0; 27 + 9 * MAX_EXAMPLES];
        rows[..27].copy_from_slice(&self.rows);
        for k in 0..n {
            // Examples that say the same have no unique weights, and no force along their difference.
            let value = a[k * (n + 1)];
            if value > NEGLIGIBLE * largest {
                for i in 0..n {
                    let scale = v[k * n + i] / value.sqrt();
                    let row = &mut rows[27 + 9 * k..36 + 9 * k];
                    (0..9).for_each(|q| row[q] += scale * self.mixed[free[i]][q]);
                }
            }
        }
        rotation::write_identity_minus::<3>(&mut rows, definite, out);
    }
}

/// The projection as a separate function, not inlined into the kernels.
struct OutlinedProjection<R>(PhantomData<R>);

impl<R: Real> Outlined for OutlinedProjection<R> {
    type Unit = Self;
    type Input = ([R; 41], [Vec3<R>; 3]);
    /// The nearest admissible value and its weights.
    type Output = ([Vec3<R>; 3], [R; MAX_EXAMPLES]);

    #[inline(always)]
    fn run((rest, y): &Self::Input) -> Self::Output {
        let f = Mat3 { cols: *y };
        let mut weights = [R::zero(); MAX_EXAMPLES];
        let mut free = R::zero();
        for i in 0..MAX_EXAMPLES {
            weights[i] = R::zero().clamp(rest[MIN_WEIGHTS_START + i], rest[MAX_WEIGHTS_START + i]);
            free += rest[MAX_WEIGHTS_START + i] - rest[MIN_WEIGHTS_START + i];
        }
        let mut h = shape(rest, &weights);
        let mut rotation = polar3(&f.mul(&symmetric::matrix(&h)));
        // One for lanes whose weights still change. A converged lane stays as it is, so that its result does not depend
        // on the others.
        let mut moving = R::select_lt(R::zero(), free, R::one(), R::zero());
        for _ in 0..max_alternations::<R>() {
            if !R::any_lt(R::zero(), moving) {
                break;
            }
            let aligned = symmetric::of_product(&rotation, &f);
            let mut moved = R::zero();
            let before = weights;
            for _ in 0..WEIGHT_SWEEPS {
                for i in 0..MAX_EXAMPLES {
                    let s = stretch(rest, i);
                    let descent = symmetric::dot(&symmetric::minus(&aligned, &h), &s);
                    let step = descent.div_or_zero(symmetric::dot(&s, &s), R::of(R::Scalar::TINY));
                    let w = (weights[i] + step)
                        .clamp(rest[MIN_WEIGHTS_START + i], rest[MAX_WEIGHTS_START + i]);
                    let w = R::select_lt(R::zero(), moving, w, weights[i]);
                    h = symmetric::plus_scaled(&h, w - weights[i], &s);
                    weights[i] = w;
                }
            }
            for i in 0..MAX_EXAMPLES {
                moved += (weights[i] - before[i]).abs();
            }
            rotation = polar3(&f.mul(&symmetric::matrix(&h)));
            let least = R::of(converged::<R>() * R::Scalar::EPSILON);
            moving = R::select_lt(least, moved, moving, R::zero());
        }
        (rotation.mul(&symmetric::matrix(&h)).cols, weights)
    }
}

/// Two example shapes of a tetrahedron: one longer along x, one sheared.
fn two_examples(x: [[f64; 3]; 4]) -> Result<TetExample, Error> {
    let longer = x.map(|[x, y, z]| [1.3 * x, y, z]);
    let sheared = x.map(|[x, y, z]| [x, y + 0.2 * z, z + 0.2 * y]);
    TetExample::new(x, &[longer, sheared], [0.0, 1.0]).map(|(element, _)| element)
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "tet_example",
    summary: "deformation of a tetrahedron, relative to the nearest blend of examples",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(Elements::projective(), 4, two_examples),
};

/// Registration.
pub(crate) const BODY_INFO: ElementInfo = ElementInfo {
    name: "body_examples",
    summary: "deformation of tetrahedra, relative to one blend of examples for the whole \
        body",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(BodyExamples::new(), 4, two_examples),
};
