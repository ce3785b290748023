//! Layout of the panels for the available space.

use egui::{Rect, Ui, vec2};

use super::{LayoutMode, PanelContext, Tab};

/// Shows the panels around the picture.
pub fn show(ui: &mut Ui, mode: LayoutMode, context: &mut PanelContext<'_>) {
    match mode {
        LayoutMode::Wide => wide(ui, context),
        LayoutMode::Medium => side(ui, mode, context, 252.0),
        LayoutMode::Tall => bottom_sheet(ui, mode, context),
    }
}

/// Gallery, view and tab side by side, curves below.
fn wide(ui: &mut Ui, context: &mut PanelContext<'_>) {
    let high = ui.max_rect().height();
    egui::SidePanel::left("scenes").default_width(248.0).width_range(140.0..=420.0).show_inside(
        ui,
        |ui| {
            egui::ScrollArea::vertical()
                .auto_shrink([false, false])
                .show(ui, |ui| super::gallery::show(ui, context));
        },
    );
    side(ui, LayoutMode::Wide, context, 272.0);
    if high > 520.0 {
        egui::TopBottomPanel::bottom("curves").resizable(false).show_inside(ui, |ui| {
            ui.add_space(4.0);
            super::curves::recorded(ui, context);
            super::curves::show_row(ui, context, 76.0);
            ui.add_space(2.0);
        });
    }
}

/// Tabs and their contents, at the right.
fn side(ui: &mut Ui, mode: LayoutMode, context: &mut PanelContext<'_>, width: f32) {
    if !mode.tabs().contains(&context.ui_state.tab) {
        context.ui_state.tab = Tab::Solver;
    }
    egui::SidePanel::right("side").default_width(width).width_range(200.0..=460.0).show_inside(
        ui,
        |ui| {
            ui.add_space(4.0);
            super::tabs(ui, mode, context);
            ui.separator();
            scrolled(ui, context);
        },
    );
}

/// Tabs at the bottom, with a sheet above them that they open and close.
fn bottom_sheet(ui: &mut Ui, mode: LayoutMode, context: &mut PanelContext<'_>) {
    let height = (0.42 * ui.max_rect().height()).max(160.0);
    egui::TopBottomPanel::bottom("tabs").resizable(false).show_inside(ui, |ui| {
        ui.add_space(4.0);
        super::tabs(ui, mode, context);
        ui.add_space(4.0);
    });
    if context.ui_state.sheet_open {
        let sheet = egui::TopBottomPanel::bottom("sheet").resizable(false).exact_height(height);
        sheet.show_inside(ui, |ui| scrolled(ui, context));
    }
}

fn scrolled(ui: &mut Ui, context: &mut PanelContext<'_>) {
    let tab = context.ui_state.tab;
    egui::ScrollArea::vertical()
        .id_salt(tab.name())
        .auto_shrink([false, false])
        .show(ui, |ui| super::show(tab, ui, context));
}

/// Rectangles of two views: side by side, or one above the other if that makes them wider.
pub fn split_views(whole: Rect) -> Vec<Rect> {
    let gap = 2.0;
    if whole.width() >= whole.height() {
        let size = vec2(0.5 * (whole.width() - gap), whole.height());
        let second = whole.min + vec2(size.x + gap, 0.0);
        vec![Rect::from_min_size(whole.min, size), Rect::from_min_size(second, size)]
    } else {
        let size = vec2(whole.width(), 0.5 * (whole.height() - gap));
        let second = whole.min + vec2(0.0, size.y + gap);
        vec![Rect::from_min_size(whole.min, size), Rect::from_min_size(second, size)]
    }
}
