//! Display settings: layers, strain colours, light and dark mode.

use egui::{Slider, Ui};

use super::{PanelContext, heading};
use crate::action::{Action, Layer, UiRequest, key_of};

const LAYERS: [(Layer, &str); 7] = [
    (Layer::Surface, "Surfaces"),
    (Layer::Wire, "Wireframe"),
    (Layer::Strain, "Strain as colour"),
    (Layer::Contacts, "Contacts"),
    (Layer::Normals, "Normals"),
    (Layer::Pins, "Pinned vertices"),
    (Layer::Grid, "Lines on the ground"),
];

/// Shows the panel.
pub fn show(ui: &mut Ui, given: &mut PanelContext<'_>) {
    heading(ui, "Show");
    for (layer, name) in LAYERS {
        let key = key_of(Action::Toggle(layer));
        let text = if key.is_empty() { name.to_owned() } else { format!("{name}  ({key})") };
        ui.checkbox(given.view.layer_mut(layer), text);
    }
    ui.separator();
    heading(ui, "Strain at the ends of the colours");
    let mut percent = 100.0 * given.view.strain_limit;
    let slider = Slider::new(&mut percent, 0.1..=100.0).logarithmic(true).suffix(" %");
    ui.add(slider.max_decimals(1));
    given.view.strain_limit = percent / 100.0;
    let [low, high] = given.client.frame.strain_range;
    super::caption(ui, format!("now from {:.1} % to {:.1} %", 100.0 * low, 100.0 * high));
    let largest = low.abs().max(high.abs());
    if ui.button("Fit to what is there").clicked() && largest > 0.0 {
        given.view.strain_limit = largest;
    }
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        if ui.button("Look at everything").clicked() {
            given.requests.push(UiRequest::Do(Action::Fit));
        }
        let name = if given.view.dark { "Light" } else { "Dark" };
        if ui.button(name).clicked() {
            given.requests.push(UiRequest::Do(Action::Theme));
        }
        if ui.button("Screenshot").clicked() {
            given.requests.push(UiRequest::Do(Action::Screenshot));
        }
    });
}
