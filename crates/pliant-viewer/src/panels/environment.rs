//! Effects on all bodies: gravity, wind, and thrown balls.

use egui::{Slider, Ui};
use pliant_session::Command;

use super::number::{self, NumberField};
use super::{PanelContext, caption, heading};
use crate::action::UiRequest;

/// Gravity on the Earth \[m/s²\].
const EARTH_GRAVITY: f64 = 9.81;

/// Shows the panel.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    gravity(ui, context);
    ui.separator();
    wind(ui, context);
    ui.separator();
    heading(ui, "Ball");
    let ball = &mut context.pointer.ball;
    number::grid(ui, "ball", |ui| {
        ui.spacing_mut().slider_width = (ui.available_width() - 160.0).clamp(60.0, 220.0);
        ui.label("Radius");
        let size = context.view.camera.scene_size;
        let mut radius = ball.radius * size;
        ui.add(Slider::new(&mut radius, 0.01 * size..=0.2 * size).suffix(" m").max_decimals(3));
        ball.radius = radius / size.max(1e-6);
        ui.end_row();
        ui.label("Speed");
        ui.add(Slider::new(&mut ball.speed, 0.5..=20.0).suffix(" m/s").max_decimals(1));
        ui.end_row();
        ui.label("Density");
        ui.add(Slider::new(&mut ball.density, 20.0..=8000.0).logarithmic(true).suffix(" kg/m³"));
        ui.end_row();
    });
    caption(ui, "Select the Ball tool and click the target.");
}

fn gravity(ui: &mut Ui, context: &mut PanelContext<'_>) {
    heading(ui, "Gravity");
    let g = context.client.settings.gravity;
    number::grid(ui, "gravity", |ui| {
        let down = NumberField {
            id: "gravity",
            label: "Downward",
            tip: "",
            unit: "m/s²",
            value: -g[1],
            range: [-5.0, 25.0],
            logarithmic: false,
            is_integer: false,
        };
        if let Some(value) = number::show(ui, &mut context.ui_state.pending_edits, &down) {
            context.requests.push(UiRequest::Send(Command::Gravity { g: [g[0], -value, g[2]] }));
        }
        ui.end_row();
    });
    ui.horizontal_wrapped(|ui| {
        for (name, down) in
            [("none", 0.0), ("Moon", 1.62), ("Earth", EARTH_GRAVITY), ("Jupiter", 24.8)]
        {
            if ui.button(name).on_hover_text(format!("{down} m/s²")).clicked() {
                context.requests.push(UiRequest::Send(Command::Gravity { g: [0.0, -down, 0.0] }));
            }
        }
    });
}

fn wind(ui: &mut Ui, context: &mut PanelContext<'_>) {
    heading(ui, "Wind");
    let settings = &context.client.settings;
    let [x, y, z] = settings.wind;
    let speed = (x * x + z * z).sqrt();
    if speed > 0.0 {
        context.ui_state.wind_angle = x.atan2(z).to_degrees();
    }
    // Without wind there is no direction, so that the last one is kept.
    let angle = context.ui_state.wind_angle;
    let one = |id, label, unit, value, range| NumberField {
        id,
        label,
        tip: "",
        unit,
        value,
        range,
        logarithmic: false,
        is_integer: false,
    };
    number::grid(ui, "wind", |ui| {
        let edits = &mut context.ui_state.pending_edits;
        let new_speed =
            number::show(ui, edits, &one("wind speed", "Speed", "m/s", speed, [0.0, 20.0]));
        ui.end_row();
        let turn = one("wind angle", "Direction", "°", angle, [-180.0, 180.0]);
        let new_angle = number::show(ui, edits, &turn);
        ui.end_row();
        let gust = one("gust", "Gusts", "", settings.gust, [0.0, 2.0]);
        let new_gust = number::show(ui, edits, &gust);
        ui.end_row();
        if new_speed.is_some() || new_angle.is_some() || new_gust.is_some() {
            let (speed, angle) = (new_speed.unwrap_or(speed), new_angle.unwrap_or(angle));
            context.ui_state.wind_angle = angle;
            let (sin, cos) = angle.to_radians().sin_cos();
            let velocity = [speed * sin, y, speed * cos];
            let gust = new_gust.unwrap_or(settings.gust);
            context.requests.push(UiRequest::Send(Command::Wind { velocity, gust }));
        }
    });
}
