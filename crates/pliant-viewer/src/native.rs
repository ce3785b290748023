//! The window: a simulation in a thread, files on the disk.

mod clipboard;
mod surface;
mod window;

use std::path::PathBuf;

use pliant_session::protocol::SavedFile;
use pliant_session::thread::Thread;
use pliant_session::{Command, Event};

use crate::app::Viewer;
use crate::link::{GivenFile, Host, Link};
use crate::start::Start;

/// How the window is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// What it shows at first.
    pub start: Start,
    /// Its size in points.
    pub size: [f32; 2],
    /// Where files are saved.
    pub folder: PathBuf,
    /// Saves a picture of the window here after so many steps, and closes it.
    pub picture: Option<(PathBuf, u64)>,
}

/// Why there is no window.
#[derive(Debug)]
pub struct Failure(String);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// Opens the window, and returns when it is closed.
pub fn run(options: Options) -> Result<(), Failure> {
    let viewport = egui::ViewportBuilder::default()
        .with_title("Pliant")
        .with_app_id("pliant")
        .with_inner_size(options.size)
        .with_min_inner_size([320.0, 320.0])
        .with_drag_and_drop(true);
    let Options { start, folder, picture, .. } = options;
    let create: window::Create = Box::new(move |ctx, gl| {
        let waker = ctx.clone();
        let thread = Thread::start(move || waker.request_repaint()).map_err(|e| e.to_string())?;
        let host = Disk { folder };
        let mut viewer = Viewer::new(ctx, gl, Box::new(Beside(thread)), Box::new(host), start)?;
        viewer.photograph(picture);
        Ok(viewer)
    });
    window::open(viewport, create).map_err(|e| {
        // What comes before the last colon is where in a library it was found.
        let words = e.to_string();
        let why = words.rsplit(": ").next().unwrap_or_default().trim_end_matches('.');
        Failure(format!("no window can be opened: {why} (a display with OpenGL 3.3 is needed)"))
    })
}

/// Files on the disk.
struct Disk {
    folder: PathBuf,
}

impl Host for Disk {
    fn save(&mut self, file: &SavedFile) -> Result<String, String> {
        let path = free_name(&self.folder, &file.name);
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&path, &file.bytes))
            .map_err(|e| format!("{} could not be saved: {e}", path.display()))?;
        Ok(format!("saved as {}", path.display()))
    }

    fn choose(&mut self) -> bool {
        false
    }

    fn given(&mut self) -> Option<Result<GivenFile, String>> {
        None
    }

    fn address(&self) -> Option<String> {
        None
    }
}

/// A name that no file of the folder has yet: a number is added where it must be.
fn free_name(folder: &std::path::Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    if !path.exists() {
        return path;
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let dot = if ending.is_empty() { "" } else { "." };
    let mut names = (2..10_000).map(|k| folder.join(format!("{stem}-{k}{dot}{ending}")));
    names.find(|p| !p.exists()).unwrap_or(path)
}

/// A simulation in a thread.
struct Beside(Thread);

impl Link for Beside {
    fn send(&mut self, command: &Command) {
        self.0.send(command.clone());
    }

    fn receive(&mut self) -> Option<Result<Event, String>> {
        self.0.poll().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_file_takes_no_others_place() {
        let folder = std::env::temp_dir().join(format!("pliant-viewer-{}", std::process::id()));
        let mut disk = Disk { folder: folder.clone() };
        let file = SavedFile { name: "a.glb".into(), bytes: vec![1, 2] };
        for expected in ["a.glb", "a-2.glb", "a-3.glb"] {
            assert!(disk.save(&file).expect("saved").ends_with(expected));
        }
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
