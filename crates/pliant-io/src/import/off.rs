//! Object File Format (OFF) as text: counts, a line for each vertex, a line for each polygon.
//!
//! Letters before the keyword `OFF` say what a vertex line has after the position: `N` a normal, `C` a colour, `ST`
//! texture coordinates, which come last. Normals, colours and the number of edges are ignored. Text after `#` is a
//! comment. The keyword may be missing, and some programs write the counts on its line, even without a blank between.

use super::cursor::{Cursor, words};
use super::{Format, ImportError, Imported, Problem, Source, fan};
use crate::surface::{Surface, Uvs};

pub(super) const FORMAT: Format = Format {
    name: "Object File Format",
    extensions: &["off"],
    content: "polygons, texture coordinates of vertices; text",
    read,
};

fn read(source: &Source) -> Result<Imported, ImportError> {
    let mut cursor = source.cursor();
    let (mut counts, has_uvs) = header(&mut cursor)?;
    if counts.is_empty() {
        counts = cursor.content_without_comment("the counts")?;
    }
    let mut list = words(counts);
    let vertices = cursor.natural_of(list.next().unwrap_or_default(), "number of vertices")?;
    let faces = cursor.natural_of(list.next().unwrap_or_default(), "number of faces")?;
    // Three numbers of a vertex, four of a triangle, and the separators after them.
    let vertices = cursor.check_capacity(vertices, 6, "vertices")?;
    let faces = cursor.check_capacity(faces, 8, "faces")?;
    source.check_vertices(vertices)?;
    let mut surface = Surface { name: source.stem(), ..Surface::default() };
    surface.positions.reserve_exact(vertices);
    let mut uvs = Vec::new();
    for _ in 0..vertices {
        let line = cursor.content_without_comment("the vertices")?;
        let mut list = words(line);
        let mut point = [0.0; 3];
        for x in &mut point {
            *x = cursor.real_of(list.next().unwrap_or_default(), "coordinate")?;
        }
        surface.positions.push(point);
        if has_uvs {
            if list.nth(1).is_none() {
                return Err(cursor.syntax("two texture coordinates at the end", line));
            }
            let mut last = line.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let mut coordinate =
                || cursor.real_of(last.next().unwrap_or_default(), "texture coordinate");
            let (v, u) = (coordinate()?, coordinate()?);
            uvs.push([u, v]);
        }
    }
    let mut corners = Vec::new();
    for _ in 0..faces {
        let line = cursor.content_without_comment("the faces")?;
        polygon(source, &cursor, line, vertices, &mut corners)?;
        source.check_cells(surface.triangles.len() + corners.len() - 2)?;
        surface.triangles.extend(fan(&corners));
    }
    if has_uvs {
        surface.uvs = Some(Uvs { values: uvs, corners: surface.triangles.clone() });
    }
    source.surfaces(vec![surface])
}

/// Reads the keyword, which may be missing. Returns the counts if they are on its line, and true if vertices have
/// texture coordinates.
fn header<'a>(cursor: &mut Cursor<'a>) -> Result<(&'a [u8], bool), ImportError> {
    let line = cursor.content_without_comment("the keyword OFF")?;
    if line.iter().all(|b| b.is_ascii_digit() || b.is_ascii_whitespace()) {
        return Ok((line, false));
    }
    let (mut rest, mut has_uvs, mut is_spatial) = (line, false, true);
    while let Some((letter, tail)) = rest.split_first().filter(|_| !rest.starts_with(b"OFF")) {
        match letter {
            b'S' if tail.starts_with(b"T") => has_uvs = true,
            b'T' if has_uvs => {}
            b'C' | b'N' => {}
            b'4' | b'n' => is_spatial = false,
            _ => break,
        }
        rest = tail;
    }
    let Some(rest) = rest.strip_prefix(b"OFF") else {
        return Err(cursor.syntax("the keyword OFF", line));
    };
    let unsupported = |what: &str, remedy| {
        let what = what.to_owned();
        Err(cursor.error(Problem::Unsupported { what, remedy }))
    };
    let rest = rest.trim_ascii();
    if !is_spatial {
        return unsupported("an OFF file whose dimension is not 3", "export it with x, y and z");
    }
    if rest.starts_with(b"BINARY") {
        return unsupported("a binary OFF file", "save it as text");
    }
    Ok((rest, has_uvs))
}

/// Reads the vertices of a polygon; what follows them on the line is its colour.
fn polygon(
    source: &Source,
    cursor: &Cursor,
    line: &[u8],
    count: usize,
    corners: &mut Vec<u32>,
) -> Result<(), ImportError> {
    let mut list = words(line);
    let number = cursor.natural_of(list.next().unwrap_or_default(), "number of corners")?;
    if number < 3 {
        return Err(cursor.syntax("a face of at least three corners", line));
    }
    source.check_cells(usize::try_from(number).unwrap_or(usize::MAX))?;
    corners.clear();
    for _ in 0..number {
        let word = list.next().unwrap_or_default();
        let v = cursor.integer_of(word, "vertex index")?;
        if !(0..count as i64).contains(&v) {
            let found = v.to_string();
            return Err(cursor.error(Problem::Index { what: "vertex", found, count }));
        }
        corners.push(v as u32);
    }
    Ok(())
}
