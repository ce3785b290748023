//! Line charts on linear or logarithmic axes, as SVG and as PNG from one layout.
//!
//! ```
//! use pliant_render::chart::{Axis, Chart, Series};
//!
//! let errors = (1..=20).map(|k| [f64::from(k), 1.0 / f64::from(k * k)]);
//! let chart = Chart::new("Convergence", Axis::linear("iterations"), Axis::log("relative error"))
//!     .series(Series::new("direct solver", errors));
//! assert!(chart.svg().contains("direct solver"));
//! ```

mod axis;
mod layout;
mod paint;
mod svg;

use std::fmt;
use std::path::{Path, PathBuf};

pub use axis::Axis;

use crate::picture::{Picture, PictureError};

/// A curve of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    name: String,
    points: Vec<[f64; 2]>,
    dashed: bool,
}

impl Series {
    /// Creates a curve through points; the name appears in the legend. Points that are not finite, or not
    /// positive on a logarithmic axis, interrupt the curve.
    pub fn new(name: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let points = points.into_iter().collect();
        Self { name: name.to_owned(), points, dashed: false }
    }

    /// Draws the curve dashed, for references and slopes.
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }
}

/// A chart of several curves.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Chart {
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    size: [f32; 2],
}

impl Chart {
    /// Creates an empty chart of 800 × 480 units.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self { title: title.to_owned(), x, y, series: Vec::new(), size: [800.0, 480.0] }
    }

    /// Adds a curve.
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Sets the size, in units of about one pixel on a standard screen; at least 240 × 160.
    pub fn size(mut self, width: f32, height: f32) -> Self {
        self.size = [width.clamp(240.0, 8000.0), height.clamp(160.0, 8000.0)];
        self
    }

    /// Renders the chart as SVG; texts remain text elements.
    pub fn svg(&self) -> String {
        svg::write(&layout::lay_out(self), self.size)
    }

    /// Renders the chart as a picture with `scale` pixels per unit: 2 is sharp on paper and high-resolution
    /// screens.
    pub fn picture(&self, scale: f32) -> Picture {
        paint::draw(&layout::lay_out(self), self.size, scale.clamp(0.25, 8.0))
    }

    /// Saves the chart as SVG or PNG, according to the path's extension; PNG has two pixels per unit.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ChartError> {
        let path = path.as_ref();
        match path.extension().and_then(|e| e.to_str()) {
            Some("svg") => std::fs::write(path, self.svg())
                .map_err(|source| ChartError::Write { path: path.to_owned(), source }),
            Some("png") => self.picture(2.0).save_png(path).map_err(ChartError::Picture),
            _ => Err(ChartError::Ending { path: path.to_owned() }),
        }
    }
}

/// Error while saving a chart.
#[derive(Debug)]
#[non_exhaustive]
pub enum ChartError {
    /// The extension is neither `svg` nor `png`.
    Ending {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file could not be written.
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The PNG could not be written.
    Picture(PictureError),
}

impl fmt::Display for ChartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ending { path } => {
                write!(f, "{}: unsupported chart extension; use .svg or .png", path.display())
            }
            Self::Write { path, source } => {
                let path = path.display();
                write!(f, "cannot write {path}: {source}; check the folder and the free disk space")
            }
            Self::Picture(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ChartError {}
