//! What the user can do, by button and by key: one list, from which the help is made as well.

use egui::Key;
use pliant_session::Command;

/// What the left button or a finger does on the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Pulls at a vertex; a click pins it or lets it go.
    #[default]
    Drag,
    /// Pins a vertex, or lets it go.
    Pin,
    /// Throws a ball.
    Ball,
    /// Cuts along a stroke.
    Cut,
    /// Turns the view.
    Turn,
}

/// What can be shown or hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Surfaces of bodies.
    Surface,
    /// Edges of triangles.
    Wire,
    /// Strain as colour.
    Strain,
    /// Where things touch.
    Contacts,
    /// Normals of vertices.
    Normals,
    /// Vertices that are held.
    Pins,
    /// Lines on the ground.
    Grid,
}

/// Something that a button or key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Goes on, or stands still.
    Play,
    /// One step.
    Step,
    /// One step back.
    Back,
    /// To the start.
    Reset,
    /// Chooses the solver of this number among the main ones.
    Solver(usize),
    /// Runs a second solver beside the first, or ends it.
    Compare,
    /// Chooses a tool.
    Tool(Tool),
    /// Shows or hides something.
    Toggle(Layer),
    /// Looks at everything.
    Fit,
    /// Day or night.
    Theme,
    /// Shows or hides the panels.
    Panels,
    /// Shows or hides the help.
    Help,
    /// Saves a picture of the window.
    Screenshot,
    /// Saves the state.
    Snapshot,
    /// Saves an animation.
    Glb,
    /// Saves a file that gives the same again.
    Share,
    /// Copies a link that gives the same again.
    Link,
    /// Opens a file.
    Open,
    /// Closes what is open, and opens the hand.
    Escape,
}

/// What a panel asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// A message to the simulation.
    Send(Command),
    /// Something that a key does as well.
    Do(Action),
    /// A file of the disk to open.
    Open(std::path::PathBuf),
}

/// A key, what it does, and how the help says it.
pub struct Shortcut {
    /// The key.
    pub key: Key,
    /// How it is written.
    pub shown: &'static str,
    /// What it does.
    pub action: Action,
    /// The same in words.
    pub words: &'static str,
}

const fn on(key: Key, shown: &'static str, action: Action, words: &'static str) -> Shortcut {
    Shortcut { key, shown, action, words }
}

/// All keys but the digits.
pub const SHORTCUTS: &[Shortcut] = &[
    on(Key::Space, "Space", Action::Play, "pause, or go on"),
    on(Key::Period, ".", Action::Step, "one step"),
    on(Key::Comma, ",", Action::Back, "one step back"),
    on(Key::R, "R", Action::Reset, "back to the start"),
    on(Key::A, "A", Action::Compare, "A/B: a second solver beside the first"),
    on(Key::D, "D", Action::Tool(Tool::Drag), "drag vertices; a click pins them"),
    on(Key::P, "P", Action::Tool(Tool::Pin), "pin and unpin"),
    on(Key::B, "B", Action::Tool(Tool::Ball), "throw balls"),
    on(Key::X, "X", Action::Tool(Tool::Cut), "cut with a stroke"),
    on(Key::V, "V", Action::Tool(Tool::Turn), "turn the view"),
    on(Key::W, "W", Action::Toggle(Layer::Wire), "wireframe"),
    on(Key::S, "S", Action::Toggle(Layer::Strain), "strain as colour"),
    on(Key::C, "C", Action::Toggle(Layer::Contacts), "contacts"),
    on(Key::N, "N", Action::Toggle(Layer::Normals), "normals"),
    on(Key::G, "G", Action::Glb, "export an animation (GLB)"),
    on(Key::K, "K", Action::Snapshot, "save the state"),
    on(Key::U, "U", Action::Share, "save a file to share"),
    on(Key::O, "O", Action::Open, "open a file"),
    on(Key::I, "I", Action::Screenshot, "screenshot"),
    on(Key::F, "F", Action::Fit, "look at everything"),
    on(Key::L, "L", Action::Theme, "light or dark"),
    on(Key::H, "H", Action::Panels, "show or hide the panels"),
    on(Key::Questionmark, "?", Action::Help, "this help"),
    on(Key::Escape, "Esc", Action::Escape, "close, or let go"),
];

/// The key of an action as it is written, for labels.
pub fn key_of(action: Action) -> &'static str {
    SHORTCUTS.iter().find(|s| s.action == action).map_or("", |s| s.shown)
}

/// What a key does.
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
            assert!(SHORTCUTS[k + 1..].iter().all(|other| other.key != one.key), "{}", one.shown);
        }
        assert_eq!(action_of(Key::Num3), Some(Action::Solver(2)));
        assert_eq!(action_of(Key::Space), Some(Action::Play));
        assert_eq!(key_of(Action::Step), ".");
    }
}
