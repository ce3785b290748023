//! Numbered files, one per frame: `name_0001.obj`, `name_0002.obj`, …
//!
//! Every file is whole as soon as it has its name. An older, longer sequence of the same name keeps
//! its later files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::part::PartFile;
use super::track::Gate;
use super::{ExportError, Exporter, Track};
use crate::skin::Shape;

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
    /// Where a surface may tear, all of them: each frame then has a topology of its own.
    tearing: Vec<Shape>,
    files: Vec<PathBuf>,
}

impl<F: FrameFormat> Sequence<F> {
    pub(crate) fn create(path: &Path, tracks: &[Track<'_>]) -> Result<Self, ExportError> {
        let (gate, format) = (Gate::new(tracks), F::new(tracks));
        let tears = |t: &Track<'_>| matches!(t, Track::Surface(s) if s.may_tear());
        let own = |t: &Track<'_>| match *t {
            Track::Surface(surface) => Shape::Surface(surface.clone()),
            Track::Strands(strands) => Shape::Strands(strands.clone()),
            Track::Prop(prop) => Shape::Prop(prop.clone()),
        };
        let tearing = match tracks.iter().any(tears) {
            true => tracks.iter().map(own).collect(),
            false => Vec::new(),
        };
        Ok(Self { path: path.to_owned(), gate, format, tearing, files: Vec::new() })
    }
}

impl<F: FrameFormat> Exporter for Sequence<F> {
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.gate.check(time, bodies)?;
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}_{:04}.{}", self.gate.frames() + 1, F::ENDING);
        let mut file = PartFile::create(&self.path.with_file_name(name), "")?;
        let written = if self.tearing.is_empty() {
            self.format.write(&mut file, bodies)
        } else {
            write_torn::<F>(&self.tearing, &mut file, bodies)
        };
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

/// Writes a frame of surfaces as they have torn by then.
fn write_torn<F: FrameFormat>(
    shapes: &[Shape],
    out: &mut dyn Write,
    bodies: &[&[[f32; 3]]],
) -> io::Result<()> {
    let torn: Vec<(Shape, Vec<[f32; 3]>)> = shapes
        .iter()
        .zip(bodies)
        .map(|(shape, positions)| match shape {
            Shape::Surface(surface) => {
                let (surface, positions) = surface.as_torn(positions);
                (Shape::Surface(surface), positions)
            }
            Shape::Strands(_) | Shape::Prop(_) => (shape.clone(), positions.to_vec()),
        })
        .collect();
    let tracks: Vec<Track<'_>> = torn.iter().map(|(shape, _)| shape.track()).collect();
    let positions: Vec<&[[f32; 3]]> = torn.iter().map(|(_, p)| p.as_slice()).collect();
    F::new(&tracks).write(out, &positions)
}
