//! Materials in SI units and their presets. All conversions from moduli to element weights are in this module.
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
//! | solid, Green strain components | tetrahedron Green strain | `2 μ V` (stretch), `μ V` (shear), or as given |
//! | solid, Green strain components, ν > 0 | volume, in addition | `λ V` |
//! | solid, shape matching | clusters around each vertex, and volume where ν > 0 | `E V_v / spread` |
//! | plastic | plastic strain instead of strain | the same |
//! | stiffening | strain with limits, in addition | as for strain, with its own E |
//! | fibres | stretch along a direction, in addition | `E t A`, `E V` with the fibres' own E |
//! | strand | edge strain, bending | `E π r² L`, `E π r⁴/4 · L` |
//! | strand with twist | rod joints instead of bending: bends, twist | `E π r⁴/4 / L`, `G π r⁴/2 / L` |
//!
//! with `μ = E / (2 (1 + ν))` and `λ = E ν / ((1 + ν)(1 − 2 ν))` in solids, `E ν / (1 − ν²)` in
//! sheets (plane stress). For small strains these are linear elasticity with exactly the given E
//! and ν: `μ ‖F − R‖² + λ/2 (det F − 1)²` to second order.
pub(crate) mod damping;
mod extras;
mod fabric;
mod solid;
mod springs;
pub(crate) mod strain_limit;
pub(crate) mod tethers;
mod thread;

pub use crate::elements::Plasticity;
pub use crate::material::extras::{Fibers, Stiffening};
pub use crate::material::fabric::{Bend, Fabric, Stretch, Weave};
pub use crate::material::solid::{ShapeClusters, Solid, Strain, StrainComponents};
pub use crate::material::springs::Springs;
pub use crate::material::thread::{Thread, Twist};

use crate::error::Error;
use crate::material::strain_limit::StrainLimit;

fn check(
    name: &'static str,
    field: &'static str,
    value: f64,
    is_valid: bool,
    remedy: &'static str,
) -> Result<(), Error> {
    if is_valid && value.is_finite() {
        Ok(())
    } else {
        Err(Error::Quantity { name, field, value, remedy })
    }
}

fn check_limits(name: &'static str, [min, max]: [f64; 2]) -> Result<(), Error> {
    let is_valid = min >= 0.0 && min <= max;
    check(name, "limit", min, is_valid, "limits must satisfy 0 ≤ min ≤ max")?;
    check(name, "limit", max, is_valid, "limits must satisfy 0 ≤ min ≤ max")
}

/// Checks that a plastic material has no strain-free range, and that it has strain elements at all (`strained`).
fn check_plasticity(
    name: &'static str,
    plasticity: Option<Plasticity>,
    strained: bool,
    [min, max]: [f64; 2],
) -> Result<(), Error> {
    let Some(plasticity) = plasticity else { return Ok(()) };
    let plain = strained && min == 1.0 && max == 1.0;
    let remedy = "it cannot be combined with limits, component stiffness, a weave or shape \
        matching";
    check(name, "plasticity", plasticity.yield_strain, plain, remedy)?;
    plasticity.validate()
}

/// Checks that the component stiffnesses are not negative, that at least one is positive, and that there is no
/// strain-free range.
fn check_entries(
    name: &'static str,
    stiffness: Option<&[f64]>,
    [min, max]: [f64; 2],
) -> Result<(), Error> {
    for &k in stiffness.unwrap_or_default() {
        check(
            name,
            "stiffness",
            k,
            k >= 0.0,
            "the stiffness of every strain component must be finite and not negative",
        )?;
    }
    let plain = min == 1.0 && max == 1.0;
    let value = if min == 1.0 { max } else { min };
    check(name, "limit", value, plain, "limits are only supported by isotropic strain; remove them")
}

/// Checks a material's strain limit, if it has one; `triangles` is true if the material has areas to limit.
fn check_strain_limit(
    name: &'static str,
    limit: Option<StrainLimit>,
    triangles: bool,
) -> Result<(), Error> {
    limit.map_or(Ok(()), |limit| limit.validate(name, triangles))
}
