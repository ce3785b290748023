//! The row above the picture: time, tools and the view.

use egui::{Atom, Button, Id, RichText, Ui};

use super::icon::Icon;
use super::{Given, Room};
use crate::action::{Action, Layer, Tool, Wish, key_of};

/// The tools, with their signs and what they do.
const TOOLS: [(Tool, Icon, &str, &str); 5] = [
    (Tool::Drag, Icon::Hand, "Drag", "Drag any vertex; a click pins it or lets it go"),
    (Tool::Pin, Icon::Pin, "Pin", "Click a vertex to pin it, or to let it go"),
    (Tool::Ball, Icon::Ball, "Ball", "Click to throw a ball"),
    (Tool::Cut, Icon::Scissors, "Cut", "Draw a stroke across cloth to cut it"),
    (Tool::Turn, Icon::Turn, "Turn", "Drag to turn the view"),
];

/// Shows the row.
pub fn show(ui: &mut Ui, room: Room, given: &mut Given<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        ui.spacing_mut().button_padding = egui::vec2(6.0, 4.0);
        if room != Room::Tall {
            ui.label(RichText::new("Pliant").strong().size(17.0));
            ui.add_space(6.0);
        }
        time(ui, given);
        ui.separator();
        for (tool, icon, name, words) in TOOLS {
            let name = if room == Room::Tall { "" } else { name };
            let chosen = given.hand.tool == tool;
            button(ui, given, Sign { icon: Some(icon), name }, words, Action::Tool(tool), chosen);
        }
        if room != Room::Tall {
            ui.separator();
            let wire = given.view.wire;
            button(ui, given, "Wire".into(), "Wireframe", Action::Toggle(Layer::Wire), wire);
            let (strain, words) = (given.view.strain, "Strain as colour");
            button(ui, given, "Strain".into(), words, Action::Toggle(Layer::Strain), strain);
        }
        button(ui, given, Icon::Frame.into(), "Look at everything", Action::Fit, false);
        let both = given.world.settings.rival.is_some();
        let words = "Run a second solver beside the first";
        button(ui, given, "A/B".into(), words, Action::Compare, both);
        let sun = if given.view.dark { Icon::Sun } else { Icon::Moon };
        button(ui, given, sun.into(), "Light or dark", Action::Theme, false);
        let help = given.desk.help;
        button(ui, given, "?".into(), "Mouse, touch and keys", Action::Help, help);
        let open = given.desk.open;
        button(ui, given, Icon::Menu.into(), "Show or hide the panels", Action::Panels, open);
    });
}

/// Play, step, back, reset.
fn time(ui: &mut Ui, given: &mut Given<'_>) {
    button(ui, given, Icon::Start.into(), "Back to the start", Action::Reset, false);
    button(ui, given, Icon::Back.into(), "One step back", Action::Back, false);
    let still = !given.world.playing;
    let (icon, words) = if still { (Icon::Play, "Go on") } else { (Icon::Pause, "Pause") };
    button(ui, given, icon.into(), words, Action::Play, still);
    button(ui, given, Icon::Step.into(), "One step", Action::Step, false);
}

/// What stands on a button: a drawing, letters, or both.
pub struct Sign<'a> {
    icon: Option<Icon>,
    name: &'a str,
}

impl From<Icon> for Sign<'_> {
    fn from(icon: Icon) -> Self {
        Self { icon: Some(icon), name: "" }
    }
}

impl<'a> From<&'a str> for Sign<'a> {
    fn from(name: &'a str) -> Self {
        Self { icon: None, name }
    }
}

/// A button with a tip that names its key.
fn button(
    ui: &mut Ui,
    given: &mut Given<'_>,
    sign: Sign<'_>,
    words: &str,
    action: Action,
    chosen: bool,
) {
    let key = key_of(action);
    let tip = if key.is_empty() { words.to_owned() } else { format!("{words} ({key})") };
    let place = Id::new("icon");
    let room = Atom::custom(place, egui::Vec2::splat(15.0));
    let button = match (sign.icon, sign.name) {
        (None, name) => Button::new(name),
        (Some(_), "") => Button::new(room),
        (Some(_), name) => Button::new((room, name)),
    };
    let shown = button.selected(chosen).min_size(egui::vec2(26.0, 26.0)).atom_ui(ui);
    if let (Some(icon), Some(square)) = (sign.icon, shown.rect(place)) {
        icon.paint(ui.painter(), square, ui.style().interact(&shown.response).text_color());
    }
    let response = shown.response.on_hover_text(tip);
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
