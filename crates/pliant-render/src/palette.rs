//! Palettes of 255 colours by median cut, with nearest-colour lookup.
//!
//! Colours are counted in 64 steps per channel. The box of colours with the largest extent, weighted by its
//! number of pixels, is split at its median until there are enough boxes.

use crate::color::Rgb;
use crate::picture::Picture;

/// Bits per channel.
const BITS: usize = 6;
const CELLS: usize = 1 << (3 * BITS);
/// Number of colours; the last index is reserved for "unchanged".
const COLORS: usize = 255;

/// Palette of a film.
#[derive(Clone, Debug)]
pub struct Palette {
    colors: Vec<Rgb>,
    /// Palette index nearest to the centre of each cell.
    nearest: Vec<u8>,
}

/// Colour sum and pixel count of a cell.
#[derive(Clone, Copy, Default)]
struct Cell {
    sum: [u64; 3],
    count: u64,
}

impl Palette {
    /// Computes the palette of some pictures; use a sample from the whole film.
    pub fn of<'a>(pictures: impl IntoIterator<Item = &'a Picture>) -> Self {
        let mut cells = vec![Cell::default(); CELLS];
        for pixel in pictures.into_iter().flat_map(Picture::pixels) {
            let cell = &mut cells[cell_of(*pixel)];
            cell.count += 1;
            (0..3).for_each(|c| cell.sum[c] += u64::from(pixel[c]));
        }
        let used: Vec<(Rgb, u64)> = cells
            .iter()
            .filter(|cell| cell.count > 0)
            .map(|cell| (cell.sum.map(|s| (s / cell.count) as u8), cell.count))
            .collect();
        let colors = cut(used);
        let nearest = (0..CELLS).map(|cell| nearest(&colors, middle_of(cell))).collect();
        Self { colors, nearest }
    }

    /// Colours of the palette.
    pub fn colors(&self) -> &[Rgb] {
        &self.colors
    }

    /// Index of a palette colour close to this colour.
    pub(crate) fn index(&self, color: Rgb) -> u8 {
        self.nearest[cell_of(color)]
    }
}

fn cell_of(color: Rgb) -> usize {
    let [r, g, b] = color.map(|c| usize::from(c) >> (8 - BITS));
    (r << (2 * BITS)) | (g << BITS) | b
}

fn middle_of(cell: usize) -> Rgb {
    let mask = (1 << BITS) - 1;
    let channel = |shift: usize| (((cell >> shift) & mask) << (8 - BITS) | 1 << (7 - BITS)) as u8;
    [channel(2 * BITS), channel(BITS), channel(0)]
}

fn nearest(colors: &[Rgb], color: Rgb) -> u8 {
    let distance = |other: &Rgb| -> u32 {
        // The eye is most sensitive to green and least to blue.
        let weights = [3, 6, 2];
        (0..3).map(|c| weights[c] * u32::from(color[c].abs_diff(other[c])).pow(2)).sum()
    };
    let best = colors.iter().enumerate().min_by_key(|(_, other)| distance(other));
    best.map_or(0, |(k, _)| k as u8)
}

/// Splits the colours into boxes and returns the mean of each.
fn cut(colors: Vec<(Rgb, u64)>) -> Vec<Rgb> {
    let mut boxes = vec![colors];
    while boxes.len() < COLORS {
        let spread = |colors: &Vec<(Rgb, u64)>| {
            let (channel, width) = widest(colors);
            let count: u64 = colors.iter().map(|(_, n)| n).sum();
            // Weighted by the square root of the count, so that rare colours such as highlights get their
            // share.
            (u64::from(width) * (count as f64).sqrt() as u64 + u64::from(width), channel)
        };
        let ranked = boxes.iter().enumerate().map(|(k, b)| (spread(b), k));
        let Some(((_, channel), k)) = ranked.filter(|((s, _), _)| *s > 0).max_by_key(|r| r.0.0)
        else {
            break;
        };
        let mut colors = boxes.swap_remove(k);
        colors.sort_by_key(|(color, _)| (color[channel], *color));
        let half = colors.iter().map(|(_, n)| n).sum::<u64>() / 2;
        let mut seen = 0;
        let middle = colors.iter().position(|(_, n)| {
            seen += n;
            seen > half
        });
        let middle = middle.unwrap_or(0).clamp(1, colors.len() - 1);
        let upper = colors.split_off(middle);
        boxes.push(colors);
        boxes.push(upper);
    }
    let mut means: Vec<Rgb> = boxes.iter().filter(|b| !b.is_empty()).map(|b| mean(b)).collect();
    means.sort_unstable();
    means
}

/// Channel with the largest range of colours, and that range.
fn widest(colors: &[(Rgb, u64)]) -> (usize, u8) {
    let width = |c: usize| {
        let low = colors.iter().map(|(color, _)| color[c]).min().unwrap_or(0);
        colors.iter().map(|(color, _)| color[c]).max().unwrap_or(0) - low
    };
    let widths = [0, 1, 2].map(|c| (c, width(c)));
    widths.into_iter().max_by_key(|(_, w)| *w).unwrap_or((0, 0))
}

fn mean(colors: &[(Rgb, u64)]) -> Rgb {
    let count: u64 = colors.iter().map(|(_, n)| n).sum::<u64>().max(1);
    std::array::from_fn(|c| {
        let sum: u64 = colors.iter().map(|(color, n)| u64::from(color[c]) * n).sum();
        ((sum + count / 2) / count) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_colours_are_kept_exactly() {
        let mut picture = Picture::new(8, 8, [250, 20, 30]);
        picture.row_mut(3).fill([10, 200, 90]);
        let palette = Palette::of([&picture]);
        assert_eq!(palette.colors(), [[10, 200, 90], [250, 20, 30]]);
        assert_eq!(palette.index([12, 204, 88]), 0);
    }

    #[test]
    fn a_gradient_fills_the_palette() {
        let mut picture = Picture::new(256, 64, [0; 3]);
        for y in 0..64 {
            for (x, pixel) in picture.row_mut(y).iter_mut().enumerate() {
                *pixel = [x as u8, (4 * y) as u8, 128];
            }
        }
        assert_eq!(Palette::of([&picture]).colors().len(), COLORS);
    }
}
