//! 2-D drawing on a picture: anti-aliased rectangles, lines and text.

use crate::color::{Rgb, mix};
use crate::font::{Point, strokes, text_width};
use crate::picture::Picture;

/// Horizontal alignment of a text relative to its anchor point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// The text starts at the anchor.
    Left,
    /// The text is centred on the anchor.
    Center,
    /// The text ends at the anchor.
    Right,
}

/// A drawing surface on a picture. Coordinates are in pixels from the upper left corner; the centre of the
/// first pixel is at (0.5, 0.5).
pub struct Canvas<'a> {
    picture: &'a mut Picture,
}

impl<'a> Canvas<'a> {
    /// Creates a canvas on a picture.
    pub fn new(picture: &'a mut Picture) -> Self {
        Self { picture }
    }

    /// Width of a text \[pixels\] with capitals `capital` pixels high.
    pub fn text_width(text: &str, capital: f32) -> f32 {
        text_width(text, capital)
    }

    /// Fills a rectangle of `size` (width and height) with its corner at (`x`, `y`); `alpha` is from 0
    /// (transparent) to 1.
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

    /// Draws a polyline, `width` pixels wide, with round caps and joins.
    pub fn line(&mut self, points: &[[f32; 2]], width: f32, color: Rgb, alpha: f32) {
        self.strokes(&[points.to_vec()], width, color, alpha);
    }

    /// Fills a circle.
    pub fn disc(&mut self, center: [f32; 2], radius: f32, color: Rgb) {
        self.line(&[center, center], 2.0 * radius, color, 1.0);
    }

    /// Draws a text with its baseline through `at` and capitals `capital` pixels high.
    pub fn text(&mut self, at: [f32; 2], text: &str, capital: f32, align: Align, color: Rgb) {
        let shift = shift(text, capital, align);
        let place = |[x, y]: Point| [at[0] + x - shift, at[1] - y];
        self.placed(text, capital, color, place);
    }

    /// Draws a text that runs upwards, for the titles of vertical axes.
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

    /// Draws several lines as one shape, so that overlaps are not blended twice.
    fn strokes(&mut self, lines: &[Vec<Point>], width: f32, color: Rgb, alpha: f32) {
        let half = 0.5 * width.max(0.0);
        let Some(mut mask) = Mask::around(lines, half + 1.0, self.picture) else { return };
        for line in lines {
            for pair in line.windows(2) {
                mask.segment(pair[0], pair[1], half);
            }
        }
        // A line thinner than a pixel is drawn one pixel wide, but fainter.
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

/// Coverage of the pixels in a rectangle by a shape.
struct Mask {
    x: usize,
    y: usize,
    width: usize,
    cover: Vec<f32>,
}

impl Mask {
    /// Creates an empty mask around lines with a margin, clipped to the picture.
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
