//! Elements of any registered type, in addition to those of a body's material.

use pliant::mesh::HasStencils;
use pliant::prelude::ModelBuilder;
use pliant::{Body, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An element on every edge, triangle, hinge, tetrahedron or vertex of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElementSpec {
    /// Element name, from `pliant list elements`.
    pub name: String,
    /// Weight of an element per length, area or volume of its edge, triangle or tetrahedron at rest; of others, the weight.
    pub stiffness: f64,
}

impl ElementSpec {
    pub(super) fn add(
        &self,
        scene: &mut ModelBuilder,
        body: &Body,
        mesh: &impl HasStencils,
    ) -> Result<(), Error> {
        scene.add_elements(body, mesh, &self.name, self.stiffness)
    }
}
