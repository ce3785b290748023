//! State of the viewer as JSON: for tests, and for pages that embed it.

use std::collections::BTreeMap;

use egui::Rect;
use serde::Serialize;

use crate::app::Viewer;
use crate::camera::Camera;
use crate::client_state::ClientState;

/// State of the viewer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// Name of the scene.
    pub scene: String,
    /// Number of simulated vertices.
    pub vertices: u32,
    /// Number of drawn vertices.
    pub drawn: usize,
    /// Steps since the start.
    pub step: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Hash of the state, in hexadecimal digits.
    pub hash: String,
    /// True while paused.
    pub paused: bool,
    /// The running solver.
    pub solver: String,
    /// The second solver.
    #[serde(rename = "rival")]
    pub second_solver: Option<String>,
    /// Maximum distance between the two solvers \[m\].
    #[serde(rename = "apart")]
    pub max_separation: Option<f64>,
    /// Latest errors of both solvers against the converged solution.
    pub errors: Option<[f64; 2]>,
    /// Frames drawn per second.
    pub fps: f32,
    /// Time of the last step \[ms\].
    pub ms: f64,
    /// Mean time of the last steps \[ms\].
    pub mean_ms: f64,
    /// The requested vertex.
    pub vertex: Option<VertexStatus>,
    /// Number of pinned drawn vertices.
    pub pinned: usize,
    /// Number of contacts.
    pub contacts: u32,
    /// The grabbed vertex.
    pub grabbed: Option<u32>,
    /// The last message.
    pub message: String,
    /// Name and size in bytes of the last saved file.
    pub saved: Option<(String, usize)>,
    /// Number of scenes loaded.
    pub loaded: u64,
    /// Number of lines in the import report of a mesh.
    pub notes: usize,
    /// Rectangles of the views, in points: left, top, width, height.
    #[serde(rename = "pictures")]
    pub view_rects: Vec<[f32; 4]>,
    /// Centre of every visible button, in points, by name.
    pub buttons: BTreeMap<String, [f32; 2]>,
}

/// A drawn vertex.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct VertexStatus {
    /// Position \[m\].
    pub place: [f32; 3],
    /// Position on the page, in points.
    pub at: Option<[f32; 2]>,
}

impl Viewer {
    /// State of the viewer, with one drawn vertex.
    pub fn status(&self, vertex: usize) -> Status {
        let (client, frame) = (&self.client, &self.client.frame);
        let scene = client.scene.as_ref();
        let picture = self.view_rects.first().copied().unwrap_or(Rect::ZERO);
        let part = |r: &Rect| [r.left(), r.top(), r.width(), r.height()];
        Status {
            scene: scene.map_or_else(String::new, |s| s.name.clone()),
            vertices: scene.map_or(0, |s| s.vertices),
            drawn: client.vertex_positions().len(),
            step: frame.step,
            time: frame.time,
            hash: format!("{:016x}", frame.hash),
            paused: !client.playing,
            solver: client.settings.solver.name.clone(),
            second_solver: client.settings.second_solver.as_ref().map(|r| r.name.clone()),
            max_separation: frame.second_sim.as_ref().map(|r| r.max_separation),
            errors: client.history.errors(),
            fps: self.fps,
            ms: frame.ms,
            mean_ms: client.history.mean_ms(),
            vertex: vertex_status(client, &self.view.camera, picture, vertex),
            pinned: client.settings.pinned.len(),
            contacts: frame.counts.colliders + frame.counts.pairs,
            grabbed: frame.grabbed.map(|g| g.vertex),
            message: self.messages.last.clone(),
            saved: self.last_saved.clone(),
            loaded: client.scenes_loaded,
            notes: scene.map_or(0, |s| s.notes.len()),
            view_rects: self.view_rects.iter().map(part).collect(),
            buttons: self
                .ui_state
                .button_rects
                .iter()
                .map(|(k, r)| (k.clone(), r.center().into()))
                .collect(),
        }
    }
}

/// A drawn vertex in the first view.
fn vertex_status(
    client: &ClientState,
    camera: &Camera,
    picture: Rect,
    vertex: usize,
) -> Option<VertexStatus> {
    let place = *client.vertex_positions().get(vertex)?;
    let at = camera.project(place, picture).map(|(p, _)| [p.x, p.y]);
    Some(VertexStatus { place, at })
}
