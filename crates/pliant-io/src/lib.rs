//! Files around the engine: meshes in, animations out.
//!
//! The engine knows no files. This crate reads meshes and repairs them, writes what was simulated in
//! the forms that other tools play, and keeps the way back from a simulated body to the surface that
//! the user gave.

pub mod cache;
pub mod checkpoint;
mod durable;
pub mod embedding;
pub mod export;
pub mod import;
pub mod lattice;
pub mod repair;
pub mod scene_file;
pub mod skin;
pub mod surface;

pub use embedding::Embedding;
pub use surface::Surface;
