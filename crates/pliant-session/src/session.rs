//! The session: takes commands, steps the simulation, tells what is to be seen.
//!
//! ```text
//! handle   a command: done at once, or refused in words; what was done goes on the timeline
//! advance  one step where it is due: what the timeline says, what the hand does, the step itself,
//!          the record, the frame
//! ```
//!
//! A session has no thread and no clock of its own: whoever drives it calls [`Session::advance`] as often
//! as [`Session::wait`] asks.

mod commands;
mod files;
mod frames;

use std::sync::Arc;

use crate::action::{Action, Entry, Timeline};
use crate::compare::Meter;
use crate::drawn::Drawing;
use crate::hand::Hand;
use crate::protocol::{Command, Event};
use crate::records::Records;
use crate::setup::Setup;
use crate::source::Source;
use crate::world::{Machine, World};

/// Frames that may be on their way to the user interface while another is computed.
const AHEAD: u64 = 2;

/// Vertices above which solvers that factor a matrix in every iteration are slow.
const SLOW: usize = 1000;

/// What is said where a command needs a scene.
const NO_SCENE: &str = "there is no scene yet; load one first";

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
    machine: Machine,
    world: Option<World>,
    drawing: Option<Drawing>,
    /// What is drawn of the second simulation, where it has torn in another way.
    rival_drawing: Option<Drawing>,
    version: u32,
    timeline: Timeline,
    records: Records,
    hand: Option<Hand>,
    meter: Meter,
    playing: bool,
    speed: f64,
    /// When the next step is due \[s\].
    due: f64,
    sent: u64,
    acknowledged: u64,
    /// What the last steps of both simulations took \[s\].
    took: [f64; 2],
    /// The last step and the hash there, before anything was done after it.
    mark: (u64, u64),
    /// Where a shared scene should lead: a step and the hash there.
    expected: Option<(u64, u64)>,
    /// The last command of a slider that is being moved: only where it comes to rest counts.
    pending: Option<Command>,
    events: Vec<Event>,
}

impl Session {
    /// A session without a scene. The clock gives seconds from any start; it times steps and sets the pace,
    /// and has no influence on what is simulated.
    pub fn new(clock: fn() -> f64) -> Self {
        Self {
            machine: Machine { clock, threads: 1 },
            world: None,
            drawing: None,
            rival_drawing: None,
            version: 0,
            timeline: Timeline::default(),
            records: Records::default(),
            hand: None,
            meter: Meter::default(),
            playing: false,
            speed: 1.0,
            due: 0.0,
            sent: 0,
            acknowledged: 0,
            took: [0.0; 2],
            mark: (0, 0),
            expected: None,
            pending: None,
            events: Vec::new(),
        }
    }

    /// Takes a step where one is due, and gives all that there is to tell.
    pub fn advance(&mut self) -> Vec<Event> {
        self.do_pending();
        let now = self.now();
        if self.is_ready() && now >= self.due {
            let interval = self.interval();
            // Late by less than a step, the next one comes sooner; later than that, time is lost.
            self.due = f64::max(self.due + interval, now);
            self.take_step();
        }
        std::mem::take(&mut self.events)
    }

    /// How long \[s\] until [`Session::advance`] has something to do; none where it waits for a command.
    pub fn wait(&self) -> Option<f64> {
        if !self.events.is_empty() || self.pending.is_some() {
            return Some(0.0);
        }
        self.is_ready().then(|| f64::max(self.due - self.now(), 0.0))
    }

    /// The time \[s\].
    fn now(&self) -> f64 {
        (self.machine.clock)()
    }

    /// Whether it would step if it were time.
    fn is_ready(&self) -> bool {
        let ahead = self.sent.saturating_sub(self.acknowledged);
        self.playing && self.world.is_some() && ahead < AHEAD
    }

    /// The time from one step to the next \[s\].
    fn interval(&self) -> f64 {
        let dt = self.world.as_ref().map_or(0.0, |w| w.sim.time_step());
        if self.speed > 0.0 { dt / self.speed } else { dt }
    }

    /// One step, with all that happens in it.
    fn take_step(&mut self) {
        self.play_again();
        self.move_hand();
        let clock = self.machine.clock;
        let Some(world) = &mut self.world else { return };
        let start = clock();
        world.sim.step();
        let middle = clock();
        if let Some((_, sim)) = &mut world.rival {
            sim.step();
        }
        self.took = [middle - start, clock() - middle];
        let place = self.timeline.place();
        self.records.push(world.record(place));
        self.set_mark();
        self.check_hash();
        self.look_at_topology("something gave way");
        let time = f64::max(self.took[0] + self.took[1], self.interval());
        let comparison = match &mut self.world {
            Some(world) => self.meter.look(world, time, clock),
            None => None,
        };
        self.send_frame(comparison);
    }

    /// Does what was done at this step before, where the user has gone back or opened a shared scene.
    fn play_again(&mut self) {
        let Some(world) = &mut self.world else { return };
        let mut changed = false;
        while let Some(action) = self.timeline.due(world.sim.state().step) {
            changed |= !matches!(action, Action::Move { .. });
            match world.apply(&action) {
                Ok(note) => self.events.extend(note.map(Event::Note)),
                Err(problem) => self.events.push(Event::Error(format!(
                    "what was done at step {} cannot be done again: {problem}",
                    world.sim.state().step
                ))),
            }
        }
        if changed {
            self.look_at_topology("as it was done before");
            self.send_settings();
        }
    }

    /// Moves what the hand holds. What a hand held that is there no more is let go.
    fn move_hand(&mut self) {
        let Some(world) = &self.world else { return };
        if let Some(hand) = &self.hand {
            if let Some(targets) = hand.targets(&world.sim) {
                let vertices = hand.vertices.clone();
                let _ = self.act(Action::Move { vertices, targets });
            }
        } else if !world.in_hand.is_empty() && !self.timeline.has_future() {
            let vertices = world.in_hand.clone();
            let _ = self.act(Action::Free { vertices });
            self.send_settings();
        }
    }

    /// Does something that is new: what was recorded after the present is forgotten.
    fn act(&mut self, action: Action) -> Result<(), String> {
        let world = self.world.as_mut().ok_or(NO_SCENE)?;
        let note = world.apply(&action)?;
        self.events.extend(note.map(Event::Note));
        let done = match action {
            // With the numbers that were found for it.
            Action::Solver { .. } => world.solver.action(),
            other => other,
        };
        let step = world.sim.state().step;
        self.timeline.push(step, done);
        self.records.forget_after(step);
        self.expected = self.expected.filter(|(at, _)| *at <= step);
        Ok(())
    }

    /// Says so where a solver that factors a matrix in every iteration will be slow.
    pub(crate) fn warn_of_slowness(&mut self, solver: &str) {
        let vertices = self.world.as_ref().map_or(0, |w| w.setup.model.len());
        if vertices > SLOW && ["newton", "constrained"].iter().any(|s| solver.starts_with(s)) {
            self.events.push(Event::Note(format!(
                "{solver} is made for exactness: with {vertices} vertices a step may take seconds"
            )));
        }
    }

    /// Notes where the simulation is after a step.
    fn set_mark(&mut self) {
        if let Some(world) = &self.world {
            self.mark = (world.sim.state().step, world.sim.hash());
        }
    }

    /// Says whether a shared scene led where it should.
    fn check_hash(&mut self) {
        let Some((step, hash)) = self.expected.filter(|(step, _)| *step == self.mark.0) else {
            return;
        };
        self.expected = None;
        self.events.push(Event::Note(if self.mark.1 == hash {
            format!("step {step} is the same as where it was shared, to the last bit")
        } else {
            format!("step {step} is not the same as where it was shared: another version made it")
        }));
    }

    /// Draws anew where triangles or bodies changed.
    fn look_at_topology(&mut self, what: &str) {
        let Some(world) = &self.world else { return };
        if self.drawing.as_ref().is_none_or(|d| d.is_stale(&world.sim)) {
            let drawing = Drawing::new(&world.setup, &world.sim);
            self.version += 1;
            let (version, bodies) = (self.version, drawing.bodies.clone());
            self.drawing = Some(drawing);
            self.events.push(Event::Topology { version, bodies, what: what.to_owned() });
            self.send_settings();
        }
        let Some(world) = &self.world else { return };
        let other =
            world.rival.as_ref().map(|(_, sim)| sim).filter(|s| s.tears() != world.sim.tears());
        self.rival_drawing = match (other, self.rival_drawing.take()) {
            (None, _) => None,
            (Some(sim), Some(drawing)) if !drawing.is_stale(sim) => Some(drawing),
            (Some(sim), _) => Some(Drawing::new(&world.setup, sim)),
        };
    }

    /// Begins with a scene, and with what is to be done in it. On an error nothing has changed.
    fn load(&mut self, source: Source, entries: Vec<Entry>) -> Result<(), String> {
        let setup = Setup::new(Arc::new(source))?;
        let world = World::new(setup, self.machine)?;
        self.begin(world, Timeline::of(entries));
        Ok(())
    }

    /// Begins with a world and a timeline of which some may be behind.
    fn begin(&mut self, world: World, timeline: Timeline) {
        self.records.clear();
        self.records.push(world.record(timeline.place()));
        self.drawing = Some(Drawing::new(&world.setup, &world.sim));
        (self.rival_drawing, self.hand, self.expected) = (None, None, None);
        self.version += 1;
        (self.world, self.timeline) = (Some(world), timeline);
        self.set_mark();
        self.took = [0.0; 2];
        self.due = self.now();
        self.meter.restart();
        self.send_scene();
        self.play_again();
        self.send_frame(None);
    }
}
