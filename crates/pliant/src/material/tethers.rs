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
        let refuse = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        if !(self.slack >= 1.0 && self.slack.is_finite()) {
            return refuse("tethers' slack", self.slack, "give a finite length of 1 or more");
        }
        if self.per_vertex == 0 {
            return refuse("tethers per vertex", 0.0, "give at least one, or leave tethers out");
        }
        match self.stiffness {
            Some(k) if !(k >= 0.0 && k.is_finite()) => {
                refuse("tethers' stiffness", k, "give a finite force of zero or more [N]")
            }
            _ => Ok(()),
        }
    }
}
