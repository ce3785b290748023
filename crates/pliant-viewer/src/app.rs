//! The application: it hears the simulation, shows the world, and does what the user asks.

mod exchange;

use std::sync::Arc;

use egui::{Rect, Sense, Ui};
use egui_glow::glow;
use pliant_session::Command;
use pliant_session::protocol::SolverChoice;

use crate::action::{Action, Wish, action_of};
use crate::graphics;
use crate::hand::{self, Hand};
use crate::link::{GivenFile, Host, Link};
use crate::messages::Messages;
use crate::panels::{self, Browser, Desk, Given, Room, Tab, solver};
use crate::start::Start;
use crate::theme;
use crate::view::{Pairing, View};
use crate::world::{Heard, World};

/// The viewer.
pub struct Viewer {
    pub(crate) world: World,
    pub(crate) view: View,
    pub(crate) hand: Hand,
    pub(crate) desk: Desk,
    pub(crate) messages: Messages,
    link: Box<dyn Link>,
    host: Box<dyn Host>,
    pub(crate) pictures: Vec<Rect>,
    pub(crate) saved: Option<(String, usize)>,
    /// Whether the next shared file is wanted as a link.
    wants_link: bool,
    /// What is sent once the file is loaded that the viewer began with.
    after_load: Vec<Command>,
    /// Whether the first scene was loaded because what was asked for could not be.
    rescued: bool,
    themed: Option<bool>,
    pub(crate) fps: f32,
    /// Where a picture is saved after so many steps, before the window closes.
    photograph: Option<(std::path::PathBuf, u64)>,
    /// Whether that picture was asked for.
    exposed: bool,
}

impl Viewer {
    /// A viewer that shows what it is told to begin with.
    pub fn new(
        ctx: &egui::Context,
        gl: Arc<glow::Context>,
        link: Box<dyn Link>,
        host: Box<dyn Host>,
        start: Start,
    ) -> Result<Self, String> {
        graphics::start(gl)?;
        theme::apply_fonts(ctx);
        let mut viewer = Self {
            world: World::default(),
            view: View::new(),
            hand: Hand::default(),
            desk: Desk::default(),
            messages: Messages::default(),
            link,
            host,
            pictures: Vec::new(),
            saved: None,
            wants_link: false,
            after_load: Vec::new(),
            rescued: false,
            themed: None,
            fps: 60.0,
            photograph: None,
            exposed: false,
        };
        match start.file {
            None => start.commands.iter().for_each(|c| viewer.link.send(c)),
            Some(file) => {
                viewer.after_load = start.commands;
                viewer.take(file, 0.0);
            }
        }
        Ok(viewer)
    }

    /// Saves a picture of the window after so many steps, and closes it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn photograph(&mut self, picture: Option<(std::path::PathBuf, u64)>) {
        self.photograph = picture;
    }

    /// Hears everything that came from the simulation.
    fn hear(&mut self, now: f64) {
        while let Some(event) = self.link.receive() {
            let heard = match event {
                Ok(event) => self.world.hear(event),
                Err(words) => Heard::Error(words),
            };
            match heard {
                Heard::Seen => {}
                Heard::Frame(frame) => {
                    if self.link.acknowledges() {
                        self.link.send(&Command::Ack { frame });
                    }
                    if let Some(warning) = self.world.frame.warnings.first() {
                        self.messages.say(now, warning.clone(), true);
                    }
                }
                Heard::Scene => {
                    self.hand.open();
                    self.desk.edits.clear();
                }
                Heard::File(file) => self.keep(&file, now),
                Heard::Note(text) => self.messages.say(now, text, false),
                Heard::Error(text) => self.hear_error(text, now),
            }
        }
    }

    /// Says what could not be done. Where there is no scene at all because of it, the first one is shown.
    fn hear_error(&mut self, text: String, now: f64) {
        let lost = self.world.scene.is_none();
        if lost && self.rescued {
            // What was asked of the scene that is not there.
            return;
        }
        self.messages.say(now, text, true);
        if lost {
            self.rescued = true;
            Start::first().commands.iter().for_each(|c| self.link.send(c));
        }
    }

    /// Does what the keys say, unless the user is writing.
    fn keys(&mut self, ctx: &egui::Context, now: f64) {
        if ctx.wants_keyboard_input() {
            return;
        }
        let pressed: Vec<egui::Key> = ctx.input(|i| {
            let key = |event: &egui::Event| match event {
                egui::Event::Key { key, pressed: true, modifiers, .. }
                    if !modifiers.ctrl && !modifiers.command && !modifiers.alt =>
                {
                    Some(*key)
                }
                _ => None,
            };
            i.events.iter().filter_map(key).collect()
        });
        for action in pressed.into_iter().filter_map(action_of) {
            self.act(action, ctx, now);
        }
    }

    /// Does something that a button or key asks for.
    fn act(&mut self, action: Action, ctx: &egui::Context, now: f64) {
        match action {
            Action::Play => {
                let wish = if self.world.playing { Command::Pause } else { Command::Play };
                self.link.send(&wish);
            }
            Action::Step => self.link.send(&Command::Step),
            Action::Back => self.link.send(&Command::StepBack),
            Action::Reset => self.link.send(&Command::Reset),
            Action::Solver(k) => self.choose_solver(k, now),
            Action::Compare => self.compare(),
            Action::Tool(tool) => self.hand.tool = tool,
            Action::Toggle(layer) => {
                let shown = self.view.shows(layer);
                *shown = !*shown;
            }
            Action::Fit => {
                let aspect = self.pictures.first().map_or(1.6, Rect::aspect_ratio);
                self.view.fit(&self.world, aspect);
            }
            Action::Theme => {
                self.view.dark = !self.view.dark;
                self.view.follows_system = false;
            }
            Action::Panels => self.desk.open = !self.desk.open,
            Action::Help => self.desk.help = !self.desk.help,
            Action::Screenshot => {
                ctx.send_viewport_cmd(egui::ViewportCommand::Screenshot(egui::UserData::default()));
            }
            Action::Snapshot => self.link.send(&Command::Snapshot),
            Action::Glb => self.link.send(&Command::ExportGlb),
            Action::Share => self.link.send(&Command::Share),
            Action::Link => {
                self.wants_link = true;
                self.link.send(&Command::Share);
            }
            Action::Open => {
                if !self.host.choose() {
                    self.desk.browser =
                        Some(Browser::new(std::env::current_dir().unwrap_or_default()));
                }
            }
            Action::Escape => {
                (self.desk.help, self.desk.report) = (false, false);
                (self.desk.mesh, self.desk.browser) = (None, None);
                if let Some(command) = self.hand.open() {
                    self.link.send(&command);
                }
            }
        }
    }

    fn choose_solver(&mut self, k: usize, now: f64) {
        let Some(info) = solver::main_ones(&self.world).get(k).copied() else { return };
        match &info.refusal {
            None => self.link.send(&Command::Solver(SolverChoice::named(&info.name))),
            Some(why) => {
                let words = format!("{} cannot run this scene: {why}", info.name);
                self.messages.say(now, words, true);
            }
        }
    }

    /// Begins or ends running a second solver.
    fn compare(&mut self) {
        if self.world.settings.rival.is_some() {
            return self.link.send(&Command::Compare(None));
        }
        self.desk.tab = Tab::Compare;
        let able = |name: &str| {
            let solvers = self.world.scene.as_ref().map_or(&[][..], |s| &s.solvers);
            solvers.iter().any(|s| s.name == name && s.refusal.is_none())
        };
        // Another than the one that runs, if the chosen one is the same or cannot.
        if !able(&self.desk.rival) || self.desk.rival == self.world.settings.solver.name {
            let other = solver::main_ones(&self.world)
                .into_iter()
                .find(|s| s.refusal.is_none() && s.name != self.world.settings.solver.name);
            if let Some(other) = other {
                self.desk.rival = other.name.clone();
            }
        }
        let choice = SolverChoice::named(&self.desk.rival);
        self.link.send(&Command::Compare(Some(choice)));
    }

    /// Shows all panels, and what is left of the window is the picture.
    fn panels(&mut self, ui: &mut Ui) -> Vec<Wish> {
        let room = Room::of(ui.max_rect().size());
        self.desk.buttons.clear();
        let mut given = Given {
            world: &self.world,
            view: &mut self.view,
            hand: &mut self.hand,
            desk: &mut self.desk,
            fps: self.fps,
            wishes: Vec::new(),
        };
        let given = &mut given;
        egui::TopBottomPanel::top("toolbar").show_inside(ui, |ui| {
            ui.add_space(2.0);
            panels::toolbar::show(ui, room, given);
            ui.add_space(2.0);
        });
        if given.desk.open {
            panels::layout::show(ui, room, given);
        }
        let ctx = ui.ctx().clone();
        panels::windows(&ctx, given);
        std::mem::take(&mut given.wishes)
    }

    /// Shows the picture, or the two of them, and follows the pointer over them.
    fn picture(&mut self, ui: &mut Ui, now: f64) {
        let whole = ui.available_rect_before_wrap();
        let two = self.world.rival.is_some() && self.view.pairing == Pairing::Beside;
        self.pictures = if two { panels::layout::halves(whole) } else { vec![whole] };
        self.view.meet(&self.world, self.pictures.len(), self.pictures[0].aspect_ratio());
        let mut commands = Vec::new();
        for (side, rect) in self.pictures.clone().into_iter().enumerate() {
            let response =
                ui.interact(rect, ui.id().with(("picture", side)), Sense::click_and_drag());
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "the simulation")
            });
            let shape = match &self.world.rival {
                Some(rival) if side == 1 => rival.clone(),
                _ => self.world.shape.clone(),
            };
            let known = side == 0 || !self.world.differs();
            let scene = hand::Scene { world: &self.world, shape: &shape, rect, known };
            self.hand.follow(&response, &scene, &mut self.view.camera, &mut commands);
            let shot = self.view.shot(&mut self.world, side, rect);
            let painter = ui.painter().with_clip_rect(rect);
            graphics::paint(&painter, rect, shot.into());
            let given = Given {
                world: &self.world,
                view: &mut self.view,
                hand: &mut self.hand,
                desk: &mut self.desk,
                fps: self.fps,
                wishes: Vec::new(),
            };
            panels::overlay::show(&painter, rect, &given, side);
            let stroke = egui::Stroke::new(2.5, theme::color([200, 52, 72]));
            painter.add(egui::Shape::line(self.hand.stroke().to_vec(), stroke));
            if response.contains_pointer() || self.hand.held().is_some() {
                ui.ctx().set_cursor_icon(cursor(&self.hand));
            }
        }
        commands.iter().for_each(|c| self.link.send(c));
        self.messages.age(now);
        panels::overlay::messages(ui.ctx(), whole, &mut self.messages);
    }
}

impl Viewer {
    /// Shows the whole of one frame.
    pub fn show(&mut self, ctx: &egui::Context) {
        let (now, dt) = ctx.input(|i| (i.time, i.unstable_dt));
        // While it stands still, pictures come when there is something new.
        if self.world.playing {
            let seconds = 1.0 / self.fps;
            self.fps = 1.0 / (seconds + 0.1 * (dt.clamp(1e-3, 1.0) - seconds));
            self.view.pace(self.fps, dt);
        }
        if let Some(theme) = ctx.system_theme().filter(|_| self.view.follows_system) {
            self.view.dark = theme == egui::Theme::Dark;
        }
        if self.themed != Some(self.view.dark) {
            self.themed = Some(self.view.dark);
            theme::apply(ctx, self.view.dark);
        }
        self.hear(now);
        self.take_files(ctx, now);
        self.screenshots(ctx, now);
        self.keys(ctx, now);
        let whole = egui::CentralPanel::default().frame(egui::Frame::NONE);
        let wishes = whole.show(ctx, |ui| {
            let wishes = self.panels(ui);
            self.picture(ui, now);
            wishes
        });
        for wish in wishes.inner {
            match wish {
                Wish::Send(command) => self.send(&command),
                Wish::Do(action) => self.act(action, ctx, now),
                Wish::Open(path) => match GivenFile::read(&path) {
                    Ok(file) => self.take(file, now),
                    Err(words) => self.messages.say(now, words, true),
                },
            }
        }
        let due = self.photograph.as_ref().is_some_and(|(_, step)| self.world.frame.step >= *step);
        if due && !self.exposed && self.world.scene.is_some() {
            self.exposed = true;
            self.act(Action::Screenshot, ctx, now);
        }
        if let Some(link) = self.desk.copied.take() {
            ctx.copy_text(link);
        }
        // While it plays there is always a next picture; else one comes with the next event.
        if self.world.playing || self.world.scene.is_none() {
            ctx.request_repaint();
        } else {
            ctx.request_repaint_after(std::time::Duration::from_millis(250));
        }
    }

    /// Sends what a panel asked for; a new scene plays.
    fn send(&mut self, command: &Command) {
        self.link.send(command);
        let loads = matches!(
            command,
            Command::LoadScene { .. }
                | Command::LoadMesh { .. }
                | Command::LoadText { .. }
                | Command::LoadSnapshot { .. }
        );
        if loads {
            self.after_load.drain(..).for_each(|c| self.link.send(&c));
            self.link.send(&Command::Play);
        }
    }
}

fn cursor(hand: &Hand) -> egui::CursorIcon {
    use crate::action::Tool;
    match hand.tool {
        Tool::Drag if hand.held().is_some() => egui::CursorIcon::Grabbing,
        Tool::Drag => egui::CursorIcon::Grab,
        Tool::Pin => egui::CursorIcon::PointingHand,
        Tool::Ball | Tool::Cut => egui::CursorIcon::Crosshair,
        Tool::Turn => egui::CursorIcon::AllScroll,
    }
}
