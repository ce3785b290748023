//! Sample that the export tests and the Blender check write: a waving tube of cloth whose texture has a
//! seam, in two groups, and a strand beside it.
#![allow(dead_code, reason = "each test uses a part")]

use std::path::{Path, PathBuf};

use pliant::math::{cos, sin};
use pliant_io::Surface;
use pliant_io::export::{self, Exporter, Strands, Timing, Track};
use pliant_io::surface::{Group, Uvs};

/// Frames per second of the sample \[1/s\].
pub const FPS: f64 = 24.0;
/// Vertices around and along the tube, and of the strand.
const AROUND: u32 = 16;
const ALONG: u32 = 11;
const STRAND: u32 = 9;

/// The tube at rest: every vertex once, while the seam has two texture coordinates.
pub fn tube() -> Surface {
    let vertex = |i: u32, j: u32| j * AROUND + i % AROUND;
    let uv = |i: u32, j: u32| j * (AROUND + 1) + i;
    let mut surface = Surface {
        name: "Sleeve \"left\"".to_owned(),
        positions: tube_at(0.0).iter().map(|p| p.map(f64::from)).collect(),
        ..Surface::default()
    };
    let mut uvs = Uvs::default();
    for j in 0..ALONG {
        for i in 0..=AROUND {
            let [u, v] = [f64::from(i) / f64::from(AROUND), f64::from(j) / f64::from(ALONG - 1)];
            uvs.values.push([u, v]);
        }
    }
    for j in 0..ALONG - 1 {
        for i in 0..AROUND {
            let (k, l) = (i + 1, j + 1);
            surface.triangles.push([vertex(i, j), vertex(i, l), vertex(k, l)]);
            surface.triangles.push([vertex(i, j), vertex(k, l), vertex(k, j)]);
            uvs.corners.push([uv(i, j), uv(i, l), uv(k, l)]);
            uvs.corners.push([uv(i, j), uv(k, l), uv(k, j)]);
        }
    }
    let count = surface.triangles.len() as u32;
    let group = |name: &str, range: std::ops::Range<u32>| Group {
        name: name.to_owned(),
        triangles: range.collect(),
    };
    surface.groups = vec![group("cuff", 0..count / 4), group("arm", count / 4..count)];
    surface.uvs = Some(uvs);
    surface
}

/// The strand.
pub fn strand() -> Strands {
    let (name, lengths) = ("thread".to_owned(), vec![4, STRAND - 4]);
    Strands { name, lengths, width: 0.01, ..Strands::default() }
}

/// Positions of the tube's vertices \[m\] at a time \[s\].
pub fn tube_at(time: f64) -> Vec<[f32; 3]> {
    let mut positions = Vec::new();
    for j in 0..ALONG {
        for i in 0..AROUND {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(AROUND);
            let height = f64::from(j) / f64::from(ALONG - 1);
            // Its own radius and phase for every ring, so that no two vertices are alike.
            let radius = 0.3 + 0.1 * height + 0.05 * sin(3.0 * angle + 5.0 * time);
            let bow = 0.4 * height * height * sin(2.0 * time);
            let p = [radius * cos(angle) + bow, height + 0.1 * time, radius * sin(angle) - time];
            positions.push(p.map(|c| c as f32));
        }
    }
    positions
}

/// Positions of the strand's vertices \[m\] at a time \[s\].
pub fn strand_at(time: f64) -> Vec<[f32; 3]> {
    let point = |k: u32| {
        let s = f64::from(k) / f64::from(STRAND - 1);
        [1.0 + s, 0.5 - s * s * time, 0.2 * sin(4.0 * s + time)]
    };
    (0..STRAND).map(|k| point(k).map(|c| c as f32)).collect()
}

/// The time of a frame \[s\].
pub fn time(frame: usize) -> f64 {
    frame as f64 / FPS
}

/// Pushes frames of the tube, and of the strand if it is there.
pub fn push(export: &mut dyn Exporter, frames: usize, with_strand: bool) {
    for frame in 0..frames {
        let (tube, strand) = (tube_at(time(frame)), strand_at(time(frame)));
        let bodies: &[&[[f32; 3]]] = if with_strand { &[&tube, &strand] } else { &[&tube] };
        export.frame(time(frame), bodies).expect("a frame that fits");
    }
}

/// Exports the sample to `folder/name`.
pub fn write(folder: &Path, name: &str, frames: usize, with_strand: bool) -> Vec<PathBuf> {
    let (tube, strand) = (tube(), strand());
    let tracks = [Track::surface(&tube), Track::strands(&strand)];
    let tracks = if with_strand { &tracks[..] } else { &tracks[..1] };
    let mut export =
        export::create(folder.join(name), tracks, Timing { fps: FPS }).expect("a new export");
    push(export.as_mut(), frames, with_strand);
    export.finish().expect("whole files")
}

/// An empty folder of that name for a test's files.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("target/tmp"))
        .join("export")
        .join(name);
    // It may be left from an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// The names of all files in a folder, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    let name = |e: std::io::Result<std::fs::DirEntry>| {
        e.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}
