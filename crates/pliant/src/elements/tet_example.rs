//! Example-based material of a tetrahedron, Projective Dynamics eqs. (17), (18) and (27).
//!
//! ```text
//! y = F                       the deformation gradient against the rest shape g
//! H(w) = I + Σ w_i (S_i − I)  the rest shape that the examples allow, S_i = R_i X_{g_i} X_g⁻¹
//! p = R H(w)                  nearest to F over rotations R and weights w in their range
//! ```
//!
//! `R_i` turns example `i` to agree best with the rest shape, so that `S_i` is the stretch of its polar
//! decomposition. The nearest point is found as in the paper, by turns over `R` (polar decomposition of
//! `F H`) and over `w` (least squares, here coordinate by coordinate because of the range).
//!
//! With ranges of one point the weights are given from outside: so a body's elements share them
//! (`batch/examples.rs`). Its weight is the stiffness of the material times the rest volume.

use std::marker::PhantomData;

use super::symmetric;
use super::tet_strain::{gradient_matrix, inverse_edges};
use crate::Error;
use crate::element::Projective;
use crate::math::{Apart, Mat3, Real, Scalar, Vec3, polar3};

/// Examples of one element, at most.
pub const MOST_EXAMPLES: usize = 4;

/// Turns over rotation and weights, at most; some four in ordinary shapes.
const TURNS: usize = 40;
/// Sweeps over the weights in each turn.
const SWEEPS: usize = 4;

/// Where the stretches and the bounds of the weights stand in the rest data.
const STRETCH: usize = 9;
const LOW: usize = STRETCH + 6 * MOST_EXAMPLES;
const HIGH: usize = LOW + MOST_EXAMPLES;

/// A tetrahedron that may deform towards examples at no cost.
#[derive(Clone, Copy, Debug)]
pub struct TetExample {
    /// Inverse of the matrix of rest edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 3]; 3],
    /// Stretch of each example beyond the rest shape, `S − I`: xx, yy, zz, xy, xz, yz.
    pub stretches: [[f64; 6]; MOST_EXAMPLES],
    /// Least and largest weight of each example.
    pub ranges: [[f64; 2]; MOST_EXAMPLES],
}

impl TetExample {
    /// The element of a rest shape and the shapes it takes in the examples, with its volume \[m³\].
    /// The paper leaves weights free; within `[0, 1]` a body stays between its examples.
    pub fn new(
        rest: [[f64; 3]; 4],
        examples: &[[[f64; 3]; 4]],
        range: [f64; 2],
    ) -> Result<(Self, f64), Error> {
        let (inverse, volume) = inverse_edges(rest)?;
        if examples.is_empty() || examples.len() > MOST_EXAMPLES {
            let problem = format!(
                "a body has {} examples; give one to {MOST_EXAMPLES} shapes of its mesh",
                examples.len()
            );
            return Err(Error::Scene { problem });
        }
        let [low, high] = range;
        let (name, field) = (<Self as Projective<4, 3, 41>>::NAME, "range");
        if !(low <= high && low.is_finite() && high.is_finite()) {
            let remedy = "give weights from a least to a largest, such as [0, 1]";
            return Err(Error::Quantity { name, field, value: low, remedy });
        }
        let a = gradient_matrix(&inverse_numbers(&inverse));
        let mut stretches = [[0.0; 6]; MOST_EXAMPLES];
        let mut ranges = [[0.0; 2]; MOST_EXAMPLES];
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
    s.copy_from_slice(&rest[STRETCH + 6 * which..STRETCH + 6 * which + 6]);
    s
}

/// `H(w)`.
#[inline(always)]
fn shape<R: Real>(rest: &[R; 41], weights: &[R; MOST_EXAMPLES]) -> [R; 6] {
    let mut h = symmetric::identity();
    for i in 0..MOST_EXAMPLES {
        h = symmetric::plus_scaled(&h, weights[i], &stretch(rest, i));
    }
    h
}

/// Where weights that are given from outside stand in the rest data: the two ends of their range.
pub fn given_weight(which: usize) -> [usize; 2] {
    [LOW + which, HIGH + which]
}

/// What a unit of example `which` would lower of `½‖F − R H(w)‖²` at given weights, with the nearest
/// rotation: `⟨RᵀF − H, S_i − I⟩`.
#[inline(always)]
pub fn fall<R: Real>(which: usize, rest: &[R; 41], y: &[Vec3<R>; 3]) -> R {
    let f = Mat3 { cols: *y };
    let mut weights = [R::zero(); MOST_EXAMPLES];
    weights.copy_from_slice(&rest[LOW..HIGH]);
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
        to[..STRETCH].copy_from_slice(&inverse_numbers(&self.inverse));
        for i in 0..MOST_EXAMPLES {
            to[STRETCH + 6 * i..STRETCH + 6 * i + 6].copy_from_slice(&self.stretches[i]);
            to[LOW + i] = self.ranges[i][0];
            to[HIGH + i] = self.ranges[i][1];
        }
        to
    }

    #[inline(always)]
    fn matrix<R: Real>(rest: &[R; 41]) -> [[R; 4]; 3] {
        let mut inverse = [R::zero(); 9];
        inverse.copy_from_slice(&rest[..STRETCH]);
        gradient_matrix(&inverse)
    }

    #[inline(always)]
    fn project<R: Real>(rest: &[R; 41], y: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        R::call::<Follow<R>>(&(*rest, *y))
    }
}

/// The projection, apart from the kernels.
struct Follow<R>(PhantomData<R>);

impl<R: Real> Apart for Follow<R> {
    type Unit = Self;
    type Input = ([R; 41], [Vec3<R>; 3]);
    type Output = [Vec3<R>; 3];

    #[inline(always)]
    fn run((rest, y): &Self::Input) -> Self::Output {
        let f = Mat3 { cols: *y };
        let mut weights = [R::zero(); MOST_EXAMPLES];
        let mut free = R::zero();
        for i in 0..MOST_EXAMPLES {
            weights[i] = R::zero().clamp(rest[LOW + i], rest[HIGH + i]);
            free += rest[HIGH + i] - rest[LOW + i];
        }
        let mut h = shape(rest, &weights);
        let mut rotation = polar3(&f.mul(&symmetric::matrix(&h)));
        // One where a lane's weights still move. A lane at rest stays as it is, so that its result
        // does not depend on the others.
        let mut moving = R::select_lt(R::zero(), free, R::one(), R::zero());
        for _ in 0..TURNS {
            if !R::any_lt(R::zero(), moving) {
                break;
            }
            let aligned = symmetric::of_product(&rotation, &f);
            let mut moved = R::zero();
            let before = weights;
            for _ in 0..SWEEPS {
                for i in 0..MOST_EXAMPLES {
                    let s = stretch(rest, i);
                    let fall = symmetric::dot(&symmetric::minus(&aligned, &h), &s);
                    let step = fall.div_or_zero(symmetric::dot(&s, &s), R::of(R::Scalar::TINY));
                    let w = (weights[i] + step).clamp(rest[LOW + i], rest[HIGH + i]);
                    let w = R::select_lt(R::zero(), moving, w, weights[i]);
                    h = symmetric::plus_scaled(&h, w - weights[i], &s);
                    weights[i] = w;
                }
            }
            for i in 0..MOST_EXAMPLES {
                moved += (weights[i] - before[i]).abs();
            }
            rotation = polar3(&f.mul(&symmetric::matrix(&h)));
            moving = R::select_lt(R::of(4.0 * R::Scalar::EPSILON), moved, moving, R::zero());
        }
        rotation.mul(&symmetric::matrix(&h)).cols
    }
}
