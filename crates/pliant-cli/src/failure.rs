//! Why a command ends early, and with which exit code.

use std::fmt::Display;

/// The exit code of a run that Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;

/// A message for the user and an exit code for scripts.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What went wrong, and what to do.
    pub message: String,
    /// The exit code.
    pub code: u8,
}

impl Failure {
    /// The user's input is wrong: exit code 2.
    pub fn input(message: impl Display) -> Self {
        Self { message: message.to_string(), code: 2 }
    }

    /// Something failed on the way: exit code 1.
    pub fn run(message: impl Display) -> Self {
        Self { message: message.to_string(), code: 1 }
    }
}
