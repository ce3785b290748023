//! Volume of a tetrahedron to first order, the second term of corotational linear elasticity:
//! `λ/2 tr(RᵀF − I)²`, with R the rotation nearest to the deformation gradient F.
//!
//! In projective form: F is projected to the nearest one whose singular values (the last negated where `det F < 0`) sum
//! to three. That is `p = F − t R` with `t = (tr(RᵀF) − 3)/3`, and `w/2 ‖F − p‖² = w/6 (tr(RᵀF) − 3)²`: a weight of
//! `3 λ V` makes it the term above. Together with `tet_strain` of weight `2 μ V` it is corotational elasticity, and
//! Projective Dynamics minimises exactly its energy; near rest it agrees with `tet_volume` to first order.
//!
//! At large strains, where `σ₂ + σ₃ < 2 t` (then `σ₁ > 3`), `F − t R` has two negative singular values and is not in
//! the set: a half turn has a larger sum. The nearest point of the set is then on an edge or a corner of the
//! tetrahedron of admissible singular values, and the energy grows faster than the formula. That keeps its curvature
//! below the weight; otherwise no local/global iteration would converge.

use crate::Error;
use crate::batch::Elements;
use crate::element::{Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::tet_strain::{gradient_matrix, inverse_edges};
use crate::math::{Mat3, Real, Vec3, polar3, svd3};
use crate::mesh::Stencil;

/// A tetrahedron that resists changes of the sum of its stretches.
#[derive(Clone, Copy, Debug)]
pub struct TetCorotationalVolume {
    /// Inverse of the matrix of rest edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 3]; 3],
}

impl TetCorotationalVolume {
    /// Makes the element of a rest shape; returns also its volume \[m³\].
    pub fn new(rest: [[f64; 3]; 4]) -> Result<(Self, f64), Error> {
        let (inverse, volume) = inverse_edges(rest)?;
        Ok((Self { inverse }, volume))
    }
}

/// Returns the part of singular values, in descending order, that lies outside the set.
#[inline(always)]
fn excess<R: Real>(s: &[R; 3]) -> [R; 3] {
    let (three, half) = (R::of(3.0), R::of(0.5));
    let t = (s[0] + s[1] + s[2] - three) * R::of(1.0 / 3.0);
    // If both of the smaller would become negative: the edge σ₁ = 3, σ₂ = −σ₃, up to its corner.
    let (pair, double) = (s[1] + s[2], t + t);
    let along = ((s[1] - s[2]) * half).min(three);
    [
        R::select_lt(pair, double, s[0] - three, t),
        R::select_lt(pair, double, s[1] - along, t),
        R::select_lt(pair, double, s[2] + along, t),
    ]
}

/// `F − p`, the rotation, and `t`.
#[inline(always)]
fn residual<R: Real>(f: &Mat3<R>) -> (Mat3<R>, Mat3<R>, R) {
    let r = polar3(f);
    let sum = r.cols[0].dot(f.cols[0]) + r.cols[1].dot(f.cols[1]) + r.cols[2].dot(f.cols[2]);
    let t = (sum - R::of(3.0)) * R::of(1.0 / 3.0);
    let mut d = Mat3::from_cols(r.cols[0].scale(t), r.cols[1].scale(t), r.cols[2].scale(t));
    // Only a matrix with a singular value above three can be beyond the edges.
    let (size, most) = (f.norm_squared(), R::of(EDGE_PROJECTION_THRESHOLD));
    if R::any_lt(most, size) {
        let svd = svd3(f);
        let e = excess(&svd.sigma);
        let ue = Mat3::from_cols(
            svd.u.cols[0].scale(e[0]),
            svd.u.cols[1].scale(e[1]),
            svd.u.cols[2].scale(e[2]),
        );
        d = Mat3::select_lt(most, size, &ue.mul(&svd.v.transpose()), &d);
    }
    (d, r, t)
}

/// Squared norm of F above which an edge of the set may be nearest.
const EDGE_PROJECTION_THRESHOLD: f64 = 9.0;

impl Projective<4, 3, 9> for TetCorotationalVolume {
    const NAME: &'static str = "tet_corotational_volume";
    const COST_NS: usize = 25;

    fn parameters(&self) -> [f64; 9] {
        let [a, b, c] = self.inverse;
        [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
    }

    #[inline(always)]
    fn matrix<R: Real>(rest: &[R; 9]) -> [[R; 4]; 3] {
        gradient_matrix(rest)
    }

    #[inline(always)]
    fn project<R: Real>(_: &[R; 9], y: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let (d, _, _) = residual(&Mat3 { cols: *y });
        [y[0] - d.cols[0], y[1] - d.cols[1], y[2] - d.cols[2]]
    }

    /// `C` is positive in extension; its direction is defined also at zero.
    #[inline(always)]
    fn signed_distance<R: Real>(_: &[R; 9], y: &[Vec3<R>; 3]) -> (R, [Vec3<R>; 3]) {
        let f = Mat3 { cols: *y };
        let (d, r, t) = residual(&f);
        let (size, most) = (f.norm_squared(), R::of(EDGE_PROJECTION_THRESHOLD));
        // Within a shell around the set: farther points are clearly outside or inside.
        let norm = d.norm_squared().sqrt();
        let sign = R::select_lt(t, R::zero(), -R::one(), R::one());
        let root = R::of(ROOT_3);
        let c = R::select_lt(most, size, sign * norm, t * root);
        let (inv, inv_root) = (sign.div_or_zero(norm, R::of(1e-30)), R::of(1.0 / ROOT_3));
        let mut n = [Vec3::zero(); 3];
        for k in 0..3 {
            n[k] = Vec3::select_lt(most, size, d.cols[k].scale(inv), r.cols[k].scale(inv_root));
        }
        (c, n)
    }

    fn curvature(_: &[f64; 9], y: &[Vec3<f64>; 3], definite: bool, out: &mut Curvature) {
        let svd = svd3(&Mat3 { cols: *y });
        let (u, s) = (svd.u.cols, svd.sigma);
        let v = svd.v.cols.map(|c| [c.x, c.y, c.z]);
        let e = excess(&s);
        let keep = |value: f64| if definite { value.max(0.0) } else { value };
        *out = Curvature::zero();
        let outer = |i: usize, j: usize, scale: f64| v[j].map(|c| u[i].scale(c * scale));
        let sum = |a: [Vec3<f64>; 3], b: [Vec3<f64>; 3]| [0, 1, 2].map(|d| a[d] + b[d]);
        // Modes of the singular values: across a face, an edge or a corner of the set.
        let on_face = e[0] == e[1] && e[1] == e[2];
        let at_corner = !on_face && s[1] - s[2] >= 6.0;
        let (third, half) = (1.0 / ROOT_3, std::f64::consts::FRAC_1_SQRT_2);
        if on_face {
            out.add_mode(
                1.0,
                &sum(sum(outer(0, 0, third), outer(1, 1, third)), outer(2, 2, third)),
            );
        } else if at_corner {
            (0..3).for_each(|i| out.add_mode(1.0, &outer(i, i, 1.0)));
        } else {
            out.add_mode(1.0, &outer(0, 0, 1.0));
            out.add_mode(1.0, &sum(outer(1, 1, half), outer(2, 2, half)));
        }
        // Twists and flips of each pair, as in `strain.rs`.
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let (plus, gap) = (s[i] + s[j], s[i] - s[j]);
            let twisting = if plus.abs() > 1e-9 { (e[i] + e[j]) / plus } else { 0.0 };
            let level = if at_corner { 1.0 } else { 0.0 };
            let flipping = if gap.abs() > 1e-9 { (e[i] - e[j]) / gap } else { level };
            out.add_mode(keep(twisting), &sum(outer(i, j, half), outer(j, i, -half)));
            out.add_mode(keep(flipping), &sum(outer(i, j, half), outer(j, i, half)));
        }
    }
}

/// √3: the norm of a rotation.
const ROOT_3: f64 = 1.732_050_807_568_877_2;

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "tet_corotational_volume",
    summary: "trace of the strain of a tetrahedron: the volume term of corotational \
        elasticity",
    points: 4,
    stencil: Stencil::Custom,
    sample: sample!(Elements::projective(), 4, |x| TetCorotationalVolume::new(x).map(|(e, _)| e)),
};
