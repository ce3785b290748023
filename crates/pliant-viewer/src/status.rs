//! What the viewer knows of itself, as JSON: for tests, and for pages around it.

use std::collections::BTreeMap;

use egui::Rect;
use serde::Serialize;

use crate::app::Viewer;
use crate::camera::Camera;
use crate::world::World;

/// The state of the viewer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// The scene's name.
    pub scene: String,
    /// Simulated vertices.
    pub vertices: u32,
    /// Drawn vertices.
    pub drawn: usize,
    /// Steps since the start.
    pub step: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// The hash of the state, in hexadecimal digits.
    pub hash: String,
    /// Whether it stands still.
    pub paused: bool,
    /// The solver that runs.
    pub solver: String,
    /// The second solver.
    pub rival: Option<String>,
    /// How far the two are apart \[m\].
    pub apart: Option<f64>,
    /// The last errors of both against the converged solution.
    pub errors: Option<[f64; 2]>,
    /// Pictures per second.
    pub fps: f32,
    /// Time that the last step took \[ms\].
    pub ms: f64,
    /// The mean of the last steps \[ms\].
    pub mean_ms: f64,
    /// The vertex that was asked for.
    pub vertex: Option<Seen>,
    /// Drawn vertices that are pinned.
    pub pinned: usize,
    /// Contacts.
    pub contacts: u32,
    /// The vertex in the hand.
    pub grabbed: Option<u32>,
    /// The last message.
    pub message: String,
    /// The name and the bytes of the last file that was saved.
    pub saved: Option<(String, usize)>,
    /// Scenes that were loaded.
    pub loaded: u64,
    /// Lines of the report on a mesh.
    pub notes: usize,
    /// Where the pictures are, in points: left, top, width, height.
    pub pictures: Vec<[f32; 4]>,
    /// The middle of every button that is seen, in points, by its name.
    pub buttons: BTreeMap<String, [f32; 2]>,
}

/// A drawn vertex.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Seen {
    /// Where it is \[m\].
    pub place: [f32; 3],
    /// Where it is on the page, in points.
    pub at: Option<[f32; 2]>,
}

impl Viewer {
    /// What the viewer knows of itself, with a drawn vertex.
    pub fn status(&self, vertex: usize) -> Status {
        let (world, frame) = (&self.world, &self.world.frame);
        let scene = world.scene.as_ref();
        let picture = self.pictures.first().copied().unwrap_or(Rect::ZERO);
        let part = |r: &Rect| [r.left(), r.top(), r.width(), r.height()];
        Status {
            scene: scene.map_or_else(String::new, |s| s.name.clone()),
            vertices: scene.map_or(0, |s| s.vertices),
            drawn: world.places().len(),
            step: frame.step,
            time: frame.time,
            hash: format!("{:016x}", frame.hash),
            paused: !world.playing,
            solver: world.settings.solver.name.clone(),
            rival: world.settings.rival.as_ref().map(|r| r.name.clone()),
            apart: frame.rival.as_ref().map(|r| r.apart),
            errors: world.history.errors(),
            fps: self.fps,
            ms: frame.ms,
            mean_ms: world.history.mean_ms(),
            vertex: seen(world, &self.view.camera, picture, vertex),
            pinned: world.settings.pinned.len(),
            contacts: frame.counts.colliders + frame.counts.pairs,
            grabbed: frame.grabbed.map(|g| g.vertex),
            message: self.messages.last.clone(),
            saved: self.saved.clone(),
            loaded: world.loaded,
            notes: scene.map_or(0, |s| s.notes.len()),
            pictures: self.pictures.iter().map(part).collect(),
            buttons: self
                .desk
                .buttons
                .iter()
                .map(|(k, r)| (k.clone(), r.center().into()))
                .collect(),
        }
    }
}

/// A drawn vertex in the first picture.
fn seen(world: &World, camera: &Camera, picture: Rect, vertex: usize) -> Option<Seen> {
    let place = *world.places().get(vertex)?;
    let at = camera.project(place, picture).map(|(p, _)| [p.x, p.y]);
    Some(Seen { place, at })
}
