//! STL, binary, one file per frame: the triangles of all bodies with their corners written out.
//!
//! ```text
//! u8[80] header | u32 triangles | of every triangle: f32[3] normal, f32[3] of each corner, u16 zero
//! ```
//! All numbers are little-endian. STL has no unit: lengths are in metres, where programs for printing read millimetres.

use std::io::{self, Write};

use super::sequence::{FrameFormat, Sequence};
use super::{ExportError, Files, Format, Track};

pub(super) const FORMAT: Format = Format {
    name: "STL",
    extension: "stl",
    files: Files::PerFrame,
    form: "binary, in metres; for printing, scale by 1000",
    preserves: "triangles; strands are refused",
    has_strands: false,
    has_tears: true,
    create: |path, tracks, timing| {
        let count: usize =
            tracks.iter().filter_map(|t| t.cells().ok()).map(|s| s.triangles.len()).sum();
        if count > u32::MAX as usize {
            let (path, limit) = (path.to_owned(), "2³² − 1 triangles");
            return Err(ExportError::TooLarge { path, frame: 0, limit });
        }
        Sequence::<Stl>::create(path, tracks, timing)
    },
};

/// Header; it must not start with "solid", the keyword of text files.
const HEADER: &[u8; 80] =
    b"Binary STL by Pliant: metres, y up                                              ";

/// Triangles of each body.
struct Stl(Vec<Vec<[u32; 3]>>);

impl FrameFormat for Stl {
    const EXTENSION: &'static str = FORMAT.extension;

    fn new(tracks: &[Track<'_>]) -> Self {
        let triangles = |t: &Track<'_>| t.cells().map_or(Vec::new(), |s| s.triangles.clone());
        Self(tracks.iter().map(triangles).collect())
    }

    fn write(&self, out: &mut dyn Write, bodies: &[&[[f32; 3]]]) -> io::Result<()> {
        let count: usize = self.0.iter().map(Vec::len).sum();
        out.write_all(HEADER)?;
        out.write_all(&(count as u32).to_le_bytes())?;
        for (triangles, positions) in self.0.iter().zip(bodies) {
            for triangle in triangles {
                let corners = triangle.map(|v| positions[v as usize]);
                let [a, b, c] = corners;
                for p in [normal(corners), a, b, c] {
                    out.write_all(p.map(f32::to_le_bytes).as_flattened())?;
                }
                out.write_all(&[0; 2])?;
            }
        }
        Ok(())
    }
}

/// Unit normal, outward for counter-clockwise corners; zero for a triangle without area.
fn normal(corners: [[f32; 3]; 3]) -> [f32; 3] {
    let [a, b, c] = corners.map(|p| p.map(f64::from));
    let (d, e): ([f64; 3], [f64; 3]) =
        (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
    let n = [d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]];
    let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    if length > 0.0 { n.map(|x| (x / length) as f32) } else { [0.0; 3] }
}
