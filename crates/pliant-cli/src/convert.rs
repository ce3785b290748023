//! `pliant convert`: converts a cache to an animation, or a mesh to another mesh format.

use pliant_io::cache::{CacheFrame, CacheReader};
use pliant_io::import::{self, Imported};
use pliant_io::skin::SkinShape;
use pliant_io::surface::Surface;

use crate::args::ConvertArgs;
use crate::error::CliError;
use crate::film::Frame;
use crate::sinks::{self, OutputOptions, Sinks, extension};
use crate::ui::Ui;

/// `pliant convert`.
pub fn convert(args: &ConvertArgs, ui: Ui) -> Result<(), CliError> {
    sinks::check_extension(&args.to, false)?;
    let written = if extension(&args.from) == "plc" { animation(args)? } else { mesh(args)? };
    for path in written {
        ui.info(format!("wrote {}", path.display()));
    }
    Ok(())
}

fn animation(args: &ConvertArgs) -> Result<Vec<std::path::PathBuf>, CliError> {
    let mut cache = CacheReader::open(&args.from).map_err(CliError::invalid_input)?;
    let header = cache.header().clone();
    let title = args.from.file_stem().and_then(|s| s.to_str()).unwrap_or("run");
    let steps = (cache.frames() as usize).saturating_sub(1);
    let paths = [args.to.clone()];
    let options =
        OutputOptions { colliders: !args.no_colliders, ..OutputOptions::all(steps, header.fps) };
    let mut sinks = Sinks::open(title, &paths, &header.shapes, options)?;
    for number in 0..cache.frames() {
        let CacheFrame { time, bodies } = cache.frame(number).map_err(CliError::failed)?;
        sinks.frame(&Frame { number: number as usize, time, bodies }, None)?;
    }
    sinks.finish()
}

/// Converts a mesh, as an animation of one frame.
fn mesh(args: &ConvertArgs) -> Result<Vec<std::path::PathBuf>, CliError> {
    let surfaces = match import::read(&args.from).map_err(CliError::invalid_input)? {
        Imported::Surfaces(surfaces) => surfaces,
        Imported::Volume(volume) => {
            let options = pliant_io::repair::Options::default();
            let (solid, _) =
                pliant_io::repair::solid(&volume, &options).map_err(CliError::invalid_input)?;
            let (mesh, _) = solid.surface_mesh();
            let (positions, triangles) = (mesh.positions, mesh.triangles);
            vec![Surface { name: volume.name, positions, triangles, ..Surface::default() }]
        }
    };
    let single = |s: &Surface| s.positions.iter().map(|p| p.map(|c| c as f32)).collect();
    let bodies: Vec<Vec<[f32; 3]>> = surfaces.iter().map(single).collect();
    let shapes: Vec<SkinShape> = surfaces.into_iter().map(SkinShape::Surface).collect();
    let title = args.from.file_stem().and_then(|s| s.to_str()).unwrap_or("mesh");
    let mut sinks =
        Sinks::open(title, std::slice::from_ref(&args.to), &shapes, OutputOptions::all(0, 24.0))?;
    sinks.frame(&Frame { number: 0, time: 0.0, bodies }, None)?;
    sinks.finish()
}
