//! Plasticity: edges, triangles and tetrahedra whose rest shape changes permanently.
//!
//! ```text
//! y = F              the deformation gradient relative to the original mesh
//! p = R H            nearest to F over rotations R; H, symmetric, is the present rest shape
//! e = RᵀF − H        the elastic strain
//! ```
//!
//! The rest shape is part of the projection and not of `F`, as for example-based materials (Projective Dynamics eq.
//! 18): the matrix `A` stays constant, and nothing is factored again. After each step, if the elastic strain exceeds
//! the yield strain, the rest shape follows it:
//!
//! ```text
//! H ← H + φ (1 − yield/|e|) e,   φ = c h/(1 + c h)  for a creep rate c
//! ```
//!
//! limited to a maximum permanent strain from the original shape. In tetrahedra only the deviatoric (volume-preserving)
//! strain is plastic (von Mises), and the volume of H is that of the original mesh.

use crate::Error;
use crate::batch::Elements;
use crate::element::{Block, Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::isotropic::NEGLIGIBLE;
use crate::elements::{radial, rotation, symmetric, tet_strain, triangle_strain};
use crate::math::{Mat3, Mat3x2, Real, Scalar, Vec3, polar3, polar3x2};
use crate::mesh::Stencil;

/// Yield strain, creep rate and limit of plastic flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plasticity {
    /// Largest elastic strain without permanent deformation, as the Frobenius norm of `RᵀF − H`.
    pub yield_strain: f64,
    /// Rate at which strain beyond the yield strain becomes permanent [1/s]; at a large rate all of it does.
    pub creep: f64,
    /// Largest permanent strain.
    pub limit: f64,
}

impl Plasticity {
    /// Yields at the given strain; flows within some milliseconds, up to a permanent strain of one.
    pub fn new(yield_strain: f64) -> Self {
        Self { yield_strain, creep: 1000.0, limit: 1.0 }
    }

    /// Checks every number.
    pub fn validate(&self) -> Result<(), Error> {
        let fields =
            [("yield_strain", self.yield_strain), ("creep", self.creep), ("limit", self.limit)];
        for (field, value) in fields {
            if !(value >= 0.0 && value.is_finite()) {
                let (name, remedy) = ("plasticity", "it must be finite and not negative");
                return Err(Error::Quantity { name, field, value, remedy });
            }
        }
        Ok(())
    }

    fn to_array(self) -> [f64; 3] {
        [self.yield_strain, self.creep, self.limit]
    }
}

/// Fraction of an elastic strain of norm `e` that becomes permanent over `h`.
#[inline(always)]
fn plastic_increment<R: Real>(&[yield_strain, creep, _]: &[R; 3], e: R, h: R) -> R {
    let beyond = (e - yield_strain).max(R::zero());
    let rate = creep * h;
    beyond.div_or_zero(e, R::of(R::Scalar::TINY)) * (rate / (R::one() + rate))
}

/// Factor that keeps a permanent strain of norm `e` within its limit.
#[inline(always)]
fn limit_scale<R: Real>(&[.., limit]: &[R; 3], e: R) -> R {
    limit.min(e).div_or_zero(e, R::of(R::Scalar::TINY))
}

/// An edge with plastic stretch.
#[derive(Clone, Copy, Debug)]
pub struct EdgePlastic {
    /// Original length \[m\].
    pub length: f64,
    /// Plastic flow parameters.
    pub plasticity: Plasticity,
}

impl Projective<2, 1, 5> for EdgePlastic {
    const NAME: &'static str = "edge_plastic";
    const COST_NS: usize = 2;
    const PLASTIC_STATE_LEN: usize = 1;

    fn parameters(&self) -> [f64; 5] {
        let [a, b, c] = self.plasticity.to_array();
        [1.0 / self.length, a, b, c, 1.0]
    }

    #[inline(always)]
    fn matrix<R: Real>(&[inv_length, ..]: &[R; 5]) -> [[R; 2]; 1] {
        [[inv_length, -inv_length]]
    }

    #[inline(always)]
    fn project<R: Real>(&[.., rest]: &[R; 5], &[y]: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        [radial::project_to_shell(y, rest, rest)]
    }

    #[inline(always)]
    fn signed_distance<R: Real>(&[.., rest]: &[R; 5], &[y]: &[Vec3<R>; 1]) -> (R, [Vec3<R>; 1]) {
        let (c, n) = radial::shell_distance(y, rest, rest);
        (c, [n])
    }

    #[inline(always)]
    fn update_plasticity<R: Real>(rest: &mut [R; 5], &[y]: &[Vec3<R>; 1], h: R) {
        let [_, a, b, c, now] = *rest;
        let strain = radial::length_and_direction(y).0 - now;
        let permanent = now + strain * plastic_increment(&[a, b, c], strain.abs(), h) - R::one();
        // At least half the length is kept whatever the limit: a rest length of zero has no direction.
        rest[4] = (R::one() + permanent * limit_scale(&[a, b, c], permanent.abs())).max(R::of(0.5));
    }

    #[inline(always)]
    fn block<R: Real>(&[.., rest]: &[R; 5], &[y]: &[Vec3<R>; 1], &[a]: &[R; 1]) -> Block<R> {
        radial::block(y, rest, rest, a)
    }

    fn curvature(&[.., rest]: &[f64; 5], y: &[Vec3<f64>; 1], definite: bool, out: &mut Curvature) {
        radial::curvature(y[0], rest, rest, definite, out);
    }
}

/// A triangle with plastic stretch and shear.
#[derive(Clone, Copy, Debug)]
pub struct TrianglePlastic {
    /// Inverse of the matrix of the original flat edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 2]; 2],
    /// Plastic flow parameters.
    pub plasticity: Plasticity,
}

impl TrianglePlastic {
    /// Makes the element of an original shape; returns also its area \[m²\].
    pub fn new(made: [[f64; 3]; 3], plasticity: Plasticity) -> Result<(Self, f64), Error> {
        let (inverse, area) = triangle_strain::inverse_edges(made)?;
        Ok((Self { inverse, plasticity }, area))
    }
}

/// `F H` for a symmetric 2×2 matrix: xx, yy, xy.
#[inline(always)]
fn times<R: Real>(f: &Mat3x2<R>, &[xx, yy, xy]: &[R; 3]) -> Mat3x2<R> {
    let [a, b] = f.cols;
    Mat3x2 { cols: [a.scale(xx) + b.scale(xy), a.scale(xy) + b.scale(yy)] }
}

impl Projective<3, 2, 10> for TrianglePlastic {
    const NAME: &'static str = "triangle_plastic";
    const COST_NS: usize = 8;
    const PLASTIC_STATE_LEN: usize = 3;

    fn parameters(&self) -> [f64; 10] {
        let [a, b] = self.inverse;
        let [p, q, r] = self.plasticity.to_array();
        [a[0], a[1], b[0], b[1], p, q, r, 1.0, 1.0, 0.0]
    }

    #[inline(always)]
    fn matrix<R: Real>(&[a, b, c, d, ..]: &[R; 10]) -> [[R; 3]; 2] {
        triangle_strain::gradient_matrix(&[a, b, c, d])
    }

    #[inline(always)]
    fn project<R: Real>(&[.., xx, yy, xy]: &[R; 10], y: &[Vec3<R>; 2]) -> [Vec3<R>; 2] {
        let shape = [xx, yy, xy];
        let rotation = polar3x2(&times(&Mat3x2 { cols: *y }, &shape));
        times(&rotation, &shape).cols
    }

    fn curvature(rest: &[f64; 10], y: &[Vec3<f64>; 2], definite: bool, out: &mut Curvature) {
        let shape = [rest[7], rest[8], rest[9]];
        let mut b = [0.0; 18];
        let modes = rotation::modes3x2(&times(&Mat3x2 { cols: *y }, &shape), NEGLIGIBLE);
        for (row, (value, cols)) in b.chunks_exact_mut(6).zip(modes) {
            rotation::flatten(&times(&Mat3x2 { cols }, &shape).cols, value.sqrt(), row);
        }
        rotation::write_identity_minus::<2>(&mut b, definite, out);
    }

    #[inline(always)]
    fn update_plasticity<R: Real>(rest: &mut [R; 10], y: &[Vec3<R>; 2], h: R) {
        let [_, _, _, _, p, q, r, xx, yy, xy] = *rest;
        let (numbers, shape) = ([p, q, r], [xx, yy, xy]);
        let f = Mat3x2 { cols: *y };
        let [a, b] = polar3x2(&times(&f, &shape)).cols;
        let [c, d] = f.cols;
        let strain = [a.dot(c) - xx, b.dot(d) - yy, (a.dot(d) + b.dot(c)) * R::of(0.5) - xy];
        let part = plastic_increment(&numbers, norm2(&strain), h);
        let mut permanent = [xx - R::one(), yy - R::one(), xy];
        for i in 0..3 {
            permanent[i] += strain[i] * part;
        }
        let keep = limit_scale(&numbers, norm2(&permanent));
        rest[7] = R::one() + permanent[0] * keep;
        rest[8] = R::one() + permanent[1] * keep;
        rest[9] = permanent[2] * keep;
    }
}

/// The Frobenius norm of a symmetric 2×2 matrix.
#[inline(always)]
fn norm2<R: Real>(&[xx, yy, xy]: &[R; 3]) -> R {
    (xx * xx + yy * yy + (xy * xy + xy * xy)).sqrt()
}

/// A tetrahedron with plastic deformation.
#[derive(Clone, Copy, Debug)]
pub struct TetPlastic {
    /// Inverse of the matrix of the original edges from vertex 0 [1/m], by columns.
    pub inverse: [[f64; 3]; 3],
    /// Plastic flow parameters.
    pub plasticity: Plasticity,
}

impl TetPlastic {
    /// Makes the element of an original shape; returns also its volume \[m³\].
    pub fn new(made: [[f64; 3]; 4], plasticity: Plasticity) -> Result<(Self, f64), Error> {
        let (inverse, volume) = tet_strain::inverse_edges(made)?;
        Ok((Self { inverse, plasticity }, volume))
    }
}

#[inline(always)]
fn tet_shape<R: Real>(rest: &[R; 18]) -> [R; 6] {
    [rest[12], rest[13], rest[14], rest[15], rest[16], rest[17]]
}

impl Projective<4, 3, 18> for TetPlastic {
    const NAME: &'static str = "tet_plastic";
    const COST_NS: usize = 25;
    const PLASTIC_STATE_LEN: usize = 6;

    fn parameters(&self) -> [f64; 18] {
        let mut to = [0.0; 18];
        for (i, column) in self.inverse.iter().enumerate() {
            to[3 * i..3 * i + 3].copy_from_slice(column);
        }
        to[9..12].copy_from_slice(&self.plasticity.to_array());
        to[12..18].copy_from_slice(&symmetric::identity());
        to
    }

    #[inline(always)]
    fn matrix<R: Real>(rest: &[R; 18]) -> [[R; 4]; 3] {
        let r = rest;
        tet_strain::gradient_matrix(&[r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]])
    }

    #[inline(always)]
    fn project<R: Real>(rest: &[R; 18], y: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let shape = symmetric::matrix(&tet_shape(rest));
        polar3(&Mat3 { cols: *y }.mul(&shape)).mul(&shape).cols
    }

    fn curvature(rest: &[f64; 18], y: &[Vec3<f64>; 3], definite: bool, out: &mut Curvature) {
        let shape = symmetric::matrix(&tet_shape(rest));
        let mut b = [0.0; 27];
        let modes = rotation::modes(&Mat3 { cols: *y }.mul(&shape), NEGLIGIBLE);
        for (row, (value, cols)) in b.chunks_exact_mut(9).zip(modes) {
            rotation::flatten(&Mat3 { cols }.mul(&shape).cols, value.sqrt(), row);
        }
        rotation::write_identity_minus::<3>(&mut b, definite, out);
    }

    #[inline(always)]
    fn update_plasticity<R: Real>(rest: &mut [R; 18], y: &[Vec3<R>; 3], h: R) {
        let numbers = [rest[9], rest[10], rest[11]];
        let shape = tet_shape(rest);
        let f = Mat3 { cols: *y };
        let rotation = polar3(&f.mul(&symmetric::matrix(&shape)));
        let strain = symmetric::minus(&symmetric::of_product(&rotation, &f), &shape);
        let mean = (strain[0] + strain[1] + strain[2]) * R::of(1.0 / 3.0);
        let strain = symmetric::plus_scaled(&strain, -mean, &symmetric::identity());
        let part = plastic_increment(&numbers, symmetric::dot(&strain, &strain).sqrt(), h);
        let shape = symmetric::plus_scaled(&shape, part, &strain);
        let permanent = symmetric::minus(&shape, &symmetric::identity());
        let keep = limit_scale(&numbers, symmetric::dot(&permanent, &permanent).sqrt());
        let shape = symmetric::plus_scaled(&symmetric::identity(), keep, &permanent);
        // Restore the original volume, by 1/∛det with Newton's method.
        let det = symmetric::matrix(&shape).det().clamp(R::of(0.1), R::of(3.0));
        let mut root = R::one();
        for _ in 0..8 {
            root = root * (R::of(4.0) - det * (root * root * root)) * R::of(1.0 / 3.0);
        }
        for i in 0..6 {
            rest[12 + i] = shape[i] * root;
        }
    }
}

/// Registration.
pub(crate) const EDGE_INFO: ElementInfo = ElementInfo {
    name: "edge_plastic",
    summary: "stretch of an edge, elastoplastic",
    points: 2,
    stencil: Stencil::Edge,
    sample: sample!(Elements::projective(), 2, |x: [[f64; 3]; 2]| {
        radial::rest_length(x)
            .map(|length| EdgePlastic { length, plasticity: Plasticity::new(0.1) })
    }),
};

/// Registration.
pub(crate) const TRIANGLE_INFO: ElementInfo = ElementInfo {
    name: "triangle_plastic",
    summary: "stretch and shear of a triangle, elastoplastic",
    points: 3,
    stencil: Stencil::Triangle,
    sample: sample!(Elements::projective(), 3, |x| {
        TrianglePlastic::new(x, Plasticity::new(0.1)).map(|(e, _)| e)
    }),
};

/// Registration.
pub(crate) const TET_INFO: ElementInfo = ElementInfo {
    name: "tet_plastic",
    summary: "deformation of a tetrahedron, elastoplastic",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(Elements::projective(), 4, |x| {
        TetPlastic::new(x, Plasticity::new(0.1)).map(|(e, _)| e)
    }),
};
