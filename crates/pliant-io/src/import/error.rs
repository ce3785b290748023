//! Import errors: the file, the location, the offending value, and a remedy.

use std::fmt;

use thiserror::Error;

use super::format::any_extension;

/// Error of an import. No part of the file is used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{file}{location}: {problem}")]
pub struct ImportError {
    /// File name as given by the caller.
    pub file: String,
    /// Location in the file.
    pub location: Location,
    /// Problem at that location.
    pub problem: Problem,
}

/// Location in a file, as precise as its format allows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// The file as a whole.
    File,
    /// Line of text, counted from 1.
    Line(usize),
    /// Byte offset, counted from 0.
    Byte(usize),
    /// Entry named as in the format, such as `accessors[3]`.
    Item(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Byte(byte) => write!(f, ", byte {byte}"),
            Self::Item(item) => write!(f, ", {item}"),
        }
    }
}

/// Problem with a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system cannot read the file.
    #[error("cannot be read ({reason}); check the path and the permissions")]
    Unreadable {
        /// Error of the operating system.
        reason: String,
    },
    /// The extension of the file name is unknown.
    #[error("unknown extension {found:?}; use {}", any_extension())]
    UnknownFormat {
        /// File extension.
        found: String,
    },
    /// The file is valid, but uses an unsupported feature of its format.
    #[error("{what} is not supported; {remedy}")]
    Unsupported {
        /// Unsupported feature.
        what: String,
        /// Remedy.
        remedy: &'static str,
    },
    /// The file has no triangles and no tets.
    #[error("the file has no triangles and no tets; export the mesh with its faces")]
    Empty,
    /// The file does not contain the word or structure that the format requires.
    #[error("expected {expected}, found {found:?}; correct the file or export it again")]
    Syntax {
        /// Requirement of the format.
        expected: &'static str,
        /// Actual content.
        found: String,
    },
    /// A word is not a number, or the number is out of range for its type.
    #[error("{found:?} is not a valid {what}; correct it")]
    Number {
        /// Expected type of number.
        what: &'static str,
        /// Actual word.
        found: String,
    },
    /// A number is infinite or NaN.
    #[error("{what} {found} is not finite; use a finite number")]
    NotFinite {
        /// Quantity that has the number.
        what: &'static str,
        /// Actual number.
        found: String,
    },
    /// An index is out of range.
    #[error("{what} index {found} is out of range: there are {count}; correct the index")]
    Index {
        /// Type of the referenced item.
        what: &'static str,
        /// Index as written in the file.
        found: String,
        /// Number of available items.
        count: usize,
    },
    /// The file ends prematurely.
    #[error("unexpected end of file in {what}; the file is truncated: copy or export it again")]
    Truncated {
        /// Item that was being read.
        what: &'static str,
    },
    /// A length in the file does not match its content.
    #[error(
        "the file declares {announced} {what} but has room for {available}; it is truncated or its \
         header is wrong: export it again"
    )]
    Length {
        /// Type of the counted items.
        what: &'static str,
        /// Number announced in the file.
        announced: u64,
        /// Number that the file can hold.
        available: u64,
    },
    /// A number exceeds the [`Limits`](super::Limits).
    #[error("{found} {what} exceed the limit of {most}; simplify the mesh or raise the limit")]
    TooLarge {
        /// Type of the counted items.
        what: &'static str,
        /// Actual number, or a lower bound of it.
        found: u64,
        /// Maximum allowed number.
        most: u64,
    },
    /// Nodes or tags are nested too deeply.
    #[error("{what} are nested more than {most} levels deep; flatten the hierarchy")]
    TooDeep {
        /// Type of the nested items.
        what: &'static str,
        /// Maximum allowed depth.
        most: usize,
    },
    /// A node is its own descendant, or has two parents.
    #[error(
        "node {node} has two parents or is its own descendant; every node must have one parent"
    )]
    Cycle {
        /// Index of the node.
        node: usize,
    },
    /// The file refers to another file outside its folder.
    #[error(
        "the reference {reference:?} points outside the file's folder; put the referenced file in \
         the same folder and refer to it without a path"
    )]
    Outside {
        /// Reference as written in the file.
        reference: String,
    },
    /// The file refers to another file that cannot be read.
    #[error(
        "the referenced file {reference:?} cannot be read ({reason}); put it in the same folder"
    )]
    Missing {
        /// Reference as written in the file.
        reference: String,
        /// Error of the operating system.
        reason: String,
    },
}

impl Problem {
    /// Adds the file name and the location to the problem.
    pub(crate) fn at(self, file: &str, place: Location) -> ImportError {
        ImportError { file: file.to_owned(), location: place, problem: self }
    }
}

/// Start of an excerpt as text: enough to find it, however long the word.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const MAX_SHOWN_CHARS: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MAX_SHOWN_CHARS)]);
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
