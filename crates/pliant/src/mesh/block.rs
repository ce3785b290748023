//! Rectangular solids of tets, and bars with named ends.
//!
//! Every cell is cut into five tets, alternating so that neighbours conform. Vertex (i, j, k) is
//! number i + (nx + 1)·(j + (ny + 1)·k), and the corners of the mesh are numbered by the bits of
//! their coordinates: corner 1 is at x, corner 2 at y, corner 4 at z, corner 7 at all three.

use crate::Error;
use crate::mesh::TetMesh;
use crate::mesh::cells::five_tets;
use crate::mesh::validate::{checked_vertex_count, require_at_least, require_positive};

/// A generator of rectangular solids, by default 1 m long in x with cubic cells, with its lowest
/// corner at the origin.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct TetBlock {
    cells: [usize; 3],
    size: Option<[f64; 3]>,
    origin: [f64; 3],
}

/// A block whose two end faces, across the x axis, are named, so that they can be pinned, pulled or twisted.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The mesh.
    pub mesh: TetMesh,
    /// The vertices of the end faces at the lowest and at the highest x, ascending.
    pub ends: [Vec<u32>; 2],
}

impl TetBlock {
    /// A block of `nx` × `ny` × `nz` cells.
    pub fn new(nx: usize, ny: usize, nz: usize) -> Self {
        Self { cells: [nx, ny, nz], size: None, origin: [0.0; 3] }
    }

    /// The lengths \[m\] of the sides.
    pub fn size(mut self, size: [f64; 3]) -> Self {
        self.size = Some(size);
        self
    }

    /// The position \[m\] of the lowest corner.
    pub fn at(mut self, origin: [f64; 3]) -> Self {
        self.origin = origin;
        self
    }

    /// Makes the mesh.
    pub fn build(self) -> Result<TetMesh, Error> {
        let [nx, ny, nz] = self.cells;
        require_at_least(1, "the block's number of cells along x", nx)?;
        require_at_least(1, "the block's number of cells along y", ny)?;
        require_at_least(1, "the block's number of cells along z", nz)?;
        let size = self.size.unwrap_or(self.cells.map(|n| n as f64 / nx as f64));
        require_positive("the block's size along x", size[0])?;
        require_positive("the block's size along y", size[1])?;
        require_positive("the block's size along z", size[2])?;
        let count = checked_vertex_count(&self.cells.map(|n| n.saturating_add(1)))?;

        let mut positions = Vec::with_capacity(count);
        for k in 0..=nz {
            for j in 0..=ny {
                for i in 0..=nx {
                    let at = [i as f64, j as f64, k as f64];
                    positions.push(std::array::from_fn(|d| {
                        self.origin[d] + size[d] * (at[d] / self.cells[d] as f64)
                    }));
                }
            }
        }
        let vertex = |i: usize, j: usize, k: usize| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
        let mut tets = Vec::with_capacity(5 * nx * ny * nz);
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let corners = std::array::from_fn(|c| {
                        vertex(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))
                    });
                    tets.extend(five_tets(corners, (i + j + k) % 2 == 1));
                }
            }
        }
        let corner = |c: usize| vertex((c & 1) * nx, (c >> 1 & 1) * ny, (c >> 2) * nz);
        let mesh = TetMesh { positions, tets, corners: (0..8).map(corner).collect() };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Makes the mesh and names its ends.
    pub fn bar(self) -> Result<Bar, Error> {
        let row = self.cells[0];
        let mesh = self.build()?;
        let count = mesh.positions.len();
        let end = |first: usize| (first..count).step_by(row + 1).map(|v| v as u32).collect();
        Ok(Bar { ends: [end(0), end(row)], mesh })
    }
}

impl TryFrom<TetBlock> for TetMesh {
    type Error = Error;
    fn try_from(block: TetBlock) -> Result<Self, Error> {
        block.build()
    }
}

impl From<Bar> for TetMesh {
    fn from(bar: Bar) -> Self {
        bar.mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::measure::tet_volumes;
    use crate::mesh::tet::tet_faces;

    #[test]
    fn the_blocks_of_the_papers_have_their_counts() {
        let mesh = TetBlock::new(25, 20, 20).build().unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (11_466, 50_000));
        let bar = TetBlock::new(91, 3, 3).bar().unwrap();
        assert_eq!((bar.mesh.positions.len(), bar.mesh.tets.len()), (1_472, 4_095));
    }

    #[test]
    fn tets_are_positive_fill_the_block_and_conform() {
        let mesh =
            TetBlock::new(4, 3, 5).size([2.0, 0.3, 1.0]).at([-1.0, 5.0, 0.0]).build().unwrap();
        let volumes = tet_volumes(&mesh);
        assert!(volumes.iter().all(|&v| v > 0.0));
        assert!((volumes.iter().sum::<f64>() - 0.6).abs() < 1e-13);
        // Faces of one tet only all lie on the six sides: any other would be a crack.
        let low = [-1.0, 5.0, 0.0];
        let high = [1.0, 5.3, 1.0];
        for triangle in mesh.surface() {
            let p = triangle.map(|v| mesh.positions[v as usize]);
            let on_side = |d: usize, x: f64| p.iter().all(|p| (p[d] - x).abs() < 1e-12);
            assert!((0..3).any(|d| on_side(d, low[d]) || on_side(d, high[d])));
        }
        let faces = tet_faces(&mesh.tets);
        assert!(faces.chunk_by(|a, b| a.key == b.key).all(|group| group.len() <= 2));
    }

    #[test]
    fn corners_and_ends_are_where_they_should_be() {
        let bar = TetBlock::new(5, 2, 3).size([5.0, 2.0, 3.0]).bar().unwrap();
        let mesh = &bar.mesh;
        for (c, &v) in mesh.corners.iter().enumerate() {
            let bit = |b: usize| (c >> b & 1) as f64;
            assert_eq!(mesh.positions[v as usize], [5.0 * bit(0), 2.0 * bit(1), 3.0 * bit(2)]);
        }
        for (end, x) in bar.ends.iter().zip([0.0, 5.0]) {
            assert_eq!(end.len(), 3 * 4);
            assert!(end.iter().all(|&v| mesh.positions[v as usize][0] == x));
        }
    }

    #[test]
    fn cells_are_cubic_by_default_and_impossible_blocks_are_refused() {
        let mesh = TetBlock::new(2, 1, 3).build().unwrap();
        assert_eq!(mesh.positions[mesh.corners[7] as usize], [1.0, 0.5, 1.5]);
        assert!(TetBlock::new(0, 1, 1).build().is_err());
        assert!(TetBlock::new(1, 1, usize::MAX).build().is_err());
        assert!(TetBlock::new(1, 1, 1).size([1.0, -1.0, 1.0]).build().is_err());
        assert!(TetBlock::new(1, 0, 1).bar().is_err());
    }
}
