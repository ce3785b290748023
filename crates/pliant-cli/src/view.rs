//! `pliant view`: the interactive window.

use std::path::{Path, PathBuf};

use pliant_viewer::{GivenFile, Options, Start};

use crate::args::ViewArgs;
use crate::failure::Failure;
use crate::ui::Ui;

/// `pliant view`: opens the window, and returns when it is closed.
pub fn view(args: &ViewArgs, ui: Ui) -> Result<(), Failure> {
    let mut start = match &args.scene {
        None => Start::first(),
        Some(scene) => begin(scene, args.size)?,
    };
    if let Some(solver) = &args.solver {
        start = start.under(solver);
    }
    let picture = args.picture.clone().map(|path| (path, args.after));
    ui.say("drag with the left button, turn with the right, zoom with the wheel; ? shows the rest");
    let folder = PathBuf::from("out");
    pliant_viewer::run(Options { start, size: args.window, folder, picture }).map_err(Failure::run)
}

/// A built-in scene by its name, a file (a scene, a mesh, a saved state), or a link to a page.
fn begin(scene: &str, size: Option<usize>) -> Result<Start, Failure> {
    if let Some(known) = pliant_scenes::by_name(scene)
        && !scene.contains(['.', '/', '\\'])
    {
        return Ok(Start::scene(known.name, size.map(|n| n as u32)));
    }
    let path = Path::new(scene);
    if !path.exists()
        && let Some((_, fragment)) = scene.split_once('#')
    {
        return Start::from_fragment(fragment).map_err(Failure::input);
    }
    if !path.exists() {
        let words =
            format!("{scene}: no file and no scene of that name (see `pliant list scenes`)");
        return Err(Failure::input(words));
    }
    Ok(Start::file(GivenFile::read(path).map_err(Failure::input)?))
}
