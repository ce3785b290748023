//! A/B: the same scene under two solvers, and how far each is from the converged solution.

use egui::{RichText, Ui, vec2};
use pliant_session::Command;
use pliant_session::protocol::SolverChoice;

use super::number::short;
use super::plot::{self, Curve};
use super::{Given, heading, quiet, solver};
use crate::action::{Action, Wish};
use crate::theme::{SERIES, color};
use crate::view::Pairing;

/// Shows the panel.
pub fn show(ui: &mut Ui, given: &mut Given<'_>) {
    heading(ui, "Two solvers on one scene");
    let first = given.world.settings.solver.name.clone();
    let running = given.world.settings.rival.clone();
    ui.label(RichText::new(format!("A  {first}")).monospace().color(color(SERIES[0])));
    ui.horizontal(|ui| {
        ui.label(RichText::new("B").monospace().color(color(SERIES[1])));
        choose(ui, given);
    });
    let name = if running.is_some() { "End the comparison" } else { "Compare from here on" };
    if ui.button(name).clicked() {
        given.wishes.push(Wish::Do(Action::Compare));
    }
    ui.horizontal(|ui| {
        ui.selectable_value(&mut given.view.pairing, Pairing::Beside, "side by side");
        ui.selectable_value(&mut given.view.pairing, Pairing::Over, "one through the other");
    });
    ui.separator();
    if running.is_none() {
        quiet(
            ui,
            "Both start from the present state and feel the same hand, wind and balls. Their error \
             against the converged solution is measured while they run.",
        );
        return;
    }
    numbers(ui, given);
    let history = &given.world.history;
    let curve = |name: &str, k: usize| Curve {
        name: name.to_owned(),
        points: history.error_curve(k),
        color: color(SERIES[k]),
    };
    let size = vec2(ui.available_width(), 96.0);
    plot::show(ui, size, "Error", &[curve("A", 0), curve("B", 1)], true);
    let apart =
        Curve { name: String::new(), points: history.curve(|s| s.apart), color: color(SERIES[2]) };
    plot::show(ui, vec2(size.x, 72.0), "Apart [m]", &[apart], false);
}

/// The list of second solvers; choosing while two run changes the second.
fn choose(ui: &mut Ui, given: &mut Given<'_>) {
    let Some(scene) = &given.world.scene else { return };
    let mut chosen = None;
    egui::ComboBox::from_id_salt("rival")
        .selected_text(RichText::new(&given.desk.rival).monospace())
        .width(ui.available_width() - 8.0)
        .height(320.0)
        .show_ui(ui, |ui| {
            for info in &scene.solvers {
                if solver::choice(ui, info, &info.name, info.name == given.desk.rival) {
                    chosen = Some(info.name.clone());
                }
            }
        });
    if let Some(name) = chosen {
        if given.world.settings.rival.is_some() {
            let choice = SolverChoice::named(&name);
            given.wishes.push(Wish::Send(Command::Compare(Some(choice))));
        }
        given.desk.rival = name;
    }
}

/// The last measurement in numbers.
fn numbers(ui: &mut Ui, given: &Given<'_>) {
    let Some(rival) = given.world.frame.rival.as_deref() else { return };
    let frame = &given.world.frame;
    let errors = given.world.history.errors();
    egui::Grid::new("two solvers").num_columns(3).spacing([14.0, 3.0]).show(ui, |ui| {
        let mut line = |name: &str, a: String, b: String| {
            ui.label(name);
            ui.label(RichText::new(a).monospace());
            ui.label(RichText::new(b).monospace());
            ui.end_row();
        };
        line("", "A".to_owned(), "B".to_owned());
        line("ms per step", short(frame.ms), short(rival.ms));
        line("iterations", frame.iterations.to_string(), rival.iterations.to_string());
        let error = |k: usize| errors.map_or("…".to_owned(), |e| short(e[k]));
        line("error", error(0), error(1));
    });
    quiet(ui, format!("at most {} m apart", short(rival.apart)));
    if !given.world.history.note.is_empty() {
        quiet(ui, &given.world.history.note);
    }
    let about = "Error: (g(x) − g(x*)) / (g(s) − g(x*)) of one implicit step; 1 is no progress, 0 is \
                 the converged solution.";
    quiet(ui, about);
}
