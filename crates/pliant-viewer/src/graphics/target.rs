//! Render targets: textures that are drawn into and sampled.
#![allow(unsafe_code)] // OpenGL functions are called through pointers

use std::rc::Rc;

use egui_glow::glow::{self, HasContext as _};

use super::gpu::Gpu;

/// Contents of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// 24-bit depth, sampled without filtering.
    Depth,
    /// Colour, sampled with filtering.
    Color,
}

/// A square texture with its frame buffer.
pub struct RenderTarget {
    gpu: Rc<Gpu>,
    texture: glow::Texture,
    frame: glow::Framebuffer,
}

impl RenderTarget {
    /// Creates a texture with `side` texels along a side.
    pub fn new(gpu: &Rc<Gpu>, side: i32, content: Content) -> Result<Self, String> {
        let gl = gpu.gl();
        let (format, filter, place) = match content {
            Content::Depth => (glow::DEPTH_COMPONENT24, glow::NEAREST, glow::DEPTH_ATTACHMENT),
            Content::Color => (glow::RGBA8, glow::LINEAR, glow::COLOR_ATTACHMENT0),
        };
        // SAFETY: the context is current on this thread; texture and frame buffer are its own.
        unsafe {
            let target = Self {
                gpu: gpu.clone(),
                texture: gl.create_texture()?,
                frame: gl.create_framebuffer()?,
            };
            gl.bind_texture(glow::TEXTURE_2D, Some(target.texture));
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, filter),
                (glow::TEXTURE_MAG_FILTER, filter),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            ] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
            }
            allocate_texture(gl, content, format, side);
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(target.frame));
            let texture = Some(target.texture);
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, place, glow::TEXTURE_2D, texture, 0);
            if content == Content::Depth {
                gl.draw_buffers(&[glow::NONE]);
                gl.read_buffer(glow::NONE);
            }
            let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            gl.bind_texture(glow::TEXTURE_2D, None);
            if status != glow::FRAMEBUFFER_COMPLETE {
                return Err(format!(
                    "cannot render to a {content:?} texture (framebuffer status {status:#x})"
                ));
            }
            Ok(target)
        }
    }

    /// Directs drawing to the texture.
    pub fn bind_for_drawing(&self) {
        let gl = self.gpu.gl();
        // SAFETY: the frame buffer belongs to this context.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.frame));
            gl.disable(glow::SCISSOR_TEST);
        }
    }

    /// Binds the texture to a texture unit.
    pub fn bind_texture(&self, unit: u32) {
        let gl = self.gpu.gl();
        // SAFETY: the texture belongs to this context, and every card has more units than are used.
        unsafe {
            gl.active_texture(glow::TEXTURE0 + unit);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.texture));
        }
    }
}

impl Drop for RenderTarget {
    fn drop(&mut self) {
        // SAFETY: both belong to this context and are not used again.
        unsafe {
            self.gpu.gl().delete_framebuffer(self.frame);
            self.gpu.gl().delete_texture(self.texture);
        }
    }
}

/// Allocates memory for the bound texture.
fn allocate_texture(gl: &glow::Context, content: Content, format: u32, side: i32) {
    let (kind, number) = match content {
        Content::Depth => (glow::DEPTH_COMPONENT, glow::UNSIGNED_INT),
        Content::Color => (glow::RGBA, glow::UNSIGNED_BYTE),
    };
    let nothing = glow::PixelUnpackData::Slice(None);
    // SAFETY: without pixel data, only memory of the card is reserved.
    unsafe {
        let texture = glow::TEXTURE_2D;
        gl.tex_image_2d(texture, 0, format as i32, side, side, 0, kind, number, nothing);
    }
}
