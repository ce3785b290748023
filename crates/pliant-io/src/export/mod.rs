//! Animation export: frames are added one at a time and complete files are written.
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
//! [`FORMATS`] lists the formats. Each is described by the constant `FORMAT` in the file of its writer: its extension,
//! its files and what they preserve. Messages and the command name the formats of this list, and `pliant list formats`
//! prints them.
//!
//! Memory use does not grow with the size of the animation beyond a few numbers per frame. A file gets its
//! final name only when it is complete; an export that is dropped unfinished leaves nothing but the completed
//! frames of a sequence.
//!
//! Lengths are in metres, y is up, and texture coordinates have their origin at the lower left corner.

mod error;
mod format;
mod glb;
mod glb_json;
mod number;
mod obj;
mod pc2;
mod ply;
mod sequence;
mod split;
mod stl;
mod temp_file;
mod texture;
mod track;
mod usd;
mod usd_text;

use std::path::{Path, PathBuf};

pub use error::ExportError;
pub use format::{Files, Format, extensions};
pub use track::{Strands, Timing, Track};

/// All export formats, in the order in which messages and documentation list them.
#[rustfmt::skip] // a line for each format
pub const FORMATS: &[Format] = &[
    glb::FORMAT,
    usd::FORMAT,
    pc2::FORMAT,
    obj::FORMAT,
    ply::FORMAT,
    stl::FORMAT,
];

/// An animation export in progress.
pub trait Exporter {
    /// Adds a frame: the time \[s\], greater than that of the last frame, and the positions \[m\] of each track
    /// in track order. A rejected frame changes nothing.
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError>;

    /// Completes the files and returns their paths. No file appears unless this is called, except the frames of
    /// a sequence.
    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError>;
}

/// Creates an export in the format of the path's extension; see [`FORMATS`].
pub fn create(
    path: impl AsRef<Path>,
    tracks: &[Track<'_>],
    timing: Timing,
) -> Result<Box<dyn Exporter>, ExportError> {
    let path = path.as_ref();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match Format::of_extension(extension) {
        Some(format) => format.open(path, tracks, timing),
        None => {
            let (path, extension) = (path.to_owned(), extension.to_owned());
            Err(ExportError::UnknownExtension { path, extension })
        }
    }
}

/// Creates a GLB without normals: half the size, for tools that compute their own (Blender does). Viewers
/// render it flat-shaded.
pub fn create_glb_without_normals(
    path: impl AsRef<Path>,
    tracks: &[Track<'_>],
    timing: Timing,
) -> Result<Box<dyn Exporter>, ExportError> {
    track::check(tracks, timing)?;
    Ok(Box::new(glb::Glb::create(path.as_ref(), tracks, false)?))
}

/// A GLB export to memory, for platforms without files, such as browsers.
pub struct GlbInMemory(glb::Glb);

impl GlbInMemory {
    /// Creates a GLB; `name` is for messages.
    pub fn new(name: &str, tracks: &[Track<'_>]) -> Result<Self, ExportError> {
        track::check(tracks, Timing { fps: 60.0 })?;
        Ok(Self(glb::Glb::in_memory(Path::new(name), tracks)?))
    }

    /// Adds a frame, as [`Exporter::frame`] does.
    pub fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.0.frame(time, bodies)
    }

    /// Completes the GLB and returns its bytes.
    pub fn finish(self) -> Result<Vec<u8>, ExportError> {
        self.0.into_bytes()
    }
}
