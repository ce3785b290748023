//! `pliant check`: contents and defects of a mesh or scene file, in words.

use std::path::Path;
use std::process::ExitCode;

use pliant::mesh::MeshReport;
use pliant_io::import::{self, Imported};
use pliant_io::{repair, scene_file};
use serde_json::json;

use crate::args::CheckArgs;
use crate::error::CliError;
use crate::sinks::extension;
use crate::ui::Ui;

/// `pliant check`: returns exit code 0 if every file can be used.
pub fn check(args: &CheckArgs, ui: Ui) -> Result<ExitCode, CliError> {
    let mut usable = true;
    for path in &args.files {
        let found = if extension(path) == "toml" { scene(path) } else { mesh(path) };
        let (good, text) = match found {
            Ok(text) => (true, text),
            Err(text) => (false, text),
        };
        usable &= good;
        let file = path.display().to_string();
        if ui.json() {
            ui.print_json(&json!({ "file": file, "usable": good, "report": text }));
        } else if good {
            ui.print(format!("{file}\n{text}"));
        } else {
            ui.print(format!("{file}\n  invalid: {text}"));
        }
    }
    Ok(ExitCode::from(if usable { 0 } else { 2 }))
}

fn scene(path: &Path) -> Result<String, String> {
    let file = scene_file::read(path).map_err(|e| e.to_string())?;
    let built = file.build().map_err(|e| e.to_string())?;
    let mut text = format!(
        "  scene: {} bodies, {} vertices, {} pinned",
        built.model.bodies().len(),
        built.model.len(),
        built.model.pins().len()
    );
    for elements in built.model.elements() {
        text += &format!("\n  {} × {}", elements.len(), elements.name());
    }
    for note in built.notes {
        text += &format!("\n  {note}");
    }
    Ok(text)
}

fn mesh(path: &Path) -> Result<String, String> {
    let options = repair::Options::default();
    match import::read(path).map_err(|e| e.to_string())? {
        Imported::Surfaces(surfaces) => {
            let mut parts = Vec::new();
            for surface in &surfaces {
                let name = if surface.name.is_empty() { "(unnamed)" } else { &surface.name };
                let (mesh, repaired) =
                    repair::cloth(surface, &options).map_err(|e| format!("{name}: {e}"))?;
                let uvs = if surface.uvs.is_some() { "with UVs" } else { "no UVs" };
                parts.push(format!(
                    "  {name}: {} vertices, {} triangles, {uvs}, {} groups\n  {repaired}\n{}",
                    surface.positions.len(),
                    surface.triangles.len(),
                    surface.groups.len(),
                    indented(&mesh.report())
                ));
            }
            Ok(parts.join("\n"))
        }
        Imported::Volume(volume) => {
            let (mesh, repaired) = repair::solid(&volume, &options).map_err(|e| e.to_string())?;
            Ok(format!(
                "  {} vertices, {} tets\n  {repaired}\n{}",
                volume.positions.len(),
                volume.tets.len(),
                indented(&mesh.report())
            ))
        }
    }
}

fn indented(report: &MeshReport) -> String {
    let lines = report.to_string();
    lines.lines().map(|l| format!("  {l}")).collect::<Vec<_>>().join("\n")
}
