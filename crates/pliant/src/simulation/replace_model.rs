//! Replacement of the model of a running simulation: the user's changes while it runs.
//!
//! ```text
//! may differ   pins, gravity, wind, forces, colliders, masses, elements; further bodies after the existing ones
//! must agree   vertices and triangles of the existing bodies; plastic bodies keep their elements
//! is kept      positions, velocities, time; tears; plastic state; pin targets
//! ```
//!
//! A vertex that becomes pinned is pinned at its current position. A vertex that is released keeps its
//! velocity. Start such a model from [`ModelBuilder::from_model`](crate::ModelBuilder::from_model). A snapshot
//! belongs to the model with which it was taken: keep both.

use std::sync::Arc;

use crate::Error;
use crate::model::Model;
use crate::model::motion::Motion;
use crate::simulation::precision::Precision;
use crate::simulation::topology::{ElementOrigins, RebuiltSystem, transfer_plastic_state};
use crate::simulation::{Simulation, initial_state};
use crate::solvers::PreparedSolver;
use crate::system::System;
use crate::system::history::StepHistory;
use crate::system::state::State;

/// Everything that a simulation continues with after a replacement.
struct PreparedReplacement<S> {
    rebuilt: RebuiltSystem<S>,
    solver: Box<dyn PreparedSolver<S>>,
    plastic_state: Vec<S>,
}

impl<S: Precision> Simulation<S> {
    /// Replaces the model and keeps the state. The new model has all bodies of the old one, and possibly more
    /// after them. On an error nothing changes.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// # fn main() -> Result<(), pliant::Error> {
    /// let mut scene = ModelBuilder::new();
    /// let cloth = scene.cloth(Grid::square(5), Fabric::cotton())?;
    /// scene.pin(cloth.corner(0));
    /// let mut sim = Simulation::new(scene.build()?, ProjectiveDynamics::default())?;
    /// sim.step();
    ///
    /// let mut changed = ModelBuilder::from_model(sim.original_model());
    /// changed.unpin(cloth.corner(0));
    /// changed.pin(cloth.corner(1));
    /// let before = sim.state().positions[cloth.corner(1)];
    /// sim.replace_model(changed.build()?)?;
    /// sim.step();
    /// assert_eq!(sim.state().positions[cloth.corner(1)][..3], before[..3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace_model(&mut self, model: impl Into<Arc<Model>>) -> Result<(), Error> {
        let model = model.into();
        check_same_bodies(&self.original_model, &model)?;
        let old = std::mem::replace(&mut self.original_model, model);
        match self.prepare_replacement() {
            Ok(PreparedReplacement { rebuilt, solver, plastic_state }) => {
                let state = self.transferred_state(&old, &rebuilt, plastic_state);
                self.prepared_solver = solver;
                self.install_system(rebuilt);
                self.state = state;
                self.system.set_time(self.state.time);
                self.state.history.reserve(self.history_len());
                self.scratch = self.allocate_scratch(self.dt / self.substeps as f64);
                self.restart_estimate();
                Ok(())
            }
            Err(error) => {
                self.original_model = old;
                Err(error)
            }
        }
    }

    /// Returns the vertex of the original model from which a current vertex was split; the vertex itself if it
    /// was not created by a split.
    pub fn original_vertex(&self, vertex: usize) -> usize {
        self.topology.as_ref().map_or(vertex, |t| t.original_vertex(vertex))
    }

    /// Iterates over the active contacts of the last substep: contact points \[m\] and force directions.
    pub fn contact_points(&self) -> impl Iterator<Item = ([f64; 3], [f64; 3])> + '_ {
        let x = &self.state.positions;
        let active = self.scratch.contacts.list().iter().filter(|c| c.is_active());
        active.filter(|c| c.vertices().iter().all(|&v| (v as usize) < x.len())).map(|contact| {
            // For two features, the point lies on the feature with the positive coefficients, which the normal
            // pushes.
            let terms = contact.vertices().iter().zip(contact.coefficients());
            let (mut point, mut sum) = ([0.0; 3], 0.0);
            for (&v, &a) in terms.filter(|(_, a)| **a > 0.0) {
                sum += a;
                (0..3).for_each(|c| point[c] += a * x[v as usize][c].to_f64());
            }
            let n = contact.normal;
            (point.map(|c| c / f64::max(sum, f64::MIN_POSITIVE)), [n.x, n.y, n.z])
        })
    }

    /// Builds the system and the solver for the new original model and the tears of the state. The state and
    /// the current system are still those of the old model.
    fn prepare_replacement(&self) -> Result<PreparedReplacement<S>, Error> {
        let mut rebuilt = self.rebuild_system(&self.state.tears)?;
        if rebuilt.topology.is_none() && self.original_model.can_tear() {
            rebuilt.topology =
                Some(crate::topology::split::Topology::new(self.original_model.clone()));
        }
        let plastic_state = self.transferred_plastic_state(&rebuilt)?;
        let h = self.dt / self.substeps as f64;
        let solver = self.prepare_solver(&self.solver, &rebuilt.system, h)?;
        Ok(PreparedReplacement { rebuilt, solver, plastic_state })
    }

    /// Returns the plastic state of the elements of a rebuilt system, copied from those of the current one.
    fn transferred_plastic_state(&self, parts: &RebuiltSystem<S>) -> Result<Vec<S>, Error> {
        if self.state.plastic_state.is_empty() {
            return Ok(parts.system.plastic_state());
        }
        let own: ElementOrigins;
        let sources = if parts.element_origins.is_empty() {
            own = all_elements(&parts.system);
            &own
        } else {
            &parts.element_origins
        };
        let before = all_elements(&self.system);
        let before = if self.element_origins.is_empty() { &before } else { &self.element_origins };
        for (batch, (group, list)) in parts.system.batches.iter().zip(sources) {
            if batch.plastic_state_len() == 0 {
                continue;
            }
            let known = before.iter().position(|(g, _)| g == group);
            let same = known.is_some_and(|k| {
                let old = &self.system.batches[k];
                old.plastic_state_len() == batch.plastic_state_len() && before[k].1 == *list
            });
            if !same {
                let problem = "plastic elements cannot change while a simulation runs; start a new \
                    simulation with the changed scene";
                return Err(Error::Scene { problem: problem.to_owned() });
            }
        }
        Ok(transfer_plastic_state(
            &self.state.plastic_state,
            &self.system,
            &self.element_origins,
            &parts.system,
            sources,
        ))
    }

    /// Returns the state for a rebuilt system.
    fn transferred_state(
        &self,
        old: &Model,
        parts: &RebuiltSystem<S>,
        element_state: Vec<S>,
    ) -> State<S> {
        let (system, fresh) = (&parts.system, initial_state(&parts.system));
        // Split vertices come after all others, so additional bodies shift them up.
        let (first, added) = (old.len(), self.original_model.len() - old.len());
        let former = |v: usize| match v {
            v if v < first => Some(v),
            v if v < first + added => None,
            v => Some(v - added),
        };
        let mut state = fresh;
        for v in 0..system.len() {
            if let Some(u) = former(v) {
                let w = state.positions[v][3];
                state.positions[v] = self.state.positions[u];
                state.positions[v][3] = w;
                state.velocities[v] = self.state.velocities[u];
            }
        }
        let before = self.system.model.pins();
        for (pin, target) in system.model.pins().iter().zip(&mut state.pin_targets) {
            let Some(u) = former(pin.vertex) else { continue };
            *target = match before.iter().position(|p| p.vertex == u) {
                Some(i) if before[i].motion == pin.motion => self.state.pin_targets[i],
                _ if pin.motion == Motion::Fixed => {
                    let p = &self.state.positions[u];
                    Some([p[0], p[1], p[2]].map(S::to_f64))
                }
                _ => None,
            };
        }
        state.history = match added {
            0 => self.state.history.clone(),
            _ => StepHistory::empty(system.model.bodies().len()),
        };
        let colliders = old.colliders().len() == self.original_model.colliders().len();
        let known = if added == 0 && colliders { usize::MAX } else { first };
        let anchors = self.state.friction_anchors.iter().filter(|anchor| {
            anchor.uses_only_vertices_below(known) && (colliders || !anchor.is_on_collider())
        });
        state.friction_anchors.extend(anchors);
        state.plastic_state = element_state;
        state.tears.clone_from(&self.state.tears);
        (state.step, state.time) = (self.state.step, self.state.time);
        state
    }
}

/// Lists every element of every group.
fn all_elements<S: Precision>(system: &System<S>) -> ElementOrigins {
    let groups = system.model.elements().iter().enumerate();
    groups.map(|(g, e)| (g, (0..e.len() as u32).collect())).collect()
}

/// Returns an error unless the new model has all bodies of the old one, and possibly more after them.
fn check_same_bodies(old: &Model, new: &Model) -> Result<(), Error> {
    let incompatible = |problem: String| Err(Error::Scene { problem });
    if new.bodies().len() < old.bodies().len() || new.len() < old.len() {
        return incompatible(
            "the new model lacks bodies of the simulation's model; start a new simulation".into(),
        );
    }
    for (a, b) in old.bodies().iter().zip(new.bodies()) {
        let same = a.vertices == b.vertices
            && a.frame_points == b.frame_points
            && a.triangles == b.triangles
            && a.rigid_frame.is_some() == b.rigid_frame.is_some();
        if !same {
            return incompatible(format!(
                "{} has other vertices or triangles in the new model; start a new simulation",
                b.name
            ));
        }
    }
    Ok(())
}
