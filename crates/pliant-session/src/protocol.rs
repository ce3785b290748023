//! The messages between a user interface and a simulation.
//!
//! ```text
//! user interface  ── Command ──▶  session      load, play, grab, cut, choose a solver, save …
//!                 ◀── Event ────               what there is to draw, frames, files, errors in words
//! ```
//!
//! Both are plain data. [`encode`] makes bytes of a message, compact and the same on every machine:
//! lists of numbers are their little-endian bytes one after the other. Nothing in a message refers to
//! the memory of either side.
//!
//! **Drawn vertices.** Everything that is drawn of bodies has one numbering: the vertices of all drawn
//! bodies, one body after the other. Frames carry their positions as one list of numbers, x y z x y z;
//! grabs and pins name vertices by it. It holds until the next [`Event::Scene`] or
//! [`Event::Topology`]; each of these, and every frame, carries the `version` of the numbering.
//!
//! **Flow.** A session computes at most two frames that were not acknowledged with [`Command::Ack`]. A
//! user interface acknowledges what it has drawn, so a slow one slows the simulation down instead of
//! being buried.
//!
//! All quantities are in SI units.

mod command;
mod event;
mod frame;
mod scene;

pub use command::{Command, MeshRole, SolverChoice};
pub use event::{Event, SavedFile};
pub use frame::{Comparison, ContactPoint, Counts, Energy, Frame, Grabbed, Rival};
pub use scene::{
    BodyKind, DrawnBody, DrawnCollider, Owner, Parameter, SceneInfo, Settings, SolverInfo,
};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as bytes.
pub fn encode<M: Serialize>(message: &M) -> Vec<u8> {
    // Plain data in memory that grows: there is nothing that could fail.
    postcard::to_allocvec(message).unwrap_or_default()
}

/// A message of bytes; bytes that are none are refused in words.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, String> {
    postcard::from_bytes(bytes)
        .map_err(|e| format!("these bytes are no message of this version ({e}); reload the page"))
}
