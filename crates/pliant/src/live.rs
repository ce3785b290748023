//! A simulation goes on with another model, from the same state: what a user changes while it runs.
//!
//! ```text
//! may differ   pins, gravity, wind, forces, colliders, masses, elements; further bodies after the others
//! must agree   the bodies that there are: their vertices and triangles; what yields keeps its elements
//! is kept      positions, velocities, time; tears; plastic memory; where pins were told to go
//! ```
//!
//! A vertex that is held from now on is held where it is; one that is let go keeps its velocity. Models
//! of this kind come from [`ModelBuilder::reopen`](crate::ModelBuilder::reopen). A snapshot belongs to the
//! model that it was taken with: keep both.

use std::sync::Arc;

use crate::Error;
use crate::model::Model;
use crate::motion::Motion;
use crate::past::Past;
use crate::retopology::{Parts, Sources, carry};
use crate::simulation::{Simulation, start};
use crate::solvers::Stepper;
use crate::state::State;
use crate::system::{Precision, System};

/// All that a simulation goes on with.
struct Ready<S> {
    parts: Parts<S>,
    stepper: Box<dyn Stepper<S>>,
    memory: Vec<S>,
}

impl<S: Precision> Simulation<S> {
    /// Goes on with another model of the same bodies, and perhaps more after them, from the same state. On
    /// an error nothing changes.
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
    /// let mut changed = ModelBuilder::reopen(sim.whole());
    /// changed.unpin(cloth.corner(0));
    /// changed.pin(cloth.corner(1));
    /// let before = sim.state().positions[cloth.corner(1)];
    /// sim.go_on_with(changed.build()?)?;
    /// sim.step();
    /// assert_eq!(sim.state().positions[cloth.corner(1)][..3], before[..3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn go_on_with(&mut self, model: impl Into<Arc<Model>>) -> Result<(), Error> {
        let model = model.into();
        agree(&self.whole, &model)?;
        let old = std::mem::replace(&mut self.whole, model);
        match self.made_ready() {
            Ok(Ready { parts, stepper, memory }) => {
                let state = self.carried(&old, &parts, memory);
                self.stepper = stepper;
                self.replace(parts);
                self.state = state;
                self.system.set_time(self.state.time);
                self.state.past.reserve(self.past_room());
                self.scratch = self.scratch(self.dt / self.substeps as f64);
                Ok(())
            }
            Err(error) => {
                self.whole = old;
                Err(error)
            }
        }
    }

    /// The vertex of the whole model that a present one came from by tears; itself where it always was.
    pub fn origin(&self, vertex: usize) -> usize {
        self.topology.as_ref().map_or(vertex, |t| t.origin(vertex))
    }

    /// Where things touched in the last substep: points \[m\] and the directions of the force.
    pub fn touching(&self) -> impl Iterator<Item = ([f64; 3], [f64; 3])> + '_ {
        let x = &self.state.positions;
        let pressed = self.scratch.contacts.list().iter().filter(|c| c.has_pressed());
        pressed.filter(|c| c.vertices().iter().all(|&v| (v as usize) < x.len())).map(|contact| {
            // Of two features that meet, the point is that of the one which is pushed.
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

    /// What follows from the present whole model and the state's tears; the state and what it belongs to are
    /// still those of the former.
    fn made_ready(&self) -> Result<Ready<S>, Error> {
        let mut parts = self.parts(&self.state.tears)?;
        if parts.topology.is_none() && self.whole.can_tear() {
            parts.topology = Some(crate::torn::Topology::new(self.whole.clone()));
        }
        let memory = self.remembered(&parts)?;
        let h = self.dt / self.substeps as f64;
        let stepper = self.ready(&self.solver, &parts.system, h)?;
        Ok(Ready { parts, stepper, memory })
    }

    /// What the elements of these parts remember, of what those of the present system do.
    fn remembered(&self, parts: &Parts<S>) -> Result<Vec<S>, Error> {
        if self.state.memory.is_empty() {
            return Ok(parts.system.memory());
        }
        let own: Sources;
        let sources = if parts.sources.is_empty() {
            own = all_elements(&parts.system);
            &own
        } else {
            &parts.sources
        };
        let before = all_elements(&self.system);
        let before = if self.sources.is_empty() { &before } else { &self.sources };
        for (batch, (group, list)) in parts.system.batches.iter().zip(sources) {
            if batch.memory() == 0 {
                continue;
            }
            let known = before.iter().position(|(g, _)| g == group);
            let same = known.is_some_and(|k| {
                let old = &self.system.batches[k];
                old.memory() == batch.memory() && before[k].1 == *list
            });
            if !same {
                let problem = "what yields must keep its elements while a simulation runs; \
                               start again with the changed scene";
                return Err(Error::Scene { problem: problem.to_owned() });
            }
        }
        Ok(carry(&self.state.memory, &self.system, &self.sources, &parts.system, sources))
    }

    /// The state for these parts.
    fn carried(&self, old: &Model, parts: &Parts<S>, memory: Vec<S>) -> State<S> {
        let (system, fresh) = (&parts.system, start(&parts.system));
        // Split vertices come after all others, so more of those move them up.
        let (first, added) = (old.len(), self.whole.len() - old.len());
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
        for (pin, target) in system.model.pins().iter().zip(&mut state.targets) {
            let Some(u) = former(pin.vertex) else { continue };
            *target = match before.iter().position(|p| p.vertex == u) {
                Some(i) if before[i].motion == pin.motion => self.state.targets[i],
                _ if pin.motion == Motion::Fixed => {
                    let p = &self.state.positions[u];
                    Some([p[0], p[1], p[2]].map(S::to_f64))
                }
                _ => None,
            };
        }
        state.past = match added {
            0 => self.state.past.clone(),
            _ => Past::none(system.model.bodies().len()),
        };
        let colliders = old.colliders().len() == self.whole.colliders().len();
        let known = if added == 0 && colliders { usize::MAX } else { first };
        let grips = self
            .state
            .grips
            .iter()
            .filter(|grip| grip.is_below(known) && (colliders || !grip.is_by_collider()));
        state.grips.extend(grips);
        state.memory = memory;
        state.tears.clone_from(&self.state.tears);
        (state.step, state.time) = (self.state.step, self.state.time);
        state
    }
}

/// Every element of every group.
fn all_elements<S: Precision>(system: &System<S>) -> Sources {
    let groups = system.model.elements().iter().enumerate();
    groups.map(|(g, e)| (g, (0..e.len() as u32).collect())).collect()
}

/// Whether a model has all the bodies of another, and perhaps more after them.
fn agree(old: &Model, new: &Model) -> Result<(), Error> {
    let refuse = |problem: String| Err(Error::Scene { problem });
    if new.bodies().len() < old.bodies().len() || new.len() < old.len() {
        return refuse(
            "a simulation goes on only with a model that has all of its bodies; start a new one"
                .into(),
        );
    }
    for (a, b) in old.bodies().iter().zip(new.bodies()) {
        let same = a.vertices == b.vertices
            && a.ghosts == b.ghosts
            && a.triangles == b.triangles
            && a.carried.is_some() == b.carried.is_some();
        if !same {
            return refuse(format!(
                "{} has other vertices or triangles in the model that the simulation should go on with; \
                 start a new one",
                b.name
            ));
        }
    }
    Ok(())
}
