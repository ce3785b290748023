//! Buffers on the graphics card: attributes of vertices or instances, and indices of triangles.
#![allow(unsafe_code)] // OpenGL functions are called through pointers

use std::marker::PhantomData;
use std::rc::Rc;

use egui_glow::glow::{self, HasContext as _};

use super::gpu::Gpu;

/// A buffer on the graphics card.
struct GpuBuffer {
    gpu: Rc<Gpu>,
    id: glow::Buffer,
}

impl GpuBuffer {
    /// Creates a buffer; none if the card is out of memory or lost.
    fn new(gpu: &Rc<Gpu>) -> Option<Self> {
        // SAFETY: the context is current on this thread.
        let id = unsafe { gpu.gl().create_buffer().ok()? };
        Some(Self { gpu: gpu.clone(), id })
    }

    fn fill(&self, target: u32, bytes: &[u8], usage: u32) {
        let gl = self.gpu.gl();
        // SAFETY: the buffer belongs to this context, and its bytes are copied before the call returns. Without a
        // vertex array, indices bound here stay out of the one that the panels use.
        unsafe {
            gl.bind_vertex_array(None);
            gl.bind_buffer(target, Some(self.id));
            gl.buffer_data_u8_slice(target, bytes, usage);
            gl.bind_buffer(target, None);
        }
    }
}

impl Drop for GpuBuffer {
    fn drop(&mut self) {
        // SAFETY: the buffer belongs to this context and is not used again.
        unsafe { self.gpu.gl().delete_buffer(self.id) }
    }
}

/// Attribute values of type `[f32; N]` for each vertex or instance.
pub struct Attribute<const N: usize> {
    buffer: Option<GpuBuffer>,
    count: usize,
    numbers: PhantomData<[f32; N]>,
}

impl<const N: usize> Attribute<N> {
    /// Empty buffer.
    pub fn new(gpu: &Rc<Gpu>) -> Self {
        Self { buffer: GpuBuffer::new(gpu), count: 0, numbers: PhantomData }
    }

    /// Buffer with these values.
    pub fn of(gpu: &Rc<Gpu>, data: &[[f32; N]]) -> Self {
        let mut buffer = Self::new(gpu);
        buffer.fill(data);
        buffer
    }

    /// Replaces all values.
    pub fn fill(&mut self, data: &[[f32; N]]) {
        let Some(memory) = &self.buffer else { return };
        let usage = if self.count > 0 { glow::DYNAMIC_DRAW } else { glow::STATIC_DRAW };
        memory.fill(glow::ARRAY_BUFFER, bytemuck::cast_slice(data.as_flattened()), usage);
        self.count = data.len();
    }

    /// Binds the attribute to a location of a program, per vertex (`divisor` 0) or per instance (1). With
    /// an empty buffer the program reads zeros.
    pub fn bind(&self, location: u32, divisor: u32) {
        let Some(memory) = self.buffer.as_ref().filter(|_| self.count > 0) else { return };
        memory.gpu.bind_array();
        let gl = memory.gpu.gl();
        // SAFETY: the location was returned for a linked program, and the buffer holds `count` times N
        // floats.
        unsafe {
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(memory.id));
            gl.enable_vertex_attrib_array(location);
            gl.vertex_attrib_pointer_f32(location, N as i32, glow::FLOAT, false, 0, 0);
            gl.vertex_attrib_divisor(location, divisor);
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
        }
    }
}

/// Indices of triangles.
pub struct Triangles {
    buffer: Option<GpuBuffer>,
    count: usize,
}

impl Triangles {
    /// Buffer with these triangles.
    pub fn of(gpu: &Rc<Gpu>, triangles: &[[u32; 3]]) -> Self {
        let memory = GpuBuffer::new(gpu).filter(|_| !triangles.is_empty());
        if let Some(memory) = &memory {
            let bytes = bytemuck::cast_slice(triangles.as_flattened());
            memory.fill(glow::ELEMENT_ARRAY_BUFFER, bytes, glow::STATIC_DRAW);
        }
        Self { buffer: memory, count: 3 * triangles.len() }
    }

    /// True if there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_none()
    }

    /// Draws them with the bound program and attributes.
    pub fn draw(&self) {
        let Some(memory) = &self.buffer else { return };
        let gl = memory.gpu.gl();
        // SAFETY: the buffer holds `count` indices, all within the bound attributes.
        unsafe {
            gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(memory.id));
            gl.draw_elements(glow::TRIANGLES, self.count as i32, glow::UNSIGNED_INT, 0);
            gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, None);
        }
    }
}
