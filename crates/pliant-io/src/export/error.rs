//! Export errors, each with a remedy.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::format::any_extension;

/// Error of an export.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The extension matches no format.
    #[error("{path:?}: unknown extension {extension:?}; use {}", any_extension(|_| true))]
    UnknownExtension {
        /// The path.
        path: PathBuf,
        /// Extension without the dot.
        extension: String,
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
    #[error("the export has no tracks; add at least one surface or strand")]
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
    #[error("the frame rate is {fps}; it must be positive and finite")]
    Fps {
        /// Given frame rate.
        fps: f64,
    },
    /// The number of bodies in a frame differs from the number of tracks.
    #[error(
        "frame {frame} has {given} bodies, but the export has {expected} tracks; there must be one \
         body per track"
    )]
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
        "frame {frame}, body {body}: {given} positions, but the track has {expected} vertices; \
         there must be one position per vertex, in the order of the track"
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
        "frame {frame}, body {body}: the position of vertex {vertex} is {position:?}; it must be \
         finite: end the export before this frame or correct the simulation"
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
    #[error(
        "the time of frame {frame} is {time} s, but that of the previous frame is {before} s; \
         times must increase"
    )]
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
        "the time of frame {frame} is {time} s instead of {expected} s at {fps} frames per second; \
         PC2 has a constant frame rate: use evenly spaced frames or .usda"
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
        "{path:?} cannot store {name}: the format has a constant topology, and the body can tear; use {}",
        any_extension(|format| format.has_tears)
    )]
    Tears {
        /// Path of the file.
        path: PathBuf,
        /// Name of the body.
        name: String,
    },
    /// The format supports only triangles.
    #[error(
        "{path:?} cannot store the strands of {name}; use {}",
        any_extension(|format| format.has_strands)
    )]
    Strands {
        /// Path of the file.
        path: PathBuf,
        /// Name of the strands.
        name: String,
    },
    /// The data exceed a size limit of the format.
    #[error("{path:?} exceeds the format's limit of {limit} at frame {frame}; use .usda")]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Index of the frame that does not fit.
        frame: usize,
        /// Description of the limit.
        limit: &'static str,
    },
    /// The export was finished without a frame.
    #[error("{path:?}: the export has no frames; add at least one")]
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
            "the disk is full: free space or use another disk"
        }
        io::ErrorKind::NotFound => "create the folder",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "use a writable folder"
        }
        io::ErrorKind::IsADirectory => "the path is a folder: use another name",
        _ => "check the path and the disk",
    }
}
