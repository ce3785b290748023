//! A neo-Hookean tetrahedron: an energy of the deformation gradient F that is smooth for every F, including flat,
//! collapsed and inverted elements.
//!
//! ```text
//! Ψ/μ = (8/15) (I − 3 + 1/(I + 1) − 1/4) − (J − 1) + Λ/2 (J − 1)²      I = ‖F‖², J = det F
//!     = (a − 2 b)/2 + a²/(30 (4 + a)) + Λ/2 b²                         a = I − 3, b = J − 1
//! P/μ = (16/15) (1 − 1/(I + 1)²) F + (Λ b − 1) cof F
//! ```
//!
//! It is the stable neo-Hookean energy of Smith, de Goes and Kim 2018, `μ/2 (I − 3) + λ/2 (J − α)²` with α chosen so
//! that the rest shape is stress-free, and its additional term that keeps the point F = 0 from being a second minimum
//! (without it, one of the same energy as rest where ν = 0). Theirs is `−μ/2 log(I + 1)`; `1/(I + 1)` has the same
//! effect with exactly rounded operations alone, and changes the energy less.
//!
//! To second order around rest it is linear elasticity with `μ` and `λ = (Λ − 14/15) μ`, hence
//! `Λ = λ/μ + 14/15`.
//!
//! The first term vanishes to second order around rest, where I and J are rounded: it is computed from the strain
//! `e = RᵀF − I` instead, `a − 2 b = ‖e‖² + tr e² − (tr e)² − 2 det e`, for any rotation R, which stays accurate where
//! `e` is small.
//!
//! Its weight is the shear modulus times the rest volume, `μ V`.

use crate::Error;
use crate::batch::Elements;
use crate::element::{Block, Hyperelastic};
use crate::elements::ElementInfo;
use crate::elements::tet_strain::{gradient_matrix, inverse_edges};
use crate::math::{Mat3, Real, Vec3, polar3};
use crate::mesh::Stencil;

/// A rubber tetrahedron that stiffens under compression.
#[derive(Clone, Copy, Debug)]
pub struct TetNeoHookean {
    /// Inverse of the matrix of rest edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 3]; 3],
    /// Lamé's λ relative to μ: `2 ν / (1 − 2 ν)`, zero or more.
    pub lambda: f64,
}

/// Difference between Λ and `λ/μ`.
const LAMBDA_SHIFT: f64 = 14.0 / 15.0;

impl TetNeoHookean {
    /// Makes the element of a rest shape and Lamé's λ relative to μ; returns also its volume \[m³\].
    pub fn new(rest: [[f64; 3]; 4], lambda: f64) -> Result<(Self, f64), Error> {
        let (inverse, volume) = inverse_edges(rest)?;
        if !(lambda >= 0.0 && lambda.is_finite()) {
            let (name, field) = ("tet_neo_hookean", "lambda");
            let remedy = "it must be 2 ν/(1 − 2 ν) of a Poisson's ratio with 0 ≤ ν < 0.5";
            return Err(Error::Quantity { name, field, value: lambda, remedy });
        }
        Ok((Self { inverse, lambda }, volume))
    }
}

/// Quantities from which energy and stress are computed.
struct Invariants<R> {
    f: Mat3<R>,
    cof: Mat3<R>,
    /// `I + 1`.
    i1_plus_one: R,
    /// `J − 1`.
    j_minus_one: R,
}

#[inline(always)]
fn invariants<R: Real>(y: &[Vec3<R>; 3]) -> Invariants<R> {
    let f = Mat3 { cols: *y };
    let cof = f.cofactor();
    let growth = y[0].dot(cof.cols[0]) - R::one();
    Invariants { f, cof, i1_plus_one: f.norm_squared() + R::one(), j_minus_one: growth }
}

/// The coefficients of F and of cof F in the stress.
#[inline(always)]
fn coefficients<R: Real>(s: &Invariants<R>, volume: R) -> (R, R) {
    let inv = R::one() / s.i1_plus_one;
    (R::of(16.0 / 15.0) * (R::one() - inv * inv), volume * s.j_minus_one - R::one())
}

/// Half the derivative with respect to I of the coefficient of F.
#[inline(always)]
fn steepening<R: Real>(s: &Invariants<R>) -> R {
    let inv = R::one() / s.i1_plus_one;
    R::of(64.0 / 15.0) * inv * inv * inv
}

impl Hyperelastic<4, 3, 10> for TetNeoHookean {
    const NAME: &'static str = "tet_neo_hookean";
    const COST_NS: usize = 25;

    fn parameters(&self) -> [f64; 10] {
        let [a, b, c] = self.inverse;
        [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], self.lambda + LAMBDA_SHIFT]
    }

    #[inline(always)]
    fn matrix<R: Real>(rest: &[R; 10]) -> [[R; 4]; 3] {
        let [a, b, c, d, e, f, g, h, i, _] = *rest;
        gradient_matrix(&[a, b, c, d, e, f, g, h, i])
    }

    #[inline(always)]
    fn energy<R: Real>(rest: &[R; 10], y: &[Vec3<R>; 3]) -> R {
        let s = invariants(y);
        let r = polar3(&s.f).transpose();
        let mut e = r.mul(&s.f);
        e.cols[0].x -= R::one();
        e.cols[1].y -= R::one();
        e.cols[2].z -= R::one();
        let t = e.transpose();
        let trace = e.cols[0].x + e.cols[1].y + e.cols[2].z;
        let square = e.cols[0].dot(t.cols[0]) + e.cols[1].dot(t.cols[1]) + e.cols[2].dot(t.cols[2]);
        let shear = e.norm_squared() + square - trace * trace - R::of(2.0) * e.det();
        let a = s.i1_plus_one - R::of(4.0);
        let volume = rest[9] * s.j_minus_one * s.j_minus_one;
        (shear + volume) * R::of(0.5) + a * a / (s.i1_plus_one * R::of(30.0))
    }

    #[inline(always)]
    fn stress<R: Real>(rest: &[R; 10], y: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let s = invariants(y);
        let (p, q) = coefficients(&s, rest[9]);
        let mut stress = *y;
        for d in 0..3 {
            stress[d] = s.f.cols[d].scale(p) + s.cof.cols[d].scale(q);
        }
        stress
    }

    #[inline(always)]
    fn stress_change<R: Real>(
        rest: &[R; 10],
        y: &[Vec3<R>; 3],
        change: &[Vec3<R>; 3],
    ) -> [Vec3<R>; 3] {
        let s = invariants(y);
        let (p, q) = coefficients(&s, rest[9]);
        let (mut along, mut growing) = (R::zero(), R::zero());
        for d in 0..3 {
            along += y[d].dot(change[d]);
            growing += s.cof.cols[d].dot(change[d]);
        }
        let (along, growing) = (along * steepening(&s), growing * rest[9]);
        // The change of cof F, column by column.
        let turned = [
            change[1].cross(y[2]) + y[1].cross(change[2]),
            change[2].cross(y[0]) + y[2].cross(change[0]),
            change[0].cross(y[1]) + y[0].cross(change[1]),
        ];
        let mut out = *y;
        for d in 0..3 {
            out[d] = change[d].scale(p)
                + y[d].scale(along)
                + s.cof.cols[d].scale(growing)
                + turned[d].scale(q);
        }
        out
    }

    /// The stiffness at rest against a change of size, `2 + 3 λ/μ`, which is the largest.
    #[inline(always)]
    fn stiffness<R: Real>(rest: &[R; 10]) -> R {
        R::of(2.0) + R::of(3.0) * (rest[9] - R::of(LAMBDA_SHIFT))
    }

    /// The exact block: the determinant is linear in each vertex, so no part of it is negative.
    #[inline(always)]
    fn block<R: Real>(rest: &[R; 10], y: &[Vec3<R>; 3], a: &[R; 3]) -> Block<R> {
        let s = invariants(y);
        let (p, _) = coefficients(&s, rest[9]);
        let a = Vec3::new(a[0], a[1], a[2]);
        let (stretched, normal) = (s.f.mul_vec(a), s.cof.mul_vec(a));
        Block::isotropic(p * a.norm_squared())
            .plus(Block::outer(steepening(&s), stretched))
            .plus(Block::outer(rest[9], normal))
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "tet_neo_hookean",
    summary: "stable neo-Hookean energy of a tetrahedron",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(Elements::hyperelastic(), 4, |x| TetNeoHookean::new(x, 2.0).map(|(e, _)| e)),
};
