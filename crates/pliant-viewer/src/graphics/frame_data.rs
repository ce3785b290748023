//! Contents of one picture as plain data: created by the application, drawn by the renderer.

use std::sync::Arc;

use pliant_session::protocol::RenderPattern;

use crate::camera::Camera;
use crate::theme::ViewStyle;

/// Topology of the bodies until something tears or is thrown in.
#[derive(Debug, Default)]
pub struct Topology {
    /// Revision number, different for every topology.
    pub revision: u64,
    /// Surface parts, one for each body.
    pub parts: Vec<SurfacePart>,
    /// Texture coordinates of all drawn vertices; empty if no surface has a pattern.
    pub uvs: Vec<[f32; 2]>,
}

/// The surface of one body, by vertices of the whole picture.
#[derive(Debug, Default, Clone)]
pub struct SurfacePart {
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Colours of the surface.
    pub colors: SurfaceColors,
}

/// Appearance of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceColors {
    /// Front colour, sRGB.
    pub front: [u8; 3],
    /// Back colour, sRGB.
    pub back: [u8; 3],
    /// Strength of the highlights.
    pub gloss: f32,
    /// Fraction of light that passes through: 1 for cloth, 0 for solids.
    pub translucency: f32,
    /// True if strain can be shown as colour.
    pub shows_strain: bool,
    /// Pattern on both sides.
    pub pattern: Option<RenderPattern>,
}

/// All drawn vertices at one time.
#[derive(Debug, Default)]
pub struct VertexData {
    /// Revision number, different for every state.
    pub revision: u64,
    /// Positions \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Strain for colouring.
    pub strain: Vec<f32>,
}

/// The same bodies under another solver.
#[derive(Debug)]
pub struct Ghost {
    /// Topology; the bodies may have torn differently.
    pub topology: Arc<Topology>,
    /// Vertices.
    pub vertices: Arc<VertexData>,
}

/// Surface of a collider, which moves as a rigid whole.
#[derive(Debug, Default)]
pub struct ColliderMesh {
    /// Positions of the vertices at the start \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Vertex normals.
    pub normals: Vec<[f32; 3]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Colour that the scene sets, sRGB.
    pub color: Option<[u8; 3]>,
}

/// All colliders of a scene.
#[derive(Debug, Default)]
pub struct ColliderMeshes {
    /// Revision number, different for every scene.
    pub revision: u64,
    /// Collider meshes; those without triangles are not drawn.
    pub list: Vec<ColliderMesh>,
}

/// A line segment in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Endpoints \[m\].
    pub ends: [[f32; 3]; 2],
    /// Colour: sRGB and opacity.
    pub color: [u8; 4],
}

/// Line segments of one width.
#[derive(Clone, Debug, Default)]
pub struct LineSet {
    /// The segments.
    pub segments: Vec<Segment>,
    /// Width in pixels.
    pub width: f32,
    /// True if they are drawn over surfaces in front of them.
    pub on_top: bool,
}

/// A round marker.
#[derive(Clone, Copy, Debug)]
pub struct PointMarker {
    /// Position \[m\].
    pub position: [f32; 3],
    /// Radius in pixels.
    pub radius: f32,
    /// Colour: sRGB and opacity.
    pub color: [u8; 4],
}

/// Contents of one picture.
#[derive(Debug)]
pub struct RenderFrame {
    /// Index among the views side by side.
    pub view_index: usize,
    /// Camera.
    pub camera: Camera,
    /// Light, ground and colours.
    pub look: ViewStyle,
    /// Topology of the bodies.
    pub topology: Arc<Topology>,
    /// Vertices of the bodies.
    pub vertices: Arc<VertexData>,
    /// The second solver's bodies, drawn in the same view.
    pub ghost: Option<Ghost>,
    /// The colliders.
    pub colliders: Arc<ColliderMeshes>,
    /// Transform of each collider, as three rows of four numbers.
    pub collider_transforms: Vec<[f32; 12]>,
    /// Height of the ground \[m\].
    pub ground_height: f32,
    /// Corners of the bounding box of all shadow casters \[m\].
    pub bounds: [[f32; 3]; 2],
    /// Strain at the ends of the colormap, if strain is shown.
    pub strain_range: Option<[f32; 2]>,
    /// True if surfaces are drawn; otherwise only lines.
    pub surfaces: bool,
    /// True if it is drawn in low quality.
    pub low_quality: bool,
    /// Lines to draw.
    pub lines: Vec<LineSet>,
    /// Markers to draw.
    pub points: Vec<PointMarker>,
}
