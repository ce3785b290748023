//! Event loop of the window: user input goes to the panels, their output to the screen.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{ViewportBuilder, ViewportEvent, ViewportId, ViewportInfo};
use egui_glow::glow;
use egui_winit::ActionRequested;
use winit::application::ApplicationHandler;
use winit::event::{StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::WindowId;

use super::clipboard::Clipboard;
use super::surface::Surface;
use crate::app::Viewer;
use crate::graphics;

/// Creates the viewer once there is a window.
pub type Create = Box<dyn FnOnce(&egui::Context, Arc<glow::Context>) -> Result<Viewer, String>>;

/// Background colour, visible between two views.
const CLEAR_COLOR: [f32; 4] = [0.033, 0.033, 0.033, 0.706];

/// A repaint request, from any thread.
#[derive(Debug)]
struct Repaint {
    /// Time of the repaint.
    when: Instant,
    /// Pass in which it was requested.
    pass: u64,
}

/// Opens a window, and returns once it is closed.
pub fn open(builder: ViewportBuilder, create: Create) -> Result<(), Box<dyn Error>> {
    let events = EventLoop::with_user_event().build()?;
    let mut handler = Handler {
        builder,
        create: Some(create),
        proxy: events.create_proxy(),
        open_window: None,
        next_redraw: None,
        error: None,
    };
    events.run_app(&mut handler)?;
    handler.error.map_or(Ok(()), Err)
}

/// State of the event loop, before and while the window is open.
struct Handler {
    builder: ViewportBuilder,
    create: Option<Create>,
    proxy: EventLoopProxy<Repaint>,
    open_window: Option<OpenWindow>,
    /// Time of the next frame.
    next_redraw: Option<Instant>,
    error: Option<Box<dyn Error>>,
}

impl Handler {
    fn start(
        &mut self,
        events: &ActiveEventLoop,
        create: Create,
    ) -> Result<OpenWindow, Box<dyn Error>> {
        let ctx = egui::Context::default();
        let proxy = self.proxy.clone();
        ctx.set_request_repaint_callback(move |info| {
            let when = Instant::now() + info.delay.min(Duration::from_secs(3600));
            // After the window is closed, there is no receiver.
            let _ = proxy.send_event(Repaint { when, pass: info.current_cumulative_pass_nr });
        });
        // Hidden until the first frame is drawn.
        let builder = self.builder.clone().with_visible(false);
        let attributes = egui_winit::create_winit_window_attributes(&ctx, builder.clone());
        let surface = Surface::open(events, attributes)?;
        egui_winit::apply_viewport_builder_to_window(&ctx, &surface.window, &builder);
        let painter = egui_glow::Painter::new(surface.gl.clone(), "", None, true)?;
        let mut state = egui_winit::State::new(
            ctx.clone(),
            ViewportId::ROOT,
            events,
            Some(surface.window.scale_factor() as f32),
            events.system_theme(),
            Some(painter.max_texture_side()),
        );
        let mut info = ViewportInfo::default();
        egui_winit::update_viewport_info(&mut info, &ctx, &surface.window, true);
        let clipboard = Clipboard::replace(&mut state);
        let viewer = create(&ctx, surface.gl.clone())?;
        Ok(OpenWindow { viewer, painter, state, clipboard, info, ctx, visible: false, surface })
    }

    fn fail(&mut self, events: &ActiveEventLoop, failure: Box<dyn Error>) {
        self.error.get_or_insert(failure);
        events.exit();
    }

    fn redraw(&mut self, events: &ActiveEventLoop) {
        let Some(shown) = &mut self.open_window else { return };
        match shown.redraw() {
            Ok(true) => events.exit(),
            Ok(false) => {}
            Err(failure) => self.fail(events, failure),
        }
    }
}

impl ApplicationHandler<Repaint> for Handler {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        let Some(create) = self.create.take() else { return };
        match self.start(events, create) {
            Ok(shown) => {
                self.open_window = Some(shown);
                self.next_redraw = Some(Instant::now());
            }
            Err(failure) => self.fail(events, failure),
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, _: StartCause) {
        if let Some(shown) = &self.open_window
            && self.next_redraw.take_if(|due| *due <= Instant::now()).is_some()
        {
            shown.surface.window.request_redraw();
        }
    }

    fn user_event(&mut self, _: &ActiveEventLoop, Repaint { when, pass }: Repaint) {
        let Some(shown) = &self.open_window else { return };
        // An older request is already fulfilled.
        let now = shown.ctx.cumulative_pass_nr_for(ViewportId::ROOT);
        if now == pass || now == pass + 1 {
            self.next_redraw = Some(self.next_redraw.map_or(when, |due| due.min(when)));
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.open_window else { return };
        match event {
            WindowEvent::RedrawRequested => return self.redraw(events),
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return events.exit(),
            WindowEvent::Resized(size) if size.width > 0 && size.height > 0 => {
                shown.surface.resize();
            }
            _ => {}
        }
        let before = shown.state.egui_input().events.len();
        let response = shown.state.on_window_event(&shown.surface.window, &event);
        shown.clipboard.paste(&mut shown.state.egui_input_mut().events, before);
        if response.repaint {
            self.next_redraw = Some(Instant::now());
            // Windows needs a redraw at once while the size changes.
            if cfg!(target_os = "windows") && matches!(event, WindowEvent::Resized(_)) {
                self.redraw(events);
            }
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        self.new_events(events, StartCause::Poll);
        events.set_control_flow(self.next_redraw.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        if let Some(mut shown) = self.open_window.take() {
            graphics::release();
            shown.painter.destroy();
        }
    }
}

/// The open window and everything in it. Fields are dropped in this order.
struct OpenWindow {
    viewer: Viewer,
    painter: egui_glow::Painter,
    state: egui_winit::State,
    clipboard: Clipboard,
    info: ViewportInfo,
    ctx: egui::Context,
    visible: bool,
    surface: Surface,
}

impl OpenWindow {
    /// Draws one frame. Returns true if the window should close.
    fn redraw(&mut self) -> Result<bool, Box<dyn Error>> {
        let size = self.surface.size();
        let window = &self.surface.window;
        if size.contains(&0) || window.is_minimized() == Some(true) {
            // On some systems an invisible window would draw without a pause.
            std::thread::sleep(Duration::from_millis(10));
        }
        egui_winit::update_viewport_info(&mut self.info, &self.ctx, window, false);
        let mut input = self.state.take_egui_input(window);
        input.viewports = std::iter::once((ViewportId::ROOT, self.info.clone())).collect();
        self.info.events.clear();
        let mut output = self.ctx.run(input, |ctx| self.viewer.show(ctx));

        self.clipboard.copy(&mut output.platform_output);
        self.state.handle_platform_output(window, output.platform_output);
        let shapes = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        self.painter.clear(size, CLEAR_COLOR);
        let scale = output.pixels_per_point;
        self.painter.paint_and_update_textures(size, scale, &shapes, &output.textures_delta);

        let mut actions = Vec::new();
        for viewport in output.viewport_output.into_values() {
            let (ctx, info) = (&self.ctx, &mut self.info);
            let commands = viewport.commands;
            egui_winit::process_viewport_commands(ctx, info, commands, window, &mut actions);
        }
        for action in actions {
            self.act(action, size);
        }
        self.surface.present()?;
        if !std::mem::replace(&mut self.visible, true) {
            self.surface.window.set_visible(true);
        }
        Ok(self.info.events.contains(&ViewportEvent::Close))
    }

    /// Executes a window action requested by the panels.
    fn act(&mut self, action: ActionRequested, size: [u32; 2]) {
        let events = &mut self.state.egui_input_mut().events;
        match action {
            ActionRequested::Screenshot(user_data) => {
                let image = self.painter.read_screen_rgba(size).into();
                let viewport_id = ViewportId::ROOT;
                events.push(egui::Event::Screenshot { viewport_id, user_data, image });
            }
            ActionRequested::Cut => events.push(egui::Event::Cut),
            ActionRequested::Copy => events.push(egui::Event::Copy),
            ActionRequested::Paste => {
                events.push(egui::Event::Paste(String::new()));
                self.clipboard.paste(events, events.len() - 1);
            }
        }
        self.ctx.request_repaint();
    }
}
