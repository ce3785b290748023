//! `pliant list`: scenes, solvers, elements and materials, one line each.

use std::path::PathBuf;

use pliant::elements::registry;
use pliant::material::{Fabric, Solid, Thread};
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST};
use pliant_io::scene_file;
use serde_json::json;

use crate::args::{Kind, ListArgs};
use crate::failure::Failure;
use crate::sinks::make_folder;
use crate::source::nearest;
use crate::ui::Ui;

/// `pliant list`.
pub fn list(args: &ListArgs, ui: Ui) -> Result<(), Failure> {
    if let Some(name) = &args.write {
        if args.what != Kind::Scenes {
            return Err(Failure::input(
                "--write goes with scenes: pliant list scenes --write NAME",
            ));
        }
        return write(name, args, ui);
    }
    let lines: Vec<(String, String)> = match args.what {
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
