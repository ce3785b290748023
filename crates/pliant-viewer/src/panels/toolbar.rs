//! The row above the picture: time, tools and the view.

use eframe::egui::{self, Button, RichText, Ui};

use super::{Given, Room};
use crate::action::{Action, Layer, Tool, Wish, key_of};

/// The tools, with their signs and what they do.
const TOOLS: [(Tool, &str, &str); 5] = [
    (Tool::Drag, "✋ Drag", "Drag any vertex; a click pins it or lets it go"),
    (Tool::Pin, "📌 Pin", "Click a vertex to pin it, or to let it go"),
    (Tool::Ball, "⚽ Ball", "Click to throw a ball"),
    (Tool::Cut, "✂ Cut", "Draw a stroke across cloth to cut it"),
    (Tool::Turn, "⟲ Turn", "Drag to turn the view"),
];

/// Shows the row.
pub fn show(ui: &mut Ui, room: Room, given: &mut Given<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        if room != Room::Tall {
            ui.label(RichText::new("Pliant").strong().size(17.0));
            ui.add_space(6.0);
        }
        time(ui, given);
        ui.separator();
        let short = room == Room::Tall;
        for (tool, name, words) in TOOLS {
            let name = if short { name.split(' ').next().unwrap_or(name) } else { name };
            let chosen = given.hand.tool == tool;
            button(ui, given, name, words, Action::Tool(tool), chosen);
        }
        if room != Room::Tall {
            ui.separator();
            let wire = given.view.wire;
            button(ui, given, "Wire", "Wireframe", Action::Toggle(Layer::Wire), wire);
            let strain = given.view.strain;
            button(ui, given, "Strain", "Strain as colour", Action::Toggle(Layer::Strain), strain);
        }
        button(ui, given, "⛶", "Look at everything", Action::Fit, false);
        let both = given.world.settings.rival.is_some();
        let words = "Run a second solver beside the first";
        button(ui, given, "A/B", words, Action::Compare, both);
        let sign = if given.view.dark { "☀" } else { "🌙" };
        button(ui, given, sign, "Light or dark", Action::Theme, false);
        button(ui, given, "?", "Mouse, touch and keys", Action::Help, given.desk.help);
        let open = given.desk.open;
        button(ui, given, "☰", "Show or hide the panels", Action::Panels, open);
    });
}

/// Play, step, back, reset.
fn time(ui: &mut Ui, given: &mut Given<'_>) {
    button(ui, given, "⏮", "Back to the start", Action::Reset, false);
    button(ui, given, "⏴", "One step back", Action::Back, false);
    let (sign, words) = if given.world.playing { ("⏸", "Pause") } else { ("▶", "Go on") };
    let play = Button::new(RichText::new(sign).size(16.0)).min_size(egui::vec2(34.0, 26.0));
    let play = play.selected(!given.world.playing);
    let tip = format!("{words} ({})", key_of(Action::Play));
    let response = ui.add(play).on_hover_text(tip);
    name(&response, words);
    given.desk.buttons.insert(words.to_owned(), response.rect);
    if response.clicked() {
        given.wishes.push(Wish::Do(Action::Play));
    }
    button(ui, given, "⏵", "One step", Action::Step, false);
}

/// A button with a tip that names its key.
pub fn button(
    ui: &mut Ui,
    given: &mut Given<'_>,
    sign: &str,
    words: &str,
    action: Action,
    chosen: bool,
) {
    let key = key_of(action);
    let tip = if key.is_empty() { words.to_owned() } else { format!("{words} ({key})") };
    let button = Button::new(sign).selected(chosen).min_size(egui::vec2(26.0, 26.0));
    let response = ui.add(button).on_hover_text(tip);
    name(&response, words);
    given.desk.buttons.insert(words.to_owned(), response.rect);
    if response.clicked() {
        given.wishes.push(Wish::Do(action));
    }
}

/// Gives a widget the name that readers of the screen say.
fn name(response: &egui::Response, words: &str) {
    let words = words.to_owned();
    response.widget_info(move || egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &words));
}
