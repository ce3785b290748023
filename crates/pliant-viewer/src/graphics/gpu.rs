//! Graphics context, states of a draw call, and the screen.
#![allow(unsafe_code)] // OpenGL functions are called through pointers

use std::sync::Arc;

use egui_glow::glow::{self, HasContext as _};

/// A rectangle of pixels, measured from the lower left corner.
#[derive(Clone, Copy, Debug)]
pub struct PixelRect {
    /// Left edge.
    pub x: i32,
    /// Lower edge.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

impl PixelRect {
    /// Square of this side at the origin.
    pub const fn square(side: i32) -> Self {
        Self { x: 0, y: 0, width: side, height: side }
    }
}

/// Depth test of a fragment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DepthTest {
    /// Passes always.
    Always,
    /// Passes if nearer.
    Less,
    /// Passes if nearer or equal.
    LessOrEqual,
}

/// States of a draw call.
#[derive(Clone, Copy, Debug)]
pub struct PipelineState {
    /// Depth test.
    pub depth_test: DepthTest,
    /// True if depth is written.
    pub writes_depth: bool,
    /// True if colour is written.
    pub writes_color: bool,
    /// True for alpha blending.
    pub blend: bool,
}

/// Graphics context, and the vertex array shared by all draw calls.
pub struct Gpu {
    gl: Arc<glow::Context>,
    array: glow::VertexArray,
}

impl Gpu {
    /// Creates the vertex array; the error is the driver's message.
    pub fn new(gl: Arc<glow::Context>) -> Result<Self, String> {
        // SAFETY: the context is current on this thread.
        let array = unsafe { gl.create_vertex_array()? };
        Ok(Self { gl, array })
    }

    /// Functions of OpenGL.
    pub fn gl(&self) -> &glow::Context {
        &self.gl
    }

    /// Selects the vertex array.
    pub fn bind_array(&self) {
        // SAFETY: the array belongs to this context.
        unsafe { self.gl.bind_vertex_array(Some(self.array)) }
    }

    /// Sets viewport and states of the next draw call.
    pub fn apply_state(&self, area: PixelRect, states: PipelineState) {
        let gl = &self.gl;
        // SAFETY: all values are valid OpenGL constants, on a current context.
        unsafe {
            gl.viewport(area.x, area.y, area.width, area.height);
            gl.disable(glow::CULL_FACE);
            let color = states.writes_color;
            gl.color_mask(color, color, color, color);
            gl.depth_mask(states.writes_depth);
            match states.depth_test {
                DepthTest::Always => gl.disable(glow::DEPTH_TEST),
                test => {
                    gl.enable(glow::DEPTH_TEST);
                    let same = test == DepthTest::LessOrEqual;
                    gl.depth_func(if same { glow::LEQUAL } else { glow::LESS });
                }
            }
            if states.blend {
                gl.enable(glow::BLEND);
                gl.blend_equation(glow::FUNC_ADD);
                let (alpha, rest) = (glow::SRC_ALPHA, glow::ONE_MINUS_SRC_ALPHA);
                gl.blend_func_separate(alpha, rest, glow::ZERO, glow::ONE);
            } else {
                gl.disable(glow::BLEND);
            }
        }
    }

    /// Directs drawing to a part of the screen.
    pub fn bind_screen(&self, part: PixelRect) {
        // SAFETY: zero is the window's own frame buffer.
        unsafe {
            self.gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            self.gl.enable(glow::SCISSOR_TEST);
            self.gl.scissor(part.x, part.y, part.width, part.height);
        }
    }

    /// Sets all depths within the scissor to the farthest.
    pub fn clear_depth(&self) {
        // SAFETY: it clears a frame buffer that is bound.
        unsafe {
            self.gl.depth_mask(true);
            self.gl.clear_depth_f32(1.0);
            self.gl.clear(glow::DEPTH_BUFFER_BIT);
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: the array belongs to this context and is not used again.
        unsafe { self.gl.delete_vertex_array(self.array) }
    }
}
