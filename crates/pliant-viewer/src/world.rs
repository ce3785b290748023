//! What is known of the simulation, from its events alone.

use std::sync::Arc;

use pliant_session::protocol::{
    BodyKind, DrawnBody, DrawnCollider, Event, Frame, Rival, SavedFile, SceneInfo, Settings,
};

use crate::graphics::shot::{Prop, Props, Shape, Topology};
use crate::history::History;
use crate::mold::Mold;
use crate::normals;

/// The loaded scene as it is seen now.
#[derive(Default)]
pub struct World {
    /// The scene; its bodies are those that are drawn now.
    pub scene: Option<SceneInfo>,
    /// What is set.
    pub settings: Settings,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// The last frame; its lists of numbers were taken out of it.
    pub frame: Frame,
    /// What the last steps said.
    pub history: History,
    /// Where the bodies are.
    pub shape: Arc<Shape>,
    /// Where the second solver has them.
    pub rival: Option<Arc<Shape>>,
    /// The colliders.
    pub props: Arc<Props>,
    /// The height of the ground \[m\].
    pub ground: f32,
    /// Scenes that were loaded so far.
    pub loaded: u64,
    /// Whether the ground is a collider.
    solid_ground: bool,
    mold: Mold,
    /// The second solver's bodies, where they have torn in another way.
    rival_bodies: Vec<DrawnBody>,
    rival_mold: Option<Mold>,
    /// Edges of the bodies, and of the second solver's where these are others.
    edges: [Option<Arc<Vec<[u32; 2]>>>; 2],
    stamp: u64,
}

/// What an event asks of the application.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// Nothing: it is seen in the world.
    Seen,
    /// A frame of this number came.
    Frame(u64),
    /// Another scene came.
    Scene,
    /// A file is to be saved.
    File(SavedFile),
    /// A line for the user.
    Note(String),
    /// A line for the user on what could not be done.
    Error(String),
}

impl World {
    /// Takes in an event.
    pub fn hear(&mut self, event: Event) -> Heard {
        match event {
            Event::Scene(scene) => {
                self.load(*scene);
                return Heard::Scene;
            }
            Event::Settings(settings) => self.settings = *settings,
            Event::Topology { version, bodies, what } => {
                if let Some(scene) = &mut self.scene {
                    scene.version = version;
                    scene.bodies = bodies;
                }
                self.rebuild();
                if !what.is_empty() {
                    return Heard::Note(what);
                }
            }
            Event::Frame(frame) => {
                let number = frame.number;
                self.show(*frame);
                return Heard::Frame(number);
            }
            Event::Playing(playing) => self.playing = playing,
            Event::Snapshot(file) | Event::File(file) => return Heard::File(file),
            Event::Note(text) => return Heard::Note(text),
            Event::Error(text) => return Heard::Error(text),
        }
        Heard::Seen
    }

    /// The bodies that are drawn.
    pub fn bodies(&self) -> &[DrawnBody] {
        self.scene.as_ref().map_or(&[], |s| &s.bodies)
    }

    /// The places of drawn vertices, without those that only tubes have.
    pub fn places(&self) -> &[[f32; 3]] {
        &self.shape.positions[..self.mold.drawn.min(self.shape.positions.len())]
    }

    /// What the bodies of the first or of the second solver are made of.
    pub fn topology(&self, second: bool) -> Arc<Topology> {
        let other = self.rival_mold.as_ref().filter(|_| second);
        other.unwrap_or(&self.mold).topology.clone()
    }

    /// Whether the second solver's bodies have torn in another way: their vertices have other numbers.
    pub fn differs(&self) -> bool {
        self.rival_mold.is_some()
    }

    /// The corners of a box around all that is seen \[m\].
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        let start = self.scene.as_ref().map_or([[-0.5; 3], [0.5; 3]], |s| s.bounds);
        let mut bounds = start;
        for p in self.shape.positions.iter().filter(|p| p.iter().all(|c| c.is_finite())) {
            for c in 0..3 {
                bounds[0][c] = bounds[0][c].min(p[c]);
                bounds[1][c] = bounds[1][c].max(p[c]);
            }
        }
        // What has flown away would make everything else tiny.
        let reach = 2.0 * (0..3).map(|c| start[1][c] - start[0][c]).fold(0.1, f32::max);
        for c in 0..3 {
            bounds[0][c] = bounds[0][c].max(start[0][c] - reach);
            bounds[1][c] = bounds[1][c].min(start[1][c] + reach);
        }
        bounds
    }

    /// All edges of surfaces and all segments of the first or of the second solver, each once.
    pub fn edges(&mut self, second: bool) -> Arc<Vec<[u32; 2]>> {
        let other = second && self.differs();
        if let Some(edges) = &self.edges[usize::from(other)] {
            return edges.clone();
        }
        let edges = Arc::new(edges_of(if other { &self.rival_bodies } else { self.bodies() }));
        self.edges[usize::from(other)] = Some(edges.clone());
        edges
    }

    fn load(&mut self, scene: SceneInfo) {
        self.settings = scene.settings.clone();
        self.ground = ground_of(&scene);
        self.solid_ground = scene.colliders.iter().any(|c| c.endless && level_of(c).is_some());
        let stamp = self.next_stamp();
        let list = scene.colliders.iter().map(|c| prop_of(c, self.ground)).collect();
        self.props = Arc::new(Props { stamp, list });
        self.history.clear();
        self.rival = None;
        self.shape = Arc::default();
        self.frame = Frame::default();
        self.scene = Some(scene);
        self.loaded += 1;
        self.rebuild();
    }

    /// Makes what is drawn of other bodies.
    fn rebuild(&mut self) {
        let stamp = self.next_stamp();
        self.edges[0] = None;
        self.mold = Mold::new(self.bodies(), self.thinnest(), stamp);
    }

    /// The thickness below which threads are drawn thicker than they are \[m\].
    fn thinnest(&self) -> f32 {
        let [low, high] = self.scene.as_ref().map_or([[0.0; 3]; 2], |s| s.bounds);
        0.004 * (0..3).map(|c| high[c] - low[c]).fold(0.0, f32::max)
    }

    fn next_stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp
    }

    fn show(&mut self, mut frame: Frame) {
        if self.scene.as_ref().is_some_and(|s| s.version != frame.version) {
            return;
        }
        self.history.add(&frame);
        let positions = std::mem::take(&mut frame.positions);
        let strain = std::mem::take(&mut frame.strain);
        let stamp = self.next_stamp();
        self.shape = self.mold.shape(&positions, strain, stamp);
        self.sink();
        self.rival = frame.rival.as_deref_mut().map(|rival| self.show_rival(rival));
        self.frame = frame;
    }

    /// The second solver's shape; its mold is made again where it has torn.
    fn show_rival(&mut self, rival: &mut Rival) -> Arc<Shape> {
        let bodies = std::mem::take(&mut rival.bodies);
        if bodies != self.rival_bodies {
            let stamp = self.next_stamp();
            self.rival_mold =
                (!bodies.is_empty()).then(|| Mold::new(&bodies, self.thinnest(), stamp));
            (self.rival_bodies, self.edges[1]) = (bodies, None);
        }
        let stamp = self.next_stamp();
        let (positions, strain) =
            (std::mem::take(&mut rival.positions), std::mem::take(&mut rival.strain));
        self.rival_mold.as_ref().unwrap_or(&self.mold).shape(&positions, strain, stamp)
    }

    /// Where there is no ground, the one that is drawn stays below everything.
    fn sink(&mut self) {
        if self.solid_ground {
            return;
        }
        // Balls that were thrown fall where they like.
        let bodies = self.bodies().iter().filter(|b| b.kind != BodyKind::Rigid);
        let places = self.places();
        let part = |b: &DrawnBody| places.get(b.first as usize..(b.first + b.count) as usize);
        let heights = bodies.filter_map(part).flatten().map(|p| p[1]).filter(|y| y.is_finite());
        let lowest = heights.fold(f32::INFINITY, f32::min);
        let [low, high] = self.bounds();
        let size = (0..3).map(|c| high[c] - low[c]).fold(1e-3, f32::max);
        if lowest.is_finite() {
            self.ground = self.ground.min(lowest.max(low[1]) - 0.01 * size);
        }
    }
}

/// All edges of surfaces and all segments, each once.
fn edges_of(bodies: &[DrawnBody]) -> Vec<[u32; 2]> {
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

/// The height of level ground that stands still, or a little below everything.
fn ground_of(scene: &SceneInfo) -> f32 {
    let level = |c: &DrawnCollider| (c.endless && c.still).then(|| level_of(c)).flatten();
    let found = scene.colliders.iter().find_map(level);
    let [low, high] = scene.bounds;
    let side = |c: usize| high[c] - low[c];
    let wide = side(0).max(side(2));
    // What lies flat will hang down by its length, a rope by less; what stands is near the ground.
    let flat = side(1) < 0.25 * wide;
    let room = if flat { 1.05 * side(0).min(side(2)).max(0.35 * wide) } else { 0.03 * side(1) };
    found.unwrap_or(low[1] - room)
}

/// The height of a collider all of whose vertices have one.
fn level_of(collider: &DrawnCollider) -> Option<f32> {
    let mut heights = collider.positions.as_chunks::<3>().0.iter().map(|p| p[1]);
    let first = heights.next()?;
    heights.all(|h| (h - first).abs() < 1e-5).then_some(first)
}

/// What is drawn of a collider; the ground is drawn otherwise.
fn prop_of(collider: &DrawnCollider, ground: f32) -> Prop {
    let is_ground = collider.endless && level_of(collider) == Some(ground);
    if is_ground {
        return Prop::default();
    }
    let positions = collider.positions.as_chunks::<3>().0.to_vec();
    if collider.round {
        let mut out = Vec::new();
        normals::smooth(&positions, &collider.triangles, &mut out);
        return Prop { positions, normals: out, triangles: collider.triangles.clone() };
    }
    // Each face has corners of its own, so that edges are seen.
    let mut prop = Prop::default();
    for triangle in &collider.triangles {
        let corner = |v: u32| positions.get(v as usize).copied().unwrap_or([0.0; 3]);
        let corners = triangle.map(corner);
        let first = prop.positions.len() as u32;
        prop.positions.extend(corners);
        prop.normals.extend([normals::of_face(corners); 3]);
        prop.triangles.push([first, first + 1, first + 2]);
    }
    prop
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> DrawnBody {
        DrawnBody { count: 4, triangles: vec![[0, 1, 2], [0, 2, 3]], ..DrawnBody::default() }
    }

    fn scene() -> Event {
        let floor = DrawnCollider {
            positions: vec![-9.0, -1.0, 9.0, 9.0, -1.0, 9.0, 0.0, -1.0, -9.0],
            triangles: vec![[0, 1, 2]],
            still: true,
            endless: true,
            ..DrawnCollider::default()
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
        let mut world = World::default();
        assert_eq!(world.hear(scene()), Heard::Scene);
        assert_eq!(world.ground, -1.0);
        assert!(world.props.list[0].triangles.is_empty(), "the ground is drawn otherwise");
        assert_eq!(world.hear(frame(1, 7)), Heard::Frame(7));
        assert_eq!(world.places().len(), 4);
        assert_eq!(world.shape.normals[2], [0.0, 0.0, 1.0]);
        assert_eq!(world.edges(false).len(), 5);
        assert_eq!(world.frame.step, 7);
    }

    #[test]
    fn a_frame_of_another_numbering_is_passed_over_but_acknowledged() {
        let mut world = World::default();
        world.hear(scene());
        assert_eq!(world.hear(frame(3, 8)), Heard::Frame(8));
        assert!(world.places().is_empty());
        let bodies = vec![square()];
        world.hear(Event::Topology { version: 3, bodies, what: String::new() });
        world.hear(frame(3, 9));
        assert_eq!(world.places().len(), 4);
    }

    #[test]
    fn a_second_solver_that_tore_otherwise_is_drawn_by_its_own_triangles() {
        let mut world = World::default();
        world.hear(scene());
        let torn = DrawnBody { count: 5, triangles: vec![[0, 1, 2], [0, 3, 4]], ..square() };
        let with = |bodies: Vec<DrawnBody>, count: usize| {
            let rival = Rival { bodies, positions: vec![0.5; 3 * count], ..Rival::default() };
            let Event::Frame(frame) = frame(1, 3) else { unreachable!() };
            Event::Frame(Box::new(Frame { rival: Some(Box::new(rival)), ..*frame }))
        };
        world.hear(with(vec![torn], 5));
        assert!(world.differs());
        assert_eq!(world.rival.as_ref().map(|r| r.positions.len()), Some(5));
        assert_ne!(world.topology(true).stamp, world.topology(false).stamp);
        assert_eq!((world.edges(true).len(), world.edges(false).len()), (6, 5));
        world.hear(with(Vec::new(), 4));
        assert!(!world.differs());
        assert_eq!(world.topology(true).stamp, world.topology(false).stamp);
    }
}
