//! Colour maps for scalar fields, with a legend.

use crate::canvas::{Align, Canvas};
use crate::color::{INK, Rgb, mix};
use crate::picture::Picture;

/// Colours from cold to hot, with uniform steps of lightness around a pale middle.
const COLORMAP_STOPS: [Rgb; 7] = [
    [46, 62, 140],
    [52, 116, 178],
    [96, 178, 190],
    [240, 232, 176],
    [240, 170, 86],
    [218, 92, 62],
    [150, 24, 50],
];

/// Colour map of a range of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Colormap {
    low: f32,
    high: f32,
    title: String,
}

impl Colormap {
    /// Creates a map of colours from `low` to `high`; the title above the legend names the unit.
    pub fn new(low: f32, high: f32, title: &str) -> Self {
        Self { low, high, title: title.to_owned() }
    }

    /// Colour of a number, clamped to the range; grey for NaN.
    pub fn color(&self, value: f32) -> Rgb {
        if value.is_nan() {
            return [128; 3];
        }
        let span = (self.high - self.low).abs().max(f32::MIN_POSITIVE);
        let t = ((value - self.low) / span).clamp(0.0, 1.0) * (COLORMAP_STOPS.len() - 1) as f32;
        let k = (t as usize).min(COLORMAP_STOPS.len() - 2);
        mix(COLORMAP_STOPS[k], COLORMAP_STOPS[k + 1], t - k as f32)
    }

    /// Colours of numbers, for [`Paint::Vertices`](crate::Paint::Vertices).
    pub fn colors(&self, values: &[f32]) -> Vec<Rgb> {
        values.iter().map(|v| self.color(*v)).collect()
    }

    /// Draws the legend in the lower left corner of a picture.
    pub fn legend(&self, picture: &mut Picture) {
        let unit = picture.height() as f32 / 720.0;
        let (wide, high, capital) = (220.0 * unit, 14.0 * unit, (11.0 * unit).max(7.0));
        let (left, top) = (28.0 * unit, picture.height() as f32 - 48.0 * unit);
        let mut canvas = Canvas::new(picture);
        let margin = 12.0 * unit;
        let panel = [wide + 2.0 * margin, high + 2.0 * margin + 3.2 * capital];
        canvas.rectangle([left - margin, top - margin - 1.6 * capital], panel, [255; 3], 0.72);
        canvas.text([left, top - 0.7 * capital], &self.title, capital, Align::Left, INK);
        let steps = wide.max(1.0) as usize;
        for i in 0..steps {
            let t = i as f32 / steps as f32;
            let color = self.color(self.low + t * (self.high - self.low));
            canvas.rectangle([left + i as f32, top], [1.0, high], color, 1.0);
        }
        let labels = [(0.0, Align::Left), (0.5, Align::Center), (1.0, Align::Right)];
        for (t, align) in labels {
            let text = short(self.low + t * (self.high - self.low));
            let at = [left + t * wide, top + high + 1.6 * capital];
            canvas.text(at, &text, capital, align, INK);
        }
    }
}

/// Formats a number with at most three decimals.
fn short(value: f32) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_range_have_the_ends_of_the_scale() {
        let map = Colormap::new(0.0, 2.0, "strain");
        assert_eq!(map.color(-1.0), COLORMAP_STOPS[0]);
        assert_eq!(map.color(0.0), COLORMAP_STOPS[0]);
        assert_eq!(map.color(1.0), COLORMAP_STOPS[3]);
        assert_eq!(map.color(2.0), COLORMAP_STOPS[6]);
        assert_eq!(map.color(f32::INFINITY), COLORMAP_STOPS[6]);
        assert_eq!(map.color(f32::NAN), [128; 3]);
    }
}
