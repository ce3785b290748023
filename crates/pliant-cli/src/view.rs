//! `pliant view`: the interactive window.

use std::path::{Path, PathBuf};

use pliant_viewer::{LaunchOptions, UserFile, WindowOptions};

use crate::args::ViewArgs;
use crate::error::CliError;
use crate::ui::Ui;

/// `pliant view`: opens the window and returns once it is closed.
pub fn view(args: &ViewArgs, ui: Ui) -> Result<(), CliError> {
    let mut start = match &args.scene {
        None => LaunchOptions::default_scene(),
        Some(scene) => launch_options(scene, args.size)?,
    };
    if let Some(solver) = &args.solver {
        start = start.with_solver(solver);
    }
    let picture = args.picture.clone().map(|path| (path, args.after));
    ui.info("left drag: move bodies, right drag: rotate, wheel: zoom, ?: help");
    let folder = PathBuf::from("out");
    pliant_viewer::run(WindowOptions {
        launch: start,
        size: args.window,
        save_folder: folder,
        exit_screenshot: picture,
    })
    .map_err(CliError::failed)
}

/// Launch options for the name of a built-in scene, a file (scene, mesh or saved state), or a link to a
/// page.
fn launch_options(scene: &str, size: Option<usize>) -> Result<LaunchOptions, CliError> {
    if let Some(known) = pliant_scenes::by_name(scene)
        && !scene.contains(['.', '/', '\\'])
    {
        return Ok(LaunchOptions::scene(known.name, size.map(|n| n as u32)));
    }
    let path = Path::new(scene);
    if !path.exists()
        && let Some((_, fragment)) = scene.split_once('#')
    {
        return LaunchOptions::from_fragment(fragment).map_err(CliError::invalid_input);
    }
    if !path.exists() {
        let words =
            format!("{scene}: neither a file nor a built-in scene (see `pliant list scenes`)");
        return Err(CliError::invalid_input(words));
    }
    Ok(LaunchOptions::file(UserFile::read(path).map_err(CliError::invalid_input)?))
}
