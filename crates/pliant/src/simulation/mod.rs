//! Simulation: a model, its state and a solver; [`Simulation::step`] advances them by one time step.
//!
//! * `mod.rs`: [`Simulation`], its construction, settings, snapshots and pins
//! * `precision.rs`: [`Precision`], the scalar types of simulations
//! * `step/`: the stages of a step
//! * `replace_model.rs`: continuing with a changed model from the same state
//! * `topology.rs`: tears and cuts while running, and the system rebuilt from them
//! * `pressure.rs`: volume and pressure of inflated bodies
//! * `accuracy.rs`: error and substeps of the adaptive solver
//! * `reference.rs`: motion of a scene as the time step goes to zero, on which solvers are measured
//! * `implicit_step.rs`: one implicit Euler step as a problem of its own, for comparing solvers
//! * `compatibility.rs`: table of elements and solvers that run together

pub(crate) mod accuracy;
pub(crate) mod compatibility;
pub(crate) mod implicit_step;
pub(crate) mod precision;
pub(crate) mod pressure;
pub(crate) mod reference;
pub(crate) mod replace_model;
pub(crate) mod step;
pub(crate) mod topology;
use crate::build::validate::check_time_step;
use std::sync::Arc;

use crate::Error;
use crate::build::Body;
use crate::contact::ContactMode;
use crate::dynamics::integrator::Integrator;
use crate::model::Model;
use crate::model::tearing::Tear;
use crate::parallel::Exec;
use crate::report::{StepReport, Warning};
use crate::simd::{Lanes, Point};
use crate::simulation::accuracy::{AdaptiveState, split_snapshot};
use crate::simulation::precision::Precision;
use crate::simulation::step::scratch::StepScratch;
use crate::simulation::topology::{ElementOrigins, RebuiltSystem};
use crate::solvers::{AnySolver, MemoryUsage, PreparedSolver, Solver};
use crate::system::System;
use crate::system::history::StepHistory;
use crate::system::state::{State, read_tears};
use crate::topology::split::Topology;

/// A running simulation in precision `S`.
pub struct Simulation<S: Precision = f32> {
    pub(crate) system: System<S>,
    pub(crate) state: State<S>,
    pub(crate) prepared_solver: Box<dyn PreparedSolver<S>>,
    pub(crate) exec: Exec,
    pub(crate) scratch: StepScratch<S>,
    pub(crate) report: StepReport,
    pub(crate) dt: f64,
    pub(crate) substeps: usize,
    pub(crate) diagnostics: bool,
    pub(crate) contact_mode: ContactMode,
    pub(crate) clock: fn() -> f64,
    pub(crate) solver: AnySolver,
    /// State of the adaptive solver; `None` for others.
    pub(crate) adaptive: Option<AdaptiveState<S>>,
    /// The model as it was built, without tears.
    pub(crate) original_model: Arc<Model>,
    /// Surface topology and the tears in it; `None` while nothing can tear and nothing was cut.
    pub(crate) topology: Option<Topology>,
    /// Elements of the original model from which the current ones stem; empty until something tears.
    pub(crate) element_origins: ElementOrigins,
    /// Number of elements of the original model that tears removed.
    pub(crate) removed_elements: usize,
    /// Tears found in a step; kept to reuse its memory.
    pub(crate) pending_tears: Vec<Tear>,
    /// Time at the start of the step \[s\].
    step_start_time: f64,
    /// Warning that the solver gave when it was prepared; reported once, by the next step.
    startup_warning: Option<Warning>,
}

impl Simulation<f32> {
    /// Creates a simulation in single precision, the choice for real time.
    pub fn new(model: impl Into<Arc<Model>>, solver: impl Into<AnySolver>) -> Result<Self, Error> {
        Self::with_precision(model, solver)
    }
}

impl<S: Precision> Simulation<S> {
    /// Creates a simulation in the precision of the type: `Simulation::<f64>::with_precision(model, solver)`.
    ///
    /// Returns an error that names both if the solver cannot run the model.
    pub fn with_precision(
        model: impl Into<Arc<Model>>,
        solver: impl Into<AnySolver>,
    ) -> Result<Self, Error> {
        let (model, solver) = (model.into(), solver.into());
        let dt = model.time_step();
        let topology = model.can_tear().then(|| Topology::new(model.clone()));
        let system = System::new(model.clone());
        let state = initial_state(&system);
        let exec = Exec::serial();
        let substeps = solver.substeps().max(1);
        let prepared = prepare_substep_solver(&solver, &system, dt / substeps as f64, &exec)?;
        let startup_warning = prepared.startup_warning();
        let mut sim = Self {
            scratch: StepScratch::empty(),
            report: StepReport::default(),
            diagnostics: true,
            contact_mode: ContactMode::default(),
            clock: default_clock(),
            system,
            state,
            prepared_solver: prepared,
            exec,
            dt,
            substeps,
            adaptive: AdaptiveState::new(&solver, &model),
            solver,
            original_model: model,
            topology,
            element_origins: ElementOrigins::new(),
            removed_elements: 0,
            pending_tears: Vec::new(),
            step_start_time: 0.0,
            startup_warning,
        };
        sim.state.history.reserve(sim.history_len());
        sim.scratch = sim.allocate_scratch(dt / substeps as f64);
        Ok(sim)
    }

    /// Advances by one time step. Never fails: problems are reported as warnings in the report.
    pub fn step(&mut self) -> &StepReport {
        let mut warnings = std::mem::take(&mut self.report.warnings);
        warnings.clear();
        // A body may be rolled back before and after the step, each substep may fail to converge, the solver
        // may have a startup warning, surfaces may intersect, and an accuracy may be missed.
        warnings.reserve(2 * self.system.model.bodies().len() + self.solver.substeps().max(1) + 3);
        warnings.extend(self.startup_warning.take());
        self.report = StepReport { warnings, ..StepReport::default() };
        self.step_start_time = self.state.time;
        self.exec.clone().install(|| S::run_stages(self));
        &self.report
    }

    /// Report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// The current model, with all tears and cuts; [`Simulation::original_model`] is the one without them.
    pub fn model(&self) -> &Arc<Model> {
        &self.system.model
    }

    /// Masses and elements in the precision of the simulation.
    pub fn system(&self) -> &System<S> {
        &self.system
    }

    /// Positions, velocities, step count and time.
    pub fn state(&self) -> &State<S> {
        &self.state
    }

    /// Mutable access to the state. Bodies with values that are not finite are rolled back at the next step.
    pub fn state_mut(&mut self) -> &mut State<S> {
        &mut self.state
    }

    /// The solver's settings.
    pub fn solver(&self) -> &AnySolver {
        &self.solver
    }

    /// Execution settings: number of threads and SIMD lanes.
    pub fn exec(&self) -> &Exec {
        &self.exec
    }

    /// The time step \[s\].
    pub fn time_step(&self) -> f64 {
        self.dt
    }

    /// Returns a hash of every bit of the state.
    pub fn hash(&self) -> u64 {
        let state = self.state.hash();
        self.adaptive.as_ref().map_or(state, |adaptive| adaptive.hash(state))
    }

    /// Returns the state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = self.state.snapshot();
        bytes.extend(self.adaptive.iter().flat_map(AdaptiveState::to_bytes));
        bytes
    }

    /// Restores a snapshot of the same model, with the tears that the model had then. On an error nothing
    /// changes.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let (snapshot, accuracy) = split_snapshot(snapshot)?;
        let tears = read_tears::<S>(snapshot)?;
        if tears == self.state.tears {
            self.state.restore(snapshot)?;
        } else {
            let h = self.dt / self.substeps as f64;
            let parts = self.rebuild_system(&tears)?;
            let mut state = initial_state(&parts.system);
            state.tears = tears;
            state.restore(snapshot)?;
            self.prepared_solver = self.prepare_solver(&self.solver, &parts.system, h)?;
            self.install_system(parts);
            self.state = state;
            self.state.history.reserve(self.history_len());
            self.scratch = self.allocate_scratch(h);
            self.adaptive = AdaptiveState::new(&self.solver, &self.system.model);
        }
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.restore(accuracy, &self.state);
        }
        self.system.set_time(self.state.time);
        Ok(())
    }

    /// Resets the state to the start, without tears.
    pub fn reset(&mut self) {
        if !self.state.tears.is_empty() {
            let h = self.dt / self.substeps as f64;
            self.install_system(RebuiltSystem {
                system: System::new(self.original_model.clone()),
                element_origins: ElementOrigins::new(),
                removed_elements: 0,
                topology: self
                    .original_model
                    .can_tear()
                    .then(|| Topology::new(self.original_model.clone())),
            });
            // The solver has run the original model before, so preparing it does not fail.
            if let Ok(prepared) = self.prepare_solver(&self.solver, &self.system, h) {
                self.prepared_solver = prepared;
            }
            self.state = initial_state(&self.system);
            self.scratch = self.allocate_scratch(h);
        } else if !self.state.plastic_state.is_empty() {
            // The elements hold plastic state, so they are built again.
            self.system = System::new(self.system.model.clone());
        }
        self.state = initial_state(&self.system);
        self.system.set_time(self.state.time);
        self.state.history.reserve(self.history_len());
        self.adaptive = AdaptiveState::new(&self.solver, &self.system.model);
    }

    /// Number of vertices whose history the integrator needs.
    pub(crate) fn history_len(&self) -> usize {
        if self.integrator() == Integrator::Bdf2 { self.system.len() } else { 0 }
    }

    /// Sets the number of threads. The results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.exec = Exec::new(threads, self.exec.lanes());
    }

    /// Selects kernels on SIMD packs or on one element at a time. The results do not depend on it.
    pub fn set_lanes(&mut self, lanes: Lanes) {
        self.exec = Exec::new(self.exec.threads(), lanes);
    }

    /// Enables energies in the reports, which cost about half an iteration. On by default.
    pub fn set_diagnostics(&mut self, on: bool) {
        self.diagnostics = on;
    }

    /// Sets the contact mode: the effort that steps spend to keep surfaces from intersecting. Snapshots do not
    /// contain the mode.
    pub fn set_contact_mode(&mut self, mode: ContactMode) {
        self.contact_mode = mode;
    }

    /// The contact mode.
    pub fn contact_mode(&self) -> ContactMode {
        self.contact_mode
    }

    /// Counts the edges that cross triangles now, of surfaces that collide with each other, by exact
    /// arithmetic.
    pub fn count_intersections(&mut self) -> usize {
        let (x, time) = (&self.state.positions, self.state.time);
        self.scratch.contact_pipeline.count_intersections(&self.system.model, x, time)
    }

    /// Sets the clock that times the stages of a step \[s\]. On WebAssembly the engine has no clock of its own.
    pub fn set_clock(&mut self, clock: fn() -> f64) {
        self.clock = clock;
    }

    /// Sets the time step \[s\]. On an error nothing changes.
    pub fn set_time_step(&mut self, dt: f64) -> Result<(), Error> {
        check_time_step(dt)?;
        let h = dt / self.substeps as f64;
        self.prepared_solver = self.prepare_solver(&self.solver, &self.system, h)?;
        self.startup_warning = self.prepared_solver.startup_warning();
        self.dt = dt;
        self.reallocate_scratch(h);
        self.restart_estimate();
        Ok(())
    }

    /// Replaces the solver and keeps the state. On an error nothing changes.
    pub fn set_solver(&mut self, solver: impl Into<AnySolver>) -> Result<(), Error> {
        let solver = solver.into();
        let substeps = solver.substeps().max(1);
        let h = self.dt / substeps as f64;
        self.prepared_solver = self.prepare_solver(&solver, &self.system, h)?;
        self.startup_warning = self.prepared_solver.startup_warning();
        self.adaptive = AdaptiveState::new(&solver, &self.system.model);
        (self.solver, self.substeps) = (solver, substeps);
        self.state.history.reserve(self.history_len());
        self.reallocate_scratch(h);
        Ok(())
    }

    /// Moves a pinned vertex to a target \[m\], which overrides its own motion: the vertex moves there in a
    /// straight line at constant speed over the next step, and stays.
    pub fn move_pin(&mut self, vertex: usize, target: [f64; 3]) -> Result<(), Error> {
        let Some(i) = self.system.model.pins().iter().position(|p| p.vertex == vertex) else {
            return Err(Error::NotPinned { vertex });
        };
        if target.iter().any(|c| !c.is_finite()) {
            return Err(Error::VertexNotFinite { what: "pin target", vertex });
        }
        self.state.pin_targets[i] = Some(target);
        Ok(())
    }

    pub(crate) fn pin_target(&self, pin: usize, time: f64) -> [f64; 3] {
        let p = &self.system.model.pins()[pin];
        let Some(target) = self.state.pin_targets[pin] else {
            let start = self.system.model.start_positions()[p.vertex];
            return p.motion.at(start, time);
        };
        let fraction = (time - self.step_start_time) / self.dt;
        if !(fraction < 1.0 - 1e-6) {
            return target;
        }
        let from = self.scratch.last_valid[0][p.vertex].map(|c| c.to_f64());
        [0, 1, 2].map(|c| from[c] + fraction * (target[c] - from[c]))
    }

    /// Memory held by the solver, in bytes.
    pub fn solver_memory(&self) -> MemoryUsage {
        self.prepared_solver.bytes()
    }
}

impl Body {
    /// Centre of mass of the body \[m\].
    pub fn centre_of_mass<S: Precision>(&self, sim: &Simulation<S>) -> [f64; 3] {
        let masses = &sim.model().masses()[self.vertices()];
        let own = &sim.state().positions[self.vertices()];
        let total: f64 = masses.iter().sum();
        let along = |c: usize| own.iter().zip(masses).map(|(p, m)| p[c].to_f64() * m).sum::<f64>();
        [0, 1, 2].map(|c| along(c) / total)
    }

    /// Iterates over the positions of this body's vertices \[m\], vertices created by tears last, without those
    /// that only carry frames.
    pub fn positions<'a, S: Precision>(
        &self,
        sim: &'a Simulation<S>,
    ) -> impl Iterator<Item = [S; 3]> + 'a {
        let at = |v: usize| sim.state.positions[v];
        sim.system.model.bodies()[self.index].visible_vertices().map(at).map(|p| [p[0], p[1], p[2]])
    }
}

/// Prepares a solver for the problem that its integrator poses in a substep of `h` \[s\].
pub(crate) fn prepare_substep_solver<S: Precision>(
    solver: &AnySolver,
    system: &System<S>,
    h: f64,
    exec: &Exec,
) -> Result<Box<dyn PreparedSolver<S>>, Error> {
    S::prepare_solver(solver, system, solver.integrator_for(&system.model).solve_step(h), exec)
}

pub(crate) fn initial_state<S: Precision>(system: &System<S>) -> State<S> {
    let model = &system.model;
    let point = |p: &[f64; 3], w: S| [S::from_f64(p[0]), S::from_f64(p[1]), S::from_f64(p[2]), w];
    let positions = model.start_positions().iter().zip(&system.inv_mass);
    let velocities = model.start_velocities().iter();
    State {
        positions: positions.map(|(p, &w)| point(p, w)).collect::<Vec<Point<S>>>(),
        velocities: velocities.map(|v| point(v, S::default())).collect(),
        step: 0,
        time: 0.0,
        pin_targets: vec![None; model.pins().len()],
        history: StepHistory::empty(model.bodies().len()),
        plastic_state: system.plastic_state(),
        tears: Vec::new(),
        intersection_free: false,
        friction_anchors: Vec::new(),
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn default_clock() -> fn() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    || START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(target_arch = "wasm32")]
fn default_clock() -> fn() -> f64 {
    || 0.0
}
