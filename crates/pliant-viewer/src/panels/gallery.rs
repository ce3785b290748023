//! The gallery: every built-in scene with a thumbnail.

use egui::{Align2, Color32, FontId, Rect, RichText, Sense, Ui, pos2, vec2};
use pliant_session::Command;

use super::{PanelContext, caption, heading};
use crate::action::UiRequest;
use crate::thumbnails::{self, HEIGHT, WIDTH};

/// Shows the gallery.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    heading(ui, "Scenes");
    let search = egui::TextEdit::singleline(&mut context.ui_state.search)
        .hint_text(RichText::new("search …").weak());
    ui.add(search.desired_width(f32::INFINITY));
    if context.ui_state.thumbnails.is_none() {
        context.ui_state.thumbnails = thumbnails::load(ui.ctx());
    }
    let wanted = context.ui_state.search.trim().to_lowercase();
    let columns = ((ui.available_width() + 6.0) / 110.0).floor().max(1.0);
    let wide = (ui.available_width() - 6.0 * (columns - 1.0)) / columns - 0.5;
    let size = vec2(wide, wide * HEIGHT as f32 / WIDTH as f32 + 18.0);
    let current = context.client.scene.as_ref().map(|s| s.name.replace('-', "_"));
    let mut any = false;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        for (k, scene) in pliant_scenes::all().iter().enumerate() {
            let text = format!("{} {}", scene.name.replace('_', " "), scene.summary).to_lowercase();
            if !wanted.split_whitespace().all(|word| text.contains(word)) {
                continue;
            }
            any = true;
            let chosen = current.as_deref() == Some(scene.name);
            if tile(ui, context, k, scene, size, chosen) {
                let name = scene.name.to_owned();
                context.requests.push(UiRequest::Send(Command::LoadScene { name, size: None }));
            }
        }
    });
    if !any {
        caption(ui, "No matching scenes.");
    }
}

/// One scene: its thumbnail above its name.
fn tile(
    ui: &mut Ui,
    context: &mut PanelContext<'_>,
    k: usize,
    scene: &pliant_scenes::BuiltInScene,
    size: egui::Vec2,
    chosen: bool,
) -> bool {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let name = scene.name.replace('_', " ");
    let label = format!("{name}: {}", scene.summary);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &label));
    if ui.is_rect_visible(rect) {
        context.ui_state.button_rects.insert(name.clone(), rect);
        let visuals = ui.style().interact_selectable(&response, chosen);
        let picture = Rect::from_min_max(rect.min, pos2(rect.right(), rect.bottom() - 18.0));
        ui.painter().rect_filled(rect, 4.0, visuals.bg_fill);
        if let Some(texture) = &context.ui_state.thumbnails {
            let part = thumbnails::uv_rect(k);
            ui.painter().image(texture.id(), picture.shrink(1.0), part, Color32::WHITE);
        }
        let edge = if chosen || response.hovered() || response.has_focus() {
            egui::Stroke::new(2.0, ui.visuals().hyperlink_color)
        } else {
            egui::Stroke::new(1.0, ui.visuals().window_stroke.color)
        };
        ui.painter().rect_stroke(rect, 4.0, edge, egui::StrokeKind::Inside);
        let text = pos2(rect.left() + 5.0, rect.bottom() - 10.0);
        let color = ui.visuals().text_color();
        let painter = ui.painter().with_clip_rect(rect.shrink2(vec2(3.0, 1.0)));
        painter.text(text, Align2::LEFT_CENTER, name, FontId::proportional(11.0), color);
    }
    response.on_hover_text(scene.summary).clicked()
}
