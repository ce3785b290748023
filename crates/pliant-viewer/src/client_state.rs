//! State of the simulation as known from its events.

use std::sync::Arc;

use pliant_session::protocol::{
    BodyKind, Event, Frame, RenderBody, RenderCollider, SavedFile, SceneInfo, SecondSimFrame,
    Settings,
};

use crate::graphics::frame_data::{ColliderMesh, ColliderMeshes, Topology, VertexData};
use crate::history::StatsHistory;
use crate::mesh_builder::MeshBuilder;
use crate::normals;

/// The loaded scene and its current state.
#[derive(Default)]
pub struct ClientState {
    /// The scene, with the currently drawn bodies.
    pub scene: Option<SceneInfo>,
    /// Current settings.
    pub settings: Settings,
    /// True while the simulation runs.
    pub playing: bool,
    /// The last frame; its vertex arrays have been moved out of it.
    pub frame: Frame,
    /// Statistics of the last steps.
    pub history: StatsHistory,
    /// Vertices of the bodies.
    pub vertices: Arc<VertexData>,
    /// Vertices of the second solver's bodies.
    pub second_vertices: Option<Arc<VertexData>>,
    /// The colliders.
    pub colliders: Arc<ColliderMeshes>,
    /// Height of the ground \[m\].
    pub ground_height: f32,
    /// Number of scenes loaded so far.
    pub scenes_loaded: u64,
    /// True if the ground is a collider.
    ground_is_collider: bool,
    mesh_builder: MeshBuilder,
    /// Bodies of the second solver, if they have torn differently.
    second_bodies: Vec<RenderBody>,
    second_mesh_builder: Option<MeshBuilder>,
    /// Edges of the bodies, and of the second solver's bodies if these differ.
    edges: [Option<Arc<Vec<[u32; 2]>>>; 2],
    revision: u64,
}

/// Consequence of an event for the application.
#[derive(Clone, Debug, PartialEq)]
pub enum EventResult {
    /// None: the state has been updated.
    Handled,
    /// A frame with this number arrived.
    Frame(u64),
    /// A new scene arrived.
    Scene,
    /// A file to save.
    File(SavedFile),
    /// An informational message.
    Note(String),
    /// An error message.
    Error(String),
}

impl ClientState {
    /// Applies an event.
    pub fn handle_event(&mut self, event: Event) -> EventResult {
        match event {
            Event::Scene(scene) => {
                self.load(*scene);
                return EventResult::Scene;
            }
            Event::Settings(settings) => self.settings = *settings,
            Event::Topology { version, bodies, what } => {
                if let Some(scene) = &mut self.scene {
                    scene.version = version;
                    scene.bodies = bodies;
                }
                self.rebuild();
                if !what.is_empty() {
                    return EventResult::Note(what);
                }
            }
            Event::Frame(frame) => {
                let number = frame.number;
                self.apply_frame(*frame);
                return EventResult::Frame(number);
            }
            Event::Playing(playing) => self.playing = playing,
            Event::Snapshot(file) | Event::File(file) => return EventResult::File(file),
            Event::Note(text) => return EventResult::Note(text),
            Event::Error(text) => return EventResult::Error(text),
        }
        EventResult::Handled
    }

    /// The drawn bodies.
    pub fn bodies(&self) -> &[RenderBody] {
        self.scene.as_ref().map_or(&[], |s| &s.bodies)
    }

    /// Positions of the drawn vertices, without those of tubes.
    pub fn vertex_positions(&self) -> &[[f32; 3]] {
        &self.vertices.positions
            [..self.mesh_builder.vertex_count.min(self.vertices.positions.len())]
    }

    /// Topology of the first or of the second solver's bodies.
    pub fn topology(&self, second: bool) -> Arc<Topology> {
        let other = self.second_mesh_builder.as_ref().filter(|_| second);
        other.unwrap_or(&self.mesh_builder).topology.clone()
    }

    /// True if the second solver's bodies have torn differently, so that their vertices have other numbers.
    pub fn second_topology_differs(&self) -> bool {
        self.second_mesh_builder.is_some()
    }

    /// Corners of the bounding box of everything visible \[m\].
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        let start = self.scene.as_ref().map_or([[-0.5; 3], [0.5; 3]], |s| s.bounds);
        let mut bounds = start;
        for p in self.vertices.positions.iter().filter(|p| p.iter().all(|c| c.is_finite())) {
            for c in 0..3 {
                bounds[0][c] = bounds[0][c].min(p[c]);
                bounds[1][c] = bounds[1][c].max(p[c]);
            }
        }
        // Bodies that have flown far away would make everything else tiny.
        let reach = 2.0 * (0..3).map(|c| start[1][c] - start[0][c]).fold(0.1, f32::max);
        for c in 0..3 {
            bounds[0][c] = bounds[0][c].max(start[0][c] - reach);
            bounds[1][c] = bounds[1][c].min(start[1][c] + reach);
        }
        bounds
    }

    /// All edges of surfaces and all segments of the first or of the second solver, each once.
    pub fn edges(&mut self, second: bool) -> Arc<Vec<[u32; 2]>> {
        let other = second && self.second_topology_differs();
        if let Some(edges) = &self.edges[usize::from(other)] {
            return edges.clone();
        }
        let edges = Arc::new(edges_of(if other { &self.second_bodies } else { self.bodies() }));
        self.edges[usize::from(other)] = Some(edges.clone());
        edges
    }

    fn load(&mut self, scene: SceneInfo) {
        self.settings = scene.settings.clone();
        self.ground_height = find_ground_height(&scene);
        self.ground_is_collider =
            scene.colliders.iter().any(|c| c.infinite && level_height(c).is_some());
        let revision = self.next_revision();
        let list = scene.colliders.iter().map(|c| collider_mesh(c, self.ground_height)).collect();
        self.colliders = Arc::new(ColliderMeshes { revision, list });
        self.history.clear();
        self.second_vertices = None;
        self.vertices = Arc::default();
        self.frame = Frame::default();
        self.scene = Some(scene);
        self.scenes_loaded += 1;
        self.rebuild();
    }

    /// Rebuilds the geometry after the bodies have changed.
    fn rebuild(&mut self) {
        let revision = self.next_revision();
        self.edges[0] = None;
        self.mesh_builder = MeshBuilder::new(self.bodies(), self.min_tube_thickness(), revision);
    }

    /// Minimum drawn thickness of threads \[m\].
    fn min_tube_thickness(&self) -> f32 {
        let [low, high] = self.scene.as_ref().map_or([[0.0; 3]; 2], |s| s.bounds);
        0.004 * (0..3).map(|c| high[c] - low[c]).fold(0.0, f32::max)
    }

    fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    fn apply_frame(&mut self, mut frame: Frame) {
        if self.scene.as_ref().is_some_and(|s| s.version != frame.version) {
            return;
        }
        self.history.add(&frame);
        let positions = std::mem::take(&mut frame.positions);
        let strain = std::mem::take(&mut frame.strain);
        let revision = self.next_revision();
        self.vertices = self.mesh_builder.vertex_data(&positions, strain, revision);
        self.lower_ground();
        self.second_vertices =
            frame.second_sim.as_deref_mut().map(|second_sim| self.apply_second_frame(second_sim));
        self.frame = frame;
    }

    /// Vertices of the second solver; its mesh builder is rebuilt after a tear.
    fn apply_second_frame(&mut self, second_sim: &mut SecondSimFrame) -> Arc<VertexData> {
        let bodies = std::mem::take(&mut second_sim.bodies);
        if bodies != self.second_bodies {
            let revision = self.next_revision();
            self.second_mesh_builder = (!bodies.is_empty())
                .then(|| MeshBuilder::new(&bodies, self.min_tube_thickness(), revision));
            (self.second_bodies, self.edges[1]) = (bodies, None);
        }
        let revision = self.next_revision();
        let (positions, strain) =
            (std::mem::take(&mut second_sim.positions), std::mem::take(&mut second_sim.strain));
        self.second_mesh_builder
            .as_ref()
            .unwrap_or(&self.mesh_builder)
            .vertex_data(&positions, strain, revision)
    }

    /// Without a ground collider, the drawn ground stays below everything.
    fn lower_ground(&mut self) {
        if self.ground_is_collider {
            return;
        }
        // Thrown balls are ignored.
        let bodies = self.bodies().iter().filter(|b| b.kind != BodyKind::Rigid);
        let places = self.vertex_positions();
        let part = |b: &RenderBody| {
            places.get(b.first_vertex as usize..(b.first_vertex + b.vertex_count) as usize)
        };
        let heights = bodies.filter_map(part).flatten().map(|p| p[1]).filter(|y| y.is_finite());
        let lowest = heights.fold(f32::INFINITY, f32::min);
        let [low, high] = self.bounds();
        let size = (0..3).map(|c| high[c] - low[c]).fold(1e-3, f32::max);
        if lowest.is_finite() {
            self.ground_height = self.ground_height.min(lowest.max(low[1]) - 0.01 * size);
        }
    }
}

/// All edges of surfaces and all segments, each once.
fn edges_of(bodies: &[RenderBody]) -> Vec<[u32; 2]> {
    let mut edges = Vec::new();
    for body in bodies {
        for &[a, b, c] in &body.triangles {
            edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        edges.extend(body.segments.iter().map(|&[p, q]| [p.min(q), p.max(q)]));
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Height of a static level ground, or slightly below everything.
fn find_ground_height(scene: &SceneInfo) -> f32 {
    let level = |c: &RenderCollider| (c.infinite && c.is_static).then(|| level_height(c)).flatten();
    let found = scene.colliders.iter().find_map(level);
    let [low, high] = scene.bounds;
    let side = |c: usize| high[c] - low[c];
    let wide = side(0).max(side(2));
    // Flat bodies will hang down by their length, a rope by less; upright bodies are near the ground.
    let flat = side(1) < 0.25 * wide;
    let room = if flat { 1.05 * side(0).min(side(2)).max(0.35 * wide) } else { 0.03 * side(1) };
    found.unwrap_or(low[1] - room)
}

/// Height of a collider if all its vertices have the same.
fn level_height(collider: &RenderCollider) -> Option<f32> {
    let mut heights = collider.positions.as_chunks::<3>().0.iter().map(|p| p[1]);
    let first = heights.next()?;
    heights.all(|h| (h - first).abs() < 1e-5).then_some(first)
}

/// Drawn mesh of a collider; the ground is drawn separately.
fn collider_mesh(collider: &RenderCollider, ground: f32) -> ColliderMesh {
    let is_ground = collider.infinite && level_height(collider) == Some(ground);
    if is_ground {
        return ColliderMesh::default();
    }
    let positions = collider.positions.as_chunks::<3>().0.to_vec();
    if collider.smooth {
        let mut out = Vec::new();
        normals::smooth(&positions, &collider.triangles, &mut out);
        let triangles = collider.triangles.clone();
        return ColliderMesh { positions, normals: out, triangles, color: collider.color };
    }
    // Each face has its own vertices, so that edges are visible.
    let mut mesh = ColliderMesh { color: collider.color, ..ColliderMesh::default() };
    for triangle in &collider.triangles {
        let corner = |v: u32| positions.get(v as usize).copied().unwrap_or([0.0; 3]);
        let corners = triangle.map(corner);
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(corners);
        mesh.normals.extend([normals::of_face(corners); 3]);
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> RenderBody {
        RenderBody {
            vertex_count: 4,
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..RenderBody::default()
        }
    }

    fn scene() -> Event {
        let floor = RenderCollider {
            positions: vec![-9.0, -1.0, 9.0, 9.0, -1.0, 9.0, 0.0, -1.0, -9.0],
            triangles: vec![[0, 1, 2]],
            is_static: true,
            infinite: true,
            ..RenderCollider::default()
        };
        let info = SceneInfo {
            version: 1,
            bodies: vec![square()],
            colliders: vec![floor],
            bounds: [[0.0; 3], [1.0, 1.0, 0.0]],
            ..SceneInfo::default()
        };
        Event::Scene(Box::new(info))
    }

    fn frame(version: u32, step: u64) -> Event {
        let positions = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        Event::Frame(Box::new(Frame {
            number: step,
            version,
            step,
            positions,
            strain: vec![0.1; 4],
            ..Frame::default()
        }))
    }

    #[test]
    fn a_scene_and_its_frames_are_seen() {
        let mut client = ClientState::default();
        assert_eq!(client.handle_event(scene()), EventResult::Scene);
        assert_eq!(client.ground_height, -1.0);
        assert!(client.colliders.list[0].triangles.is_empty(), "the ground is drawn otherwise");
        assert_eq!(client.handle_event(frame(1, 7)), EventResult::Frame(7));
        assert_eq!(client.vertex_positions().len(), 4);
        assert_eq!(client.vertices.normals[2], [0.0, 0.0, 1.0]);
        assert_eq!(client.edges(false).len(), 5);
        assert_eq!(client.frame.step, 7);
    }

    #[test]
    fn a_frame_of_another_numbering_is_passed_over_but_acknowledged() {
        let mut client = ClientState::default();
        client.handle_event(scene());
        assert_eq!(client.handle_event(frame(3, 8)), EventResult::Frame(8));
        assert!(client.vertex_positions().is_empty());
        let bodies = vec![square()];
        client.handle_event(Event::Topology { version: 3, bodies, what: String::new() });
        client.handle_event(frame(3, 9));
        assert_eq!(client.vertex_positions().len(), 4);
    }

    #[test]
    fn a_second_solver_that_tore_otherwise_is_drawn_by_its_own_triangles() {
        let mut client = ClientState::default();
        client.handle_event(scene());
        let torn =
            RenderBody { vertex_count: 5, triangles: vec![[0, 1, 2], [0, 3, 4]], ..square() };
        let with = |bodies: Vec<RenderBody>, count: usize| {
            let second_sim = SecondSimFrame {
                bodies,
                positions: vec![0.5; 3 * count],
                ..SecondSimFrame::default()
            };
            let Event::Frame(frame) = frame(1, 3) else { unreachable!() };
            Event::Frame(Box::new(Frame { second_sim: Some(Box::new(second_sim)), ..*frame }))
        };
        client.handle_event(with(vec![torn], 5));
        assert!(client.second_topology_differs());
        assert_eq!(client.second_vertices.as_ref().map(|r| r.positions.len()), Some(5));
        assert_ne!(client.topology(true).revision, client.topology(false).revision);
        assert_eq!((client.edges(true).len(), client.edges(false).len()), (6, 5));
        client.handle_event(with(Vec::new(), 4));
        assert!(!client.second_topology_differs());
        assert_eq!(client.topology(true).revision, client.topology(false).revision);
    }
}
