//! What each command does.

use crate::action::{Action, Timeline};
use crate::changes::Ball;
use crate::hand::{Hand, unsplit};
use crate::protocol::{Command, Event, SolverChoice};
use crate::setup::Setup;
use crate::solver::Settings;
use crate::source::Source;
use crate::world::World;

use super::{NO_SCENE, Session};

impl Session {
    /// Does what the user asks for, or says in words why not; then nothing has changed.
    pub fn handle(&mut self, command: Command) {
        if self.pending.as_ref().is_some_and(|p| !supersedes(&command, p)) {
            self.do_pending();
        }
        if is_slider(&command) {
            self.pending = Some(command);
        } else {
            self.answer(command);
        }
    }

    /// Does what a slider was last moved to.
    pub(super) fn do_pending(&mut self) {
        if let Some(command) = self.pending.take() {
            self.answer(command);
        }
    }

    fn answer(&mut self, command: Command) {
        if let Err(problem) = self.obey(command) {
            self.events.push(Event::Error(problem));
        }
    }

    fn obey(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::LoadScene { name, size } => self.load(Source::scene(&name, size)?, Vec::new()),
            Command::LoadText { file, text } => self.load_text(&file, &text),
            Command::LoadMesh { file, bytes, role } => {
                self.load(Source::mesh(&file, bytes, role)?, Vec::new())
            }
            Command::Play => self.play(true),
            Command::Pause => self.play(false),
            Command::Step => {
                self.play(false)?;
                self.take_step();
                Ok(())
            }
            Command::StepBack => {
                let step = self.world()?.sim.state().step;
                self.seek(step.checked_sub(1).ok_or("this is the first step")?)
            }
            Command::Seek { step } => self.seek(step),
            Command::ForgetFuture => {
                self.timeline.forget_future();
                let step = self.world()?.sim.state().step;
                self.records.forget_after(step);
                self.expected = None;
                self.show()
            }
            Command::Reset => self.reset(),
            Command::Pace { speed } => {
                if !(speed > 0.0) {
                    return Err(format!("a pace of {speed} cannot be; give a number above zero"));
                }
                self.speed = speed;
                self.due = self.now();
                self.send_settings();
                Ok(())
            }
            Command::Solver(choice) => {
                let action = self.settings(&choice)?.action();
                self.change(action)?;
                self.warn_of_slowness(&choice.name);
                Ok(())
            }
            Command::TimeStep { dt } => self.change(Action::TimeStep { dt }),
            Command::Gravity { g } => self.change(Action::Gravity { g }),
            Command::Wind { velocity, gust } => self.change(Action::Wind { velocity, gust }),
            Command::Parameters { values } => self.parameters(&values),
            Command::Grab { vertex, target } => self.grab(vertex, target),
            Command::Drag { target } => self.drag(target),
            Command::Release => self.release(),
            Command::Pin { vertex } => {
                let vertices = self.vertices(vertex)?;
                self.change(Action::Hold { vertices, hand: false })
            }
            Command::Unpin { vertex } => {
                let vertices = self.vertices(vertex)?;
                self.change(Action::Free { vertices })
            }
            Command::Throw { from, velocity, radius, density } => {
                let [from, velocity] = [from, velocity].map(|v| v.map(f64::from));
                let (radius, density) = (f64::from(radius), f64::from(density));
                self.change(Action::Throw { ball: Ball { from, velocity, radius, density } })
            }
            Command::Cut { from, to } => self.cut(from, to),
            Command::Compare(choice) => self.compare(choice),
            Command::Snapshot => self.save(),
            Command::LoadSnapshot { bytes } => self.load_snapshot(&bytes),
            Command::ExportGlb => self.export(),
            Command::Share => self.share(),
            Command::Threads { count } => {
                self.machine.threads = threads(count);
                if let Some(world) = &mut self.world {
                    world.set_threads(self.machine.threads);
                }
                Ok(())
            }
            Command::Ack { frame } => {
                self.acknowledged = self.acknowledged.max(frame).min(self.sent);
                Ok(())
            }
        }
    }

    pub(super) fn world(&self) -> Result<&World, String> {
        self.world.as_ref().ok_or_else(|| NO_SCENE.to_owned())
    }

    /// Does something new, and shows what has become of it.
    fn change(&mut self, action: Action) -> Result<(), String> {
        let what = match &action {
            Action::Throw { .. } => "a ball was thrown",
            Action::Cut { .. } => "cut",
            _ => "something changed",
        };
        self.act(action)?;
        self.look_at_topology(what);
        self.send_settings();
        self.show()
    }

    /// Sends a frame, unless the next step soon does.
    fn show(&mut self) -> Result<(), String> {
        if !self.playing {
            self.send_frame(None);
        }
        Ok(())
    }

    fn play(&mut self, on: bool) -> Result<(), String> {
        self.world()?;
        if self.playing != on {
            self.playing = on;
            self.due = self.now();
            self.events.push(Event::Playing(on));
        }
        Ok(())
    }

    fn seek(&mut self, step: u64) -> Result<(), String> {
        let world = self.world.as_mut().ok_or(NO_SCENE)?;
        let Some(record) = self.records.at(step) else {
            let range = self.records.range().unwrap_or_default();
            let [first, last] = range;
            return Err(format!(
                "step {step} is not recorded any more; steps {first} to {last} are"
            ));
        };
        world.restore(record)?;
        self.timeline.go_to(record.place);
        self.set_mark();
        self.hand = None;
        self.play(false)?;
        self.look_at_topology("back in time");
        self.send_settings();
        self.send_frame(None);
        Ok(())
    }

    /// To the start, with all settings but without what was done.
    fn reset(&mut self) -> Result<(), String> {
        let now = self.world()?;
        let mut world = World::new(Setup::new(now.setup.source.clone())?, self.machine)?;
        let mut settings = Vec::new();
        let (values, changes) = (&now.setup.values, &now.setup.changes);
        if !values.is_empty() {
            settings.push(Action::Material { values: values.clone() });
        }
        settings.extend(changes.gravity.map(|g| Action::Gravity { g }));
        settings.extend(changes.wind.map(|w| Action::Wind { velocity: w.velocity, gust: w.gust }));
        if now.sim.time_step() != world.sim.time_step() {
            settings.push(Action::TimeStep { dt: now.sim.time_step() });
        }
        if now.solver != world.solver {
            settings.push(now.solver.action());
        }
        let mut timeline = Timeline::default();
        for action in settings {
            world.apply(&action)?;
            timeline.push(0, action);
        }
        if let Some((rival, _)) = &now.rival {
            world.compare(rival.clone())?;
        }
        self.begin(world, timeline);
        Ok(())
    }

    fn settings(&self, choice: &SolverChoice) -> Result<Settings, String> {
        Settings::of(choice, &self.world()?.setup.base.description)
    }

    fn parameters(&mut self, values: &[(String, f64)]) -> Result<(), String> {
        let world = self.world()?;
        let mut solver = world.solver.clone();
        let mut material = std::collections::BTreeMap::new();
        for (name, value) in values {
            if !value.is_finite() {
                return Err(format!("{name} = {value} cannot be; give a finite number"));
            }
            match name.strip_prefix("solver.") {
                Some(number) => solver.numbers.insert(number.to_owned(), *value),
                None => material.insert(name.clone(), *value),
            };
        }
        // All or none: the solver's numbers are looked at before anything is done.
        solver.solver()?;
        let other = (solver != world.solver).then(|| solver.action());
        if !material.is_empty() {
            self.act(Action::Material { values: material })?;
        }
        if let Some(action) = other {
            self.act(action)?;
        }
        self.send_settings();
        self.show()
    }

    /// The vertices of the whole model that a drawn one stands for: one, or those of a rigid body.
    fn vertices(&self, drawn: u32) -> Result<Vec<u32>, String> {
        let (world, vertex) = (self.world()?, self.vertex(drawn)?);
        let model = world.sim.model();
        let body = model.body_of(vertex as usize).map(|b| &model.bodies()[b]);
        Ok(match body.filter(|b| b.carried.is_some()) {
            Some(rigid) => rigid.vertices.clone().map(|v| v as u32).collect(),
            None => vec![world.sim.origin(unsplit(&world.sim, vertex as usize)) as u32],
        })
    }

    /// The vertex of the present model that moves a drawn one.
    fn vertex(&self, drawn: u32) -> Result<u32, String> {
        let drawing = self.drawing.as_ref().ok_or(NO_SCENE)?;
        drawing.vertex_of.get(drawn as usize).copied().ok_or_else(|| {
            format!("there is no vertex {drawn}; there are {}", drawing.vertex_of.len())
        })
    }

    fn grab(&mut self, vertex: u32, target: [f32; 3]) -> Result<(), String> {
        if self.hand.is_some() {
            self.release()?;
        }
        let pointer = finite(target)?;
        let simulated = self.vertex(vertex)?;
        let (world, drawing) = (self.world()?, self.drawing.as_ref().ok_or(NO_SCENE)?);
        let x = drawing.positions(&world.sim);
        let place = [0, 1, 2].map(|c| f64::from(x[3 * vertex as usize + c]));
        let hand = Hand::new(&world.sim, vertex, place, simulated, pointer)?;
        self.act(Action::Hold { vertices: hand.vertices.clone(), hand: true })?;
        self.hand = Some(hand);
        self.send_settings();
        self.show()
    }

    fn drag(&mut self, target: [f32; 3]) -> Result<(), String> {
        let pointer = finite(target)?;
        if let Some(hand) = &mut self.hand {
            hand.pointer = pointer;
        }
        Ok(())
    }

    fn release(&mut self) -> Result<(), String> {
        if self.hand.take().is_none() {
            return Ok(());
        }
        let vertices = self.world()?.in_hand.clone();
        if !vertices.is_empty() {
            self.act(Action::Free { vertices })?;
        }
        self.send_settings();
        self.show()
    }

    fn cut(&mut self, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) -> Result<(), String> {
        let before = self.world()?.sim.tears().len();
        let [from, to] = [from, to].map(|ends| ends.map(|p| p.map(f64::from)));
        self.change(Action::Cut { from, to })?;
        if self.world()?.sim.tears().len() == before {
            self.events.push(Event::Note("the blade met no cloth".to_owned()));
        }
        Ok(())
    }

    fn compare(&mut self, choice: Option<SolverChoice>) -> Result<(), String> {
        let settings = choice.as_ref().map(|c| self.settings(c)).transpose()?;
        let world = self.world.as_mut().ok_or(NO_SCENE)?;
        match settings {
            None => world.rival = None,
            Some(settings) => world.compare(settings)?,
        }
        if let Some(choice) = choice {
            self.warn_of_slowness(&choice.name);
        }
        self.meter.restart();
        self.took[1] = 0.0;
        self.look_at_topology("compared");
        self.send_settings();
        self.show()
    }
}

/// How many threads there will be: in a browser there is one.
fn threads(count: u32) -> usize {
    if cfg!(target_arch = "wasm32") { 1 } else { count.clamp(1, 64) as usize }
}

/// Whether a command comes in numbers while a slider is moved, and takes longer than a frame to do.
fn is_slider(command: &Command) -> bool {
    matches!(command, Command::Gravity { .. } | Command::Wind { .. } | Command::Parameters { .. })
}

/// Whether the first of two commands leaves nothing of the second, or need not wait for it.
fn supersedes(new: &Command, old: &Command) -> bool {
    match (new, old) {
        (Command::Ack { .. } | Command::Drag { .. }, _) => true,
        (Command::Gravity { .. }, Command::Gravity { .. }) => true,
        (Command::Wind { .. }, Command::Wind { .. }) => true,
        (Command::Parameters { values: new }, Command::Parameters { values: old }) => {
            let names =
                |list: &[(String, f64)]| list.iter().map(|v| v.0.clone()).collect::<Vec<_>>();
            names(new) == names(old)
        }
        _ => false,
    }
}

fn finite(target: [f32; 3]) -> Result<[f64; 3], String> {
    match target.iter().all(|c| c.is_finite()) {
        true => Ok(target.map(f64::from)),
        false => Err("the pointer is nowhere; move it into the picture".to_owned()),
    }
}
