//! Background and ground behind the bodies.

use std::rc::Rc;

use super::buffer::Attribute;
use super::frame_data::RenderFrame;
use super::gpu::{DepthTest, Gpu, PipelineState};
use super::light::set_environment;
use super::program::Program;
use super::shadow::{FULLSCREEN_TRIANGLE, OVERWRITE};
use super::{Environment, Viewport};

/// Square of the ground, as two triangles.
const GROUND_QUAD: [[f32; 3]; 6] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];

pub(crate) struct Background {
    backdrop: Program,
    ground: Program,
    screen: Attribute<3>,
    square: Attribute<3>,
}

impl Background {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, String> {
        let (screen, backdrop) =
            (include_str!("shaders/screen.vert"), include_str!("shaders/backdrop.frag"));
        let (ground, floor) =
            (include_str!("shaders/ground.vert"), include_str!("shaders/ground.frag"));
        Ok(Self {
            backdrop: Program::new(gpu, screen, backdrop)?,
            ground: Program::new(gpu, ground, floor)?,
            screen: Attribute::of(gpu, &FULLSCREEN_TRIANGLE),
            square: Attribute::of(gpu, &GROUND_QUAD),
        })
    }

    pub(crate) fn backdrop(&self, frame: &RenderFrame, viewport: &Viewport) {
        self.backdrop.set_uniform("topColor", frame.look.top);
        self.backdrop.set_uniform("bottomColor", frame.look.bottom);
        self.backdrop.bind_attribute("position", &self.screen);
        self.backdrop.draw_vertices(viewport.area, OVERWRITE, 3, 1);
    }

    pub(crate) fn ground(
        &self,
        frame: &RenderFrame,
        viewport: &Viewport,
        environment: &Environment<'_>,
    ) {
        // Seen from below, the ground would hide everything.
        if environment.eye.y <= frame.ground_height {
            return;
        }
        let [low, high] = frame.bounds;
        let size = frame.camera.scene_size.max(1e-3);
        let middle = [0.5 * (low[0] + high[0]), frame.ground_height, 0.5 * (low[2] + high[2])];
        let program = &self.ground;
        set_environment(program, environment, &frame.look);
        program.set_uniform("groundColor", frame.look.ground);
        program.set_uniform("lineColor", frame.look.line);
        program.set_uniform("shadeColor", frame.look.shade);
        program.set_uniform("middle", middle);
        program.set_uniform("reach", 5.0 * size);
        program.set_uniform("size", size);
        program.set_uniform("spacing", grid_spacing(size));
        program.set_uniform("grid", frame.look.grid);
        program.bind_attribute("position", &self.square);
        let states = PipelineState {
            depth_test: DepthTest::LessOrEqual,
            writes_depth: false,
            writes_color: true,
            blend: true,
        };
        program.draw_vertices(viewport.area, states, GROUND_QUAD.len(), 1);
    }
}

/// Spacing of the grid lines for a scene of this size \[m\]: 1, 2 or 5 times a power of ten.
pub fn grid_spacing(size: f32) -> f32 {
    let rough = 0.2 * size.max(1e-6);
    let power = 10.0_f32.powf(rough.log10().floor());
    let lead = rough / power;
    let round = if lead < 1.5 {
        1.0
    } else if lead < 3.5 {
        2.0
    } else if lead < 7.5 {
        5.0
    } else {
        10.0
    };
    round * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_round_distances() {
        for (size, expected) in [(1.0, 0.2), (2.4, 0.5), (5.0, 1.0), (0.05, 0.01), (40.0, 10.0)] {
            assert!(
                (grid_spacing(size) / expected - 1.0).abs() < 1e-4,
                "{size}: {}",
                grid_spacing(size)
            );
        }
    }
}
