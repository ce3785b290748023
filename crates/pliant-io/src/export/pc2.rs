//! PC2 point caches, one file per body: positions alone, for a mesh with the same vertex order.
//!
//! ```text
//! char[12] "POINTCACHE2\0" | i32 version 1 | i32 points | f32 first frame | f32 frames per sample | i32 samples
//! f32[3] of every point of every sample
//! ```
//! All numbers are little-endian. In Blender: the modifier Mesh Cache on the mesh's OBJ.

use std::path::{Path, PathBuf};

use super::part::PartFile;
use super::track::Gate;
use super::{ExportError, Exporter, Timing, Track};

/// Where the header counts the samples.
const SAMPLES_AT: u64 = 28;

pub(crate) struct Pc2 {
    path: PathBuf,
    gate: Gate,
    fps: f64,
    files: Vec<PartFile>,
    block: Vec<u8>,
}

impl Pc2 {
    pub(crate) fn create(
        path: &Path,
        tracks: &[Track<'_>],
        timing: Timing,
    ) -> Result<Self, ExportError> {
        let mut files = Vec::new();
        for (number, track) in tracks.iter().enumerate() {
            if matches!(track, Track::Surface(s) if s.may_tear()) {
                let name = track.name_or(number);
                return Err(ExportError::Tears { path: path.to_owned(), name });
            }
            // One body takes the name as it is; several add theirs.
            let target = match tracks.len() {
                1 => path.to_owned(),
                _ => beside(path, number, track),
            };
            let points = i32::try_from(track.vertices()).map_err(|_| ExportError::TooLarge {
                path: target.clone(),
                frame: 0,
                limit: "2³¹ − 1 points",
            })?;
            let mut file = PartFile::create(&target, &format!(".{number}"))?;
            let mut header = b"POINTCACHE2\0".to_vec();
            header.extend(1_i32.to_le_bytes());
            header.extend(points.to_le_bytes());
            header.extend(0_f32.to_le_bytes());
            header.extend(1_f32.to_le_bytes());
            header.extend(0_i32.to_le_bytes());
            file.put(&header)?;
            files.push(file);
        }
        let gate = Gate::new(tracks);
        Ok(Self { path: path.to_owned(), gate, fps: timing.fps, files, block: Vec::new() })
    }
}

/// `folder/name_body.pc2`, with only letters, digits and `-_.` of the body's name.
fn beside(path: &Path, number: usize, track: &Track<'_>) -> PathBuf {
    let keep = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let body: String = track.name_or(number).chars().map(keep).collect();
    let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    // The number keeps two bodies of one name apart.
    path.with_file_name(format!("{stem}_{number}_{body}.pc2"))
}

impl Exporter for Pc2 {
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.gate.check(time, bodies)?;
        let frame = self.gate.frames();
        let expected = self.gate.times().map_or(time, |(first, _)| first) + frame as f64 / self.fps;
        // A tenth of a frame: more than the rounding of summed steps, less than anyone sees.
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
            file.put(&self.block)?;
        }
        self.gate.pass(time);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError> {
        if self.gate.frames() == 0 {
            return Err(ExportError::NoFrames { path: self.path });
        }
        let samples = self.gate.frames() as i32;
        let finish = |mut file: PartFile| {
            file.patch(SAMPLES_AT, &samples.to_le_bytes())?;
            file.commit()
        };
        self.files.into_iter().map(finish).collect()
    }
}
