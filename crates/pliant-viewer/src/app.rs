//! The application: handles events of the simulation, shows the scene, executes user actions.

mod exchange;

use std::sync::Arc;

use egui::{Rect, Sense, Ui};
use egui_glow::glow;
use pliant_session::Command;
use pliant_session::protocol::SolverChoice;

use crate::action::{Action, UiRequest, action_of};
use crate::client_state::{ClientState, EventResult};
use crate::graphics;
use crate::launch_options::LaunchOptions;
use crate::messages::Messages;
use crate::panels::{self, FileBrowser, LayoutMode, PanelContext, Tab, UiState, solver};
use crate::platform::{Platform, SessionChannel, UserFile};
use crate::pointer::{self, Pointer};
use crate::theme;
use crate::view::{ComparisonLayout, View};

/// The viewer.
pub struct Viewer {
    pub(crate) client: ClientState,
    pub(crate) view: View,
    pub(crate) pointer: Pointer,
    pub(crate) ui_state: UiState,
    pub(crate) messages: Messages,
    channel: Box<dyn SessionChannel>,
    platform: Box<dyn Platform>,
    pub(crate) view_rects: Vec<Rect>,
    pub(crate) last_saved: Option<(String, usize)>,
    /// True if the next shared file is requested as a link.
    share_as_link: bool,
    /// Commands to send once the initial file is loaded.
    after_load: Vec<Command>,
    /// True if the default scene was loaded because the requested one could not be.
    fallback_loaded: bool,
    applied_dark: Option<bool>,
    pub(crate) fps: f32,
    /// Path of a screenshot and number of steps before it is taken and the window closes.
    exit_screenshot: Option<(std::path::PathBuf, u64)>,
    /// True once that screenshot is requested.
    screenshot_requested: bool,
}

impl Viewer {
    /// Creates a viewer with its launch options.
    pub fn new(
        ctx: &egui::Context,
        gl: Arc<glow::Context>,
        channel: Box<dyn SessionChannel>,
        platform: Box<dyn Platform>,
        start: LaunchOptions,
    ) -> Result<Self, String> {
        graphics::initialize(gl)?;
        theme::apply_fonts(ctx);
        let mut viewer = Self {
            client: ClientState::default(),
            view: View::new(),
            pointer: Pointer::default(),
            ui_state: UiState::default(),
            messages: Messages::default(),
            channel,
            platform,
            view_rects: Vec::new(),
            last_saved: None,
            share_as_link: false,
            after_load: Vec::new(),
            fallback_loaded: false,
            applied_dark: None,
            fps: 60.0,
            exit_screenshot: None,
            screenshot_requested: false,
        };
        match start.file {
            None => start.commands.iter().for_each(|c| viewer.channel.send(c)),
            Some(file) => {
                viewer.after_load = start.commands;
                viewer.open_file(file, 0.0);
            }
        }
        Ok(viewer)
    }

    /// Saves a screenshot of the window after a number of steps, and closes the window.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn screenshot_and_exit(&mut self, picture: Option<(std::path::PathBuf, u64)>) {
        self.exit_screenshot = picture;
    }

    /// Handles all pending events of the simulation.
    fn poll_session(&mut self, now: f64) {
        while let Some(event) = self.channel.receive() {
            let result = match event {
                Ok(event) => self.client.handle_event(event),
                Err(words) => EventResult::Error(words),
            };
            match result {
                EventResult::Handled => {}
                EventResult::Frame(frame) => {
                    if self.channel.requires_ack() {
                        self.channel.send(&Command::Ack { frame });
                    }
                    if let Some(warning) = self.client.frame.warnings.first() {
                        self.messages.push(now, warning.clone(), true);
                    }
                }
                EventResult::Scene => {
                    self.pointer.cancel();
                    self.ui_state.pending_edits.clear();
                }
                EventResult::File(file) => self.save_file(&file, now),
                EventResult::Note(text) => self.messages.push(now, text, false),
                EventResult::Error(text) => self.handle_error(text, now),
            }
        }
    }

    /// Shows an error. If no scene is loaded because of it, the default scene is loaded.
    fn handle_error(&mut self, text: String, now: f64) {
        let lost = self.client.scene.is_none();
        if lost && self.fallback_loaded {
            // This error belongs to a command for the scene that failed to load.
            return;
        }
        self.messages.push(now, text, true);
        if lost {
            self.fallback_loaded = true;
            LaunchOptions::default_scene().commands.iter().for_each(|c| self.channel.send(c));
        }
    }

    /// Executes keyboard shortcuts, unless a text field has the focus.
    fn handle_keys(&mut self, ctx: &egui::Context, now: f64) {
        if ctx.wants_keyboard_input() {
            return;
        }
        let pressed_keys: Vec<egui::Key> = ctx.input(|i| {
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
        for action in pressed_keys.into_iter().filter_map(action_of) {
            self.perform(action, ctx, now);
        }
    }

    /// Executes the action of a button or key.
    fn perform(&mut self, action: Action, ctx: &egui::Context, now: f64) {
        match action {
            Action::Play => {
                let command = if self.client.playing { Command::Pause } else { Command::Play };
                self.channel.send(&command);
            }
            Action::Step => self.channel.send(&Command::Step),
            Action::StepBack => self.channel.send(&Command::StepBack),
            Action::Reset => self.channel.send(&Command::Reset),
            Action::Solver(k) => self.choose_solver(k, now),
            Action::Compare => self.compare(),
            Action::Tool(tool) => self.pointer.tool = tool,
            Action::Toggle(layer) => {
                let is_visible = self.view.layer_mut(layer);
                *is_visible = !*is_visible;
            }
            Action::Fit => {
                let aspect = self.view_rects.first().map_or(1.6, Rect::aspect_ratio);
                self.view.fit(&self.client, aspect);
            }
            Action::Theme => {
                self.view.dark = !self.view.dark;
                self.view.follows_system = false;
            }
            Action::Panels => self.ui_state.panels_open = !self.ui_state.panels_open,
            Action::Help => self.ui_state.help_open = !self.ui_state.help_open,
            Action::Screenshot => {
                ctx.send_viewport_cmd(egui::ViewportCommand::Screenshot(egui::UserData::default()));
            }
            Action::Snapshot => self.channel.send(&Command::Snapshot),
            Action::ExportGlb => self.channel.send(&Command::ExportGlb),
            Action::Share => self.channel.send(&Command::Share),
            Action::Link => {
                self.share_as_link = true;
                self.channel.send(&Command::Share);
            }
            Action::Open => {
                if !self.platform.open_file_dialog() {
                    self.ui_state.browser =
                        Some(FileBrowser::new(std::env::current_dir().unwrap_or_default()));
                }
            }
            Action::Escape => {
                (self.ui_state.help_open, self.ui_state.report_open) = (false, false);
                (self.ui_state.pending_mesh, self.ui_state.browser) = (None, None);
                if let Some(command) = self.pointer.cancel() {
                    self.channel.send(&command);
                }
            }
        }
    }

    fn choose_solver(&mut self, k: usize, now: f64) {
        let Some(info) = solver::base_solvers(&self.client).get(k).copied() else { return };
        match &info.refusal {
            None => self.channel.send(&Command::Solver(SolverChoice::named(&info.name))),
            Some(why) => {
                let words = format!("{} is not available for this scene: {why}", info.name);
                self.messages.push(now, words, true);
            }
        }
    }

    /// Starts or ends the second solver.
    fn compare(&mut self) {
        if self.client.settings.second_solver.is_some() {
            return self.channel.send(&Command::Compare(None));
        }
        self.ui_state.tab = Tab::Compare;
        let able = |name: &str| {
            let solvers = self.client.scene.as_ref().map_or(&[][..], |s| &s.solvers);
            solvers.iter().any(|s| s.name == name && s.refusal.is_none())
        };
        // Another solver than the running one, if the selected one is the same or refuses the scene.
        if !able(&self.ui_state.second_solver)
            || self.ui_state.second_solver == self.client.settings.solver.name
        {
            let other = solver::base_solvers(&self.client)
                .into_iter()
                .find(|s| s.refusal.is_none() && s.name != self.client.settings.solver.name);
            if let Some(other) = other {
                self.ui_state.second_solver = other.name.clone();
            }
        }
        let choice = SolverChoice::named(&self.ui_state.second_solver);
        self.channel.send(&Command::Compare(Some(choice)));
    }

    /// Shows all panels; the picture gets the rest of the window.
    fn panels(&mut self, ui: &mut Ui) -> Vec<UiRequest> {
        let mode = LayoutMode::for_size(ui.max_rect().size());
        self.ui_state.button_rects.clear();
        let mut context = PanelContext {
            client: &self.client,
            view: &mut self.view,
            pointer: &mut self.pointer,
            ui_state: &mut self.ui_state,
            fps: self.fps,
            requests: Vec::new(),
        };
        let context = &mut context;
        egui::TopBottomPanel::top("toolbar").show_inside(ui, |ui| {
            ui.add_space(2.0);
            panels::toolbar::show(ui, mode, context);
            ui.add_space(2.0);
        });
        if context.ui_state.panels_open {
            panels::layout::show(ui, mode, context);
        }
        let ctx = ui.ctx().clone();
        panels::windows(&ctx, context);
        std::mem::take(&mut context.requests)
    }

    /// Shows one or two views, and handles the pointer over them.
    fn show_views(&mut self, ui: &mut Ui, now: f64) {
        let whole = ui.available_rect_before_wrap();
        let two = self.client.second_vertices.is_some()
            && self.view.comparison_layout == ComparisonLayout::SideBySide;
        self.view_rects = if two { panels::layout::split_views(whole) } else { vec![whole] };
        self.view.frame_new_scene(
            &self.client,
            self.view_rects.len(),
            self.view_rects[0].aspect_ratio(),
        );
        let mut commands = Vec::new();
        for (side, rect) in self.view_rects.clone().into_iter().enumerate() {
            let response =
                ui.interact(rect, ui.id().with(("picture", side)), Sense::click_and_drag());
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "the simulation")
            });
            let shape = match &self.client.second_vertices {
                Some(second) if side == 1 => second.clone(),
                _ => self.client.vertices.clone(),
            };
            let pickable = side == 0 || !self.client.second_topology_differs();
            let scene =
                pointer::PickView { client: &self.client, vertices: &shape, rect, pickable };
            self.pointer.update(&response, &scene, &mut self.view.camera, &mut commands);
            let frame = self.view.render_frame(&mut self.client, side, rect);
            let painter = ui.painter().with_clip_rect(rect);
            graphics::paint(&painter, rect, frame.into());
            let context = PanelContext {
                client: &self.client,
                view: &mut self.view,
                pointer: &mut self.pointer,
                ui_state: &mut self.ui_state,
                fps: self.fps,
                requests: Vec::new(),
            };
            panels::overlay::show(&painter, rect, &context, side);
            let stroke = egui::Stroke::new(2.5, theme::color([200, 52, 72]));
            painter.add(egui::Shape::line(self.pointer.stroke().to_vec(), stroke));
            if response.contains_pointer() || self.pointer.grabbed().is_some() {
                ui.ctx().set_cursor_icon(cursor(&self.pointer));
            }
        }
        commands.iter().for_each(|c| self.channel.send(c));
        self.messages.remove_expired(now);
        panels::overlay::messages(ui.ctx(), whole, &mut self.messages);
    }
}

impl Viewer {
    /// Shows one complete frame of the user interface.
    pub fn show(&mut self, ctx: &egui::Context) {
        let (now, dt) = ctx.input(|i| (i.time, i.unstable_dt));
        // While paused, frames are drawn on demand and do not count.
        if self.client.playing {
            let seconds = 1.0 / self.fps;
            self.fps = 1.0 / (seconds + 0.1 * (dt.clamp(1e-3, 1.0) - seconds));
            self.view.adapt_quality(self.fps, dt);
        }
        if let Some(theme) = ctx.system_theme().filter(|_| self.view.follows_system) {
            self.view.dark = theme == egui::Theme::Dark;
        }
        if self.applied_dark != Some(self.view.dark) {
            self.applied_dark = Some(self.view.dark);
            theme::apply(ctx, self.view.dark);
        }
        self.poll_session(now);
        self.open_user_files(ctx, now);
        self.save_screenshots(ctx, now);
        self.handle_keys(ctx, now);
        let whole = egui::CentralPanel::default().frame(egui::Frame::NONE);
        let requests = whole.show(ctx, |ui| {
            let requests = self.panels(ui);
            self.show_views(ui, now);
            requests
        });
        for request in requests.inner {
            match request {
                UiRequest::Send(command) => self.send(&command),
                UiRequest::Do(action) => self.perform(action, ctx, now),
                UiRequest::Open(path) => match UserFile::read(&path) {
                    Ok(file) => self.open_file(file, now),
                    Err(words) => self.messages.push(now, words, true),
                },
            }
        }
        let due =
            self.exit_screenshot.as_ref().is_some_and(|(_, step)| self.client.frame.step >= *step);
        if due && !self.screenshot_requested && self.client.scene.is_some() {
            self.screenshot_requested = true;
            self.perform(Action::Screenshot, ctx, now);
        }
        if let Some(link) = self.ui_state.link_to_copy.take() {
            ctx.copy_text(link);
        }
        // While running, the next frame always follows; otherwise the next event triggers one.
        if self.client.playing || self.client.scene.is_none() {
            ctx.request_repaint();
        } else {
            ctx.request_repaint_after(std::time::Duration::from_millis(250));
        }
    }

    /// Sends the command of a panel; a new scene starts running.
    fn send(&mut self, command: &Command) {
        self.channel.send(command);
        let loads = matches!(
            command,
            Command::LoadScene { .. }
                | Command::LoadMesh { .. }
                | Command::LoadText { .. }
                | Command::LoadSnapshot { .. }
        );
        if loads {
            self.after_load.drain(..).for_each(|c| self.channel.send(&c));
            self.channel.send(&Command::Play);
        }
    }
}

fn cursor(pointer: &Pointer) -> egui::CursorIcon {
    use crate::action::Tool;
    match pointer.tool {
        Tool::Drag if pointer.grabbed().is_some() => egui::CursorIcon::Grabbing,
        Tool::Drag => egui::CursorIcon::Grab,
        Tool::Pin => egui::CursorIcon::PointingHand,
        Tool::Ball | Tool::Cut => egui::CursorIcon::Crosshair,
        Tool::Turn => egui::CursorIcon::AllScroll,
    }
}
