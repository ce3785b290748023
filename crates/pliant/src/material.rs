//! Materials in SI units, their presets, and the only place where a modulus becomes a weight.
//!
//! | body | elements | weight |
//! |---|---|---|
//! | cloth, membrane | triangle strain, and triangle area where ν > 0 | `2 μ t A`, `λ t A` |
//! | cloth, as a net | edge strain | `E t A_e`, with A_e the area of the triangles at the edge |
//! | cloth, woven | triangle Green strain | warp, weft and shear stiffness × A |
//! | cloth, bending | Laplace–Beltrami | `B A_v` |
//! | cloth, bending | dihedral | `B |e|² / (A₁ + A₂)` |
//! | solid | tetrahedron strain, and volume where ν > 0 | `2 μ V`, `λ V` |
//! | solid, corotational | tetrahedron strain, and trace where ν > 0 | `2 μ V`, `3 λ V` |
//! | solid, neo-Hookean | neo-Hookean tetrahedron | `μ V` |
//! | solid, by entries of Green's strain | tetrahedron Green strain, and volume where ν > 0 | `2 μ V` (stretch), `μ V` (shear), or as given; `λ V` |
//! | solid, of shapes | shape matching around each vertex, and volume where ν > 0 | `E V_v / spread` |
//! | plastic | plastic strain instead of strain | the same |
//! | stiffening | strain with limits, beside the other | as for strain, with its own E |
//! | fibres | stretch along a direction, beside the others | `E t A`, `E V` with the fibres' own E |
//! | strand | edge strain, bending | `E π r² L`, `E π r⁴/4 · L` |
//! | strand that twists | rod's joints instead of bending: bends, twist | `E π r⁴/4 / L`, `G π r⁴/2 / L` |
//!
//! with `μ = E / (2 (1 + ν))` and `λ = E ν / ((1 + ν)(1 − 2 ν))` in solids, `E ν / (1 − ν²)` in
//! sheets (plane stress). For small strains these are linear elasticity with exactly the given E
//! and ν: `μ ‖F − R‖² + λ/2 (det F − 1)²` to second order.
mod extras;
mod fabric;
mod solid;
mod springs;
mod thread;

pub use crate::elements::Plasticity;
pub use extras::{Fibers, Stiffening};
pub use fabric::{Bend, Fabric, Stretch, Weave};
pub use solid::{ShapeClusters, Solid, Strain, StrainEntries};
pub use springs::Springs;
pub use thread::{Thread, Twist};

use crate::error::Error;
use crate::strain_limit::StrainLimit;

fn check(
    name: &'static str,
    field: &'static str,
    value: f64,
    sane: bool,
    remedy: &'static str,
) -> Result<(), Error> {
    if sane && value.is_finite() {
        Ok(())
    } else {
        Err(Error::Quantity { name, field, value, remedy })
    }
}

fn check_limits(name: &'static str, [min, max]: [f64; 2]) -> Result<(), Error> {
    let sane = min >= 0.0 && min <= max;
    check(name, "limits", min, sane, "give limits with 0 ≤ min ≤ max")?;
    check(name, "limits", max, sane, "give limits with 0 ≤ min ≤ max")
}

/// Plastic strain has no limits that cost nothing, and `strained` says whether there is any strain to
/// be plastic.
fn check_plasticity(
    name: &'static str,
    plasticity: Option<Plasticity>,
    strained: bool,
    [min, max]: [f64; 2],
) -> Result<(), Error> {
    let Some(plasticity) = plasticity else { return Ok(()) };
    let plain = strained && min == 1.0 && max == 1.0;
    let remedy = "leave out the limits, and stiffness by entries, by weave or by shapes";
    check(name, "plasticity", plasticity.yield_strain, plain, remedy)?;
    plasticity.validate()
}

/// Stiffness by entries is zero or more, somewhere positive, and has no limits.
fn check_entries(
    name: &'static str,
    stiffness: Option<&[f64]>,
    [min, max]: [f64; 2],
) -> Result<(), Error> {
    for &k in stiffness.unwrap_or_default() {
        check(name, "stiffness", k, k >= 0.0, "give a stiffness of zero or more for each entry")?;
    }
    let plain = min == 1.0 && max == 1.0;
    let value = if min == 1.0 { max } else { min };
    check(name, "limits", value, plain, "leave the limits out, or resist strain as a whole")
}

/// Where a material has a limit, its numbers make sense, and `triangles` says whether areas do.
fn check_strain_limit(
    name: &'static str,
    limit: Option<StrainLimit>,
    triangles: bool,
) -> Result<(), Error> {
    limit.map_or(Ok(()), |limit| limit.validate(name, triangles))
}
