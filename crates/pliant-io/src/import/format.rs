//! Import formats: what a reader's file says about itself, and lookup in the list of formats.

use std::path::Path;

use super::{FORMATS, ImportError, Imported, Location, Problem, Source};
use crate::format_list::any_of;

/// An import format, described in the file of its reader; [`FORMATS`] lists all.
#[derive(Clone, Copy)]
pub struct Format {
    /// Name of the format.
    pub name: &'static str,
    /// Extensions of file names, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Content that is read.
    pub content: &'static str,
    /// Reads a file.
    pub(super) read: fn(&Source) -> Result<Imported, ImportError>,
}

impl Format {
    /// Format of a file extension, given without the dot; ignores case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let known = |format: &&Self| {
            format.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
        };
        FORMATS.iter().find(known).copied()
    }

    /// Format of a file, by the extension of its name. The error lists the known extensions.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self, ImportError> {
        let path = path.as_ref();
        let found = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        Self::of_extension(&found).ok_or_else(|| {
            Problem::UnknownFormat { found }.at(&path.display().to_string(), Location::File)
        })
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Extensions of all import formats, in lower case and without the dot.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.extensions).copied()
}

/// Extensions of all import formats, as messages list them.
pub(super) fn any_extension() -> String {
    any_of(extensions())
}
