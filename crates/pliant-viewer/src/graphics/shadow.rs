//! Shadow of the key light: a depth map from the light, and its coverage, blurred for the ground.

use std::rc::Rc;

use glam::camera::rh::proj::opengl::orthographic;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec2, Vec3, vec2};

use super::buffer::Attribute;
use super::frame_data::RenderFrame;
use super::gpu::{DepthTest, Gpu, PipelineState, PixelRect};
use super::program::Program;
use super::target::{Content, RenderTarget};

/// Texels along a side of the depth map, and of its blurred coverage.
const FULL_RESOLUTION: [i32; 2] = [1024, 384];
/// The same in low quality.
const LOW_RESOLUTION: [i32; 2] = [512, 128];
/// Direction toward the light.
const LIGHT_DIRECTION: Vec3 = Vec3::new(-0.438, 0.797, 0.415);

/// Triangle that covers the whole screen.
pub(crate) const FULLSCREEN_TRIANGLE: [[f32; 3]; 3] =
    [[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]];

/// Shadow of one frame.
pub(crate) struct Shadow {
    gpu: Rc<Gpu>,
    depth: RenderTarget,
    blur_target: RenderTarget,
    blurred_coverage: RenderTarget,
    depth_program: Program,
    blur_program: Program,
    screen_triangle: Attribute<3>,
    matrix: Mat4,
    bias: f32,
    map_size: i32,
    coverage_size: i32,
    low_resolution: bool,
}

impl Shadow {
    /// Creates the maps, in full or low resolution.
    pub(crate) fn new(gpu: &Rc<Gpu>, low_resolution: bool) -> Result<Self, String> {
        let [side, cover] = if low_resolution { LOW_RESOLUTION } else { FULL_RESOLUTION };
        let surface = include_str!("shaders/surface.vert");
        let screen = include_str!("shaders/screen.vert");
        Ok(Self {
            gpu: gpu.clone(),
            depth: RenderTarget::new(gpu, side, Content::Depth)?,
            blur_target: RenderTarget::new(gpu, cover, Content::Color)?,
            blurred_coverage: RenderTarget::new(gpu, cover, Content::Color)?,
            depth_program: Program::new(gpu, surface, include_str!("shaders/depth.frag"))?,
            blur_program: Program::new(gpu, screen, include_str!("shaders/blur.frag"))?,
            screen_triangle: Attribute::of(gpu, &FULLSCREEN_TRIANGLE),
            matrix: Mat4::IDENTITY,
            bias: 0.0,
            map_size: side,
            coverage_size: cover,
            low_resolution,
        })
    }

    /// Fits the light's view to everything in a frame.
    pub(crate) fn fit_to_scene(&mut self, frame: &RenderFrame) {
        let [low, high] = frame.bounds.map(Vec3::from);
        let middle = (low + high) * 0.5;
        let radius = (0.5 * (high - low).length()).max(1e-3) * 1.12;
        let toward = LIGHT_DIRECTION.normalize();
        let eye = middle + toward * (2.0 * radius);
        let view = look_at_mat4(eye, middle, Vec3::NEG_Z);
        let (near, far) = (0.5 * radius, 3.5 * radius);
        self.matrix = orthographic(-radius, radius, -radius, radius, near, far) * view;
        self.bias = 0.006 * radius;
    }

    /// Draws both maps; `draw` draws all shadow casters with the given program.
    pub(crate) fn render(&self, draw: impl FnOnce(&Program, PixelRect)) {
        self.depth_program.set_uniform("viewMatrix", self.matrix);
        self.depth.bind_for_drawing();
        self.gpu.clear_depth();
        draw(&self.depth_program, PixelRect::square(self.map_size));
        // The blur has the same width in the scene at every resolution.
        let step = 1.3 / FULL_RESOLUTION[1] as f32;
        self.blur_program.bind_texture("source", 0, &self.depth);
        self.blur_pass(&self.blur_target, vec2(step, 0.0), true);
        self.blur_program.bind_texture("source", 0, &self.blur_target);
        self.blur_pass(&self.blurred_coverage, vec2(0.0, step), false);
    }

    fn blur_pass(&self, into: &RenderTarget, stride: Vec2, is_depth: bool) {
        self.blur_program.set_uniform("stride", stride);
        self.blur_program.set_uniform("isDepth", is_depth);
        self.blur_program.bind_attribute("position", &self.screen_triangle);
        into.bind_for_drawing();
        self.blur_program.draw_vertices(
            PixelRect::square(self.coverage_size),
            OVERWRITE,
            FULLSCREEN_TRIANGLE.len(),
            1,
        );
    }

    /// Sets the uniforms of the light and its depth map.
    pub(crate) fn set_uniforms(&self, program: &Program) {
        program.set_uniform("lightMatrix", self.matrix);
        program.set_uniform("toLight", LIGHT_DIRECTION.normalize());
        program.set_uniform("shadowBias", self.bias);
        program.set_uniform("shadowTexel", 1.0 / self.map_size as f32);
        program.set_uniform("shadowLooks", i32::from(!self.low_resolution));
        program.bind_texture("depthMap", 0, &self.depth);
        program.bind_texture("cover", 1, &self.blurred_coverage);
    }
}

/// States of a draw call that overwrites everything.
pub(crate) const OVERWRITE: PipelineState = PipelineState {
    depth_test: DepthTest::Always,
    writes_depth: false,
    writes_color: true,
    blend: false,
};
