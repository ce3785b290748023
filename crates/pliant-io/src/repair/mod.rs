//! From what a file holds to what can be simulated, with a report in words.
//!
//! A file may list a vertex twice along a texture's seam, triangles without area, vertices that
//! nothing uses, neighbours that face opposite sides, three sheets along one edge. [`cloth`] turns
//! such a [`Surface`] into a sound [`TriMesh`], [`solid`] a [`Volume`] into a sound [`TetMesh`], and
//! [`Repaired`] says what was done and which vertex became which. What cannot be mended without
//! guessing is refused with the offenders named.
//!
//! ```text
//! weld coincident vertices → drop degenerate and duplicate cells → split or refuse non-manifold
//! edges and vertices → turn neighbours to the same side → drop unused vertices
//! ```
//!
//! The order of vertices and triangles is kept, and the result depends on the input alone.

mod manifold;
mod orient;
mod report;
mod weld;

use pliant::mesh::{Cell, MeshError, TetMesh, TriMesh};
use thiserror::Error;

use crate::import::Volume;
use crate::surface::Surface;
pub use report::Repaired;

/// What a vertex that was dropped has become, in [`Repaired::vertex_of`].
pub const NONE: u32 = u32::MAX;

/// How much may be changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Vertices closer than this part of the mesh's size (the diagonal of its box) become one;
    /// `None` leaves even coincident ones apart. The default, 1e-7, is the rounding of single
    /// precision.
    pub weld: Option<f64>,
    /// Whether edges of more than two triangles, and vertices in which separate fans of triangles
    /// touch, are split by duplicating vertices (the default) or refused.
    pub split: bool,
    /// Whether closed pieces are turned to face outwards (the default). Without it they face the
    /// side that most of their triangles face already, as a cavity should: inwards.
    pub outward: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { weld: Some(1e-7), split: true, outward: true }
    }
}

/// Why a mesh could not be repaired.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RepairError {
    /// A cell of the input names a vertex that is not there.
    #[error(
        "{cell} uses vertex {vertex}, but there are {count} vertices, counted from 0; \
         correct the index"
    )]
    Index {
        /// The cell.
        cell: Cell,
        /// The vertex that it names.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A position of the input is infinite or not a number.
    #[error("the position of vertex {vertex} is infinite or not a number; give it finite metres")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// The tolerance for welding is no part of a size.
    #[error("the tolerance for welding is {found}; give a number from 0 to below 1")]
    Tolerance {
        /// What was given.
        found: f64,
    },
    /// No cell is left.
    #[error(
        "nothing is left of {cells} cells, of which {degenerate} are degenerate; check the units"
    )]
    Nothing {
        /// How many cells there were.
        cells: usize,
        /// How many of them had no extent.
        degenerate: usize,
    },
    /// Edges are shared by more than two triangles, and splitting was not wanted.
    #[error(
        "{} edges are shared by more than two triangles, the first by vertices {} and {}; \
         remove triangles, or allow splitting", edges.len(), edges[0][0], edges[0][1]
    )]
    NonManifoldEdges {
        /// The edges, by the input's vertices, ascending; never empty.
        edges: Vec<[u32; 2]>,
    },
    /// Separate fans of triangles touch in vertices, and splitting was not wanted.
    #[error(
        "separate fans of triangles touch in {} vertices, the first in vertex {}; \
         give each fan its own vertex, or allow splitting", vertices.len(), vertices[0]
    )]
    NonManifoldVertices {
        /// The input's vertices, ascending; never empty.
        vertices: Vec<u32>,
    },
    /// A surface with one side only, like a Möbius strip.
    #[error(
        "the surface has one side only, found at triangles {} and {}, which share vertices {} and \
         {}; cut it open there", triangles[0], triangles[1], edge[0], edge[1]
    )]
    OneSided {
        /// Two triangles that cannot face the same side.
        triangles: [u32; 2],
        /// The edge that they share, by the input's vertices, ascending.
        edge: [u32; 2],
    },
    /// The repaired mesh is still not sound. Indices are those of the repaired mesh.
    #[error("after repair, {0}")]
    Mesh(MeshError),
}

/// A sound mesh of a surface, and what was done to it.
pub fn cloth(surface: &Surface, options: &Options) -> Result<(TriMesh, Repaired), RepairError> {
    let (positions, input) = (&surface.positions, &surface.triangles);
    check(positions, input, Cell::Triangle)?;
    let weld = weld::weld(positions, options.weld)?;
    let welded: Vec<_> = input.iter().map(|t| t.map(|v| weld[v as usize])).collect();

    // The engine's own inspection tells what it would refuse.
    let mesh = TriMesh { positions: positions.clone(), triangles: welded, ..TriMesh::default() };
    let mut report = Repaired::new("triangle", weld);
    let kept = report.sort_out(mesh.report().problems, input.len())?;
    let mut triangles: Vec<_> = kept.iter().map(|&t| mesh.triangles[t as usize]).collect();

    // Every corner gets its vertex anew: one for each fan around a vertex.
    let cut = manifold::cut(positions.len(), &triangles);
    if !options.split {
        refuse_splits(&cut)?;
    }
    let mut positions = mesh.positions;
    positions.extend(cut.copied_from.iter().map(|&v| positions[v as usize]).collect::<Vec<_>>());
    triangles = cut.triangles;
    report.split_edges = cut.edges;
    report.split_vertices = cut.vertices;
    report.copies = cut.copied_from.len();

    let turned = orient::orient(&positions, &mut triangles, options.outward);
    let turned = turned.map_err(|[a, b]| {
        let found = [a, b].map(|t| kept[t as usize]);
        let shared = |v: &&u32| triangles[b as usize].contains(v);
        let shared: Vec<_> = triangles[a as usize].iter().filter(shared).copied().collect();
        let original = |v: u32| match (v as usize).checked_sub(surface.positions.len()) {
            Some(copy) => cut.copied_from[copy],
            None => v,
        };
        let edge = [original(shared[0]), original(shared[1])];
        RepairError::OneSided {
            triangles: found,
            edge: [edge[0].min(edge[1]), edge[0].max(edge[1])],
        }
    })?;
    report.turned = turned.triangles;
    report.turned_pieces = turned.pieces;
    report.kept = kept;

    report.compact(&mut positions, &mut triangles);
    let mesh = TriMesh { positions, triangles, ..TriMesh::default() };
    mesh.report().into_result().map_err(RepairError::Mesh)?;
    Ok((mesh, report))
}

/// A sound mesh of a volume, and what was done to it. Of the options, only `weld` has a meaning.
pub fn solid(volume: &Volume, options: &Options) -> Result<(TetMesh, Repaired), RepairError> {
    let (positions, input) = (&volume.positions, &volume.tets);
    check(positions, input, Cell::Tet)?;
    let weld = weld::weld(positions, options.weld)?;
    let tets = input.iter().map(|t| t.map(|v| weld[v as usize])).collect();
    let mut mesh = TetMesh { positions: positions.clone(), tets, ..TetMesh::default() };
    let mut report = Repaired::new("tet", weld);
    report.turned = mesh.orient();
    let kept = report.sort_out(mesh.report().problems, input.len())?;
    let mut tets: Vec<_> = kept.iter().map(|&t| mesh.tets[t as usize]).collect();
    report.kept = kept;
    let mut positions = mesh.positions;
    report.compact(&mut positions, &mut tets);
    let mesh = TetMesh { positions, tets, ..TetMesh::default() };
    mesh.report().into_result().map_err(RepairError::Mesh)?;
    Ok((mesh, report))
}

/// Refuses input that no repair can work on.
fn check<const N: usize>(
    positions: &[[f64; 3]],
    cells: &[[u32; N]],
    name: fn(usize) -> Cell,
) -> Result<(), RepairError> {
    if let Some(vertex) = positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(RepairError::NotFinite { vertex });
    }
    let count = positions.len();
    for (c, cell) in cells.iter().enumerate() {
        if let Some(&vertex) = cell.iter().find(|&&v| v as usize >= count) {
            return Err(RepairError::Index { cell: name(c), vertex, count });
        }
    }
    Ok(())
}

fn refuse_splits(cut: &manifold::Cut) -> Result<(), RepairError> {
    if !cut.edges.is_empty() {
        return Err(RepairError::NonManifoldEdges { edges: cut.edges.clone() });
    }
    if !cut.vertices.is_empty() {
        return Err(RepairError::NonManifoldVertices { vertices: cut.vertices.clone() });
    }
    Ok(())
}
