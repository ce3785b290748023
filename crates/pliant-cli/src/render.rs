//! `pliant render`: draws a cache or a scene, without a GPU.

use std::path::Path;

use pliant::prelude::*;
use pliant_io::cache::{CacheFrame, CacheReader};
use pliant_io::skin::SkinShape;

use crate::args::{PrecisionArg, RenderArgs, SceneArgs};
use crate::error::CliError;
use crate::film::{Frame, FrameRenderer, evenly_spaced};
use crate::run::{capture_frame, create_simulation};
use crate::sinks::{extension, make_folder};
use crate::source;
use crate::ui::Ui;

/// Frames per second of an animated GIF.
const FILM_FPS: f64 = 25.0;
/// Pictures on a contact sheet.
const SHEET_FRAMES: usize = 6;

/// Frames and shapes to draw.
struct Animation {
    title: String,
    shapes: Vec<SkinShape>,
    frames: Vec<Frame>,
    fps: f64,
}

/// `pliant render`.
pub fn render(args: &RenderArgs, ui: Ui) -> Result<(), CliError> {
    for path in &args.out {
        if !["png", "gif"].contains(&extension(path).as_str()) {
            let problem = "unsupported extension; use png or gif";
            return Err(CliError::invalid_input(format!("{}: {problem}", path.display())));
        }
    }
    let sane = |n: usize| (16..=8192).contains(&n);
    if !sane(args.width) || !sane(args.height) {
        return Err(CliError::invalid_input("--width and --height must be from 16 to 8192 pixels"));
    }
    let animation = if extension(Path::new(&args.source)) == "plc" {
        if args.size.is_some() {
            return Err(CliError::invalid_input(
                "--size applies to built-in scenes only, not to caches",
            ));
        }
        from_cache(args)?
    } else {
        match args.solver.precision {
            PrecisionArg::F32 => from_scene::<f32>(args, ui)?,
            PrecisionArg::F64 => from_scene::<f64>(args, ui)?,
        }
    };
    for path in &args.out {
        make_folder(path)?;
        draw(&animation, args, path)?;
        ui.info(format!("wrote {}", path.display()));
    }
    Ok(())
}

fn draw(animation: &Animation, args: &RenderArgs, path: &Path) -> Result<(), CliError> {
    let size = [args.width, args.height];
    let frames = &animation.frames;
    let only: Vec<Frame> =
        frames.iter().filter(|f| args.frame == Some(f.number)).cloned().collect();
    let film = extension(path) == "gif";
    let few: Vec<Frame> =
        evenly_spaced(frames.len(), SHEET_FRAMES).into_iter().map(|i| frames[i].clone()).collect();
    // A picture is framed by what it shows; a sheet is then the same as that of a run.
    let seen = match args.frame {
        _ if film => frames,
        Some(_) => &only,
        None => &few,
    };
    let mut camera = FrameRenderer::new(&animation.shapes, seen, size);
    if film {
        return camera.film(path, frames, animation.fps);
    }
    let picture = match args.frame {
        Some(number) => match frames.iter().find(|f| f.number == number) {
            Some(frame) => camera.draw(frame),
            None => {
                let last = frames.last().map_or(0, |f| f.number);
                let problem = format!("there is no frame {number}; the last frame is {last}");
                return Err(CliError::invalid_input(problem));
            }
        },
        None => camera.sheet(&animation.title, &few),
    };
    picture.save_png(path).map_err(CliError::failed)
}

/// Frame stride: of an animated GIF, such that players support its rate.
fn stride(fps: f64, args: &RenderArgs) -> usize {
    let film = args.out.iter().any(|path| extension(path) == "gif");
    if film && args.frame.is_none() { (fps / FILM_FPS).round().max(1.0) as usize } else { 1 }
}

fn from_cache(args: &RenderArgs) -> Result<Animation, CliError> {
    let mut cache = CacheReader::open(&args.source).map_err(CliError::invalid_input)?;
    let header = cache.header().clone();
    let stride = stride(header.fps, args);
    let mut frames = Vec::new();
    for number in (0..cache.frames()).step_by(stride) {
        let CacheFrame { time, bodies } = cache.frame(number).map_err(CliError::failed)?;
        frames.push(Frame { number: number as usize, time, bodies });
    }
    let title = Path::new(&args.source).file_stem().and_then(|s| s.to_str()).unwrap_or("run");
    let fps = header.fps / stride as f64;
    Ok(Animation { title: title.to_owned(), shapes: header.shapes, frames, fps })
}

fn from_scene<S: Precision>(args: &RenderArgs, ui: Ui) -> Result<Animation, CliError> {
    let scene = SceneArgs { scene: args.source.clone(), size: args.size };
    let source = source::open(&scene, ui)?;
    let (name, steps) = (source.name.clone(), source.frames(&args.solver));
    let steps = args.frame.unwrap_or(steps);
    let (mut sim, skins) = create_simulation::<S>(source, &args.solver)?;
    let fps = 1.0 / sim.time_step();
    let stride = stride(fps, args);
    let mut frames = vec![capture_frame(&sim, &skins, 0)];
    let progress = ui.progress(steps, 0);
    for number in 1..=steps {
        sim.step();
        if number % stride == 0 {
            frames.push(capture_frame(&sim, &skins, number));
        }
        progress.update(number, String::new());
    }
    let title = format!("{name}   {}", sim.solver().name());
    let shapes = skins.into_iter().map(|s| s.shape).collect();
    Ok(Animation { title, shapes, frames, fps: fps / stride as f64 })
}
