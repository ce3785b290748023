//! What a session tells.

use serde::{Deserialize, Serialize};

use super::frame::Frame;
use super::scene::{DrawnBody, SceneInfo, Settings};

/// Something that the user interface should show or save.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A scene was loaded: everything there is to draw and to set. A frame follows.
    Scene(Box<SceneInfo>),
    /// What can be set has changed, or what it is set to. Also sent after a step back.
    Settings(Box<Settings>),
    /// Bodies are drawn with other triangles or vertices from the next frame on: something tore, was cut
    /// or was thrown in.
    Topology {
        /// The version of the numbering of drawn vertices.
        version: u32,
        /// All drawn bodies, instead of the former ones.
        bodies: Vec<DrawnBody>,
        /// What happened, in words.
        what: String,
    },
    /// What is to be seen now.
    Frame(Box<Frame>),
    /// Playing or standing still.
    Playing(bool),
    /// The state as bytes.
    Snapshot(SavedFile),
    /// A file to be saved: an animation, a shared scene.
    File(SavedFile),
    /// Something worth a line for the user; nothing went wrong.
    Note(String),
    /// What could not be done, why, and what to do, in words. Nothing has changed.
    Error(String),
}

/// A file that the user may save.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedFile {
    /// A name for it, with its ending.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}
