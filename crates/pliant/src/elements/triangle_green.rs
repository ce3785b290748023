//! Stretch and shear of a triangle along its material axes, Strain Based Dynamics eqs. (9)–(15): each with its own
//! stiffness, independent of the directions of the edges.
//!
//! ```text
//! constraint 0   stretch along the first axis (warp)
//! constraint 1   stretch along the second axis (weft)
//! constraint 2   shear between them
//! ```
//!
//! Its weight is a membrane stiffness [N/m] times the rest area, split among the components by the shares.

use crate::Error;
use crate::batch::Elements;
use crate::element::{ConstraintGroup, RelaxationParams};
use crate::elements::ElementInfo;
use crate::elements::green::{self, GreenMeasure};
use crate::elements::triangle_strain::gradient_matrix;
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;

/// A triangle that resists stretch along two axes, and shear, each with its own stiffness.
#[derive(Clone, Copy, Debug)]
pub struct TriangleGreen {
    /// Inverse of the matrix of rest edges from vertex 0 in material coordinates [1/m], by columns.
    pub inverse: [[f64; 2]; 2],
    /// Rest stretch along each axis, 1 for none.
    pub stretches: [f64; 2],
    /// Relative stiffness of stretch along both axes and of shear.
    pub shares: [f64; 3],
    /// The functions that measure strain.
    pub measure: GreenMeasure,
}

impl TriangleGreen {
    /// Makes the element of a rest shape; returns also its area \[m²\]. `warp` is the direction \[m, any length\] of
    /// the first material axis; the first edge is used if there is none or if it is normal to the triangle.
    pub fn new(
        rest: [[f64; 3]; 3],
        warp: Option<[f64; 3]>,
        stretches: [f64; 2],
        shares: [f64; 3],
        measure: GreenMeasure,
    ) -> Result<(Self, f64), Error> {
        green::validate(<Self as ConstraintGroup<3, 3, 11>>::NAME, &stretches, &shares)?;
        let x = rest.map(Vec3::<f64>::of);
        let (e, f) = (x[1] - x[0], x[2] - x[0]);
        let normal = e.cross(f);
        let double_area = normal.norm();
        if !(double_area > 1e-12 * (e.norm_squared() + f.norm_squared()) && double_area.is_finite())
        {
            return Err(Error::DegenerateRest { name: "triangle", measure: 0.5 * double_area });
        }
        let normal = normal.scale(1.0 / double_area);
        let flat = |d: Vec3<f64>| d - normal.scale(normal.dot(d));
        let first = match warp.map(Vec3::<f64>::of) {
            Some(w) if flat(w).norm() > 1e-9 * w.norm() => flat(w),
            _ => e,
        };
        let first = first.scale(1.0 / first.norm());
        let second = normal.cross(first);
        // Material coordinates of the edges, eq. (38), and the inverse of that matrix.
        let (a, b) = ([first.dot(e), second.dot(e)], [first.dot(f), second.dot(f)]);
        let det = a[0] * b[1] - a[1] * b[0];
        let inverse = [[b[1] / det, -a[1] / det], [-b[0] / det, a[0] / det]];
        Ok((Self { inverse, stretches, shares, measure }, 0.5 * double_area))
    }
}

/// Returns the direction \[m per unit of u\] in which `u` grows on a triangle, Strain Based Dynamics eq. (37); none
/// where the texture map is degenerate.
pub fn warp_direction(x: [[f64; 3]; 3], uv: [[f64; 2]; 3]) -> Option<[f64; 3]> {
    let (e, f) = ([0, 1, 2].map(|c| x[1][c] - x[0][c]), [0, 1, 2].map(|c| x[2][c] - x[0][c]));
    let (a, b) = ([0, 1].map(|c| uv[1][c] - uv[0][c]), [0, 1].map(|c| uv[2][c] - uv[0][c]));
    let det = a[0] * b[1] - a[1] * b[0];
    let size = a[0].abs().max(a[1].abs()).max(b[0].abs()).max(b[1].abs());
    let direction = [0, 1, 2].map(|c| (e[c] * b[1] - f[c] * a[1]) / det);
    (det.abs() > 1e-12 * size * size && direction.iter().all(|d| d.is_finite()))
        .then_some(direction)
}

impl ConstraintGroup<3, 3, 11> for TriangleGreen {
    const NAME: &'static str = "triangle_green";
    const COST_NS: usize = 10;
    const GRADIENT_CAN_VANISH: bool = true;
    const GRADIENT_ROTATES: bool = true;
    // Its projection is linearised, not the nearest point.
    const BOUNDED: bool = false;

    fn parameters(&self) -> [f64; 11] {
        let [a, b] = self.inverse;
        let ([s, t], [p, q]) = (self.stretches, self.measure.flags());
        let [k, l, m] = self.shares;
        [a[0], a[1], b[0], b[1], s, t, p, q, k, l, m]
    }

    #[inline(always)]
    fn evaluate<R: Real>(which: usize, rest: &[R; 11], x: &[Vec3<R>; 3]) -> (R, [Vec3<R>; 3]) {
        let a = gradient_matrix(&[rest[0], rest[1], rest[2], rest[3]]);
        match which {
            0 => green::stretch(&a[0], rest[4], rest[6], x),
            1 => green::stretch(&a[1], rest[5], rest[6], x),
            _ => green::shear(&a[0], &a[1], rest[7], x),
        }
    }

    fn share(which: usize, rest: &[f64; 11]) -> f64 {
        rest[8 + which]
    }

    #[inline(always)]
    fn relax<R: Real>(
        rest: &[R; 11],
        own: &impl RelaxationParams<R, 3>,
        inv_mass: &[R; 3],
        x: &mut [Vec3<R>; 3],
    ) {
        let a = gradient_matrix(&[rest[0], rest[1], rest[2], rest[3]]);
        let mut images = green::Images::new(&a, [rest[6], rest[7]], inv_mass, x);
        images.relax_stretch(0, 0, rest[4], own, inv_mass);
        images.relax_stretch(1, 1, rest[5], own, inv_mass);
        images.relax_shear(2, [0, 1], own, inv_mass);
        images.apply(x);
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "triangle_green",
    summary: "Green's strain of a triangle: warp, weft and shear with a stiffness each",
    points: 3,
    stencil: Stencil::Triangle,
    sample: sample!(Elements::constraint(), 3, |x| {
        TriangleGreen::new(x, None, [1.0; 2], [1.0, 0.5, 0.25], GreenMeasure::default())
            .map(|(e, _)| e)
    }),
};
