//! Messages between a user interface and a simulation.
//!
//! ```text
//! user interface  ── Command ──▶  session      load, play, grab, cut, choose a solver, save …
//!                 ◀── Event ────               geometry to draw, frames, files, error messages
//! ```
//!
//! Both are plain data. [`encode`] serialises a message, compactly and identically on every machine: lists
//! of numbers are stored as consecutive little-endian values. No message refers to the memory of either
//! side.
//!
//! **Drawn vertices.** All drawn geometry of bodies has one numbering: the vertices of all drawn bodies,
//! one body after the other. Frames contain their positions as one list of numbers, x y z x y z; grabs and
//! pins name vertices by it. The numbering holds until the next [`Event::Scene`] or [`Event::Topology`];
//! each of these, and every frame, contains the `version` of the numbering.
//!
//! **Flow control.** A session has at most two frames in flight that are not yet acknowledged with
//! [`Command::Ack`]. A user interface acknowledges a frame once it is drawn, so that a slow interface slows
//! the simulation down instead of queueing frames without bound.
//!
//! All quantities are in SI units.

mod command;
mod event;
mod frame;
mod scene;

pub use command::{Command, MeshRole, SolverChoice};
pub use event::{Event, SavedFile};
pub use frame::{Comparison, ContactCounts, ContactPoint, Energy, Frame, Grabbed, SecondSimFrame};
pub use scene::{
    BodyKind, Owner, Parameter, RenderAppearance, RenderBody, RenderCollider, RenderPattern,
    SceneInfo, Settings, SolverInfo,
};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Serialises a message.
pub fn encode<M: Serialize>(message: &M) -> Vec<u8> {
    // Serialising plain data into growing memory cannot fail.
    postcard::to_allocvec(message).unwrap_or_default()
}

/// Deserialises a message; the error describes invalid bytes.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, String> {
    postcard::from_bytes(bytes).map_err(|e| {
        format!("invalid message, possibly from another version ({e}); reload the page")
    })
}
