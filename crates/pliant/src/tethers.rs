//! Long-range tethers: every free vertex is tied to the nearest held one and cannot go farther from it
//! than the material between them is long (Kim, Chentanez and Müller 2012, "Long range attachments").
//!
//! A tether is an `edge_strain` with the limits `[0, slack]` on the geodesic distance at rest: it pulls
//! where it is taut and does nothing else. It carries the news of a held vertex through a large mesh at
//! once, for which solvers that go element by element need as many iterations as there are vertices
//! between.

use crate::Error;
use crate::batch::Elements;
use crate::build::Body;
use crate::element::ByProjection;
use crate::elements::EdgeStrain;
use crate::mesh::geodesic::nearest_along_edges;

/// How the vertices of a body are tied to those of it that are held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tethers {
    /// The longest that a tether gets, in parts of the way along the mesh at rest; 1 or more.
    pub slack: f64,
    /// Tethers of each free vertex, to as many of the nearest held ones.
    pub per_vertex: usize,
    /// Force of a tether per stretch beyond its slack \[N\], instead of a hundred times the weight of its
    /// vertex: enough to carry that, and so little that local/global iterations, which feel slack
    /// tethers until they have converged, soon have.
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

/// The tethers of a body whose held vertices are not known yet.
#[derive(Clone, Debug)]
pub(crate) struct BodyTethers {
    pub body: Body,
    pub tethers: Tethers,
    /// Along which tethers are measured, in the body's own numbers.
    pub edges: Vec<[u32; 2]>,
}

/// Force of a tether per stretch and mass of its vertex, unless set [m/s²].
const STIFFNESS: f64 = 981.0;

type Set = Elements<ByProjection<EdgeStrain, 1>, 2, 3>;

impl BodyTethers {
    /// The elements, in the model's numbers, given where its vertices are at rest \[m\], their masses
    /// \[kg\] and which of them are held; none where nothing of this body is.
    pub fn elements(&self, rest: &[[f64; 3]], masses: &[f64], held: &[bool]) -> Option<Set> {
        let own = self.body.vertices();
        let first = own.start as u32;
        let sources: Vec<u32> =
            own.clone().filter(|&v| held[v]).map(|v| v as u32 - first).collect();
        if sources.is_empty() {
            return None;
        }
        let mut set = Elements::projective();
        let count = self.tethers.per_vertex;
        let near = nearest_along_edges(&rest[own.clone()], &self.edges, &sources, count);
        for (v, ways) in near.into_iter().enumerate().filter(|(v, _)| !held[own.start + v]) {
            let stiffness = self.tethers.stiffness.unwrap_or(STIFFNESS * masses[own.start + v]);
            for (source, length) in ways {
                let element = EdgeStrain { length, limits: [0.0, self.tethers.slack] };
                set.push([v as u32 + first, source + first], stiffness * length, element);
            }
        }
        // As hard as iterations allow: a tether stands for much material.
        Some(set.pbd_stiffness(Some(1.0)))
    }
}
