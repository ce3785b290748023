//! STL: a list of facets as text or binary, with all corners written out.
//!
//! Many binary files start with "solid", the keyword of text files, so the length decides: a file of exactly
//! `84 + 50 n` bytes with n in its header is binary. Normals are ignored: a facet's vertices are counter-clockwise
//! as seen from outside.

use super::cursor::{ByteOrder, Cursor, name_of};
use super::{Format, ImportError, Imported, Problem, Source};
use crate::surface::Surface;

const HEADER_BYTES: usize = 84;
const FACET_BYTES: usize = 50;

pub(super) const FORMAT: Format =
    Format { name: "STL", extensions: &["stl"], content: "triangles; text and binary", read };

fn read(source: &Source) -> Result<Imported, ImportError> {
    let bytes = source.bytes;
    if bytes.is_empty() {
        return Err(source.error(Problem::Empty));
    }
    let text = bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    let surfaces = match announced(bytes) {
        Some(n) if bytes.len() as u64 == HEADER_BYTES as u64 + FACET_BYTES as u64 * n => {
            binary(source)?
        }
        _ if text => ascii(source)?,
        _ => binary(source)?,
    };
    source.surfaces(surfaces)
}

/// Number of facets in a binary header.
fn announced(bytes: &[u8]) -> Option<u64> {
    let mut n = [0; 4];
    n.copy_from_slice(bytes.get(HEADER_BYTES - 4..HEADER_BYTES)?);
    Some(u32::from_le_bytes(n).into())
}

fn binary(source: &Source) -> Result<Vec<Surface>, ImportError> {
    const WHAT: &str = "coordinate";
    let mut cursor = source.cursor();
    cursor.take(HEADER_BYTES, "the header of a binary STL file")?;
    let announced = announced(source.bytes).unwrap_or(0);
    let available = (cursor.remaining() / FACET_BYTES) as u64;
    // Extra bytes are also a wrong count: the remaining facets would be lost silently.
    if announced != available {
        return Err(cursor.byte_error(Problem::Length { what: "facets", announced, available }));
    }
    let n = announced as usize;
    source.check_vertices(3 * n)?;
    source.check_cells(n)?;
    let mut surface = Surface { name: source.stem(), ..Surface::default() };
    surface.positions.reserve_exact(3 * n);
    for _ in 0..n {
        cursor.take(12, "a normal")?;
        for _ in 0..3 {
            surface.positions.push(cursor.floats(ByteOrder::Little, WHAT)?);
        }
        cursor.take(2, "an attribute")?;
    }
    surface.triangles = corners_in_order(n);
    Ok(vec![surface])
}

/// Triangles of `n` facets: triangle `t` has the vertices 3t, 3t + 1, 3t + 2.
fn corners_in_order(n: usize) -> Vec<[u32; 3]> {
    (0..n as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()
}

fn ascii(source: &Source) -> Result<Vec<Surface>, ImportError> {
    let mut cursor = source.cursor();
    let mut surfaces = Vec::new();
    let mut vertices = 0;
    while let Some(word) = cursor.word() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(cursor.syntax("\"solid\"", word));
        }
        // The name is the rest of the line, if the line has not ended with the word.
        let ended = matches!(cursor.bytes.get(cursor.at), None | Some(b'\n' | b'\r'));
        let name = if ended { String::new() } else { name_of(cursor.line().unwrap_or_default()) };
        let mut surface = Surface { name, ..Surface::default() };
        while facet(&mut cursor, &mut surface)? {
            source.check_vertices(vertices + surface.positions.len())?;
        }
        vertices += surface.positions.len();
        surface.triangles = corners_in_order(surface.positions.len() / 3);
        surfaces.push(surface);
    }
    source.check_cells(vertices / 3)?;
    Ok(surfaces)
}

/// Reads a facet, or the end of the solid; at the end nothing is added and it returns false.
fn facet(cursor: &mut Cursor, surface: &mut Surface) -> Result<bool, ImportError> {
    let word = cursor.expect_word("a solid (no \"endsolid\")")?;
    if word.eq_ignore_ascii_case(b"endsolid") {
        // The name may be repeated on the same line.
        if !matches!(cursor.bytes.get(cursor.at), None | Some(b'\n' | b'\r')) {
            cursor.line();
        }
        return Ok(false);
    }
    if !word.eq_ignore_ascii_case(b"facet") {
        return Err(cursor.syntax("\"facet\" or \"endsolid\"", word));
    }
    // Normals are often invalid (even "nan") although the triangles are good.
    cursor.expect_keyword("normal")?;
    for _ in 0..3 {
        cursor.expect_word("a normal")?;
    }
    cursor.expect_keyword("outer")?;
    cursor.expect_keyword("loop")?;
    for _ in 0..3 {
        cursor.expect_keyword("vertex")?;
        surface.positions.push(cursor.point()?);
    }
    cursor.expect_keyword("endloop")?;
    cursor.expect_keyword("endfacet")?;
    Ok(true)
}
