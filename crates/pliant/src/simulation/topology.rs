//! Topology changes of a simulation: its own tears, cuts, and the tears of a restored snapshot.
//!
//! ```text
//! tear      at the end of a step: edges that blades crossed, edges stretched beyond their limit
//! switch    topology → split model → system, solver, scratch memory; the state grows by the new vertices
//! ```
//!
//! All parts of a simulation follow from the original model and the list of tears, never from the order of
//! events that led there: a restored simulation has the same bits. A solver that supports removal of elements
//! is always updated from the original model's matrix to the current one.

use std::sync::Arc;

use crate::Error;
use crate::model::tearing::Tear;
use crate::report::Warning;
use crate::simulation::precision::Precision;
use crate::simulation::{Simulation, initial_state, prepare_substep_solver};
use crate::solvers::{AnySolver, PreparedSolver, Solver};
use crate::system::System;
use crate::system::history::StepHistory;
use crate::topology::split::{SplitModel, Topology};
use crate::topology::tear::TearReport;

/// Origins of the elements of the current model: for each group, the group of the original model and, for each
/// element, its index there. Empty if all elements are the original ones.
pub(crate) type ElementOrigins = Vec<(usize, Vec<u32>)>;

impl<S: Precision> Simulation<S> {
    /// Tears and cuts so far, in the numbering of [`Simulation::original_model`].
    pub fn tears(&self) -> &[Tear] {
        &self.state.tears
    }

    /// The model as it was built; [`Simulation::model`] is the one with all tears.
    pub fn original_model(&self) -> &Arc<crate::Model> {
        &self.original_model
    }

    /// Iterates over the triangles of a body in their original order: the current vertices of each, and true if
    /// it still exists. A triangle is removed if one of its edges breaks.
    pub fn current_triangles(&self, body: usize) -> impl Iterator<Item = ([u32; 3], bool)> + '_ {
        let original = self.original_model.bodies()[body].triangles.iter();
        let sheet = self.topology.as_ref().and_then(|t| t.surface(body));
        original.enumerate().map(move |(t, triangle)| match sheet {
            Some(sheet) => (sheet.triangle(t), !sheet.is_removed(t)),
            None => (*triangle, true),
        })
    }

    /// Cuts all cloth and nets with triangles along the surface that a straight blade sweeps from one position
    /// to another, each given by its ends \[m\]. On an error nothing changes.
    pub fn cut(&mut self, from: [[f64; 3]; 2], to: [[f64; 3]; 2]) -> Result<TearReport, Error> {
        if self.original_model.mass_matrix().is_some() {
            return Err(Error::TearingNeedsLumpedMass);
        }
        if from.iter().chain(&to).flatten().any(|c| !c.is_finite()) {
            return Err(Error::Blade { index: self.original_model.blades().len() });
        }
        let topology =
            self.topology.get_or_insert_with(|| Topology::new(self.original_model.clone()));
        let x = &self.state.positions;
        if x.len() != self.system.len() {
            return Ok(TearReport::default());
        }
        let mut tears = Vec::new();
        topology.find_cuts([from, to], x, x, &mut tears);
        self.apply_tears(&tears)
    }

    /// Tears the edges that are stretched beyond their limit and those that blades crossed in this step.
    pub(crate) fn update_tearing(&mut self) {
        if !self.system.model.can_tear() {
            return;
        }
        let topology =
            self.topology.get_or_insert_with(|| Topology::new(self.original_model.clone()));
        let mut tears = std::mem::take(&mut self.pending_tears);
        tears.clear();
        let (before, after) = (&self.scratch.last_valid[0], &self.state.positions);
        for blade in self.system.model.blades() {
            let times = [self.state.time - self.dt, self.state.time];
            topology.find_cuts(times.map(|t| blade.at(t)), before, after, &mut tears);
        }
        topology.collect_tears(after, &mut tears);
        if !tears.is_empty() {
            match self.apply_tears(&tears) {
                Ok(report) => self.report.tears = report,
                Err(_) => self.report.warnings.push(Warning::TearRejected { edges: tears.len() }),
            }
        }
        self.pending_tears = tears;
    }

    /// Applies tears. On an error nothing changes.
    fn apply_tears(&mut self, tears: &[Tear]) -> Result<TearReport, Error> {
        let Some(topology) = &mut self.topology else { return Ok(TearReport::default()) };
        let splits = topology.split_count();
        let mut report = TearReport::default();
        for &tear in tears {
            let done = usize::from(topology.apply(tear));
            match tear {
                Tear::SplitEdge { .. } => report.split_edges += done,
                Tear::BreakEdge { .. } => report.broken_edges += done,
            }
        }
        if report.is_empty() {
            return Ok(report);
        }
        report.new_vertices = topology.split_count() - splits;
        let torn = topology.split_model();
        report.removed_elements = torn.removed_elements - self.removed_elements;
        match self.switch_to_split_model(torn) {
            Ok(followed) => {
                report.factor_update = followed;
                Ok(report)
            }
            Err(error) => {
                self.topology =
                    Topology::with_tears(self.original_model.clone(), &self.state.tears).ok();
                Err(error)
            }
        }
    }

    /// Switches to a split model. On an error only the topology has changed. Returns the update of the solver's
    /// factor, or `None` if the solver was prepared again.
    fn switch_to_split_model(
        &mut self,
        torn: SplitModel,
    ) -> Result<Option<crate::linalg::FactorUpdate>, Error> {
        let SplitModel { model, element_origins, removed_elements: removed } = torn;
        let mut system = System::<S>::new(Arc::new(model));
        system.set_time(self.state.time);
        let h = self.dt / self.substeps as f64;
        let same_vertices = system.len() == self.original_model.len();
        let solved = self.solver.integrator_for(&system.model).solve_step(h);
        let factor_update = if same_vertices {
            self.prepared_solver.remove_elements(&system, solved)
        } else {
            None
        };
        if factor_update.is_none() {
            self.prepared_solver = prepare_substep_solver(&self.solver, &system, h, &self.exec)?;
        }
        let belonged = self.bodies_with_history(h);
        let plastic_state = transfer_plastic_state(
            &self.state.plastic_state,
            &self.system,
            &self.element_origins,
            &system,
            &element_origins,
        );
        let known = self.system.len();
        let parents = self.topology.iter().flat_map(|t| t.split_parents());
        let parents: Vec<usize> = parents.skip(known - self.original_model.len()).collect();
        let state = &mut self.state;
        for &parent in &parents {
            state.positions.push(state.positions[parent]);
            state.velocities.push(state.velocities[parent]);
            if state.history.is_available() {
                state.history.positions.push(state.history.positions[parent]);
                state.history.velocities.push(state.history.velocities[parent]);
            }
        }
        for (x, &w) in state.positions.iter_mut().zip(&system.inv_mass) {
            x[3] = w;
        }
        // A pin of a vertex that split holds both copies at its target.
        let pins = system.model.pins();
        for pin in &pins[state.pin_targets.len()..] {
            let parent = parents[pin.vertex - known];
            let told = pins.iter().position(|p| p.vertex == parent);
            state.pin_targets.push(told.and_then(|i| state.pin_targets.get(i).copied().flatten()));
        }
        state.plastic_state = plastic_state;
        state.friction_anchors.retain(|anchor| anchor.uses_only_vertices_below(known));
        state.tears = self.topology.as_ref().map_or_else(Vec::new, |t| t.tears().to_vec());
        for (b, body) in system.model.bodies().iter().enumerate().filter(|(b, _)| belonged[*b]) {
            state.history.fingerprints[b] = StepHistory::state_fingerprint(
                body.all_vertices(),
                &state.positions,
                &state.velocities,
            );
        }
        (self.system, self.element_origins, self.removed_elements) =
            (system, element_origins, removed);
        self.state.history.reserve(self.history_len());
        self.scratch = self.allocate_scratch(h);
        self.restart_estimate();
        Ok(factor_update)
    }

    /// Returns, for each body, true if its history matches its current state.
    fn bodies_with_history(&self, h: f64) -> Vec<bool> {
        let (state, bodies) = (&self.state, self.system.model.bodies());
        let known = |(b, body): (usize, &crate::BodyInfo)| {
            let (x, v) = (&state.positions, &state.velocities);
            state.history.is_available()
                && state.history.matches_state(b, h, body.all_vertices(), x, v)
        };
        bodies.iter().enumerate().map(known).collect()
    }

    /// Builds the system and the topology for tears of the original model.
    pub(crate) fn rebuild_system(&self, tears: &[Tear]) -> Result<RebuiltSystem<S>, Error> {
        if tears.is_empty() {
            let system = System::new(self.original_model.clone());
            let (sources, removed, topology) = (ElementOrigins::new(), 0, None);
            return Ok(RebuiltSystem {
                system,
                element_origins: sources,
                removed_elements: removed,
                topology,
            });
        }
        if self.original_model.mass_matrix().is_some() {
            return Err(Error::TearingNeedsLumpedMass);
        }
        let mut topology = Topology::with_tears(self.original_model.clone(), tears)?;
        let SplitModel { model, element_origins: sources, removed_elements: removed } =
            topology.split_model();
        let system = System::new(Arc::new(model));
        Ok(RebuiltSystem {
            system,
            element_origins: sources,
            removed_elements: removed,
            topology: Some(topology),
        })
    }

    /// Switches to the tears of the state if they differ from those of the current model: the user may have put
    /// back an older state.
    pub(crate) fn sync_topology(&mut self) {
        let present = self.topology.as_ref().map_or(&[][..], |t| t.tears());
        if self.state.tears == present {
            return;
        }
        let h = self.dt / self.substeps as f64;
        let done = self.rebuild_system(&self.state.tears).and_then(|rebuilt| {
            let prepared = self.prepare_solver(&self.solver, &rebuilt.system, h)?;
            Ok((rebuilt, prepared))
        });
        match done {
            Ok((rebuilt, prepared)) => {
                self.prepared_solver = prepared;
                self.install_system(rebuilt);
                let fresh = initial_state(&self.system);
                // As for vertices that a user removed: missing values are not finite, so that they are rolled
                // back.
                let lost = [S::from_f64(f64::NAN); 4];
                self.state.positions.resize(fresh.positions.len(), lost);
                self.state.velocities.resize(fresh.positions.len(), lost);
                self.state.pin_targets.resize(fresh.pin_targets.len(), None);
                if self.state.plastic_state.len() != fresh.plastic_state.len() {
                    self.state.plastic_state = fresh.plastic_state;
                }
                self.scratch = self.allocate_scratch(h);
                // The start is the only valid state known for this topology.
                self.scratch.last_valid = [fresh.positions, fresh.velocities];
                self.restart_estimate();
            }
            Err(_) => self.state.tears = present.to_vec(),
        }
    }

    /// Installs a rebuilt system. The caller updates the state and the scratch memory.
    pub(crate) fn install_system(&mut self, rebuilt: RebuiltSystem<S>) {
        self.system = rebuilt.system;
        (self.element_origins, self.removed_elements) =
            (rebuilt.element_origins, rebuilt.removed_elements);
        self.topology = rebuilt.topology;
    }

    /// Prepares a solver for a system of the original model with tears, for substeps of `h` \[s\].
    pub(crate) fn prepare_solver(
        &self,
        solver: &AnySolver,
        system: &System<S>,
        h: f64,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        let torn = !Arc::ptr_eq(&system.model, &self.original_model);
        if torn && solver.supports_removal() && system.len() == self.original_model.len() {
            let original_system = System::new(self.original_model.clone());
            let mut ready = prepare_substep_solver(solver, &original_system, h, &self.exec)?;
            if ready
                .remove_elements(system, solver.integrator_for(&system.model).solve_step(h))
                .is_some()
            {
                return Ok(ready);
            }
        }
        prepare_substep_solver(solver, system, h, &self.exec)
    }
}

/// System and topology that follow from an original model and a list of tears.
pub(crate) struct RebuiltSystem<S> {
    pub system: System<S>,
    pub element_origins: ElementOrigins,
    pub removed_elements: usize,
    pub topology: Option<Topology>,
}

/// Copies plastic state between the elements of two systems of the same original model.
pub(crate) fn transfer_plastic_state<S: Precision>(
    element_state: &[S],
    from: &System<S>,
    from_sources: &ElementOrigins,
    to: &System<S>,
    to_sources: &ElementOrigins,
) -> Vec<S> {
    let mut all = to.plastic_state();
    let mut place = 0;
    for (batch, (group, sources)) in to.batches.iter().zip(to_sources) {
        let size = batch.plastic_state_len() / sources.len().max(1);
        let own = &mut all[place..place + batch.plastic_state_len()];
        place += batch.plastic_state_len();
        if size == 0 {
            continue;
        }
        // Position of the group in the old system, and the elements it had there.
        let at = match from_sources.is_empty() {
            true => Some(*group),
            false => from_sources.iter().position(|(g, _)| g == group),
        };
        let Some(at) = at else { continue };
        let before: usize = from.batches[..at].iter().map(|b| b.plastic_state_len()).sum();
        let mut copy = 0;
        for (i, &source) in sources.iter().enumerate() {
            copy = if i > 0 && sources[i - 1] == source { copy + 1 } else { 0 };
            let first = match from_sources.get(at) {
                None => source as usize,
                Some((_, old)) => {
                    let first = old.partition_point(|&s| s < source);
                    let copies = old[first..].iter().take_while(|&&s| s == source).count();
                    if copies == 0 {
                        continue;
                    }
                    first + copy.min(copies - 1)
                }
            };
            let old = &element_state[before + first * size..][..size];
            own[i * size..(i + 1) * size].copy_from_slice(old);
        }
    }
    all
}
