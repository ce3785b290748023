//! Outputs of a run: exports, a cache, a report, pictures.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use pliant::StepReport;
use pliant_io::cache::{CacheHeader, CacheWriter};
use pliant_io::export::{self, Exporter, Timing, Track};
use pliant_io::skin::SkinShape;

use crate::error::CliError;
use crate::film::{Frame, FrameRenderer, evenly_spaced};

/// Frames per second of an animated GIF: players support little more.
const FILM_FPS: f64 = 25.0;
/// Pictures on a contact sheet.
const SHEET_FRAMES: usize = 6;
/// Size of a picture on a sheet and of an animated GIF \[pixels\].
const PICTURE_SIZE: [usize; 2] = [640, 400];

/// Header of the report's table.
const CSV_HEADER: &str = "frame,time_s,ms,iterations,residual_n,elastic_j,kinetic_j,potential_j,contacts_colliders,\
     contacts_pairs,deepest_m,stopped,unresolved,warnings";

/// One output for frames.
enum Sink {
    Export(Box<dyn Exporter>),
    Cache(PathBuf, CacheWriter),
    Report(PathBuf, BufWriter<File>),
    Sheet(PathBuf, Vec<Frame>),
    Film(PathBuf, Vec<Frame>),
}

/// Settings of the output.
#[derive(Clone, Copy, Debug)]
pub struct OutputOptions {
    /// Number of steps after the initial state.
    pub steps: usize,
    /// Frames per second \[1/s\].
    pub fps: f64,
    /// True if colliders are included.
    pub colliders: bool,
}

impl OutputOptions {
    /// Options that include everything, for `steps` steps at `fps` frames per second.
    pub fn all(steps: usize, fps: f64) -> Self {
        Self { steps, fps, colliders: true }
    }
}

/// All outputs of a run.
pub struct Sinks {
    list: Vec<Sink>,
    /// Shapes to output, and their indices among the shapes of a frame.
    shapes: Vec<SkinShape>,
    visible_shapes: Vec<usize>,
    /// Indices of the exported shapes: infinite planes are not exported.
    exported: Vec<usize>,
    title: String,
    /// Frames on the contact sheet.
    sheet_frames: Vec<usize>,
    /// Frame stride of the animated GIF.
    film_stride: usize,
    fps: f64,
}

/// Rejects file extensions without a writer, before anything is simulated.
pub fn check_extension(path: &Path) -> Result<(), CliError> {
    let extension = extension(path);
    let own = ["plc", "csv", "png", "gif"];
    if own.contains(&extension.as_str()) || export::EXTENSIONS.contains(&extension.as_str()) {
        return Ok(());
    }
    Err(CliError::invalid_input(format!(
        "{}: nothing is known that ends with \"{extension}\"; use one of {}, {}",
        path.display(),
        export::EXTENSIONS.join(", "),
        own.join(", ")
    )))
}

pub fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}

/// Creates the parent folder of a file.
pub fn make_folder(path: &Path) -> Result<(), CliError> {
    match path.parent() {
        Some(folder) if folder != Path::new("") => std::fs::create_dir_all(folder)
            .map_err(|e| CliError::failed(format!("{}: {e}; check the path", folder.display()))),
        _ => Ok(()),
    }
}

impl Sinks {
    /// Opens all files.
    pub fn open(
        title: &str,
        paths: &[PathBuf],
        shapes: &[SkinShape],
        options: OutputOptions,
    ) -> Result<Self, CliError> {
        let OutputOptions { steps, fps, colliders } = options;
        let all = 0..shapes.len();
        let shown_shapes: Vec<usize> =
            all.filter(|&k| colliders || shapes[k].collider_mesh().is_none()).collect();
        let shapes: Vec<SkinShape> = shown_shapes.iter().map(|&k| shapes[k].clone()).collect();
        let ends = |k: &usize| shapes[*k].collider_mesh().is_none_or(|p| !p.infinite);
        let exported: Vec<usize> = (0..shapes.len()).filter(ends).collect();
        let tracks: Vec<Track> = exported.iter().map(|&k| shapes[k].track()).collect();
        let mut list = Vec::new();
        for path in paths {
            make_folder(path)?;
            list.push(match extension(path).as_str() {
                "plc" => {
                    let header = CacheHeader { fps, shapes: shapes.clone() };
                    Sink::Cache(
                        path.clone(),
                        CacheWriter::create(path, header).map_err(CliError::failed)?,
                    )
                }
                "csv" => {
                    let file = File::create(path)
                        .map_err(|e| CliError::failed(format!("{}: {e}", path.display())))?;
                    let mut file = BufWriter::new(file);
                    writeln!(file, "{CSV_HEADER}").map_err(CliError::failed)?;
                    Sink::Report(path.clone(), file)
                }
                "png" => Sink::Sheet(path.clone(), Vec::new()),
                "gif" => Sink::Film(path.clone(), Vec::new()),
                _ => Sink::Export(
                    export::create(path, &tracks, Timing { fps }).map_err(CliError::failed)?,
                ),
            });
        }
        Ok(Self {
            list,
            shapes,
            visible_shapes: shown_shapes,
            exported,
            title: title.to_owned(),
            sheet_frames: evenly_spaced(steps + 1, SHEET_FRAMES),
            film_stride: (fps / FILM_FPS).round().max(1.0) as usize,
            fps,
        })
    }

    /// Passes a frame to all outputs; a frame from an earlier cache has no report.
    pub fn frame(&mut self, frame: &Frame, report: Option<&StepReport>) -> Result<(), CliError> {
        let bodies: Vec<&[[f32; 3]]> =
            self.visible_shapes.iter().map(|&k| frame.bodies[k].as_slice()).collect();
        let kept = || Frame {
            number: frame.number,
            time: frame.time,
            bodies: bodies.iter().map(|b| b.to_vec()).collect(),
        };
        for sink in &mut self.list {
            match sink {
                Sink::Export(export) => {
                    let exported: Vec<&[[f32; 3]]> =
                        self.exported.iter().map(|&k| bodies[k]).collect();
                    export.frame(frame.time, &exported).map_err(CliError::failed)?;
                }
                Sink::Cache(_, cache) => {
                    cache.frame(frame.time, &bodies).map_err(CliError::failed)?
                }
                Sink::Report(_, file) => {
                    if let Some(r) = report {
                        let ms = 1e3 * r.seconds.iter().sum::<f64>();
                        let texts: Vec<String> =
                            r.warnings.iter().map(|w| w.to_string().replace('"', "'")).collect();
                        writeln!(
                            file,
                            "{},{},{ms:.4},{},{:e},{:e},{:e},{:e},{},{},{:e},{},{},\"{}\"",
                            frame.number,
                            frame.time,
                            r.iterations,
                            r.residual,
                            r.elastic_energy,
                            r.kinetic_energy,
                            r.potential_energy,
                            r.contacts.colliders,
                            r.contacts.pairs,
                            r.contacts.max_penetration,
                            r.contacts.clamped_vertices,
                            r.contacts.unresolved_crossings,
                            texts.join("; ")
                        )
                        .map_err(CliError::failed)?;
                    }
                }
                Sink::Sheet(_, frames) => {
                    if self.sheet_frames.contains(&frame.number) {
                        frames.push(kept());
                    }
                }
                Sink::Film(_, frames) => {
                    if frame.number.is_multiple_of(self.film_stride) {
                        frames.push(kept());
                    }
                }
            }
        }
        Ok(())
    }

    /// Completes all files and returns their paths.
    pub fn finish(self) -> Result<Vec<PathBuf>, CliError> {
        let mut written = Vec::new();
        for sink in self.list {
            match sink {
                Sink::Export(export) => written.extend(export.finish().map_err(CliError::failed)?),
                Sink::Cache(path, mut cache) => {
                    cache.sync().map_err(CliError::failed)?;
                    written.push(path);
                }
                Sink::Report(path, mut file) => {
                    file.flush().map_err(CliError::failed)?;
                    written.push(path);
                }
                Sink::Sheet(path, frames) => {
                    let mut camera = FrameRenderer::new(&self.shapes, &frames, PICTURE_SIZE);
                    let sheet = camera.sheet(&self.title, &frames);
                    sheet.save_png(&path).map_err(CliError::failed)?;
                    written.push(path);
                }
                Sink::Film(path, frames) => {
                    let mut camera = FrameRenderer::new(&self.shapes, &frames, PICTURE_SIZE);
                    camera.film(&path, &frames, self.fps / self.film_stride as f64)?;
                    written.push(path);
                }
            }
        }
        Ok(written)
    }
}
