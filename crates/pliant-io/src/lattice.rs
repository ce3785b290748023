//! Solids around surfaces: the tets of a lattice that the surface touches or encloses.
//!
//! The lattice is body-centred cubic: its vertices are the corners and the centres of cubic cells. Two cells
//! that share a face have four tets between them, each formed by the two centres and one edge of the face:
//!
//! ```text
//!       e1                  All tets are congruent and nearly regular: dihedral angles of 60° and
//!      /|\                  90°. Interior tets have four neighbours: two around the axis c–c', and
//!     c-+-c'                one across each of the faces (c, e0, e1) and (c', e0, e1), between c or
//!      \|/                  c' and another cell at the edge.
//!       e0
//! ```
//!
//! A tet is kept if a triangle of the surface touches it, by a separating-axis test with some slack, so the
//! surface lies inside the kept tets. The remaining tets form connected regions that the surface does not
//! touch. Each region is entirely inside or outside, which the generalised winding number at one of its points
//! decides (Jacobson, Kavan, Sorkine-Hornung: "Robust inside-outside segmentation using generalized winding
//! numbers", 2013). That point is away from the surface, where the winding number is reliable.
//! [`Embedding`](crate::Embedding) then embeds the surface in the solid.

mod grid;
mod tet_triangle_overlap;

use pliant::math::{Vec3, atan2};
use pliant::mesh::topology::boundary_edges;
use pliant::mesh::{MeshError, TetMesh, TriMesh};
use thiserror::Error;

use grid::Grid;

/// Maximum number of cells in a lattice; building one of this size takes a few hundred megabytes.
pub const MAX_CELLS: usize = 1 << 22;

/// Error while building a solid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LatticeError {
    /// The surface has a boundary edge (an edge of only one triangle), so it has no inside.
    #[error(
        "the surface is open: it has {count} boundary edges, the first between vertices {} and {}; \
         close the holes or simulate it as cloth", edge[0], edge[1]
    )]
    Open {
        /// First boundary edge; its vertices are ascending.
        edge: [u32; 2],
        /// Number of boundary edges.
        count: usize,
    },
    /// The surface is invalid for another reason.
    #[error("{0}; repair the surface")]
    Surface(MeshError),
    /// The resolution gives no cells, or more than [`MAX_CELLS`].
    #[error(
        "a resolution of {resolution} gives {cells} cells; there must be at least 1 and at most \
         {MAX_CELLS}"
    )]
    Resolution {
        /// Requested resolution.
        resolution: usize,
        /// Number of cells at that resolution.
        cells: usize,
    },
}

/// Builds the lattice tets that enclose a closed surface, with `resolution` cells along the longest side of its
/// bounding box.
///
/// The lattice extends one cell beyond the box on every side and has at most [`MAX_CELLS`] cells.
pub fn around(surface: &TriMesh, resolution: usize) -> Result<TetMesh, LatticeError> {
    surface.report().into_result().map_err(LatticeError::Surface)?;
    let open = boundary_edges(surface);
    if let Some(&[a, b]) = open.first() {
        let edge = [a.min(b), a.max(b)];
        return Err(LatticeError::Open { edge, count: open.len() });
    }
    let grid = Grid::around(&surface.positions, resolution)?;
    let mut keep = overlapped_tets(&grid, surface);
    for region in unoverlapped_regions(&grid, &keep) {
        let at = grid.tet_centre(region[0] as usize);
        if winding_number(surface, at).abs() > 0.5 {
            region.iter().for_each(|&tet| keep[tet as usize] = true);
        }
    }
    Ok(grid.mesh(&keep))
}

/// Marks the tets that a triangle of the surface touches.
fn overlapped_tets(grid: &Grid, surface: &TriMesh) -> Vec<bool> {
    let mut keep = vec![false; grid.tet_count()];
    for t in 0..surface.triangles.len() {
        let triangle = surface.triangle_points(t);
        grid.for_each_tet_near(&triangle, |tet| {
            if !keep[tet] && grid.is_tet(tet) {
                keep[tet] =
                    tet_triangle_overlap::overlaps(&grid.tet_points(tet), &triangle, grid.side);
            }
        });
    }
    keep
}

/// Connected regions of the tets that are not kept, without the exterior region.
fn unoverlapped_regions(grid: &Grid, keep: &[bool]) -> Vec<Vec<u32>> {
    let mut met = keep.to_vec();
    let mut regions = Vec::new();
    for seed in 0..met.len() {
        if met[seed] || !grid.is_tet(seed) {
            continue;
        }
        met[seed] = true;
        let (mut region, mut next, mut border) = (vec![seed as u32], 0, false);
        while let Some(&tet) = region.get(next) {
            next += 1;
            for neighbour in grid.neighbours(tet as usize) {
                match neighbour {
                    Some(other) if !met[other] => {
                        met[other] = true;
                        region.push(other as u32);
                    }
                    Some(_) => {}
                    None => border = true,
                }
            }
        }
        if !border {
            regions.push(region);
        }
    }
    regions
}

/// Winding number of the surface around a point: one inside, zero outside.
///
/// It is the sum of the solid angles of all triangles (Van Oosterom, Strackee, 1983) over 4π.
pub fn winding_number(surface: &TriMesh, at: [f64; 3]) -> f64 {
    let origin = Vec3::<f64>::of(at);
    let angle = |t: usize| {
        let [a, b, c] = surface.triangle_points(t).map(|p| Vec3::<f64>::of(p) - origin);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let determinant = a.dot(b.cross(c));
        let rest = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * atan2(determinant, rest)
    };
    let sum: f64 = (0..surface.triangles.len()).map(angle).sum();
    sum / (4.0 * std::f64::consts::PI)
}
