//! `pliant list`: scenes, solvers, elements, materials and formats of files, one line each.

use std::path::PathBuf;

use pliant::compatibility_matrix;
use pliant::elements::registry;
use pliant::material::{Fabric, Solid, Thread};
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST, SettingInfo};
use pliant_io::{export, import, scene_file};
use pliant_scenes::describe::{DEFAULT_SOLVER, all_settings};
use serde_json::json;

use crate::args::{ListArgs, ListKind};
use crate::error::CliError;
use crate::sinks::{OWN_OUTPUTS, make_folder};
use crate::source::did_you_mean;
use crate::ui::Ui;

/// `pliant list`.
pub fn list(args: &ListArgs, ui: Ui) -> Result<(), CliError> {
    if args.matrix {
        print_matrix(ui);
        return Ok(());
    }
    let what = args.what.unwrap_or(ListKind::Scenes);
    if let Some(name) = &args.write {
        if what != ListKind::Scenes {
            return Err(CliError::invalid_input(
                "--write requires scenes: pliant list scenes --write NAME",
            ));
        }
        return write(name, args, ui);
    }
    let lines: Vec<(String, String)> = match what {
        ListKind::Scenes => {
            let of = |s: &pliant_scenes::BuiltInScene| (s.name.to_owned(), s.summary.to_owned());
            pliant_scenes::all().iter().map(of).collect()
        }
        ListKind::Solvers => {
            let of = |(n, s): &(&str, &str)| ((*n).to_owned(), (*s).to_owned());
            LIST.iter().chain(ACCELERATED).chain(INTEGRATED).map(of).collect()
        }
        ListKind::Settings => setting_lines(),
        ListKind::Elements => {
            registry().iter().map(|e| (e.name.to_owned(), e.summary.to_owned())).collect()
        }
        ListKind::Materials => materials(),
        ListKind::Formats => formats(),
    };
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, summary) in lines {
        if ui.json() {
            ui.print_json(&json!({ "name": name, "summary": summary }));
        } else {
            ui.print(format!("{name:width$}  {summary}"));
        }
    }
    Ok(())
}

/// Name of each setting of the solvers, with its meaning, values and solvers.
fn setting_lines() -> Vec<(String, String)> {
    let of = |(setting, solvers): (SettingInfo, Vec<&str>)| {
        // Variants have the settings of their solver.
        let bases: Vec<&str> = LIST.iter().map(|(name, _)| *name).collect();
        let base = bases.iter().filter(|name| solvers.contains(name)).copied().collect::<Vec<_>>();
        let names = if base.is_empty() { solvers } else { base };
        let names = if names.len() == bases.len() { "all".to_owned() } else { names.join(", ") };
        (setting.name.to_owned(), format!("{}: {} ({names})", setting.meaning, setting.values()))
    };
    all_settings().into_iter().map(of).collect()
}

/// Help of `--set`.
pub fn setting_help() -> String {
    let lines = setting_lines();
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = lines.iter().map(|(name, text)| format!("  {name:width$}  {text}"));
    let lines = lines.collect::<Vec<_>>().join("\n");
    format!("Setting of the solver, such as tolerance=1e-6; can be repeated:\n{lines}")
}

/// Help of `--solver`.
pub fn solver_help() -> String {
    let names = LIST.iter().chain(ACCELERATED).chain(INTEGRATED).map(|(name, _)| *name);
    let names = names.collect::<Vec<_>>().join(", ");
    format!("Solver; that of the scene by default, else {DEFAULT_SOLVER}. One of {names}")
}

/// Prints elements as rows and solvers as columns, with each distinct reason once below.
fn print_matrix(ui: Ui) {
    let pairs = compatibility_matrix();
    if ui.json() {
        for p in &pairs {
            ui.print_json(
                &json!({ "element": p.element, "solver": p.solver, "refusal": p.refusal }),
            );
        }
        return;
    }
    // A solver that supports almost no element gets no column; a line below lists its elements and the
    // reasons.
    let runs = |solver: &str| -> Vec<&str> {
        let run = pairs.iter().filter(|p| p.solver == solver && p.refusal.is_none());
        run.map(|p| p.element).collect()
    };
    let elements = pairs.len() / LIST.len();
    let names = || LIST.iter().map(|(name, _)| *name);
    let (general, special): (Vec<&str>, Vec<&str>) =
        names().partition(|solver| 2 * runs(solver).len() > elements);
    let width = pairs.iter().map(|p| p.element.len()).max().unwrap_or(0);
    ui.print(format!("{:width$}  {}", "", general.join("  ")));
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in pairs.chunks(LIST.len()) {
        let mut line = format!("{:width$}", row[0].element);
        for p in row.iter().filter(|p| general.contains(&p.solver)) {
            let mark = if p.refusal.is_some() { "–" } else { "yes" };
            line += &format!("  {mark:^w$}", w = p.solver.len());
            if p.refusal.is_some() {
                match reasons.iter_mut().find(|(solver, _)| *solver == p.solver) {
                    Some((_, elements)) => elements.push(p.element),
                    None => reasons.push((p.solver, vec![p.element])),
                }
            }
        }
        ui.print(line.trim_end());
    }
    let why = |solver: &str| {
        let first = pairs.iter().find(|p| p.solver == solver && p.refusal.is_some());
        first.and_then(|p| p.refusal.clone()).unwrap_or_default()
    };
    for solver in special {
        let own = runs(solver).join(" and ");
        ui.print(format!("\n{solver} supports only {own}:\n  {}", why(solver)));
    }
    for (solver, elements) in reasons {
        ui.print(format!(
            "\n{solver} does not support {}:\n  {}",
            elements.join(", "),
            why(solver)
        ));
    }
}

fn materials() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (name, m) in Fabric::presets() {
        let text =
            format!("fabric, {} kg/m², {} mm", m.density, round_six_decimals(1e3 * m.thickness));
        lines.push((name.to_owned(), text));
    }
    for (name, m) in Solid::presets() {
        let text = format!("solid, {} kg/m³, {:e} Pa, ν {}", m.density, m.young, m.poisson);
        lines.push((name.to_owned(), text));
    }
    for (name, m) in Thread::presets() {
        let text =
            format!("thread, {} kg/m³, {} mm thick", m.density, round_six_decimals(2e3 * m.radius));
        lines.push((name.to_owned(), text));
    }
    lines
}

/// Formats by their extensions: meshes that are read, animations and other outputs that are written.
fn formats() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for f in import::FORMATS {
        lines.push((f.extensions.join(", "), format!("read: {}: {}", f.name, f.content)));
    }
    for f in export::FORMATS {
        let text = format!("write: {}, {}: {}; preserves {}", f.name, f.files, f.form, f.preserves);
        lines.push((f.extension.to_owned(), text));
    }
    for output in OWN_OUTPUTS {
        lines.push((output.extension.to_owned(), format!("write: {}", output.content)));
    }
    lines
}

/// Rounds to six decimal places, enough for a list.
pub fn round_six_decimals(x: f64) -> f64 {
    format!("{x:.6}").parse().unwrap_or(x)
}

fn write(name: &str, args: &ListArgs, ui: Ui) -> Result<(), CliError> {
    let Some(scene) = pliant_scenes::by_name(name) else {
        let names: Vec<&str> = pliant_scenes::all().iter().map(|s| s.name).collect();
        let near = did_you_mean(name, &names);
        return Err(CliError::invalid_input(format!("there is no scene \"{name}\"{near}")));
    };
    let size = args.size.unwrap_or(scene.default_size);
    let text = scene_file::write(&scene.describe(size)).map_err(CliError::failed)?;
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.toml", scene.name)));
    if path.as_os_str() == "-" {
        ui.print(text.trim_end());
        return Ok(());
    }
    make_folder(&path)?;
    if path.exists() {
        let problem = "already exists; remove it or use another name (--out)";
        return Err(CliError::invalid_input(format!("{} {problem}", path.display())));
    }
    std::fs::write(&path, text)
        .map_err(|e| CliError::failed(format!("{}: {e}; check the path", path.display())))?;
    ui.info(format!("wrote {}; run it with: pliant run {0}", path.display()));
    Ok(())
}
