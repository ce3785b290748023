//! The solver, its settings, and how fast time goes.

use egui::{RichText, Ui};
use pliant_session::Command;
use pliant_session::protocol::{Owner, SolverChoice, SolverInfo};

use super::number::{self, Number};
use super::{Given, heading, quiet};
use crate::action::Wish;
use crate::world::World;

/// The solvers that digits choose: those that are no variant of another.
pub fn main_ones(world: &World) -> Vec<&SolverInfo> {
    let all = world.scene.as_ref().map_or(&[][..], |s| &s.solvers);
    all.iter().filter(|s| !s.name.contains(['+', '@'])).collect()
}

/// Shows the panel.
pub fn show(ui: &mut Ui, given: &mut Given<'_>) {
    heading(ui, "Solver");
    let current = given.world.settings.solver.name.clone();
    for (k, info) in main_ones(given.world).into_iter().enumerate() {
        let digit = if k < 9 { format!("{}", k + 1) } else { " ".to_owned() };
        let text = format!("{digit}  {}", info.name);
        if choice(ui, info, &text, info.name == current) {
            let wish = Command::Solver(SolverChoice::named(&info.name));
            given.wishes.push(Wish::Send(wish));
        }
    }
    variants(ui, given, &current);
    let all = given.world.scene.as_ref().map_or(&[][..], |s| &s.solvers);
    if let Some(info) = all.iter().find(|s| s.name == current) {
        quiet(ui, &info.summary);
    }
    ui.separator();
    settings(ui, given);
    ui.separator();
    time(ui, given);
}

/// One solver; says why where it cannot run the scene.
pub fn choice(ui: &mut Ui, info: &SolverInfo, text: &str, chosen: bool) -> bool {
    let able = info.refusal.is_none();
    let label = egui::Button::selectable(chosen, RichText::new(text).monospace());
    let label = label.min_size(egui::vec2(ui.available_width(), 0.0));
    let response = ui.add_enabled(able, label);
    match &info.refusal {
        Some(why) => response.on_disabled_hover_text(why).clicked(),
        None => response.on_hover_text(&info.summary).clicked(),
    }
}

/// Accelerated forms and other integrators, in a list that opens.
fn variants(ui: &mut Ui, given: &mut Given<'_>, current: &str) {
    let Some(scene) = &given.world.scene else { return };
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
                if choice(ui, info, &info.name, info.name == current) {
                    chosen = Some(info.name.clone());
                }
            }
        });
    if let Some(name) = chosen {
        given.wishes.push(Wish::Send(Command::Solver(SolverChoice::named(&name))));
    }
}

/// The solver's numbers.
fn settings(ui: &mut Ui, given: &mut Given<'_>) {
    let world = given.world;
    let mine = world.settings.parameters.iter().filter(|p| p.owner == Owner::Solver);
    number::grid(ui, "solver numbers", |ui| {
        for parameter in mine {
            if let Some(value) = number::show(ui, &mut given.desk.edits, &of(parameter)) {
                let values = vec![(parameter.id.clone(), value)];
                given.wishes.push(Wish::Send(Command::Parameters { values }));
            }
            ui.end_row();
        }
    });
}

/// A parameter as a number.
pub fn of(parameter: &pliant_session::protocol::Parameter) -> Number<'_> {
    Number {
        id: &parameter.id,
        label: &parameter.label,
        unit: &parameter.unit,
        value: parameter.value,
        range: parameter.range,
        logarithmic: parameter.logarithmic,
        whole: parameter.whole,
    }
}

/// The time step and the pace.
fn time(ui: &mut Ui, given: &mut Given<'_>) {
    let settings = &given.world.settings;
    number::grid(ui, "time", |ui| {
        let step = Number {
            id: "time step",
            label: "Time step",
            unit: "ms",
            value: 1e3 * settings.time_step,
            range: [1.0, 50.0],
            logarithmic: true,
            whole: false,
        };
        if let Some(ms) = number::show(ui, &mut given.desk.edits, &step) {
            given.wishes.push(Wish::Send(Command::TimeStep { dt: 1e-3 * ms }));
        }
        ui.end_row();
        let speed = settings.speed;
        ui.label("Speed").on_hover_text("Simulated seconds per second, at most");
        ui.horizontal(|ui| {
            for (text, value) in [("¼", 0.25), ("1", 1.0), ("4", 4.0), ("max", f64::INFINITY)] {
                let tip = "Simulated seconds per second, at most";
                if ui.selectable_label(speed == value, text).on_hover_text(tip).clicked() {
                    given.wishes.push(Wish::Send(Command::Pace { speed: value }));
                }
            }
        });
        ui.end_row();
    });
    threads(ui, given);
    if let Some(scene) = &given.world.scene {
        quiet(ui, format!("{} vertices, {} elements", scene.vertices, scene.elements));
    }
}

/// How many threads compute a step, where there is a choice.
fn threads(ui: &mut Ui, given: &mut Given<'_>) {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    if most < 2 {
        return;
    }
    number::grid(ui, "threads", |ui| {
        let number = Number {
            id: "threads",
            label: "Threads",
            unit: "",
            value: f64::from(given.desk.threads),
            range: [1.0, most as f64],
            logarithmic: false,
            whole: true,
        };
        if let Some(count) = number::show(ui, &mut given.desk.edits, &number) {
            given.desk.threads = count as u32;
            given.wishes.push(Wish::Send(Command::Threads { count: count as u32 }));
        }
        ui.end_row();
    });
}
