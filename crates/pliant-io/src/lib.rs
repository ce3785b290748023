//! Files around the engine: meshes in, animations out.
//!
//! The engine knows no files. This crate reads meshes and repairs them, writes what was simulated in
//! the forms that other tools play, and keeps the way back from a simulated body to the surface that
//! the user gave.
//!
//! ```
//! use pliant::prelude::*;
//! use pliant_io::import::{self, Alone, Format, Limits};
//! use pliant_io::repair;
//!
//! // Two triangles as a file with a seam has them; `import::read(path)` reads from disk.
//! let text = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 4 6 5\n";
//! let file = import::read_bytes("sheet.obj", text.as_bytes(), Format::Obj, &Limits::default(), &Alone)?;
//! let surface = &file.into_surfaces()[0];
//! let (mesh, repaired) = repair::cloth(surface, &repair::Options::default())?;
//! assert_eq!(repaired.to_string(), "welded 2 vertices to others at the same place");
//!
//! let mut scene = ModelBuilder::new();
//! let sheet = scene.cloth(mesh, Fabric::cotton())?;
//! // The fourth vertex of the file is the second again: it moves with it.
//! scene.pin(sheet.vertex(repaired.vertex_of[3] as usize));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cache;
pub mod checkpoint;
mod durable;
pub mod embedding;
pub mod export;
pub mod import;
pub mod lattice;
pub mod prop;
pub mod repair;
pub mod scene_file;
pub mod skin;
pub mod surface;

pub use embedding::Embedding;
pub use surface::Surface;
