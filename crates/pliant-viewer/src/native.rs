//! The native window: a simulation in a thread, files on disk.

mod clipboard;
mod surface;
mod window;

use std::path::PathBuf;

use pliant_session::protocol::SavedFile;
use pliant_session::thread::SessionThread;
use pliant_session::{Command, Event};

use crate::app::Viewer;
use crate::launch_options::LaunchOptions;
use crate::platform::{Platform, SessionChannel, UserFile};

/// Options of the window.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    /// Initial scene or file.
    pub launch: LaunchOptions,
    /// Size of the window in points.
    pub size: [f32; 2],
    /// Folder for saved files.
    pub save_folder: PathBuf,
    /// Path of a screenshot and number of steps, after which it is saved and the window closes.
    pub exit_screenshot: Option<(PathBuf, u64)>,
}

/// Reason why no window can be opened.
#[derive(Debug)]
pub struct WindowError(String);

impl std::fmt::Display for WindowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WindowError {}

/// Opens the window, and returns once it is closed.
pub fn run(options: WindowOptions) -> Result<(), WindowError> {
    let viewport = egui::ViewportBuilder::default()
        .with_title("Pliant")
        .with_app_id("pliant")
        .with_inner_size(options.size)
        .with_min_inner_size([320.0, 320.0])
        .with_drag_and_drop(true);
    let WindowOptions { launch: start, save_folder: folder, exit_screenshot: picture, .. } =
        options;
    let create: window::Create = Box::new(move |ctx, gl| {
        let waker = ctx.clone();
        let thread =
            SessionThread::start(move || waker.request_repaint()).map_err(|e| e.to_string())?;
        let platform = NativePlatform { folder };
        let mut viewer =
            Viewer::new(ctx, gl, Box::new(ThreadChannel(thread)), Box::new(platform), start)?;
        viewer.screenshot_and_exit(picture);
        Ok(viewer)
    });
    window::open(viewport, create).map_err(|e| {
        // The text before the last colon is the location within a library.
        let words = e.to_string();
        let why = words.rsplit(": ").next().unwrap_or_default().trim_end_matches('.');
        WindowError(format!("cannot open a window: {why}; a display with OpenGL 3.3 is required"))
    })
}

/// Platform services of the native window.
struct NativePlatform {
    folder: PathBuf,
}

impl Platform for NativePlatform {
    fn save(&mut self, file: &SavedFile) -> Result<String, String> {
        let path = free_name(&self.folder, &file.name);
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&path, &file.bytes))
            .map_err(|e| format!("cannot save {}: {e}", path.display()))?;
        Ok(format!("saved as {}", path.display()))
    }

    fn open_file_dialog(&mut self) -> bool {
        false
    }

    fn next_file(&mut self) -> Option<Result<UserFile, String>> {
        None
    }

    fn address(&self) -> Option<String> {
        None
    }
}

/// A file name that does not exist in the folder yet, with a number added if necessary.
fn free_name(folder: &std::path::Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    if !path.exists() {
        return path;
    }
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let dot = if extension.is_empty() { "" } else { "." };
    let mut names = (2..10_000).map(|k| folder.join(format!("{stem}-{k}{dot}{extension}")));
    names.find(|p| !p.exists()).unwrap_or(path)
}

/// A simulation in a thread.
struct ThreadChannel(SessionThread);

impl SessionChannel for ThreadChannel {
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
        let mut disk = NativePlatform { folder: folder.clone() };
        let file = SavedFile { name: "a.glb".into(), bytes: vec![1, 2] };
        for expected in ["a.glb", "a-2.glb", "a-3.glb"] {
            assert!(disk.save(&file).expect("saved").ends_with(expected));
        }
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
