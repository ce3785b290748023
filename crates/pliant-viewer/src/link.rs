//! The way to the simulation and back, and what a platform does for the viewer.

use pliant_session::protocol::SavedFile;
use pliant_session::{Command, Event};

/// The way to a simulation: a thread, or a Web Worker.
pub trait Link {
    /// Sends a message.
    fn send(&mut self, command: &Command);
    /// The next message that came, if there is one; what was no message, in words.
    fn receive(&mut self) -> Option<Result<Event, String>>;
    /// Whether the simulation waits to be told which frames have come.
    fn acknowledges(&self) -> bool {
        true
    }
}

/// A file that the user gave.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenFile {
    /// What it is called.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl GivenFile {
    /// Reads a file of the disk.
    pub fn read(path: &std::path::Path) -> Result<Self, String> {
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self { name, bytes })
    }
}

/// What a window and a page do differently.
pub trait Host {
    /// Saves a file; where it is now, in words, or why not.
    fn save(&mut self, file: &SavedFile) -> Result<String, String>;
    /// Lets the user choose a file, which comes with [`Host::given`]; false where the platform has nothing
    /// to choose with.
    fn choose(&mut self) -> bool;
    /// A file that the user chose, or why it cannot be read.
    fn given(&mut self) -> Option<Result<GivenFile, String>>;
    /// Something that the platform has to say, and whether it went wrong.
    fn message(&mut self) -> Option<(String, bool)> {
        None
    }
    /// The address of this page without its fragment, where there is one.
    fn address(&self) -> Option<String>;
    /// Puts a link into the address bar, where there is one.
    fn show_link(&mut self, _link: &str) {}
}
