//! The shadow of the key light: a map of what it sees first, and its cover, blurred for the ground.

use std::rc::Rc;

use glam::camera::rh::proj::opengl::orthographic;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec2, Vec3, vec2};

use super::buffer::Attribute;
use super::gpu::{Area, Depth, Gpu, States};
use super::program::Program;
use super::shot::Shot;
use super::target::{Content, Target};

/// Texels along a side of the map, and of its blurred cover.
const FINE: [i32; 2] = [1024, 384];
/// The same where pictures come slowly.
const LEAN: [i32; 2] = [512, 128];
/// Toward the light.
const TOWARD: Vec3 = Vec3::new(-0.438, 0.797, 0.415);

/// A triangle over the whole of a picture.
pub(crate) const SCREEN: [[f32; 3]; 3] = [[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]];

/// The shadow of one shot.
pub(crate) struct Shadow {
    gpu: Rc<Gpu>,
    depth: Target,
    half: Target,
    cover: Target,
    caster: Program,
    blur: Program,
    corners: Attribute<3>,
    matrix: Mat4,
    bias: f32,
    side: i32,
    spread: i32,
    lean: bool,
}

impl Shadow {
    /// Maps for pictures that are fine, or quickly drawn.
    pub(crate) fn new(gpu: &Rc<Gpu>, lean: bool) -> Result<Self, String> {
        let [side, cover] = if lean { LEAN } else { FINE };
        let surface = include_str!("shaders/surface.vert");
        let screen = include_str!("shaders/screen.vert");
        Ok(Self {
            gpu: gpu.clone(),
            depth: Target::new(gpu, side, Content::Depth)?,
            half: Target::new(gpu, cover, Content::Color)?,
            cover: Target::new(gpu, cover, Content::Color)?,
            caster: Program::new(gpu, surface, include_str!("shaders/depth.frag"))?,
            blur: Program::new(gpu, screen, include_str!("shaders/blur.frag"))?,
            corners: Attribute::of(gpu, &SCREEN),
            matrix: Mat4::IDENTITY,
            bias: 0.0,
            side,
            spread: cover,
            lean,
        })
    }

    /// Looks from the light at everything in a shot.
    pub(crate) fn aim(&mut self, shot: &Shot) {
        let [low, high] = shot.bounds.map(Vec3::from);
        let middle = (low + high) * 0.5;
        let radius = (0.5 * (high - low).length()).max(1e-3) * 1.12;
        let toward = TOWARD.normalize();
        let eye = middle + toward * (2.0 * radius);
        let view = look_at_mat4(eye, middle, Vec3::NEG_Z);
        let (near, far) = (0.5 * radius, 3.5 * radius);
        self.matrix = orthographic(-radius, radius, -radius, radius, near, far) * view;
        self.bias = 0.006 * radius;
    }

    /// Draws both maps; the caster draws all surfaces with the program that it is given.
    pub(crate) fn cast(&self, draw: impl FnOnce(&Program, Area)) {
        self.caster.tell("viewMatrix", self.matrix);
        self.depth.aim();
        self.gpu.clear_depth();
        draw(&self.caster, Area::square(self.side));
        // As wide in the scene, however many texels there are.
        let step = 1.3 / FINE[1] as f32;
        self.blur.read("source", 0, &self.depth);
        self.spread(&self.half, vec2(step, 0.0), true);
        self.blur.read("source", 0, &self.half);
        self.spread(&self.cover, vec2(0.0, step), false);
    }

    fn spread(&self, into: &Target, stride: Vec2, is_depth: bool) {
        self.blur.tell("stride", stride);
        self.blur.tell("isDepth", is_depth);
        self.blur.feed("position", &self.corners);
        into.aim();
        self.blur.draw_vertices(Area::square(self.spread), OVER_ALL, SCREEN.len(), 1);
    }

    /// Tells a program where the light is and what it sees.
    pub(crate) fn tell(&self, program: &Program) {
        program.tell("lightMatrix", self.matrix);
        program.tell("toLight", TOWARD.normalize());
        program.tell("shadowBias", self.bias);
        program.tell("shadowTexel", 1.0 / self.side as f32);
        program.tell("shadowLooks", i32::from(!self.lean));
        program.read("depthMap", 0, &self.depth);
        program.read("cover", 1, &self.cover);
    }
}

/// Draws over everything.
pub(crate) const OVER_ALL: States =
    States { depth: Depth::Always, writes_depth: false, writes_color: true, blend: false };
