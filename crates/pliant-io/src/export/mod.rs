//! Animations for other tools: frames go in one at a time, whole files come out.
//!
//! ```no_run
//! use pliant_io::export::{self, Timing, Track};
//! # let cloth = pliant_io::Surface::default();
//! # let frames: Vec<Vec<[f32; 3]>> = Vec::new();
//! let mut export = export::create("cloth.glb", &[Track::surface(&cloth)], Timing { fps: 60.0 })?;
//! for (k, positions) in frames.iter().enumerate() {
//!     export.frame(k as f64 / 60.0, &[positions])?;
//! }
//! let files = export.finish()?;
//! # Ok::<(), export::ExportError>(())
//! ```
//!
//! | ending | what is written | keeps |
//! |---|---|---|
//! | `.glb` | one glTF file, a morph target per frame | names, UVs (vertices split at seams), groups as materials, strands as lines |
//! | `.usda` | one USD text file, time samples | names, UVs per corner, groups as subsets, strands as curves, vertex order |
//! | `.pc2` | one point cache per body | vertex order |
//! | `.obj` | `name_0001.obj`, … | names, UVs per corner, groups, strands as lines, vertex order |
//! | `.ply` | `name_0001.ply`, …, binary | UVs per corner, groups, strands as edges, vertex order |
//!
//! Memory does not grow with the size of the animation beyond a few numbers per frame. A file appears
//! under its final name when it is whole; an export that is dropped unfinished leaves nothing but the
//! finished frames of a sequence.
//!
//! Lengths are in metres, y is up, and texture coordinates begin at the left lower corner.

mod error;
mod glb;
mod glb_json;
mod number;
mod obj;
mod part;
mod pc2;
mod ply;
mod sequence;
mod split;
mod track;
mod usd;
mod usd_text;

use std::path::{Path, PathBuf};

pub use error::ExportError;
pub use track::{Strands, Timing, Track};

/// The endings that [`create`] knows.
pub const EXTENSIONS: [&str; 5] = ["glb", "usda", "pc2", "obj", "ply"];

/// An animation that is being written.
pub trait Exporter {
    /// Adds a frame: the time \[s\], later than the last frame's, and for each track its positions
    /// \[m\] in the track's order. A frame that is refused changes nothing.
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError>;

    /// Completes the files and says where they are. Without it nothing appears.
    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError>;
}

/// Begins an export in the format that the path's ending names; see [`EXTENSIONS`].
pub fn create(
    path: impl AsRef<Path>,
    tracks: &[Track<'_>],
    timing: Timing,
) -> Result<Box<dyn Exporter>, ExportError> {
    let path = path.as_ref();
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    track::check(tracks, timing)?;
    Ok(match ending.as_str() {
        "glb" => Box::new(glb::Glb::create(path, tracks, true)?),
        "usda" => Box::new(usd::Usd::create(path, tracks, timing)?),
        "pc2" => Box::new(pc2::Pc2::create(path, tracks, timing)?),
        "obj" => Box::new(sequence::Sequence::<obj::Obj>::create(path, tracks)?),
        "ply" => Box::new(sequence::Sequence::<ply::Ply>::create(path, tracks)?),
        _ => return Err(ExportError::UnknownExtension { path: path.to_owned(), ending }),
    })
}

/// A GLB without normals: half the size, for tools that compute their own (Blender does). Viewers
/// shade it flat.
pub fn create_glb_without_normals(
    path: impl AsRef<Path>,
    tracks: &[Track<'_>],
    timing: Timing,
) -> Result<Box<dyn Exporter>, ExportError> {
    track::check(tracks, timing)?;
    Ok(Box::new(glb::Glb::create(path.as_ref(), tracks, false)?))
}

/// A GLB that is written to memory: for where there are no files, as in a browser.
pub struct GlbInMemory(glb::Glb);

impl GlbInMemory {
    /// Begins a GLB; `name` is for messages.
    pub fn new(name: &str, tracks: &[Track<'_>]) -> Result<Self, ExportError> {
        track::check(tracks, Timing { fps: 60.0 })?;
        Ok(Self(glb::Glb::in_memory(Path::new(name), tracks)?))
    }

    /// Adds a frame, as [`Exporter::frame`] does.
    pub fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.0.frame(time, bodies)
    }

    /// Completes it and gives its bytes.
    pub fn finish(self) -> Result<Vec<u8>, ExportError> {
        self.0.into_bytes()
    }
}
