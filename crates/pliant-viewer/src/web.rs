//! The web page: a simulation in a Web Worker, files by download, and the functions called by the page's
//! script.
//!
//! The script `web/page.js` starts the worker and passes its messages on as bytes; everything else is here.
//! The worker runs the same module.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::Uint8Array;
use pliant_session::protocol::{Frame, SavedFile, decode, encode};
use pliant_session::{Command, Event, Session};
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

use crate::app::Viewer;
use crate::graphics;
use crate::launch_options::LaunchOptions;
use crate::platform::{Platform, SessionChannel, UserFile};

#[wasm_bindgen]
extern "C" {
    /// Functions of the page's script.
    #[wasm_bindgen(js_namespace = pliantHost, js_name = post)]
    fn post(bytes: Uint8Array);
    #[wasm_bindgen(js_namespace = pliantHost, js_name = want)]
    fn want();
    #[wasm_bindgen(js_namespace = pliantHost, js_name = download)]
    fn download(name: &str, bytes: Uint8Array);
    #[wasm_bindgen(js_namespace = pliantHost, js_name = choose)]
    fn choose();
    #[wasm_bindgen(js_namespace = pliantHost, js_name = address)]
    fn address() -> String;
    #[wasm_bindgen(js_namespace = pliantHost, js_name = showLink)]
    fn show_link(link: &str);
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn milliseconds() -> f64;
}

/// Seconds since the page or the worker started.
fn clock() -> f64 {
    1e-3 * milliseconds()
}

/// Pending events, files and messages from outside.
#[derive(Default)]
struct Inbox {
    events: VecDeque<Result<Event, String>>,
    files: VecDeque<Result<UserFile, String>>,
    messages: VecDeque<(String, bool)>,
}

type Shared = Rc<RefCell<Inbox>>;

/// Channel to the worker.
struct WorkerChannel(Shared);

impl SessionChannel for WorkerChannel {
    fn send(&mut self, command: &Command) {
        post(Uint8Array::from(encode(command).as_slice()));
    }

    fn receive(&mut self) -> Option<Result<Event, String>> {
        let next = self.0.borrow_mut().events.pop_front();
        if next.is_none() {
            // All events are handled: the worker may send the next ones.
            want();
        }
        next
    }

    fn requires_ack(&self) -> bool {
        false
    }
}

/// The page.
struct WebPlatform(Shared);

impl Platform for WebPlatform {
    fn save(&mut self, file: &SavedFile) -> Result<String, String> {
        download(&file.name, Uint8Array::from(file.bytes.as_slice()));
        Ok(format!("saved as {}", file.name))
    }

    fn open_file_dialog(&mut self) -> bool {
        choose();
        true
    }

    fn next_file(&mut self) -> Option<Result<UserFile, String>> {
        self.0.borrow_mut().files.pop_front()
    }

    fn next_message(&mut self) -> Option<(String, bool)> {
        self.0.borrow_mut().messages.pop_front()
    }

    fn address(&self) -> Option<String> {
        Some(address())
    }

    fn set_address(&mut self, link: &str) {
        show_link(link);
    }
}

impl eframe::App for Viewer {
    fn update(&mut self, ctx: &egui::Context, _: &mut eframe::Frame) {
        self.show(ctx);
    }

    fn on_exit(&mut self, _: Option<&eframe::glow::Context>) {
        graphics::release();
    }

    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }
}

/// A viewer on a web page.
#[wasm_bindgen]
pub struct Handle {
    runner: eframe::WebRunner,
    inbox: Shared,
    ctx: Rc<RefCell<Option<egui::Context>>>,
}

#[wasm_bindgen]
impl Handle {
    /// A viewer that is not started yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self { runner: eframe::WebRunner::new(), inbox: Shared::default(), ctx: Rc::default() }
    }

    /// Starts on a canvas, with the options of the address's fragment. With `restore`, the state before the
    /// loss of the graphics context is restored.
    pub async fn start(
        &self,
        canvas: HtmlCanvasElement,
        fragment: String,
        restore: bool,
    ) -> Result<(), JsValue> {
        let (inbox, slot) = (self.inbox.clone(), self.ctx.clone());
        let options = eframe::WebOptions {
            webgl_context_option: eframe::WebGlContextOption::WebGl2,
            ..eframe::WebOptions::default()
        };
        let create: eframe::AppCreator<'static> = Box::new(move |cc| {
            *slot.borrow_mut() = Some(cc.egui_ctx.clone());
            let start = if restore {
                Ok(LaunchOptions::default())
            } else {
                LaunchOptions::from_fragment(&fragment)
            };
            let start = start.unwrap_or_else(|words| {
                inbox.borrow_mut().messages.push_back((words, true));
                LaunchOptions::default_scene()
            });
            let gl = cc.gl.clone().ok_or("WebGL is not available")?;
            let (link, platform) = (WorkerChannel(inbox.clone()), WebPlatform(inbox.clone()));
            let mut viewer =
                Viewer::new(&cc.egui_ctx, gl, Box::new(link), Box::new(platform), start)?;
            if restore {
                viewer.restore_saved_ui();
            }
            Ok(Box::new(viewer))
        });
        self.runner.start(canvas, options, create).await
    }

    /// Stops drawing on the canvas.
    pub fn stop(&self) {
        self.runner.destroy();
    }

    /// Receives the bytes of an event.
    pub fn receive(&self, bytes: &[u8]) {
        self.inbox.borrow_mut().events.push_back(decode(bytes));
        self.wake();
    }

    /// Receives a file chosen by the user.
    pub fn open_file(&self, name: String, bytes: Vec<u8>) {
        self.inbox.borrow_mut().files.push_back(Ok(UserFile { name, bytes }));
        self.wake();
    }

    /// Shows a message to the user.
    pub fn show_message(&self, text: String, wrong: bool) {
        self.inbox.borrow_mut().messages.push_back((text, wrong));
        self.wake();
    }

    /// State of the viewer and of one drawn vertex, as JSON; none after a panic.
    pub fn status(&self, vertex: usize) -> Option<String> {
        let viewer = self.runner.app_mut::<Viewer>()?;
        serde_json::to_string(&viewer.status(vertex)).ok()
    }

    /// Message of a panic, if there was one.
    pub fn panic(&self) -> Option<String> {
        self.runner.panic_summary().map(|s| s.message())
    }

    fn wake(&self) {
        if let Some(ctx) = &*self.ctx.borrow() {
            ctx.request_repaint();
        }
    }
}

/// The simulation in a worker: bytes of commands in, bytes of events out.
///
/// It does not wait for pictures: of frames that are not requested yet only the last is kept, so that a
/// slow graphics card does not slow the simulation down. The worker's script suspends it while the page
/// requests nothing.
#[wasm_bindgen]
pub struct Simulator {
    session: Session,
    events: Vec<Event>,
}

#[wasm_bindgen]
impl Simulator {
    /// A simulation without a scene.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self { session: Session::new(clock), events: Vec::new() }
    }

    /// Handles the bytes of a command; returns an error message if they are invalid.
    pub fn send(&mut self, bytes: &[u8]) -> Option<String> {
        match decode::<Command>(bytes) {
            Ok(command) => {
                self.session.handle(command);
                None
            }
            Err(words) => Some(words),
        }
    }

    /// Takes a step if one is due. Returns true if there are events to take.
    pub fn advance(&mut self) -> bool {
        for mut event in self.session.advance() {
            if let Event::Frame(frame) = &mut event {
                self.session.handle(Command::Ack { frame: frame.number });
                if let Some(Event::Frame(former)) = self.events.pop_if(|e| is_frame(e)) {
                    merge_into_next(*former, frame);
                }
            }
            self.events.push(event);
        }
        !self.events.is_empty()
    }

    /// Returns the bytes of all pending events.
    pub fn take(&mut self) -> Vec<Uint8Array> {
        let events = std::mem::take(&mut self.events);
        events.iter().map(|event| Uint8Array::from(encode(event).as_slice())).collect()
    }

    /// Milliseconds until there is something to do; negative while it waits for a command.
    pub fn wait(&self) -> f64 {
        self.session.wait().map_or(-1.0, |s| 1e3 * s)
    }
}

fn is_frame(event: &Event) -> bool {
    matches!(event, Event::Frame(_))
}

/// Copies data that is sent only once from a dropped frame to the next one.
fn merge_into_next(former: Frame, next: &mut Frame) {
    let known = former.second_sim.and_then(|second| second.comparison);
    if let Some(second) = &mut next.second_sim {
        second.comparison = second.comparison.take().or(known);
    }
    if next.warnings.is_empty() {
        next.warnings = former.warnings;
    }
}
