//! A live simulation behind messages: what a viewer needs, without graphics.
//!
//! A user interface sends [`Command`]s and is sent [`Event`]s. Nothing else passes between the two, so
//! that the simulation may live in a [thread](thread::Thread), or in a Web Worker to which only bytes can
//! be sent ([`protocol::encode`], [`protocol::decode`]).
//!
//! ```text
//! protocol     the messages
//! session      takes commands, steps, tells
//! world        the simulation, and a second one beside it
//! action       what was done and when: replayed after going back, and from a shared scene
//! setup        a scene with the changes of the user, and its model; never changes
//! records      the last steps, each with its setup
//! ```
//!
//! Everything that changes what is simulated is an action with its step. So going back and on again,
//! saving and sharing all give the same bits.

mod action;
mod changes;
mod compare;
mod drawn;
mod export;
mod hand;
mod material;
pub mod protocol;
mod records;
mod session;
mod setup;
mod share;
mod solver;
mod source;
#[cfg(not(target_arch = "wasm32"))]
pub mod thread;
mod world;

pub use protocol::{Command, Event};
pub use session::Session;
