//! Tethers (long-range attachments) of a material: one-sided length limits between free and pinned vertices.
//!
//! The elements are built in `build/tethers.rs`.

use crate::Error;

/// Tethers between the free vertices of a body and its pinned ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tethers {
    /// Largest length of a tether, relative to the rest distance along the mesh; 1 or more.
    pub slack: f64,
    /// Number of tethers of each free vertex, to as many of the nearest pinned ones.
    pub per_vertex: usize,
    /// Force of a tether per stretch beyond its slack \[N\]; by default a hundred times the weight of its vertex. That
    /// carries the weight and is still small enough that local/global iterations, in which slack tethers act until
    /// convergence, converge soon.
    pub stiffness: Option<f64>,
}

impl Default for Tethers {
    fn default() -> Self {
        Self { slack: 1.0, per_vertex: 1, stiffness: None }
    }
}

impl Tethers {
    /// Checks every number.
    pub(crate) fn validate(&self, name: &'static str) -> Result<(), Error> {
        let invalid = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        if !(self.slack >= 1.0 && self.slack.is_finite()) {
            return invalid("tether slack", self.slack, "it must be finite and at least 1");
        }
        if self.per_vertex == 0 {
            return invalid(
                "number of tethers per vertex",
                0.0,
                "it must be at least 1; remove the tethers for none",
            );
        }
        match self.stiffness {
            Some(k) if !(k >= 0.0 && k.is_finite()) => {
                invalid("tether stiffness", k, "it must be finite and not negative [N]")
            }
            _ => Ok(()),
        }
    }
}
