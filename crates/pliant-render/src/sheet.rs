//! Contact sheets: several pictures in rows, each with a caption.

use crate::canvas::{Align, Canvas};
use crate::color::{INK, Rgb, STONE};
use crate::picture::Picture;

const PAPER: Rgb = [250, 250, 252];

/// A grid of pictures with captions.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Sheet {
    columns: usize,
    title: String,
    cells: Vec<(Picture, String)>,
}

impl Sheet {
    /// Creates an empty sheet with this many pictures per row.
    pub fn new(columns: usize) -> Self {
        Self { columns: columns.max(1), ..Self::default() }
    }

    /// Sets a title above the pictures.
    pub fn title(mut self, title: &str) -> Self {
        title.clone_into(&mut self.title);
        self
    }

    /// Appends a picture and its caption.
    pub fn push(&mut self, picture: Picture, caption: &str) {
        self.cells.push((picture, caption.to_owned()));
    }

    /// Renders the whole sheet as one picture.
    pub fn picture(&self) -> Picture {
        let cell_width = self.cells.iter().map(|(p, _)| p.width()).max().unwrap_or(1);
        let cell_height = self.cells.iter().map(|(p, _)| p.height()).max().unwrap_or(1);
        let columns = self.columns.min(self.cells.len().max(1));
        let rows = self.cells.len().div_ceil(columns);
        let capital = (cell_height as f32 / 26.0).clamp(8.0, 18.0);
        let gap = capital as usize;
        let caption = (2.4 * capital) as usize;
        let head = if self.title.is_empty() { gap } else { (3.6 * capital) as usize };

        let width = gap + columns * (cell_width + gap);
        let height = head + rows * (cell_height + caption) + gap / 2;
        let mut sheet = Picture::new(width, height, PAPER);
        if !self.title.is_empty() {
            let at = [gap as f32, 2.3 * capital];
            Canvas::new(&mut sheet).text(at, &self.title, 1.25 * capital, Align::Left, INK);
        }
        for (k, (picture, text)) in self.cells.iter().enumerate() {
            let x = gap + (k % columns) * (cell_width + gap);
            let y = head + (k / columns) * (cell_height + caption);
            sheet.paste(picture, x, y);
            let mut canvas = Canvas::new(&mut sheet);
            let (w, h) = (picture.width() as f32, picture.height() as f32);
            let (l, t) = (x as f32, y as f32);
            let frame = [[l, t], [l + w, t], [l + w, t + h], [l, t + h], [l, t]];
            canvas.line(&frame, 1.0, STONE, 0.5);
            let below = t + cell_height as f32 + 1.55 * capital;
            canvas.text([l + 2.0, below], text, capital, Align::Left, INK);
        }
        sheet
    }
}
