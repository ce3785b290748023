//! Toolbar above the view: time, tools and view settings.

use egui::{Atom, Button, Id, RichText, Ui};

use super::icon::Icon;
use super::{LayoutMode, PanelContext};
use crate::action::{Action, Layer, Tool, UiRequest, key_of};

/// Tools with their icons and descriptions.
const TOOLS: [(Tool, Icon, &str, &str); 5] = [
    (Tool::Drag, Icon::Hand, "Drag", "Drag vertices; click to pin or unpin"),
    (Tool::Pin, Icon::Pin, "Pin", "Click a vertex to pin or unpin it"),
    (Tool::Ball, Icon::Ball, "Ball", "Click to throw a ball"),
    (Tool::Cut, Icon::Scissors, "Cut", "Drag across cloth to cut it"),
    (Tool::Turn, Icon::Turn, "Orbit", "Drag to orbit"),
];

/// Shows the toolbar.
pub fn show(ui: &mut Ui, mode: LayoutMode, context: &mut PanelContext<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        ui.spacing_mut().button_padding = egui::vec2(6.0, 4.0);
        if mode != LayoutMode::Tall {
            ui.label(RichText::new("Pliant").strong().size(17.0));
            ui.add_space(6.0);
        }
        time(ui, context);
        ui.separator();
        for (tool, icon, name, words) in TOOLS {
            let name = if mode == LayoutMode::Tall { "" } else { name };
            let chosen = context.pointer.tool == tool;
            button(
                ui,
                context,
                ToolButton { icon: Some(icon), name },
                words,
                Action::Tool(tool),
                chosen,
            );
        }
        if mode != LayoutMode::Tall {
            ui.separator();
            let wire = context.view.wire;
            button(ui, context, "Wire".into(), "Wireframe", Action::Toggle(Layer::Wire), wire);
            let (strain, words) = (context.view.strain, "Strain colours");
            button(ui, context, "Strain".into(), words, Action::Toggle(Layer::Strain), strain);
        }
        button(ui, context, Icon::Frame.into(), "Fit the view", Action::Fit, false);
        let both = context.client.settings.second_solver.is_some();
        let words = "Compare with a second solver";
        button(ui, context, "A/B".into(), words, Action::Compare, both);
        let sun = if context.view.dark { Icon::Sun } else { Icon::Moon };
        button(ui, context, sun.into(), "Light or dark theme", Action::Theme, false);
        let help = context.ui_state.help_open;
        button(ui, context, "?".into(), "Mouse, touch and keys", Action::Help, help);
        let open = context.ui_state.panels_open;
        button(ui, context, Icon::Menu.into(), "Show or hide panels", Action::Panels, open);
    });
}

/// Play, step, back, reset.
fn time(ui: &mut Ui, context: &mut PanelContext<'_>) {
    button(ui, context, Icon::Restart.into(), "Reset", Action::Reset, false);
    button(ui, context, Icon::Back.into(), "One step back", Action::StepBack, false);
    let still = !context.client.playing;
    let (icon, words) = if still { (Icon::Play, "Continue") } else { (Icon::Pause, "Pause") };
    button(ui, context, icon.into(), words, Action::Play, still);
    button(ui, context, Icon::Step.into(), "One step", Action::Step, false);
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
    context: &mut PanelContext<'_>,
    content: ToolButton<'_>,
    words: &str,
    action: Action,
    chosen: bool,
) {
    let key = key_of(action);
    let tip = if key.is_empty() { words.to_owned() } else { format!("{words} ({key})") };
    let place = Id::new("icon");
    let icon_space = Atom::custom(place, egui::Vec2::splat(15.0));
    let button = match (content.icon, content.name) {
        (None, name) => Button::new(name),
        (Some(_), "") => Button::new(icon_space),
        (Some(_), name) => Button::new((icon_space, name)),
    };
    let shown = button.selected(chosen).min_size(egui::vec2(26.0, 26.0)).atom_ui(ui);
    if let (Some(icon), Some(square)) = (content.icon, shown.rect(place)) {
        icon.paint(ui.painter(), square, ui.style().interact(&shown.response).text_color());
    }
    let response = shown.response.on_hover_text(tip);
    set_accessible_name(&response, words);
    context.ui_state.button_rects.insert(words.to_owned(), response.rect);
    if response.clicked() {
        context.requests.push(UiRequest::Do(action));
    }
}

/// Sets the name of a widget for screen readers.
fn set_accessible_name(response: &egui::Response, words: &str) {
    let words = words.to_owned();
    response.widget_info(move || egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &words));
}
