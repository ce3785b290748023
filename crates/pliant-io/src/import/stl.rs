//! STL: a list of facets, as text or as binary, every corner written out.
//!
//! Many binary files start with "solid", the word by which texts are known, so the length decides:
//! a file of exactly 84 + 50 n bytes with n in its header is binary. Normals are not used: a
//! facet's vertices run counter-clockwise as seen from outside.

use super::scan::{Order, Scan, name_of};
use super::{ImportError, Imported, Problem, Source};
use crate::surface::Surface;

const HEADER: usize = 84;
const FACET: usize = 50;

pub(super) fn read(source: &Source) -> Result<Imported, ImportError> {
    let bytes = source.bytes;
    if bytes.is_empty() {
        return Err(source.error(Problem::Empty));
    }
    let text = bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    let surfaces = match announced(bytes) {
        Some(n) if bytes.len() as u64 == HEADER as u64 + FACET as u64 * n => binary(source)?,
        _ if text => ascii(source)?,
        _ => binary(source)?,
    };
    source.surfaces(surfaces)
}

/// The number of facets in a binary header.
fn announced(bytes: &[u8]) -> Option<u64> {
    let mut n = [0; 4];
    n.copy_from_slice(bytes.get(HEADER - 4..HEADER)?);
    Some(u32::from_le_bytes(n).into())
}

fn binary(source: &Source) -> Result<Vec<Surface>, ImportError> {
    const WHAT: &str = "coordinate";
    let mut scan = source.scan();
    scan.take(HEADER, "the header of a binary STL file")?;
    let announced = announced(source.bytes).unwrap_or(0);
    let available = (scan.left() / FACET) as u64;
    // Bytes left over are a wrong count as well: the rest would be lost silently.
    if announced != available {
        return Err(scan.byte_error(Problem::Length { what: "facets", announced, available }));
    }
    let n = announced as usize;
    source.check_vertices(3 * n)?;
    source.check_cells(n)?;
    let mut surface = Surface { name: source.stem(), ..Surface::default() };
    surface.positions.reserve_exact(3 * n);
    for _ in 0..n {
        scan.take(12, "a normal")?;
        for _ in 0..3 {
            surface.positions.push(scan.floats(Order::Little, WHAT)?);
        }
        scan.take(2, "an attribute")?;
    }
    surface.triangles = corners_in_order(n);
    Ok(vec![surface])
}

/// Triangle `t` has the vertices 3t, 3t + 1, 3t + 2.
fn corners_in_order(n: usize) -> Vec<[u32; 3]> {
    (0..n as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()
}

fn ascii(source: &Source) -> Result<Vec<Surface>, ImportError> {
    let mut scan = source.scan();
    let mut surfaces = Vec::new();
    let mut vertices = 0;
    while let Some(word) = scan.word() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(scan.syntax("\"solid\"", word));
        }
        // The name is the rest of the line, which the word may have ended.
        let ended = matches!(scan.bytes.get(scan.at), None | Some(b'\n' | b'\r'));
        let name = if ended { String::new() } else { name_of(scan.line().unwrap_or_default()) };
        let mut surface = Surface { name, ..Surface::default() };
        while facet(&mut scan, &mut surface)? {
            source.check_vertices(vertices + surface.positions.len())?;
        }
        vertices += surface.positions.len();
        surface.triangles = corners_in_order(surface.positions.len() / 3);
        surfaces.push(surface);
    }
    source.check_cells(vertices / 3)?;
    Ok(surfaces)
}

/// Reads a facet, or the end of the solid: then nothing is added, and the answer is no.
fn facet(scan: &mut Scan, surface: &mut Surface) -> Result<bool, ImportError> {
    let word = scan.need("a solid: \"endsolid\" is missing")?;
    if word.eq_ignore_ascii_case(b"endsolid") {
        // The name may be repeated, in the same line.
        if !matches!(scan.bytes.get(scan.at), None | Some(b'\n' | b'\r')) {
            scan.line();
        }
        return Ok(false);
    }
    if !word.eq_ignore_ascii_case(b"facet") {
        return Err(scan.syntax("\"facet\" or \"endsolid\"", word));
    }
    // Normals are often nonsense (even "nan") where the triangles are good.
    scan.keyword("normal")?;
    for _ in 0..3 {
        scan.need("a normal")?;
    }
    scan.keyword("outer")?;
    scan.keyword("loop")?;
    for _ in 0..3 {
        scan.keyword("vertex")?;
        surface.positions.push(scan.point()?);
    }
    scan.keyword("endloop")?;
    scan.keyword("endfacet")?;
    Ok(true)
}
