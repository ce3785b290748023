//! A model opened again: the same bodies, to be held, pushed and joined by others in another way.
//!
//! Bodies that were built keep their elements as they are; what is added gets its own. A running
//! simulation goes on with the result ([`Simulation::go_on_with`](crate::Simulation::go_on_with)).

use super::ModelBuilder;
use crate::batch::{AnyElements, Rewiring};
use crate::model::{BodyInfo, MassModel, Model};

impl ModelBuilder {
    /// A scene that begins with all that a model has.
    ///
    /// Change what holds and drives it (pins, gravity, wind, colliders) and add bodies. Tethers stay tied
    /// to what was held when they were made.
    pub fn reopen(model: &Model) -> Self {
        let mut scene = Self::new();
        scene.model = Model {
            positions: model.positions.clone(),
            rest: model.rest.clone(),
            velocities: model.velocities.clone(),
            masses: model.masses.clone(),
            mass_matrix: None,
            bodies: model.bodies.clone(),
            elements: model.elements.iter().map(|e| copy(e.as_ref())).collect(),
            limits: model.limits.clone(),
            pins: model.pins.clone(),
            colliders: model.colliders.clone(),
            blades: model.blades.clone(),
            gravity: model.gravity,
            forces: model.forces.clone(),
            wind: model.wind,
            time_step: model.time_step,
        };
        scene.complete = model.bodies.len();
        if let Some(matrix) = &model.mass_matrix {
            scene.mass_model = MassModel::Consistent;
            for j in 0..model.len() {
                let (rows, values) = matrix.column(j);
                scene.mass_entries.extend(rows.iter().zip(values).map(|(&i, &m)| (i, j as u32, m)));
            }
        }
        scene
    }

    /// Lets a vertex go that was held.
    pub fn unpin(&mut self, vertex: usize) {
        self.model.pins.retain(|p| p.vertex != vertex);
    }

    /// Ends the wind.
    pub fn calm(&mut self) {
        self.model.wind = None;
    }

    /// The bodies that came after the model that was opened again.
    pub(crate) fn new_bodies(&self) -> impl Iterator<Item = &BodyInfo> {
        self.model.bodies.iter().skip(self.complete)
    }
}

fn copy(elements: &dyn AnyElements) -> Box<dyn AnyElements> {
    let mut all = Rewiring::default();
    (0..elements.len()).for_each(|e| all.push(e, elements.vertices(e), 1.0));
    elements.rewired(&all)
}
