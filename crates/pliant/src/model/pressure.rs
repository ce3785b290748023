//! Pressure inside closed surfaces: balloons (Position Based Dynamics §4.4).
//!
//! The gas inside has the preferred volume `k` times the volume at rest, `V₀`, and resists every other volume
//! with a bulk stiffness `κ` \[Pa\]:
//!
//! ```text
//! E = κ/(2 V₀) (V − k V₀)²         energy [J]
//! p = κ (k − V/V₀)                 pressure relative to that outside [Pa]
//! ```
//!
//! `k` is the paper's `k_pressure`. With `κ` the pressure of the air this is a gas of `k` times the air that
//! the surface encloses at rest, at constant temperature, to first order about `V = k V₀`. A larger `κ`
//! approximates the paper's constraint `V = k V₀` better.
//!
//! The element is [`EnclosedVolume`](crate::elements::EnclosedVolume). `elements/inflation.rs` has `k` over
//! time, `build/pressure.rs` adds the elements, and `simulation/pressure.rs` measures volume and pressure while
//! running.

use crate::Error;
use crate::elements::inflation::Inflation;
use crate::mesh::TriMesh;
use crate::model::BodyInfo;

/// Gas inside a closed surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressure {
    /// Preferred volume relative to that at rest: the paper's `k_pressure`.
    pub factor: Inflation,
    /// Bulk stiffness: pressure per missing fraction of the rest volume \[Pa\].
    pub bulk_modulus: f64,
}

/// Pressure of the air at sea level \[Pa\].
const ATMOSPHERIC_PRESSURE: f64 = 101_325.0;

impl Pressure {
    /// Air: its bulk stiffness at constant temperature is its pressure, 101,325 Pa.
    pub fn air(factor: impl Into<Inflation>) -> Self {
        Self { factor: factor.into(), bulk_modulus: ATMOSPHERIC_PRESSURE }
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        let invalid =
            |field, value, remedy| Err(Error::Quantity { name: "pressure", field, value, remedy });
        if !self.factor.is_valid() {
            let value = match &self.factor {
                Inflation::Constant(k) => *k,
                Inflation::Path(path) => {
                    let is_bad = |k: &&(f64, f64)| !(k.1 >= 0.0 && k.1.is_finite());
                    path.iter().find(is_bad).or(path.last()).map_or(f64::NAN, |k| k.1)
                }
            };
            let remedy = "factors must be finite and not negative, times finite and increasing";
            return invalid("factor", value, remedy);
        }
        if !(self.bulk_modulus > 0.0 && self.bulk_modulus.is_finite()) {
            return invalid(
                "bulk modulus",
                self.bulk_modulus,
                "it must be positive and finite [Pa]",
            );
        }
        Ok(())
    }
}

/// Returns the surface of a body, in its own vertex numbering.
pub(crate) fn body_surface(info: &BodyInfo, rest: &[[f64; 3]]) -> TriMesh {
    let offset = info.vertices.start as u32;
    let triangles = info.triangles.iter().map(|t| t.map(|v| v - offset)).collect();
    TriMesh { positions: rest[info.vertices.clone()].to_vec(), triangles, ..TriMesh::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    pub(crate) fn a_path_passes_its_factors_and_holds_at_its_ends() {
        let path = Inflation::Path(vec![(1.0, 1.0), (2.0, 3.0)]);
        assert_eq!([0.0, 1.5, 5.0].map(|t| path.at(t)), [1.0, 2.0, 3.0]);
        assert!(path.is_valid());
        assert!(!Inflation::Path(Vec::new()).is_valid());
        assert!(!Inflation::Path(vec![(1.0, 1.0), (1.0, 2.0)]).is_valid());
        assert!(!Inflation::from(-1.0).is_valid() && !Inflation::from(f64::NAN).is_valid());
    }
}
