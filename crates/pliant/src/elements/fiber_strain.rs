//! Stretch along one direction of a triangle or tetrahedron: anisotropic strain with a reference
//! frame, which Projective Dynamics §5.1 leaves as an extension.
//!
//! ```text
//! y = F a     image of the unit vector a along the fibre; its length is the fibre's stretch
//! p           y with its length clamped to [min, max]
//! ```
//!
//! It complements the strain of the whole element and adds stiffness, or limits, along the fibre alone. Its weight is
//! the fibre's modulus times the rest area or volume.

use crate::Error;
use crate::batch::Elements;
use crate::element::{Block, Curvature, Projective};
use crate::elements::ElementInfo;
use crate::elements::radial;
use crate::elements::{tet_strain, triangle_strain};
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;

/// Fibres along one direction of a triangle (`N` = 3) or tetrahedron (`N` = 4).
#[derive(Clone, Copy, Debug)]
pub struct FiberStrain<const N: usize> {
    /// Coefficient of each vertex in `F a` [1/m].
    pub coefficients: [f64; N],
    /// Smallest and largest stretch that cost no energy; `[1, 1]` for plain elasticity.
    pub limits: [f64; 2],
}

impl FiberStrain<4> {
    /// Makes fibres of a tetrahedron along a direction in world space at rest; returns also its volume \[m³\].
    pub fn in_tet(
        rest: [[f64; 3]; 4],
        direction: [f64; 3],
        limits: [f64; 2],
    ) -> Result<(Self, f64), Error> {
        let (inverse, volume) = tet_strain::inverse_edges(rest)?;
        let a = tet_strain::gradient_matrix(&std::array::from_fn(|q| inverse[q / 3][q % 3]));
        let unit = unit(direction)?;
        let coefficients =
            std::array::from_fn(|k| a[0][k] * unit.x + a[1][k] * unit.y + a[2][k] * unit.z);
        Ok((Self { coefficients, limits }, volume))
    }
}

impl FiberStrain<3> {
    /// Makes fibres of a triangle along a direction in world space at rest, projected into its plane; returns also its
    /// area \[m²\].
    pub fn in_triangle(
        rest: [[f64; 3]; 3],
        direction: [f64; 3],
        limits: [f64; 2],
    ) -> Result<(Self, f64), Error> {
        let (inverse, area) = triangle_strain::inverse_edges(rest)?;
        let a = triangle_strain::gradient_matrix(&std::array::from_fn(|q| inverse[q / 2][q % 2]));
        // The triangle's in-plane axes in world space: the first along the first edge.
        let [p, q, r] = rest.map(Vec3::<f64>::of);
        let (e, normal) = (q - p, (q - p).cross(r - p));
        let first = e.scale(1.0 / e.norm());
        let second = normal.cross(e);
        let second = second.scale(1.0 / second.norm());
        let unit = unit(direction)?;
        let flat = [unit.dot(first), unit.dot(second)];
        let length = (flat[0] * flat[0] + flat[1] * flat[1]).sqrt();
        if !(length > 1e-6) {
            return Err(bad_direction(length, "the direction must not be normal to the triangle"));
        }
        let coefficients =
            std::array::from_fn(|k| (a[0][k] * flat[0] + a[1][k] * flat[1]) / length);
        Ok((Self { coefficients, limits }, area))
    }
}

fn unit(direction: [f64; 3]) -> Result<Vec3<f64>, Error> {
    let d = Vec3::<f64>::of(direction);
    let length = d.norm();
    if !(length > 0.0 && length.is_finite()) {
        return Err(bad_direction(length, "it must be positive and finite"));
    }
    Ok(d.scale(1.0 / length))
}

fn bad_direction(value: f64, remedy: &'static str) -> Error {
    Error::Quantity { name: "fiber_strain", field: "length of the direction", value, remedy }
}

macro_rules! fibers {
    ($($n:literal $k:literal),*) => {$(
        impl Projective<$n, 1, $k> for FiberStrain<$n> {
            const NAME: &'static str = "fiber_strain";
            const COST_NS: usize = 4;

            fn parameters(&self) -> [f64; $k] {
                std::array::from_fn(|q| match q.checked_sub($n) {
                    None => self.coefficients[q],
                    Some(end) => self.limits[end],
                })
            }

            #[inline(always)]
            fn matrix<R: Real>(rest: &[R; $k]) -> [[R; $n]; 1] {
                let mut a = [R::zero(); $n];
                a.copy_from_slice(&rest[..$n]);
                [a]
            }

            #[inline(always)]
            fn project<R: Real>(&[.., min, max]: &[R; $k], &[y]: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
                [radial::project_to_shell(y, min, max)]
            }

            #[inline(always)]
            fn signed_distance<R: Real>(&[.., min, max]: &[R; $k], &[y]: &[Vec3<R>; 1]) -> (R, [Vec3<R>; 1]) {
                let (c, n) = radial::shell_distance(y, min, max);
                (c, [n])
            }

            #[inline(always)]
            fn block<R: Real>(
                &[.., min, max]: &[R; $k],
                &[y]: &[Vec3<R>; 1],
                &[a]: &[R; 1],
            ) -> Block<R> {
                radial::block(y, min, max, a)
            }

            fn curvature(
                &[.., min, max]: &[f64; $k],
                y: &[Vec3<f64>; 1],
                definite: bool,
                out: &mut Curvature,
            ) {
                radial::curvature(y[0], min, max, definite, out);
            }
        }
    )*};
}

fibers!(3 5, 4 6);

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "fiber_strain",
    summary: "stretch along one direction of a triangle or tetrahedron, with a strain-free \
        range",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(Elements::projective(), 4, |x| {
        FiberStrain::in_tet(x, [0.6, 0.0, 0.8], [0.9, 1.1]).map(|(e, _)| e)
    }),
};
