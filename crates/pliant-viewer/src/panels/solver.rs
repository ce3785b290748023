//! Panel of the solver, its settings, and the simulation speed.

use egui::{RichText, Ui};
use pliant_session::Command;
use pliant_session::protocol::{Owner, SolverChoice, SolverInfo};

use super::number::{self, NumberField};
use super::{PanelContext, caption, heading};
use crate::action::UiRequest;
use crate::client_state::ClientState;

/// Solvers selected by digit keys: those that are no variant of another.
pub fn base_solvers(world: &ClientState) -> Vec<&SolverInfo> {
    let all = world.scene.as_ref().map_or(&[][..], |s| &s.solvers);
    all.iter().filter(|s| !s.name.contains(['+', '@'])).collect()
}

/// Shows the panel.
pub fn show(ui: &mut Ui, given: &mut PanelContext<'_>) {
    heading(ui, "Solver");
    let current = given.client.settings.solver.name.clone();
    for (k, info) in base_solvers(given.client).into_iter().enumerate() {
        let digit = if k < 9 { format!("{}", k + 1) } else { " ".to_owned() };
        let text = format!("{digit}  {}", info.name);
        if solver_button(ui, info, &text, info.name == current) {
            let wish = Command::Solver(SolverChoice::named(&info.name));
            given.requests.push(UiRequest::Send(wish));
        }
    }
    variants(ui, given, &current);
    let all = given.client.scene.as_ref().map_or(&[][..], |s| &s.solvers);
    if let Some(info) = all.iter().find(|s| s.name == current) {
        caption(ui, &info.summary);
    }
    ui.separator();
    settings(ui, given);
    ui.separator();
    time(ui, given);
}

/// Button of a solver; its tip gives the reason if the solver refuses the scene.
pub fn solver_button(ui: &mut Ui, info: &SolverInfo, text: &str, chosen: bool) -> bool {
    let able = info.refusal.is_none();
    let label = egui::Button::selectable(chosen, RichText::new(text).monospace());
    let label = label.min_size(egui::vec2(ui.available_width(), 0.0));
    let response = ui.add_enabled(able, label);
    match &info.refusal {
        Some(why) => response.on_disabled_hover_text(why).clicked(),
        None => response.on_hover_text(&info.summary).clicked(),
    }
}

/// Drop-down list of accelerated forms and other integrators.
fn variants(ui: &mut Ui, given: &mut PanelContext<'_>, current: &str) {
    let Some(scene) = &given.client.scene else { return };
    let all: Vec<&SolverInfo> =
        scene.solvers.iter().filter(|s| s.name.contains(['+', '@'])).collect();
    if all.is_empty() {
        return;
    }
    let shown = if current.contains(['+', '@']) { current } else { "variants …" };
    let mut chosen = None;
    egui::ComboBox::from_id_salt("variants")
        .selected_text(shown)
        .width(ui.available_width() - 8.0)
        .height(320.0)
        .show_ui(ui, |ui| {
            for info in all {
                if solver_button(ui, info, &info.name, info.name == current) {
                    chosen = Some(info.name.clone());
                }
            }
        });
    if let Some(name) = chosen {
        given.requests.push(UiRequest::Send(Command::Solver(SolverChoice::named(&name))));
    }
}

/// Parameters of the solver.
fn settings(ui: &mut Ui, given: &mut PanelContext<'_>) {
    let world = given.client;
    let mine = world.settings.parameters.iter().filter(|p| p.owner == Owner::Solver);
    number::grid(ui, "solver numbers", |ui| {
        for parameter in mine {
            if let Some(value) =
                number::show(ui, &mut given.ui_state.pending_edits, &number_field(parameter))
            {
                let values = vec![(parameter.id.clone(), value)];
                given.requests.push(UiRequest::Send(Command::Parameters { values }));
            }
            ui.end_row();
        }
    });
}

/// Numeric field of a parameter.
pub fn number_field(parameter: &pliant_session::protocol::Parameter) -> NumberField<'_> {
    NumberField {
        id: &parameter.id,
        label: &parameter.label,
        unit: &parameter.unit,
        value: parameter.value,
        range: parameter.range,
        logarithmic: parameter.logarithmic,
        is_integer: parameter.is_integer,
    }
}

/// Time step and speed.
fn time(ui: &mut Ui, given: &mut PanelContext<'_>) {
    let settings = &given.client.settings;
    number::grid(ui, "time", |ui| {
        let step = NumberField {
            id: "time step",
            label: "Time step",
            unit: "ms",
            value: 1e3 * settings.time_step,
            range: [1.0, 50.0],
            logarithmic: true,
            is_integer: false,
        };
        if let Some(ms) = number::show(ui, &mut given.ui_state.pending_edits, &step) {
            given.requests.push(UiRequest::Send(Command::TimeStep { dt: 1e-3 * ms }));
        }
        ui.end_row();
        let speed = settings.speed;
        ui.label("Speed").on_hover_text("Simulated seconds per second, at most");
        ui.horizontal(|ui| {
            for (text, value) in [("¼", 0.25), ("1", 1.0), ("4", 4.0), ("max", f64::INFINITY)] {
                let tip = "Simulated seconds per second, at most";
                if ui.selectable_label(speed == value, text).on_hover_text(tip).clicked() {
                    given.requests.push(UiRequest::Send(Command::Speed { speed: value }));
                }
            }
        });
        ui.end_row();
    });
    threads(ui, given);
    if let Some(scene) = &given.client.scene {
        caption(ui, format!("{} vertices, {} elements", scene.vertices, scene.elements));
    }
}

/// Number of threads, if the platform supports several.
fn threads(ui: &mut Ui, given: &mut PanelContext<'_>) {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    if most < 2 {
        return;
    }
    number::grid(ui, "threads", |ui| {
        let number = NumberField {
            id: "threads",
            label: "Threads",
            unit: "",
            value: f64::from(given.ui_state.threads),
            range: [1.0, most as f64],
            logarithmic: false,
            is_integer: true,
        };
        if let Some(count) = number::show(ui, &mut given.ui_state.pending_edits, &number) {
            given.ui_state.threads = count as u32;
            given.requests.push(UiRequest::Send(Command::Threads { count: count as u32 }));
        }
        ui.end_row();
    });
}
