//! Meshes of the workloads: square sheets and blocks of tetrahedra, as plain arrays.
//!
//! A sheet lies in the x–z plane: pypbd measures strain triangles in x and z, and a sheet in the x–y plane
//! would be degenerate to it (it then silently creates no constraint at all). All its quads have the same
//! diagonal:
//!
//! ```text
//!   d---c      triangles a b c and a c d
//!   | / |
//!   a---b
//! ```
//!
//! A block is divided into five tetrahedra per cell, mirrored in a checkerboard pattern so that faces match.

use std::collections::BTreeMap;

pub use pliant::math::point::{cross, dot, sub};

/// A point or a vector \[m\].
pub type Point = [f64; 3];

/// A square sheet of `n` × `n` vertices.
pub struct Sheet {
    /// Rest positions of the vertices \[m\].
    pub vertices: Vec<Point>,
    /// Sides and diagonals of the quads, row by row.
    pub edges: Vec<[u32; 2]>,
    /// Bending springs that span two quads in both directions.
    pub skips: Vec<[u32; 2]>,
    /// Two triangles per quad.
    pub triangles: Vec<[u32; 3]>,
}

/// Creates a sheet of `columns` × `rows` vertices, `size` metres along x.
pub fn sheet(columns: usize, rows: usize, size: f64) -> Sheet {
    let at = |column: usize, row: usize| (row * columns + column) as u32;
    let cell = size / (columns - 1) as f64;
    let mut sheet = Sheet { vertices: vec![], edges: vec![], skips: vec![], triangles: vec![] };
    for row in 0..rows {
        for column in 0..columns {
            sheet.vertices.push([column as f64 * cell, 0.0, row as f64 * cell]);
            let a = at(column, row);
            let (right, up) = (column + 1 < columns, row + 1 < rows);
            if right {
                sheet.edges.push([a, at(column + 1, row)]);
            }
            if up {
                sheet.edges.push([a, at(column, row + 1)]);
            }
            if right && up {
                let (b, c, d) = (at(column + 1, row), at(column + 1, row + 1), at(column, row + 1));
                sheet.edges.push([a, c]);
                sheet.triangles.push([a, b, c]);
                sheet.triangles.push([a, c, d]);
            }
            if column + 2 < columns {
                sheet.skips.push([a, at(column + 2, row)]);
            }
            if row + 2 < rows {
                sheet.skips.push([a, at(column, row + 2)]);
            }
        }
    }
    sheet
}

/// Side of the square sheet whose number of edges is closest to `edges`.
pub fn sheet_side_for(edges: usize) -> usize {
    let count = |n: usize| 2 * n * (n - 1) + (n - 1) * (n - 1);
    let mut n = 2;
    while count(n) < edges {
        n += 1;
    }
    if n > 2 && edges - count(n - 1) < count(n) - edges { n - 1 } else { n }
}

/// Interior edges of a triangle mesh as `[edge, edge, opposite, opposite]`.
pub fn dihedrals(triangles: &[[u32; 3]]) -> Vec<[u32; 4]> {
    let mut opposite = BTreeMap::new();
    let mut found = Vec::new();
    for &[a, b, c] in triangles {
        for (i, j, k) in [(a, b, c), (b, c, a), (c, a, b)] {
            let key = (i.min(j), i.max(j));
            match opposite.remove(&key) {
                Some(other) => found.push([key.0, key.1, other, k]),
                None => _ = opposite.insert(key, k),
            }
        }
    }
    found
}

/// A block of tetrahedra.
pub struct Block {
    /// Rest positions of the vertices \[m\]; x is the slowest index, so that a long bar has a small bandwidth.
    pub vertices: Vec<Point>,
    /// Positively oriented tetrahedra, five per cell.
    pub tets: Vec<[u32; 4]>,
}

/// Tetrahedra of an even cell; odd cells are mirrored. The corners of a cell are numbered x + 2 y + 4 z.
const EVEN: [[usize; 4]; 5] =
    [[1, 2, 4, 7], [0, 1, 2, 4], [3, 1, 2, 7], [5, 1, 4, 7], [6, 2, 4, 7]];
const ODD: [[usize; 4]; 5] = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]];

/// Creates a block of `cells` cubes with side `cell` \[m\].
pub fn block(cells: [usize; 3], cell: f64) -> Block {
    let [nx, ny, nz] = cells;
    let at = |i: usize, j: usize, k: usize| ((i * (ny + 1) + j) * (nz + 1) + k) as u32;
    let mut block = Block { vertices: vec![], tets: vec![] };
    for i in 0..=nx {
        for j in 0..=ny {
            for k in 0..=nz {
                block.vertices.push([i as f64 * cell, j as f64 * cell, k as f64 * cell]);
            }
        }
    }
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let cut = if (i + j + k) % 2 == 0 { &EVEN } else { &ODD };
                for corners in cut {
                    let mut tet = corners.map(|c| at(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)));
                    if det(edges_of(&block.vertices, tet)) < 0.0 {
                        tet.swap(2, 3);
                    }
                    block.tets.push(tet);
                }
            }
        }
    }
    block
}

/// Three edges of a tetrahedron from its first vertex, as columns.
pub fn edges_of(x: &[Point], tet: [u32; 4]) -> [Point; 3] {
    let [a, b, c, d] = tet.map(|i| x[i as usize]);
    [sub(b, a), sub(c, a), sub(d, a)]
}

/// Determinant of the matrix with these columns.
pub fn det(m: [Point; 3]) -> f64 {
    dot(m[0], cross(m[1], m[2]))
}

/// Inverse of the matrix with these columns, as rows.
pub fn inverse_rows(m: [Point; 3]) -> [Point; 3] {
    let inv = 1.0 / det(m);
    let scale = |v: Point| v.map(|c| c * inv);
    [scale(cross(m[1], m[2])), scale(cross(m[2], m[0])), scale(cross(m[0], m[1]))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_has_the_counts_of_the_curtain() {
        let sheet = sheet(81, 81, 1.0);
        assert_eq!(sheet.vertices.len(), 6561);
        assert_eq!(sheet.edges.len(), 19_360);
        assert_eq!(sheet.edges.len() + sheet.skips.len(), 32_158);
        assert_eq!(dihedrals(&sheet.triangles).len(), 19_040);
    }

    #[test]
    fn the_blocks_fill_their_boxes() {
        for (cells, vertices, tets) in [([91, 3, 3], 1472, 4095), ([25, 20, 20], 11_466, 50_000)] {
            let block = block(cells, 0.1);
            assert_eq!((block.vertices.len(), block.tets.len()), (vertices, tets));
            let volume: f64 =
                block.tets.iter().map(|&t| det(edges_of(&block.vertices, t)) / 6.0).sum();
            let cells = cells.iter().product::<usize>() as f64;
            assert!((volume / (cells * 1e-3) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let m = [[2.0, 1.0, 0.0], [0.5, 3.0, 1.0], [0.0, -1.0, 4.0]];
        let inv = inverse_rows(m);
        for i in 0..3 {
            for j in 0..3 {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((dot(inv[i], m[j]) - expected).abs() < 1e-15);
            }
        }
    }
}
