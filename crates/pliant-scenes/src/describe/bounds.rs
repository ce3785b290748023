//! Bounds on areas and volumes, in addition to the material's other resistance (Projective Dynamics §5.2).

use pliant::mesh::{TetMesh, TriMesh};
use pliant::prelude::ModelBuilder;
use pliant::{Body, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bounds on areas or volumes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoundsSpec {
    /// Minimum and maximum area or volume without elastic energy, relative to the rest shape.
    pub range: [f64; 2],
    /// Stiffness beyond the bounds: \[N/m\] of a cloth, \[Pa\] of a solid.
    pub stiffness: f64,
}

impl BoundsSpec {
    /// Rejects an invalid stiffness.
    fn checked(self) -> Result<Self, Error> {
        if self.stiffness > 0.0 && self.stiffness.is_finite() {
            return Ok(self);
        }
        let problem =
            format!("the stiffness of the bounds is {}; it must be positive", self.stiffness);
        Err(Error::Scene { problem })
    }

    /// Adds area bounds for every triangle of a body.
    pub(super) fn areas(
        self,
        scene: &mut ModelBuilder,
        body: &Body,
        mesh: &TriMesh,
    ) -> Result<(), Error> {
        let Self { range, stiffness } = self.checked()?;
        scene.bound_areas(body, mesh, range, stiffness)
    }

    /// Adds volume bounds for every tetrahedron of a body.
    pub(super) fn volumes(
        self,
        scene: &mut ModelBuilder,
        body: &Body,
        mesh: &TetMesh,
    ) -> Result<(), Error> {
        let Self { range, stiffness } = self.checked()?;
        scene.bound_volumes(body, mesh, range, stiffness)
    }
}
