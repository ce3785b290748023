//! Simulation: a model, its state and a solver; `step()` moves it on.

use std::sync::Arc;

use crate::Error;
use crate::build::Body;
use crate::contact::ContactMode;
use crate::integrator::Integrator;
use crate::model::Model;
use crate::parallel::Exec;
use crate::past::Past;
use crate::report::{StepReport, Warning};
use crate::retopology::{Parts, Sources};
use crate::simd::{Lanes, Point};
use crate::solvers::{AnySolver, Memory, Solver, Stepper};
use crate::state::{State, tears_of};
use crate::step::Scratch;
use crate::system::{Precision, System};
use crate::tear::Tear;
use crate::torn::Topology;

/// A running simulation in precision `S`.
pub struct Simulation<S: Precision = f32> {
    pub(crate) system: System<S>,
    pub(crate) state: State<S>,
    pub(crate) stepper: Box<dyn Stepper<S>>,
    pub(crate) exec: Exec,
    pub(crate) scratch: Scratch<S>,
    pub(crate) report: StepReport,
    pub(crate) dt: f64,
    pub(crate) substeps: usize,
    pub(crate) diagnostics: bool,
    pub(crate) contact_mode: ContactMode,
    pub(crate) clock: fn() -> f64,
    pub(crate) solver: AnySolver,
    /// The model as described, without tears.
    pub(crate) whole: Arc<Model>,
    /// What hangs together, once anything can tear or was cut.
    pub(crate) topology: Option<Topology>,
    /// Where the elements came from, once anything tore.
    pub(crate) sources: Sources,
    /// Elements of the whole model that are no more.
    pub(crate) removed: usize,
    /// Room for what gives way in a step.
    pub(crate) proposed: Vec<Tear>,
    /// When the step began \[s\].
    began: f64,
    /// What the solver had to say when it was made ready; told once.
    notice: Option<Warning>,
}

impl Simulation<f32> {
    /// A simulation in single precision: the choice for real time.
    pub fn new(model: impl Into<Arc<Model>>, solver: impl Into<AnySolver>) -> Result<Self, Error> {
        Self::prepare(model, solver)
    }
}

impl<S: Precision> Simulation<S> {
    /// A simulation in the precision of the type: `Simulation::<f64>::prepare(model, solver)`.
    ///
    /// It refuses, with an error that names both, a solver that cannot honour the model.
    pub fn prepare(
        model: impl Into<Arc<Model>>,
        solver: impl Into<AnySolver>,
    ) -> Result<Self, Error> {
        let (model, solver) = (model.into(), solver.into());
        let dt = model.time_step();
        let topology = model.can_tear().then(|| Topology::new(model.clone()));
        let system = System::new(model.clone());
        let state = start(&system);
        let exec = Exec::serial();
        let substeps = solver.substeps().max(1);
        let stepper = stepper(&solver, &system, dt / substeps as f64, &exec)?;
        let notice = stepper.warning();
        let mut sim = Self {
            scratch: Scratch::empty(),
            report: StepReport::default(),
            diagnostics: true,
            contact_mode: ContactMode::default(),
            clock: default_clock(),
            system,
            state,
            stepper,
            exec,
            dt,
            substeps,
            solver,
            whole: model,
            topology,
            sources: Sources::new(),
            removed: 0,
            proposed: Vec::new(),
            began: 0.0,
            notice,
        };
        sim.state.past.reserve(sim.past_room());
        sim.scratch = sim.scratch(dt / substeps as f64);
        Ok(sim)
    }

    /// Moves on by one time step. Never fails: what goes wrong is a warning in the report.
    pub fn step(&mut self) -> &StepReport {
        let mut warnings = std::mem::take(&mut self.report.warnings);
        warnings.clear();
        // Each body may be set back before and after, each substep may not converge, and the solver
        // may have a notice; surfaces may cross.
        warnings.reserve(2 * self.system.model.bodies().len() + self.substeps + 2);
        warnings.extend(self.notice.take());
        self.report = StepReport { warnings, ..StepReport::default() };
        self.began = self.state.time;
        self.exec.clone().install(|| S::run_stages(self));
        &self.report
    }

    /// What the last step said.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// The model, with all that tore or was cut; [`Simulation::whole`] is the one that was described.
    pub fn model(&self) -> &Arc<Model> {
        &self.system.model
    }

    /// The masses and elements in this precision.
    pub fn system(&self) -> &System<S> {
        &self.system
    }

    /// Positions, velocities, step count and time.
    pub fn state(&self) -> &State<S> {
        &self.state
    }

    /// The state, to be changed at will. What is not finite is set back at the next step.
    pub fn state_mut(&mut self) -> &mut State<S> {
        &mut self.state
    }

    /// The solver's settings.
    pub fn solver(&self) -> &AnySolver {
        &self.solver
    }

    /// Threads and lanes.
    pub fn exec(&self) -> &Exec {
        &self.exec
    }

    /// The time step \[s\].
    pub fn time_step(&self) -> f64 {
        self.dt
    }

    /// A hash of every bit of the state.
    pub fn hash(&self) -> u64 {
        self.state.hash()
    }

    /// The state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        self.state.snapshot()
    }

    /// Continues from a snapshot of the same model, with the tears that it had then. On an error nothing
    /// changes.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let tears = tears_of::<S>(snapshot)?;
        if tears == self.state.tears {
            self.state.restore(snapshot)?;
        } else {
            let h = self.dt / self.substeps as f64;
            let parts = self.parts(&tears)?;
            let mut state = start(&parts.system);
            state.tears = tears;
            state.restore(snapshot)?;
            self.stepper = self.ready(&self.solver, &parts.system, h)?;
            self.replace(parts);
            self.state = state;
            self.state.past.reserve(self.past_room());
            self.scratch = self.scratch(h);
        }
        self.system.set_time(self.state.time);
        Ok(())
    }

    /// Back to the start.
    pub fn reset(&mut self) {
        if !self.state.tears.is_empty() {
            let h = self.dt / self.substeps as f64;
            self.replace(Parts {
                system: System::new(self.whole.clone()),
                sources: Sources::new(),
                removed: 0,
                topology: self.whole.can_tear().then(|| Topology::new(self.whole.clone())),
            });
            // It ran the whole model before.
            if let Ok(stepper) = self.ready(&self.solver, &self.system, h) {
                self.stepper = stepper;
            }
            self.state = start(&self.system);
            self.scratch = self.scratch(h);
        } else if !self.state.memory.is_empty() {
            // The elements remember what happened to them.
            self.system = System::new(self.system.model.clone());
        }
        self.state = start(&self.system);
        self.system.set_time(self.state.time);
        self.state.past.reserve(self.past_room());
    }

    /// Vertices whose past the integrator needs.
    pub(crate) fn past_room(&self) -> usize {
        if self.integrator() == Integrator::Bdf2 { self.system.len() } else { 0 }
    }

    /// Runs on `threads` threads from now on. The results do not change.
    pub fn set_threads(&mut self, threads: usize) {
        self.exec = Exec::new(threads, self.exec.lanes());
    }

    /// Runs kernels packed or one element at a time from now on. The results do not change.
    pub fn set_lanes(&mut self, lanes: Lanes) {
        self.exec = Exec::new(self.exec.threads(), lanes);
    }

    /// Whether reports carry energies, which cost about half an iteration. On unless switched off.
    pub fn set_diagnostics(&mut self, on: bool) {
        self.diagnostics = on;
    }

    /// How far steps go to keep surfaces apart. The mode is no part of snapshots.
    pub fn set_contact_mode(&mut self, mode: ContactMode) {
        self.contact_mode = mode;
    }

    /// How far steps go to keep surfaces apart.
    pub fn contact_mode(&self) -> ContactMode {
        self.contact_mode
    }

    /// How many edges of surfaces that touch each other cross triangles now, by exact arithmetic.
    pub fn crossings(&mut self) -> usize {
        let (x, time) = (&self.state.positions, self.state.time);
        self.scratch.detector.crossings(&self.system.model, x, time)
    }

    /// Sets the clock that times the stages \[s\]. The engine has none of its own on WebAssembly.
    pub fn set_clock(&mut self, clock: fn() -> f64) {
        self.clock = clock;
    }

    /// Changes the time step \[s\]. On an error nothing changes.
    pub fn set_time_step(&mut self, dt: f64) -> Result<(), Error> {
        check_time_step(dt)?;
        let h = dt / self.substeps as f64;
        self.stepper = self.ready(&self.solver, &self.system, h)?;
        self.notice = self.stepper.warning();
        self.dt = dt;
        self.renew_scratch(h);
        Ok(())
    }

    /// Changes the solver, on the same state. On an error nothing changes.
    pub fn set_solver(&mut self, solver: impl Into<AnySolver>) -> Result<(), Error> {
        let solver = solver.into();
        let substeps = solver.substeps().max(1);
        let h = self.dt / substeps as f64;
        self.stepper = self.ready(&solver, &self.system, h)?;
        self.notice = self.stepper.warning();
        (self.solver, self.substeps) = (solver, substeps);
        self.state.past.reserve(self.past_room());
        self.renew_scratch(h);
        Ok(())
    }

    /// Moves a pinned vertex to a target \[m\] instead of its own motion: it goes there straight and evenly over
    /// the next step, and stays.
    pub fn move_pin(&mut self, vertex: usize, target: [f64; 3]) -> Result<(), Error> {
        let points = self.system.len();
        let Some(i) = self.system.model.pins().iter().position(|p| p.vertex == vertex) else {
            return Err(Error::NoSuchVertex {
                what: "move_pin (of pinned vertices)",
                vertex,
                points,
            });
        };
        if target.iter().any(|c| !c.is_finite()) {
            return Err(Error::VertexNotFinite { what: "pin target", vertex });
        }
        self.state.targets[i] = Some(target);
        Ok(())
    }

    pub(crate) fn pin_target(&self, pin: usize, time: f64) -> [f64; 3] {
        let p = &self.system.model.pins()[pin];
        let Some(target) = self.state.targets[pin] else {
            let start = self.system.model.start_positions()[p.vertex];
            return p.motion.at(start, time);
        };
        let part = (time - self.began) / self.dt;
        if !(part < 1.0 - 1e-6) {
            return target;
        }
        let from = self.scratch.good[0][p.vertex].map(|c| c.to_f64());
        [0, 1, 2].map(|c| from[c] + part * (target[c] - from[c]))
    }

    /// Memory held by the solver, in bytes.
    pub fn solver_bytes(&self) -> Memory {
        self.stepper.bytes()
    }
}

impl Body {
    /// Where this body's vertices are \[m\], those that came by tears last; not those that only carry frames.
    pub fn positions<'a, S: Precision>(
        &self,
        sim: &'a Simulation<S>,
    ) -> impl Iterator<Item = [S; 3]> + 'a {
        let at = |v: usize| sim.state.positions[v];
        sim.system.model.bodies()[self.index].shown().map(at).map(|p| [p[0], p[1], p[2]])
    }
}

/// Refuses a step that is not positive and finite.
pub(crate) fn check_time_step(dt: f64) -> Result<(), Error> {
    if dt > 0.0 && dt.is_finite() { Ok(()) } else { Err(Error::TimeStep { value: dt }) }
}

/// A solver made ready for the problem that its integrator poses in a substep `h` \[s\].
pub(crate) fn stepper<S: Precision>(
    solver: &AnySolver,
    system: &System<S>,
    h: f64,
    exec: &Exec,
) -> Result<Box<dyn Stepper<S>>, Error> {
    S::stepper(solver, system, solver.integrator().solve_step(h), exec)
}

pub(crate) fn start<S: Precision>(system: &System<S>) -> State<S> {
    let model = &system.model;
    let point = |p: &[f64; 3], w: S| [S::from_f64(p[0]), S::from_f64(p[1]), S::from_f64(p[2]), w];
    let positions = model.start_positions().iter().zip(&system.inv_mass);
    let velocities = model.start_velocities().iter();
    State {
        positions: positions.map(|(p, &w)| point(p, w)).collect::<Vec<Point<S>>>(),
        velocities: velocities.map(|v| point(v, S::default())).collect(),
        step: 0,
        time: 0.0,
        targets: vec![None; model.pins().len()],
        past: Past::none(model.bodies().len()),
        memory: system.memory(),
        tears: Vec::new(),
        apart: false,
        grips: Vec::new(),
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
