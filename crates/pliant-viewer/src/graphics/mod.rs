//! Rendering of a [`frame_data::RenderFrame`] on the graphics card, into the window that the panels share.
//!
//! ```text
//! frame ─▶ shadow (depth map from the light, and its blurred coverage)
//!       ─▶ background ─▶ ground ─▶ surfaces of colliders and bodies ─▶ lines and markers
//! ```

mod background;
mod buffer;
pub mod frame_data;
mod gpu;
mod light;
mod marks;
mod program;
mod shadow;
mod surfaces;
mod target;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use egui::Rect;
use egui_glow::glow;
use glam::{Mat4, Vec3};

use background::Background;
use frame_data::RenderFrame;
use gpu::{Gpu, PixelRect};
use marks::Marks;
use shadow::Shadow;
use surfaces::Surfaces;

thread_local! {
    // Graphics handles are not `Send`, but the type of a paint callback must be, so that the renderer lives
    // in thread-local storage.
    static RENDERER: RefCell<Option<Renderer>> = const { RefCell::new(None) };
}

/// Creates the renderer of this thread; the error is the driver's message.
pub fn initialize(gl: Arc<glow::Context>) -> Result<(), String> {
    let renderer = Renderer::new(gl).map_err(|e| format!("cannot initialise OpenGL: {e}"))?;
    RENDERER.with_borrow_mut(|slot| *slot = Some(renderer));
    Ok(())
}

/// Releases all graphics resources.
pub fn release() {
    RENDERER.with_borrow_mut(|slot| *slot = None);
}

/// Draws a frame in a rectangle of the panels.
pub fn paint(painter: &egui::Painter, rect: Rect, frame: Arc<RenderFrame>) {
    let callback = egui_glow::CallbackFn::new(move |info, _| {
        let at = info.viewport_in_pixels();
        let viewport = Viewport {
            area: PixelRect {
                x: at.left_px,
                y: at.from_bottom_px,
                width: at.width_px.max(1),
                height: at.height_px.max(1),
            },
            pixels_per_point: info.pixels_per_point,
        };
        RENDERER.with_borrow_mut(|slot| {
            if let Some(renderer) = slot {
                renderer.draw(&frame, &viewport);
            }
        });
    });
    painter.add(egui::PaintCallback { rect, callback: Arc::new(callback) });
}

/// Target rectangle on the screen.
pub(crate) struct Viewport {
    area: PixelRect,
    pixels_per_point: f32,
}

impl Viewport {
    fn aspect(&self) -> f32 {
        self.area.width as f32 / self.area.height as f32
    }
}

/// Camera, light and shadow, used by most programs.
pub(crate) struct Environment<'a> {
    view: Mat4,
    eye: Vec3,
    shadow: &'a Shadow,
}

struct Renderer {
    gpu: Rc<Gpu>,
    shadows: [Shadow; 2],
    background: Background,
    surfaces: Surfaces,
    marks: Marks,
}

impl Renderer {
    fn new(gl: Arc<glow::Context>) -> Result<Self, String> {
        let gpu = Rc::new(Gpu::new(gl)?);
        Ok(Self {
            shadows: [Shadow::new(&gpu, false)?, Shadow::new(&gpu, true)?],
            background: Background::new(&gpu)?,
            surfaces: Surfaces::new(&gpu)?,
            marks: Marks::new(&gpu)?,
            gpu,
        })
    }

    fn draw(&mut self, frame: &RenderFrame, viewport: &Viewport) {
        self.surfaces.fill(frame);
        let shadow = &mut self.shadows[usize::from(frame.low_quality)];
        shadow.fit_to_scene(frame);
        shadow.render(|program, area| self.surfaces.draw_casters(frame, program, area));

        let environment = Environment {
            view: frame.camera.matrix(viewport.aspect()),
            eye: frame.camera.eye(),
            shadow,
        };
        self.gpu.bind_screen(viewport.area);
        self.gpu.clear_depth();
        self.background.backdrop(frame, viewport);
        self.background.ground(frame, viewport, &environment);
        self.surfaces.draw(frame, viewport, &environment);
        self.marks.draw(frame, viewport, &environment);
    }
}
