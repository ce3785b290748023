//! Panels around the picture, one file each. A panel shows the client state and adds [`UiRequest`]s; it
//! changes only how things are shown.
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
pub mod environment;
pub mod files;
pub mod gallery;
pub mod help;
mod icon;
pub mod layers;
pub mod layout;
pub mod material;
pub mod number;
pub mod overlay;
pub mod plot;
pub mod solver;
pub mod toolbar;

use std::collections::BTreeMap;

use egui::{RichText, Ui};

pub use browse::FileBrowser;

use crate::action::UiRequest;
use crate::client_state::ClientState;
use crate::platform::UserFile;
use crate::pointer::Pointer;
use crate::view::View;

/// Tab of the side panel.
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
    Environment,
    /// Layers.
    View,
    /// A/B.
    Compare,
    /// Files.
    File,
    /// Curves, if they have no area of their own.
    Curves,
}

impl Tab {
    /// Name of the tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scenes => "Scenes",
            Self::Solver => "Solver",
            Self::Material => "Material",
            Self::Environment => "World",
            Self::View => "View",
            Self::Compare => "A/B",
            Self::File => "File",
            Self::Curves => "Curves",
        }
    }
}

/// Layout for the available space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutMode {
    /// Gallery beside the view.
    Wide,
    /// One panel beside the view.
    Medium,
    /// One panel below the view.
    Tall,
}

impl LayoutMode {
    /// Layout for a window of this size, in points.
    pub fn for_size(size: egui::Vec2) -> Self {
        if size.x >= 1080.0 && size.y >= 480.0 {
            Self::Wide
        } else if size.x >= 640.0 {
            Self::Medium
        } else {
            Self::Tall
        }
    }

    /// Tabs of this layout.
    pub fn tabs(self) -> &'static [Tab] {
        const WIDE: &[Tab] =
            &[Tab::Solver, Tab::Material, Tab::Environment, Tab::View, Tab::Compare, Tab::File];
        const ALL: &[Tab] = &[
            Tab::Scenes,
            Tab::Solver,
            Tab::Material,
            Tab::Environment,
            Tab::View,
            Tab::Compare,
            Tab::File,
            Tab::Curves,
        ];
        if self == Self::Wide { WIDE } else { ALL }
    }
}

/// State of the panels.
pub struct UiState {
    /// Selected tab.
    pub tab: Tab,
    /// True if panels are shown.
    pub panels_open: bool,
    /// True if the sheet of a tall window is open.
    pub sheet_open: bool,
    /// True if the help is shown.
    pub help_open: bool,
    /// True if the import report of a mesh is shown.
    pub report_open: bool,
    /// File browser, if it is open.
    pub browser: Option<FileBrowser>,
    /// Number of threads of a step.
    pub threads: u32,
    /// Mesh whose role is still to be chosen.
    pub pending_mesh: Option<UserFile>,
    /// Search text of the gallery.
    pub search: String,
    /// Selected second solver.
    pub second_solver: String,
    /// Values being edited that are not sent yet.
    pub pending_edits: BTreeMap<String, f64>,
    /// Thumbnails of the gallery.
    pub thumbnails: Option<egui::TextureHandle>,
    /// Direction of the wind, from z toward x \[°\], kept without wind.
    pub wind_angle: f64,
    /// Link to be copied.
    pub link_to_copy: Option<String>,
    /// Rectangles of the buttons in the last frame, by name.
    pub button_rects: BTreeMap<String, egui::Rect>,
}

impl Default for UiState {
    fn default() -> Self {
        Self {
            tab: Tab::Solver,
            panels_open: true,
            sheet_open: false,
            help_open: false,
            report_open: false,
            browser: None,
            threads: 1,
            pending_mesh: None,
            search: String::new(),
            second_solver: "xpbd".to_owned(),
            pending_edits: BTreeMap::new(),
            thumbnails: None,
            wind_angle: 0.0,
            link_to_copy: None,
            button_rects: BTreeMap::new(),
        }
    }
}

/// Context of every panel.
pub struct PanelContext<'a> {
    /// State of the simulation.
    pub client: &'a ClientState,
    /// View settings.
    pub view: &'a mut View,
    /// Pointer state.
    pub pointer: &'a mut Pointer,
    /// State of the panels.
    pub ui_state: &'a mut UiState,
    /// Frames per second.
    pub fps: f32,
    /// Requests of the panels.
    pub requests: Vec<UiRequest>,
}

/// Shows a tab.
pub fn show(tab: Tab, ui: &mut Ui, context: &mut PanelContext<'_>) {
    match tab {
        Tab::Scenes => gallery::show(ui, context),
        Tab::Solver => solver::show(ui, context),
        Tab::Material => material::show(ui, context),
        Tab::Environment => environment::show(ui, context),
        Tab::View => layers::show(ui, context),
        Tab::Compare => compare::show(ui, context),
        Tab::File => files::show(ui, context),
        Tab::Curves => curves::show(ui, context),
    }
}

/// Tabs of a layout, as buttons in a row.
pub fn tabs(ui: &mut Ui, mode: LayoutMode, context: &mut PanelContext<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(1.0, 2.0);
        ui.spacing_mut().button_padding = egui::vec2(5.0, 4.0);
        for &tab in mode.tabs() {
            let chosen = context.ui_state.tab == tab
                && (mode != LayoutMode::Tall || context.ui_state.sheet_open);
            let response = ui.selectable_label(chosen, tab.name());
            context.ui_state.button_rects.insert(tab.name().to_owned(), response.rect);
            if response.clicked() {
                context.ui_state.sheet_open = !(mode == LayoutMode::Tall && chosen);
                context.ui_state.tab = tab;
            }
        }
    });
}

/// Shows windows above everything: help, dialogs, reports.
pub fn windows(ctx: &egui::Context, context: &mut PanelContext<'_>) {
    help::show(ctx, context);
    help::ask_role(ctx, context);
    help::report(ctx, context);
    browse::show(ctx, context);
}

/// Heading inside a panel.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).strong());
}

/// Small, dimmed line of text.
pub fn caption(ui: &mut Ui, text: impl Into<String>) {
    let color = ui.visuals().text_color().gamma_multiply(0.7);
    ui.label(RichText::new(text.into()).small().color(color));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_every_shape_have_a_place_for_every_panel() {
        assert_eq!(LayoutMode::for_size(egui::vec2(1280.0, 720.0)), LayoutMode::Wide);
        assert_eq!(LayoutMode::for_size(egui::vec2(800.0, 600.0)), LayoutMode::Medium);
        assert_eq!(LayoutMode::for_size(egui::vec2(390.0, 844.0)), LayoutMode::Tall);
        assert!(LayoutMode::Tall.tabs().contains(&Tab::Scenes));
    }
}
