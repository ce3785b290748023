//! Makes the small pictures of the viewer's gallery from those of `docs/gallery`.
//!
//! `cargo run --release -p pliant-viewer --example draw_thumbnails`; `scripts/draw-thumbnails` does it.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use pliant_viewer::thumbnails::{COLUMNS, HEIGHT, WIDTH};

type Failure = Box<dyn std::error::Error>;

/// A picture of red, green and blue.
struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

fn main() -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let gallery = root.join("../../docs/gallery");
    let scenes = pliant_scenes::all();
    let rows = scenes.len().div_ceil(COLUMNS);
    let (width, height) = (COLUMNS * WIDTH, rows * HEIGHT);
    let mut sheet = vec![[255; 3]; width * height];
    for (k, scene) in scenes.iter().enumerate() {
        let file = gallery.join(format!("{}.png", scene.name.replace('_', "-")));
        let picture = read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let tile = shrink(&picture);
        for (j, row) in tile.chunks(WIDTH).enumerate() {
            let at = (k / COLUMNS * HEIGHT + j) * width + k % COLUMNS * WIDTH;
            sheet[at..at + WIDTH].copy_from_slice(row);
        }
    }
    let out = root.join("assets/thumbnails.png");
    write(&out, width, height, sheet.as_flattened())?;
    println!("{} pictures in assets/thumbnails.png", scenes.len());
    Ok(())
}

fn read(path: &Path) -> Result<Picture, Failure> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let info = reader.next_frame(&mut bytes)?;
    let channels = info.color_type.samples();
    let pixel = |p: &[u8]| if p.len() >= 3 { [p[0], p[1], p[2]] } else { [p[0]; 3] };
    let pixels = bytes[..info.buffer_size()].chunks_exact(channels).map(pixel).collect();
    Ok(Picture { width: info.width as usize, height: info.height as usize, pixels })
}

/// The picture's middle in the shape of a tile, averaged; of a sheet of several pictures the first.
fn shrink(picture: &Picture) -> Vec<[u8; 3]> {
    let (mut width, mut height) = (picture.width, picture.height);
    if width > 480 || height > 300 {
        (width, height) = (width.min(320), height.min(200));
    }
    let fit = (width as f64 / WIDTH as f64).min(height as f64 / HEIGHT as f64);
    let (left, top) =
        (0.5 * (width as f64 - fit * WIDTH as f64), 0.5 * (height as f64 - fit * HEIGHT as f64));
    let mut tile = Vec::with_capacity(WIDTH * HEIGHT);
    for j in 0..HEIGHT {
        for i in 0..WIDTH {
            let span = |first: f64, k: usize, end: usize| {
                let from = (first + fit * k as f64) as usize;
                let to = ((first + fit * (k + 1) as f64).ceil() as usize).min(end);
                from..to.max(from + 1)
            };
            let (mut sum, mut count) = ([0_u32; 3], 0);
            for y in span(top, j, height) {
                for x in span(left, i, width) {
                    let p = picture.pixels[y * picture.width + x];
                    (0..3).for_each(|c| sum[c] += u32::from(p[c]));
                    count += 1;
                }
            }
            // Five and six bits are enough for a small picture, and take half the room.
            let level = |c: usize| ((sum[c] / count) as u8 & 0xf8) | 4;
            tile.push([level(0), level(1), level(2)]);
        }
    }
    tile
}

fn write(path: &Path, width: usize, height: usize, bytes: &[u8]) -> Result<(), Failure> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::Adaptive);
    encoder.write_header()?.write_image_data(bytes)?;
    Ok(())
}
