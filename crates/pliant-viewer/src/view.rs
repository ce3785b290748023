//! View state: layers, the camera, and the frame to draw.

use egui::Rect;
use glam::Vec3;

use crate::action::Layer;
use crate::camera::Camera;
use crate::client_state::ClientState;
use crate::graphics::frame_data::{Ghost, LineSet, PointMarker, RenderFrame, Segment, VertexData};
use crate::theme::{self, ViewStyle};
use pliant_session::protocol::{BodyKind, RenderBody};

/// Layout of a comparison of two solvers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComparisonLayout {
    /// Two views side by side.
    #[default]
    SideBySide,
    /// Both in one view.
    Overlay,
}

/// Layers and camera of the view.
pub struct View {
    /// The camera.
    pub camera: Camera,
    /// True in dark mode.
    pub dark: bool,
    /// True if dark mode follows the system.
    pub follows_system: bool,
    /// True if surfaces are shown.
    pub surface: bool,
    /// True if edges are shown.
    pub wire: bool,
    /// True if strain is shown as colour.
    pub strain: bool,
    /// True if contacts are shown.
    pub contacts: bool,
    /// True if normals are shown.
    pub normals: bool,
    /// True if pins are shown.
    pub pins: bool,
    /// True if the grid is shown.
    pub grid: bool,
    /// Strain at the ends of the colormap.
    pub strain_limit: f32,
    /// Layout of two solvers.
    pub comparison_layout: ComparisonLayout,
    /// True while frames are drawn in low quality.
    low_quality: bool,
    /// Duration of a low frame rate \[s\]; negative for the duration of a high one.
    slow_seconds: f32,
    /// Scene to which the camera was last fitted.
    framed_scene: u64,
    /// Number of views to which it was fitted.
    view_count: usize,
}

impl View {
    /// Initial view.
    pub fn new() -> Self {
        Self {
            camera: Camera::default(),
            dark: false,
            follows_system: true,
            surface: true,
            wire: false,
            strain: false,
            contacts: false,
            normals: false,
            pins: true,
            grid: true,
            strain_limit: 0.1,
            comparison_layout: ComparisonLayout::SideBySide,
            low_quality: false,
            slow_seconds: 0.0,
            framed_scene: 0,
            view_count: 1,
        }
    }

    /// Visibility flag of a layer.
    pub fn layer_mut(&mut self, layer: Layer) -> &mut bool {
        match layer {
            Layer::Surface => &mut self.surface,
            Layer::Wire => &mut self.wire,
            Layer::Strain => &mut self.strain,
            Layer::Contacts => &mut self.contacts,
            Layer::Normals => &mut self.normals,
            Layer::Pins => &mut self.pins,
            Layer::Grid => &mut self.grid,
        }
    }

    /// Lowers the quality after a second of low frame rate (below 20 frames per second), and restores it
    /// after eight seconds above 50.
    pub fn adapt_quality(&mut self, fps: f32, dt: f32) {
        let by = dt.min(0.25);
        self.slow_seconds = match fps {
            f if f < 20.0 => self.slow_seconds.max(0.0) + by,
            f if f > 50.0 => self.slow_seconds.min(0.0) - by,
            _ => 0.0,
        };
        if self.slow_seconds > 1.0 {
            self.low_quality = true;
        } else if self.slow_seconds < -8.0 {
            self.low_quality = false;
        }
    }

    /// Fits the camera to a new scene, or to a new number of views.
    pub fn frame_new_scene(&mut self, client: &ClientState, pictures: usize, aspect: f32) {
        if client.scene.is_some() && self.framed_scene != client.scenes_loaded {
            self.framed_scene = client.scenes_loaded;
            self.camera = Camera { yaw: 0.4, pitch: 0.3, ..self.camera };
            self.fit(client, aspect);
        } else if self.view_count != pictures && client.scene.is_some() {
            self.fit(client, aspect);
        }
        self.view_count = pictures;
    }

    /// Fits everything into the view.
    pub fn fit(&mut self, client: &ClientState, aspect: f32) {
        let Some(scene) = &client.scene else { return };
        let [mut low, high] = scene.bounds;
        let now = client.bounds();
        let size = |b: [[f32; 3]; 2]| (Vec3::from(b[1]) - Vec3::from(b[0])).length();
        if !client.vertex_positions().is_empty()
            && client.frame.step > 0
            && size(now) < 2.0 * size(scene.bounds)
        {
            return self.camera.frame(now[0], now[1], aspect);
        }
        // The fitted box includes the space below bodies that will hang down, and some ground above the
        // first hint.
        let wide = (high[0] - low[0]).max(high[2] - low[2]);
        low[1] = low[1].min(client.ground_height.max(low[1] - 1.2 * wide));
        low[1] -= 0.15 * (high[1] - low[1]);
        self.camera.frame(low, high, aspect);
    }

    /// Frame of one of two solvers, or of the only one.
    pub fn render_frame(
        &self,
        client: &mut ClientState,
        side: usize,
        picture: Rect,
    ) -> RenderFrame {
        let second_vertices = client.second_vertices.clone();
        let over = self.comparison_layout == ComparisonLayout::Overlay;
        let second = side == 1 && !over && second_vertices.is_some();
        let shape = match &second_vertices {
            Some(second_vertices) if second => second_vertices.clone(),
            _ => client.vertices.clone(),
        };
        let mut look = ViewStyle::new(self.dark);
        look.grid = self.grid;
        let limit = self.strain_limit.max(1e-6);
        RenderFrame {
            view_index: side,
            camera: self.camera,
            look,
            topology: client.topology(second),
            ghost: second_vertices
                .filter(|_| over)
                .map(|shape| Ghost { topology: client.topology(true), vertices: shape }),
            colliders: client.colliders.clone(),
            collider_transforms: client.frame.colliders.clone(),
            ground_height: client.ground_height,
            bounds: client.bounds(),
            strain_range: self.strain.then_some([-limit, limit]),
            surfaces: self.surface,
            low_quality: self.low_quality,
            lines: self.lines(client, &shape, second, picture),
            points: self.points(client, &shape, second),
            vertices: shape,
        }
    }

    fn lines(
        &self,
        client: &mut ClientState,
        shape: &VertexData,
        second: bool,
        picture: Rect,
    ) -> Vec<LineSet> {
        let mut strokes = Vec::new();
        if self.wire || !self.surface {
            let color = if self.dark { [230, 235, 245, 110] } else { [28, 34, 48, 120] };
            let edges = client.edges(second);
            let at = |v: u32| shape.positions.get(v as usize).copied();
            let line = |&[a, b]: &[u32; 2]| Some(Segment { ends: [at(a)?, at(b)?], color });
            let segments = edges.iter().filter_map(line).collect();
            strokes.push(LineSet { segments, width: 1.0, on_top: false });
        }
        if self.normals {
            let length = 0.03 * self.camera.scene_size;
            let drawn = client.vertex_positions().len();
            let every = (drawn / 4000).max(1);
            let arrow = |v: usize| {
                let (p, n) = (Vec3::from(shape.positions[v]), Vec3::from(shape.normals[v]));
                Segment { ends: [p.into(), (p + n * length).into()], color: [40, 164, 196, 255] }
            };
            let count = drawn.min(shape.positions.len());
            let segments = (0..count).step_by(every).map(arrow).collect();
            strokes.push(LineSet { segments, width: 1.5, on_top: false });
        }
        if self.contacts {
            let length = 0.04 * self.camera.scene_size;
            let arrow = |c: &pliant_session::protocol::ContactPoint| {
                let (p, n) = (Vec3::from(c.point), Vec3::from(c.normal));
                let color = [36, 150, 104, 255];
                Segment { ends: [p.into(), (p + n * length).into()], color }
            };
            let segments = client.frame.contacts.iter().map(arrow).collect();
            strokes.push(LineSet { segments, width: 2.0, on_top: true });
        }
        if !(second && client.second_topology_differs())
            && let Some(spring) = self.grab_spring(client, shape, picture)
        {
            strokes.push(spring);
        }
        strokes
    }

    /// Spring between the grabbed vertex and the pointer: a coil that stretches.
    fn grab_spring(
        &self,
        client: &ClientState,
        shape: &VertexData,
        picture: Rect,
    ) -> Option<LineSet> {
        let grabbed = client.frame.grabbed?;
        let from = Vec3::from(*shape.positions.get(grabbed.vertex as usize)?);
        let to = Vec3::from(grabbed.target);
        let (right, up, _) = self.camera.axes();
        let per_point = self.camera.meters_per_point(grabbed.target, picture);
        let length = (to - from).length();
        let radius = (5.0 * per_point).min(0.12 * length);
        let turns = 7.0;
        let axis = if length > 1e-9 { (to - from) / length } else { up };
        let side = axis.cross(self.camera.axes().2);
        let side = if side.length_squared() > 1e-9 { side.normalize() } else { right };
        let other = axis.cross(side);
        let steps = 84;
        let point = |k: usize| {
            let t = k as f32 / steps as f32;
            // Straight at both ends, coiled in between.
            let coil = ((t - 0.1) / 0.8).clamp(0.0, 1.0);
            let swell = (4.0 * coil * (1.0 - coil)).min(1.0).sqrt();
            let (sin, cos) = (std::f32::consts::TAU * turns * coil).sin_cos();
            from + (to - from) * t + (side * sin + other * cos) * (radius * swell)
        };
        let color = [232, 150, 40, 255];
        let line = |k: usize| Segment { ends: [point(k).into(), point(k + 1).into()], color };
        Some(LineSet { segments: (0..steps).map(line).collect(), width: 2.0, on_top: true })
    }

    fn points(&self, client: &ClientState, shape: &VertexData, second: bool) -> Vec<PointMarker> {
        let mut dots = Vec::new();
        // Pins and grabbed vertices use the numbering of the first solver.
        if second && client.second_topology_differs() {
            return dots;
        }
        let at = |v: u32| shape.positions.get(v as usize).copied();
        let [r, g, b] = theme::AZURE;
        if self.pins {
            let pin = |place| PointMarker { position: place, radius: 4.5, color: [r, g, b, 255] };
            // All vertices of kinematic bodies are pinned, so that marking them would not be informative.
            let told = |v: &u32| {
                let holds =
                    |b: &RenderBody| (b.first_vertex..b.first_vertex + b.vertex_count).contains(v);
                let body = client.bodies().iter().find(|b| holds(b));
                body.is_some_and(|b| b.kind == BodyKind::Animated)
            };
            let held = client.settings.pinned.iter().filter(|v| !told(v));
            dots.extend(held.filter_map(|&v| at(v)).map(pin));
        }
        if self.contacts && !second {
            let contact = |c: &pliant_session::protocol::ContactPoint| PointMarker {
                position: c.point,
                radius: 2.5,
                color: [36, 150, 104, 255],
            };
            dots.extend(client.frame.contacts.iter().map(contact));
        }
        if let Some(grabbed) = client.frame.grabbed {
            let color = [232, 150, 40, 255];
            dots.extend(at(grabbed.vertex).map(|place| PointMarker {
                position: place,
                radius: 5.5,
                color,
            }));
            dots.push(PointMarker { position: grabbed.target, radius: 5.5, color });
        }
        dots
    }
}
