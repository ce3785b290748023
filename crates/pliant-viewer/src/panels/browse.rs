//! The list of files that a window opens from; a page has the browser's.

use std::path::PathBuf;

use egui::{Align2, Context, ScrollArea, Window};

use super::{Given, quiet};
use crate::action::Wish;
use crate::files;

/// A folder that is looked at.
pub struct Browser {
    folder: PathBuf,
    /// Folders, then files that can be opened, each by name.
    folders: Vec<String>,
    files: Vec<String>,
    problem: Option<String>,
}

impl Browser {
    /// Looks into a folder.
    pub fn new(folder: PathBuf) -> Self {
        let (mut folders, mut files, mut problem) = (Vec::new(), Vec::new(), None);
        match std::fs::read_dir(&folder) {
            Ok(entries) => {
                for entry in entries.flatten() {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if name.starts_with('.') {
                        continue;
                    }
                    // Also where a link leads.
                    if entry.path().is_dir() {
                        folders.push(name);
                    } else if files::is_known(&name) {
                        files.push(name);
                    }
                }
            }
            Err(error) => problem = Some(error.to_string()),
        }
        folders.sort_unstable();
        files.sort_unstable();
        Self { folder, folders, files, problem }
    }
}

/// Shows the list, if it is asked for.
pub fn show(ctx: &Context, given: &mut Given<'_>) {
    let Some(browser) = &given.desk.browser else { return };
    let (mut open, mut chosen, mut next) = (true, None, None);
    let screen = ctx.content_rect();
    Window::new("Open a file")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .collapsible(false)
        .resizable(false)
        .default_width((screen.width() - 60.0).min(420.0))
        .show(ctx, |ui| {
            quiet(ui, browser.folder.display().to_string());
            if let Some(problem) = &browser.problem {
                ui.label(problem);
            }
            let list = ScrollArea::vertical().max_height(0.6 * screen.height());
            list.auto_shrink([false, true]).show(ui, |ui| {
                if let Some(above) = browser.folder.parent()
                    && ui.selectable_label(false, "..").on_hover_text("The folder above").clicked()
                {
                    next = Some(above.to_owned());
                }
                for name in &browser.folders {
                    if ui.selectable_label(false, format!("{name}/")).clicked() {
                        next = Some(browser.folder.join(name));
                    }
                }
                for name in &browser.files {
                    let response = ui.selectable_label(false, name);
                    given.desk.buttons.insert(name.clone(), response.rect);
                    if response.clicked() {
                        chosen = Some(browser.folder.join(name));
                    }
                }
                if browser.files.is_empty() {
                    quiet(ui, "No meshes, scenes or saved states here.");
                }
            });
        });
    if let Some(folder) = next {
        given.desk.browser = Some(Browser::new(folder));
    }
    if !open || chosen.is_some() {
        given.desk.browser = None;
    }
    given.wishes.extend(chosen.map(Wish::Open));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_shows_what_can_be_opened() {
        let here = Browser::new(PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        assert!(here.folders.contains(&"src".to_owned()));
        assert!(here.files.contains(&"Cargo.toml".to_owned()));
        let nowhere = Browser::new(PathBuf::from("no such folder"));
        assert!(nowhere.problem.is_some());
    }
}
