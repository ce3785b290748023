//! Files: states, animations, shared scenes, pictures.

use egui::Ui;
use pliant_io::import;

use super::{PanelContext, caption, heading};
use crate::action::{Action, UiRequest, key_of};

const BUTTONS: [(&str, Action, &str); 5] = [
    ("Save state", Action::Snapshot, "Complete state of the simulation, continued bit for bit"),
    ("Export animation (GLB)", Action::ExportGlb, "Recorded steps, for Blender and other programs"),
    (
        "Save to share",
        Action::Share,
        "Scene, solver, parameters and recorded actions, replayed bit for bit",
    ),
    ("Copy link", Action::Link, "Shared file as a link"),
    ("Screenshot (PNG)", Action::Screenshot, "Image of the window"),
];

/// Shows the panel.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    heading(ui, "Open");
    let open = ui.button("Open file …").on_hover_text("Mesh, scene, shared file or saved state");
    if open.clicked() {
        context.requests.push(UiRequest::Do(Action::Open));
    }
    caption(
        ui,
        format!(
            "Files can also be dropped on the window: meshes ({}) become cloth or soft solids; scenes, \
             shared files and states are loaded.",
            import::extensions().collect::<Vec<_>>().join(", ")
        ),
    );
    ui.separator();
    heading(ui, "Save");
    for (name, action, words) in BUTTONS {
        let key = key_of(action);
        let label = if key.is_empty() { name.to_owned() } else { format!("{name}  ({key})") };
        let response = ui.button(label).on_hover_text(words);
        context.ui_state.button_rects.insert(name.to_owned(), response.rect);
        if response.clicked() {
            context.requests.push(UiRequest::Do(action));
        }
    }
    ui.separator();
    let Some(scene) = &context.client.scene else { return };
    heading(ui, &scene.name.replace('_', " "));
    caption(ui, &scene.summary);
    caption(ui, format!("{} vertices, {} elements", scene.vertices, scene.elements));
    if !scene.notes.is_empty() && ui.button("Mesh report").clicked() {
        context.ui_state.report_open = true;
    }
    let [first, last] = context.client.frame.recorded_steps;
    caption(ui, format!("recorded steps: {first} to {last}"));
}
