//! The inspection of a mesh: what it consists of and everything that is wrong with it.
//!
//! Defects are listed from the fundamental to the subtle, each kind in index order. A cell whose
//! indices are wrong takes no part in the checks that follow, so one slip is not reported five
//! times over. "Degenerate" is relative to the cell's longest edge, so a mesh in millimetres is
//! judged like one in kilometres.

use std::fmt;

use super::check::{Cell, MeshError};
use super::components::{fan_counts, pieces};
use super::measure::{longest_edge, tet_volume, triangle_area};
use super::tet::tet_faces;
use super::topology::{HalfEdge, boundary_edges, edges, half_edges, tet_edges};
use super::{TetMesh, TriMesh};

/// An area below this part of the longest edge squared, or a volume below this part of it cubed,
/// is rounding error.
const DEGENERATE: f64 = 1e-12;

/// What a mesh consists of, and its defects. Its `Display` says it in words.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshReport {
    /// How many vertices there are.
    pub vertices: usize,
    /// How many tets there are; zero for a triangle mesh.
    pub tets: usize,
    /// How many triangles there are; for a tet mesh, those of its surface.
    pub triangles: usize,
    /// How many edges there are.
    pub edges: usize,
    /// How many edges have one triangle only; zero for a closed surface and for a tet mesh.
    pub boundary_edges: usize,
    /// How many connected pieces there are.
    pub pieces: usize,
    /// All defects, the fundamental first. The counts above leave out cells with bad indices.
    pub problems: Vec<MeshError>,
}

impl MeshReport {
    /// The report on a mesh that is not worth inspecting.
    fn refused(vertices: usize, problem: MeshError) -> Self {
        let (tets, triangles, edges, boundary_edges, pieces) = (0, 0, 0, 0, 0);
        let problems = vec![problem];
        Self { vertices, tets, triangles, edges, boundary_edges, pieces, problems }
    }

    /// Whether the mesh can be simulated.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// The first defect as an error.
    pub fn into_result(self) -> Result<(), MeshError> {
        self.problems.into_iter().next().map_or(Ok(()), Err)
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        write!(f, "{} vertices, ", self.vertices)?;
        if self.tets > 0 {
            write!(f, "{} tets, {} surface triangles, ", self.tets, self.triangles)?;
        } else {
            write!(f, "{} triangles, {} boundary edges, ", self.triangles, self.boundary_edges)?;
        }
        write!(f, "{} edges, ", self.edges)?;
        match self.pieces {
            1 => write!(f, "1 piece; "),
            n => write!(f, "{n} pieces; "),
        }?;
        match self.problems.len() {
            0 => write!(f, "sound"),
            1 => write!(f, "1 problem:"),
            n => write!(f, "{n} problems:"),
        }?;
        for problem in self.problems.iter().take(SHOWN) {
            write!(f, "\n- {problem}")?;
        }
        match self.problems.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n- and {more} more"),
        }
    }
}

/// Inspects a triangle mesh.
pub(super) fn inspect_triangles(mesh: &TriMesh) -> MeshReport {
    let mut problems = Vec::new();
    let (positions, count) = (&mesh.positions, mesh.positions.len());
    if let Err(error) = check_size(count, mesh.triangles.len()) {
        return MeshReport::refused(count, error);
    }
    let mut sound = check_indices(count, &mesh.triangles, Cell::Triangle, &mut problems);
    check_finite(positions, &mut problems);

    // Shape.
    for &t in &sound {
        let points = mesh.triangle_points(t);
        let (area, longest) = (triangle_area(points), longest_edge(&points));
        if finite(&points) && !above(area, longest * longest) {
            problems.push(MeshError::DegenerateTriangle { triangle: t, area });
        }
    }

    // Neighbourhood.
    sound = check_duplicates(&mesh.triangles, sound, Cell::Triangle, &mut problems);
    let kept = TriMesh {
        positions: Vec::new(),
        triangles: sound.iter().map(|&t| mesh.triangles[t]).collect(),
        ..TriMesh::default()
    };
    let list = half_edges(&kept.triangles);
    check_edges(&list, &sound, &mut problems);
    for (v, fans) in fan_counts(count, &kept.triangles, &list).into_iter().enumerate() {
        if fans > 1 {
            let fans = fans as usize;
            problems.push(MeshError::NonManifoldVertex { vertex: v as u32, fans });
        }
    }
    check_isolated(count, &mesh.triangles, &mut problems);

    // Attributes.
    check_uvs(mesh, &mut problems);
    check_corners(count, &mesh.corners, &mut problems);

    MeshReport {
        vertices: count,
        tets: 0,
        triangles: kept.triangles.len(),
        edges: edges(&kept).len(),
        boundary_edges: boundary_edges(&kept).len(),
        pieces: pieces(count, &kept.triangles).count,
        problems,
    }
}

/// Inspects a tet mesh.
pub(super) fn inspect_tets(mesh: &TetMesh) -> MeshReport {
    let mut problems = Vec::new();
    let (positions, count) = (&mesh.positions, mesh.positions.len());
    if let Err(error) = check_size(count, mesh.tets.len()) {
        return MeshReport::refused(count, error);
    }
    let mut sound = check_indices(count, &mesh.tets, Cell::Tet, &mut problems);
    check_finite(positions, &mut problems);

    // Shape. An inverted tet would also seem to overlap its neighbours: it is left out below.
    let mut inverted = vec![false; mesh.tets.len()];
    for &t in &sound {
        let points = mesh.tet_points(t);
        let (volume, longest) = (tet_volume(points), longest_edge(&points));
        if !finite(&points) {
            continue;
        }
        if !above(volume.abs(), longest * longest * longest) {
            problems.push(MeshError::DegenerateTet { tet: t, volume });
        } else if volume < 0.0 {
            problems.push(MeshError::InvertedTet { tet: t, volume });
        }
        inverted[t] = volume < 0.0;
    }

    // Neighbourhood.
    sound = check_duplicates(&mesh.tets, sound, Cell::Tet, &mut problems);
    let kept: Vec<_> = sound.iter().map(|&t| mesh.tets[t]).collect();
    for group in tet_faces(&kept).chunk_by(|a, b| a.key == b.key) {
        let face = group[0].key;
        match group {
            [a, b] if a.outward == b.outward => {
                let tets = [sound[a.tet()], sound[b.tet()]];
                if !tets.iter().any(|&t| inverted[t]) {
                    problems.push(MeshError::OverlappingTets { tets, face });
                }
            }
            [_] | [_, _] => {}
            _ => problems.push(MeshError::NonManifoldFace { face, count: group.len() }),
        }
    }
    check_isolated(count, &mesh.tets, &mut problems);
    check_corners(count, &mesh.corners, &mut problems);

    let kept = TetMesh { tets: kept, ..TetMesh::default() };
    MeshReport {
        vertices: count,
        tets: kept.tets.len(),
        triangles: kept.surface().len(),
        edges: tet_edges(&kept).len(),
        boundary_edges: 0,
        pieces: pieces(count, &kept.tets).count,
        problems,
    }
}

/// Whether a measure is above rounding error; not so if either number is not a number.
fn above(measure: f64, scale: f64) -> bool {
    measure > DEGENERATE * scale
}

fn finite(points: &[[f64; 3]]) -> bool {
    points.as_flattened().iter().all(|x| x.is_finite())
}

/// Refuses a mesh of nothing, and one whose corners cannot be numbered by `u32`, four to a tet.
pub(super) fn check_size(vertices: usize, cells: usize) -> Result<(), MeshError> {
    let most = u32::MAX as usize / 4;
    if vertices == 0 || cells == 0 {
        return Err(MeshError::Empty { vertices, cells });
    }
    if vertices.max(cells) > most {
        return Err(MeshError::TooManyVertices { vertices: Some(vertices.max(cells)), most });
    }
    Ok(())
}

/// Reports indices out of range or repeated, and returns the cells that have neither.
pub(super) fn check_indices<const N: usize>(
    count: usize,
    cells: &[[u32; N]],
    name: fn(usize) -> Cell,
    problems: &mut Vec<MeshError>,
) -> Vec<usize> {
    let mut sound = Vec::with_capacity(cells.len());
    for (c, vertices) in cells.iter().enumerate() {
        let outside = vertices.iter().find(|&&v| v as usize >= count);
        let repeated = (1..N).find(|&k| vertices[..k].contains(&vertices[k]));
        if let Some(&vertex) = outside {
            problems.push(MeshError::IndexOutOfRange { cell: name(c), vertex, count });
        } else if let Some(k) = repeated {
            problems.push(MeshError::RepeatedIndex { cell: name(c), vertex: vertices[k] });
        } else {
            sound.push(c);
        }
    }
    sound
}

pub(super) fn check_finite(positions: &[[f64; 3]], problems: &mut Vec<MeshError>) {
    for (vertex, p) in positions.iter().enumerate() {
        if !finite(&[*p]) {
            problems.push(MeshError::NotFinite { vertex });
        }
    }
}

/// Reports cells of the same vertices, and returns the others with the first of each kind.
fn check_duplicates<const N: usize>(
    cells: &[[u32; N]],
    sound: Vec<usize>,
    name: fn(usize) -> Cell,
    problems: &mut Vec<MeshError>,
) -> Vec<usize> {
    let mut keyed: Vec<_> = sound
        .iter()
        .map(|&c| {
            let mut key = cells[c];
            key.sort_unstable();
            (key, c)
        })
        .collect();
    keyed.sort_unstable();
    let mut pairs = Vec::new();
    for group in keyed.chunk_by(|a, b| a.0 == b.0) {
        pairs.extend(group[1..].iter().map(|&(_, second)| (second, group[0].1)));
    }
    pairs.sort_unstable();
    for &(second, first) in &pairs {
        problems.push(MeshError::DuplicateCell { first: name(first), second: name(second) });
    }
    let repeats = |c: &usize| pairs.binary_search_by_key(c, |pair| pair.0).is_ok();
    sound.into_iter().filter(|c| !repeats(c)).collect()
}

/// Reports edges of too many triangles and edges whose triangles face opposite sides; `number`
/// maps the triangles of the list to those of the mesh.
fn check_edges(list: &[HalfEdge], number: &[usize], problems: &mut Vec<MeshError>) {
    let groups = || list.chunk_by(|a, b| a.edge == b.edge);
    for group in groups().filter(|group| group.len() > 2) {
        problems.push(MeshError::NonManifoldEdge { edge: group[0].edge, count: group.len() });
    }
    for group in groups() {
        if let [a, b] = group
            && a.forward == b.forward
        {
            let triangles = [a.triangle, b.triangle].map(|t| number[t as usize] as u32);
            problems.push(MeshError::InconsistentOrientation { edge: a.edge, triangles });
        }
    }
}

fn check_isolated<const N: usize>(count: usize, cells: &[[u32; N]], problems: &mut Vec<MeshError>) {
    let mut used = vec![false; count];
    for &v in cells.as_flattened() {
        if let Some(mark) = used.get_mut(v as usize) {
            *mark = true;
        }
    }
    for (vertex, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
        problems.push(MeshError::IsolatedVertex { vertex });
    }
}

fn check_uvs(mesh: &TriMesh, problems: &mut Vec<MeshError>) {
    let Some(uvs) = &mesh.uvs else { return };
    if uvs.len() != mesh.positions.len() {
        let (uvs, vertices) = (uvs.len(), mesh.positions.len());
        problems.push(MeshError::UvCount { uvs, vertices });
    }
    for (vertex, uv) in uvs.iter().enumerate() {
        if !uv.iter().all(|x| x.is_finite()) {
            problems.push(MeshError::UvNotFinite { vertex });
        }
    }
}

pub(super) fn check_corners(count: usize, corners: &[u32], problems: &mut Vec<MeshError>) {
    for (k, &vertex) in corners.iter().enumerate() {
        if vertex as usize >= count {
            problems.push(MeshError::IndexOutOfRange { cell: Cell::Corner(k), vertex, count });
        }
    }
}

#[cfg(test)]
mod tests;
