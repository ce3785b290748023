//! 2-D drawing on a picture: anti-aliased rectangles, lines and text.

use crate::color::{Rgb, mix};
use crate::font::{self, Point, text_width};
use ab_glyph::OutlineCurve;
use ab_glyph_rasterizer::Rasterizer;

use crate::picture::Picture;

/// Maximum area of a character \[pixels\]; larger ones are not drawn.
const MAX_GLYPH_PIXELS: f32 = 1e8;

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
        for outline in font::outlines(text, capital) {
            let outline: Vec<OutlineCurve> = outline.iter().map(|c| font::map(c, &place)).collect();
            self.fill(&outline, color);
        }
    }

    /// Fills a closed outline.
    fn fill(&mut self, outline: &[OutlineCurve], color: Rgb) {
        let span = |c: usize| {
            let places = outline.iter().flat_map(font::control_points).map(|p| p[c]);
            let (low, high) = places.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| {
                // Unlike `min` and `max`, NaN stays.
                (if v >= low { low } else { v }, if v <= high { high } else { v })
            });
            (low.floor(), high.ceil())
        };
        let ([left, right], [top, bottom]) = (<[f32; 2]>::from(span(0)), <[f32; 2]>::from(span(1)));
        let (width, height) = (self.picture.width(), self.picture.height());
        let seen = left < width as f32 && right > 0.0 && top < height as f32 && bottom > 0.0;
        if !(seen && (right - left) * (bottom - top) < MAX_GLYPH_PIXELS) {
            return;
        }
        let mut raster = Rasterizer::new((right - left) as usize + 1, (bottom - top) as usize + 1);
        for curve in outline {
            match font::map(curve, |[x, y]| [x - left, y - top]) {
                OutlineCurve::Line(a, b) => raster.draw_line(a, b),
                OutlineCurve::Quad(a, b, c) => raster.draw_quad(a, b, c),
                OutlineCurve::Cubic(a, b, c, d) => raster.draw_cubic(a, b, c, d),
            }
        }
        raster.for_each_pixel_2d(|i, j, cover| {
            let (x, y) = (left as i64 + i64::from(i), top as i64 + i64::from(j));
            if (0..width as i64).contains(&x) && (0..height as i64).contains(&y) {
                let pixel = &mut self.picture.row_mut(y as usize)[x as usize];
                // Thin strokes of dark letters would look faint: egui's curve for them.
                let cover = cover.min(1.0);
                *pixel = mix(*pixel, color, cover * (2.0 - cover));
            }
        });
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
