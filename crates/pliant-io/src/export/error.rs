//! Every way in which an export can be refused, with a remedy.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why an export was refused or failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// No format has this ending.
    #[error(
        "{path:?}: the ending {ending:?} names no known format; \
         use .glb, .usda, .pc2, .obj or .ply"
    )]
    UnknownExtension {
        /// The path.
        path: PathBuf,
        /// Its ending, without the dot.
        ending: String,
    },
    /// The operating system refused.
    #[error("cannot write {path:?}: {source}; {}", remedy(.source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is nothing to export.
    #[error("an export needs at least one track; give it the surfaces or strands to write")]
    NoTracks,
    /// A track's own data do not fit together.
    #[error("track {track} ({name:?}): {problem}")]
    Track {
        /// Which track.
        track: usize,
        /// Its name.
        name: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// Frames per second must be a positive number.
    #[error("{fps} frames per second cannot be; use a finite number above zero")]
    Fps {
        /// The number given.
        fps: f64,
    },
    /// A frame has positions for another number of bodies.
    #[error("frame {frame} has {given} bodies, but the export has {expected} tracks")]
    Bodies {
        /// Which frame.
        frame: usize,
        /// How many bodies it has.
        given: usize,
        /// How many tracks there are.
        expected: usize,
    },
    /// A body of a frame has another number of vertices than its track.
    #[error(
        "frame {frame}, body {body}: {given} positions, but its track has {expected} vertices; \
         give the positions of the surface's vertices in the surface's order"
    )]
    Length {
        /// Which frame.
        frame: usize,
        /// Which body.
        body: usize,
        /// How many positions it has.
        given: usize,
        /// How many vertices the track has.
        expected: usize,
    },
    /// A position is infinite or not a number.
    #[error(
        "frame {frame}, body {body}: vertex {vertex} is at {position:?}; \
         stop the export at the frame before, or find out why the simulation failed"
    )]
    NotFinite {
        /// Which frame.
        frame: usize,
        /// Which body.
        body: usize,
        /// Which vertex.
        vertex: usize,
        /// Where it is.
        position: [f32; 3],
    },
    /// Times must be finite and grow.
    #[error("frame {frame} is at {time} s, but the frame before is at {before} s; times must grow")]
    Time {
        /// Which frame.
        frame: usize,
        /// Its time \[s\].
        time: f64,
        /// The time of the frame before \[s\].
        before: f64,
    },
    /// The format knows only frames at a constant rate.
    #[error(
        "frame {frame} is at {time} s, but at {fps} frames per second it should be at {expected} s; \
         PC2 holds no times, so give it evenly spaced frames or use .usda"
    )]
    Uneven {
        /// Which frame.
        frame: usize,
        /// Its time \[s\].
        time: f64,
        /// The time it should have \[s\].
        expected: f64,
        /// Frames per second.
        fps: f64,
    },
    /// The format has one topology, and a body may tear.
    #[error(
        "{path:?} cannot hold {name}, which may tear: its vertices keep neither number nor order; use .usda, \
         .glb, .obj or .ply"
    )]
    Tears {
        /// The file.
        path: PathBuf,
        /// The body.
        name: String,
    },
    /// The format's counters end here.
    #[error("{path:?} would pass the format's limit of {limit} with frame {frame}; use .usda")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The frame that does not fit.
        frame: usize,
        /// The limit, in words.
        limit: &'static str,
    },
    /// Finished without a frame.
    #[error("{path:?}: no frame was given, so there is nothing to write; add at least one frame")]
    NoFrames {
        /// The file.
        path: PathBuf,
    },
}

impl ExportError {
    /// Names the file in an error of the system.
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
