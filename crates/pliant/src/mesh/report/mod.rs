//! Inspection of a mesh: its counts and all its defects.
//!
//! Defects are listed from the most fundamental to the least, each kind in index order. A cell with invalid indices is
//! left out of the checks that follow, so one mistake is not reported five times. "Degenerate" is relative to the
//! cell's longest edge, so the test does not depend on the scale of the mesh.

use std::fmt;

use crate::mesh::components::{fan_counts, pieces};
use crate::mesh::measure::{longest_edge, tet_volume, triangle_area};
use crate::mesh::tet::tet_faces;
use crate::mesh::topology::{HalfEdge, boundary_edges, edges, half_edges, tet_edges};
use crate::mesh::validate::{Cell, MeshError};
use crate::mesh::{TetMesh, TriMesh};

/// An area below this fraction of the longest edge squared, or a volume below this fraction of it cubed, counts as
/// rounding error.
const DEGENERACY_TOLERANCE: f64 = 1e-12;

/// The counts of a mesh and its defects. `Display` prints them as text.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshReport {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of tets; zero for a triangle mesh.
    pub tets: usize,
    /// Number of triangles; for a tet mesh, those of its surface.
    pub triangles: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of edges with one triangle only; zero for a closed surface and for a tet mesh.
    pub boundary_edges: usize,
    /// Number of connected components.
    pub pieces: usize,
    /// All defects, the most fundamental first. The counts above leave out cells with invalid indices.
    pub problems: Vec<MeshError>,
}

impl MeshReport {
    /// Returns the report on a mesh that fails before the inspection.
    fn refused(vertices: usize, problem: MeshError) -> Self {
        let (tets, triangles, edges, boundary_edges, pieces) = (0, 0, 0, 0, 0);
        let problems = vec![problem];
        Self { vertices, tets, triangles, edges, boundary_edges, pieces, problems }
    }

    /// True if the mesh can be simulated.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns the first defect as an error.
    pub fn into_result(self) -> Result<(), MeshError> {
        self.problems.into_iter().next().map_or(Ok(()), Err)
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_LISTED_PROBLEMS: usize = 20;
        write!(f, "{} vertices, ", self.vertices)?;
        if self.tets > 0 {
            write!(f, "{} tets, {} surface triangles, ", self.tets, self.triangles)?;
        } else {
            write!(f, "{} triangles, {} boundary edges, ", self.triangles, self.boundary_edges)?;
        }
        write!(f, "{} edges, ", self.edges)?;
        match self.pieces {
            1 => write!(f, "1 connected component; "),
            n => write!(f, "{n} connected components; "),
        }?;
        match self.problems.len() {
            0 => write!(f, "no problems"),
            1 => write!(f, "1 problem:"),
            n => write!(f, "{n} problems:"),
        }?;
        for problem in self.problems.iter().take(MAX_LISTED_PROBLEMS) {
            write!(f, "\n- {problem}")?;
        }
        match self.problems.len().saturating_sub(MAX_LISTED_PROBLEMS) {
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

    // Geometry.
    for &t in &sound {
        let points = mesh.triangle_points(t);
        let (area, longest) = (triangle_area(points), longest_edge(&points));
        if finite(&points) && !exceeds_rounding(area, longest * longest) {
            problems.push(MeshError::DegenerateTriangle { triangle: t, area });
        }
    }

    // Connectivity.
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

    // Geometry. An inverted tet would also seem to overlap its neighbours: it is left out below.
    let mut inverted = vec![false; mesh.tets.len()];
    for &t in &sound {
        let points = mesh.tet_points(t);
        let (volume, longest) = (tet_volume(points), longest_edge(&points));
        if !finite(&points) {
            continue;
        }
        if !exceeds_rounding(volume.abs(), longest * longest * longest) {
            problems.push(MeshError::DegenerateTet { tet: t, volume });
        } else if volume < 0.0 {
            problems.push(MeshError::InvertedTet { tet: t, volume });
        }
        inverted[t] = volume < 0.0;
    }

    // Connectivity.
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

/// True if a measure exceeds rounding error; false if either number is NaN.
fn exceeds_rounding(measure: f64, scale: f64) -> bool {
    measure > DEGENERACY_TOLERANCE * scale
}

fn finite(points: &[[f64; 3]]) -> bool {
    points.as_flattened().iter().all(|x| x.is_finite())
}

/// Rejects an empty mesh, and one with more than `u32::MAX / 4` vertices or cells: the four corners of each tet are
/// numbered by `u32`.
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

/// Reports cells with the same vertices, and returns the others with the first of each set of duplicates.
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

/// Reports edges with too many triangles and edges whose triangles face opposite sides; `number` maps the triangles of
/// the list to those of the mesh.
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
