//! PC2 point caches, one file per body: positions only, for a mesh with the same vertex order.
//!
//! ```text
//! char[12] "POINTCACHE2\0" | i32 version 1 | i32 points | f32 first frame | f32 frames per sample | i32 samples
//! f32[3] of every point of every sample
//! ```
//! All numbers are little-endian. In Blender, apply it with the Mesh Cache modifier on the mesh's OBJ.

use std::path::{Path, PathBuf};

use super::temp_file::TempFile;
use super::track::FrameValidator;
use super::{ExportError, Exporter, Files, Format, Timing, Track};

pub(super) const FORMAT: Format = Format {
    name: "PC2",
    extension: "pc2",
    files: Files::PerBody,
    form: "point cache for a mesh of the same vertices",
    preserves: "vertex order",
    has_strands: true,
    has_tears: false,
    create: |path, tracks, timing| Ok(Box::new(Pc2::create(path, tracks, timing)?)),
};

/// Byte offset of the sample count in the header.
const SAMPLE_COUNT_OFFSET: u64 = 28;

struct Pc2 {
    path: PathBuf,
    validator: FrameValidator,
    fps: f64,
    files: Vec<TempFile>,
    block: Vec<u8>,
}

impl Pc2 {
    fn create(path: &Path, tracks: &[Track<'_>], timing: Timing) -> Result<Self, ExportError> {
        let mut files = Vec::new();
        for (number, track) in tracks.iter().enumerate() {
            // A single body uses the given name; several append their own names.
            let target = match tracks.len() {
                1 => path.to_owned(),
                _ => body_path(path, number, track),
            };
            let points = i32::try_from(track.vertices()).map_err(|_| ExportError::TooLarge {
                path: target.clone(),
                frame: 0,
                limit: "2³¹ − 1 points",
            })?;
            let mut file = TempFile::create(&target, &format!(".{number}"))?;
            let mut header = b"POINTCACHE2\0".to_vec();
            header.extend(1_i32.to_le_bytes());
            header.extend(points.to_le_bytes());
            header.extend(0_f32.to_le_bytes());
            header.extend(1_f32.to_le_bytes());
            header.extend(0_i32.to_le_bytes());
            file.write_bytes(&header)?;
            files.push(file);
        }
        let validator = FrameValidator::new(tracks);
        Ok(Self { path: path.to_owned(), validator, fps: timing.fps, files, block: Vec::new() })
    }
}

/// Path `folder/name_body.pc2`, with only letters, digits and `-_.` of the body's name.
fn body_path(path: &Path, number: usize, track: &Track<'_>) -> PathBuf {
    let keep = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let body: String = track.name_or(number).chars().map(keep).collect();
    let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    // The index distinguishes bodies with the same name.
    path.with_file_name(format!("{stem}_{number}_{body}.pc2"))
}

impl Exporter for Pc2 {
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.validator.check(time, bodies)?;
        let frame = self.validator.frames();
        let expected =
            self.validator.times().map_or(time, |(first, _)| first) + frame as f64 / self.fps;
        // Tolerance of a tenth of a frame: larger than the rounding of accumulated steps, smaller than a
        // visible difference.
        if (time - expected).abs() > 0.1 / self.fps {
            return Err(ExportError::Uneven { frame, time, expected, fps: self.fps });
        }
        if frame >= i32::MAX as usize {
            let (path, limit) = (self.path.clone(), "2³¹ − 1 samples");
            return Err(ExportError::TooLarge { path, frame, limit });
        }
        for (file, positions) in self.files.iter_mut().zip(bodies) {
            self.block.clear();
            self.block.extend(positions.as_flattened().iter().flat_map(|c| c.to_le_bytes()));
            file.write_bytes(&self.block)?;
        }
        self.validator.record_frame(time);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError> {
        if self.validator.frames() == 0 {
            return Err(ExportError::NoFrames { path: self.path });
        }
        let samples = self.validator.frames() as i32;
        let finish = |mut file: TempFile| {
            file.patch(SAMPLE_COUNT_OFFSET, &samples.to_le_bytes())?;
            file.commit()
        };
        self.files.into_iter().map(finish).collect()
    }
}
