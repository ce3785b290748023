//! The graphics card: its context, the states of a draw call, and the screen.
#![allow(unsafe_code)] // OpenGL is called by pointers

use std::sync::Arc;

use egui_glow::glow::{self, HasContext as _};

/// A rectangle of pixels, counted from the lower left corner.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Pixels left of it.
    pub x: i32,
    /// Pixels below it.
    pub y: i32,
    /// Its width.
    pub width: i32,
    /// Its height.
    pub height: i32,
}

impl Area {
    /// Square of this side at the origin.
    pub const fn square(side: i32) -> Self {
        Self { x: 0, y: 0, width: side, height: side }
    }
}

/// Test of a fragment against the depth that is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Depth {
    /// Passes always.
    Always,
    /// Passes where it is nearer.
    Nearer,
    /// Passes where it is nearer or the same.
    NearerOrSame,
}

/// States of a draw call.
#[derive(Clone, Copy, Debug)]
pub struct States {
    /// Test of the depth.
    pub depth: Depth,
    /// Writes the depth.
    pub writes_depth: bool,
    /// Writes the colour.
    pub writes_color: bool,
    /// Mixes by opacity with the colour that is there.
    pub blend: bool,
}

/// Context of the graphics card, and the vertex array that all draw calls share.
pub struct Gpu {
    gl: Arc<glow::Context>,
    array: glow::VertexArray,
}

impl Gpu {
    /// Makes the vertex array, in the words of the driver where that fails.
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
    pub fn prepare(&self, area: Area, states: States) {
        let gl = &self.gl;
        // SAFETY: all values are ones that OpenGL knows, on a current context.
        unsafe {
            gl.viewport(area.x, area.y, area.width, area.height);
            gl.disable(glow::CULL_FACE);
            let color = states.writes_color;
            gl.color_mask(color, color, color, color);
            gl.depth_mask(states.writes_depth);
            match states.depth {
                Depth::Always => gl.disable(glow::DEPTH_TEST),
                test => {
                    gl.enable(glow::DEPTH_TEST);
                    let same = test == Depth::NearerOrSame;
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

    /// Draws into a part of the screen from here on.
    pub fn aim_at_screen(&self, part: Area) {
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
