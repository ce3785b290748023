//! A live simulation behind messages: everything that a viewer needs, without graphics.
//!
//! A user interface sends [`Command`]s and receives [`Event`]s. Nothing else passes between the two, so
//! that the simulation can run in a [thread](thread::SessionThread), or in a Web Worker to which only bytes
//! can be sent ([`protocol::encode`], [`protocol::decode`]).
//!
//! ```text
//! protocol         messages
//! session          handles commands, takes steps, emits events
//! live_simulation  the simulation, and a second one for comparison
//! action           actions and their steps: replayed after going back, and from a shared scene
//! edited_scene     a scene with the user's edits, and its model; immutable
//! history          the last steps, each with its edited scene
//! ```
//!
//! Everything that changes the simulation is an action with its step. Going back and forward, saving and
//! sharing therefore all give the same bits.

mod action;
mod edited_scene;
mod edits;
mod error_meter;
mod export;
mod grab;
mod history;
mod live_simulation;
mod material;
pub mod protocol;
mod render_mesh;
mod session;
mod share;
mod solver;
mod source;
#[cfg(not(target_arch = "wasm32"))]
pub mod thread;

pub use protocol::{Command, Event};
pub use session::Session;
