//! Elements of any registered type on a body's mesh.

use crate::Error;
use crate::build::{Body, ModelBuilder};
use crate::elements::registry;
use crate::mesh::{HasStencils, Stencil};

impl ModelBuilder {
    /// Adds an element of the [`registry`], by its name, on every stencil of a body: every edge, triangle, hinge,
    /// tetrahedron or vertex. The weight of each is the stiffness times the length, area or volume of its stencil
    /// at rest. `mesh` is the mesh that the body was made from.
    pub fn add_elements(
        &mut self,
        body: &Body,
        mesh: &impl HasStencils,
        name: &str,
        stiffness: f64,
    ) -> Result<(), Error> {
        let scene_error = |problem: String| Err(Error::Scene { problem });
        let general = || registry().iter().filter(|info| info.stencil != Stencil::Custom);
        let Some(info) = general().find(|info| info.name == name) else {
            let known: Vec<&str> = general().map(|info| info.name).collect();
            return scene_error(match registry().iter().any(|info| info.name == name) {
                true => format!("{name} has no stencil on a mesh; use one of {}", known.join(", ")),
                false => format!("there is no element {name:?}; use one of {}", known.join(", ")),
            });
        };
        if !(stiffness > 0.0 && stiffness.is_finite()) {
            return scene_error(format!("the stiffness is {stiffness}; it must be positive"));
        }
        let stencils = mesh.stencils(info.stencil);
        if stencils.is_empty() {
            let kind = format!("{:?}", info.stencil).to_lowercase();
            return scene_error(format!(
                "{name} needs a {kind}, and the mesh has none; use another element or another mesh"
            ));
        }
        let rest = mesh.positions();
        for stencil in stencils.chunks_exact(info.points) {
            let points: Vec<[f64; 3]> = stencil.iter().map(|&v| rest[v as usize]).collect();
            let vertices: Vec<u32> =
                stencil.iter().map(|&v| body.vertex(v as usize) as u32).collect();
            let weight = stiffness * info.stencil.measure(&points);
            self.boxed_elements((info.sample)(&vertices, &points, weight)?);
        }
        Ok(())
    }
}
