//! Where the panels are, for the room that there is.

use egui::{Rect, Ui, vec2};

use super::{Given, Room, Tab};

/// Shows the panels around the picture.
pub fn show(ui: &mut Ui, room: Room, given: &mut Given<'_>) {
    match room {
        Room::Wide => wide(ui, given),
        Room::Middle => side(ui, room, given, 252.0),
        Room::Tall => below(ui, room, given),
    }
}

/// Gallery, picture, tab; curves below.
fn wide(ui: &mut Ui, given: &mut Given<'_>) {
    let high = ui.max_rect().height();
    egui::SidePanel::left("scenes").default_width(248.0).width_range(140.0..=420.0).show_inside(
        ui,
        |ui| {
            egui::ScrollArea::vertical()
                .auto_shrink([false, false])
                .show(ui, |ui| super::gallery::show(ui, given));
        },
    );
    side(ui, Room::Wide, given, 272.0);
    if high > 520.0 {
        egui::TopBottomPanel::bottom("curves").resizable(false).show_inside(ui, |ui| {
            ui.add_space(4.0);
            super::curves::recorded(ui, given);
            super::curves::row(ui, given, 76.0);
            ui.add_space(2.0);
        });
    }
}

/// The tabs and what they show, at the right.
fn side(ui: &mut Ui, room: Room, given: &mut Given<'_>, width: f32) {
    if !room.tabs().contains(&given.desk.tab) {
        given.desk.tab = Tab::Solver;
    }
    egui::SidePanel::right("side").default_width(width).width_range(200.0..=460.0).show_inside(
        ui,
        |ui| {
            ui.add_space(4.0);
            super::tabs(ui, room, given);
            ui.separator();
            scrolled(ui, given);
        },
    );
}

/// The tabs at the very bottom, and a sheet over them that they raise and lower.
fn below(ui: &mut Ui, room: Room, given: &mut Given<'_>) {
    let height = (0.42 * ui.max_rect().height()).max(160.0);
    egui::TopBottomPanel::bottom("tabs").resizable(false).show_inside(ui, |ui| {
        ui.add_space(4.0);
        super::tabs(ui, room, given);
        ui.add_space(4.0);
    });
    if given.desk.sheet {
        let sheet = egui::TopBottomPanel::bottom("sheet").resizable(false).exact_height(height);
        sheet.show_inside(ui, |ui| scrolled(ui, given));
    }
}

fn scrolled(ui: &mut Ui, given: &mut Given<'_>) {
    let tab = given.desk.tab;
    egui::ScrollArea::vertical()
        .id_salt(tab.name())
        .auto_shrink([false, false])
        .show(ui, |ui| super::show(tab, ui, given));
}

/// Two pictures: beside each other, or one above the other where that is the wider.
pub fn halves(whole: Rect) -> Vec<Rect> {
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
