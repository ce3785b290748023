//! Panel of the solver, its settings, and the simulation speed.

use egui::{RichText, Ui};
use pliant_session::Command;
use pliant_session::protocol::{Owner, Parameter, SolverChoice, SolverInfo};

use super::number::{self, NumberField};
use super::{PanelContext, caption, heading};
use crate::action::UiRequest;
use crate::client_state::ClientState;

/// Solvers selected by digit keys: those that are no variant of another.
pub fn base_solvers(client: &ClientState) -> Vec<&SolverInfo> {
    let all = client.scene.as_ref().map_or(&[][..], |s| &s.solvers);
    all.iter().filter(|s| !s.name.contains(['+', '@'])).collect()
}

/// Shows the panel.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    heading(ui, "Solver");
    let current = context.client.settings.solver.name.clone();
    for (k, info) in base_solvers(context.client).into_iter().enumerate() {
        let digit = if k < 9 { format!("{}", k + 1) } else { " ".to_owned() };
        let text = format!("{digit}  {}", info.name);
        if solver_button(ui, info, &text, info.name == current) {
            let command = Command::Solver(SolverChoice::named(&info.name));
            context.requests.push(UiRequest::Send(command));
        }
    }
    variants(ui, context, &current);
    let all = context.client.scene.as_ref().map_or(&[][..], |s| &s.solvers);
    if let Some(info) = all.iter().find(|s| s.name == current) {
        caption(ui, &info.summary);
    }
    ui.separator();
    settings(ui, context);
    ui.separator();
    time(ui, context);
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
fn variants(ui: &mut Ui, context: &mut PanelContext<'_>, current: &str) {
    let Some(scene) = &context.client.scene else { return };
    let all: Vec<&SolverInfo> =
        scene.solvers.iter().filter(|s| s.name.contains(['+', '@'])).collect();
    if all.is_empty() {
        return;
    }
    let label = if current.contains(['+', '@']) { current } else { "variants …" };
    let mut chosen = None;
    egui::ComboBox::from_id_salt("variants")
        .selected_text(label)
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
        context.requests.push(UiRequest::Send(Command::Solver(SolverChoice::named(&name))));
    }
}

/// Parameters of the solver.
fn settings(ui: &mut Ui, context: &mut PanelContext<'_>) {
    let client = context.client;
    let mine = client.settings.parameters.iter().filter(|p| p.owner == Owner::Solver);
    number::grid(ui, "solver numbers", |ui| {
        for parameter in mine {
            let changed = match parameter.choices.is_empty() {
                true => {
                    number::show(ui, &mut context.ui_state.pending_edits, &number_field(parameter))
                }
                false => choice(ui, parameter),
            };
            if let Some(value) = changed {
                let values = vec![(parameter.id.clone(), value)];
                context.requests.push(UiRequest::Send(Command::Parameters { values }));
            }
            ui.end_row();
        }
    });
}

/// Drop-down list of a choice, or a check box of a choice of off and on.
fn choice(ui: &mut Ui, parameter: &Parameter) -> Option<f64> {
    ui.label(number::capitalize(&parameter.label))
        .on_hover_text(number::capitalize(&parameter.tip));
    let chosen = parameter.value as usize;
    if parameter.choices == ["off", "on"] {
        let mut flag = chosen == 1;
        return ui.checkbox(&mut flag, "").changed().then_some(f64::from(u8::from(flag)));
    }
    let mut now = chosen;
    let text = parameter.choices.get(chosen).map_or("", String::as_str);
    egui::ComboBox::from_id_salt(&parameter.id).selected_text(text).show_ui(ui, |ui| {
        for (k, name) in parameter.choices.iter().enumerate() {
            ui.selectable_value(&mut now, k, name);
        }
    });
    (now != chosen).then_some(now as f64)
}

/// Numeric field of a parameter.
pub fn number_field(parameter: &Parameter) -> NumberField<'_> {
    NumberField {
        id: &parameter.id,
        label: &parameter.label,
        tip: &parameter.tip,
        unit: &parameter.unit,
        value: parameter.value,
        range: parameter.range,
        logarithmic: parameter.logarithmic,
        is_integer: parameter.is_integer,
    }
}

/// Time step and speed.
fn time(ui: &mut Ui, context: &mut PanelContext<'_>) {
    let settings = &context.client.settings;
    number::grid(ui, "time", |ui| {
        let step = NumberField {
            id: "time step",
            label: "Time step",
            tip: "",
            unit: "ms",
            value: 1e3 * settings.time_step,
            range: [1.0, 50.0],
            logarithmic: true,
            is_integer: false,
        };
        if let Some(ms) = number::show(ui, &mut context.ui_state.pending_edits, &step) {
            context.requests.push(UiRequest::Send(Command::TimeStep { dt: 1e-3 * ms }));
        }
        ui.end_row();
        let speed = settings.speed;
        ui.label("Speed").on_hover_text("Maximum simulated seconds per second");
        ui.horizontal(|ui| {
            for (text, value) in [("¼", 0.25), ("1", 1.0), ("4", 4.0), ("max", f64::INFINITY)] {
                let tip = "Maximum simulated seconds per second";
                if ui.selectable_label(speed == value, text).on_hover_text(tip).clicked() {
                    context.requests.push(UiRequest::Send(Command::Speed { speed: value }));
                }
            }
        });
        ui.end_row();
    });
    threads(ui, context);
    if let Some(scene) = &context.client.scene {
        caption(ui, format!("{} vertices, {} elements", scene.vertices, scene.elements));
    }
}

/// Number of threads, if the platform supports several.
fn threads(ui: &mut Ui, context: &mut PanelContext<'_>) {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    if most < 2 {
        return;
    }
    number::grid(ui, "threads", |ui| {
        let number = NumberField {
            id: "threads",
            label: "Threads",
            tip: "",
            unit: "",
            value: f64::from(context.ui_state.threads),
            range: [1.0, most as f64],
            logarithmic: false,
            is_integer: true,
        };
        if let Some(count) = number::show(ui, &mut context.ui_state.pending_edits, &number) {
            context.ui_state.threads = count as u32;
            context.requests.push(UiRequest::Send(Command::Threads { count: count as u32 }));
        }
        ui.end_row();
    });
}
