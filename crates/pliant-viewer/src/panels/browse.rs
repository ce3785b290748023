//! File browser of the native window; a web page uses that of the browser.

use std::path::PathBuf;

use egui::{Align2, Context, ScrollArea, Window};

use super::{PanelContext, caption};
use crate::action::UiRequest;
use crate::files;

/// A listed folder.
pub struct FileBrowser {
    folder: PathBuf,
    /// Subfolders, and files that can be opened, each sorted by name.
    folders: Vec<String>,
    files: Vec<String>,
    error: Option<String>,
}

impl FileBrowser {
    /// Lists a folder.
    pub fn new(folder: PathBuf) -> Self {
        let (mut folders, mut files, mut problem) = (Vec::new(), Vec::new(), None);
        match std::fs::read_dir(&folder) {
            Ok(entries) => {
                for entry in entries.flatten() {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if name.starts_with('.') {
                        continue;
                    }
                    // Follows symbolic links.
                    if entry.path().is_dir() {
                        folders.push(name);
                    } else if files::is_supported(&name) {
                        files.push(name);
                    }
                }
            }
            Err(error) => problem = Some(error.to_string()),
        }
        folders.sort_unstable();
        files.sort_unstable();
        Self { folder, folders, files, error: problem }
    }
}

/// Shows the browser, if it is open.
pub fn show(ctx: &Context, context: &mut PanelContext<'_>) {
    let Some(browser) = &context.ui_state.browser else { return };
    let (mut open, mut chosen, mut next) = (true, None, None);
    let screen = ctx.content_rect();
    Window::new("Open file")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .collapsible(false)
        .resizable(false)
        .default_width((screen.width() - 60.0).min(420.0))
        .show(ctx, |ui| {
            caption(ui, browser.folder.display().to_string());
            if let Some(problem) = &browser.error {
                ui.label(problem);
            }
            let list = ScrollArea::vertical().max_height(0.6 * screen.height());
            list.auto_shrink([false, true]).show(ui, |ui| {
                if let Some(above) = browser.folder.parent()
                    && ui.selectable_label(false, "..").on_hover_text("Parent folder").clicked()
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
                    context.ui_state.button_rects.insert(name.clone(), response.rect);
                    if response.clicked() {
                        chosen = Some(browser.folder.join(name));
                    }
                }
                if browser.files.is_empty() {
                    caption(ui, "No meshes, scenes or saved states in this folder.");
                }
            });
        });
    if let Some(folder) = next {
        context.ui_state.browser = Some(FileBrowser::new(folder));
    }
    if !open || chosen.is_some() {
        context.ui_state.browser = None;
    }
    context.requests.extend(chosen.map(UiRequest::Open));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_shows_what_can_be_opened() {
        let here = FileBrowser::new(PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        assert!(here.folders.contains(&"src".to_owned()));
        assert!(here.files.contains(&"Cargo.toml".to_owned()));
        let nowhere = FileBrowser::new(PathBuf::from("no such folder"));
        assert!(nowhere.error.is_some());
    }
}
