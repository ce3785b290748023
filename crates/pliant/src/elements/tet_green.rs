//! Stretch and shear of a tetrahedron along its material axes, Strain Based Dynamics eqs. (9)–(15): six components of
//! Green's strain, each with its own stiffness.
//!
//! ```text
//! constraints 0, 1, 2   stretch along x, y, z
//! constraints 3, 4, 5   shear xy, xz, yz
//! ```
//!
//! They do not distinguish a tetrahedron from its mirror image: the volume term does (`tet_volume.rs`). Its weight is a
//! modulus times the rest volume, split among the components by the shares.

use crate::Error;
use crate::batch::Elements;
use crate::element::{ConstraintGroup, RelaxationParams};
use crate::elements::ElementInfo;
use crate::elements::green::{self, GreenMeasure};
use crate::elements::tet_strain::{gradient_matrix, inverse_edges};
use crate::math::{Real, Vec3};
use crate::mesh::Stencil;

/// A tetrahedron that resists stretch along three axes and the shear between them, each with its own stiffness.
#[derive(Clone, Copy, Debug)]
pub struct TetGreen {
    /// Inverse of the matrix of rest edges from vertex 0 in material coordinates [1/m], by columns.
    pub inverse: [[f64; 3]; 3],
    /// Rest stretch along each axis, 1 for none.
    pub stretches: [f64; 3],
    /// Relative stiffness of xx, yy, zz, xy, xz, yz.
    pub shares: [f64; 6],
    /// The functions that measure strain.
    pub measure: GreenMeasure,
}

impl TetGreen {
    /// Makes the element of a rest shape; returns also its volume \[m³\]. `frame` holds the material axes as
    /// orthonormal vectors (§3.6); the world axes are `[[1, 0, 0], [0, 1, 0], [0, 0, 1]]`.
    pub fn new(
        rest: [[f64; 3]; 4],
        frame: [[f64; 3]; 3],
        stretches: [f64; 3],
        shares: [f64; 6],
        measure: GreenMeasure,
    ) -> Result<(Self, f64), Error> {
        let name = <Self as ConstraintGroup<4, 6, 20>>::NAME;
        green::validate(name, &stretches, &shares)?;
        check_frame(name, frame)?;
        let along =
            |x: [f64; 3]| frame.map(|axis| axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]);
        let (inverse, volume) = inverse_edges(rest.map(along))?;
        Ok((Self { inverse, stretches, shares, measure }, volume))
    }
}

/// Rejects axes that are not orthonormal.
fn check_frame(name: &'static str, frame: [[f64; 3]; 3]) -> Result<(), Error> {
    let remedy = "the axes must be three orthogonal unit vectors";
    for i in 0..3 {
        for j in 0..3 {
            let dot: f64 = (0..3).map(|c| frame[i][c] * frame[j][c]).sum();
            let off = dot - if i == j { 1.0 } else { 0.0 };
            if !(off.abs() < 1e-6) {
                return Err(Error::Quantity {
                    name,
                    field: "dot product of frame axes",
                    value: dot,
                    remedy,
                });
            }
        }
    }
    Ok(())
}

impl ConstraintGroup<4, 6, 20> for TetGreen {
    const NAME: &'static str = "tet_green";
    const COST_NS: usize = 28;
    const GRADIENT_CAN_VANISH: bool = true;
    const GRADIENT_ROTATES: bool = true;
    // Its projection is linearised, not the nearest point.
    const BOUNDED: bool = false;

    fn parameters(&self) -> [f64; 20] {
        let mut to = [0.0; 20];
        for (i, column) in self.inverse.iter().enumerate() {
            to[3 * i..3 * i + 3].copy_from_slice(column);
        }
        to[9..12].copy_from_slice(&self.stretches);
        to[12..14].copy_from_slice(&self.measure.flags());
        to[14..20].copy_from_slice(&self.shares);
        to
    }

    #[inline(always)]
    fn evaluate<R: Real>(which: usize, rest: &[R; 20], x: &[Vec3<R>; 4]) -> (R, [Vec3<R>; 4]) {
        let r = rest;
        let a = gradient_matrix(&[r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]]);
        match which {
            0 => green::stretch(&a[0], r[9], r[12], x),
            1 => green::stretch(&a[1], r[10], r[12], x),
            2 => green::stretch(&a[2], r[11], r[12], x),
            3 => green::shear(&a[0], &a[1], r[13], x),
            4 => green::shear(&a[0], &a[2], r[13], x),
            _ => green::shear(&a[1], &a[2], r[13], x),
        }
    }

    fn share(which: usize, rest: &[f64; 20]) -> f64 {
        rest[14 + which]
    }

    #[inline(always)]
    fn relax<R: Real>(
        rest: &[R; 20],
        own: &impl RelaxationParams<R, 4>,
        inv_mass: &[R; 4],
        x: &mut [Vec3<R>; 4],
    ) {
        let r = rest;
        let a = gradient_matrix(&[r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]]);
        let mut images = green::Images::new(&a, [r[12], r[13]], inv_mass, x);
        images.relax_stretch(0, 0, r[9], own, inv_mass);
        images.relax_stretch(1, 1, r[10], own, inv_mass);
        images.relax_stretch(2, 2, r[11], own, inv_mass);
        images.relax_shear(3, [0, 1], own, inv_mass);
        images.relax_shear(4, [0, 2], own, inv_mass);
        images.relax_shear(5, [1, 2], own, inv_mass);
        images.apply(x);
    }
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "tet_green",
    summary: "Green's strain of a tetrahedron: three stretches and three shears with a \
        stiffness each",
    points: 4,
    stencil: Stencil::Tet,
    sample: sample!(Elements::constraint(), 4, |x| {
        const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let shares = [1.0, 0.8, 0.6, 0.5, 0.4, 0.3];
        TetGreen::new(x, AXES, [1.0; 3], shares, GreenMeasure::default()).map(|(e, _)| e)
    }),
};
