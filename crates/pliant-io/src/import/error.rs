//! Why a file is refused: the file, the place in it, the offending value, and a remedy.

use std::fmt;

use thiserror::Error;

/// A file that could not be imported. Nothing of it is used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{file}{place}: {problem}")]
pub struct ImportError {
    /// The file's name, as it was asked for.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    pub problem: Problem,
}

/// A place in a file, as exact as its format allows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of text, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(usize),
    /// An entry that the format names, such as `accessors[3]`.
    Item(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Byte(byte) => write!(f, ", byte {byte}"),
            Self::Item(item) => write!(f, ", {item}"),
        }
    }
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system does not give the file.
    #[error("cannot be read ({reason}); check the path and the permissions")]
    Unreadable {
        /// What the system says.
        reason: String,
    },
    /// The ending of the file's name is none that is known.
    #[error(
        "{found:?} is no known ending; use obj, ply, stl, gltf, glb, msh, node, ele, vtk or vtu"
    )]
    UnknownFormat {
        /// The ending.
        found: String,
    },
    /// The file is sound, but uses a part of its format that is not read here.
    #[error("{what} is not supported; {remedy}")]
    Unsupported {
        /// The part.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// There are no triangles and no tets.
    #[error("there are no triangles and no tets in the file; export the mesh with its faces")]
    Empty,
    /// Something else stands where the format wants a certain word or structure.
    #[error("{found:?} stands where {expected} should; correct the file or export it again")]
    Syntax {
        /// What the format wants.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A word that is no number, or a number beyond the range of its kind.
    #[error("{found:?} is no valid {what}; correct it")]
    Number {
        /// What it should be.
        what: &'static str,
        /// What is there.
        found: String,
    },
    /// A number that is infinite or not a number.
    #[error("the {what} {found} is not finite; replace it by a finite number")]
    NotFinite {
        /// What it belongs to.
        what: &'static str,
        /// What is there.
        found: String,
    },
    /// An index that points at nothing.
    #[error("the index {found} points at no {what}: there are {count}; correct the index")]
    Index {
        /// What it should point at.
        what: &'static str,
        /// The index as the file writes it.
        found: String,
        /// How many there are.
        count: usize,
    },
    /// The file ends too early.
    #[error("the file ends within {what}; it was cut short: copy or export it again")]
    Truncated {
        /// What was being read.
        what: &'static str,
    },
    /// A length in the file does not agree with what is there.
    #[error(
        "{announced} {what} are announced, but there is room for {available}; \
         the file was cut short or its header is wrong: export it again"
    )]
    Length {
        /// What is counted.
        what: &'static str,
        /// The number in the file.
        announced: u64,
        /// The number that the file can hold.
        available: u64,
    },
    /// More than the [`Limits`](super::Limits) allow.
    #[error(
        "{found} {what} are more than the {most} allowed; simplify the mesh or raise the limit"
    )]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// How many there are, or how many at least.
        found: u64,
        /// How many are allowed.
        most: u64,
    },
    /// Nodes or tags are nested beyond reason.
    #[error("{what} are nested more than {most} deep; flatten the hierarchy")]
    TooDeep {
        /// What is nested.
        what: &'static str,
        /// The depth that is allowed.
        most: usize,
    },
    /// A node is among its own descendants, or has two parents.
    #[error("node {node} is reached twice; every node of the hierarchy must have one parent")]
    Cycle {
        /// The node.
        node: usize,
    },
    /// The file refers to another one that is not in its folder.
    #[error(
        "the reference {reference:?} leads out of the file's folder; \
         put the other file beside this one and name it without a path"
    )]
    Outside {
        /// The reference.
        reference: String,
    },
    /// The file refers to another one that cannot be read.
    #[error(
        "the file {reference:?} that belongs to it cannot be read ({reason}); put it beside it"
    )]
    Missing {
        /// The reference.
        reference: String,
        /// What the system says.
        reason: String,
    },
}

impl Problem {
    /// The problem at a place of a file.
    pub(crate) fn at(self, file: &str, place: Place) -> ImportError {
        ImportError { file: file.to_owned(), place, problem: self }
    }
}

/// The start of what a file says, as text: enough to find it, however long the word.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MOST)]);
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
