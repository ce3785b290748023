//! The shadow of the key light: a map of what it sees first, and its cover, blurred for the ground.

use three_d::{
    ClearState, Context, CoreError, DepthTexture2D, InnerSpace, Interpolation, Mat4, Point3,
    Program, RenderStates, Texture2D, Vec2, Vec3, VertexBuffer, Viewport, Wrapping, WriteMask,
    vec3,
};

use super::program::{program, tell};
use super::shot::Shot;

/// Texels along a side of the map, and of its blurred cover.
const FINE: [u32; 2] = [1024, 384];
/// The same where pictures come slowly.
const LEAN: [u32; 2] = [512, 128];
/// Toward the light.
const TOWARD: Vec3 = Vec3::new(-0.438, 0.797, 0.415);

/// A triangle over the whole of a picture.
pub(crate) const SCREEN: [[f32; 3]; 3] = [[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]];

/// The shadow of one shot.
pub(crate) struct Shadow {
    depth: DepthTexture2D,
    half: Texture2D,
    cover: Texture2D,
    caster: Program,
    blur: Program,
    corners: VertexBuffer<[f32; 3]>,
    matrix: Mat4,
    bias: f32,
    side: u32,
    spread: u32,
    lean: bool,
}

impl Shadow {
    /// Maps for pictures that are fine, or quickly drawn.
    pub(crate) fn new(context: &Context, lean: bool) -> Result<Self, CoreError> {
        let [side, cover] = if lean { LEAN } else { FINE };
        let edge = Wrapping::ClampToEdge;
        let smooth = Interpolation::Linear;
        let texture = || {
            Texture2D::new_empty::<[u8; 4]>(context, cover, cover, smooth, smooth, None, edge, edge)
        };
        let surface = include_str!("shaders/surface.vert");
        let screen = include_str!("shaders/screen.vert");
        Ok(Self {
            depth: DepthTexture2D::new::<three_d::f24>(context, side, side, edge, edge),
            half: texture(),
            cover: texture(),
            caster: program(context, surface, include_str!("shaders/depth.frag"))?,
            blur: program(context, screen, include_str!("shaders/blur.frag"))?,
            corners: VertexBuffer::new_with_data(context, &SCREEN),
            matrix: Mat4::from_scale(1.0),
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
        let radius = (0.5 * (high - low).magnitude()).max(1e-3) * 1.12;
        let toward = TOWARD.normalize();
        let eye = middle + toward * (2.0 * radius);
        let point = |p: Vec3| Point3::new(p.x, p.y, p.z);
        let view = Mat4::look_at_rh(point(eye), point(middle), vec3(0.0, 0.0, -1.0));
        self.matrix =
            three_d::ortho(-radius, radius, -radius, radius, 0.5 * radius, 3.5 * radius) * view;
        self.bias = 0.006 * radius;
    }

    /// Draws both maps; the caster draws all surfaces with the program that it is given.
    pub(crate) fn cast(&self, draw: impl FnOnce(&Program, Viewport)) {
        tell(&self.caster, "viewMatrix", self.matrix);
        let target = self.depth.as_depth_target();
        target.clear(ClearState::depth(1.0));
        let cast: Result<_, CoreError> = target.write(|| {
            draw(&self.caster, Viewport::new_at_origo(self.side, self.side));
            Ok(())
        });
        drop(cast);
        // As wide in the scene, however many texels there are.
        let step = 1.3 / FINE[1] as f32;
        self.blur.use_depth_texture("source", &self.depth);
        self.spread(&self.half, Vec2::new(step, 0.0), 1.0);
        self.blur.use_texture("source", &self.half);
        self.spread(&self.cover, Vec2::new(0.0, step), 0.0);
    }

    fn spread(&self, into: &Texture2D, stride: Vec2, is_depth: f32) {
        tell(&self.blur, "stride", stride);
        tell(&self.blur, "isDepth", is_depth);
        let states = RenderStates { write_mask: WriteMask::COLOR, ..always() };
        let target = into.as_color_target(None);
        let written: Result<_, CoreError> = target.write(|| {
            self.blur.use_vertex_attribute("position", &self.corners);
            self.blur.draw_arrays(states, Viewport::new_at_origo(self.spread, self.spread), 3);
            Ok(())
        });
        drop(written);
    }

    /// Tells a program where the light is and what it sees.
    pub(crate) fn tell(&self, program: &Program) {
        tell(program, "lightMatrix", self.matrix);
        tell(program, "toLight", TOWARD.normalize());
        tell(program, "shadowBias", self.bias);
        tell(program, "shadowTexel", 1.0 / self.side as f32);
        tell(program, "shadowLooks", i32::from(!self.lean));
        if program.requires_uniform("depthMap") {
            program.use_depth_texture("depthMap", &self.depth);
        }
        if program.requires_uniform("cover") {
            program.use_texture("cover", &self.cover);
        }
    }
}

/// Draws over everything.
pub(crate) fn always() -> RenderStates {
    RenderStates { depth_test: three_d::DepthTest::Always, ..RenderStates::default() }
}
