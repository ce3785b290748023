//! Events of a session.

use serde::{Deserialize, Serialize};

use super::frame::Frame;
use super::scene::{RenderBody, SceneInfo, Settings};

/// Something that the user interface should show or save.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A scene was loaded: all geometry and settings. A frame follows.
    Scene(Box<SceneInfo>),
    /// The settings or their values have changed. Also sent after a step back.
    Settings(Box<Settings>),
    /// New geometry from the next frame on: something tore, was cut or was thrown in.
    Topology {
        /// Version of the numbering of drawn vertices.
        version: u32,
        /// All drawn bodies, replacing the previous ones.
        bodies: Vec<RenderBody>,
        /// Description of the cause.
        what: String,
    },
    /// A new frame.
    Frame(Box<Frame>),
    /// True while running, false while paused.
    Playing(bool),
    /// The saved state.
    Snapshot(SavedFile),
    /// A file to save: an animation or a shared scene.
    File(SavedFile),
    /// An informational message for the user.
    Note(String),
    /// An error message for the user: the problem, its cause and a remedy. Nothing has changed.
    Error(String),
}

/// A file that the user can save.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedFile {
    /// File name with its extension.
    pub name: String,
    /// Contents of the file.
    pub bytes: Vec<u8>,
}
