//! The panels around the picture, one file each. A panel shows the world and adds [`Wish`]es; it changes
//! nothing but how things are shown.
//!
//! ```text
//! wide:  ┌ toolbar ─────────────────────────┐    tall:  ┌ toolbar ┐
//!        │ scenes │  picture        │ tab   │           │ picture │
//!        │        │                 │       │           │         │
//!        └────────┴─ curves ────────┴───────┘           ├ tabs ───┤
//!                                                       └ tab ────┘
//! ```

mod browse;
pub mod compare;
pub mod curves;
pub mod files;
pub mod gallery;
pub mod help;
mod icon;
pub mod layout;
pub mod material;
pub mod number;
pub mod overlay;
pub mod plot;
pub mod shown;
pub mod solver;
pub mod surroundings;
pub mod toolbar;

use std::collections::BTreeMap;

use egui::{RichText, Ui};

pub use browse::Browser;

use crate::action::Wish;
use crate::hand::Hand;
use crate::link::GivenFile;
use crate::view::View;
use crate::world::World;

/// What the side panel shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The gallery.
    Scenes,
    /// The solver.
    #[default]
    Solver,
    /// Materials.
    Material,
    /// Gravity, wind, balls.
    World,
    /// Layers.
    View,
    /// A/B.
    Compare,
    /// Files.
    File,
    /// Curves, where they have no place of their own.
    Curves,
}

impl Tab {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scenes => "Scenes",
            Self::Solver => "Solver",
            Self::Material => "Material",
            Self::World => "World",
            Self::View => "View",
            Self::Compare => "A/B",
            Self::File => "File",
            Self::Curves => "Curves",
        }
    }
}

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// For the gallery beside the picture.
    Wide,
    /// For one panel beside the picture.
    Middle,
    /// For one panel below the picture.
    Tall,
}

impl Room {
    /// The room of a window of this size, in points.
    pub fn of(size: egui::Vec2) -> Self {
        if size.x >= 1080.0 && size.y >= 480.0 {
            Self::Wide
        } else if size.x >= 640.0 {
            Self::Middle
        } else {
            Self::Tall
        }
    }

    /// The tabs that there are in it.
    pub fn tabs(self) -> &'static [Tab] {
        const WIDE: &[Tab] =
            &[Tab::Solver, Tab::Material, Tab::World, Tab::View, Tab::Compare, Tab::File];
        const ALL: &[Tab] = &[
            Tab::Scenes,
            Tab::Solver,
            Tab::Material,
            Tab::World,
            Tab::View,
            Tab::Compare,
            Tab::File,
            Tab::Curves,
        ];
        if self == Self::Wide { WIDE } else { ALL }
    }
}

/// What the panels remember.
pub struct Desk {
    /// The tab that is chosen.
    pub tab: Tab,
    /// Whether panels are shown.
    pub open: bool,
    /// Whether the sheet of a tall window is up.
    pub sheet: bool,
    /// Whether the help is shown.
    pub help: bool,
    /// Whether the report on a mesh is shown.
    pub report: bool,
    /// The folder that a file is opened from.
    pub browser: Option<Browser>,
    /// Threads of a step.
    pub threads: u32,
    /// A mesh that waits for what to make of it.
    pub mesh: Option<GivenFile>,
    /// What the gallery is searched for.
    pub search: String,
    /// The second solver that is chosen.
    pub rival: String,
    /// Numbers that are being changed and were not sent yet.
    pub edits: BTreeMap<String, f64>,
    /// The pictures of the gallery.
    pub thumbnails: Option<egui::TextureHandle>,
    /// The direction of the wind, from z toward x \[°\], also while there is none.
    pub wind_angle: f64,
    /// A link that is to be copied.
    pub copied: Option<String>,
    /// Where the buttons are that were shown last, by their names.
    pub buttons: BTreeMap<String, egui::Rect>,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            tab: Tab::Solver,
            open: true,
            sheet: false,
            help: false,
            report: false,
            browser: None,
            threads: 1,
            mesh: None,
            search: String::new(),
            rival: "xpbd".to_owned(),
            edits: BTreeMap::new(),
            thumbnails: None,
            wind_angle: 0.0,
            copied: None,
            buttons: BTreeMap::new(),
        }
    }
}

/// What every panel is given.
pub struct Given<'a> {
    /// What is known.
    pub world: &'a World,
    /// How it is shown.
    pub view: &'a mut View,
    /// The pointer's tool.
    pub hand: &'a mut Hand,
    /// What the panels remember.
    pub desk: &'a mut Desk,
    /// Frames per second.
    pub fps: f32,
    /// What is asked for.
    pub wishes: Vec<Wish>,
}

/// Shows a tab.
pub fn show(tab: Tab, ui: &mut Ui, given: &mut Given<'_>) {
    match tab {
        Tab::Scenes => gallery::show(ui, given),
        Tab::Solver => solver::show(ui, given),
        Tab::Material => material::show(ui, given),
        Tab::World => surroundings::show(ui, given),
        Tab::View => shown::show(ui, given),
        Tab::Compare => compare::show(ui, given),
        Tab::File => files::show(ui, given),
        Tab::Curves => curves::show(ui, given),
    }
}

/// The tabs of a room, as buttons in a row.
pub fn tabs(ui: &mut Ui, room: Room, given: &mut Given<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(1.0, 2.0);
        ui.spacing_mut().button_padding = egui::vec2(5.0, 4.0);
        for &tab in room.tabs() {
            let chosen = given.desk.tab == tab && (room != Room::Tall || given.desk.sheet);
            let response = ui.selectable_label(chosen, tab.name());
            given.desk.buttons.insert(tab.name().to_owned(), response.rect);
            if response.clicked() {
                given.desk.sheet = !(room == Room::Tall && chosen);
                given.desk.tab = tab;
            }
        }
    });
}

/// Shows what stands over everything: help, questions, reports.
pub fn windows(ctx: &egui::Context, given: &mut Given<'_>) {
    help::show(ctx, given);
    help::ask_role(ctx, given);
    help::report(ctx, given);
    browse::show(ctx, given);
}

/// A heading inside a panel.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).strong());
}

/// A line in smaller letters that gives way to the rest.
pub fn quiet(ui: &mut Ui, text: impl Into<String>) {
    let color = ui.visuals().text_color().gamma_multiply(0.7);
    ui.label(RichText::new(text.into()).small().color(color));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_every_shape_have_a_place_for_every_panel() {
        assert_eq!(Room::of(egui::vec2(1280.0, 720.0)), Room::Wide);
        assert_eq!(Room::of(egui::vec2(800.0, 600.0)), Room::Middle);
        assert_eq!(Room::of(egui::vec2(390.0, 844.0)), Room::Tall);
        assert!(Room::Tall.tabs().contains(&Tab::Scenes));
    }
}
