//! Screenshots as PNG files.

use egui::ColorImage;
use pliant_session::protocol::SavedFile;

/// Encodes an image as a PNG file of this name.
pub fn png(name: &str, image: &ColorImage) -> Result<SavedFile, String> {
    let [width, height] = image.size.map(|n| n as u32);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let pixels: Vec<u8> = image.pixels.iter().flat_map(|p| [p.r(), p.g(), p.b()]).collect();
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&pixels))
        .map_err(|e| format!("cannot encode the screenshot: {e}"))?;
    Ok(SavedFile { name: format!("{name}.png"), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::Color32;

    #[test]
    fn a_picture_becomes_a_file() {
        let image = ColorImage::filled([4, 3], Color32::RED);
        let file = png("test", &image).expect("a file");
        assert_eq!(file.name, "test.png");
        assert_eq!(&file.bytes[1..4], b"PNG");
    }
}
