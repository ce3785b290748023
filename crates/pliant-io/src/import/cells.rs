//! Points and cells of mixed kinds, as files of solids list them.
//!
//! Tets make a volume, and triangles beside them, mostly its boundary, are left out. A file
//! without tets is a surface. Cells of higher order count by their corners. Hexahedra and their
//! like are refused: to cut them so that neighbours agree is the mesher's work.

use std::collections::BTreeMap;

use super::{ImportError, Imported, Problem, Source, TetGroup, Volume, fan};
use crate::surface::{Group, Surface};

/// What a cell is, and how many of its vertices, the first ones, are corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A point, a line: passed over.
    Ignored,
    Triangle,
    /// A polygon of as many corners as are given.
    Polygon,
    Quad,
    /// Triangles of which each shares two vertices with the one before.
    Strip,
    Tet,
}

#[derive(Default)]
pub(super) struct Cells {
    pub name: String,
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub tets: Vec<[u32; 4]>,
    /// The number of the part to which each belongs; zero for none.
    pub triangle_parts: Vec<i64>,
    pub tet_parts: Vec<i64>,
    /// The names of parts, by dimension and number.
    pub names: BTreeMap<(i64, i64), String>,
}

impl Cells {
    /// Adds a cell of checked vertices. It has at least those that its shape needs.
    pub fn add(&mut self, shape: Shape, vertices: &[u32], part: i64) {
        match (shape, vertices) {
            (Shape::Tet, &[a, b, c, d, ..]) => {
                self.tets.push([a, b, c, d]);
                self.tet_parts.push(part);
            }
            (Shape::Triangle, &[a, b, c, ..]) => self.triangles.push([a, b, c]),
            (Shape::Quad, &[a, b, c, d, ..]) => self.triangles.extend([[a, b, c], [a, c, d]]),
            (Shape::Polygon, corners) => self.triangles.extend(fan(corners)),
            (Shape::Strip, corners) => {
                let triple = |(k, w): (usize, &[u32])| [w[0], w[1 + k % 2], w[2 - k % 2]];
                self.triangles.extend(corners.windows(3).enumerate().map(triple));
            }
            _ => {}
        }
        self.triangle_parts.resize(self.triangles.len(), part);
    }

    /// How many cells there are so far.
    pub fn count(&self) -> usize {
        self.triangles.len() + self.tets.len()
    }

    /// The volume or the surface.
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

/// The members of each part, by its name or, if it has none, by its number.
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

/// The shape of a cell by VTK's number.
pub(super) fn vtk_shape(kind: i64) -> Result<Shape, Problem> {
    Ok(match kind {
        0..=4 | 21 | 35 => Shape::Ignored,
        5 | 22 | 34 | 69 => Shape::Triangle,
        6 => Shape::Strip,
        7 => Shape::Polygon,
        9 | 23 | 28 | 30 | 70 => Shape::Quad,
        10 | 24 | 71 => Shape::Tet,
        other => return Err(foreign_cell(other)),
    })
}

/// The refusal of a cell that is no triangle, quad or tet.
pub(super) fn foreign_cell(kind: i64) -> Problem {
    let what = format!("a cell of type {kind}");
    Problem::Unsupported { what, remedy: "mesh the solid with tets or the surface with triangles" }
}

/// How many vertices a shape needs at least.
pub(super) fn corners_of(shape: Shape) -> usize {
    match shape {
        Shape::Ignored => 0,
        Shape::Triangle | Shape::Polygon | Shape::Strip => 3,
        Shape::Quad | Shape::Tet => 4,
    }
}

/// The numbers by which a file calls its vertices.
pub(super) struct Numbering {
    sorted: Vec<(i64, u32)>,
}

impl Numbering {
    /// From the number of each vertex; or the number that two vertices have.
    pub fn new(numbers: &[i64]) -> Result<Self, i64> {
        let mut sorted: Vec<_> = numbers.iter().zip(0..).map(|(&number, v)| (number, v)).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[0].0),
            None => Ok(Self { sorted }),
        }
    }

    /// The vertex of a number.
    pub fn vertex(&self, number: i64) -> Result<u32, Problem> {
        // Mostly the numbers have no gaps.
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
