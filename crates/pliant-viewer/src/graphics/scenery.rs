//! What is around the bodies: the background and the ground.

use three_d::{
    Blend, Context, CoreError, DepthTest, Program, RenderStates, Vec3, VertexBuffer, WriteMask,
};

use super::program::{program, tell, tell_setting};
use super::shadow::{SCREEN, always};
use super::shot::Shot;
use super::{Part, Setting};

/// The ground's square, as two triangles.
const SQUARE: [[f32; 3]; 6] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];

pub(crate) struct Scenery {
    backdrop: Program,
    ground: Program,
    screen: VertexBuffer<[f32; 3]>,
    square: VertexBuffer<[f32; 3]>,
}

impl Scenery {
    pub(crate) fn new(context: &Context) -> Result<Self, CoreError> {
        let (screen, backdrop) =
            (include_str!("shaders/screen.vert"), include_str!("shaders/backdrop.frag"));
        let (ground, floor) =
            (include_str!("shaders/ground.vert"), include_str!("shaders/ground.frag"));
        Ok(Self {
            backdrop: program(context, screen, backdrop)?,
            ground: program(context, ground, floor)?,
            screen: VertexBuffer::new_with_data(context, &SCREEN),
            square: VertexBuffer::new_with_data(context, &SQUARE),
        })
    }

    pub(crate) fn backdrop(&self, shot: &Shot, part: &Part) {
        tell(&self.backdrop, "topColor", Vec3::from(shot.look.top));
        tell(&self.backdrop, "bottomColor", Vec3::from(shot.look.bottom));
        self.backdrop.use_vertex_attribute("position", &self.screen);
        let states = RenderStates { write_mask: WriteMask::COLOR, ..always() };
        self.backdrop.draw_arrays(states, part.viewport, 3);
    }

    pub(crate) fn ground(&self, shot: &Shot, part: &Part, setting: &Setting<'_>) {
        // From below, the ground would hide everything.
        if setting.eye.y <= shot.ground {
            return;
        }
        let [low, high] = shot.bounds;
        let size = shot.camera.size.max(1e-3);
        let middle = [0.5 * (low[0] + high[0]), shot.ground, 0.5 * (low[2] + high[2])];
        let program = &self.ground;
        tell_setting(program, setting, &shot.look);
        tell(program, "groundColor", Vec3::from(shot.look.ground));
        tell(program, "lineColor", Vec3::from(shot.look.line));
        tell(program, "shadeColor", Vec3::from(shot.look.shade));
        tell(program, "middle", Vec3::from(middle));
        tell(program, "reach", 5.0 * size);
        tell(program, "size", size);
        tell(program, "spacing", spacing(size));
        tell(program, "grid", if shot.look.grid { 1.0_f32 } else { 0.0 });
        program.use_vertex_attribute("position", &self.square);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::LessOrEqual,
            blend: Blend::TRANSPARENCY,
            ..RenderStates::default()
        };
        program.draw_arrays(states, part.viewport, 6);
    }
}

/// The distance of the grid's lines for a scene of this size \[m\]: 1, 2 or 5 times a power of ten.
pub fn spacing(size: f32) -> f32 {
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
            assert!((spacing(size) / expected - 1.0).abs() < 1e-4, "{size}: {}", spacing(size));
        }
    }
}
