//! `pliant list`: scenes, solvers, elements and materials, one line each.

use std::path::PathBuf;

use pliant::elements::registry;
use pliant::material::{Fabric, Solid, Thread};
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST};
use pliant::support_matrix;
use pliant_io::scene_file;
use serde_json::json;

use crate::args::{Kind, ListArgs};
use crate::failure::Failure;
use crate::sinks::make_folder;
use crate::source::nearest;
use crate::ui::Ui;

/// `pliant list`.
pub fn list(args: &ListArgs, ui: Ui) -> Result<(), Failure> {
    if args.matrix {
        matrix(ui);
        return Ok(());
    }
    let what = args.what.unwrap_or(Kind::Scenes);
    if let Some(name) = &args.write {
        if what != Kind::Scenes {
            return Err(Failure::input(
                "--write goes with scenes: pliant list scenes --write NAME",
            ));
        }
        return write(name, args, ui);
    }
    let lines: Vec<(String, String)> = match what {
        Kind::Scenes => {
            let of = |s: &pliant_scenes::Scene| (s.name.to_owned(), s.summary.to_owned());
            pliant_scenes::all().iter().map(of).collect()
        }
        Kind::Solvers => {
            let of = |(n, s): &(&str, &str)| ((*n).to_owned(), (*s).to_owned());
            LIST.iter().chain(ACCELERATED).chain(INTEGRATED).map(of).collect()
        }
        Kind::Elements => {
            registry().iter().map(|e| (e.name.to_owned(), e.summary.to_owned())).collect()
        }
        Kind::Materials => materials(),
    };
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, summary) in lines {
        if ui.json() {
            ui.record(&json!({ "name": name, "summary": summary }));
        } else {
            ui.result(format!("{name:width$}  {summary}"));
        }
    }
    Ok(())
}

/// Elements down, solvers across; reasons below, each once.
fn matrix(ui: Ui) {
    let pairs = support_matrix();
    if ui.json() {
        for p in &pairs {
            ui.record(&json!({ "element": p.element, "solver": p.solver, "refusal": p.refusal }));
        }
        return;
    }
    // A solver that runs next to nothing is no column: its line below says what it runs, and why.
    let runs = |solver: &str| -> Vec<&str> {
        let run = pairs.iter().filter(|p| p.solver == solver && p.refusal.is_none());
        run.map(|p| p.element).collect()
    };
    let elements = pairs.len() / LIST.len();
    let names = || LIST.iter().map(|(name, _)| *name);
    let (general, special): (Vec<&str>, Vec<&str>) =
        names().partition(|solver| 2 * runs(solver).len() > elements);
    let width = pairs.iter().map(|p| p.element.len()).max().unwrap_or(0);
    ui.result(format!("{:width$}  {}", "", general.join("  ")));
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
        ui.result(line.trim_end());
    }
    let why = |solver: &str| {
        let first = pairs.iter().find(|p| p.solver == solver && p.refusal.is_some());
        first.and_then(|p| p.refusal.clone()).unwrap_or_default()
    };
    for solver in special {
        let own = runs(solver).join(" and ");
        ui.result(format!("\n{solver} is made for {own} alone:\n  {}", why(solver)));
    }
    for (solver, elements) in reasons {
        ui.result(format!("\n{solver} does not run {}:\n  {}", elements.join(", "), why(solver)));
    }
}

fn materials() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (name, m) in Fabric::presets() {
        let text = format!("fabric, {} kg/m², {} mm", m.density, round(1e3 * m.thickness));
        lines.push((name.to_owned(), text));
    }
    for (name, m) in Solid::presets() {
        let text = format!("solid, {} kg/m³, {:e} Pa, ν {}", m.density, m.young, m.poisson);
        lines.push((name.to_owned(), text));
    }
    for (name, m) in Thread::presets() {
        let text = format!("thread, {} kg/m³, {} mm thick", m.density, round(2e3 * m.radius));
        lines.push((name.to_owned(), text));
    }
    lines
}

/// Six digits are enough for a list.
pub fn round(x: f64) -> f64 {
    format!("{x:.6}").parse().unwrap_or(x)
}

fn write(name: &str, args: &ListArgs, ui: Ui) -> Result<(), Failure> {
    let Some(scene) = pliant_scenes::by_name(name) else {
        let names: Vec<&str> = pliant_scenes::all().iter().map(|s| s.name).collect();
        let near = nearest(name, &names);
        return Err(Failure::input(format!("there is no scene \"{name}\"{near}")));
    };
    let size = args.size.unwrap_or(scene.default_size);
    let text = scene_file::write(&scene.describe(size)).map_err(Failure::run)?;
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.toml", scene.name)));
    if path.as_os_str() == "-" {
        ui.result(text.trim_end());
        return Ok(());
    }
    make_folder(&path)?;
    if path.exists() {
        let problem = "is there already; remove it or give another name with --out";
        return Err(Failure::input(format!("{} {problem}", path.display())));
    }
    std::fs::write(&path, text)
        .map_err(|e| Failure::run(format!("{}: {e}; check the path", path.display())))?;
    ui.say(format!("wrote {}; run it with: pliant run {0}", path.display()));
    Ok(())
}
