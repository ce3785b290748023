//! Drawing: what a [`shot`] describes, on the graphics card, into the window that the panels share.
//!
//! ```text
//! shot ─▶ shadow (what the light sees first, and its blurred cover)
//!      ─▶ backdrop ─▶ ground ─▶ surfaces of colliders and bodies ─▶ strokes and dots
//! ```

mod marks;
mod program;
mod scenery;
mod shadow;
pub mod shot;
mod surfaces;

use std::cell::RefCell;
use std::sync::Arc;

use eframe::egui::{self, Rect};
use three_d::{ClearState, Context, CoreError, Mat4, RenderTarget, ScissorBox, Vec3, Viewport};

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
pub fn start(gl: Arc<eframe::glow::Context>) -> Result<(), String> {
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
    let callback = eframe::egui_glow::CallbackFn::new(move |info, _| {
        let at = info.viewport_in_pixels();
        let part = Part {
            viewport: Viewport {
                x: at.left_px,
                y: at.from_bottom_px,
                width: at.width_px.max(1) as u32,
                height: at.height_px.max(1) as u32,
            },
            screen: info.screen_size_px,
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
    viewport: Viewport,
    screen: [u32; 2],
    pixels_per_point: f32,
}

impl Part {
    fn scissor(&self) -> ScissorBox {
        let Viewport { x, y, width, height } = self.viewport;
        ScissorBox { x, y, width, height }
    }

    fn aspect(&self) -> f32 {
        self.viewport.width as f32 / self.viewport.height as f32
    }
}

/// The eye, the light and its shadow: what most programs are told.
pub(crate) struct Setting<'a> {
    view: Mat4,
    eye: Vec3,
    shadow: &'a Shadow,
}

struct Renderer {
    context: Context,
    shadows: [Shadow; 2],
    scenery: Scenery,
    surfaces: Surfaces,
    marks: Marks,
}

impl Renderer {
    fn new(gl: Arc<eframe::glow::Context>) -> Result<Self, CoreError> {
        let context = Context::from_gl_context(gl)?;
        Ok(Self {
            shadows: [Shadow::new(&context, false)?, Shadow::new(&context, true)?],
            scenery: Scenery::new(&context)?,
            surfaces: Surfaces::new(&context)?,
            marks: Marks::new(&context)?,
            context,
        })
    }

    fn draw(&mut self, shot: &Shot, part: &Part) {
        self.surfaces.fill(shot);
        let shadow = &mut self.shadows[usize::from(shot.lean)];
        shadow.aim(shot);
        shadow.cast(|program, viewport| self.surfaces.cast(shot, program, viewport));

        let setting =
            Setting { view: shot.camera.matrix(part.aspect()), eye: shot.camera.eye(), shadow };
        let screen = RenderTarget::screen(&self.context, part.screen[0], part.screen[1]);
        screen.clear_partially(part.scissor(), ClearState::depth(1.0));
        let drawn: Result<_, CoreError> = screen.write_partially(part.scissor(), || {
            self.scenery.backdrop(shot, part);
            self.scenery.ground(shot, part, &setting);
            self.surfaces.draw(shot, part, &setting);
            self.marks.draw(shot, part, &setting);
            Ok(())
        });
        // Nothing inside can fail.
        drop(drawn);
        // The panels' painter expects the whole screen.
        self.context.set_scissor(ScissorBox::new_at_origo(part.screen[0], part.screen[1]));
    }
}
