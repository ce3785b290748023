//! Numbered files, one per frame: `name_0001.obj`, `name_0002.obj`, …
//!
//! Every file gets its name only when it is complete. Later files of an older, longer sequence with the same
//! name remain.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::temp_file::TempFile;
use super::track::FrameValidator;
use super::{ExportError, Exporter, Timing, Track};
use crate::skin::SkinShape;

/// A format with one frame per file.
pub(crate) trait FrameFormat {
    /// Extension without the dot.
    const EXTENSION: &'static str;

    /// Prepares the data that are constant over all frames.
    fn new(tracks: &[Track<'_>]) -> Self;

    /// Writes one frame.
    fn write(&self, out: &mut dyn Write, bodies: &[&[[f32; 3]]]) -> io::Result<()>;
}

pub(crate) struct Sequence<F> {
    path: PathBuf,
    validator: FrameValidator,
    format: F,
    /// All shapes if a surface may tear, since each frame then has its own topology.
    tearing: Vec<SkinShape>,
    files: Vec<PathBuf>,
}

impl<F: FrameFormat + 'static> Sequence<F> {
    pub(crate) fn create(
        path: &Path,
        tracks: &[Track<'_>],
        _: Timing,
    ) -> Result<Box<dyn Exporter>, ExportError> {
        let (validator, format) = (FrameValidator::new(tracks), F::new(tracks));
        let own = |t: &Track<'_>| match *t {
            Track::Surface(surface) => SkinShape::Surface(surface.clone()),
            Track::Strands(strands) => SkinShape::Strands(strands.clone()),
            Track::ColliderMesh(prop) => SkinShape::ColliderMesh(prop.clone()),
        };
        let tearing = match tracks.iter().any(Track::may_tear) {
            true => tracks.iter().map(own).collect(),
            false => Vec::new(),
        };
        let (path, files) = (path.to_owned(), Vec::new());
        Ok(Box::new(Self { path, validator, format, tearing, files }))
    }
}

impl<F: FrameFormat> Exporter for Sequence<F> {
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.validator.check(time, bodies)?;
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}_{:04}.{}", self.validator.frames() + 1, F::EXTENSION);
        let mut file = TempFile::create(&self.path.with_file_name(name), "")?;
        let written = if self.tearing.is_empty() {
            self.format.write(&mut file, bodies)
        } else {
            write_torn::<F>(&self.tearing, &mut file, bodies)
        };
        written.map_err(ExportError::io(file.target()))?;
        self.files.push(file.commit()?);
        self.validator.record_frame(time);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError> {
        match self.files.is_empty() {
            true => Err(ExportError::NoFrames { path: self.path }),
            false => Ok(self.files),
        }
    }
}

/// Writes a frame of surfaces with their current tears.
fn write_torn<F: FrameFormat>(
    shapes: &[SkinShape],
    out: &mut dyn Write,
    bodies: &[&[[f32; 3]]],
) -> io::Result<()> {
    let torn: Vec<(SkinShape, Vec<[f32; 3]>)> = shapes
        .iter()
        .zip(bodies)
        .map(|(shape, positions)| match shape {
            SkinShape::Surface(surface) => {
                let (surface, positions) = surface.as_torn(positions);
                (SkinShape::Surface(surface), positions)
            }
            SkinShape::Strands(_) | SkinShape::ColliderMesh(_) => {
                (shape.clone(), positions.to_vec())
            }
        })
        .collect();
    let tracks: Vec<Track<'_>> = torn.iter().map(|(shape, _)| shape.track()).collect();
    let positions: Vec<&[[f32; 3]]> = torn.iter().map(|(_, p)| p.as_slice()).collect();
    F::new(&tracks).write(out, &positions)
}
