//! The viewer: shows deformable bodies for interaction and comparison, in a window and in the browser.
//!
//! The simulation runs in a thread or in a Web Worker, behind the messages of `pliant-session`: everything
//! shown follows from its events alone.
//!
//! ```text
//! panels, pointer ── UiRequest, Command ──▶ SessionChannel ──▶ session (thread or worker)
//!      ▲                                                          │
//!      └── ClientState ◀── Event ─────────────────────────────────┘
//!            └─▶ View ─▶ RenderFrame ─▶ graphics
//! ```
#![allow(clippy::disallowed_methods)] // drawn results may differ in the last bit, simulated ones may not

mod action;
mod app;
mod camera;
mod client_state;
#[cfg(target_arch = "wasm32")]
mod context_loss;
mod files;
mod graphics;
mod history;
mod launch_options;
mod mesh_builder;
mod messages;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod normals;
mod panels;
mod pick;
mod platform;
mod pointer;
mod screenshot;
#[cfg(target_arch = "wasm32")]
mod status;
mod theme;
pub mod thumbnails;
mod tubes;
mod url_codec;
mod view;
#[cfg(target_arch = "wasm32")]
mod web;

pub use launch_options::LaunchOptions;
#[cfg(not(target_arch = "wasm32"))]
pub use native::{WindowError, WindowOptions, run};
pub use platform::UserFile;
