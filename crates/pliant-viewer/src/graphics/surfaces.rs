//! Surfaces of bodies and colliders on the graphics card: sent again only where they changed.

use std::rc::Rc;

use glam::{Mat4, Vec2};

use super::buffer::{Attribute, Triangles};
use super::gpu::{Area, Depth, Gpu, States};
use super::light::{LIGHT, linear, matrix, tell_setting};
use super::program::Program;
use super::shot::{Coat, Prop, Shape, Shot, Topology};
use super::{Part, Setting};
use crate::theme::{AZURE, HEAT, STONE};

/// The looks of colliders.
const PROP: Coat = Coat { front: STONE, back: STONE, gloss: 0.7, thin: 0.0, strained: false };
/// The looks of the other of two solvers.
const GHOST: Coat = Coat { front: AZURE, back: AZURE, gloss: 0.3, thin: 1.0, strained: false };

/// Draws into depth and colour.
const SOLID: States =
    States { depth: Depth::Nearer, writes_depth: true, writes_color: true, blend: false };

/// Places, normals and strain of vertices.
struct Vertices {
    stamp: Option<u64>,
    positions: Attribute<3>,
    normals: Attribute<3>,
    strain: Attribute<1>,
}

impl Vertices {
    fn new(gpu: &Rc<Gpu>) -> Self {
        Self {
            stamp: None,
            positions: Attribute::new(gpu),
            normals: Attribute::new(gpu),
            strain: Attribute::new(gpu),
        }
    }

    fn fill(&mut self, shape: &Shape) {
        if self.stamp == Some(shape.stamp) || shape.positions.is_empty() {
            return;
        }
        self.stamp = Some(shape.stamp);
        self.positions.fill(&shape.positions);
        self.normals.fill(&shape.normals);
        self.strain.fill(bytemuck::cast_slice(&shape.strain));
    }

    fn give(&self, program: &Program) {
        program.feed("position", &self.positions);
        program.feed("normal", &self.normals);
        program.feed("strain", &self.strain);
    }
}

/// Bodies under one solver: what there is and where it is.
struct Bodies {
    topology: Option<u64>,
    parts: Vec<Triangles>,
    vertices: Vertices,
}

impl Bodies {
    fn new(gpu: &Rc<Gpu>) -> Self {
        Self { topology: None, parts: Vec::new(), vertices: Vertices::new(gpu) }
    }

    fn fill(&mut self, gpu: &Rc<Gpu>, topology: &Topology, shape: &Shape) {
        if self.topology != Some(topology.stamp) {
            self.topology = Some(topology.stamp);
            let buffer = |part: &super::shot::Part| Triangles::of(gpu, &part.triangles);
            self.parts = topology.parts.iter().map(buffer).collect();
        }
        self.vertices.fill(shape);
    }
}

pub(crate) struct Surfaces {
    gpu: Rc<Gpu>,
    program: Program,
    /// Of both pictures side by side.
    sides: [Bodies; 2],
    ghost: Bodies,
    props_stamp: Option<u64>,
    props: Vec<(Vertices, Triangles)>,
}

impl Surfaces {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, String> {
        let fragment = format!("{LIGHT}{}", include_str!("shaders/surface.frag"));
        Ok(Self {
            program: Program::new(gpu, include_str!("shaders/surface.vert"), &fragment)?,
            sides: [Bodies::new(gpu), Bodies::new(gpu)],
            ghost: Bodies::new(gpu),
            props_stamp: None,
            props: Vec::new(),
            gpu: gpu.clone(),
        })
    }

    /// Sends what changed since the last picture.
    pub(crate) fn fill(&mut self, shot: &Shot) {
        self.sides[shot.side.min(1)].fill(&self.gpu, &shot.topology, &shot.shape);
        if let Some(ghost) = &shot.ghost {
            self.ghost.fill(&self.gpu, &ghost.topology, &ghost.shape);
        }
        if self.props_stamp != Some(shot.props.stamp) {
            self.props_stamp = Some(shot.props.stamp);
            self.props = shot.props.list.iter().map(|prop| load(&self.gpu, prop)).collect();
        }
    }

    /// Draws all that casts a shadow with another program.
    pub(crate) fn cast(&self, shot: &Shot, program: &Program, area: Area) {
        let states = States { writes_color: false, ..SOLID };
        if shot.surfaces {
            self.parts(shot, |_, triangles, vertices| {
                program.tell("modelMatrix", Mat4::IDENTITY);
                vertices.give(program);
                program.draw(area, states, triangles);
            });
        }
        self.moved(shot, |model, triangles, vertices| {
            program.tell("modelMatrix", model);
            vertices.give(program);
            program.draw(area, states, triangles);
        });
    }

    /// Draws all surfaces.
    pub(crate) fn draw(&self, shot: &Shot, part: &Part, setting: &Setting<'_>) {
        let program = &self.program;
        tell_setting(program, setting, &shot.look);
        program.tell("heatRange", Vec2::from(shot.heat.unwrap_or([0.0, 1.0])));
        program.tell("heatColors", HEAT.map(linear).as_slice());
        self.moved(shot, |model, triangles, vertices| {
            program.tell("modelMatrix", model);
            self.wear(&PROP, false, 1.0);
            vertices.give(program);
            program.draw(part.area, SOLID, triangles);
        });
        program.tell("modelMatrix", Mat4::IDENTITY);
        if shot.surfaces {
            self.parts(shot, |coat, triangles, vertices| {
                self.wear(coat, shot.heat.is_some() && coat.strained, 1.0);
                vertices.give(program);
                program.draw(part.area, SOLID, triangles);
            });
        }
        if shot.ghost.is_some() {
            for triangles in self.ghost.parts.iter().filter(|t| !t.is_empty()) {
                self.wear(&GHOST, false, 0.45);
                self.ghost.vertices.give(program);
                program.draw(part.area, States { blend: true, ..SOLID }, triangles);
            }
        }
    }

    fn wear(&self, coat: &Coat, heat: bool, opacity: f32) {
        self.program.tell("frontColor", linear(coat.front));
        self.program.tell("backColor", linear(coat.back));
        self.program.tell("gloss", coat.gloss);
        self.program.tell("thin", coat.thin);
        self.program.tell("heat", heat);
        self.program.tell("opacity", opacity);
    }

    fn parts(&self, shot: &Shot, mut draw: impl FnMut(&Coat, &Triangles, &Vertices)) {
        let side = &self.sides[shot.side.min(1)];
        for (part, triangles) in shot.topology.parts.iter().zip(&side.parts) {
            if !triangles.is_empty() && side.vertices.stamp.is_some() {
                draw(&part.coat, triangles, &side.vertices);
            }
        }
    }

    fn moved(&self, shot: &Shot, mut draw: impl FnMut(Mat4, &Triangles, &Vertices)) {
        for (k, (vertices, triangles)) in self.props.iter().enumerate() {
            if !triangles.is_empty() {
                let model = shot.moved.get(k).map_or(Mat4::IDENTITY, matrix);
                draw(model, triangles, vertices);
            }
        }
    }
}

fn load(gpu: &Rc<Gpu>, prop: &Prop) -> (Vertices, Triangles) {
    let mut vertices = Vertices::new(gpu);
    if !prop.positions.is_empty() {
        vertices.positions.fill(&prop.positions);
        vertices.normals.fill(&prop.normals);
    }
    (vertices, Triangles::of(gpu, &prop.triangles))
}
