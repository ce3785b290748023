//! Mesh repair from a file's content to a mesh that can be simulated, with a textual report.
//!
//! A file may contain duplicate vertices along a texture seam, degenerate triangles, unused vertices,
//! inconsistently oriented neighbours, or three sheets along one edge. [`cloth`] converts such a [`Surface`] to
//! a valid [`TriMesh`] and [`solid`] a [`Volume`] to a valid [`TetMesh`]. [`Repaired`] reports the changes and
//! maps the vertices. Defects that cannot be repaired without guessing are errors that name the offenders.
//!
//! ```text
//! weld coincident vertices → drop degenerate and duplicate cells → split or reject nonmanifold
//! edges and vertices → orient neighbours consistently → drop unused vertices
//! ```
//!
//! The order of vertices and triangles is preserved, and the result depends on the input alone.

mod manifold;
mod orient;
mod report;
mod weld;

use pliant::mesh::{Cell, MeshError, TetMesh, TriMesh};
use thiserror::Error;

use crate::import::Volume;
use crate::surface::Surface;
pub use report::Repaired;

/// Marker of a dropped vertex in [`Repaired::vertex_of`].
pub const NONE: u32 = u32::MAX;

/// Repair settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Welding tolerance relative to the size of the mesh (the diagonal of its bounding box): closer vertices
    /// are merged. `None` keeps even coincident vertices separate. The default, 1e-7, is the rounding of single
    /// precision.
    pub weld: Option<f64>,
    /// If true (the default), edges of more than two triangles and vertices where separate fans of triangles
    /// touch are split by duplicating vertices. If false, they are errors.
    pub split: bool,
    /// If true (the default), closed pieces are oriented outwards. If false, they keep the orientation of the
    /// majority of their triangles, as a cavity requires: inwards.
    pub outward: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { weld: Some(1e-7), split: true, outward: true }
    }
}

/// Error of a repair.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RepairError {
    /// A cell of the input refers to a missing vertex.
    #[error(
        "{cell} refers to vertex {vertex}, but there are {count} vertices, numbered from 0; \
         correct the index"
    )]
    Index {
        /// Offending cell.
        cell: Cell,
        /// Index of the missing vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A position of the input is infinite or NaN.
    #[error("the position of vertex {vertex} is infinite or NaN; it must be finite [m]")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// The welding tolerance is out of range.
    #[error("the welding tolerance is {found}; it must be at least 0 and below 1")]
    Tolerance {
        /// Given tolerance.
        found: f64,
    },
    /// No cells remain.
    #[error("no cells remain: {degenerate} of {cells} are degenerate; check the units of the file")]
    Nothing {
        /// Number of input cells.
        cells: usize,
        /// Number of degenerate cells.
        degenerate: usize,
    },
    /// Edges are shared by more than two triangles, and splitting is disabled.
    #[error(
        "{} edges are shared by more than two triangles, the first between vertices {} and {}; \
         remove triangles or allow splitting", edges.len(), edges[0][0], edges[0][1]
    )]
    NonManifoldEdges {
        /// Edges by input vertex indices, ascending; never empty.
        edges: Vec<[u32; 2]>,
    },
    /// Separate fans of triangles touch in vertices, and splitting is disabled.
    #[error(
        "{} vertices are non-manifold (several triangle fans), the first is vertex {}; duplicate \
         them for each fan or allow splitting", vertices.len(), vertices[0]
    )]
    NonManifoldVertices {
        /// Input vertex indices, ascending; never empty.
        vertices: Vec<u32>,
    },
    /// The surface is not orientable, like a Möbius strip.
    #[error(
        "the surface is not orientable: triangles {} and {} conflict at the edge between vertices \
         {} and {}; cut it open there", triangles[0], triangles[1], edge[0], edge[1]
    )]
    OneSided {
        /// Two triangles that cannot be oriented consistently.
        triangles: [u32; 2],
        /// Their shared edge, by input vertex indices, ascending.
        edge: [u32; 2],
    },
    /// The repaired mesh is still invalid. Indices refer to the repaired mesh.
    #[error("after repair, {0}")]
    Mesh(MeshError),
}

/// Repairs a surface; returns a valid mesh and the report.
pub fn cloth(surface: &Surface, options: &Options) -> Result<(TriMesh, Repaired), RepairError> {
    let (positions, input) = (&surface.positions, &surface.triangles);
    check(positions, input, Cell::Triangle)?;
    let weld = weld::weld(positions, options.weld)?;
    let welded: Vec<_> = input.iter().map(|t| t.map(|v| weld[v as usize])).collect();

    // The engine's own inspection reports what it would reject.
    let mesh = TriMesh { positions: positions.clone(), triangles: welded, ..TriMesh::default() };
    let mut report = Repaired::new("triangle", weld);
    let kept = report.sort_out(mesh.report().problems, input.len())?;
    let mut triangles: Vec<_> = kept.iter().map(|&t| mesh.triangles[t as usize]).collect();

    // Every corner is reassigned: one vertex for each fan around a vertex.
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

/// Repairs a volume; returns a valid mesh and the report. Of the options, only `weld` applies.
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

/// Rejects input that cannot be repaired.
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
