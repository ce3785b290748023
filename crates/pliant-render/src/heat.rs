//! Heat maps: numbers as colours, and the legend that says which.

use crate::canvas::{Align, Canvas};
use crate::color::{INK, Rgb, mix};
use crate::picture::Picture;

/// From cold to hot, with even steps of lightness around a pale middle.
const SCALE: [Rgb; 7] = [
    [46, 62, 140],
    [52, 116, 178],
    [96, 178, 190],
    [240, 232, 176],
    [240, 170, 86],
    [218, 92, 62],
    [150, 24, 50],
];

/// Maps a range of numbers to colours.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    low: f32,
    high: f32,
    title: String,
}

impl HeatMap {
    /// Colours from `low` to `high`; the title stands over the legend and names the unit.
    pub fn new(low: f32, high: f32, title: &str) -> Self {
        Self { low, high, title: title.to_owned() }
    }

    /// The colour of a number. Outside the range it is that of the nearer end; grey if the number
    /// is not one.
    pub fn color(&self, value: f32) -> Rgb {
        if value.is_nan() {
            return [128; 3];
        }
        let span = (self.high - self.low).abs().max(f32::MIN_POSITIVE);
        let t = ((value - self.low) / span).clamp(0.0, 1.0) * (SCALE.len() - 1) as f32;
        let k = (t as usize).min(SCALE.len() - 2);
        mix(SCALE[k], SCALE[k + 1], t - k as f32)
    }

    /// The colours of numbers, for [`Paint::Vertices`](crate::Paint::Vertices).
    pub fn colors(&self, values: &[f32]) -> Vec<Rgb> {
        values.iter().map(|v| self.color(*v)).collect()
    }

    /// Draws the legend at the left lower corner of a picture.
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

/// A number with at most three digits after the point.
fn short(value: f32) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_range_have_the_ends_of_the_scale() {
        let map = HeatMap::new(0.0, 2.0, "strain");
        assert_eq!(map.color(-1.0), SCALE[0]);
        assert_eq!(map.color(0.0), SCALE[0]);
        assert_eq!(map.color(1.0), SCALE[3]);
        assert_eq!(map.color(2.0), SCALE[6]);
        assert_eq!(map.color(f32::INFINITY), SCALE[6]);
        assert_eq!(map.color(f32::NAN), [128; 3]);
    }
}
