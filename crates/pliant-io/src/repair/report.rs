//! Repair report.

use std::fmt;

use pliant::mesh::{Cell, MeshError};

use super::{NONE, RepairError};

/// Changes made by a repair. `Display` formats them as text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Repaired {
    /// Mesh vertex of each input vertex; [`NONE`] if it was dropped. A split vertex maps to the first of its
    /// copies.
    pub vertex_of: Vec<u32>,
    /// Input triangle or tet of each triangle or tet of the mesh, ascending.
    pub kept: Vec<u32>,
    /// Number of vertices merged into an earlier one at the same position.
    pub welded: usize,
    /// Dropped triangles without area or tets without volume, by input index, ascending.
    pub degenerate: Vec<u32>,
    /// Dropped duplicate triangles or tets, by input index, ascending.
    pub duplicate: Vec<u32>,
    /// Dropped vertices that no remaining cell uses, by input index.
    pub unused: Vec<u32>,
    /// Edges of more than two triangles along which the surface was split, by input vertices, ascending.
    pub split_edges: Vec<[u32; 2]>,
    /// Split vertices, by input index, ascending.
    pub split_vertices: Vec<u32>,
    /// Number of copies of split vertices.
    pub copies: usize,
    /// Number of flipped triangles, or of left-handed tets that were made positive.
    pub turned: usize,
    /// Number of closed pieces that faced inwards and were flipped.
    pub turned_pieces: usize,
    /// Cell type: `"triangle"` or `"tet"`.
    pub cell: &'static str,
}

impl Repaired {
    /// Creates a report that starts with the welded vertices.
    pub(super) fn new(cell: &'static str, weld: Vec<u32>) -> Self {
        let welded = (0..).zip(&weld).filter(|(v, target)| v != *target).count();
        Self { vertex_of: weld, welded, cell, ..Self::default() }
    }

    /// True if the input was valid and nothing was changed.
    pub fn is_unchanged(&self) -> bool {
        let lists = [&self.degenerate, &self.duplicate, &self.unused, &self.split_vertices];
        lists.iter().all(|list| list.is_empty()) && self.welded + self.turned == 0
    }

    /// Records the cells that an inspection found degenerate or duplicate, and returns the others.
    pub(super) fn sort_out(
        &mut self,
        problems: Vec<MeshError>,
        cells: usize,
    ) -> Result<Vec<u32>, RepairError> {
        let number = |cell: Cell| match cell {
            Cell::Triangle(c) | Cell::Tet(c) => Some(c as u32),
            _ => None,
        };
        for problem in problems {
            match problem {
                MeshError::RepeatedIndex { cell, .. } => self.degenerate.extend(number(cell)),
                MeshError::DegenerateTriangle { triangle, .. } => {
                    self.degenerate.push(triangle as u32);
                }
                MeshError::DegenerateTet { tet, .. } => self.degenerate.push(tet as u32),
                MeshError::DuplicateCell { second, .. } => self.duplicate.extend(number(second)),
                _ => {}
            }
        }
        self.degenerate.sort_unstable();
        self.duplicate.sort_unstable();
        // A degenerate triangle may be a duplicate as well.
        let degenerate = &self.degenerate;
        self.duplicate.retain(|c| degenerate.binary_search(c).is_err());
        let mut keep = vec![true; cells];
        for &c in self.degenerate.iter().chain(&self.duplicate) {
            keep[c as usize] = false;
        }
        let kept: Vec<u32> = (0..cells as u32).filter(|&c| keep[c as usize]).collect();
        if kept.is_empty() {
            return Err(RepairError::Nothing { cells, degenerate: self.degenerate.len() });
        }
        Ok(kept)
    }

    /// Drops unused positions and completes the map from input vertices.
    pub(super) fn compact<const N: usize>(
        &mut self,
        positions: &mut Vec<[f64; 3]>,
        cells: &mut [[u32; N]],
    ) {
        let mut number = vec![NONE; positions.len()];
        cells.as_flattened().iter().for_each(|&v| number[v as usize] = 0);
        let mut count = 0;
        for (v, number) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
            positions[count as usize] = positions[v];
            *number = count;
            count += 1;
        }
        positions.truncate(count as usize);
        cells.as_flattened_mut().iter_mut().for_each(|v| *v = number[*v as usize]);
        for (v, target) in (0..).zip(&mut self.vertex_of) {
            // Welded vertices are counted as welded, not as unused.
            if number[*target as usize] == NONE && *target == v {
                self.unused.push(v);
            }
            *target = number[*target as usize];
        }
    }
}

impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let extent = if self.cell == "tet" { "volume" } else { "area" };
        if self.welded > 0 {
            parts.push(format!("welded {} to coincident ones", many(self.welded, "vertex")));
        }
        if !self.degenerate.is_empty() {
            let count = many(self.degenerate.len(), self.cell);
            parts.push(format!("removed {count} of zero {extent}: {}", some(&self.degenerate)));
        }
        if !self.duplicate.is_empty() {
            let count = many(self.duplicate.len(), &format!("duplicate {}", self.cell));
            parts.push(format!("removed {count}: {}", some(&self.duplicate)));
        }
        if !self.unused.is_empty() {
            let count = many(self.unused.len(), "unused vertex");
            parts.push(format!("removed {count}: {}", some(&self.unused)));
        }
        if !self.split_edges.is_empty() {
            let count = many(self.split_edges.len(), "edge");
            let edges: Vec<_> = self.split_edges.iter().map(|[a, b]| format!("{a}-{b}")).collect();
            parts.push(format!("split {count} with more than two triangles: {}", some(&edges)));
        }
        if !self.split_vertices.is_empty() {
            let count = many(self.split_vertices.len(), "vertex");
            let (copies, list) = (many(self.copies, "vertex"), some(&self.split_vertices));
            parts.push(format!("split {count}, adding {copies}: {list}"));
        }
        if self.turned > 0 {
            let count = many(self.turned, self.cell);
            let whole = match self.turned_pieces {
                0 => String::new(),
                n => format!(" ({} oriented outwards)", many(n, "closed component")),
            };
            parts.push(format!("flipped {count}{whole}"));
        }
        if parts.is_empty() {
            return write!(f, "no repairs needed");
        }
        f.write_str(&parts.join("; "))
    }
}

/// Number and noun, in the plural if necessary.
fn many(n: usize, noun: &str) -> String {
    match (n, noun.strip_suffix("vertex")) {
        (1, _) => format!("1 {noun}"),
        (n, Some(start)) => format!("{n} {start}vertices"),
        (n, None) => format!("{n} {noun}s"),
    }
}

/// First entries of a list, and the number of remaining ones.
fn some<T: ToString>(list: &[T]) -> String {
    const SHOWN: usize = 12;
    let mut text = list.iter().take(SHOWN).map(T::to_string).collect::<Vec<_>>().join(", ");
    if list.len() > SHOWN {
        text += &format!(" and {} more", list.len() - SHOWN);
    }
    text
}
