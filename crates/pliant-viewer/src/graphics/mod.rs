//! Drawing: what a [`shot`] describes, on the graphics card, into the window that the panels share.
//!
//! ```text
//! shot ─▶ shadow (what the light sees first, and its blurred cover)
//!      ─▶ backdrop ─▶ ground ─▶ surfaces of colliders and bodies ─▶ strokes and dots
//! ```

mod buffer;
mod gpu;
mod light;
mod marks;
mod program;
mod scenery;
mod shadow;
pub mod shot;
mod surfaces;
mod target;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use egui::Rect;
use egui_glow::glow;
use glam::{Mat4, Vec3};

use gpu::{Area, Gpu};
use marks::Marks;
use scenery::Scenery;
use shadow::Shadow;
use shot::Shot;
use surfaces::Surfaces;

thread_local! {
    // Handles of the graphics card cannot leave their thread, but what is painted with them must be
    // able to, as far as types go.
    static RENDERER: RefCell<Option<Renderer>> = const { RefCell::new(None) };
}

/// Makes ready to draw on this thread, in the words of the driver where that fails.
pub fn start(gl: Arc<glow::Context>) -> Result<(), String> {
    let renderer = Renderer::new(gl).map_err(|e| format!("the graphics cannot be used: {e}"))?;
    RENDERER.with_borrow_mut(|slot| *slot = Some(renderer));
    Ok(())
}

/// Forgets what is on the graphics card.
pub fn stop() {
    RENDERER.with_borrow_mut(|slot| *slot = None);
}

/// Draws a shot in a part of the panels.
pub fn paint(painter: &egui::Painter, rect: Rect, shot: Arc<Shot>) {
    let callback = egui_glow::CallbackFn::new(move |info, _| {
        let at = info.viewport_in_pixels();
        let part = Part {
            area: Area {
                x: at.left_px,
                y: at.from_bottom_px,
                width: at.width_px.max(1),
                height: at.height_px.max(1),
            },
            pixels_per_point: info.pixels_per_point,
        };
        RENDERER.with_borrow_mut(|slot| {
            if let Some(renderer) = slot {
                renderer.draw(&shot, &part);
            }
        });
    });
    painter.add(egui::PaintCallback { rect, callback: Arc::new(callback) });
}

/// Where on the screen to draw.
pub(crate) struct Part {
    area: Area,
    pixels_per_point: f32,
}

impl Part {
    fn aspect(&self) -> f32 {
        self.area.width as f32 / self.area.height as f32
    }
}

/// The eye, the light and its shadow: what most programs are told.
pub(crate) struct Setting<'a> {
    view: Mat4,
    eye: Vec3,
    shadow: &'a Shadow,
}

struct Renderer {
    gpu: Rc<Gpu>,
    shadows: [Shadow; 2],
    scenery: Scenery,
    surfaces: Surfaces,
    marks: Marks,
}

impl Renderer {
    fn new(gl: Arc<glow::Context>) -> Result<Self, String> {
        let gpu = Rc::new(Gpu::new(gl)?);
        Ok(Self {
            shadows: [Shadow::new(&gpu, false)?, Shadow::new(&gpu, true)?],
            scenery: Scenery::new(&gpu)?,
            surfaces: Surfaces::new(&gpu)?,
            marks: Marks::new(&gpu)?,
            gpu,
        })
    }

    fn draw(&mut self, shot: &Shot, part: &Part) {
        self.surfaces.fill(shot);
        let shadow = &mut self.shadows[usize::from(shot.lean)];
        shadow.aim(shot);
        shadow.cast(|program, area| self.surfaces.cast(shot, program, area));

        let setting =
            Setting { view: shot.camera.matrix(part.aspect()), eye: shot.camera.eye(), shadow };
        self.gpu.aim_at_screen(part.area);
        self.gpu.clear_depth();
        self.scenery.backdrop(shot, part);
        self.scenery.ground(shot, part, &setting);
        self.surfaces.draw(shot, part, &setting);
        self.marks.draw(shot, part, &setting);
    }
}
