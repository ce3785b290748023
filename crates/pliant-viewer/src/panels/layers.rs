//! Display settings: layers, strain colours, light and dark mode.

use egui::{Slider, Ui};

use super::{PanelContext, heading};
use crate::action::{Action, Layer, UiRequest, key_of};

const LAYERS: [(Layer, &str); 7] = [
    (Layer::Surface, "Surfaces"),
    (Layer::Wire, "Wireframe"),
    (Layer::Strain, "Strain colours"),
    (Layer::Contacts, "Contacts"),
    (Layer::Normals, "Normals"),
    (Layer::Pins, "Pinned vertices"),
    (Layer::Grid, "Ground grid"),
];

/// Shows the panel.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    heading(ui, "Show");
    for (layer, name) in LAYERS {
        let key = key_of(Action::Toggle(layer));
        let text = if key.is_empty() { name.to_owned() } else { format!("{name}  ({key})") };
        ui.checkbox(context.view.layer_mut(layer), text);
    }
    ui.separator();
    heading(ui, "Strain range");
    let mut percent = 100.0 * context.view.strain_limit;
    let slider = Slider::new(&mut percent, 0.1..=100.0).logarithmic(true).suffix(" %");
    ui.add(slider.max_decimals(1));
    context.view.strain_limit = percent / 100.0;
    let [low, high] = context.client.frame.strain_range;
    super::caption(ui, format!("current strain: {:.1} % to {:.1} %", 100.0 * low, 100.0 * high));
    let largest = low.abs().max(high.abs());
    if ui.button("Fit to current strain").clicked() && largest > 0.0 {
        context.view.strain_limit = largest;
    }
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        if ui.button("Fit the view").clicked() {
            context.requests.push(UiRequest::Do(Action::Fit));
        }
        let name = if context.view.dark { "Light" } else { "Dark" };
        if ui.button(name).clicked() {
            context.requests.push(UiRequest::Do(Action::Theme));
        }
        if ui.button("Screenshot").clicked() {
            context.requests.push(UiRequest::Do(Action::Screenshot));
        }
    });
}
