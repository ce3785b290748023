//! Animated GIF: one palette for the whole film, and only the changed region of every frame.
//!
//! An ordered dither smooths gradients. Its pattern is fixed, so that static pixels keep their index and are
//! not written again.

use std::fmt;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::color::Rgb;
use crate::palette::Palette;
use crate::picture::Picture;

/// Palette index that leaves a pixel unchanged.
const TRANSPARENT_INDEX: u8 = 255;

/// Dither thresholds, from 0 to 15.
const DITHER: [[i16; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Error of a film.
#[derive(Debug)]
#[non_exhaustive]
pub enum FilmError {
    /// The file could not be written.
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the encoder.
        source: gif::EncodingError,
    },
    /// The size of a picture differs from that of the film.
    Size {
        /// Width and height of the picture \[pixels\].
        given: [usize; 2],
        /// Width and height of the film \[pixels\].
        expected: [usize; 2],
    },
}

impl fmt::Display for FilmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write { path, source } => {
                let path = path.display();
                write!(f, "cannot write {path}: {source}; check the folder and the free disk space")
            }
            Self::Size { given, expected } => write!(
                f,
                "the picture has {} × {} pixels, the film {} × {}; all pictures must have the size \
                 of the film",
                given[0], given[1], expected[0], expected[1]
            ),
        }
    }
}

impl std::error::Error for FilmError {}

/// A film in progress, written picture by picture.
pub struct Film {
    path: PathBuf,
    temp_path: PathBuf,
    encoder: Option<gif::Encoder<BufWriter<File>>>,
    palette: Palette,
    size: [usize; 2],
    /// Delay per frame in hundredths of a second; `delay_error` accumulates the rounding error.
    delay: f64,
    delay_error: f64,
    shown: Vec<u8>,
}

impl Film {
    /// Creates a film of this size \[pixels\] and frame rate \[frames per second\], at most 50. The file gets
    /// its name when the film is finished.
    pub fn create(
        path: impl AsRef<Path>,
        [width, height]: [usize; 2],
        fps: f64,
        palette: Palette,
    ) -> Result<Self, FilmError> {
        let path = path.as_ref().to_owned();
        let part = path.with_extension("gif.part");
        // Padded to its full size, so that the last index exists.
        let mut colors: Vec<u8> = palette.colors().as_flattened().to_vec();
        colors.resize(3 * 256, 0);
        let (wide, high) = (width.clamp(1, 65_535) as u16, height.clamp(1, 65_535) as u16);
        let begin = || {
            let file = BufWriter::new(File::create(&part)?);
            let mut encoder = gif::Encoder::new(file, wide, high, &colors)?;
            encoder.set_repeat(gif::Repeat::Infinite)?;
            Ok(encoder)
        };
        let encoder = begin().map_err(|source| FilmError::Write { path: path.clone(), source })?;
        // Players slow down anything faster than two hundredths of a second per frame.
        let delay = if fps > 0.0 { (100.0 / fps).clamp(2.0, 6000.0) } else { 10.0 };
        let size = [usize::from(wide), usize::from(high)];
        Ok(Self {
            path,
            temp_path: part,
            encoder: Some(encoder),
            palette,
            size,
            delay,
            delay_error: 0.0,
            shown: Vec::new(),
        })
    }

    /// Appends a picture.
    pub fn push(&mut self, picture: &Picture) -> Result<(), FilmError> {
        let given = [picture.width(), picture.height()];
        if given != self.size {
            return Err(FilmError::Size { given, expected: self.size });
        }
        let indices = self.indices(picture);
        let mut frame = self.changes(&indices);
        self.delay_error += self.delay;
        frame.delay = self.delay_error.round() as u16;
        self.delay_error -= f64::from(frame.delay);
        frame.dispose = gif::DisposalMethod::Keep;
        self.shown = indices;
        let path = &self.path;
        let fail = |source| FilmError::Write { path: path.clone(), source };
        self.encoder.as_mut().map_or(Ok(()), |e| e.write_frame(&frame)).map_err(fail)
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<(), FilmError> {
        let close = |encoder: gif::Encoder<BufWriter<File>>| -> Result<(), gif::EncodingError> {
            let writer = encoder.into_inner()?;
            writer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            Ok(std::fs::rename(&self.temp_path, &self.path)?)
        };
        let closed = self.encoder.take().map_or(Ok(()), close);
        closed.map_err(|source| FilmError::Write { path: self.path.clone(), source })
    }

    fn indices(&self, picture: &Picture) -> Vec<u8> {
        let width = picture.width();
        let index = |(k, color): (usize, &Rgb)| {
            let shift = DITHER[k / width % 4][k % width % 4] - 7;
            self.palette.index(color.map(|c| (i16::from(c) + shift / 2).clamp(0, 255) as u8))
        };
        picture.pixels().iter().enumerate().map(index).collect()
    }

    /// Frame of the changed rectangle, in which unchanged pixels are transparent.
    fn changes(&self, indices: &[u8]) -> gif::Frame<'static> {
        let [width, height] = self.size;
        if self.shown.is_empty() {
            let buffer = indices.to_vec().into();
            let (width, height) = (width as u16, height as u16);
            return gif::Frame { width, height, buffer, ..gif::Frame::default() };
        }
        let changed = |x: usize, y: usize| indices[y * width + x] != self.shown[y * width + x];
        let in_row = |y: &usize| (0..width).any(|x| changed(x, *y));
        let top = (0..height).find(in_row).unwrap_or(0);
        let bottom = (top..height).rev().find(in_row).unwrap_or(top);
        let in_column = |x: &usize| (top..=bottom).any(|y| changed(*x, y));
        let left = (0..width).find(in_column).unwrap_or(0);
        let right = (left..width).rev().find(in_column).unwrap_or(left);
        let mut buffer = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
        for y in top..=bottom {
            let pixel = |x| if changed(x, y) { indices[y * width + x] } else { TRANSPARENT_INDEX };
            buffer.extend((left..=right).map(pixel));
        }
        gif::Frame {
            left: left as u16,
            top: top as u16,
            width: (right - left + 1) as u16,
            height: (bottom - top + 1) as u16,
            transparent: Some(TRANSPARENT_INDEX),
            buffer: buffer.into(),
            ..gif::Frame::default()
        }
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        // Removes the temporary file of an unfinished film. After `finish` no file with this name exists.
        self.encoder = None;
        let _ = std::fs::remove_file(&self.temp_path);
    }
}
