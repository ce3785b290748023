//! Programs of the graphics card, told only what they ask for.
#![allow(unsafe_code)] // OpenGL is called by pointers

use std::collections::HashMap;
use std::rc::Rc;

use egui_glow::glow::{self, HasContext as _};
use glam::{Mat4, Vec2, Vec3};

use super::buffer::{Attribute, Triangles};
use super::gpu::{Area, Gpu, States};
use super::target::Target;

/// Something that a program can be told.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A whole number.
    Int(i32),
    /// A number.
    Float(f32),
    /// Two numbers.
    Two(Vec2),
    /// Three numbers.
    Three(Vec3),
    /// Three numbers each.
    Threes(&'a [[f32; 3]]),
    /// A matrix.
    Matrix(Mat4),
}

impl From<i32> for Value<'_> {
    fn from(v: i32) -> Self {
        Self::Int(v)
    }
}

impl From<f32> for Value<'_> {
    fn from(v: f32) -> Self {
        Self::Float(v)
    }
}

impl From<bool> for Value<'_> {
    fn from(v: bool) -> Self {
        Self::Float(f32::from(v))
    }
}

impl From<Vec2> for Value<'_> {
    fn from(v: Vec2) -> Self {
        Self::Two(v)
    }
}

impl From<Vec3> for Value<'_> {
    fn from(v: Vec3) -> Self {
        Self::Three(v)
    }
}

impl From<[f32; 3]> for Value<'_> {
    fn from(v: [f32; 3]) -> Self {
        Self::Three(v.into())
    }
}

impl<'a> From<&'a [[f32; 3]]> for Value<'a> {
    fn from(v: &'a [[f32; 3]]) -> Self {
        Self::Threes(v)
    }
}

impl From<Mat4> for Value<'_> {
    fn from(v: Mat4) -> Self {
        Self::Matrix(v)
    }
}

/// A program of the graphics card.
pub struct Program {
    gpu: Rc<Gpu>,
    id: glow::Program,
    uniforms: HashMap<String, glow::UniformLocation>,
    attributes: HashMap<String, u32>,
}

impl Program {
    /// Compiles a program of two sources, in the words of the driver where that fails.
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
                    // A list is called by its first element.
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

    /// Tells the program something, if it asks.
    pub fn tell<'a>(&self, name: &str, value: impl Into<Value<'a>>) {
        let Some(location) = self.uniforms.get(name) else { return };
        let (gl, at) = (self.gpu.gl(), Some(location));
        // SAFETY: program and location belong to this context, and the sources give the name this type.
        unsafe {
            gl.use_program(Some(self.id));
            match value.into() {
                Value::Int(v) => gl.uniform_1_i32(at, v),
                Value::Float(v) => gl.uniform_1_f32(at, v),
                Value::Two(v) => gl.uniform_2_f32(at, v.x, v.y),
                Value::Three(v) => gl.uniform_3_f32(at, v.x, v.y, v.z),
                Value::Threes(v) => gl.uniform_3_f32_slice(at, v.as_flattened()),
                Value::Matrix(v) => gl.uniform_matrix_4_f32_slice(at, false, &v.to_cols_array()),
            }
        }
    }

    /// Lets the program read a texture by a unit, if it asks.
    pub fn read(&self, name: &str, unit: u32, texture: &Target) {
        if self.uniforms.contains_key(name) {
            texture.bind(unit);
            self.tell(name, unit as i32);
        }
    }

    /// Feeds an attribute with a number for each vertex, if the program asks.
    pub fn feed<const N: usize>(&self, name: &str, numbers: &Attribute<N>) {
        if let Some(location) = self.attributes.get(name) {
            numbers.feed(*location, 0);
        }
    }

    /// Feeds an attribute with a number for each instance, if the program asks.
    pub fn feed_instances<const N: usize>(&self, name: &str, numbers: &Attribute<N>) {
        if let Some(location) = self.attributes.get(name) {
            numbers.feed(*location, 1);
        }
    }

    /// Draws triangles by their indices.
    pub fn draw(&self, area: Area, states: States, triangles: &Triangles) {
        self.run(area, states, |_| triangles.draw());
    }

    /// Draws triangles of so many vertices, for each of so many instances.
    pub fn draw_vertices(&self, area: Area, states: States, vertices: usize, instances: usize) {
        self.run(area, states, |gl| {
            // SAFETY: the attributes have so many vertices and instances.
            unsafe {
                gl.draw_arrays_instanced(glow::TRIANGLES, 0, vertices as i32, instances as i32);
            }
        });
    }

    fn run(&self, area: Area, states: States, draw: impl FnOnce(&glow::Context)) {
        let gl = self.gpu.gl();
        self.gpu.prepare(area, states);
        self.gpu.bind_array();
        // SAFETY: the program belongs to this context, its attributes are fed or off.
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

/// Compiles one of a program's sources; its errors are told when it is linked.
fn compile(gl: &glow::Context, kind: u32, source: &str) -> Result<glow::Shader, String> {
    // SAFETY: the context is current on this thread; the shader is its own.
    unsafe {
        let shader = gl.create_shader(kind)?;
        gl.shader_source(shader, source);
        gl.compile_shader(shader);
        Ok(shader)
    }
}
