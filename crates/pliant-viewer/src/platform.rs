//! Channel to the simulation, and the services of a platform.

use pliant_session::protocol::SavedFile;
use pliant_session::{Command, Event};

/// Channel to a simulation in a thread or a Web Worker.
pub trait SessionChannel {
    /// Sends a command.
    fn send(&mut self, command: &Command);
    /// Returns the next event, if there is one; the error describes an invalid message.
    fn receive(&mut self) -> Option<Result<Event, String>>;
    /// True if the simulation waits for acknowledgements of frames.
    fn requires_ack(&self) -> bool {
        true
    }
}

/// A file given by the user.
#[derive(Clone, Debug, PartialEq)]
pub struct UserFile {
    /// Name of the file.
    pub name: String,
    /// Contents of the file.
    pub bytes: Vec<u8>,
}

impl UserFile {
    /// Reads a file from disk.
    pub fn read(path: &std::path::Path) -> Result<Self, String> {
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self { name, bytes })
    }
}

/// Services that differ between a window and a web page.
pub trait Platform {
    /// Saves a file. Returns its location in words; the error describes the failure.
    fn save(&mut self, file: &SavedFile) -> Result<String, String>;
    /// Opens a file dialog; the file arrives through [`Platform::next_file`]. Returns false if the platform
    /// has no dialog.
    fn open_file_dialog(&mut self) -> bool;
    /// Returns the next file chosen by the user; the error describes a read failure.
    fn next_file(&mut self) -> Option<Result<UserFile, String>>;
    /// Returns the next message of the platform, with true for an error.
    fn next_message(&mut self) -> Option<(String, bool)> {
        None
    }
    /// Address of this page without its fragment, if there is one.
    fn address(&self) -> Option<String>;
    /// Shows a link in the address bar, if there is one.
    fn set_address(&mut self, _link: &str) {}
}
