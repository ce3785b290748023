//! Wavefront OBJ: polygons with texture coordinates, objects, groups and material names.
//!
//! Positions and texture coordinates have separate indices, which count from 1, or backwards from the latest
//! item if negative. Polygons are triangulated as fans. A file with several objects (`o`) gives several
//! surfaces, each with the vertices that it uses, in file order; a file with one object keeps all its vertices.
//! The material library (`mtllib`) is never opened: materials become groups by their names, and appearance is
//! not simulated. Curves, lines, points, normals and smoothing are ignored.

use super::cursor::{Cursor, name_of, words};
use super::{Format, Groups, ImportError, Imported, Problem, Source, fan};
use crate::surface::{Surface, Uvs};

/// Marker of a missing texture coordinate.
const NONE: u32 = u32::MAX;

/// Maximum number of groups per face.
const MAX_GROUPS_PER_FACE: u64 = 16;

#[derive(Default)]
struct Object {
    name: String,
    triangles: Vec<[u32; 3]>,
    uvs: Vec<[u32; 3]>,
    groups: Groups,
    materials: Groups,
}

#[derive(Default)]
struct State {
    positions: Vec<[f64; 3]>,
    uvs: Vec<[f64; 2]>,
    objects: Vec<Object>,
    /// Names of the active groups.
    groups: Vec<String>,
    material: Option<String>,
    /// Their indices in the latest object, resolved at its next face.
    current: Option<(Vec<usize>, Option<usize>)>,
}

pub(super) const FORMAT: Format = Format {
    name: "Wavefront OBJ",
    extensions: &["obj"],
    content: "polygons, texture coordinates, groups, material names, objects",
    read,
};

fn read(source: &Source) -> Result<Imported, ImportError> {
    let mut cursor = source.cursor();
    let mut state = State::default();
    let mut corners = Vec::new();
    let mut cells = 0;
    let mut joined = Vec::new();
    while let Some(mut line) = cursor.line() {
        // A backslash at the end of a line continues it.
        if line.last() == Some(&b'\\') {
            joined.clear();
            while let Some((b'\\', start)) = line.split_last() {
                joined.extend_from_slice(start);
                joined.push(b' ');
                line = cursor.line().unwrap_or_default();
            }
            joined.extend_from_slice(line);
            statement(&cursor, &joined, &mut state, &mut corners)?;
        } else {
            statement(&cursor, line, &mut state, &mut corners)?;
        }
        if !corners.is_empty() {
            cells += corners.len() - 2;
            source.check_cells(cells)?;
            add_face(&mut state, &corners);
            corners.clear();
        }
        source.check_vertices(state.positions.len().max(state.uvs.len()))?;
    }
    let surfaces = finish(source, state)?;
    source.surfaces(surfaces)
}

/// Reads one statement; the corners of a face (position, texture coordinate) are stored in `corners`.
fn statement(
    cursor: &Cursor,
    line: &[u8],
    state: &mut State,
    corners: &mut Vec<(u32, u32)>,
) -> Result<(), ImportError> {
    let line = line.split(|&b| b == b'#').next().unwrap_or_default().trim_ascii();
    let mut list = words(line);
    let Some(keyword) = list.next() else { return Ok(()) };
    let missing = || cursor.error(Problem::Truncated { what: "a line of coordinates" });
    match keyword {
        b"v" => {
            let mut point = [0.0; 3];
            for x in &mut point {
                *x = cursor.real_of(list.next().ok_or_else(missing)?, "coordinate")?;
            }
            state.positions.push(point);
        }
        b"vt" => {
            // The second coordinate is optional.
            let u = cursor.real_of(list.next().ok_or_else(missing)?, "texture coordinate")?;
            let v = list.next().map(|w| cursor.real_of(w, "texture coordinate")).transpose()?;
            state.uvs.push([u, v.unwrap_or(0.0)]);
        }
        b"f" | b"fo" => {
            for word in list {
                corners.push(corner(cursor, word, state)?);
            }
            if corners.len() < 3 {
                return Err(cursor.syntax("a face with at least three vertices", line));
            }
        }
        b"o" => {
            state.objects.pop_if(|last| last.triangles.is_empty());
            state.objects.push(Object { name: rest_of(line, keyword), ..Object::default() });
            state.current = None;
        }
        b"g" => {
            state.groups = list.map(name_of).collect();
            state.groups.sort_unstable();
            state.groups.dedup();
            state.current = None;
            // Every face is listed in all of its groups, which multiplies the data.
            let (what, found) = ("groups of one face", state.groups.len() as u64);
            if found > MAX_GROUPS_PER_FACE {
                return Err(cursor.error(Problem::TooLarge {
                    what,
                    found,
                    most: MAX_GROUPS_PER_FACE,
                }));
            }
        }
        b"usemtl" => {
            state.material = Some(rest_of(line, keyword));
            state.current = None;
        }
        // A disguised binary file would otherwise parse as an empty mesh.
        _ if !keyword.iter().all(|b| b.is_ascii_graphic()) => {
            return Err(cursor.syntax("a statement", keyword));
        }
        _ => {}
    }
    Ok(())
}

fn rest_of(line: &[u8], keyword: &[u8]) -> String {
    name_of(&line[keyword.len()..])
}

/// Parses the position and texture coordinate of a corner such as `3`, `3/2`, `3//1` or `3/2/1`.
fn corner(cursor: &Cursor, word: &[u8], state: &State) -> Result<(u32, u32), ImportError> {
    let mut parts = word.split(|&b| b == b'/');
    let position = parts.next().unwrap_or_default();
    let uv = parts.next().unwrap_or_default();
    let position = index(cursor, position, "vertex", state.positions.len())?;
    let uv = match uv {
        b"" => NONE,
        uv => index(cursor, uv, "texture coordinate", state.uvs.len())?,
    };
    Ok((position, uv))
}

/// Converts a file index, counted from 1 or backwards, to one counted from 0.
fn index(
    cursor: &Cursor,
    word: &[u8],
    what: &'static str,
    count: usize,
) -> Result<u32, ImportError> {
    let found = cursor.integer_of(word, "index")?;
    let index = if found < 0 { found.checked_add(count as i64) } else { found.checked_sub(1) };
    match index {
        Some(i) if (0..count as i64).contains(&i) => Ok(i as u32),
        _ => Err(cursor.error(Problem::Index { what, found: found.to_string(), count })),
    }
}

fn add_face(state: &mut State, corners: &[(u32, u32)]) {
    if state.objects.is_empty() {
        state.objects.push(Object::default());
    }
    let State { objects, groups, material, current, .. } = state;
    let Some(object) = objects.last_mut() else { return };
    let (groups, material) = current.get_or_insert_with(|| {
        let groups = groups.iter().map(|name| object.groups.named(name.clone())).collect();
        (groups, material.as_ref().map(|name| object.materials.named(name.clone())))
    });
    for triangle in fan(corners) {
        let t = object.triangles.len();
        object.triangles.push(triangle.map(|corner| corner.0));
        object.uvs.push(triangle.map(|corner| corner.1));
        groups.iter().for_each(|&group| object.groups.add(group, t));
        material.iter().for_each(|&group| object.materials.add(group, t));
    }
}

fn finish(source: &Source, state: State) -> Result<Vec<Surface>, ImportError> {
    let State { positions, uvs, mut objects, .. } = state;
    objects.retain(|object| !object.triangles.is_empty());
    let whole = objects.len() == 1;
    let mut surfaces = Vec::with_capacity(objects.len());
    let mut total = 0;
    for object in objects {
        let Object { name, mut triangles, uvs: mut corners, groups, materials } = object;
        let positions = if whole { positions.clone() } else { compact(&positions, &mut triangles) };
        let textured = corners.as_flattened().iter().any(|&uv| uv != NONE);
        let uvs = textured.then(|| {
            let mut values = if whole { uvs.clone() } else { compact(&uvs, &mut corners) };
            // Faces without texture coordinates in a surface that has some get the origin.
            if corners.as_flattened().contains(&NONE) {
                let origin = values.len() as u32;
                values.push([0.0; 2]);
                let bare = corners.as_flattened_mut().iter_mut().filter(|uv| **uv == NONE);
                bare.for_each(|uv| *uv = origin);
            }
            Uvs { values, corners }
        });
        total += positions.len();
        source.check_vertices(total)?;
        let name = if name.is_empty() { source.stem() } else { name };
        let groups = [groups.finish(), materials.finish()].concat();
        surfaces.push(Surface { name, positions, triangles, uvs, groups, ..Surface::default() });
    }
    Ok(surfaces)
}

/// Returns the used values in their order and renumbers the indices.
fn compact<T: Copy>(values: &[T], cells: &mut [[u32; 3]]) -> Vec<T> {
    let mut used: Vec<u32> = cells.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    used.retain(|&i| i != NONE);
    for i in cells.as_flattened_mut() {
        // `NONE` is not found and stays `NONE`.
        *i = used.binary_search(i).map_or(NONE, |k| k as u32);
    }
    used.iter().map(|&i| values[i as usize]).collect()
}
