//! Export errors, each with a remedy.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Error of an export.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The extension matches no format.
    #[error(
        "{path:?}: the ending {ending:?} names no known format; \
         use .glb, .usda, .pc2, .obj or .ply"
    )]
    UnknownExtension {
        /// The path.
        path: PathBuf,
        /// Extension without the dot.
        ending: String,
    },
    /// The operating system returned an error.
    #[error("cannot write {path:?}: {source}; {}", remedy(.source))]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The export has no tracks.
    #[error("an export needs at least one track; give it the surfaces or strands to write")]
    NoTracks,
    /// The data of a track are inconsistent.
    #[error("track {track} ({name:?}): {problem}")]
    Track {
        /// Index of the track.
        track: usize,
        /// Name of the track.
        name: String,
        /// Problem and remedy.
        problem: String,
    },
    /// The frame rate is not a positive number.
    #[error("{fps} frames per second cannot be; use a finite number above zero")]
    Fps {
        /// Given frame rate.
        fps: f64,
    },
    /// The number of bodies in a frame differs from the number of tracks.
    #[error("frame {frame} has {given} bodies, but the export has {expected} tracks")]
    Bodies {
        /// Index of the frame.
        frame: usize,
        /// Number of bodies in the frame.
        given: usize,
        /// Number of tracks.
        expected: usize,
    },
    /// The number of vertices of a body differs from that of its track.
    #[error(
        "frame {frame}, body {body}: {given} positions, but its track has {expected} vertices; \
         give the positions of the surface's vertices in the surface's order"
    )]
    Length {
        /// Index of the frame.
        frame: usize,
        /// Index of the body.
        body: usize,
        /// Number of given positions.
        given: usize,
        /// Number of vertices in the track.
        expected: usize,
    },
    /// A position is infinite or NaN.
    #[error(
        "frame {frame}, body {body}: vertex {vertex} is at {position:?}; \
         stop the export at the frame before, or find out why the simulation failed"
    )]
    NotFinite {
        /// Index of the frame.
        frame: usize,
        /// Index of the body.
        body: usize,
        /// Index of the vertex.
        vertex: usize,
        /// Offending position.
        position: [f32; 3],
    },
    /// A time is not finite or does not increase.
    #[error("frame {frame} is at {time} s, but the frame before is at {before} s; times must grow")]
    Time {
        /// Index of the frame.
        frame: usize,
        /// Time of the frame \[s\].
        time: f64,
        /// Time of the previous frame \[s\].
        before: f64,
    },
    /// The format supports only a constant frame rate.
    #[error(
        "frame {frame} is at {time} s, but at {fps} frames per second it should be at {expected} s; \
         PC2 holds no times, so give it evenly spaced frames or use .usda"
    )]
    Uneven {
        /// Index of the frame.
        frame: usize,
        /// Time of the frame \[s\].
        time: f64,
        /// Expected time \[s\].
        expected: f64,
        /// Frames per second.
        fps: f64,
    },
    /// The format supports only one topology, and a body may tear.
    #[error(
        "{path:?} cannot hold {name}, which may tear: its vertices keep neither number nor order; use .usda, \
         .glb, .obj or .ply"
    )]
    Tears {
        /// Path of the file.
        path: PathBuf,
        /// Name of the body.
        name: String,
    },
    /// The data exceed a size limit of the format.
    #[error("{path:?} would pass the format's limit of {limit} with frame {frame}; use .usda")]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Index of the frame that does not fit.
        frame: usize,
        /// Description of the limit.
        limit: &'static str,
    },
    /// The export was finished without a frame.
    #[error("{path:?}: no frame was given, so there is nothing to write; add at least one frame")]
    NoFrames {
        /// Path of the file.
        path: PathBuf,
    },
}

impl ExportError {
    /// Adds the file's path to an operating-system error.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: free some space or write to another disk"
        }
        io::ErrorKind::NotFound => "create the folder first",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that you may write to"
        }
        io::ErrorKind::IsADirectory => "the name is a folder's: choose another",
        _ => "check the path and the disk",
    }
}
