//! The session: handles commands, steps the simulation, emits events.
//!
//! ```text
//! handle   a command: executed at once, or refused with a message; actions are added to the timeline
//! advance  one step if it is due: replayed actions, moves of grabbed vertices, the step itself,
//!          the record, the frame
//! ```
//!
//! A session has neither a thread nor a clock of its own: its owner calls [`Session::advance`] at the times
//! that [`Session::wait`] returns.

mod commands;
mod files;
mod frames;

use std::sync::Arc;

use crate::action::{Action, Timeline, TimelineEntry};
use crate::edited_scene::EditedScene;
use crate::error_meter::ErrorMeter;
use crate::grab::Grab;
use crate::history::History;
use crate::live_simulation::{LiveSimulation, RunConfig};
use crate::protocol::{Command, Event};
use crate::render_mesh::RenderMesh;
use crate::source::SceneSource;

/// Maximum number of frames not yet acknowledged while another is computed.
const MAX_FRAMES_IN_FLIGHT: u64 = 2;

/// Number of vertices above which solvers that factor a matrix in every iteration are slow.
const SLOW_SOLVER_MIN_VERTICES: usize = 1000;

/// Error of commands that need a scene.
const NO_SCENE: &str = "no scene is loaded; load one";

/// A live simulation behind messages.
///
/// ```
/// use pliant_session::{Command, Event, Session};
///
/// let mut session = Session::new(|| 0.0);
/// session.handle(Command::LoadScene { name: "rope".into(), size: Some(9) });
/// session.handle(Command::Step);
/// let frame = session.advance().into_iter().rev().find_map(|event| match event {
///     Event::Frame(frame) => Some(frame),
///     _ => None,
/// });
/// assert_eq!(frame.map(|f| f.step), Some(1));
/// ```
pub struct Session {
    run_config: RunConfig,
    live: Option<LiveSimulation>,
    render_mesh: Option<RenderMesh>,
    /// Rendered geometry of the second simulation, if it has torn differently.
    second_render_mesh: Option<RenderMesh>,
    version: u32,
    timeline: Timeline,
    history: History,
    grab: Option<Grab>,
    error_meter: ErrorMeter,
    playing: bool,
    speed: f64,
    /// Time at which the next step is due \[s\].
    next_step_time: f64,
    frames_sent: u64,
    frames_acknowledged: u64,
    /// Times of the last step of each simulation \[s\].
    step_seconds: [f64; 2],
    /// The last step and its hash, before any action after it.
    last_step_hash: (u64, u64),
    /// Expected result of a shared scene: a step and its hash.
    shared_hash: Option<(u64, u64)>,
    /// The latest command of a slider in motion; only the newest value is executed.
    pending_slider: Option<Command>,
    events: Vec<Event>,
}

impl Session {
    /// A session without a scene. The clock returns seconds from any origin; it times steps and paces them,
    /// and does not affect the simulation.
    pub fn new(clock: fn() -> f64) -> Self {
        Self {
            run_config: RunConfig { clock, threads: 1 },
            live: None,
            render_mesh: None,
            second_render_mesh: None,
            version: 0,
            timeline: Timeline::default(),
            history: History::default(),
            grab: None,
            error_meter: ErrorMeter::default(),
            playing: false,
            speed: 1.0,
            next_step_time: 0.0,
            frames_sent: 0,
            frames_acknowledged: 0,
            step_seconds: [0.0; 2],
            last_step_hash: (0, 0),
            shared_hash: None,
            pending_slider: None,
            events: Vec::new(),
        }
    }

    /// Takes a step if one is due, and returns all pending events.
    pub fn advance(&mut self) -> Vec<Event> {
        self.execute_pending();
        let now = self.now();
        if self.may_step() && now >= self.next_step_time {
            let interval = self.step_interval();
            // After a delay of less than a step the next one comes sooner; time beyond that is dropped.
            self.next_step_time = f64::max(self.next_step_time + interval, now);
            self.step_simulation();
        }
        std::mem::take(&mut self.events)
    }

    /// Time \[s\] until [`Session::advance`] has something to do; none while it waits for a command.
    pub fn wait(&self) -> Option<f64> {
        if !self.events.is_empty() || self.pending_slider.is_some() {
            return Some(0.0);
        }
        self.may_step().then(|| f64::max(self.next_step_time - self.now(), 0.0))
    }

    /// Current time \[s\].
    fn now(&self) -> f64 {
        (self.run_config.clock)()
    }

    /// True if a step may be taken, apart from its due time.
    fn may_step(&self) -> bool {
        let ahead = self.frames_sent.saturating_sub(self.frames_acknowledged);
        self.playing && self.live.is_some() && ahead < MAX_FRAMES_IN_FLIGHT
    }

    /// Time between steps \[s\].
    fn step_interval(&self) -> f64 {
        let dt = self.live.as_ref().map_or(0.0, |w| w.sim.time_step());
        if self.speed > 0.0 { dt / self.speed } else { dt }
    }

    /// Takes one step, with its actions, record and frame.
    fn step_simulation(&mut self) {
        self.replay_due_actions();
        self.move_grabbed();
        let clock = self.run_config.clock;
        let Some(live) = &mut self.live else { return };
        let start = clock();
        live.sim.step();
        let middle = clock();
        if let Some((_, sim)) = &mut live.second_sim {
            sim.step();
        }
        self.step_seconds = [middle - start, clock() - middle];
        let place = self.timeline.position();
        self.history.push(live.record(place));
        self.update_step_hash();
        self.verify_shared_hash();
        self.update_topology("tear");
        let time = f64::max(self.step_seconds[0] + self.step_seconds[1], self.step_interval());
        let comparison = match &mut self.live {
            Some(live) => self.error_meter.update(live, time, clock),
            None => None,
        };
        self.send_frame(comparison);
    }

    /// Applies the recorded actions of this step, after going back or from a shared scene.
    fn replay_due_actions(&mut self) {
        let Some(live) = &mut self.live else { return };
        let mut changed = false;
        while let Some(action) = self.timeline.next_due(live.sim.state().step) {
            changed |= !matches!(action, Action::MovePins { .. });
            match live.apply(&action) {
                Ok(note) => self.events.extend(note.map(Event::Note)),
                Err(problem) => self.events.push(Event::Error(format!(
                    "the recorded action at step {} cannot be replayed: {problem}",
                    live.sim.state().step
                ))),
            }
        }
        if changed {
            self.update_topology("replay");
            self.send_settings();
        }
    }

    /// Moves the grabbed vertices, and releases those of a grab that has ended.
    fn move_grabbed(&mut self) {
        let Some(live) = &self.live else { return };
        if let Some(grab) = &self.grab {
            if let Some(targets) = grab.targets(&live.sim) {
                let vertices = grab.vertices.clone();
                let _ = self.perform(Action::MovePins { vertices, targets });
            }
        } else if !live.grabbed_vertices.is_empty() && !self.timeline.has_future() {
            let vertices = live.grabbed_vertices.clone();
            let _ = self.perform(Action::Unpin { vertices });
            self.send_settings();
        }
    }

    /// Applies a new action; the recorded future is discarded.
    fn perform(&mut self, action: Action) -> Result<(), String> {
        let live = self.live.as_mut().ok_or(NO_SCENE)?;
        let note = live.apply(&action)?;
        self.events.extend(note.map(Event::Note));
        let done = match action {
            // Recorded with the parameters that were determined for the solver.
            Action::Solver { .. } => live.solver.action(),
            other => other,
        };
        let step = live.sim.state().step;
        self.timeline.push(step, done);
        self.history.truncate_after(step);
        self.shared_hash = self.shared_hash.filter(|(at, _)| *at <= step);
        Ok(())
    }

    /// Notes that a solver that factors a matrix in every iteration will be slow.
    pub(crate) fn warn_if_slow(&mut self, solver: &str) {
        let vertices = self.live.as_ref().map_or(0, |w| w.scene.model.len());
        if vertices > SLOW_SOLVER_MIN_VERTICES
            && ["newton", "constrained"].iter().any(|s| solver.starts_with(s))
        {
            self.events.push(Event::Note(format!(
                "{solver} is slow: a step with {vertices} vertices may take seconds"
            )));
        }
    }

    /// Stores the step and the hash of the state after a step.
    fn update_step_hash(&mut self) {
        if let Some(live) = &self.live {
            self.last_step_hash = (live.sim.state().step, live.sim.hash());
        }
    }

    /// Reports whether a shared scene reached its expected hash.
    fn verify_shared_hash(&mut self) {
        let Some((step, hash)) =
            self.shared_hash.filter(|(step, _)| *step == self.last_step_hash.0)
        else {
            return;
        };
        self.shared_hash = None;
        self.events.push(Event::Note(if self.last_step_hash.1 == hash {
            format!("step {step} is bit-identical to the shared simulation")
        } else {
            format!(
                "step {step} differs from the shared simulation: it was shared by another version"
            )
        }));
    }

    /// Sends new geometry if triangles or bodies changed.
    fn update_topology(&mut self, what: &str) {
        let Some(live) = &self.live else { return };
        if self.render_mesh.as_ref().is_none_or(|d| d.is_stale(&live.sim)) {
            let render_mesh = RenderMesh::new(&live.scene, &live.sim);
            self.version += 1;
            let (version, bodies) = (self.version, render_mesh.bodies.clone());
            self.render_mesh = Some(render_mesh);
            self.events.push(Event::Topology { version, bodies, what: what.to_owned() });
            self.send_settings();
        }
        let Some(live) = &self.live else { return };
        let torn_second =
            live.second_sim.as_ref().map(|(_, sim)| sim).filter(|s| s.tears() != live.sim.tears());
        self.second_render_mesh = match (torn_second, self.second_render_mesh.take()) {
            (None, _) => None,
            (Some(sim), Some(render_mesh)) if !render_mesh.is_stale(sim) => Some(render_mesh),
            (Some(sim), _) => Some(RenderMesh::new(&live.scene, sim)),
        };
    }

    /// Loads a scene and the actions to be replayed in it. On an error nothing has changed.
    fn load(&mut self, source: SceneSource, entries: Vec<TimelineEntry>) -> Result<(), String> {
        let edited_scene = EditedScene::new(Arc::new(source))?;
        let live = LiveSimulation::new(edited_scene, self.run_config)?;
        self.start(live, Timeline::from_entries(entries));
        Ok(())
    }

    /// Starts with a simulation and a timeline, part of which may already be applied.
    fn start(&mut self, live: LiveSimulation, timeline: Timeline) {
        self.history.clear();
        self.history.push(live.record(timeline.position()));
        self.render_mesh = Some(RenderMesh::new(&live.scene, &live.sim));
        (self.second_render_mesh, self.grab, self.shared_hash) = (None, None, None);
        self.version += 1;
        (self.live, self.timeline) = (Some(live), timeline);
        self.update_step_hash();
        self.step_seconds = [0.0; 2];
        self.next_step_time = self.now();
        self.error_meter.reset();
        self.send_scene();
        self.replay_due_actions();
        self.send_frame(None);
    }
}
