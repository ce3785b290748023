//! What is around the bodies: the background and the ground.

use std::rc::Rc;

use super::buffer::Attribute;
use super::gpu::{Depth, Gpu, States};
use super::light::tell_setting;
use super::program::Program;
use super::shadow::{OVER_ALL, SCREEN};
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
    screen: Attribute<3>,
    square: Attribute<3>,
}

impl Scenery {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, String> {
        let (screen, backdrop) =
            (include_str!("shaders/screen.vert"), include_str!("shaders/backdrop.frag"));
        let (ground, floor) =
            (include_str!("shaders/ground.vert"), include_str!("shaders/ground.frag"));
        Ok(Self {
            backdrop: Program::new(gpu, screen, backdrop)?,
            ground: Program::new(gpu, ground, floor)?,
            screen: Attribute::of(gpu, &SCREEN),
            square: Attribute::of(gpu, &SQUARE),
        })
    }

    pub(crate) fn backdrop(&self, shot: &Shot, part: &Part) {
        self.backdrop.tell("topColor", shot.look.top);
        self.backdrop.tell("bottomColor", shot.look.bottom);
        self.backdrop.feed("position", &self.screen);
        self.backdrop.draw_vertices(part.area, OVER_ALL, 3, 1);
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
        program.tell("groundColor", shot.look.ground);
        program.tell("lineColor", shot.look.line);
        program.tell("shadeColor", shot.look.shade);
        program.tell("middle", middle);
        program.tell("reach", 5.0 * size);
        program.tell("size", size);
        program.tell("spacing", spacing(size));
        program.tell("grid", shot.look.grid);
        program.feed("position", &self.square);
        let states = States {
            depth: Depth::NearerOrSame,
            writes_depth: false,
            writes_color: true,
            blend: true,
        };
        program.draw_vertices(part.area, states, SQUARE.len(), 1);
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
