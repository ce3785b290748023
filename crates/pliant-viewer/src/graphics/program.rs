//! Shader programs, which receive only the uniforms and attributes that they use.
#![allow(unsafe_code)] // OpenGL functions are called through pointers

use std::collections::HashMap;
use std::rc::Rc;

use egui_glow::glow::{self, HasContext as _};
use glam::{Mat4, Vec2, Vec3};

use super::buffer::{Attribute, Triangles};
use super::gpu::{Gpu, PipelineState, PixelRect};
use super::target::RenderTarget;

/// Value of a uniform.
#[derive(Clone, Copy, Debug)]
pub enum UniformValue<'a> {
    /// An integer.
    Int(i32),
    /// A float.
    Float(f32),
    /// A vector of two floats.
    Vec2(Vec2),
    /// A vector of three floats.
    Vec3(Vec3),
    /// An array of vectors of three floats.
    Vec3Array(&'a [[f32; 3]]),
    /// A matrix.
    Matrix(Mat4),
}

impl From<i32> for UniformValue<'_> {
    fn from(v: i32) -> Self {
        Self::Int(v)
    }
}

impl From<f32> for UniformValue<'_> {
    fn from(v: f32) -> Self {
        Self::Float(v)
    }
}

impl From<bool> for UniformValue<'_> {
    fn from(v: bool) -> Self {
        Self::Float(f32::from(v))
    }
}

impl From<Vec2> for UniformValue<'_> {
    fn from(v: Vec2) -> Self {
        Self::Vec2(v)
    }
}

impl From<Vec3> for UniformValue<'_> {
    fn from(v: Vec3) -> Self {
        Self::Vec3(v)
    }
}

impl From<[f32; 3]> for UniformValue<'_> {
    fn from(v: [f32; 3]) -> Self {
        Self::Vec3(v.into())
    }
}

impl<'a> From<&'a [[f32; 3]]> for UniformValue<'a> {
    fn from(v: &'a [[f32; 3]]) -> Self {
        Self::Vec3Array(v)
    }
}

impl From<Mat4> for UniformValue<'_> {
    fn from(v: Mat4) -> Self {
        Self::Matrix(v)
    }
}

/// A shader program.
pub struct Program {
    gpu: Rc<Gpu>,
    id: glow::Program,
    uniforms: HashMap<String, glow::UniformLocation>,
    attributes: HashMap<String, u32>,
}

impl Program {
    /// Compiles and links a program from two sources; the error is the driver's message.
    pub fn new(gpu: &Rc<Gpu>, vertex: &str, fragment: &str) -> Result<Self, String> {
        let gl = gpu.gl();
        let header = if gl.version().is_embedded {
            "#version 300 es\nprecision highp float;\nprecision highp int;\n"
        } else {
            "#version 330 core\n"
        };
        let mut names = (HashMap::new(), HashMap::new());
        // SAFETY: the context is current on this thread; shaders and program are its own.
        let id = unsafe {
            let id = gl.create_program()?;
            let shaders = [
                compile(gl, glow::VERTEX_SHADER, &format!("{header}{vertex}"))?,
                compile(gl, glow::FRAGMENT_SHADER, &format!("{header}{fragment}"))?,
            ];
            shaders.iter().for_each(|s| gl.attach_shader(id, *s));
            gl.link_program(id);
            if !gl.get_program_link_status(id) {
                let words = shaders.map(|s| gl.get_shader_info_log(s));
                return Err(format!("{}{}", words.concat(), gl.get_program_info_log(id)));
            }
            for shader in shaders {
                gl.detach_shader(id, shader);
                gl.delete_shader(shader);
            }
            for k in 0..gl.get_program_parameter_i32(id, glow::ACTIVE_UNIFORMS) as u32 {
                let Some(uniform) = gl.get_active_uniform(id, k) else { continue };
                if let Some(location) = gl.get_uniform_location(id, &uniform.name) {
                    // An array uniform is reported under the name of its first element.
                    let name = uniform.name.trim_end_matches("[0]");
                    names.0.insert(name.to_owned(), location);
                }
            }
            for k in 0..gl.get_program_parameter_i32(id, glow::ACTIVE_ATTRIBUTES) as u32 {
                let Some(attribute) = gl.get_active_attribute(id, k) else { continue };
                if let Some(location) = gl.get_attrib_location(id, &attribute.name) {
                    names.1.insert(attribute.name, location);
                }
            }
            id
        };
        let (uniforms, attributes) = names;
        Ok(Self { gpu: gpu.clone(), id, uniforms, attributes })
    }

    /// Sets a uniform, if the program uses it.
    pub fn set_uniform<'a>(&self, name: &str, value: impl Into<UniformValue<'a>>) {
        let Some(location) = self.uniforms.get(name) else { return };
        let (gl, at) = (self.gpu.gl(), Some(location));
        // SAFETY: program and location belong to this context, and the sources give the name this type.
        unsafe {
            gl.use_program(Some(self.id));
            match value.into() {
                UniformValue::Int(v) => gl.uniform_1_i32(at, v),
                UniformValue::Float(v) => gl.uniform_1_f32(at, v),
                UniformValue::Vec2(v) => gl.uniform_2_f32(at, v.x, v.y),
                UniformValue::Vec3(v) => gl.uniform_3_f32(at, v.x, v.y, v.z),
                UniformValue::Vec3Array(v) => gl.uniform_3_f32_slice(at, v.as_flattened()),
                UniformValue::Matrix(v) => {
                    gl.uniform_matrix_4_f32_slice(at, false, &v.to_cols_array())
                }
            }
        }
    }

    /// Binds a texture to a unit, if the program uses it.
    pub fn bind_texture(&self, name: &str, unit: u32, texture: &RenderTarget) {
        if self.uniforms.contains_key(name) {
            texture.bind_texture(unit);
            self.set_uniform(name, unit as i32);
        }
    }

    /// Binds an attribute per vertex, if the program uses it.
    pub fn bind_attribute<const N: usize>(&self, name: &str, numbers: &Attribute<N>) {
        if let Some(location) = self.attributes.get(name) {
            numbers.bind(*location, 0);
        }
    }

    /// Binds an attribute per instance, if the program uses it.
    pub fn bind_instance_attribute<const N: usize>(&self, name: &str, numbers: &Attribute<N>) {
        if let Some(location) = self.attributes.get(name) {
            numbers.bind(*location, 1);
        }
    }

    /// Draws triangles by their indices.
    pub fn draw(&self, area: PixelRect, states: PipelineState, triangles: &Triangles) {
        self.draw_with(area, states, |_| triangles.draw());
    }

    /// Draws triangles from `vertices` vertices, for each of `instances` instances.
    pub fn draw_vertices(
        &self,
        area: PixelRect,
        states: PipelineState,
        vertices: usize,
        instances: usize,
    ) {
        self.draw_with(area, states, |gl| {
            // SAFETY: the attributes have that many vertices and instances.
            unsafe {
                gl.draw_arrays_instanced(glow::TRIANGLES, 0, vertices as i32, instances as i32);
            }
        });
    }

    fn draw_with(&self, area: PixelRect, states: PipelineState, draw: impl FnOnce(&glow::Context)) {
        let gl = self.gpu.gl();
        self.gpu.apply_state(area, states);
        self.gpu.bind_array();
        // SAFETY: the program belongs to this context, and its attributes are bound or disabled.
        unsafe {
            gl.use_program(Some(self.id));
            draw(gl);
            self.attributes.values().for_each(|at| gl.disable_vertex_attrib_array(*at));
            gl.bind_vertex_array(None);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program belongs to this context and is not used again.
        unsafe { self.gpu.gl().delete_program(self.id) }
    }
}

/// Compiles one shader source; its errors are reported when the program is linked.
fn compile(gl: &glow::Context, kind: u32, source: &str) -> Result<glow::Shader, String> {
    // SAFETY: the context is current on this thread; the shader is its own.
    unsafe {
        let shader = gl.create_shader(kind)?;
        gl.shader_source(shader, source);
        gl.compile_shader(shader);
        Ok(shader)
    }
}
