//! Thumbnails of the gallery: one file with a tile for each scene, in the order of the scenes.
//!
//! `scripts/draw-thumbnails` generates it from the pictures of `docs/gallery`.

use egui::{ColorImage, Rect, TextureHandle, TextureOptions, pos2};

/// Width of a tile in pixels.
pub const WIDTH: usize = 120;
/// Height of a tile in pixels.
pub const HEIGHT: usize = 75;
/// Number of tiles in a row.
pub const COLUMNS: usize = 8;

const FILE: &[u8] = include_bytes!("../assets/thumbnails.png");

/// Uploads the thumbnails to the graphics card; none if the file is damaged.
pub fn load(ctx: &egui::Context) -> Option<TextureHandle> {
    let (size, pixels) = decode(FILE)?;
    let image = ColorImage::from_rgb(size, &pixels);
    Some(ctx.load_texture("thumbnails", image, TextureOptions::LINEAR))
}

/// Texture rectangle of a scene's tile.
pub fn uv_rect(scene: usize) -> Rect {
    let rows = pliant_scenes::all().len().div_ceil(COLUMNS) as f32;
    let (x, y) = ((scene % COLUMNS) as f32, (scene / COLUMNS) as f32);
    let columns = COLUMNS as f32;
    Rect::from_min_max(pos2(x / columns, y / rows), pos2((x + 1.0) / columns, (y + 1.0) / rows))
}

/// Decodes width, height and the red, green and blue values of all pixels.
fn decode(bytes: &[u8]) -> Option<([usize; 2], Vec<u8>)> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(info.buffer_size());
    let rgb = info.color_type == png::ColorType::Rgb;
    rgb.then_some(([info.width as usize, info.height as usize], pixels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_picture_of_every_scene() {
        let (size, pixels) = decode(FILE).expect("a picture");
        let rows = pliant_scenes::all().len().div_ceil(COLUMNS);
        assert_eq!(size, [COLUMNS * WIDTH, rows * HEIGHT], "run scripts/draw-thumbnails");
        for k in 0..pliant_scenes::all().len() {
            let (x, y) = (k % COLUMNS * WIDTH, k / COLUMNS * HEIGHT);
            let pixel = |i: usize, j: usize| {
                let at = 3 * ((y + j) * size[0] + x + i);
                [pixels[at], pixels[at + 1], pixels[at + 2]]
            };
            let first = pixel(0, 0);
            let differs = (0..WIDTH * HEIGHT).any(|p| {
                let here = pixel(p % WIDTH, p / WIDTH);
                (0..3).any(|c| here[c].abs_diff(first[c]) > 40)
            });
            assert!(differs, "{}: nothing to see", pliant_scenes::all()[k].name);
        }
    }
}
