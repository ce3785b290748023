//! Curves of energy, residual and time, and the time of each stage of a step.

use egui::{Align2, Color32, FontId, Rect, RichText, Sense, Slider, Ui, pos2, vec2};
use pliant_session::Command;

use super::PanelContext;
use super::number::format_short;
use super::plot::{self, Curve};
use crate::action::UiRequest;
use crate::history::Sample;
use crate::theme::{self, SERIES, color};

/// Stages of a step, with colours.
const STAGES: [(&str, theme::Rgb); 8] = [
    ("validate", [150, 156, 166]),
    ("predict", [40, 164, 196]),
    ("collide", [36, 150, 104]),
    ("solve", [40, 104, 184]),
    ("contact", [176, 78, 120]),
    ("velocity", [126, 86, 176]),
    ("finish", [228, 122, 36]),
    ("estimate", [204, 172, 40]),
];

/// Shows everything in a column.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    recorded(ui, context);
    summary(ui, context);
    let size = vec2(ui.available_width(), 76.0);
    for (title, curves, log) in plots(context) {
        plot::show(ui, size, &title, &curves, log);
    }
    stage_bar(ui, context, ui.available_width());
}

/// Slider of the recorded steps.
pub fn recorded(ui: &mut Ui, context: &mut PanelContext<'_>) {
    let frame = &context.client.frame;
    let [first, last] = frame.recorded_steps;
    ui.horizontal(|ui| {
        super::caption(ui, "Recorded");
        let forget = 120.0;
        let room = if frame.replaying { forget } else { 0.0 };
        ui.spacing_mut().slider_width = (ui.available_width() - room - 110.0).max(60.0);
        let mut step = frame.step;
        let slider = Slider::new(&mut step, first..=last.max(first + 1)).show_value(false);
        let response = ui.add(slider).on_hover_text("Seek in the recorded steps");
        context.ui_state.button_rects.insert("Recorded steps".to_owned(), response.rect);
        if response.changed() && step <= last {
            context.requests.push(UiRequest::Send(Command::Seek { step }));
        }
        super::caption(ui, format!("{step} / {last}"));
        if frame.replaying {
            let tip = "Recorded actions after this step are replayed as time continues. This \
                discards them, as any new action does.";
            let response = ui.small_button("Discard later actions").on_hover_text(tip);
            context.ui_state.button_rects.insert("Discard later actions".to_owned(), response.rect);
            if response.clicked() {
                context.requests.push(UiRequest::Send(Command::ForgetFuture));
            }
        }
    });
}

/// Shows everything in a row of this height.
pub fn show_row(ui: &mut Ui, context: &mut PanelContext<'_>, height: f32) {
    let wide = ui.available_width();
    let plots = plots(context);
    let bar = (0.24 * wide).clamp(150.0, 260.0);
    let each = (wide - bar - 8.0 * plots.len() as f32) / plots.len() as f32;
    ui.horizontal(|ui| {
        for (title, curves, log) in plots {
            plot::show(ui, vec2(each, height), &title, &curves, log);
        }
        ui.vertical(|ui| {
            summary(ui, context);
            stage_bar(ui, context, bar);
        });
    });
}

type Plot = (String, Vec<Curve>, bool);

fn plots(context: &PanelContext<'_>) -> Vec<Plot> {
    let history = &context.client.history;
    let curve = |name: &str, k: usize, of: &dyn Fn(&Sample) -> Option<f64>| Curve {
        name: name.to_owned(),
        points: history.curve(of),
        color: color(SERIES[k]),
    };
    let energy = vec![
        curve("kinetic", 0, &|s| Some(s.energy[0])),
        curve("elastic", 1, &|s| Some(s.energy[1])),
        curve("total", 2, &|s| Some(s.energy.iter().sum())),
    ];
    let (mut residual, mut ms) = (
        vec![curve("", 0, &|s| Some(s.residual).filter(|r| *r > 0.0))],
        vec![curve("", 0, &|s| Some(s.ms))],
    );
    if let Some(second) = &context.client.settings.second_solver {
        let first = context.client.settings.solver.name.clone();
        for list in [&mut residual, &mut ms] {
            list[0].name = format!("A {first}");
        }
        let name = format!("B {}", second.name);
        residual.push(curve(&name, 1, &|s| s.second.map(|r| r[0]).filter(|r| *r > 0.0)));
        ms.push(curve(&name, 1, &|s| s.second.map(|r| r[1])));
    }
    vec![
        ("Energy [J]".to_owned(), energy, false),
        ("Residual [N]".to_owned(), residual, true),
        ("Time per step [ms]".to_owned(), ms, false),
    ]
}

/// Step number, simulated time and speed.
fn summary(ui: &mut Ui, context: &PanelContext<'_>) {
    let frame = &context.client.frame;
    let text = format!("step {}   t = {:.2} s", frame.step, frame.time);
    ui.label(RichText::new(text).small());
    let ms = context.client.history.mean_ms();
    let text = format!("{} ms/step   {:.0} fps", format_short(ms), context.fps);
    ui.label(RichText::new(text).small());
}

/// Bar with the time of each stage of the last step.
fn stage_bar(ui: &mut Ui, context: &PanelContext<'_>, width: f32) {
    let seconds = context.client.frame.stage_seconds;
    let total: f64 = seconds.iter().sum();
    let (response, painter) = ui.allocate_painter(vec2(width - 4.0, 16.0), Sense::hover());
    let rect = response.rect;
    painter.rect_filled(rect, 3.0, ui.visuals().extreme_bg_color);
    if total <= 0.0 {
        return;
    }
    let mut from = rect.left();
    let mut lines = Vec::new();
    for ((name, tint), s) in STAGES.iter().zip(seconds) {
        let part = (s / total) as f32 * rect.width();
        let piece = Rect::from_min_size(pos2(from, rect.top()), vec2(part, rect.height()));
        painter.rect_filled(piece, 2.0, color(*tint));
        if part > 44.0 {
            let font = FontId::proportional(10.5);
            painter.text(piece.center(), Align2::CENTER_CENTER, name, font, Color32::WHITE);
        }
        lines.push(format!("{name}: {} ms", format_short(1e3 * s)));
        from += part;
    }
    let counts = context.client.frame.counts;
    let about = format!(
        "{} iterations, {} contacts",
        context.client.frame.iterations,
        counts.colliders + counts.pairs
    );
    lines.push(about.clone());
    response.on_hover_text(lines.join("\n"));
    super::caption(ui, about);
}
