//! Surfaces of bodies and colliders on the graphics card; uploaded only after a change.

use std::rc::Rc;

use glam::{Mat4, Vec2};
use pliant_scenes::describe::PatternKind;

use super::buffer::{Attribute, Triangles};
use super::frame_data::{ColliderMesh, RenderFrame, SurfaceColors, Topology, VertexData};
use super::gpu::{DepthTest, Gpu, PipelineState, PixelRect};
use super::light::{LIGHT_GLSL, matrix_from_rows, set_environment, srgb_to_linear};
use super::program::Program;
use super::{Environment, Viewport};
use crate::theme::{AZURE, Rgb, STONE, STRAIN_COLORMAP};

/// Appearance without pattern and without strain.
const NO_PATTERN: SurfaceColors = SurfaceColors {
    front: STONE,
    back: STONE,
    gloss: 0.0,
    translucency: 0.0,
    shows_strain: false,
    pattern: None,
};
/// Appearance of colliders.
const COLLIDER_COLORS: SurfaceColors =
    SurfaceColors { front: STONE, back: STONE, gloss: 0.7, translucency: 0.0, ..NO_PATTERN };
/// Appearance of the second solver's bodies.
const GHOST_COLORS: SurfaceColors =
    SurfaceColors { front: AZURE, back: AZURE, gloss: 0.3, translucency: 1.0, ..NO_PATTERN };

/// States of a draw call that writes depth and colour.
const OPAQUE: PipelineState = PipelineState {
    depth_test: DepthTest::Less,
    writes_depth: true,
    writes_color: true,
    blend: false,
};

/// Positions, normals and strain of vertices.
struct VertexBuffers {
    revision: Option<u64>,
    positions: Attribute<3>,
    normals: Attribute<3>,
    strain: Attribute<1>,
    uvs: Attribute<2>,
}

impl VertexBuffers {
    fn new(gpu: &Rc<Gpu>) -> Self {
        Self {
            revision: None,
            positions: Attribute::new(gpu),
            normals: Attribute::new(gpu),
            strain: Attribute::new(gpu),
            uvs: Attribute::new(gpu),
        }
    }

    fn fill(&mut self, shape: &VertexData) {
        if self.revision == Some(shape.revision) || shape.positions.is_empty() {
            return;
        }
        self.revision = Some(shape.revision);
        self.positions.fill(&shape.positions);
        self.normals.fill(&shape.normals);
        self.strain.fill(bytemuck::cast_slice(&shape.strain));
    }

    fn bind(&self, program: &Program) {
        program.bind_attribute("position", &self.positions);
        program.bind_attribute("normal", &self.normals);
        program.bind_attribute("strain", &self.strain);
        program.bind_attribute("uv", &self.uvs);
    }
}

/// Topology and vertices of the bodies under one solver.
struct BodyBuffers {
    topology_revision: Option<u64>,
    parts: Vec<Triangles>,
    vertices: VertexBuffers,
}

impl BodyBuffers {
    fn new(gpu: &Rc<Gpu>) -> Self {
        Self { topology_revision: None, parts: Vec::new(), vertices: VertexBuffers::new(gpu) }
    }

    fn fill(&mut self, gpu: &Rc<Gpu>, topology: &Topology, shape: &VertexData) {
        if self.topology_revision != Some(topology.revision) {
            self.topology_revision = Some(topology.revision);
            let buffer =
                |viewport: &super::frame_data::SurfacePart| Triangles::of(gpu, &viewport.triangles);
            self.parts = topology.parts.iter().map(buffer).collect();
            self.vertices.uvs.fill(&topology.uvs);
        }
        self.vertices.fill(shape);
    }
}

pub(crate) struct Surfaces {
    gpu: Rc<Gpu>,
    program: Program,
    /// Buffers of both views side by side.
    views: [BodyBuffers; 2],
    ghost: BodyBuffers,
    colliders_revision: Option<u64>,
    colliders: Vec<(VertexBuffers, Triangles)>,
}

impl Surfaces {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, String> {
        let fragment = format!("{LIGHT_GLSL}{}", include_str!("shaders/surface.frag"));
        Ok(Self {
            program: Program::new(gpu, include_str!("shaders/surface.vert"), &fragment)?,
            views: [BodyBuffers::new(gpu), BodyBuffers::new(gpu)],
            ghost: BodyBuffers::new(gpu),
            colliders_revision: None,
            colliders: Vec::new(),
            gpu: gpu.clone(),
        })
    }

    /// Uploads the changes since the last frame.
    pub(crate) fn fill(&mut self, frame: &RenderFrame) {
        self.views[frame.view_index.min(1)].fill(&self.gpu, &frame.topology, &frame.vertices);
        if let Some(ghost) = &frame.ghost {
            self.ghost.fill(&self.gpu, &ghost.topology, &ghost.vertices);
        }
        if self.colliders_revision != Some(frame.colliders.revision) {
            self.colliders_revision = Some(frame.colliders.revision);
            self.colliders = frame
                .colliders
                .list
                .iter()
                .map(|collider| upload_collider(&self.gpu, collider))
                .collect();
        }
    }

    /// Draws all shadow casters with another program.
    pub(crate) fn draw_casters(&self, frame: &RenderFrame, program: &Program, area: PixelRect) {
        let states = PipelineState { writes_color: false, ..OPAQUE };
        if frame.surfaces {
            self.for_each_part(frame, |_, triangles, vertices| {
                program.set_uniform("modelMatrix", Mat4::IDENTITY);
                vertices.bind(program);
                program.draw(area, states, triangles);
            });
        }
        self.for_each_collider(frame, |_, model, triangles, vertices| {
            program.set_uniform("modelMatrix", model);
            vertices.bind(program);
            program.draw(area, states, triangles);
        });
    }

    /// Draws all surfaces.
    pub(crate) fn draw(
        &self,
        frame: &RenderFrame,
        viewport: &Viewport,
        environment: &Environment<'_>,
    ) {
        let program = &self.program;
        set_environment(program, environment, &frame.look);
        program.set_uniform("heatRange", Vec2::from(frame.strain_range.unwrap_or([0.0, 1.0])));
        program.set_uniform("heatColors", STRAIN_COLORMAP.map(srgb_to_linear).as_slice());
        self.for_each_collider(frame, |color, model, triangles, vertices| {
            program.set_uniform("modelMatrix", model);
            let front = color.unwrap_or(COLLIDER_COLORS.front);
            let coat = SurfaceColors { front, back: front, ..COLLIDER_COLORS };
            self.set_surface_colors(&coat, false, 1.0);
            vertices.bind(program);
            program.draw(viewport.area, OPAQUE, triangles);
        });
        program.set_uniform("modelMatrix", Mat4::IDENTITY);
        if frame.surfaces {
            self.for_each_part(frame, |colors, triangles, vertices| {
                self.set_surface_colors(
                    colors,
                    frame.strain_range.is_some() && colors.shows_strain,
                    1.0,
                );
                vertices.bind(program);
                program.draw(viewport.area, OPAQUE, triangles);
            });
        }
        if frame.ghost.is_some() {
            for triangles in self.ghost.parts.iter().filter(|t| !t.is_empty()) {
                self.set_surface_colors(&GHOST_COLORS, false, 0.45);
                self.ghost.vertices.bind(program);
                program.draw(viewport.area, PipelineState { blend: true, ..OPAQUE }, triangles);
            }
        }
    }

    fn set_surface_colors(&self, colors: &SurfaceColors, heat: bool, opacity: f32) {
        self.program.set_uniform("frontColor", srgb_to_linear(colors.front));
        self.program.set_uniform("backColor", srgb_to_linear(colors.back));
        self.program.set_uniform("gloss", colors.gloss);
        self.program.set_uniform("thin", colors.translucency);
        self.program.set_uniform("heat", heat);
        self.program.set_uniform("opacity", opacity);
        let kind = colors.pattern.map_or(0, |pattern| match pattern.kind {
            PatternKind::Stripes => 1,
            PatternKind::Checks => 2,
            PatternKind::Gingham => 3,
        });
        self.program.set_uniform("patternKind", kind);
        if let Some(pattern) = colors.pattern {
            self.program.set_uniform("patternColor", srgb_to_linear(pattern.color));
            self.program.set_uniform("patternRepeat", Vec2::from(pattern.repeat));
        }
    }

    fn for_each_part(
        &self,
        frame: &RenderFrame,
        mut draw: impl FnMut(&SurfaceColors, &Triangles, &VertexBuffers),
    ) {
        let side = &self.views[frame.view_index.min(1)];
        for (viewport, triangles) in frame.topology.parts.iter().zip(&side.parts) {
            if !triangles.is_empty() && side.vertices.revision.is_some() {
                draw(&viewport.colors, triangles, &side.vertices);
            }
        }
    }

    fn for_each_collider(
        &self,
        frame: &RenderFrame,
        mut draw: impl FnMut(Option<Rgb>, Mat4, &Triangles, &VertexBuffers),
    ) {
        for (k, (vertices, triangles)) in self.colliders.iter().enumerate() {
            if !triangles.is_empty() {
                let model =
                    frame.collider_transforms.get(k).map_or(Mat4::IDENTITY, matrix_from_rows);
                let color = frame.colliders.list.get(k).and_then(|collider| collider.color);
                draw(color, model, triangles, vertices);
            }
        }
    }
}

fn upload_collider(gpu: &Rc<Gpu>, collider: &ColliderMesh) -> (VertexBuffers, Triangles) {
    let mut vertices = VertexBuffers::new(gpu);
    if !collider.positions.is_empty() {
        vertices.positions.fill(&collider.positions);
        vertices.normals.fill(&collider.normals);
    }
    (vertices, Triangles::of(gpu, &collider.triangles))
}
