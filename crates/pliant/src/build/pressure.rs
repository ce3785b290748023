//! Builder methods for inflated bodies: one enclosed-volume element for each closed surface with gas.
//!
//! The weight of an element is the bulk modulus of the gas times the rest volume. Open surfaces, and surfaces whose
//! enclosed volume is not positive, are rejected.

use crate::Error;
use crate::batch::Clusters;
use crate::build::{Body, ModelBuilder};
use crate::elements::EnclosedVolume;
use crate::mesh::measure;
use crate::mesh::topology::boundary_edges;
use crate::model::pressure::{Pressure, body_surface};

impl ModelBuilder {
    /// Fills the closed surface of a body with gas. The last call for a body takes effect.
    ///
    /// Returns an error that names the body if its surface is open or does not face outwards.
    pub fn inflate(&mut self, body: &Body, pressure: Pressure) -> Result<(), Error> {
        pressure.validate()?;
        let info = &self.model.bodies[body.index];
        let surface = body_surface(info, &self.model.rest_positions);
        if let Some(edge) = boundary_edges(&surface).first() {
            return Err(Error::OpenSurface { name: info.name.clone(), edge: *edge });
        }
        let volume = measure::enclosed_volume(&surface);
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(Error::NoEnclosedVolume { name: info.name.clone(), volume });
        }
        self.model.bodies[body.index].pressure = Some(pressure);
        Ok(())
    }

    /// Adds the elements of all inflated bodies.
    pub(crate) fn add_pressure_elements(&mut self) -> Result<(), Error> {
        let mut set = Clusters::new();
        let mut rates = Vec::new();
        for info in self.new_bodies() {
            let Some(pressure) = &info.pressure else { continue };
            let offset = info.vertices.start as u32;
            let mesh = body_surface(info, &self.model.rest_positions);
            let (vertices, triangles) = used_vertices(&mesh.triangles);
            let rest: Vec<_> = vertices.iter().map(|&v| mesh.positions[v as usize]).collect();
            let element = EnclosedVolume::new(&rest, triangles, pressure.factor.clone())?;
            let weight = pressure.bulk_modulus * element.volume();
            set.push(vertices.iter().map(|v| v + offset).collect(), weight, element);
            rates.push(info.damping.constraint);
        }
        self.elements(set.damping_each(rates));
        Ok(())
    }
}

/// Returns the vertices that triangles use, ascending, and the triangles by their indices in that list.
fn used_vertices(triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<[u32; 3]>) {
    let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let place = |v: u32| vertices.partition_point(|&u| u < v) as u32;
    let triangles = triangles.iter().map(|t| t.map(place)).collect();
    (vertices, triangles)
}
