//! Builder methods for tearing and blades, and their checks.
//!
//! Cloth and nets can tear where they have a surface that can be split, or edge constraints that can break. The model
//! stores the settings; the topology changes happen during the simulation.

use crate::Error;
use crate::build::{Body, ModelBuilder};
use crate::model::Model;
use crate::model::blade::Blade;
use crate::model::tearing::{TearMode, Tearing};

impl ModelBuilder {
    /// Lets a cloth or a net tear. The last call for a body takes effect.
    ///
    /// Returns an error for other bodies, and for nets without triangles unless their edges break.
    pub fn tear(&mut self, body: &Body, tearing: Tearing) -> Result<(), Error> {
        tearing.validate()?;
        let info = &mut self.model.bodies[body.index];
        let surface = !info.triangles.is_empty();
        if !info.is_sheet || (tearing.mode == TearMode::Split && !surface) {
            return Err(Error::NotTearable { body: info.name.clone() });
        }
        info.tearing = Some(tearing);
        Ok(())
    }
}

/// Rejects bodies with breakable edges that have no edge constraints.
pub(crate) fn validate_breakable_edges(model: &Model) -> Result<(), Error> {
    for body in &model.bodies {
        let own = |v: &u32| body.vertices.contains(&(*v as usize));
        let edge = |v: &[u32]| v.len() == 2 && v.iter().all(own);
        let sets = || model.elements.iter();
        let breaks = body.tearing.is_some_and(|t| t.mode == TearMode::Break);
        if breaks && !sets().any(|set| (0..set.len()).any(|e| edge(set.vertices(e)))) {
            return Err(Error::NoBreakableEdges { body: body.name.clone() });
        }
    }
    Ok(())
}

impl ModelBuilder {
    /// Adds a blade, which cuts all sheets, and all nets with triangles, that it moves through.
    pub fn blade(&mut self, blade: Blade) {
        self.model.blades.push(blade);
    }
}
