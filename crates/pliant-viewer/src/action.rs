//! User actions by button and by key: one list, from which the help is generated as well.

use egui::Key;
use pliant_session::Command;

/// Tool of the left mouse button or a finger on the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Drags a vertex; a click pins or releases it.
    #[default]
    Drag,
    /// Pins or releases a vertex.
    Pin,
    /// Throws a ball.
    Ball,
    /// Cuts along a stroke.
    Cut,
    /// Rotates the view.
    Turn,
}

/// Layers that can be shown or hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Surfaces of bodies.
    Surface,
    /// Edges of triangles.
    Wire,
    /// Strain as colour.
    Strain,
    /// Contact points.
    Contacts,
    /// Vertex normals.
    Normals,
    /// Pinned vertices.
    Pins,
    /// Grid on the ground.
    Grid,
}

/// Action of a button or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Runs or pauses the simulation.
    Play,
    /// Takes one step forward.
    Step,
    /// Goes one step back.
    StepBack,
    /// Returns to the start.
    Reset,
    /// Selects the base solver with this index.
    Solver(usize),
    /// Starts a second solver for comparison, or ends it.
    Compare,
    /// Selects a tool.
    Tool(Tool),
    /// Shows or hides a layer.
    Toggle(Layer),
    /// Fits everything into the view.
    Fit,
    /// Switches between light and dark.
    Theme,
    /// Shows or hides the panels.
    Panels,
    /// Shows or hides the help.
    Help,
    /// Saves a screenshot.
    Screenshot,
    /// Saves the state.
    Snapshot,
    /// Saves an animation.
    ExportGlb,
    /// Saves a file that reproduces the run.
    Share,
    /// Copies a link that reproduces the run.
    Link,
    /// Opens a file.
    Open,
    /// Closes what is open, and releases the grabbed vertex.
    Escape,
}

/// Request of a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum UiRequest {
    /// Command to the simulation.
    Send(Command),
    /// Action that also has a key.
    Do(Action),
    /// Path of a file to open.
    Open(std::path::PathBuf),
}

/// A keyboard shortcut: key, action and help text.
pub struct Shortcut {
    /// The key.
    pub key: Key,
    /// Label of the key.
    pub key_label: &'static str,
    /// Action of the key.
    pub action: Action,
    /// Description for the help.
    pub description: &'static str,
}

const fn shortcut(
    key: Key,
    key_label: &'static str,
    action: Action,
    description: &'static str,
) -> Shortcut {
    Shortcut { key, key_label, action, description }
}

/// All shortcuts except the digits.
pub const SHORTCUTS: &[Shortcut] = &[
    shortcut(Key::Space, "Space", Action::Play, "pause, continue"),
    shortcut(Key::Period, ".", Action::Step, "one step"),
    shortcut(Key::Comma, ",", Action::StepBack, "one step back"),
    shortcut(Key::R, "R", Action::Reset, "reset"),
    shortcut(Key::A, "A", Action::Compare, "A/B: compare with a second solver"),
    shortcut(Key::D, "D", Action::Tool(Tool::Drag), "drag vertices; click to pin"),
    shortcut(Key::P, "P", Action::Tool(Tool::Pin), "pin and unpin vertices"),
    shortcut(Key::B, "B", Action::Tool(Tool::Ball), "throw balls"),
    shortcut(Key::X, "X", Action::Tool(Tool::Cut), "cut along a stroke"),
    shortcut(Key::V, "V", Action::Tool(Tool::Turn), "orbit"),
    shortcut(Key::W, "W", Action::Toggle(Layer::Wire), "wireframe"),
    shortcut(Key::S, "S", Action::Toggle(Layer::Strain), "strain colours"),
    shortcut(Key::C, "C", Action::Toggle(Layer::Contacts), "contacts"),
    shortcut(Key::N, "N", Action::Toggle(Layer::Normals), "normals"),
    shortcut(Key::G, "G", Action::ExportGlb, "export animation (GLB)"),
    shortcut(Key::K, "K", Action::Snapshot, "save state"),
    shortcut(Key::U, "U", Action::Share, "save shared file"),
    shortcut(Key::O, "O", Action::Open, "open file"),
    shortcut(Key::I, "I", Action::Screenshot, "screenshot"),
    shortcut(Key::F, "F", Action::Fit, "fit the view"),
    shortcut(Key::L, "L", Action::Theme, "light or dark theme"),
    shortcut(Key::H, "H", Action::Panels, "show or hide the panels"),
    shortcut(Key::Questionmark, "?", Action::Help, "this help"),
    shortcut(Key::Escape, "Esc", Action::Escape, "close, cancel"),
];

/// Label of the key of an action.
pub fn key_of(action: Action) -> &'static str {
    SHORTCUTS.iter().find(|s| s.action == action).map_or("", |s| s.key_label)
}

/// Action of a key, if any.
pub fn action_of(key: Key) -> Option<Action> {
    const DIGITS: [Key; 9] = [
        Key::Num1,
        Key::Num2,
        Key::Num3,
        Key::Num4,
        Key::Num5,
        Key::Num6,
        Key::Num7,
        Key::Num8,
        Key::Num9,
    ];
    if let Some(k) = DIGITS.iter().position(|d| *d == key) {
        return Some(Action::Solver(k));
    }
    SHORTCUTS.iter().find(|s| s.key == key).map(|s| s.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_does_one_thing() {
        for (k, one) in SHORTCUTS.iter().enumerate() {
            assert!(
                SHORTCUTS[k + 1..].iter().all(|other| other.key != one.key),
                "{}",
                one.key_label
            );
        }
        assert_eq!(action_of(Key::Num3), Some(Action::Solver(2)));
        assert_eq!(action_of(Key::Space), Some(Action::Play));
        assert_eq!(key_of(Action::Step), ".");
    }
}
