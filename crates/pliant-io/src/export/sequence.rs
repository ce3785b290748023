//! Numbered files, one per frame: `name_0001.obj`, `name_0002.obj`, …
//!
//! Every file is whole as soon as it has its name. An older, longer sequence of the same name keeps
//! its later files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::part::PartFile;
use super::track::Gate;
use super::{ExportError, Exporter, Track};

/// A format with one frame per file.
pub(crate) trait FrameFormat {
    /// The ending, without the dot.
    const ENDING: &'static str;

    /// Keeps what does not change from frame to frame.
    fn new(tracks: &[Track<'_>]) -> Self;

    /// Writes one frame.
    fn write(&self, out: &mut dyn Write, bodies: &[&[[f32; 3]]]) -> io::Result<()>;
}

pub(crate) struct Sequence<F> {
    path: PathBuf,
    gate: Gate,
    format: F,
    files: Vec<PathBuf>,
}

impl<F: FrameFormat> Sequence<F> {
    pub(crate) fn create(path: &Path, tracks: &[Track<'_>]) -> Result<Self, ExportError> {
        let (gate, format) = (Gate::new(tracks), F::new(tracks));
        Ok(Self { path: path.to_owned(), gate, format, files: Vec::new() })
    }
}

impl<F: FrameFormat> Exporter for Sequence<F> {
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.gate.check(time, bodies)?;
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}_{:04}.{}", self.gate.frames() + 1, F::ENDING);
        let mut file = PartFile::create(&self.path.with_file_name(name), "")?;
        let written = self.format.write(&mut file, bodies);
        written.map_err(ExportError::io(file.target()))?;
        self.files.push(file.commit()?);
        self.gate.pass(time);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError> {
        match self.files.is_empty() {
            true => Err(ExportError::NoFrames { path: self.path }),
            false => Ok(self.files),
        }
    }
}
