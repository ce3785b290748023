//! A/B comparison: the same scene under two solvers, and their errors against the converged solution.

use egui::{RichText, Ui, vec2};
use pliant_session::Command;
use pliant_session::protocol::SolverChoice;

use super::number::format_short;
use super::plot::{self, Curve};
use super::{PanelContext, caption, heading, solver};
use crate::action::{Action, UiRequest};
use crate::theme::{SERIES, color};
use crate::view::ComparisonLayout;

/// Shows the panel.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    heading(ui, "Solver comparison");
    let first = context.client.settings.solver.name.clone();
    let running = context.client.settings.second_solver.clone();
    ui.label(RichText::new(format!("A  {first}")).monospace().color(color(SERIES[0])));
    ui.horizontal(|ui| {
        ui.label(RichText::new("B").monospace().color(color(SERIES[1])));
        choose(ui, context);
    });
    let name = if running.is_some() { "End comparison" } else { "Start comparison" };
    if ui.button(name).clicked() {
        context.requests.push(UiRequest::Do(Action::Compare));
    }
    ui.horizontal(|ui| {
        ui.selectable_value(
            &mut context.view.comparison_layout,
            ComparisonLayout::SideBySide,
            "Side by side",
        );
        ui.selectable_value(
            &mut context.view.comparison_layout,
            ComparisonLayout::Overlay,
            "Overlay",
        );
    });
    ui.separator();
    if running.is_none() {
        caption(
            ui,
            "Both solvers start from the current state and receive the same actions. Their error \
             against the converged solution is measured while they run.",
        );
        return;
    }
    numbers(ui, context);
    let history = &context.client.history;
    let curve = |name: &str, k: usize| Curve {
        name: name.to_owned(),
        points: history.error_curve(k),
        color: color(SERIES[k]),
    };
    let size = vec2(ui.available_width(), 96.0);
    plot::show(ui, size, "Error", &[curve("A", 0), curve("B", 1)], true);
    let apart = Curve {
        name: String::new(),
        points: history.curve(|s| s.separation),
        color: color(SERIES[2]),
    };
    plot::show(ui, vec2(size.x, 72.0), "Max distance [m]", &[apart], false);
}

/// List of second solvers; selecting one during a comparison replaces the second solver.
fn choose(ui: &mut Ui, context: &mut PanelContext<'_>) {
    let Some(scene) = &context.client.scene else { return };
    let mut chosen = None;
    egui::ComboBox::from_id_salt("second solver")
        .selected_text(RichText::new(&context.ui_state.second_solver).monospace())
        .width(ui.available_width() - 8.0)
        .height(320.0)
        .show_ui(ui, |ui| {
            for info in &scene.solvers {
                if solver::solver_button(
                    ui,
                    info,
                    &info.name,
                    info.name == context.ui_state.second_solver,
                ) {
                    chosen = Some(info.name.clone());
                }
            }
        });
    if let Some(name) = chosen {
        if context.client.settings.second_solver.is_some() {
            let choice = SolverChoice::named(&name);
            context.requests.push(UiRequest::Send(Command::Compare(Some(choice))));
        }
        context.ui_state.second_solver = name;
    }
}

/// The latest measurement as numbers.
fn numbers(ui: &mut Ui, context: &PanelContext<'_>) {
    let Some(second) = context.client.frame.second_sim.as_deref() else { return };
    let frame = &context.client.frame;
    let errors = context.client.history.errors();
    egui::Grid::new("two solvers").num_columns(3).spacing([14.0, 3.0]).show(ui, |ui| {
        let mut line = |name: &str, a: String, b: String| {
            ui.label(name);
            ui.label(RichText::new(a).monospace());
            ui.label(RichText::new(b).monospace());
            ui.end_row();
        };
        line("", "A".to_owned(), "B".to_owned());
        line("ms/step", format_short(frame.ms), format_short(second.ms));
        line("iterations", frame.iterations.to_string(), second.iterations.to_string());
        let error = |k: usize| errors.map_or("…".to_owned(), |e| format_short(e[k]));
        line("error", error(0), error(1));
    });
    caption(ui, format!("max distance {} m", format_short(second.max_separation)));
    if !context.client.history.note.is_empty() {
        caption(ui, &context.client.history.note);
    }
    let about = "Error: (g(x) − g(x*)) / (g(s) − g(x*)) of one implicit step; 1: no progress, 0: \
        converged.";
    caption(ui, about);
}
