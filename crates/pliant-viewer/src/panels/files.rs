//! Files: states, animations, shared scenes, pictures.

use egui::Ui;

use super::{PanelContext, caption, heading};
use crate::action::{Action, UiRequest, key_of};

const BUTTONS: [(&str, Action, &str); 5] = [
    ("Save the state", Action::Snapshot, "A file from which the simulation goes on, bit for bit"),
    ("Export an animation (GLB)", Action::ExportGlb, "The recorded steps, for Blender and others"),
    (
        "Save to share",
        Action::Share,
        "A file with scene, solver, parameters and all that was done: it gives the same again",
    ),
    ("Copy a link", Action::Link, "The same as a link"),
    ("Take a screenshot (PNG)", Action::Screenshot, "A picture of the window"),
];

/// Shows the panel.
pub fn show(ui: &mut Ui, given: &mut PanelContext<'_>) {
    heading(ui, "Open");
    let open = ui.button("Open a file …").on_hover_text("A mesh, a scene, a shared file, a state");
    if open.clicked() {
        given.requests.push(UiRequest::Do(Action::Open));
    }
    caption(
        ui,
        "Or drop it on the window: OBJ, PLY, STL, glTF, GLB, MSH, VTK and others become cloth or a \
         soft solid; scenes, shared files and states are loaded.",
    );
    ui.separator();
    heading(ui, "Save");
    for (name, action, words) in BUTTONS {
        let key = key_of(action);
        let shown = if key.is_empty() { name.to_owned() } else { format!("{name}  ({key})") };
        let response = ui.button(shown).on_hover_text(words);
        given.ui_state.button_rects.insert(name.to_owned(), response.rect);
        if response.clicked() {
            given.requests.push(UiRequest::Do(action));
        }
    }
    ui.separator();
    let Some(scene) = &given.client.scene else { return };
    heading(ui, &scene.name.replace('_', " "));
    caption(ui, &scene.summary);
    caption(ui, format!("{} vertices, {} elements", scene.vertices, scene.elements));
    if !scene.notes.is_empty() && ui.button("What was found in the mesh").clicked() {
        given.ui_state.report_open = true;
    }
    let [first, last] = given.client.frame.recorded_steps;
    caption(ui, format!("steps {first} to {last} are recorded"));
}
