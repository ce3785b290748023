//! Lines and round marks, in pixels' width: wireframes, springs, contacts, pins.

use three_d::{
    Blend, Context, CoreError, DepthTest, InstanceBuffer, Program, RenderStates, Vec2,
    VertexBuffer, WriteMask,
};

use super::program::{program, tell, tell_setting};
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
    strip: VertexBuffer<[f32; 3]>,
    square: VertexBuffer<[f32; 3]>,
    starts: InstanceBuffer<[f32; 3]>,
    ends: InstanceBuffer<[f32; 3]>,
    centers: InstanceBuffer<[f32; 4]>,
    colors: InstanceBuffer<[f32; 4]>,
}

impl Marks {
    pub(crate) fn new(context: &Context) -> Result<Self, CoreError> {
        let (segment, stroke) =
            (include_str!("shaders/segment.vert"), include_str!("shaders/segment.frag"));
        let (dot, disc) = (include_str!("shaders/dot.vert"), include_str!("shaders/dot.frag"));
        Ok(Self {
            segment: program(context, segment, stroke)?,
            dot: program(context, dot, disc)?,
            strip: VertexBuffer::new_with_data(context, &STRIP),
            square: VertexBuffer::new_with_data(context, &SQUARE),
            starts: InstanceBuffer::new(context),
            ends: InstanceBuffer::new(context),
            centers: InstanceBuffer::new(context),
            colors: InstanceBuffer::new(context),
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
        tell(program, "picture", half(part));
        tell(program, "width", strokes.width * part.pixels_per_point);
        tell(program, "lift", LIFT);
        program.use_vertex_attribute("position", &self.strip);
        program.use_instance_attribute("start", &self.starts);
        program.use_instance_attribute("end", &self.ends);
        program.use_instance_attribute("color", &self.colors);
        let count = strokes.segments.len() as u32;
        program.draw_arrays_instanced(states(strokes.on_top), part.viewport, 6, count);
    }

    fn dots(&mut self, dots: &[Dot], shot: &Shot, part: &Part, setting: &Setting<'_>) {
        let scale = part.pixels_per_point;
        let center = |d: &Dot| [d.place[0], d.place[1], d.place[2], d.radius * scale];
        self.centers.fill(&dots.iter().map(center).collect::<Vec<_>>());
        self.colors.fill(&dots.iter().map(|d| shown(d.color)).collect::<Vec<_>>());
        let program = &self.dot;
        tell_setting(program, setting, &shot.look);
        tell(program, "picture", half(part));
        tell(program, "lift", 2.0 * LIFT);
        program.use_vertex_attribute("position", &self.square);
        program.use_instance_attribute("center", &self.centers);
        program.use_instance_attribute("color", &self.colors);
        program.draw_arrays_instanced(states(false), part.viewport, 6, dots.len() as u32);
    }
}

fn states(on_top: bool) -> RenderStates {
    RenderStates {
        write_mask: WriteMask::COLOR,
        depth_test: if on_top { DepthTest::Always } else { DepthTest::LessOrEqual },
        blend: Blend::TRANSPARENCY,
        ..RenderStates::default()
    }
}

fn half(part: &Part) -> Vec2 {
    Vec2::new(0.5 * part.viewport.width as f32, 0.5 * part.viewport.height as f32)
}

fn shown(color: [u8; 4]) -> [f32; 4] {
    color.map(|c| f32::from(c) / 255.0)
}
