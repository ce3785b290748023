//! Builders that start from an existing model: the same bodies with other pins, forces and additional bodies.
//!
//! Existing bodies keep their elements unchanged; elements are built for the added bodies only. A running simulation
//! continues with the new model ([`Simulation::replace_model`](crate::Simulation::replace_model)).

use crate::batch::{AnyElements, ElementRemap};
use crate::build::ModelBuilder;
use crate::model::{BodyInfo, MassModel, Model};

impl ModelBuilder {
    /// Makes a builder that starts with the contents of a model.
    ///
    /// Pins, gravity, wind and colliders can be changed, and bodies can be added. Tethers stay tied to the vertices
    /// that were pinned when the tethers were made.
    pub fn from_model(model: &Model) -> Self {
        let mut scene = Self::new();
        scene.model = Model {
            positions: model.positions.clone(),
            rest_positions: model.rest_positions.clone(),
            velocities: model.velocities.clone(),
            masses: model.masses.clone(),
            mass_matrix: None,
            bodies: model.bodies.clone(),
            elements: model.elements.iter().map(|e| copy(e.as_ref())).collect(),
            strain_limits: model.strain_limits.clone(),
            pins: model.pins.clone(),
            colliders: model.colliders.clone(),
            blades: model.blades.clone(),
            gravity: model.gravity,
            forces: model.forces.clone(),
            wind: model.wind,
            time_step: model.time_step,
        };
        scene.prebuilt_bodies = model.bodies.len();
        if let Some(matrix) = &model.mass_matrix {
            scene.mass_model = MassModel::Consistent;
            for j in 0..model.len() {
                let (rows, values) = matrix.column(j);
                scene.mass_entries.extend(rows.iter().zip(values).map(|(&i, &m)| (i, j as u32, m)));
            }
        }
        scene
    }

    /// Unpins a vertex.
    pub fn unpin(&mut self, vertex: usize) {
        self.model.pins.retain(|p| p.vertex != vertex);
    }

    /// Removes the wind.
    pub fn clear_wind(&mut self) {
        self.model.wind = None;
    }

    /// Returns the bodies that were added after the model was reopened.
    pub(crate) fn new_bodies(&self) -> impl Iterator<Item = &BodyInfo> {
        self.model.bodies.iter().skip(self.prebuilt_bodies)
    }
}

fn copy(elements: &dyn AnyElements) -> Box<dyn AnyElements> {
    let mut all = ElementRemap::default();
    (0..elements.len()).for_each(|e| all.push(e, elements.vertices(e), 1.0));
    elements.remapped(&all)
}
