//! Files opened by the user, and saved files, links and pictures.

use pliant_session::protocol::SavedFile;

use super::Viewer;
use crate::platform::UserFile;
use crate::{files, screenshot, url_codec};

/// Maximum length of a copied link; longer ones are saved as files.
const MAX_LINK_LENGTH: usize = 30_000;

impl Viewer {
    /// Saves a file, or creates the requested link from it.
    pub(super) fn save_file(&mut self, file: &SavedFile, now: f64) {
        if self.share_as_link && file.name.ends_with(".toml") {
            self.share_as_link = false;
            return self.copy_link(file, now);
        }
        match self.platform.save(file) {
            Ok(words) => {
                self.last_saved = Some((file.name.clone(), file.bytes.len()));
                self.messages.push(now, words, false);
            }
            Err(words) => self.messages.push(now, words, true),
        }
    }

    fn copy_link(&mut self, file: &SavedFile, now: f64) {
        let Ok(text) = std::str::from_utf8(&file.bytes) else { return };
        let packed = url_codec::encode(text);
        if packed.len() > MAX_LINK_LENGTH {
            let kilobytes = packed.len() / 1024;
            let words = format!(
                "the link would have {kilobytes} kB, too long for many programs; use Save to share"
            );
            return self.messages.push(now, words, true);
        }
        let address = self.platform.address();
        let words = match address {
            Some(_) => "link copied",
            None => {
                "link copied; append it to the address of a viewer page, or open it with pliant \
                 view"
            }
        };
        let link = format!("{}#share={packed}", address.unwrap_or_default());
        self.platform.set_address(&link);
        self.ui_state.link_to_copy = Some(link);
        self.messages.push(now, words, false);
    }

    /// Opens a file given by the user.
    pub(super) fn open_file(&mut self, file: UserFile, now: f64) {
        if files::file_kind(&file.name) == files::FileKind::Mesh {
            self.ui_state.pending_mesh = Some(file);
            return;
        }
        match files::load_command(file) {
            Ok(command) => self.send(&command),
            Err(words) => self.messages.push(now, words, true),
        }
    }

    /// Opens dropped and chosen files.
    pub(super) fn open_user_files(&mut self, ctx: &egui::Context, now: f64) {
        for dropped in ctx.input_mut(|i| std::mem::take(&mut i.raw.dropped_files)) {
            match read_dropped_file(dropped) {
                Ok(file) => self.open_file(file, now),
                Err(words) => self.messages.push(now, words, true),
            }
        }
        while let Some((words, wrong)) = self.platform.next_message() {
            self.messages.push(now, words, wrong);
        }
        while let Some(file) = self.platform.next_file() {
            match file {
                Ok(file) => self.open_file(file, now),
                Err(words) => self.messages.push(now, words, true),
            }
        }
    }

    /// Saves requested screenshots.
    pub(super) fn save_screenshots(&mut self, ctx: &egui::Context, now: f64) {
        let shots = ctx.input(|i| {
            let image = |e: &egui::Event| match e {
                egui::Event::Screenshot { image, .. } => Some(image.clone()),
                _ => None,
            };
            i.events.iter().filter_map(image).collect::<Vec<_>>()
        });
        for image in shots {
            if let Some((path, _)) = self.exit_screenshot.take_if(|_| self.screenshot_requested) {
                let written = screenshot::png("picture", &image)
                    .and_then(|file| std::fs::write(&path, file.bytes).map_err(|e| e.to_string()));
                if let Err(words) = written {
                    eprintln!("{}: {words}", path.display());
                }
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                continue;
            }
            let step = self.client.frame.step;
            let scene = self.client.scene.as_ref().map_or("pliant", |s| s.name.as_str());
            match screenshot::png(&format!("{scene}-{step}"), &image) {
                Ok(file) => self.save_file(&file, now),
                Err(words) => self.messages.push(now, words, true),
            }
        }
    }
}

/// Reads a dropped file.
fn read_dropped_file(dropped: egui::DroppedFile) -> Result<UserFile, String> {
    if let Some(bytes) = dropped.bytes {
        return Ok(UserFile { name: dropped.name, bytes: bytes.to_vec() });
    }
    let path = dropped.path.ok_or("the dropped item is not a file")?;
    UserFile::read(&path)
}
