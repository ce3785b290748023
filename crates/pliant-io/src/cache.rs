//! Cache of a run: the visible vertices of its bodies, frame by frame, for later rendering and export.
//!
//! ```text
//! "PLIANTC2" | length, JSON: fps and shapes, checksum | frame | frame | …
//! frame = time (f64) | x, y, z (f32) of every vertex that can move | checksum
//! ```
//!
//! Numbers are little-endian. Frames are appended and have a fixed size, so a truncated cache is valid up to
//! its last complete frame.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::checksum::{self, checksum};
use crate::skin::SkinShape;

const MAGIC: &[u8; 8] = b"PLIANTC2";
/// Size limit of a header that is read, in bytes.
const MAX_HEADER_BYTES: u64 = 1 << 30;

/// Header of a cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheHeader {
    /// Frames per second \[1/s\].
    pub fps: f64,
    /// Visible shape of each body.
    pub shapes: Vec<SkinShape>,
}

impl CacheHeader {
    /// Number of vertices in a frame. Static shapes are stored in the header only.
    fn vertices(&self) -> u64 {
        let moving = self.shapes.iter().filter(|s| !s.track().is_still());
        moving.map(|s| s.vertices() as u64).sum()
    }

    /// Size of a frame in bytes.
    fn frame_bytes(&self) -> u64 {
        16 + 12 * self.vertices()
    }
}

/// Error while reading or writing a cache.
#[derive(Debug, Error)]
pub enum CacheError {
    /// The operating system returned an error.
    #[error("{}: {error}; check the path, the permissions and the free disk space", path.display())]
    Io {
        /// Path of the cache.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The file is not a cache, or is damaged.
    #[error("{}: {problem}", path.display())]
    Damaged {
        /// Path of the cache.
        path: PathBuf,
        /// Description of the problem.
        problem: String,
    },
}

/// Positions of all shapes at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheFrame {
    /// The time \[s\].
    pub time: f64,
    /// The positions \[m\] of each shape.
    pub bodies: Vec<Vec<[f32; 3]>>,
}

/// Writer of a cache.
#[derive(Debug)]
pub struct CacheWriter {
    path: PathBuf,
    file: BufWriter<File>,
    header: CacheHeader,
    frames: u64,
}

/// Reader of a cache.
#[derive(Debug)]
pub struct CacheReader {
    path: PathBuf,
    file: File,
    header: CacheHeader,
    start: u64,
    frames: u64,
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> CacheError + '_ {
    move |error| CacheError::Io { path: path.to_owned(), error }
}

impl CacheWriter {
    /// Creates a cache and replaces an existing one.
    pub fn create(path: impl AsRef<Path>, header: CacheHeader) -> Result<Self, CacheError> {
        let path = path.as_ref().to_owned();
        let fail = io_error(&path);
        let json = serde_json::to_vec(&header).map_err(|e| fail(e.into()))?;
        let mut file = BufWriter::new(File::create(&path).map_err(&fail)?);
        let sum = checksum(&[&json]);
        let parts: [&[u8]; 4] = [MAGIC, &(json.len() as u64).to_le_bytes(), &json, &sum];
        for part in parts {
            file.write_all(part).map_err(&fail)?;
        }
        drop(fail);
        Ok(Self { path, file, header, frames: 0 })
    }

    /// Continues a cache after its first `frames` frames; later frames are truncated.
    pub fn resume(path: impl AsRef<Path>, frames: u64) -> Result<Self, CacheError> {
        let mut reader = CacheReader::open(&path)?;
        let path = path.as_ref().to_owned();
        if reader.frames < frames {
            let problem = format!("has {} complete frames, but {frames} are needed", reader.frames);
            return Err(CacheError::Damaged { path, problem });
        }
        for frame in 0..frames {
            reader.frame(frame)?;
        }
        let end = reader.start + frames * reader.header.frame_bytes();
        let fail = io_error(&path);
        let mut file = OpenOptions::new().write(true).open(&path).map_err(&fail)?;
        file.set_len(end).map_err(&fail)?;
        file.seek(SeekFrom::End(0)).map_err(&fail)?;
        drop(fail);
        Ok(Self { path, file: BufWriter::new(file), header: reader.header, frames })
    }

    /// Header of the cache.
    pub fn header(&self) -> &CacheHeader {
        &self.header
    }

    /// Number of frames written.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Appends a frame: the time \[s\], and the positions \[m\] of each shape.
    pub fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), CacheError> {
        let counts = self.header.shapes.iter().map(SkinShape::vertices);
        if bodies.len() != self.header.shapes.len() || !counts.eq(bodies.iter().map(|b| b.len())) {
            let problem = "a frame must have all vertices of all shapes".to_owned();
            return Err(CacheError::Damaged { path: self.path.clone(), problem });
        }
        let mut bytes = Vec::with_capacity(self.header.frame_bytes() as usize);
        bytes.extend(time.to_le_bytes());
        for (body, shape) in bodies.iter().zip(&self.header.shapes) {
            if !shape.track().is_still() {
                bytes.extend(body.as_flattened().iter().flat_map(|c| c.to_le_bytes()));
            }
        }
        bytes.extend(checksum(&[&bytes]));
        self.file.write_all(&bytes).map_err(io_error(&self.path))?;
        self.frames += 1;
        Ok(())
    }

    /// Flushes all frames to disk.
    pub fn sync(&mut self) -> Result<(), CacheError> {
        let fail = io_error(&self.path);
        self.file.flush().map_err(&fail)?;
        self.file.get_ref().sync_data().map_err(&fail)
    }
}

impl CacheReader {
    /// Opens a cache.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CacheError> {
        let path = path.as_ref().to_owned();
        let fail = io_error(&path);
        let damaged =
            |problem: &str| CacheError::Damaged { path: path.clone(), problem: problem.to_owned() };
        let mut file = File::open(&path).map_err(&fail)?;
        let size = file.metadata().map_err(&fail)?.len();
        let mut head = [0; 16];
        file.read_exact(&mut head).map_err(|_| damaged("is too short for a cache"))?;
        if head[..7] == MAGIC[..7] && head[7] != MAGIC[7] {
            return Err(damaged("is a cache of another version of Pliant; run the scene again"));
        }
        if &head[..8] != MAGIC {
            return Err(damaged("is not a Pliant cache; use a file written with --out NAME.plc"));
        }
        let length = u64::from_le_bytes(head[8..].try_into().unwrap_or_default());
        if length > MAX_HEADER_BYTES || length > size.saturating_sub(24) {
            return Err(damaged("has a header that is longer than the file"));
        }
        let mut json = vec![0; length as usize + 8];
        file.read_exact(&mut json).map_err(&fail)?;
        let (json, sum) = json.split_at(length as usize);
        if checksum(&[json]) != sum {
            return Err(damaged("has a corrupt header"));
        }
        let header: CacheHeader = serde_json::from_slice(json)
            .map_err(|e| damaged(&format!("has an invalid header ({e})")))?;
        let start = 24 + length;
        let frames = (size - start) / header.frame_bytes();
        drop((fail, damaged));
        Ok(Self { path, file, header, start, frames })
    }

    /// Header of the cache.
    pub fn header(&self) -> &CacheHeader {
        &self.header
    }

    /// Number of complete frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Reads frame `number`.
    pub fn frame(&mut self, number: u64) -> Result<CacheFrame, CacheError> {
        let path = self.path.clone();
        let damaged = |problem: String| CacheError::Damaged { path: path.clone(), problem };
        if number >= self.frames {
            return Err(damaged(format!("has no frame {number}; it has {} frames", self.frames)));
        }
        let size = self.header.frame_bytes();
        let mut bytes = vec![0; size as usize];
        let fail = io_error(&self.path);
        self.file.seek(SeekFrom::Start(self.start + number * size)).map_err(&fail)?;
        self.file.read_exact(&mut bytes).map_err(&fail)?;
        let (data, sum) = bytes.split_at(bytes.len() - checksum::BYTES);
        if checksum(&[data]) != sum {
            return Err(damaged(format!("frame {number} is corrupt")));
        }
        let (time, data) = data.split_at(8);
        let time = f64::from_le_bytes(time.try_into().unwrap_or_default());
        let number = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap_or_default());
        let mut points =
            data.chunks_exact(12).map(|p| [number(&p[..4]), number(&p[4..8]), number(&p[8..])]);
        let of = |shape: &SkinShape| match shape.collider_mesh().filter(|p| p.still) {
            Some(prop) => prop.surface.positions.iter().map(|p| p.map(|c| c as f32)).collect(),
            None => points.by_ref().take(shape.vertices()).collect(),
        };
        let bodies = self.header.shapes.iter().map(of).collect();
        Ok(CacheFrame { time, bodies })
    }
}
