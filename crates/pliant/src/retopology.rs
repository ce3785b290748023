//! A simulation goes on with another topology: by its own tears, by a cut, from a snapshot.
//!
//! ```text
//! tear      at the end of a step: what blades passed, what is stretched too far
//! adopt     topology → torn model → system, solver, room; the state grows by the new vertices
//! ```
//!
//! Whatever a simulation is made of follows from the whole model and the list of tears, never from the way
//! there: a restored one has the same bits. A solver that follows is always brought from the whole model's
//! matrix to the present one.

use std::sync::Arc;

use crate::Error;
use crate::past::Past;
use crate::report::Warning;
use crate::simulation::{Simulation, start, stepper};
use crate::solvers::{AnySolver, Solver, Stepper};
use crate::system::{Precision, System};
use crate::tear::{Tear, TearReport};
use crate::torn::{Topology, Torn};

/// Where the elements of the present model came from: of each group, the group of the whole model and the
/// element there of each. Empty where all are as they were described.
pub(crate) type Sources = Vec<(usize, Vec<u32>)>;

impl<S: Precision> Simulation<S> {
    /// What has torn or been cut so far, by the numbers of [`Simulation::whole`].
    pub fn tears(&self) -> &[Tear] {
        &self.state.tears
    }

    /// The model as it was described; [`Simulation::model`] is the one with all tears.
    pub fn whole(&self) -> &Arc<crate::Model> {
        &self.whole
    }

    /// The triangles of a body in the order in which it was described with: the present vertices of each, and
    /// whether it is still there. It goes where an edge of it breaks.
    pub fn corners(&self, body: usize) -> impl Iterator<Item = ([u32; 3], bool)> + '_ {
        let whole = self.whole.bodies()[body].triangles.iter();
        let sheet = self.topology.as_ref().and_then(|t| t.sheet(body));
        whole.enumerate().map(move |(t, triangle)| match sheet {
            Some(sheet) => (sheet.corners(t), !sheet.is_gone(t)),
            None => (*triangle, true),
        })
    }

    /// Cuts all cloth and nets with triangles along the surface that a straight blade sweeps from one place
    /// to another, each given by its ends \[m\]. On an error nothing changes.
    pub fn cut(&mut self, from: [[f64; 3]; 2], to: [[f64; 3]; 2]) -> Result<TearReport, Error> {
        if self.whole.mass_matrix().is_some() {
            return Err(Error::TornMassMatrix);
        }
        if from.iter().chain(&to).flatten().any(|c| !c.is_finite()) {
            return Err(Error::Blade { index: self.whole.blades().len() });
        }
        let topology = self.topology.get_or_insert_with(|| Topology::new(self.whole.clone()));
        let x = &self.state.positions;
        if x.len() != self.system.len() {
            return Ok(TearReport::default());
        }
        let mut tears = Vec::new();
        topology.cut([from, to], x, x, &mut tears);
        self.give(&tears)
    }

    /// Lets tear what is stretched too far, and what blades passed in this step.
    pub(crate) fn tear(&mut self) {
        if !self.system.model.can_tear() {
            return;
        }
        let topology = self.topology.get_or_insert_with(|| Topology::new(self.whole.clone()));
        let mut tears = std::mem::take(&mut self.proposed);
        tears.clear();
        let (before, after) = (&self.scratch.good[0], &self.state.positions);
        for blade in self.system.model.blades() {
            let times = [self.state.time - self.dt, self.state.time];
            topology.cut(times.map(|t| blade.at(t)), before, after, &mut tears);
        }
        topology.give_way(after, &mut tears);
        if !tears.is_empty() {
            match self.give(&tears) {
                Ok(report) => self.report.tears = report,
                Err(_) => self.report.warnings.push(Warning::NotTorn { edges: tears.len() }),
            }
        }
        self.proposed = tears;
    }

    /// Lets these give way. On an error nothing changes.
    fn give(&mut self, tears: &[Tear]) -> Result<TearReport, Error> {
        let Some(topology) = &mut self.topology else { return Ok(TearReport::default()) };
        let splits = topology.splits();
        let mut report = TearReport::default();
        for &tear in tears {
            let done = usize::from(topology.apply(tear));
            match tear {
                Tear::Sever { .. } => report.severed += done,
                Tear::Break { .. } => report.broken += done,
            }
        }
        if report.is_empty() {
            return Ok(report);
        }
        report.split = topology.splits() - splits;
        let torn = topology.torn();
        report.removed = torn.removed - self.removed;
        match self.adopt(torn) {
            Ok(followed) => {
                report.followed = followed;
                Ok(report)
            }
            Err(error) => {
                self.topology = Topology::with(self.whole.clone(), &self.state.tears).ok();
                Err(error)
            }
        }
    }

    /// Goes on with a torn model. On an error nothing but the topology has changed.
    fn adopt(&mut self, torn: Torn) -> Result<Option<crate::linalg::Followed>, Error> {
        let Torn { model, sources, removed } = torn;
        let mut system = System::<S>::new(Arc::new(model));
        system.set_time(self.state.time);
        let h = self.dt / self.substeps as f64;
        let follows = system.len() == self.whole.len();
        let solved = self.solver.integrator().solve_step(h);
        let followed = if follows { self.stepper.follow(&system, solved) } else { None };
        if followed.is_none() {
            self.stepper = stepper(&self.solver, &system, h, &self.exec)?;
        }
        let belonged = self.bodies_with_past(h);
        let memory = carry(&self.state.memory, &self.system, &self.sources, &system, &sources);
        let known = self.system.len();
        let parents = self.topology.iter().flat_map(|t| t.parents());
        let parents: Vec<usize> = parents.skip(known - self.whole.len()).collect();
        let state = &mut self.state;
        for &parent in &parents {
            state.positions.push(state.positions[parent]);
            state.velocities.push(state.velocities[parent]);
            if state.past.is_there() {
                state.past.positions.push(state.past.positions[parent]);
                state.past.velocities.push(state.past.velocities[parent]);
            }
        }
        for (x, &w) in state.positions.iter_mut().zip(&system.inv_mass) {
            x[3] = w;
        }
        // A pin of a vertex that split holds both parts where it was told to.
        let pins = system.model.pins();
        for pin in &pins[state.targets.len()..] {
            let parent = parents[pin.vertex - known];
            let told = pins.iter().position(|p| p.vertex == parent);
            state.targets.push(told.and_then(|i| state.targets.get(i).copied().flatten()));
        }
        state.memory = memory;
        state.grips.retain(|grip| grip.is_below(known));
        state.tears = self.topology.as_ref().map_or_else(Vec::new, |t| t.tears().to_vec());
        for (b, body) in system.model.bodies().iter().enumerate().filter(|(b, _)| belonged[*b]) {
            state.past.prints[b] = Past::print(body.all(), &state.positions, &state.velocities);
        }
        (self.system, self.sources, self.removed) = (system, sources, removed);
        self.state.past.reserve(self.past_room());
        self.scratch = self.scratch(h);
        Ok(followed)
    }

    /// Whether the past of each body is that of its present state.
    fn bodies_with_past(&self, h: f64) -> Vec<bool> {
        let (state, bodies) = (&self.state, self.system.model.bodies());
        let known = |(b, body): (usize, &crate::BodyInfo)| {
            let (x, v) = (&state.positions, &state.velocities);
            state.past.is_there() && state.past.belongs(b, h, body.all(), x, v)
        };
        bodies.iter().enumerate().map(known).collect()
    }

    /// A simulation's parts for these tears of its whole model.
    pub(crate) fn parts(&self, tears: &[Tear]) -> Result<Parts<S>, Error> {
        if tears.is_empty() {
            let system = System::new(self.whole.clone());
            let (sources, removed, topology) = (Sources::new(), 0, None);
            return Ok(Parts { system, sources, removed, topology });
        }
        if self.whole.mass_matrix().is_some() {
            return Err(Error::TornMassMatrix);
        }
        let mut topology = Topology::with(self.whole.clone(), tears)?;
        let Torn { model, sources, removed } = topology.torn();
        let system = System::new(Arc::new(model));
        Ok(Parts { system, sources, removed, topology: Some(topology) })
    }

    /// Goes on with the tears that the state has, where they are not those of the present model: the user
    /// may have put back an older state.
    pub(crate) fn catch_up(&mut self) {
        let present = self.topology.as_ref().map_or(&[][..], |t| t.tears());
        if self.state.tears == present {
            return;
        }
        let h = self.dt / self.substeps as f64;
        let done = self.parts(&self.state.tears).and_then(|parts| {
            let stepper = self.ready(&self.solver, &parts.system, h)?;
            Ok((parts, stepper))
        });
        match done {
            Ok((parts, stepper)) => {
                self.stepper = stepper;
                self.replace(parts);
                let fresh = start(&self.system);
                // As where a user takes vertices away: what is not there is not finite.
                let lost = [S::from_f64(f64::NAN); 4];
                self.state.positions.resize(fresh.positions.len(), lost);
                self.state.velocities.resize(fresh.positions.len(), lost);
                self.state.targets.resize(fresh.targets.len(), None);
                if self.state.memory.len() != fresh.memory.len() {
                    self.state.memory = fresh.memory;
                }
                self.scratch = self.scratch(h);
                // Nothing better is known of this topology than its start.
                self.scratch.good = [fresh.positions, fresh.velocities];
            }
            Err(_) => self.state.tears = present.to_vec(),
        }
    }

    /// Takes over parts; the state and the scratch are the caller's to change.
    pub(crate) fn replace(&mut self, parts: Parts<S>) {
        self.system = parts.system;
        (self.sources, self.removed) = (parts.sources, parts.removed);
        self.topology = parts.topology;
    }

    /// A solver made ready for a system of this whole model with tears, for substeps of `h` \[s\].
    pub(crate) fn ready(
        &self,
        solver: &AnySolver,
        system: &System<S>,
        h: f64,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        let torn = !Arc::ptr_eq(&system.model, &self.whole);
        if torn && solver.follows() && system.len() == self.whole.len() {
            let whole = System::new(self.whole.clone());
            let mut ready = stepper(solver, &whole, h, &self.exec)?;
            if ready.follow(system, solver.integrator().solve_step(h)).is_some() {
                return Ok(ready);
            }
        }
        stepper(solver, system, h, &self.exec)
    }
}

/// What follows from a whole model and a list of tears.
pub(crate) struct Parts<S> {
    pub system: System<S>,
    pub sources: Sources,
    pub removed: usize,
    pub topology: Option<Topology>,
}

/// What elements remember, from the elements of one system to those of another that came from the same.
pub(crate) fn carry<S: Precision>(
    memory: &[S],
    from: &System<S>,
    from_sources: &Sources,
    to: &System<S>,
    to_sources: &Sources,
) -> Vec<S> {
    let mut all = to.memory();
    let mut place = 0;
    for (batch, (group, sources)) in to.batches.iter().zip(to_sources) {
        let size = batch.memory() / sources.len().max(1);
        let own = &mut all[place..place + batch.memory()];
        place += batch.memory();
        if size == 0 {
            continue;
        }
        // Where the group stood, and which of its elements were there.
        let at = match from_sources.is_empty() {
            true => Some(*group),
            false => from_sources.iter().position(|(g, _)| g == group),
        };
        let Some(at) = at else { continue };
        let before: usize = from.batches[..at].iter().map(|b| b.memory()).sum();
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
            let old = &memory[before + first * size..][..size];
            own[i * size..(i + 1) * size].copy_from_slice(old);
        }
    }
    all
}
