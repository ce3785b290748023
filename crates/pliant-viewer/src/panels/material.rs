//! Materials of the bodies, in SI units.

use egui::{CollapsingHeader, Ui};
use pliant_session::Command;
use pliant_session::protocol::{Owner, Parameter};

use super::{PanelContext, caption, heading, number};
use crate::action::UiRequest;
use crate::panels::solver;

/// Shows the panel.
pub fn show(ui: &mut Ui, context: &mut PanelContext<'_>) {
    heading(ui, "Materials");
    let client = context.client;
    let parameters = &client.settings.parameters;
    let mut any = false;
    let count = parameters.iter().filter_map(owner).max().map_or(0, |b| b + 1);
    for body in 0..count {
        let mine: Vec<&Parameter> = parameters.iter().filter(|p| owner(p) == Some(body)).collect();
        if mine.is_empty() {
            continue;
        }
        any = true;
        let name = client.bodies().get(body as usize).map_or("", |b| b.name.as_str());
        let title = if name.is_empty() { format!("Body {}", body + 1) } else { name.to_owned() };
        CollapsingHeader::new(title).id_salt(body).default_open(body < 3).show(ui, |ui| {
            number::grid(ui, &format!("material {body}"), |ui| {
                for parameter in mine {
                    let chosen = number::show(
                        ui,
                        &mut context.ui_state.pending_edits,
                        &solver::number_field(parameter),
                    );
                    if let Some(value) = chosen {
                        let values = vec![(parameter.id.clone(), value)];
                        context.requests.push(UiRequest::Send(Command::Parameters { values }));
                    }
                    ui.end_row();
                }
            });
        });
    }
    if any {
        caption(ui, "Changes apply to the running simulation.");
    } else {
        caption(ui, "The bodies of this scene have no parameters.");
    }
}

fn owner(parameter: &Parameter) -> Option<u32> {
    match parameter.owner {
        Owner::Body(body) => Some(body),
        Owner::Solver => None,
    }
}
