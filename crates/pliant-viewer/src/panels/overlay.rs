//! Text on the picture: the scene's name, the first hint, the legend of strain, messages.

use egui::{Align2, Color32, FontId, Painter, Rect, pos2, vec2};

use super::PanelContext;
use crate::messages::Messages;
use crate::theme::{SERIES, STRAIN_COLORMAP, color};
use crate::view::ComparisonLayout;

/// Initial hint on the left button.
const HINT: &str = "Left drag: grab.  Right drag: orbit.  Wheel: zoom.  ?: help.";

/// Draws the text on a view.
pub fn show(painter: &Painter, rect: Rect, context: &PanelContext<'_>, side: usize) {
    let dark = context.view.dark;
    let text = if dark { Color32::from_gray(225) } else { Color32::from_gray(50) };
    let faint = text.gamma_multiply(0.75);
    let client = context.client;
    let corner = rect.left_top() + vec2(12.0, 10.0);
    match &client.settings.second_solver {
        Some(second) if context.view.comparison_layout == ComparisonLayout::SideBySide => {
            let (letter, name) =
                if side == 0 { ("A", &client.settings.solver.name) } else { ("B", &second.name) };
            let title = format!("{letter}   {name}");
            let tint = color(SERIES[side]);
            painter.text(corner, Align2::LEFT_TOP, title, FontId::proportional(18.0), tint);
        }
        _ => {
            let Some(scene) = &client.scene else { return };
            let name = scene.name.replace('_', " ");
            let title_rect =
                painter.text(corner, Align2::LEFT_TOP, name, FontId::proportional(17.0), text);
            let below = pos2(corner.x, title_rect.bottom() + 2.0);
            let small = FontId::proportional(12.5);
            let line = painter.layout(scene.summary.clone(), small, faint, rect.width() - 30.0);
            painter.galley(below, line, faint);
        }
    }
    if side == 0 {
        let paused = !client.playing && client.scene.is_some();
        if context.pointer.grab_count == 0 && !paused {
            hint_box(painter, rect.center_bottom() - vec2(0.0, 26.0), HINT, dark, rect.width());
        } else if paused {
            let words = "Paused.  Space: continue.  Period: one step.";
            hint_box(painter, rect.center_bottom() - vec2(0.0, 26.0), words, dark, rect.width());
        }
    }
    if context.view.strain && side == 0 {
        legend(painter, rect, context.view.strain_limit, text);
    }
}

/// Line of text on a translucent background.
fn hint_box(painter: &Painter, at: egui::Pos2, words: &str, dark: bool, width: f32) {
    let (fill, text) = if dark {
        (Color32::from_rgba_unmultiplied(20, 22, 27, 210), Color32::from_gray(230))
    } else {
        (Color32::from_rgba_unmultiplied(255, 255, 255, 225), Color32::from_gray(50))
    };
    let font = FontId::proportional(14.0);
    let galley = painter.layout(words.to_owned(), font, text, width - 60.0);
    let size = galley.size() + vec2(28.0, 12.0);
    let rect = Rect::from_center_size(at - vec2(0.0, 0.5 * (size.y - 30.0)), size);
    painter.rect_filled(rect, 14.0, fill);
    painter.galley(rect.min + vec2(14.0, 6.0), galley, text);
}

/// Legend of the strain colours.
fn legend(painter: &Painter, rect: Rect, limit: f32, text: Color32) {
    let (wide, high) = (160.0_f32.min(rect.width() - 40.0), 10.0);
    // Above the text at the bottom.
    let from = pos2(rect.left() + 14.0, rect.bottom() - 92.0);
    let mut mesh = egui::Mesh::default();
    let last = (STRAIN_COLORMAP.len() - 1) as f32;
    for (k, tint) in STRAIN_COLORMAP.iter().enumerate() {
        let x = from.x + wide * k as f32 / last;
        mesh.colored_vertex(pos2(x, from.y), color(*tint));
        mesh.colored_vertex(pos2(x, from.y + high), color(*tint));
        if k > 0 {
            let b = 2 * k as u32;
            mesh.add_triangle(b - 2, b - 1, b);
            mesh.add_triangle(b - 1, b + 1, b);
        }
    }
    painter.add(mesh);
    let font = FontId::proportional(12.0);
    let above = pos2(from.x, from.y - 3.0);
    painter.text(above, Align2::LEFT_BOTTOM, "strain", font.clone(), text);
    let percent = 100.0 * limit;
    let marks = [(0.0, Align2::LEFT_TOP), (0.5, Align2::CENTER_TOP), (1.0, Align2::RIGHT_TOP)];
    for (t, align) in marks {
        let at = pos2(from.x + wide * t, from.y + high + 2.0);
        let value = percent * (2.0 * t - 1.0);
        let shown = if t == 0.5 { "0".to_owned() } else { format!("{value:+.3} %") };
        let shown = trim_zeros(&shown);
        painter.text(at, align, shown, font.clone(), text);
    }
}

/// Removes trailing zeros from a number with a unit.
fn trim_zeros(text: &str) -> String {
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text.to_owned(),
    }
}

/// Shows the messages above the lower left corner; a click closes one.
pub fn messages(ctx: &egui::Context, rect: Rect, messages: &mut Messages) {
    if messages.list.is_empty() {
        return;
    }
    let mut closed = None;
    egui::Area::new("messages".into())
        .fixed_pos(rect.left_bottom() + vec2(12.0, -58.0))
        .pivot(Align2::LEFT_BOTTOM)
        .show(ctx, |ui| {
            ui.set_max_width((rect.width() - 24.0).clamp(120.0, 520.0));
            for (k, message) in messages.list.iter().enumerate() {
                let edge =
                    if message.is_error { color([200, 52, 72]) } else { color([72, 160, 122]) };
                let frame = egui::Frame::new()
                    .fill(ui.visuals().window_fill)
                    .stroke(egui::Stroke::new(1.5, edge))
                    .corner_radius(6.0)
                    .inner_margin(egui::Margin::symmetric(10, 6));
                frame.show(ui, |ui| {
                    ui.horizontal_top(|ui| {
                        ui.add(egui::Label::new(&message.text).wrap());
                        let close = ui.small_button("×").on_hover_text("Close");
                        if close.clicked() {
                            closed = Some(k);
                        }
                    });
                });
            }
        });
    if let Some(k) = closed {
        messages.list.remove(k);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_legend_have_no_idle_zeros() {
        assert_eq!(trim_zeros("+10.000 %"), "+10 %");
        assert_eq!(trim_zeros("-0.500 %"), "-0.5 %");
        assert_eq!(trim_zeros("0"), "0");
    }
}
