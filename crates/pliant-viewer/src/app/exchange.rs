//! Files that the user gives, and what is saved for the user: files, links, pictures.

use pliant_session::protocol::SavedFile;

use super::Viewer;
use crate::link::GivenFile;
use crate::{files, pack, picture};

/// The longest link that is copied; a longer one is better saved as a file.
const LONGEST_LINK: usize = 30_000;

impl Viewer {
    /// Saves a file, or makes the link of it that was asked for.
    pub(super) fn keep(&mut self, file: &SavedFile, now: f64) {
        if self.wants_link && file.name.ends_with(".toml") {
            self.wants_link = false;
            return self.copy_link(file, now);
        }
        match self.host.save(file) {
            Ok(words) => {
                self.saved = Some((file.name.clone(), file.bytes.len()));
                self.messages.say(now, words, false);
            }
            Err(words) => self.messages.say(now, words, true),
        }
    }

    fn copy_link(&mut self, file: &SavedFile, now: f64) {
        let Ok(text) = std::str::from_utf8(&file.bytes) else { return };
        let packed = pack::pack(text);
        if packed.len() > LONGEST_LINK {
            let kilobytes = packed.len() / 1024;
            let words = format!(
                "the link would have {kilobytes} kB, too long for many programs: use Save to share"
            );
            return self.messages.say(now, words, true);
        }
        let address = self.host.address();
        let words = match address {
            Some(_) => "the link is copied",
            None => "copied: put it behind the address of a page, or open it with pliant view",
        };
        let link = format!("{}#share={packed}", address.unwrap_or_default());
        self.host.show_link(&link);
        self.desk.copied = Some(link);
        self.messages.say(now, words, false);
    }

    /// Takes a file that the user gave.
    pub(super) fn take(&mut self, file: GivenFile, now: f64) {
        if files::kind(&file.name) == files::Kind::Mesh {
            self.desk.mesh = Some(file);
            return;
        }
        match files::load(file) {
            Ok(command) => self.send(&command),
            Err(words) => self.messages.say(now, words, true),
        }
    }

    /// Takes files that were dropped or chosen.
    pub(super) fn take_files(&mut self, ctx: &egui::Context, now: f64) {
        for dropped in ctx.input_mut(|i| std::mem::take(&mut i.raw.dropped_files)) {
            match given(dropped) {
                Ok(file) => self.take(file, now),
                Err(words) => self.messages.say(now, words, true),
            }
        }
        while let Some((words, wrong)) = self.host.message() {
            self.messages.say(now, words, wrong);
        }
        while let Some(file) = self.host.given() {
            match file {
                Ok(file) => self.take(file, now),
                Err(words) => self.messages.say(now, words, true),
            }
        }
    }

    /// Keeps pictures that were asked for.
    pub(super) fn screenshots(&mut self, ctx: &egui::Context, now: f64) {
        let shots = ctx.input(|i| {
            let image = |e: &egui::Event| match e {
                egui::Event::Screenshot { image, .. } => Some(image.clone()),
                _ => None,
            };
            i.events.iter().filter_map(image).collect::<Vec<_>>()
        });
        for image in shots {
            if let Some((path, _)) = self.photograph.take_if(|_| self.exposed) {
                let written = picture::png("picture", &image)
                    .and_then(|file| std::fs::write(&path, file.bytes).map_err(|e| e.to_string()));
                if let Err(words) = written {
                    eprintln!("{}: {words}", path.display());
                }
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                continue;
            }
            let step = self.world.frame.step;
            let scene = self.world.scene.as_ref().map_or("pliant", |s| s.name.as_str());
            match picture::png(&format!("{scene}-{step}"), &image) {
                Ok(file) => self.keep(&file, now),
                Err(words) => self.messages.say(now, words, true),
            }
        }
    }
}

/// A dropped file, with its bytes.
fn given(dropped: egui::DroppedFile) -> Result<GivenFile, String> {
    if let Some(bytes) = dropped.bytes {
        return Ok(GivenFile { name: dropped.name, bytes: bytes.to_vec() });
    }
    let path = dropped.path.ok_or("what was dropped is no file")?;
    GivenFile::read(&path)
}
