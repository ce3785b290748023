//! Surfaces of bodies and colliders on the graphics card: sent again only where they changed.

use three_d::{
    Blend, Context, CoreError, Cull, DepthTest, ElementBuffer, Mat4, Program, RenderStates,
    VertexBuffer, Viewport, WriteMask,
};

use super::program::{LIGHT, linear, matrix, program, tell, tell_setting};
use super::shot::{Coat, Prop, Shape, Shot, Topology};
use super::{Part, Setting};
use crate::theme::{AZURE, HEAT, STONE};

/// The looks of colliders.
const PROP: Coat = Coat { front: STONE, back: STONE, gloss: 0.7, thin: 0.0, strained: false };
/// The looks of the other of two solvers.
const GHOST: Coat = Coat { front: AZURE, back: AZURE, gloss: 0.3, thin: 1.0, strained: false };

/// Places, normals and strain of vertices.
struct Vertices {
    stamp: Option<u64>,
    positions: VertexBuffer<[f32; 3]>,
    normals: VertexBuffer<[f32; 3]>,
    strain: VertexBuffer<f32>,
}

impl Vertices {
    fn new(context: &Context) -> Self {
        Self {
            stamp: None,
            positions: VertexBuffer::new(context),
            normals: VertexBuffer::new(context),
            strain: VertexBuffer::new(context),
        }
    }

    fn fill(&mut self, shape: &Shape) {
        if self.stamp == Some(shape.stamp) || shape.positions.is_empty() {
            return;
        }
        self.stamp = Some(shape.stamp);
        self.positions.fill(&shape.positions);
        self.normals.fill(&shape.normals);
        self.strain.fill(&shape.strain);
    }

    fn give(&self, program: &Program) {
        program.use_vertex_attribute("position", &self.positions);
        if program.requires_attribute("normal") {
            program.use_vertex_attribute("normal", &self.normals);
        }
        if program.requires_attribute("strain") && self.strain.vertex_count() > 0 {
            program.use_vertex_attribute("strain", &self.strain);
        }
    }
}

/// Bodies under one solver: what there is and where it is.
struct Bodies {
    topology: Option<u64>,
    parts: Vec<ElementBuffer<u32>>,
    vertices: Vertices,
}

impl Bodies {
    fn new(context: &Context) -> Self {
        Self { topology: None, parts: Vec::new(), vertices: Vertices::new(context) }
    }

    fn fill(&mut self, context: &Context, topology: &Topology, shape: &Shape) {
        if self.topology != Some(topology.stamp) {
            self.topology = Some(topology.stamp);
            let buffer = |part: &super::shot::Part| {
                ElementBuffer::new_with_data(context, part.triangles.as_flattened())
            };
            self.parts = topology.parts.iter().map(buffer).collect();
        }
        self.vertices.fill(shape);
    }
}

pub(crate) struct Surfaces {
    context: Context,
    program: Program,
    /// Of both pictures side by side.
    sides: [Bodies; 2],
    ghost: Bodies,
    props_stamp: Option<u64>,
    props: Vec<(Vertices, ElementBuffer<u32>)>,
}

impl Surfaces {
    pub(crate) fn new(context: &Context) -> Result<Self, CoreError> {
        let fragment = format!("{LIGHT}{}", include_str!("shaders/surface.frag"));
        Ok(Self {
            program: program(context, include_str!("shaders/surface.vert"), &fragment)?,
            sides: [Bodies::new(context), Bodies::new(context)],
            ghost: Bodies::new(context),
            props_stamp: None,
            props: Vec::new(),
            context: context.clone(),
        })
    }

    /// Sends what changed since the last picture.
    pub(crate) fn fill(&mut self, shot: &Shot) {
        self.sides[shot.side.min(1)].fill(&self.context, &shot.topology, &shot.shape);
        if let Some(ghost) = &shot.ghost {
            self.ghost.fill(&self.context, &ghost.topology, &ghost.shape);
        }
        if self.props_stamp != Some(shot.props.stamp) {
            self.props_stamp = Some(shot.props.stamp);
            self.props = shot.props.list.iter().map(|prop| load(&self.context, prop)).collect();
        }
    }

    /// Draws all that casts a shadow with another program.
    pub(crate) fn cast(&self, shot: &Shot, program: &Program, viewport: Viewport) {
        let states = RenderStates { write_mask: WriteMask::DEPTH, ..RenderStates::default() };
        if shot.surfaces {
            self.parts(shot, |_, elements, vertices| {
                tell(program, "modelMatrix", Mat4::from_scale(1.0));
                vertices.give(program);
                program.draw_elements(states, viewport, elements);
            });
        }
        self.moved(shot, |model, elements, vertices| {
            tell(program, "modelMatrix", model);
            vertices.give(program);
            program.draw_elements(states, viewport, elements);
        });
    }

    /// Draws all surfaces.
    pub(crate) fn draw(&self, shot: &Shot, part: &Part, setting: &Setting<'_>) {
        let program = &self.program;
        tell_setting(program, setting, &shot.look);
        tell(program, "heatRange", three_d::Vec2::from(shot.heat.unwrap_or([0.0, 1.0])));
        if program.requires_uniform("heatColors") {
            program.use_uniform_array("heatColors", &HEAT.map(linear));
        }
        let solid = RenderStates {
            write_mask: WriteMask::COLOR_AND_DEPTH,
            depth_test: DepthTest::Less,
            blend: Blend::Disabled,
            cull: Cull::None,
        };
        self.moved(shot, |model, elements, vertices| {
            tell(program, "modelMatrix", model);
            self.wear(&PROP, false, 1.0);
            vertices.give(program);
            program.draw_elements(solid, part.viewport, elements);
        });
        tell(program, "modelMatrix", Mat4::from_scale(1.0));
        if shot.surfaces {
            self.parts(shot, |coat, elements, vertices| {
                self.wear(coat, shot.heat.is_some() && coat.strained, 1.0);
                vertices.give(program);
                program.draw_elements(solid, part.viewport, elements);
            });
        }
        if shot.ghost.is_some() {
            let blend = Blend::TRANSPARENCY;
            for elements in self.ghost.parts.iter().filter(|e| e.count() > 0) {
                self.wear(&GHOST, false, 0.45);
                self.ghost.vertices.give(program);
                program.draw_elements(RenderStates { blend, ..solid }, part.viewport, elements);
            }
        }
    }

    fn wear(&self, coat: &Coat, heat: bool, opacity: f32) {
        tell(&self.program, "frontColor", linear(coat.front));
        tell(&self.program, "backColor", linear(coat.back));
        tell(&self.program, "gloss", coat.gloss);
        tell(&self.program, "thin", coat.thin);
        tell(&self.program, "heat", if heat { 1.0_f32 } else { 0.0 });
        tell(&self.program, "opacity", opacity);
    }

    fn parts(&self, shot: &Shot, mut draw: impl FnMut(&Coat, &ElementBuffer<u32>, &Vertices)) {
        let side = &self.sides[shot.side.min(1)];
        for (part, elements) in shot.topology.parts.iter().zip(&side.parts) {
            if elements.count() > 0 && side.vertices.stamp.is_some() {
                draw(&part.coat, elements, &side.vertices);
            }
        }
    }

    fn moved(&self, shot: &Shot, mut draw: impl FnMut(Mat4, &ElementBuffer<u32>, &Vertices)) {
        for (k, (vertices, elements)) in self.props.iter().enumerate() {
            if elements.count() > 0 {
                let model = shot.moved.get(k).map_or(Mat4::from_scale(1.0), matrix);
                draw(model, elements, vertices);
            }
        }
    }
}

fn load(context: &Context, prop: &Prop) -> (Vertices, ElementBuffer<u32>) {
    let mut vertices = Vertices::new(context);
    if !prop.positions.is_empty() {
        vertices.positions.fill(&prop.positions);
        vertices.normals.fill(&prop.normals);
    }
    (vertices, ElementBuffer::new_with_data(context, prop.triangles.as_flattened()))
}
