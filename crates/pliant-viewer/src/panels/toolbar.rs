//! Toolbar above the view: time, tools and view settings.

use egui::{Atom, Button, Id, RichText, Ui};

use super::icon::Icon;
use super::{LayoutMode, PanelContext};
use crate::action::{Action, Layer, Tool, UiRequest, key_of};

/// Tools with their icons and descriptions.
const TOOLS: [(Tool, Icon, &str, &str); 5] = [
    (Tool::Drag, Icon::Hand, "Drag", "Drag any vertex; a click pins it or lets it go"),
    (Tool::Pin, Icon::Pin, "Pin", "Click a vertex to pin it, or to let it go"),
    (Tool::Ball, Icon::Ball, "Ball", "Click to throw a ball"),
    (Tool::Cut, Icon::Scissors, "Cut", "Draw a stroke across cloth to cut it"),
    (Tool::Turn, Icon::Turn, "Turn", "Drag to turn the view"),
];

/// Shows the toolbar.
pub fn show(ui: &mut Ui, room: LayoutMode, given: &mut PanelContext<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        ui.spacing_mut().button_padding = egui::vec2(6.0, 4.0);
        if room != LayoutMode::Tall {
            ui.label(RichText::new("Pliant").strong().size(17.0));
            ui.add_space(6.0);
        }
        time(ui, given);
        ui.separator();
        for (tool, icon, name, words) in TOOLS {
            let name = if room == LayoutMode::Tall { "" } else { name };
            let chosen = given.pointer.tool == tool;
            button(
                ui,
                given,
                ToolButton { icon: Some(icon), name },
                words,
                Action::Tool(tool),
                chosen,
            );
        }
        if room != LayoutMode::Tall {
            ui.separator();
            let wire = given.view.wire;
            button(ui, given, "Wire".into(), "Wireframe", Action::Toggle(Layer::Wire), wire);
            let (strain, words) = (given.view.strain, "Strain as colour");
            button(ui, given, "Strain".into(), words, Action::Toggle(Layer::Strain), strain);
        }
        button(ui, given, Icon::Frame.into(), "Look at everything", Action::Fit, false);
        let both = given.client.settings.second_solver.is_some();
        let words = "Run a second solver beside the first";
        button(ui, given, "A/B".into(), words, Action::Compare, both);
        let sun = if given.view.dark { Icon::Sun } else { Icon::Moon };
        button(ui, given, sun.into(), "Light or dark", Action::Theme, false);
        let help = given.ui_state.help_open;
        button(ui, given, "?".into(), "Mouse, touch and keys", Action::Help, help);
        let open = given.ui_state.panels_open;
        button(ui, given, Icon::Menu.into(), "Show or hide the panels", Action::Panels, open);
    });
}

/// Play, step, back, reset.
fn time(ui: &mut Ui, given: &mut PanelContext<'_>) {
    button(ui, given, Icon::Restart.into(), "Back to the start", Action::Reset, false);
    button(ui, given, Icon::Back.into(), "One step back", Action::StepBack, false);
    let still = !given.client.playing;
    let (icon, words) = if still { (Icon::Play, "Go on") } else { (Icon::Pause, "Pause") };
    button(ui, given, icon.into(), words, Action::Play, still);
    button(ui, given, Icon::Step.into(), "One step", Action::Step, false);
}

/// Contents of a button: icon, text, or both.
pub struct ToolButton<'a> {
    icon: Option<Icon>,
    name: &'a str,
}

impl From<Icon> for ToolButton<'_> {
    fn from(icon: Icon) -> Self {
        Self { icon: Some(icon), name: "" }
    }
}

impl<'a> From<&'a str> for ToolButton<'a> {
    fn from(name: &'a str) -> Self {
        Self { icon: None, name }
    }
}

/// Button with a tip that names its key.
fn button(
    ui: &mut Ui,
    given: &mut PanelContext<'_>,
    sign: ToolButton<'_>,
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
    set_accessible_name(&response, words);
    given.ui_state.button_rects.insert(words.to_owned(), response.rect);
    if response.clicked() {
        given.requests.push(UiRequest::Do(action));
    }
}

/// Sets the name of a widget for screen readers.
fn set_accessible_name(response: &egui::Response, words: &str) {
    let words = words.to_owned();
    response.widget_info(move || egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &words));
}
