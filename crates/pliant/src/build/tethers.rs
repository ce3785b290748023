//! Long-range tethers: every free vertex is tied to the nearest pinned one and cannot move farther from it than the
//! length of the material between them (Kim, Chentanez and Müller 2012, "Long range attachments").
//!
//! A tether is an `edge_strain` with the limits `[0, slack]` on the geodesic distance at rest: it pulls where it is
//! taut and has no effect otherwise. It propagates the motion of a pinned vertex through a large mesh at once. Solvers
//! that process element by element otherwise need as many iterations as there are vertices between.

use crate::batch::Elements;
use crate::build::Body;
use crate::element::ByProjection;
use crate::elements::EdgeStrain;
use crate::material::tethers::Tethers;
use crate::mesh::geodesic::nearest_along_edges;

/// The tethers of a body whose pinned vertices are not yet known.
#[derive(Clone, Debug)]
pub(crate) struct BodyTethers {
    pub body: Body,
    pub tethers: Tethers,
    /// Edges along which tethers are measured, in the body's own vertex indices.
    pub edges: Vec<[u32; 2]>,
}

/// Default force of a tether per stretch and mass of its vertex [m/s²].
const DEFAULT_STIFFNESS_PER_MASS: f64 = 981.0;

type Set = Elements<ByProjection<EdgeStrain, 1>, 2, 3>;

impl BodyTethers {
    /// Returns the elements, in the model's vertex indices, for the rest positions \[m\], the masses \[kg\] and the
    /// pinned flags (`held`) of the model's vertices; none if no vertex of this body is pinned.
    pub fn elements(&self, rest: &[[f64; 3]], masses: &[f64], is_pinned: &[bool]) -> Option<Set> {
        let own = self.body.vertices();
        let first = own.start as u32;
        let sources: Vec<u32> =
            own.clone().filter(|&v| is_pinned[v]).map(|v| v as u32 - first).collect();
        if sources.is_empty() {
            return None;
        }
        let mut set = Elements::projective();
        let count = self.tethers.per_vertex;
        let near = nearest_along_edges(&rest[own.clone()], &self.edges, &sources, count);
        for (v, distances) in
            near.into_iter().enumerate().filter(|(v, _)| !is_pinned[own.start + v])
        {
            let stiffness = self
                .tethers
                .stiffness
                .unwrap_or(DEFAULT_STIFFNESS_PER_MASS * masses[own.start + v]);
            for (source, length) in distances {
                let element = EdgeStrain { length, limits: [0.0, self.tethers.slack] };
                set.push([v as u32 + first, source + first], stiffness * length, element);
            }
        }
        // As stiff as the iterations allow: a tether replaces a long piece of material.
        Some(set.pbd_stiffness(Some(1.0)))
    }
}
