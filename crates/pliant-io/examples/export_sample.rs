//! Writes the export sample in every format, and its positions as text, for a check by other tools:
//! `cargo run --release -p pliant-io --example export_sample folder`.

#[path = "../tests/export_sample/mod.rs"]
mod export_sample;

use std::fmt::Write;
use std::path::Path;

use export_sample::{FPS, strand_at, time, tube_at, write};
use pliant_io::export::{FORMATS, Files};

const FRAMES: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("give a folder to write to")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for format in FORMATS {
        // The other tool matches vertices of the other formats with one body alone.
        let name = format!("sample.{}", format.extension);
        write(folder, &name, FRAMES, format.files == Files::Single);
    }
    // One line per vertex: body, frame, x, y, z.
    let mut table = format!("# {FPS} frames per second\n");
    for frame in 0..FRAMES {
        for (body, positions) in [tube_at(time(frame)), strand_at(time(frame))].iter().enumerate() {
            for [x, y, z] in positions {
                writeln!(table, "{body},{frame},{x},{y},{z}")?;
            }
        }
    }
    std::fs::write(folder.join("positions.csv"), table)?;
    println!("{FRAMES} frames in {}", folder.display());
    Ok(())
}
