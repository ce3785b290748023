//! Lines and round markers with a width in pixels: wireframes, springs, contacts, pins.

use std::rc::Rc;

use glam::{Vec2, vec2};

use super::buffer::Attribute;
use super::frame_data::{LineSet, PointMarker, RenderFrame};
use super::gpu::{DepthTest, Gpu, PipelineState};
use super::light::set_environment;
use super::program::Program;
use super::{Environment, Viewport};

/// Rectangle of a line: from 0 to 1 along it, from −1 to 1 across it.
const LINE_QUAD: [[f32; 3]; 6] = [
    [0.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
];
const POINT_QUAD: [[f32; 3]; 6] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];
/// Depth offset of markers in front of the surface on which they lie, as a fraction of the depth.
const DEPTH_BIAS: f32 = 5e-5;

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
            strip: Attribute::of(gpu, &LINE_QUAD),
            square: Attribute::of(gpu, &POINT_QUAD),
            starts: Attribute::new(gpu),
            ends: Attribute::new(gpu),
            centers: Attribute::new(gpu),
            colors: Attribute::new(gpu),
        })
    }

    pub(crate) fn draw(
        &mut self,
        frame: &RenderFrame,
        viewport: &Viewport,
        environment: &Environment<'_>,
    ) {
        for strokes in frame.lines.iter().filter(|s| !s.segments.is_empty()) {
            self.draw_lines(strokes, frame, viewport, environment);
        }
        if !frame.points.is_empty() {
            self.draw_points(&frame.points, frame, viewport, environment);
        }
    }

    fn draw_lines(
        &mut self,
        strokes: &LineSet,
        frame: &RenderFrame,
        viewport: &Viewport,
        environment: &Environment<'_>,
    ) {
        let starts: Vec<[f32; 3]> = strokes.segments.iter().map(|s| s.ends[0]).collect();
        let ends: Vec<[f32; 3]> = strokes.segments.iter().map(|s| s.ends[1]).collect();
        let colors: Vec<[f32; 4]> = strokes.segments.iter().map(|s| to_float(s.color)).collect();
        self.starts.fill(&starts);
        self.ends.fill(&ends);
        self.colors.fill(&colors);
        let program = &self.segment;
        set_environment(program, environment, &frame.look);
        program.set_uniform("picture", half_size(viewport));
        program.set_uniform("width", strokes.width * viewport.pixels_per_point);
        program.set_uniform("lift", DEPTH_BIAS);
        program.bind_attribute("position", &self.strip);
        program.bind_instance_attribute("start", &self.starts);
        program.bind_instance_attribute("end", &self.ends);
        program.bind_instance_attribute("color", &self.colors);
        let count = strokes.segments.len();
        program.draw_vertices(viewport.area, marker_state(strokes.on_top), LINE_QUAD.len(), count);
    }

    fn draw_points(
        &mut self,
        dots: &[PointMarker],
        frame: &RenderFrame,
        viewport: &Viewport,
        environment: &Environment<'_>,
    ) {
        let scale = viewport.pixels_per_point;
        let center =
            |d: &PointMarker| [d.position[0], d.position[1], d.position[2], d.radius * scale];
        self.centers.fill(&dots.iter().map(center).collect::<Vec<_>>());
        self.colors.fill(&dots.iter().map(|d| to_float(d.color)).collect::<Vec<_>>());
        let program = &self.dot;
        set_environment(program, environment, &frame.look);
        program.set_uniform("picture", half_size(viewport));
        program.set_uniform("lift", 2.0 * DEPTH_BIAS);
        program.bind_attribute("position", &self.square);
        program.bind_instance_attribute("center", &self.centers);
        program.bind_instance_attribute("color", &self.colors);
        program.draw_vertices(viewport.area, marker_state(false), POINT_QUAD.len(), dots.len());
    }
}

fn marker_state(on_top: bool) -> PipelineState {
    PipelineState {
        depth_test: if on_top { DepthTest::Always } else { DepthTest::LessOrEqual },
        writes_depth: false,
        writes_color: true,
        blend: true,
    }
}

fn half_size(viewport: &Viewport) -> Vec2 {
    0.5 * vec2(viewport.area.width as f32, viewport.area.height as f32)
}

fn to_float(color: [u8; 4]) -> [f32; 4] {
    color.map(|c| f32::from(c) / 255.0)
}
