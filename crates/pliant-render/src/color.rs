//! Colours: sRGB in the interface, linear light internally.
//!
//! Light is additive in linear space, so shading and averaging of samples happen there. The sRGB curve has the
//! exponents 2.4 and 1/2.4; both are computed from square roots and Newton's iteration, so that pictures are
//! bit-identical on every machine.

use std::sync::OnceLock;

/// sRGB colour: red, green and blue from 0 to 255.
pub type Rgb = [u8; 3];

/// Warm red of a cloth's front.
pub const CORAL: Rgb = [214, 84, 72];
/// Lighter tone of a cloth's back.
pub const SAND: Rgb = [236, 190, 140];
/// Muted blue.
pub const AZURE: Rgb = [66, 128, 196];
/// Green.
pub const JADE: Rgb = [72, 160, 122];
/// Violet.
pub const PLUM: Rgb = [134, 96, 172];
/// Golden yellow.
pub const HONEY: Rgb = [232, 176, 70];
/// Near black, for text and lines.
pub const INK: Rgb = [42, 48, 58];
/// Medium grey for static objects.
pub const STONE: Rgb = [150, 156, 166];

/// Colours for bodies or series; with any colour vision, most pairs are distinguishable.
pub const SERIES: [Rgb; 8] = [
    [40, 104, 184],
    [228, 122, 36],
    [36, 150, 104],
    [200, 52, 72],
    [126, 86, 176],
    [40, 164, 196],
    [150, 108, 72],
    [104, 112, 124],
];

/// Fifth root of a number from 0 to 1.
fn fifth_root(a: f64) -> f64 {
    let mut x = 1.0;
    for _ in 0..60 {
        x = if a > 0.0 { (4.0 * x + a / (x * x * x * x)) / 5.0 } else { 0.0 };
    }
    x
}

/// Cube root of a number from 0 to 1.
fn cube_root(a: f64) -> f64 {
    let mut x = 1.0;
    for _ in 0..60 {
        x = if a > 0.0 { (2.0 * x + a / (x * x)) / 3.0 } else { 0.0 };
    }
    x
}

fn decode(s: f64) -> f64 {
    if s <= 0.04045 {
        return s / 12.92;
    }
    let b = (s + 0.055) / 1.055;
    let b4 = b * b * b * b;
    fifth_root(b4 * b4 * b4)
}

fn encode(l: f64) -> f64 {
    if l <= 0.0031308 {
        return 12.92 * l;
    }
    // l^(5/12) is the cube root of the fourth root of l⁵.
    1.055 * cube_root((l * l * l * l * l).sqrt().sqrt()) - 0.055
}

/// Converts an sRGB colour to linear light, 0 to 1 per channel.
pub(crate) fn linear(color: Rgb) -> [f32; 3] {
    static TABLE: OnceLock<[f32; 256]> = OnceLock::new();
    let table = TABLE.get_or_init(|| std::array::from_fn(|i| decode(i as f64 / 255.0) as f32));
    color.map(|c| table[usize::from(c)])
}

/// Lookup table from linear light to sRGB.
pub(crate) struct Encoder {
    table: &'static [u8],
}

const ENCODER_STEPS: usize = 4096;

impl Encoder {
    pub(crate) fn new() -> Self {
        static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
        let level = |i: usize| (encode(i as f64 / (ENCODER_STEPS - 1) as f64) * 255.0 + 0.5) as u8;
        Self { table: TABLE.get_or_init(|| (0..ENCODER_STEPS).map(level).collect()) }
    }

    pub(crate) fn srgb(&self, light: [f32; 3]) -> Rgb {
        // Values above one become white, and NaN becomes black. A cast to 32 bits costs less than one to 64.
        light.map(|l| {
            let step = (l * (ENCODER_STEPS - 1) as f32 + 0.5).clamp(0.0, (ENCODER_STEPS - 1) as f32)
                as i32;
            self.table[step as usize % ENCODER_STEPS]
        })
    }
}

/// Interpolates from `a` (`t` = 0) to `b` (`t` = 1), in sRGB.
pub fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    let t = t.clamp(0.0, 1.0);
    std::array::from_fn(|c| (f32::from(a[c]) + t * (f32::from(b[c]) - f32::from(a[c])) + 0.5) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_survives_the_way_to_linear_light_and_back() {
        let encoder = Encoder::new();
        for level in 0..=255 {
            assert_eq!(encoder.srgb(linear([level; 3])), [level; 3]);
        }
    }

    #[test]
    fn middle_grey_has_a_fifth_of_the_light() {
        // 0.2158 is the value of the standard's curve at 128/255.
        assert!((linear([128; 3])[0] - 0.215_86).abs() < 1e-4);
    }
}
