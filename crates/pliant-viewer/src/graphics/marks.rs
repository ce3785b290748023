//! Lines and round marks, in pixels' width: wireframes, springs, contacts, pins.

use std::rc::Rc;

use glam::{Vec2, vec2};

use super::buffer::Attribute;
use super::gpu::{Depth, Gpu, States};
use super::light::tell_setting;
use super::program::Program;
use super::shot::{Dot, Shot, Strokes};
use super::{Part, Setting};

/// A line's rectangle: along it from 0 to 1, across it from −1 to 1.
const STRIP: [[f32; 3]; 6] = [
    [0.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
];
const SQUARE: [[f32; 3]; 6] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];
/// How far marks stand before the surface that they lie on, in parts of the depth.
const LIFT: f32 = 5e-5;

pub(crate) struct Marks {
    segment: Program,
    dot: Program,
    strip: Attribute<3>,
    square: Attribute<3>,
    starts: Attribute<3>,
    ends: Attribute<3>,
    centers: Attribute<4>,
    colors: Attribute<4>,
}

impl Marks {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, String> {
        let (segment, stroke) =
            (include_str!("shaders/segment.vert"), include_str!("shaders/segment.frag"));
        let (dot, disc) = (include_str!("shaders/dot.vert"), include_str!("shaders/dot.frag"));
        Ok(Self {
            segment: Program::new(gpu, segment, stroke)?,
            dot: Program::new(gpu, dot, disc)?,
            strip: Attribute::of(gpu, &STRIP),
            square: Attribute::of(gpu, &SQUARE),
            starts: Attribute::new(gpu),
            ends: Attribute::new(gpu),
            centers: Attribute::new(gpu),
            colors: Attribute::new(gpu),
        })
    }

    pub(crate) fn draw(&mut self, shot: &Shot, part: &Part, setting: &Setting<'_>) {
        for strokes in shot.strokes.iter().filter(|s| !s.segments.is_empty()) {
            self.strokes(strokes, shot, part, setting);
        }
        if !shot.dots.is_empty() {
            self.dots(&shot.dots, shot, part, setting);
        }
    }

    fn strokes(&mut self, strokes: &Strokes, shot: &Shot, part: &Part, setting: &Setting<'_>) {
        let starts: Vec<[f32; 3]> = strokes.segments.iter().map(|s| s.ends[0]).collect();
        let ends: Vec<[f32; 3]> = strokes.segments.iter().map(|s| s.ends[1]).collect();
        let colors: Vec<[f32; 4]> = strokes.segments.iter().map(|s| shown(s.color)).collect();
        self.starts.fill(&starts);
        self.ends.fill(&ends);
        self.colors.fill(&colors);
        let program = &self.segment;
        tell_setting(program, setting, &shot.look);
        program.tell("picture", half(part));
        program.tell("width", strokes.width * part.pixels_per_point);
        program.tell("lift", LIFT);
        program.feed("position", &self.strip);
        program.feed_instances("start", &self.starts);
        program.feed_instances("end", &self.ends);
        program.feed_instances("color", &self.colors);
        let count = strokes.segments.len();
        program.draw_vertices(part.area, states(strokes.on_top), STRIP.len(), count);
    }

    fn dots(&mut self, dots: &[Dot], shot: &Shot, part: &Part, setting: &Setting<'_>) {
        let scale = part.pixels_per_point;
        let center = |d: &Dot| [d.place[0], d.place[1], d.place[2], d.radius * scale];
        self.centers.fill(&dots.iter().map(center).collect::<Vec<_>>());
        self.colors.fill(&dots.iter().map(|d| shown(d.color)).collect::<Vec<_>>());
        let program = &self.dot;
        tell_setting(program, setting, &shot.look);
        program.tell("picture", half(part));
        program.tell("lift", 2.0 * LIFT);
        program.feed("position", &self.square);
        program.feed_instances("center", &self.centers);
        program.feed_instances("color", &self.colors);
        program.draw_vertices(part.area, states(false), SQUARE.len(), dots.len());
    }
}

fn states(on_top: bool) -> States {
    States {
        depth: if on_top { Depth::Always } else { Depth::NearerOrSame },
        writes_depth: false,
        writes_color: true,
        blend: true,
    }
}

fn half(part: &Part) -> Vec2 {
    0.5 * vec2(part.area.width as f32, part.area.height as f32)
}

fn shown(color: [u8; 4]) -> [f32; 4] {
    color.map(|c| f32::from(c) / 255.0)
}
