//! Where the frames of a run go: exports, a cache, a report, pictures.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use pliant::StepReport;
use pliant_io::cache::{CacheHeader, CacheWriter};
use pliant_io::export::{self, Exporter, Timing, Track};
use pliant_io::skin::Shape;

use crate::failure::Failure;
use crate::film::{Camera, Frame, spread};

/// Frames per second of a film: GIF players cannot do much more.
const FILM_FPS: f64 = 25.0;
/// Pictures on a contact sheet.
const SHEET: usize = 6;
/// Size of a picture on a sheet, and of a film.
const SIZE: [usize; 2] = [640, 400];

/// What the numbers of a report are, for the head of its table.
const COLUMNS: &str = "frame,time_s,ms,iterations,residual_n,elastic_j,kinetic_j,potential_j,contacts_colliders,\
     contacts_pairs,deepest_m,stopped,unresolved,warnings";

/// One place where frames go.
enum Sink {
    Export(Box<dyn Exporter>),
    Cache(PathBuf, CacheWriter),
    Report(PathBuf, BufWriter<File>),
    Sheet(PathBuf, Vec<Frame>),
    Film(PathBuf, Vec<Frame>),
}

/// What there is to show.
#[derive(Clone, Copy, Debug)]
pub struct Show {
    /// Steps after the start.
    pub steps: usize,
    /// Frames per second \[1/s\].
    pub fps: f64,
    /// Whether colliders are shown.
    pub colliders: bool,
}

impl Show {
    /// Everything of so many steps at a rate \[1/s\].
    pub fn all(steps: usize, fps: f64) -> Self {
        Self { steps, fps, colliders: true }
    }
}

/// All places where frames go.
pub struct Sinks {
    list: Vec<Sink>,
    /// The shapes that are shown, and their numbers among those of a frame.
    shapes: Vec<Shape>,
    shown_shapes: Vec<usize>,
    /// Which of those are exported: planes have no end.
    exported: Vec<usize>,
    title: String,
    /// Frames that the sheet shows.
    shown: Vec<usize>,
    /// Every how many frames the film shows one.
    stride: usize,
    fps: f64,
}

/// Refuses endings that nothing can write, before anything is simulated.
pub fn check(path: &Path) -> Result<(), Failure> {
    let ending = ending(path);
    let own = ["plc", "csv", "png", "gif"];
    if own.contains(&ending.as_str()) || export::EXTENSIONS.contains(&ending.as_str()) {
        return Ok(());
    }
    Err(Failure::input(format!(
        "{}: nothing is known that ends with \"{ending}\"; use one of {}, {}",
        path.display(),
        export::EXTENSIONS.join(", "),
        own.join(", ")
    )))
}

pub fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}

/// Makes the folder that a file will be in.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) if folder != Path::new("") => std::fs::create_dir_all(folder)
            .map_err(|e| Failure::run(format!("{}: {e}; check the path", folder.display()))),
        _ => Ok(()),
    }
}

impl Sinks {
    /// Opens all files.
    pub fn open(
        title: &str,
        paths: &[PathBuf],
        shapes: &[Shape],
        show: Show,
    ) -> Result<Self, Failure> {
        let Show { steps, fps, colliders } = show;
        let all = 0..shapes.len();
        let shown_shapes: Vec<usize> =
            all.filter(|&k| colliders || shapes[k].prop().is_none()).collect();
        let shapes: Vec<Shape> = shown_shapes.iter().map(|&k| shapes[k].clone()).collect();
        let ends = |k: &usize| shapes[*k].prop().is_none_or(|p| !p.endless);
        let exported: Vec<usize> = (0..shapes.len()).filter(ends).collect();
        let tracks: Vec<Track> = exported.iter().map(|&k| shapes[k].track()).collect();
        let mut list = Vec::new();
        for path in paths {
            make_folder(path)?;
            list.push(match ending(path).as_str() {
                "plc" => {
                    let header = CacheHeader { fps, shapes: shapes.clone() };
                    Sink::Cache(
                        path.clone(),
                        CacheWriter::create(path, header).map_err(Failure::run)?,
                    )
                }
                "csv" => {
                    let file = File::create(path)
                        .map_err(|e| Failure::run(format!("{}: {e}", path.display())))?;
                    let mut file = BufWriter::new(file);
                    writeln!(file, "{COLUMNS}").map_err(Failure::run)?;
                    Sink::Report(path.clone(), file)
                }
                "png" => Sink::Sheet(path.clone(), Vec::new()),
                "gif" => Sink::Film(path.clone(), Vec::new()),
                _ => Sink::Export(
                    export::create(path, &tracks, Timing { fps }).map_err(Failure::run)?,
                ),
            });
        }
        Ok(Self {
            list,
            shapes,
            shown_shapes,
            exported,
            title: title.to_owned(),
            shown: spread(steps + 1, SHEET),
            stride: (fps / FILM_FPS).round().max(1.0) as usize,
            fps,
        })
    }

    /// Gives a frame to all; a frame from an old cache has no report.
    pub fn frame(&mut self, frame: &Frame, report: Option<&StepReport>) -> Result<(), Failure> {
        let bodies: Vec<&[[f32; 3]]> =
            self.shown_shapes.iter().map(|&k| frame.bodies[k].as_slice()).collect();
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
                    export.frame(frame.time, &exported).map_err(Failure::run)?;
                }
                Sink::Cache(_, cache) => cache.frame(frame.time, &bodies).map_err(Failure::run)?,
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
                            r.elastic,
                            r.kinetic,
                            r.potential,
                            r.contacts.colliders,
                            r.contacts.pairs,
                            r.contacts.deepest,
                            r.contacts.stopped,
                            r.contacts.unresolved,
                            texts.join("; ")
                        )
                        .map_err(Failure::run)?;
                    }
                }
                Sink::Sheet(_, frames) => {
                    if self.shown.contains(&frame.number) {
                        frames.push(kept());
                    }
                }
                Sink::Film(_, frames) => {
                    if frame.number.is_multiple_of(self.stride) {
                        frames.push(kept());
                    }
                }
            }
        }
        Ok(())
    }

    /// Completes all files and says where they are.
    pub fn finish(self) -> Result<Vec<PathBuf>, Failure> {
        let mut written = Vec::new();
        for sink in self.list {
            match sink {
                Sink::Export(export) => written.extend(export.finish().map_err(Failure::run)?),
                Sink::Cache(path, mut cache) => {
                    cache.sync().map_err(Failure::run)?;
                    written.push(path);
                }
                Sink::Report(path, mut file) => {
                    file.flush().map_err(Failure::run)?;
                    written.push(path);
                }
                Sink::Sheet(path, frames) => {
                    let mut camera = Camera::new(&self.shapes, &frames, SIZE);
                    let sheet = camera.sheet(&self.title, &frames);
                    sheet.save_png(&path).map_err(Failure::run)?;
                    written.push(path);
                }
                Sink::Film(path, frames) => {
                    let mut camera = Camera::new(&self.shapes, &frames, SIZE);
                    camera.film(&path, &frames, self.fps / self.stride as f64)?;
                    written.push(path);
                }
            }
        }
        Ok(written)
    }
}
