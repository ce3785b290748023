//! Body-centred cubic lattice and the numbering of its vertices and tets.
//!
//! Cell (i, j, k) has index i + nx (j + ny k). Corners are numbered likewise in a grid with one more point per
//! axis, and centres follow all corners. The tets between cell `c` and the next cell along axis `a` have the
//! indices 4 (3 c + a) + q. Quarter `q` is an edge of the common face:
//!
//! ```text
//!    v = 1   +---2---+         u and v are the axes after a, in the order x, y, z, x.
//!            3       1
//!    v = 0   +---0---+
//!          u = 0   u = 1
//! ```

use pliant::math::Vec3;
use pliant::mesh::TetMesh;

use super::{LatticeError, MAX_CELLS};

pub(super) struct Grid {
    /// Number of cells along each axis.
    cells: [usize; 3],
    /// Lowest corner \[m\].
    low: [f64; 3],
    /// Side length of a cell \[m\].
    pub side: f64,
}

impl Grid {
    /// Builds a grid that extends one cell beyond the bounding box of the points on every side.
    pub fn around(points: &[[f64; 3]], resolution: usize) -> Result<Self, LatticeError> {
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for p in points {
            for d in 0..3 {
                low[d] = low[d].min(p[d]);
                high[d] = high[d].max(p[d]);
            }
        }
        let longest = (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
        let side = longest / resolution as f64;
        let inner = [0, 1, 2].map(|d| ((high[d] - low[d]) / side).ceil().max(1.0));
        let total: f64 = inner.iter().map(|n| n + 2.0).product();
        if resolution == 0 || !(total <= MAX_CELLS as f64) {
            return Err(LatticeError::Resolution { resolution, cells: total as usize });
        }
        let cells = inner.map(|n| n as usize + 2);
        // Centres the box of the points in the grid.
        let low = [0, 1, 2].map(|d| 0.5 * (low[d] + high[d]) - 0.5 * side * cells[d] as f64);
        Ok(Self { cells, low, side })
    }

    /// Size of the range of tet indices; some indices at the border are unused.
    pub fn tet_count(&self) -> usize {
        12 * self.cells.iter().product::<usize>()
    }

    fn corner_count(&self) -> usize {
        self.cells.iter().map(|n| n + 1).product()
    }

    fn cell_number(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.cells[0] * (j + self.cells[1] * k)
    }

    fn cell_at(&self, number: usize) -> [usize; 3] {
        let [nx, ny, _] = self.cells;
        [number % nx, number / nx % ny, number / (nx * ny)]
    }

    /// Cell, axis and quarter of a tet index.
    fn parts(&self, tet: usize) -> ([usize; 3], usize, usize) {
        (self.cell_at(tet / 12), tet / 4 % 3, tet % 4)
    }

    /// True if the index is a tet, that is if a next cell exists along the axis.
    pub fn is_tet(&self, tet: usize) -> bool {
        let (cell, axis, _) = self.parts(tet);
        cell[axis] + 1 < self.cells[axis]
    }

    /// Grid vertices of a tet, positively oriented: two centres and an edge.
    fn vertices(&self, tet: usize) -> [usize; 4] {
        let (cell, axis, quarter) = self.parts(tet);
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |at_u: usize, at_v: usize| {
            let mut at = cell;
            at[axis] += 1;
            at[u] += at_u;
            at[v] += at_v;
            at[0] + (self.cells[0] + 1) * (at[1] + (self.cells[1] + 1) * at[2])
        };
        // Corners in order around the face, so that consecutive quarters share a corner.
        const AROUND: [[usize; 2]; 5] = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]];
        let [e0, e1] = [AROUND[quarter], AROUND[quarter + 1]].map(|[a, b]| corner(a, b));
        let mut next = cell;
        next[axis] += 1;
        let corners = self.corner_count();
        [corners + self.cell_number(cell), corners + self.cell_number(next), e0, e1]
    }

    /// Position of a grid vertex \[m\].
    fn point(&self, vertex: usize) -> [f64; 3] {
        let [nx, ny, _] = self.cells;
        let corners = self.corner_count();
        let (at, shift) = match vertex.checked_sub(corners) {
            Some(cell) => (self.cell_at(cell), 0.5),
            None => (
                [vertex % (nx + 1), vertex / (nx + 1) % (ny + 1), vertex / ((nx + 1) * (ny + 1))],
                0.0,
            ),
        };
        [0, 1, 2].map(|d| self.low[d] + self.side * (at[d] as f64 + shift))
    }

    pub fn tet_points(&self, tet: usize) -> [[f64; 3]; 4] {
        self.vertices(tet).map(|v| self.point(v))
    }

    pub fn tet_centre(&self, tet: usize) -> [f64; 3] {
        let points = self.tet_points(tet);
        [0, 1, 2].map(|d| 0.25 * points.iter().map(|p| p[d]).sum::<f64>())
    }

    /// Neighbouring tets across the four faces of a tet; `None` beyond the border.
    pub fn neighbours(&self, tet: usize) -> [Option<usize>; 4] {
        let (cell, axis, quarter) = self.parts(tet);
        let first = tet - quarter;
        // The edge runs along `along`; `other` is the remaining axis, and the edge is on its high or its low
        // side.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (along, other) = if quarter % 2 == 0 { (u, v) } else { (v, u) };
        let far = matches!(quarter, 1 | 2);
        let mut next = cell;
        next[axis] += 1;
        let across = |cell: [usize; 3], axis_far: bool| {
            // The same edge, between this cell and its neighbour in `other`.
            let mut lower = cell;
            if !far {
                lower[other] = lower[other].checked_sub(1)?;
            }
            let quarter = match (along == (other + 1) % 3, axis_far) {
                (true, false) => 0,
                (false, true) => 1,
                (true, true) => 2,
                (false, false) => 3,
            };
            let tet = 4 * (3 * self.cell_number(lower) + other) + quarter;
            self.is_tet(tet).then_some(tet)
        };
        [
            Some(first + (quarter + 1) % 4),
            Some(first + (quarter + 3) % 4),
            across(cell, true),
            across(next, false),
        ]
    }

    /// Calls `visit` for every tet that may touch the triangle.
    pub fn for_each_tet_near(&self, triangle: &[[f64; 3]; 3], mut visit: impl FnMut(usize)) {
        // A tet extends from its cell into the next one along its axis.
        let range = |d: usize| {
            let low = triangle.iter().fold(f64::INFINITY, |low, p| low.min(p[d]));
            let high = triangle.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p[d]));
            let cell = |x: f64| ((x - self.low[d]) / self.side).floor();
            let first = (cell(low - 1e-6 * self.side) - 1.0).max(0.0) as usize;
            let last = cell(high + 1e-6 * self.side).max(0.0) as usize;
            first..(last + 1).min(self.cells[d])
        };
        // All tets of a cell are within its side length of its centre. This skips most cells of a large oblique
        // triangle's bounding box, which is mostly empty.
        let [a, b, c] = triangle.map(Vec3::<f64>::of);
        let normal = (b - a).cross(c - a);
        let reach = 1.001 * self.side * normal.norm();
        for k in range(2) {
            for j in range(1) {
                for i in range(0) {
                    let cell = self.cell_number([i, j, k]);
                    let centre = Vec3::<f64>::of(self.point(self.corner_count() + cell));
                    if (centre - a).dot(normal).abs() <= reach {
                        (12 * cell..12 * cell + 12).for_each(&mut visit);
                    }
                }
            }
        }
    }

    /// Mesh of the kept tets and the vertices that they use, in grid order.
    pub fn mesh(&self, keep: &[bool]) -> TetMesh {
        let kept = || (0..keep.len()).filter(|&tet| keep[tet]);
        let mut used: Vec<_> = kept().flat_map(|tet| self.vertices(tet)).collect();
        used.sort_unstable();
        used.dedup();
        let corners = self.corner_count();
        let mut number = vec![0; corners + self.cells.iter().product::<usize>()];
        for (k, &v) in (0..).zip(&used) {
            number[v] = k;
        }
        TetMesh {
            positions: used.iter().map(|&v| self.point(v)).collect(),
            tets: kept().map(|tet| self.vertices(tet).map(|v| number[v])).collect(),
            ..TetMesh::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::measure::tet_volumes;

    #[test]
    fn the_tets_of_the_whole_grid_are_sound_and_equal() {
        let grid = Grid::around(&[[0.0; 3], [3.0, 2.0, 1.0]], 3).unwrap();
        assert_eq!(grid.cells, [5, 4, 3]);
        let keep: Vec<_> = (0..grid.tet_count()).map(|tet| grid.is_tet(tet)).collect();
        let mesh = grid.mesh(&keep);
        assert_eq!(mesh.validate(), Ok(()));
        assert!(tet_volumes(&mesh).iter().all(|v| (v - 1.0 / 12.0).abs() < 1e-14));
    }

    #[test]
    fn neighbours_share_a_face_and_know_each_other() {
        let grid = Grid::around(&[[0.0; 3], [2.0; 3]], 2).unwrap();
        let mut pairs = 0;
        for tet in (0..grid.tet_count()).filter(|&tet| grid.is_tet(tet)) {
            for other in grid.neighbours(tet).into_iter().flatten() {
                let own = grid.vertices(tet);
                let shared = grid.vertices(other).iter().filter(|v| own.contains(v)).count();
                assert_eq!(shared, 3);
                assert!(grid.neighbours(other).contains(&Some(tet)));
                pairs += 1;
            }
        }
        let keep: Vec<_> = (0..grid.tet_count()).map(|tet| grid.is_tet(tet)).collect();
        let mesh = grid.mesh(&keep);
        assert_eq!(pairs, 4 * mesh.tets.len() - mesh.surface().len());
    }
}
