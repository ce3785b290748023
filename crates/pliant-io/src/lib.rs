//! Mesh import and repair, and animation export.
//!
//! The engine itself does no file I/O. This crate reads and repairs meshes, exports simulation results in
//! formats that other tools play, and keeps the map from a simulated body back to the surface of the user's
//! file.
//!
//! ```
//! use pliant::prelude::*;
//! use pliant_io::import::{self, Format, Limits, NoFiles};
//! use pliant_io::repair;
//!
//! // Two triangles as a file with a seam stores them; `import::read(path)` reads from disk.
//! let text = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 4 6 5\n";
//! let format = Format::of_file("sheet.obj")?;
//! let file = import::read_bytes("sheet.obj", text.as_bytes(), format, &Limits::default(), &NoFiles)?;
//! let surface = &file.into_surfaces()[0];
//! let (mesh, repaired) = repair::cloth(surface, &repair::Options::default())?;
//! assert_eq!(repaired.to_string(), "welded 2 vertices to coincident ones");
//!
//! let mut scene = ModelBuilder::new();
//! let sheet = scene.cloth(mesh, Fabric::cotton())?;
//! // The fourth vertex of the file coincides with the second: both map to one simulated vertex.
//! scene.pin(sheet.vertex(repaired.vertex_of[3] as usize));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atomic_file;
pub mod cache;
pub mod checkpoint;
mod checksum;
pub mod collider_mesh;
pub mod embedding;
pub mod export;
mod format_list;
pub mod import;
pub mod lattice;
pub mod repair;
pub mod scene_file;
pub mod skin;
pub mod surface;

pub use embedding::Embedding;
pub use surface::Surface;
