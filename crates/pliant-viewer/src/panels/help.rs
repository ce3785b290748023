//! Help window, and the dialog for a dropped mesh.

use egui::{Align2, Context, Grid, RichText, ScrollArea, Window};
use pliant_session::protocol::MeshRole;

use super::PanelContext;
use crate::action::{SHORTCUTS, UiRequest};
use crate::files;

const POINTER: [(&str, &str); 9] = [
    ("left drag", "pull at any vertex of any body"),
    ("left click", "pin a vertex, or let it go"),
    ("left drag beside bodies", "turn the view"),
    ("right drag", "turn the view"),
    ("middle drag, Shift + right", "move the view"),
    ("wheel", "nearer, farther"),
    ("one finger", "as the left button"),
    ("two fingers", "turn the view; pinch: nearer, farther"),
    ("drop a file", "a mesh, a scene, a saved state"),
];

/// Shows the help, if it is open.
pub fn show(ctx: &Context, given: &mut PanelContext<'_>) {
    let mut open = given.ui_state.help_open;
    let screen = ctx.content_rect();
    Window::new("Help")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .collapsible(false)
        .resizable(false)
        .max_width((screen.width() - 40.0).min(640.0))
        .show(ctx, |ui| {
            ScrollArea::vertical().max_height(screen.height() - 110.0).show(ui, |ui| {
                if screen.width() > 640.0 {
                    ui.horizontal_top(|ui| {
                        pointer(ui);
                        ui.separator();
                        keys(ui);
                    });
                } else {
                    pointer(ui);
                    ui.separator();
                    keys(ui);
                }
            });
        });
    given.ui_state.help_open = open;
}

fn pointer(ui: &mut egui::Ui) {
    ui.vertical(|ui| {
        ui.label(RichText::new("Mouse and touch").strong());
        table(ui, "pointer", POINTER.into_iter());
    });
}

fn keys(ui: &mut egui::Ui) {
    ui.vertical(|ui| {
        ui.label(RichText::new("Keys").strong());
        let keys = SHORTCUTS.iter().map(|s| (s.key_label, s.description));
        table(ui, "keys", keys.chain([("1 … 9", "another solver, on the same state")]));
    });
}

fn table(ui: &mut egui::Ui, id: &str, lines: impl Iterator<Item = (&'static str, &'static str)>) {
    Grid::new(id).num_columns(2).spacing([14.0, 3.0]).show(ui, |ui| {
        for (key, words) in lines {
            ui.label(RichText::new(key).monospace());
            ui.label(words);
            ui.end_row();
        }
    });
}

/// Asks for the role of a dropped mesh.
pub fn ask_role(ctx: &Context, given: &mut PanelContext<'_>) {
    let Some(mesh) = given.ui_state.pending_mesh.clone() else { return };
    let mut open = true;
    let mut role = None;
    Window::new("What should it be?")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .collapsible(false)
        .resizable(false)
        .show(ctx, |ui| {
            ui.label(format!("{} ({} kB)", mesh.name, mesh.bytes.len().div_ceil(1024)));
            ui.horizontal(|ui| {
                let tip = "A sheet of cotton of its triangles";
                let cloth = ui.button("Cloth").on_hover_text(tip);
                let tip = "Soft tetrahedra fill it, and its surface follows them";
                let solid = ui.button("Soft solid").on_hover_text(tip);
                if cloth.clicked() {
                    role = Some(MeshRole::Cloth);
                } else if solid.clicked() {
                    role = Some(MeshRole::Solid);
                }
                given.ui_state.button_rects.insert("Cloth".to_owned(), cloth.rect);
                given.ui_state.button_rects.insert("Soft solid".to_owned(), solid.rect);
            });
        });
    if let Some(role) = role {
        given.requests.push(UiRequest::Send(files::mesh_command(mesh, role)));
        given.ui_state.report_open = true;
    }
    if role.is_some() || !open {
        given.ui_state.pending_mesh = None;
    }
}

/// Shows the import report of a mesh: defects and repairs.
pub fn report(ctx: &Context, given: &mut PanelContext<'_>) {
    let notes = given.client.scene.as_ref().map_or(&[][..], |s| &s.notes);
    if !given.ui_state.report_open || notes.is_empty() {
        return;
    }
    let mut open = true;
    let screen = ctx.content_rect();
    Window::new("Mesh report")
        .open(&mut open)
        .anchor(Align2::CENTER_TOP, [0.0, 60.0])
        .collapsible(false)
        .resizable(false)
        .default_width((screen.width() - 60.0).min(460.0))
        .show(ctx, |ui| {
            ScrollArea::vertical().max_height(0.5 * screen.height()).show(ui, |ui| {
                for note in notes {
                    ui.label(note);
                }
            });
        });
    given.ui_state.report_open = open;
}
