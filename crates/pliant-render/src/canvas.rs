//! Drawing on a picture: rectangles, smooth lines and text, with soft edges.

use crate::color::{Rgb, mix};
use crate::font::{Point, strokes, text_width};
use crate::picture::Picture;

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// It begins there.
    Left,
    /// Its middle is there.
    Center,
    /// It ends there.
    Right,
}

/// A picture to draw on. Coordinates are in pixels from the left upper corner; the centre of the
/// first pixel is at (0.5, 0.5).
pub struct Canvas<'a> {
    picture: &'a mut Picture,
}

impl<'a> Canvas<'a> {
    /// A canvas on a picture.
    pub fn new(picture: &'a mut Picture) -> Self {
        Self { picture }
    }

    /// The width of a text \[pixels\] whose capitals are `capital` pixels high.
    pub fn text_width(text: &str, capital: f32) -> f32 {
        text_width(text, capital)
    }

    /// Fills a rectangle from (`x`, `y`), `size` wide and high; `alpha` from 0 (nothing) to 1.
    pub fn rectangle(&mut self, [x, y]: [f32; 2], size: [f32; 2], color: Rgb, alpha: f32) {
        let (w, h) = (self.picture.width(), self.picture.height());
        let span = |a: f32, b: f32, n: usize| {
            ((a.floor() as usize).min(n), (b.ceil().max(0.0) as usize).min(n))
        };
        let (x0, x1) = span(x, x + size[0], w);
        let (y0, y1) = span(y, y + size[1], h);
        let part = |i: usize, a: f32, b: f32| {
            ((i as f32 + 1.0).min(b) - (i as f32).max(a)).clamp(0.0, 1.0)
        };
        for j in y0..y1 {
            let down = part(j, y, y + size[1]);
            let row = self.picture.row_mut(j);
            for (i, pixel) in row.iter_mut().enumerate().take(x1).skip(x0) {
                *pixel = mix(*pixel, color, alpha * down * part(i, x, x + size[0]));
            }
        }
    }

    /// Draws a line through points, `width` pixels wide, with round ends and joints.
    pub fn line(&mut self, points: &[[f32; 2]], width: f32, color: Rgb, alpha: f32) {
        self.strokes(&[points.to_vec()], width, color, alpha);
    }

    /// Fills a circle.
    pub fn disc(&mut self, center: [f32; 2], radius: f32, color: Rgb) {
        self.line(&[center, center], 2.0 * radius, color, 1.0);
    }

    /// Writes a text with its baseline through `at` and capitals `capital` pixels high.
    pub fn text(&mut self, at: [f32; 2], text: &str, capital: f32, align: Align, color: Rgb) {
        let shift = shift(text, capital, align);
        let place = |[x, y]: Point| [at[0] + x - shift, at[1] - y];
        self.placed(text, capital, color, place);
    }

    /// The same, running upwards: for the titles of vertical axes.
    pub fn text_upwards(
        &mut self,
        at: [f32; 2],
        text: &str,
        capital: f32,
        align: Align,
        color: Rgb,
    ) {
        let shift = shift(text, capital, align);
        let place = |[x, y]: Point| [at[0] - y, at[1] - x + shift];
        self.placed(text, capital, color, place);
    }

    fn placed(&mut self, text: &str, capital: f32, color: Rgb, place: impl Fn(Point) -> Point) {
        let mut lines = strokes(text, capital);
        lines.iter_mut().flatten().for_each(|p| *p = place(*p));
        self.strokes(&lines, (0.135 * capital).max(1.05), color, 1.0);
    }

    /// Draws several lines as one shape: where they overlap the colour is not laid on twice.
    fn strokes(&mut self, lines: &[Vec<Point>], width: f32, color: Rgb, alpha: f32) {
        let half = 0.5 * width.max(0.0);
        let Some(mut mask) = Mask::around(lines, half + 1.0, self.picture) else { return };
        for line in lines {
            for pair in line.windows(2) {
                mask.segment(pair[0], pair[1], half);
            }
        }
        // Thinner than a pixel: as wide as one, but fainter.
        mask.blend(self.picture, color, alpha * width.clamp(0.0, 1.0));
    }
}

fn shift(text: &str, capital: f32, align: Align) -> f32 {
    match align {
        Align::Left => 0.0,
        Align::Center => 0.5 * text_width(text, capital),
        Align::Right => text_width(text, capital),
    }
}

/// How much of each pixel in a rectangle a shape covers.
struct Mask {
    x: usize,
    y: usize,
    width: usize,
    cover: Vec<f32>,
}

impl Mask {
    /// An empty mask around lines and a margin, within the picture.
    fn around(lines: &[Vec<Point>], margin: f32, picture: &Picture) -> Option<Self> {
        let points = || lines.iter().flatten().filter(|p| p[0].is_finite() && p[1].is_finite());
        let span = |c: usize, size: usize| {
            let low = points().map(|p| p[c]).fold(f32::INFINITY, f32::min) - margin;
            let high = points().map(|p| p[c]).fold(f32::NEG_INFINITY, f32::max) + margin;
            // The casts saturate at zero.
            ((low.floor() as usize).min(size), (high.ceil() as usize).min(size))
        };
        let (x0, x1) = span(0, picture.width());
        let (y0, y1) = span(1, picture.height());
        let area = x1.saturating_sub(x0) * y1.saturating_sub(y0);
        (area > 0).then(|| Self { x: x0, y: y0, width: x1 - x0, cover: vec![0.0; area] })
    }

    fn segment(&mut self, a: Point, b: Point, half: f32) {
        if ![a, b].iter().flatten().all(|v| v.is_finite()) {
            return;
        }
        let reach = half.max(0.5) + 0.5;
        let span = |c: usize, first: usize, count: usize| {
            let (low, high) = (a[c].min(b[c]) - reach, a[c].max(b[c]) + reach);
            let from = (low.floor() as usize).max(first) - first;
            (from.min(count), (high.ceil().max(0.0) as usize).saturating_sub(first).min(count))
        };
        let (x0, x1) = span(0, self.x, self.width);
        let (y0, y1) = span(1, self.y, self.cover.len() / self.width);
        let d = [b[0] - a[0], b[1] - a[1]];
        let inv = 1.0 / (d[0] * d[0] + d[1] * d[1]).max(1e-12);
        for j in y0..y1 {
            for i in x0..x1 {
                let p = [(self.x + i) as f32 + 0.5 - a[0], (self.y + j) as f32 + 0.5 - a[1]];
                let t = ((p[0] * d[0] + p[1] * d[1]) * inv).clamp(0.0, 1.0);
                let (ex, ey) = (p[0] - t * d[0], p[1] - t * d[1]);
                let cover = (reach - (ex * ex + ey * ey).sqrt()).clamp(0.0, 1.0);
                let cell = &mut self.cover[j * self.width + i];
                *cell = cell.max(cover);
            }
        }
    }

    fn blend(&self, picture: &mut Picture, color: Rgb, alpha: f32) {
        for (j, row) in self.cover.chunks_exact(self.width).enumerate() {
            let pixels = &mut picture.row_mut(self.y + j)[self.x..self.x + self.width];
            for (pixel, cover) in pixels.iter_mut().zip(row) {
                *pixel = mix(*pixel, color, alpha * cover);
            }
        }
    }
}
