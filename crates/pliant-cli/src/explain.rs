//! `pliant explain`: the parameters of a material, their units and sources.

use pliant::material::{Fabric, Solid, Thread};

use crate::args::ExplainArgs;
use crate::error::CliError;
use crate::list::round_six_digits;
use crate::source::did_you_mean;
use crate::ui::Ui;

/// Formats a number with three digits and a power of ten.
fn scientific(x: f64) -> String {
    format!("{x:.2e}")
}

/// `pliant explain`: prints every material of that name (rubber is a fabric and a solid).
pub fn explain(args: &ExplainArgs, ui: Ui) -> Result<(), CliError> {
    let wanted = args.material.replace('-', "_");
    let mut parts = Vec::new();
    for (name, m) in Fabric::presets().into_iter().filter(|(n, _)| *n == wanted) {
        parts.push(format!(
            "{name}, a fabric (a thin sheet)\n\
             \x20 density    {} kg/m²   mass per area\n\
             \x20 young      {:e} Pa    Young's modulus: how hard it is to stretch\n\
             \x20 poisson    {}         how much it narrows when stretched\n\
             \x20 thickness  {} mm\n\
             \x20 bending    {} N m   how hard it is to bend\n\
             \x20 A strip 1 m wide and 1 m long stretches by {} % under 1 kg.\n\
             \x20 Source: {}",
            round_six_digits(m.density),
            m.young,
            m.poisson,
            round_six_digits(1e3 * m.thickness),
            scientific(m.bending),
            round_six_digits(100.0 * 9.81 / (m.young * m.thickness)),
            Fabric::source(name).unwrap_or("none given")
        ));
    }
    for (name, m) in Solid::presets().into_iter().filter(|(n, _)| *n == wanted) {
        parts.push(format!(
            "{name}, a solid\n\
             \x20 density    {} kg/m³   mass per volume\n\
             \x20 young      {:e} Pa    Young's modulus: how hard it is to stretch\n\
             \x20 poisson    {}         how much it narrows when stretched (0.5: keeps its volume)\n\
             \x20 A cube of 10 cm is pressed flatter by {} % under 1 kg.\n\
             \x20 Source: {}",
            m.density,
            m.young,
            m.poisson,
            round_six_digits(100.0 * 9.81 / (m.young * 0.01)),
            Solid::source(name).unwrap_or("none given")
        ));
    }
    for (name, m) in Thread::presets().into_iter().filter(|(n, _)| *n == wanted) {
        parts.push(format!(
            "{name}, a thread\n\
             \x20 density    {} kg/m³   mass per volume\n\
             \x20 young      {:e} Pa    Young's modulus: how hard it is to stretch\n\
             \x20 radius     {} mm\n\
             \x20 It stretches by {} % under 100 g.\n\
             \x20 Source: {}",
            m.density,
            m.young,
            round_six_digits(1e3 * m.radius),
            round_six_digits(100.0 * 0.981 / m.strain_weight()),
            Thread::source(name).unwrap_or("none given")
        ));
    }
    if parts.is_empty() {
        let names: Vec<&str> = Fabric::presets()
            .map(|p| p.0)
            .into_iter()
            .chain(Solid::presets().map(|p| p.0))
            .chain(Thread::presets().map(|p| p.0))
            .collect();
        return Err(CliError::invalid_input(format!(
            "there is no material \"{}\"{}; choose one of {}",
            args.material,
            did_you_mean(&args.material, &names),
            names.join(", ")
        )));
    }
    if ui.json() {
        for part in parts {
            ui.print_json(&serde_json::json!({ "material": wanted, "text": part }));
        }
        return Ok(());
    }
    ui.print(parts.join("\n\n"));
    Ok(())
}
