//! Execution of each command.

use crate::action::{Action, Timeline};
use crate::edited_scene::EditedScene;
use crate::edits::Ball;
use crate::grab::{Grab, unsplit};
use crate::live_simulation::LiveSimulation;
use crate::protocol::{Command, Event, SolverChoice};
use crate::solver::SolverSettings;
use crate::source::SceneSource;

use super::{NO_SCENE, Session};

impl Session {
    /// Executes a command of the user, or reports why it cannot be executed; then nothing has changed.
    pub fn handle(&mut self, command: Command) {
        if self.pending_slider.as_ref().is_some_and(|p| !supersedes(&command, p)) {
            self.execute_pending();
        }
        if is_coalescible(&command) {
            self.pending_slider = Some(command);
        } else {
            self.execute_or_report(command);
        }
    }

    /// Executes the pending command of a slider.
    pub(super) fn execute_pending(&mut self) {
        if let Some(command) = self.pending_slider.take() {
            self.execute_or_report(command);
        }
    }

    fn execute_or_report(&mut self, command: Command) {
        if let Err(problem) = self.execute(command) {
            self.events.push(Event::Error(problem));
        }
    }

    fn execute(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::LoadScene { name, size } => {
                self.load(SceneSource::built_in(&name, size)?, Vec::new())
            }
            Command::LoadText { file, text } => self.load_text(&file, &text),
            Command::LoadMesh { file, bytes, role } => {
                self.load(SceneSource::from_mesh(&file, bytes, role)?, Vec::new())
            }
            Command::Play => self.play(true),
            Command::Pause => self.play(false),
            Command::Step => {
                self.play(false)?;
                self.step_simulation();
                Ok(())
            }
            Command::StepBack => {
                let step = self.live()?.sim.state().step;
                self.seek(step.checked_sub(1).ok_or("already at the first step")?)
            }
            Command::Seek { step } => self.seek(step),
            Command::ForgetFuture => {
                self.timeline.discard_future();
                let step = self.live()?.sim.state().step;
                self.history.truncate_after(step);
                self.shared_hash = None;
                self.send_frame_if_paused()
            }
            Command::Reset => self.reset(),
            Command::Speed { speed } => {
                if !(speed > 0.0) {
                    return Err(format!("the speed is {speed}; it must be positive"));
                }
                self.speed = speed;
                self.next_step_time = self.now();
                self.send_settings();
                Ok(())
            }
            Command::Solver(choice) => {
                let action = self.solver_settings(&choice)?.action();
                self.apply_edit(action)?;
                self.warn_if_slow(&choice.name);
                Ok(())
            }
            Command::TimeStep { dt } => self.apply_edit(Action::TimeStep { dt }),
            Command::Gravity { g } => self.apply_edit(Action::Gravity { g }),
            Command::Wind { velocity, gust } => self.apply_edit(Action::Wind { velocity, gust }),
            Command::Parameters { values } => self.parameters(&values),
            Command::Grab { vertex, target } => self.grab(vertex, target),
            Command::Drag { target } => self.drag(target),
            Command::Release => self.release(),
            Command::Pin { vertex } => {
                let vertices = self.original_vertices(vertex)?;
                self.apply_edit(Action::Pin { vertices, by_grab: false })
            }
            Command::Unpin { vertex } => {
                let vertices = self.original_vertices(vertex)?;
                self.apply_edit(Action::Unpin { vertices })
            }
            Command::Throw { from, velocity, radius, density } => {
                let [from, velocity] = [from, velocity].map(|v| v.map(f64::from));
                let (radius, density) = (f64::from(radius), f64::from(density));
                self.apply_edit(Action::Throw { ball: Ball { from, velocity, radius, density } })
            }
            Command::Cut { from, to } => self.cut(from, to),
            Command::Compare(choice) => self.compare(choice),
            Command::Snapshot => self.save_snapshot(),
            Command::LoadSnapshot { bytes } => self.load_snapshot(&bytes),
            Command::ExportGlb => self.export(),
            Command::Share => self.share(),
            Command::Threads { count } => {
                self.run_config.threads = clamp_threads(count);
                if let Some(live) = &mut self.live {
                    live.set_threads(self.run_config.threads);
                }
                Ok(())
            }
            Command::Ack { frame } => {
                self.frames_acknowledged =
                    self.frames_acknowledged.max(frame).min(self.frames_sent);
                Ok(())
            }
        }
    }

    pub(super) fn live(&self) -> Result<&LiveSimulation, String> {
        self.live.as_ref().ok_or_else(|| NO_SCENE.to_owned())
    }

    /// Applies a new action, and sends the resulting frame.
    fn apply_edit(&mut self, action: Action) -> Result<(), String> {
        let what = match &action {
            Action::Throw { .. } => "ball added",
            Action::Cut { .. } => "cut",
            _ => "scene changed",
        };
        self.perform(action)?;
        self.update_topology(what);
        self.send_settings();
        self.send_frame_if_paused()
    }

    /// Sends a frame, unless the next step will soon send one.
    fn send_frame_if_paused(&mut self) -> Result<(), String> {
        if !self.playing {
            self.send_frame(None);
        }
        Ok(())
    }

    fn play(&mut self, on: bool) -> Result<(), String> {
        self.live()?;
        if self.playing != on {
            self.playing = on;
            self.next_step_time = self.now();
            self.events.push(Event::Playing(on));
        }
        Ok(())
    }

    fn seek(&mut self, step: u64) -> Result<(), String> {
        let live = self.live.as_mut().ok_or(NO_SCENE)?;
        let Some(record) = self.history.get(step) else {
            let range = self.history.range().unwrap_or_default();
            let [first, last] = range;
            return Err(format!("step {step} is not recorded; steps {first} to {last} are"));
        };
        live.restore(record)?;
        self.timeline.seek(record.timeline_position);
        self.update_step_hash();
        self.grab = None;
        self.play(false)?;
        self.update_topology("seek");
        self.send_settings();
        self.send_frame(None);
        Ok(())
    }

    /// Returns to the start, with all settings but without the actions.
    fn reset(&mut self) -> Result<(), String> {
        let now = self.live()?;
        let mut live =
            LiveSimulation::new(EditedScene::new(now.scene.source.clone())?, self.run_config)?;
        let mut settings = Vec::new();
        let (values, edits) = (&now.scene.material_values, &now.scene.edits);
        if !values.is_empty() {
            settings.push(Action::Material { values: values.clone() });
        }
        settings.extend(edits.gravity.map(|g| Action::Gravity { g }));
        settings.extend(edits.wind.map(|w| Action::Wind { velocity: w.velocity, gust: w.gust }));
        if now.sim.time_step() != live.sim.time_step() {
            settings.push(Action::TimeStep { dt: now.sim.time_step() });
        }
        if now.solver != live.solver {
            settings.push(now.solver.action());
        }
        let mut timeline = Timeline::default();
        for action in settings {
            live.apply(&action)?;
            timeline.push(0, action);
        }
        if let Some((second_settings, _)) = &now.second_sim {
            live.start_second_sim(second_settings.clone())?;
        }
        self.start(live, timeline);
        Ok(())
    }

    fn solver_settings(&self, choice: &SolverChoice) -> Result<SolverSettings, String> {
        SolverSettings::from_choice(choice, &self.live()?.scene.built.description)
    }

    fn parameters(&mut self, values: &[(String, f64)]) -> Result<(), String> {
        let live = self.live()?;
        let mut solver = live.solver.clone();
        let mut material = std::collections::BTreeMap::new();
        for (name, value) in values {
            if !value.is_finite() {
                return Err(format!("{name} is {value}; it must be finite"));
            }
            match name.strip_prefix("solver.") {
                Some(setting) => solver.change(setting, *value)?,
                None => {
                    material.insert(name.clone(), *value);
                }
            }
        }
        // All or none: the solver's parameters are validated before anything is applied.
        solver.solver()?;
        let other = (solver != live.solver).then(|| solver.action());
        if !material.is_empty() {
            self.perform(Action::Material { values: material })?;
        }
        if let Some(action) = other {
            self.perform(action)?;
        }
        self.send_settings();
        self.send_frame_if_paused()
    }

    /// Vertices of the original model behind a drawn vertex: one, or all of a rigid body.
    fn original_vertices(&self, render_vertex: u32) -> Result<Vec<u32>, String> {
        let (live, vertex) = (self.live()?, self.simulated_vertex(render_vertex)?);
        let model = live.sim.model();
        let body = model.body_of(vertex as usize).map(|b| &model.bodies()[b]);
        Ok(match body.filter(|b| b.rigid_frame.is_some()) {
            Some(rigid) => rigid.vertices.clone().map(|v| v as u32).collect(),
            None => vec![live.sim.original_vertex(unsplit(&live.sim, vertex as usize)) as u32],
        })
    }

    /// Vertex of the present model that moves a drawn vertex.
    fn simulated_vertex(&self, render_vertex: u32) -> Result<u32, String> {
        let render_mesh = self.render_mesh.as_ref().ok_or(NO_SCENE)?;
        render_mesh.simulated_vertex.get(render_vertex as usize).copied().ok_or_else(|| {
            format!(
                "there is no vertex {render_vertex}; the scene has {}",
                render_mesh.simulated_vertex.len()
            )
        })
    }

    fn grab(&mut self, vertex: u32, target: [f32; 3]) -> Result<(), String> {
        if self.grab.is_some() {
            self.release()?;
        }
        let pointer = checked_target(target)?;
        let simulated = self.simulated_vertex(vertex)?;
        let (live, render_mesh) = (self.live()?, self.render_mesh.as_ref().ok_or(NO_SCENE)?);
        let x = render_mesh.positions(&live.sim);
        let place = [0, 1, 2].map(|c| f64::from(x[3 * vertex as usize + c]));
        let grab = Grab::new(&live.sim, vertex, place, simulated, pointer)?;
        self.perform(Action::Pin { vertices: grab.vertices.clone(), by_grab: true })?;
        self.grab = Some(grab);
        self.send_settings();
        self.send_frame_if_paused()
    }

    fn drag(&mut self, target: [f32; 3]) -> Result<(), String> {
        let pointer = checked_target(target)?;
        if let Some(grab) = &mut self.grab {
            grab.target = pointer;
        }
        Ok(())
    }

    fn release(&mut self) -> Result<(), String> {
        if self.grab.take().is_none() {
            return Ok(());
        }
        let vertices = self.live()?.grabbed_vertices.clone();
        if !vertices.is_empty() {
            self.perform(Action::Unpin { vertices })?;
        }
        self.send_settings();
        self.send_frame_if_paused()
    }

    fn cut(&mut self, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) -> Result<(), String> {
        let before = self.live()?.sim.tears().len();
        let [from, to] = [from, to].map(|ends| ends.map(|p| p.map(f64::from)));
        self.apply_edit(Action::Cut { from, to })?;
        if self.live()?.sim.tears().len() == before {
            self.events.push(Event::Note("the cut does not touch any cloth".to_owned()));
        }
        Ok(())
    }

    fn compare(&mut self, choice: Option<SolverChoice>) -> Result<(), String> {
        let settings = choice.as_ref().map(|c| self.solver_settings(c)).transpose()?;
        let live = self.live.as_mut().ok_or(NO_SCENE)?;
        match settings {
            None => live.second_sim = None,
            Some(settings) => live.start_second_sim(settings)?,
        }
        if let Some(choice) = choice {
            self.warn_if_slow(&choice.name);
        }
        self.error_meter.reset();
        self.step_seconds[1] = 0.0;
        self.update_topology("compared");
        self.send_settings();
        self.send_frame_if_paused()
    }
}

/// Limits the number of threads: one in a browser.
fn clamp_threads(count: u32) -> usize {
    if cfg!(target_arch = "wasm32") { 1 } else { count.clamp(1, 64) as usize }
}

/// True if a command is sent in quick succession while a slider is moved, and takes longer than a frame to
/// execute.
fn is_coalescible(command: &Command) -> bool {
    matches!(command, Command::Gravity { .. } | Command::Wind { .. } | Command::Parameters { .. })
}

/// True if the new command replaces the old one entirely, or need not wait for it.
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

fn checked_target(target: [f32; 3]) -> Result<[f64; 3], String> {
    match target.iter().all(|c| c.is_finite()) {
        true => Ok(target.map(f64::from)),
        false => {
            Err("the pointer position is not finite; move the pointer into the view".to_owned())
        }
    }
}
