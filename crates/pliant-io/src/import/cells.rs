//! Points and cells of mixed types, as files of solids list them.
//!
//! Tets form a volume; triangles beside them, mostly its boundary, are ignored. A file without tets is a
//! surface. Higher-order cells are reduced to their corners. Hexahedra and similar cells are rejected:
//! splitting them so that neighbours match is the task of the mesher.

use std::collections::BTreeMap;

use super::{ImportError, Imported, Problem, Source, TetGroup, Volume, fan};
use crate::surface::{Group, Surface};

/// Type of a cell, which determines how many of its first vertices are corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellShape {
    /// A point or a line, which is ignored.
    Ignored,
    Triangle,
    /// A polygon of any number of corners.
    Polygon,
    Quad,
    /// A strip of triangles, each of which shares two vertices with its predecessor.
    Strip,
    Tet,
}

#[derive(Default)]
pub(super) struct Cells {
    pub name: String,
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub tets: Vec<[u32; 4]>,
    /// Group number of each triangle; zero for none.
    pub triangle_parts: Vec<i64>,
    pub tet_parts: Vec<i64>,
    /// Names of the groups, by dimension and number.
    pub names: BTreeMap<(i64, i64), String>,
}

impl Cells {
    /// Adds a cell of validated vertices, with at least as many as its shape requires.
    pub fn add(&mut self, shape: CellShape, vertices: &[u32], part: i64) {
        match (shape, vertices) {
            (CellShape::Tet, &[a, b, c, d, ..]) => {
                self.tets.push([a, b, c, d]);
                self.tet_parts.push(part);
            }
            (CellShape::Triangle, &[a, b, c, ..]) => self.triangles.push([a, b, c]),
            (CellShape::Quad, &[a, b, c, d, ..]) => self.triangles.extend([[a, b, c], [a, c, d]]),
            (CellShape::Polygon, corners) => self.triangles.extend(fan(corners)),
            (CellShape::Strip, corners) => {
                let triple = |(k, w): (usize, &[u32])| [w[0], w[1 + k % 2], w[2 - k % 2]];
                self.triangles.extend(corners.windows(3).enumerate().map(triple));
            }
            _ => {}
        }
        self.triangle_parts.resize(self.triangles.len(), part);
    }

    /// Number of cells so far.
    pub fn count(&self) -> usize {
        self.triangles.len() + self.tets.len()
    }

    /// Returns the volume or the surface.
    pub fn finish(self, source: &Source) -> Result<Imported, ImportError> {
        let name = if self.name.is_empty() { source.stem() } else { self.name };
        let (positions, names) = (self.positions, self.names);
        if self.tets.is_empty() {
            let groups = parts(&self.triangle_parts, 2, &names);
            let groups = groups.map(|(name, triangles)| Group { name, triangles }).collect();
            let triangles = self.triangles;
            return source.surfaces(vec![Surface {
                name,
                positions,
                triangles,
                groups,
                ..Surface::default()
            }]);
        }
        let groups = parts(&self.tet_parts, 3, &names);
        let groups = groups.map(|(name, tets)| TetGroup { name, tets }).collect();
        Ok(Imported::Volume(Volume { name, positions, tets: self.tets, groups }))
    }
}

/// Members of each group, by its name or, if it has none, by its number.
fn parts<'a>(
    part_of: &[i64],
    dimension: i64,
    names: &'a BTreeMap<(i64, i64), String>,
) -> impl Iterator<Item = (String, Vec<u32>)> + use<'a> {
    let mut members: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for (cell, &part) in part_of.iter().enumerate().filter(|(_, part)| **part != 0) {
        members.entry(part).or_default().push(cell as u32);
    }
    let name = move |part| names.get(&(dimension, part)).cloned();
    members
        .into_iter()
        .map(move |(part, list)| (name(part).unwrap_or_else(|| part.to_string()), list))
}

/// Shape of a cell by VTK's type number.
pub(super) fn vtk_shape(kind: i64) -> Result<CellShape, Problem> {
    Ok(match kind {
        0..=4 | 21 | 35 => CellShape::Ignored,
        5 | 22 | 34 | 69 => CellShape::Triangle,
        6 => CellShape::Strip,
        7 => CellShape::Polygon,
        9 | 23 | 28 | 30 | 70 => CellShape::Quad,
        10 | 24 | 71 => CellShape::Tet,
        other => return Err(unsupported_cell(other)),
    })
}

/// Error for a cell that is not a triangle, quad or tet.
pub(super) fn unsupported_cell(kind: i64) -> Problem {
    let what = format!("cell type {kind}");
    Problem::Unsupported { what, remedy: "mesh the solid with tets or the surface with triangles" }
}

/// Minimum number of vertices of a shape.
pub(super) fn corners_of(shape: CellShape) -> usize {
    match shape {
        CellShape::Ignored => 0,
        CellShape::Triangle | CellShape::Polygon | CellShape::Strip => 3,
        CellShape::Quad | CellShape::Tet => 4,
    }
}

/// Map from the vertex numbers of a file to indices.
pub(super) struct Numbering {
    sorted: Vec<(i64, u32)>,
}

impl Numbering {
    /// Builds the map from the number of each vertex; returns a duplicate number as an error.
    pub fn new(numbers: &[i64]) -> Result<Self, i64> {
        let mut sorted: Vec<_> = numbers.iter().zip(0..).map(|(&number, v)| (number, v)).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[0].0),
            None => Ok(Self { sorted }),
        }
    }

    /// Index of the vertex with this number.
    pub fn vertex(&self, number: i64) -> Result<u32, Problem> {
        // Usually the numbers have no gaps.
        let first = self.sorted.first().map_or(0, |entry| entry.0);
        let guess = number.checked_sub(first).and_then(|k| usize::try_from(k).ok());
        if let Some(&(n, v)) = guess.and_then(|k| self.sorted.get(k))
            && n == number
        {
            return Ok(v);
        }
        match self.sorted.binary_search_by_key(&number, |entry| entry.0) {
            Ok(k) => Ok(self.sorted[k].1),
            Err(_) => {
                let (found, count) = (number.to_string(), self.sorted.len());
                Err(Problem::Index { what: "vertex", found, count })
            }
        }
    }
}
