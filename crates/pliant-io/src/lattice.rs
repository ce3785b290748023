//! A solid around a surface: the tets of a lattice that the surface touches or encloses.
//!
//! The lattice is body-centred cubic: the corners and the centres of cubic cells. Two cells that
//! share a face have four tets between them, each of the two centres and one edge of the face:
//!
//! ```text
//!      e1                  All tets are congruent, and nearly regular: dihedral angles of 60° and
//!     /|\                  90°. Inside, each has four neighbours: two around the axis c–c', and
//!    c-+-c'                one across each of the faces (c, e0, e1) and (c', e0, e1), between c or
//!     \|/                  c' and another cell at the edge.
//!      e0
//! ```
//!
//! A tet is kept if a triangle of the surface touches it, by a test of separating axes with some
//! slack, so the surface lies inside the kept ones. The other tets form connected regions that the
//! surface does not touch; each is wholly inside or outside, which the generalised winding number
//! at one point of it tells (Jacobson, Kavan, Sorkine-Hornung: "Robust inside-outside segmentation
//! using generalized winding numbers", 2013). That point is away from the surface, where the
//! number is clean. The surface is then embedded in the solid: [`Embedding`](crate::Embedding).

mod grid;
mod touch;

use pliant::math::{Vec3, atan2};
use pliant::mesh::topology::boundary_edges;
use pliant::mesh::{MeshError, TetMesh, TriMesh};
use thiserror::Error;

use grid::Grid;

/// The most cells that a lattice may have: a few hundred megabytes while it is made.
pub const MAX_CELLS: usize = 1 << 22;

/// Why no solid can be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LatticeError {
    /// The surface has an edge of one triangle only, so it has no inside.
    #[error(
        "the surface is open: {count} edges have one triangle only, the first that of vertices {} \
         and {}; close the holes, or simulate it as cloth", edge[0], edge[1]
    )]
    Open {
        /// The first of the edges, ascending.
        edge: [u32; 2],
        /// How many there are.
        count: usize,
    },
    /// The surface is not sound in another way.
    #[error("{0}; repair the surface first")]
    Surface(MeshError),
    /// No cells, or more than can be handled.
    #[error(
        "a resolution of {resolution} means {cells} cells; give from 1 cell along the longest \
         side to {MAX_CELLS} in all"
    )]
    Resolution {
        /// What was asked for.
        resolution: usize,
        /// How many cells that would be.
        cells: usize,
    },
}

/// The tets of a lattice that enclose a closed surface, with `resolution` cells along the longest
/// side of its box.
///
/// The lattice is one cell wider than the box on every side; at most [`MAX_CELLS`] are allowed.
pub fn around(surface: &TriMesh, resolution: usize) -> Result<TetMesh, LatticeError> {
    surface.report().into_result().map_err(LatticeError::Surface)?;
    let open = boundary_edges(surface);
    if let Some(&[a, b]) = open.first() {
        let edge = [a.min(b), a.max(b)];
        return Err(LatticeError::Open { edge, count: open.len() });
    }
    let grid = Grid::around(&surface.positions, resolution)?;
    let mut keep = touched(&grid, surface);
    for region in untouched_regions(&grid, &keep) {
        let at = grid.tet_centre(region[0] as usize);
        if winding_number(surface, at).abs() > 0.5 {
            region.iter().for_each(|&tet| keep[tet as usize] = true);
        }
    }
    Ok(grid.mesh(&keep))
}

/// Which tets a triangle of the surface touches.
fn touched(grid: &Grid, surface: &TriMesh) -> Vec<bool> {
    let mut keep = vec![false; grid.tet_count()];
    for t in 0..surface.triangles.len() {
        let triangle = surface.triangle_points(t);
        grid.for_each_tet_near(&triangle, |tet| {
            if !keep[tet] && grid.is_tet(tet) {
                keep[tet] = touch::touch(&grid.tet_points(tet), &triangle, grid.side);
            }
        });
    }
    keep
}

/// The tets that are not kept, by connected regions, without the region around everything.
fn untouched_regions(grid: &Grid, keep: &[bool]) -> Vec<Vec<u32>> {
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

/// How often the surface winds around a point: one inside, zero outside.
///
/// The sum of the solid angles of all triangles (Van Oosterom, Strackee, 1983) over 4π.
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
