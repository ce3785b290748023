//! Export formats: what a writer's file says about itself, and lookup in the list of formats.

use std::fmt;
use std::path::Path;

use super::{ExportError, Exporter, FORMATS, Timing, Track, track};
use crate::format_list::any_of;

/// Creates an export; path, tracks and timing are valid for the format.
pub(super) type Create = fn(&Path, &[Track<'_>], Timing) -> Result<Box<dyn Exporter>, ExportError>;

/// An export format, described in the file of its writer; [`FORMATS`] lists all.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Name of the format.
    pub name: &'static str,
    /// Extension of file names, in lower case and without the dot.
    pub extension: &'static str,
    /// Number of files, and their names.
    pub files: Files,
    /// Form in which a file holds the animation or the frame; may be empty.
    pub form: &'static str,
    /// Properties of the tracks that are preserved.
    pub preserves: &'static str,
    /// True if polylines can be exported.
    pub has_strands: bool,
    /// True if bodies that may tear can be exported.
    pub has_tears: bool,
    /// Creates an export.
    pub(super) create: Create,
}

/// Files of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// One file with the whole animation.
    Single,
    /// One file for each body, named `name_NUMBER_BODY`; a single body has the name itself.
    PerBody,
    /// One file for each frame, named `name_0001`, `name_0002`, …
    PerFrame,
}

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "one file",
            Self::PerBody => "a file per body",
            Self::PerFrame => "a file per frame",
        })
    }
}

impl Format {
    /// Format of a file extension, given without the dot; ignores case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        FORMATS.iter().find(|format| format.extension.eq_ignore_ascii_case(extension)).copied()
    }

    /// Checks the tracks and creates an export.
    pub(super) fn open(
        &self,
        path: &Path,
        tracks: &[Track<'_>],
        timing: Timing,
    ) -> Result<Box<dyn Exporter>, ExportError> {
        track::check(tracks, timing)?;
        for (number, track) in tracks.iter().enumerate() {
            let (path, name) = (path.to_owned(), track.name_or(number));
            if track.may_tear() && !self.has_tears {
                return Err(ExportError::Tears { path, name });
            }
            if track.cells().is_err() && !self.has_strands {
                return Err(ExportError::Strands { path, name });
            }
        }
        (self.create)(path, tracks, timing)
    }
}

/// Extensions of all export formats, in lower case and without the dot.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.extension)
}

/// Extensions of the formats for which something holds, as messages list them.
pub(super) fn any_extension(holds: fn(&Format) -> bool) -> String {
    any_of(FORMATS.iter().filter(|format| holds(format)).map(|format| format.extension))
}
