//! Pictures in memory, saved as PNG files.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::color::Rgb;

/// Rows of sRGB pixels, from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

/// Error while saving a file.
#[derive(Debug)]
pub struct PictureError {
    path: PathBuf,
    source: png::EncodingError,
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        write!(f, "cannot write {path}: {}; check the folder and the free disk space", self.source)
    }
}

impl std::error::Error for PictureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl Picture {
    /// Creates a picture of one colour, at least one pixel in each dimension.
    pub fn new(width: usize, height: usize, color: Rgb) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        Self { width, height, pixels: vec![color; width * height] }
    }

    /// Width \[pixels\].
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height \[pixels\].
    pub fn height(&self) -> usize {
        self.height
    }

    /// Pixels, row by row from the top.
    pub fn pixels(&self) -> &[Rgb] {
        &self.pixels
    }

    /// Pixels of a row.
    ///
    /// # Panics
    /// If the row is out of range.
    pub fn row_mut(&mut self, y: usize) -> &mut [Rgb] {
        &mut self.pixels[y * self.width..(y + 1) * self.width]
    }

    /// Colour of a pixel; `None` outside the picture.
    pub fn pixel(&self, x: usize, y: usize) -> Option<Rgb> {
        (x < self.width && y < self.height).then(|| self.pixels[y * self.width + x])
    }

    /// Copies another picture with its upper left corner at (`x`, `y`), clipped to this picture.
    pub fn paste(&mut self, other: &Self, x: usize, y: usize) {
        let wide = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let from = row * other.width;
            self.row_mut(y + row)[x..x + wide].copy_from_slice(&other.pixels[from..from + wide]);
        }
    }

    /// Saves the picture as PNG. The file gets its name when it is complete.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), PictureError> {
        let path = path.as_ref();
        let fail = |source| PictureError { path: path.to_owned(), source };
        let part = path.with_extension("png.part");
        let written = self.write_to(&part).and_then(|()| Ok(std::fs::rename(&part, path)?));
        if written.is_err() {
            // Best effort: the first error is the one to report.
            let _ = std::fs::remove_file(&part);
        }
        written.map_err(fail)
    }

    fn write_to(&self, path: &Path) -> Result<(), png::EncodingError> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&self.png()?)?;
        Ok(file.flush()?)
    }

    /// Encodes the picture as PNG.
    fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(bytes)
    }
}
