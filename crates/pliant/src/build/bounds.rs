//! Bounds on the areas and volumes of a body's elements (Projective Dynamics §5.2).

use crate::Error;
use crate::batch::Elements;
use crate::build::{Body, ModelBuilder};
use crate::elements::{TetVolumeBounds, TriangleAreaBounds};
use crate::mesh::{TetMesh, TriMesh};

impl ModelBuilder {
    /// Keeps the area of every triangle of a body within `range`, relative to its rest area, with a stiffness [N/m]
    /// beyond it. `mesh` is the mesh that the body was made from.
    pub fn bound_areas(
        &mut self,
        body: &Body,
        mesh: &TriMesh,
        range: [f64; 2],
        stiffness: f64,
    ) -> Result<(), Error> {
        let mut set = Elements::projective();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let (element, area) = TriangleAreaBounds::new(mesh.triangle_points(t), range)?;
            set.push(triangle.map(|v| in_model(body, v)), stiffness * area, element);
        }
        self.elements(set);
        Ok(())
    }

    /// Keeps the volume of every tetrahedron of a body within `range`, relative to its rest volume, with a stiffness
    /// \[Pa\] beyond it. `mesh` is the mesh that the body was made from.
    pub fn bound_volumes(
        &mut self,
        body: &Body,
        mesh: &TetMesh,
        range: [f64; 2],
        stiffness: f64,
    ) -> Result<(), Error> {
        let mut set = Elements::projective();
        for (t, tet) in mesh.tets.iter().enumerate() {
            let (element, volume) = TetVolumeBounds::new(mesh.tet_points(t), range)?;
            set.push(tet.map(|v| in_model(body, v)), stiffness * volume, element);
        }
        self.elements(set);
        Ok(())
    }
}

/// The model's index of a body's vertex.
fn in_model(body: &Body, vertex: u32) -> u32 {
    body.vertex(vertex as usize) as u32
}
