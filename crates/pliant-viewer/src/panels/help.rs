//! Help window, and the dialog for a dropped mesh.

use egui::{Align2, Context, Grid, RichText, ScrollArea, Window};
use pliant_session::protocol::MeshRole;

use super::PanelContext;
use crate::action::{SHORTCUTS, UiRequest};
use crate::files;

const POINTER: [(&str, &str); 9] = [
    ("left drag", "grab a vertex"),
    ("left click", "pin or unpin a vertex"),
    ("left drag on background", "orbit"),
    ("right drag", "orbit"),
    ("middle drag, Shift + right", "pan"),
    ("wheel", "zoom"),
    ("one finger", "left button"),
    ("two fingers", "orbit; pinch: zoom"),
    ("drop a file", "open a mesh, scene or saved state"),
];

/// Shows the help, if it is open.
pub fn show(ctx: &Context, context: &mut PanelContext<'_>) {
    let mut open = context.ui_state.help_open;
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
    context.ui_state.help_open = open;
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
        table(ui, "keys", keys.chain([("1 … 9", "switch solver, keep the state")]));
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
pub fn ask_role(ctx: &Context, context: &mut PanelContext<'_>) {
    let Some(mesh) = context.ui_state.pending_mesh.clone() else { return };
    let mut open = true;
    let mut role = None;
    Window::new("Import mesh as")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .collapsible(false)
        .resizable(false)
        .show(ctx, |ui| {
            ui.label(format!("{} ({} kB)", mesh.name, mesh.bytes.len().div_ceil(1024)));
            ui.horizontal(|ui| {
                let tip = "Cotton cloth from the triangles of the mesh";
                let cloth = ui.button("Cloth").on_hover_text(tip);
                let tip = "Soft solid: the mesh is filled with tetrahedra and embedded in them";
                let solid = ui.button("Soft solid").on_hover_text(tip);
                if cloth.clicked() {
                    role = Some(MeshRole::Cloth);
                } else if solid.clicked() {
                    role = Some(MeshRole::Solid);
                }
                context.ui_state.button_rects.insert("Cloth".to_owned(), cloth.rect);
                context.ui_state.button_rects.insert("Soft solid".to_owned(), solid.rect);
            });
        });
    if let Some(role) = role {
        context.requests.push(UiRequest::Send(files::mesh_command(mesh, role)));
        context.ui_state.report_open = true;
    }
    if role.is_some() || !open {
        context.ui_state.pending_mesh = None;
    }
}

/// Shows the import report of a mesh: defects and repairs.
pub fn report(ctx: &Context, context: &mut PanelContext<'_>) {
    let notes = context.client.scene.as_ref().map_or(&[][..], |s| &s.notes);
    if !context.ui_state.report_open || notes.is_empty() {
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
    context.ui_state.report_open = open;
}
