//! Base colour texture of a pattern, as PNG.

use pliant_scenes::describe::{Appearance, Color};

/// Texels along a side.
const SIDE: usize = 1024;

/// PNG of a pattern over texture coordinates from 0 to 1; `None` without a pattern.
pub(super) fn png(appearance: &Appearance) -> Option<Vec<u8>> {
    let pattern = appearance.pattern?;
    let Color(first) = appearance.color.unwrap_or(Color([255; 3]));
    let Color(second) = pattern.color;
    // Shares are 0, one half and 1, and so are the indices into the palette 0, 1 and 2.
    let middle: [u8; 3] =
        std::array::from_fn(|c| (u16::from(first[c]) + u16::from(second[c])).div_ceil(2) as u8);
    let at = |texel: usize| (texel as f64 + 0.5) / SIDE as f64;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIDE as u32, SIDE as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    let palette = [first, middle, second];
    encoder.set_palette(palette.as_flattened());
    // The upper row of an image has the largest v.
    let rows = (0..SIDE).rev();
    let texels: Vec<u8> = rows
        .flat_map(|j| (0..SIDE).map(move |i| (i, j)))
        .map(|(i, j)| (2.0 * pattern.share([at(i), at(j)])) as u8)
        .collect();
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&texels).ok()?;
    writer.finish().ok()?;
    Some(bytes)
}
