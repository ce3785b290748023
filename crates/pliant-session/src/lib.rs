//! A live simulation behind messages: what a viewer needs, without graphics.
//!
//! A user interface sends [`Command`]s and is sent [`Event`]s. Nothing else passes between the two, so
//! that the simulation may live in a thread, or in a Web Worker to which only bytes can be sent
//! ([`protocol::encode`], [`protocol::decode`]).

pub mod protocol;

pub use protocol::{Command, Event};
