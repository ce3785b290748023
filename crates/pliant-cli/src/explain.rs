//! `pliant explain`: the parameters of a material, their units and sources.

use pliant::material::{Fabric, Solid, Thread};

use crate::args::ExplainArgs;
use crate::error::CliError;
use crate::list::round_six_decimals;
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
            "{name}, a fabric\n\
             \x20 density    {} kg/m²   mass per area\n\
             \x20 young      {:e} Pa    Young's modulus: resistance to stretching\n\
             \x20 poisson    {}         Poisson's ratio: lateral contraction per elongation\n\
             \x20 thickness  {} mm\n\
             \x20 bending    {} N m   bending stiffness\n\
             \x20 A strip of 1 m × 1 m stretches by {} % under 1 kg.\n\
             \x20 Source: {}",
            round_six_decimals(m.density),
            m.young,
            m.poisson,
            round_six_decimals(1e3 * m.thickness),
            scientific(m.bending),
            round_six_decimals(100.0 * 9.81 / (m.young * m.thickness)),
            Fabric::source(name).unwrap_or("none")
        ));
    }
    for (name, m) in Solid::presets().into_iter().filter(|(n, _)| *n == wanted) {
        parts.push(format!(
            "{name}, a solid\n\
             \x20 density    {} kg/m³   mass per volume\n\
             \x20 young      {:e} Pa    Young's modulus: resistance to stretching\n\
             \x20 poisson    {}         Poisson's ratio: lateral contraction per elongation (0.5: incompressible)\n\
             \x20 A cube of 10 cm is compressed by {} % under 1 kg.\n\
             \x20 Source: {}",
            m.density,
            m.young,
            m.poisson,
            round_six_decimals(100.0 * 9.81 / (m.young * 0.01)),
            Solid::source(name).unwrap_or("none")
        ));
    }
    for (name, m) in Thread::presets().into_iter().filter(|(n, _)| *n == wanted) {
        parts.push(format!(
            "{name}, a thread\n\
             \x20 density    {} kg/m³   mass per volume\n\
             \x20 young      {:e} Pa    Young's modulus: resistance to stretching\n\
             \x20 radius     {} mm\n\
             \x20 It stretches by {} % under 100 g.\n\
             \x20 Source: {}",
            m.density,
            m.young,
            round_six_decimals(1e3 * m.radius),
            round_six_decimals(100.0 * 0.981 / m.strain_weight()),
            Thread::source(name).unwrap_or("none")
        ));
    }
    if parts.is_empty() {
        let mut names: Vec<&str> = Vec::new();
        for name in Fabric::presets()
            .map(|p| p.0)
            .into_iter()
            .chain(Solid::presets().map(|p| p.0))
            .chain(Thread::presets().map(|p| p.0))
        {
            // Some materials exist as a cloth and as a solid.
            if !names.contains(&name) {
                names.push(name);
            }
        }
        return Err(CliError::invalid_input(format!(
            "there is no material \"{}\"{}; use one of {}",
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
