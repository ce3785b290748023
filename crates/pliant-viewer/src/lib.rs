//! The viewer: deformable bodies to look at, to pull and to compare, in a window and in the browser.
//!
//! The simulation lives elsewhere, in a thread or in a Web Worker, behind the messages of
//! `pliant-session`: what is shown follows from its events alone.
//!
//! ```text
//! panels, hand ── Wish, Command ──▶ Link ──▶ session (thread or worker)
//!      ▲                                          │
//!      └── World ◀── Event ───────────────────────┘
//!            └─▶ View ─▶ Shot ─▶ graphics
//! ```
#![allow(clippy::disallowed_methods)] // what is drawn may differ in its last bit; what is simulated may not

mod action;
#[cfg(target_arch = "wasm32")]
mod again;
mod app;
mod camera;
mod files;
mod graphics;
mod hand;
mod history;
mod link;
mod messages;
mod mold;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod normals;
mod pack;
mod panels;
mod pick;
mod picture;
mod start;
#[cfg(target_arch = "wasm32")]
mod status;
mod theme;
pub mod thumbnails;
mod tubes;
mod view;
#[cfg(target_arch = "wasm32")]
mod web;
mod world;

pub use link::GivenFile;
#[cfg(not(target_arch = "wasm32"))]
pub use native::{Failure, Options, run};
pub use start::Start;
