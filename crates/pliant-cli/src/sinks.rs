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
     contacts_pairs,max_penetration_m,clamped_vertices,unresolved_crossings,warnings";

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

/// An output other than an animation.
pub struct OwnOutput {
    /// Extension of file names, in lower case and without the dot.
    pub extension: &'static str,
    /// Content of the file.
    pub content: &'static str,
    /// True if it takes the report of each step, which only a run has.
    needs_reports: bool,
    /// Opens the output.
    open: fn(&Path, &CacheHeader) -> Result<Sink, CliError>,
}

/// Outputs of the command itself; animations are exported in the formats of [`export::FORMATS`].
pub const OWN_OUTPUTS: &[OwnOutput] = &[
    OwnOutput {
        extension: "plc",
        content: "cache of the frames, for `pliant render` and `pliant convert`",
        needs_reports: false,
        open: |path, header| {
            let cache = CacheWriter::create(path, header.clone()).map_err(CliError::failed)?;
            Ok(Sink::Cache(path.to_owned(), cache))
        },
    },
    OwnOutput {
        extension: "csv",
        content: "report of each frame: times, energies, contacts, warnings",
        needs_reports: true,
        open: |path, _| {
            let file = File::create(path)
                .map_err(|e| CliError::failed(format!("{}: {e}", path.display())))?;
            let mut file = BufWriter::new(file);
            writeln!(file, "{CSV_HEADER}").map_err(CliError::failed)?;
            Ok(Sink::Report(path.to_owned(), file))
        },
    },
    OwnOutput {
        extension: "png",
        content: "sheet of six frames",
        needs_reports: false,
        open: |path, _| Ok(Sink::Sheet(path.to_owned(), Vec::new())),
    },
    OwnOutput {
        extension: "gif",
        content: "film",
        needs_reports: false,
        open: |path, _| Ok(Sink::Film(path.to_owned(), Vec::new())),
    },
];

/// Extensions of the outputs of a run, or of those that frames alone suffice for, as messages and the help list them.
pub fn output_extensions(has_reports: bool) -> String {
    let own = OWN_OUTPUTS.iter().filter(|output| has_reports || !output.needs_reports);
    export::extensions().chain(own.map(|output| output.extension)).collect::<Vec<_>>().join(", ")
}

/// Rejects file extensions without a writer, before anything is simulated. A conversion has no reports.
pub fn check_extension(path: &Path, has_reports: bool) -> Result<(), CliError> {
    let extension = extension(path);
    let problem = match OWN_OUTPUTS.iter().find(|output| output.extension == extension) {
        Some(output) if output.needs_reports && !has_reports => {
            format!("only `pliant run` writes {extension}")
        }
        None if export::Format::of_extension(&extension).is_none() => {
            format!("unsupported extension \"{extension}\"")
        }
        _ => return Ok(()),
    };
    Err(CliError::invalid_input(format!(
        "{}: {problem}; use one of {}",
        path.display(),
        output_extensions(has_reports)
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
        let header = CacheHeader { fps, shapes: shapes.clone() };
        let mut list = Vec::new();
        for path in paths {
            make_folder(path)?;
            let extension = extension(path);
            let own = OWN_OUTPUTS.iter().find(|output| output.extension == extension);
            list.push(match own {
                Some(output) => (output.open)(path, &header)?,
                None => Sink::Export(
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
