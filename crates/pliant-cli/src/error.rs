//! Errors of commands, with their exit codes.

use std::fmt::Display;

/// Exit code of a run interrupted by Ctrl-C.
pub const EXIT_INTERRUPTED: u8 = 130;

/// A message for the user and an exit code for scripts.
#[derive(Debug, Clone, PartialEq)]
pub struct CliError {
    /// Description of the error, and its remedy.
    pub message: String,
    /// Exit code.
    pub code: u8,
}

impl CliError {
    /// Invalid user input: exit code 2.
    pub fn invalid_input(message: impl Display) -> Self {
        Self { message: message.to_string(), code: 2 }
    }

    /// Failure during execution: exit code 1.
    pub fn failed(message: impl Display) -> Self {
        Self { message: message.to_string(), code: 1 }
    }
}
