//! Mesh errors: one variant for each defect, naming the vertex or cell and a remedy.
//!
//! Generators use the same type for invalid requests. The checks that find the defects are in
//! [`report`](crate::mesh::report).

use std::fmt;

use thiserror::Error;

/// The largest number of vertices that a generator makes: a few gigabytes of mesh. More is almost certainly a typing
/// error, and an error is better than exhausted memory.
pub const MAX_GENERATED_VERTICES: usize = 1 << 26;

/// An entry of a list of vertex indices, with its own index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cell {
    /// An entry of a list of springs or of a strand's segments.
    Segment(usize),
    /// An entry of a list of triangles.
    Triangle(usize),
    /// An entry of a list of tets.
    Tet(usize),
    /// An entry of a list of named points.
    Corner(usize),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Segment(i) => write!(f, "segment {i}"),
            Self::Triangle(i) => write!(f, "triangle {i}"),
            Self::Tet(i) => write!(f, "tet {i}"),
            Self::Corner(i) => write!(f, "corner {i}"),
        }
    }
}

/// A defect of a mesh, or an invalid request to a mesh generator.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The mesh is empty.
    #[error("the mesh has {vertices} vertices and {cells} cells; it must have at least one cell")]
    Empty {
        /// Number of vertices.
        vertices: usize,
        /// Number of triangles, tets or segments.
        cells: usize,
    },
    /// More vertices or cells than indices can number or, for a generator, than its limit allows.
    #[error(
        "{} vertices or cells exceed the maximum of {most}; reduce the resolution or split the \
         mesh",
        .vertices.map_or("more than 2^64".to_string(), |n| n.to_string())
    )]
    TooManyVertices {
        /// Number requested; none if it does not even fit a machine word.
        vertices: Option<usize>,
        /// Largest number allowed.
        most: usize,
    },
    /// A cell uses a vertex that does not exist.
    #[error(
        "{cell} refers to vertex {vertex}, but the mesh has {count} vertices, numbered from 0; \
         correct the index (some formats count from 1)"
    )]
    IndexOutOfRange {
        /// The cell.
        cell: Cell,
        /// The invalid index.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A cell uses a vertex twice.
    #[error("{cell} refers to vertex {vertex} more than once; remove the cell")]
    RepeatedIndex {
        /// The cell.
        cell: Cell,
        /// The repeated vertex.
        vertex: u32,
    },
    /// A coordinate is infinite or NaN.
    #[error("the position of vertex {vertex} is infinite or NaN; it must be finite [m]")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A segment of zero length.
    #[error(
        "segment {segment} is degenerate (length {length:.3e} m); merge its two vertices or move \
         them apart"
    )]
    DegenerateSegment {
        /// The segment.
        segment: usize,
        /// Its length \[m\].
        length: f64,
    },
    /// A triangle of zero area.
    #[error(
        "triangle {triangle} is degenerate (area {area:.3e} m²); merge its coincident vertices or \
         remove it"
    )]
    DegenerateTriangle {
        /// The triangle.
        triangle: usize,
        /// Its area \[m²\].
        area: f64,
    },
    /// A tet of zero volume.
    #[error(
        "tet {tet} is degenerate (volume {volume:.3e} m³); remove it or move its vertices apart"
    )]
    DegenerateTet {
        /// The tet.
        tet: usize,
        /// Its signed volume \[m³\].
        volume: f64,
    },
    /// A tet whose vertices are listed in left-handed order.
    #[error(
        "tet {tet} is inverted (volume {volume:.3e} m³); \
         swap two of its vertices, or build the mesh with `TetMesh::oriented`"
    )]
    InvertedTet {
        /// The tet.
        tet: usize,
        /// Its signed volume \[m³\], below zero.
        volume: f64,
    },
    /// Two cells have the same vertices.
    #[error("{first} and {second} have the same vertices; remove one of them")]
    DuplicateCell {
        /// The earlier cell.
        first: Cell,
        /// The later cell.
        second: Cell,
    },
    /// Two tets lie on the same side of the face that they share.
    #[error(
        "tets {} and {} overlap: both lie on the same side of their common face {:?}; \
         remove one of them", tets[0], tets[1], face
    )]
    OverlappingTets {
        /// The two tets.
        tets: [usize; 2],
        /// The vertices of the common face, ascending.
        face: [u32; 3],
    },
    /// More than two tets meet at a face.
    #[error("face {face:?} is shared by {count} tets; remove all but two of them")]
    NonManifoldFace {
        /// The vertices of the face, ascending.
        face: [u32; 3],
        /// Number of tets that share it.
        count: usize,
    },
    /// More than two triangles meet at an edge.
    #[error(
        "the edge between vertices {} and {} is shared by {count} triangles; remove all but two of \
         them, or duplicate the vertices of the edge", edge[0], edge[1]
    )]
    NonManifoldEdge {
        /// The edge, ascending.
        edge: [u32; 2],
        /// Number of triangles that share it.
        count: usize,
    },
    /// The triangles of a vertex form several fans that touch in that vertex alone.
    #[error(
        "vertex {vertex} is non-manifold: it joins {fans} triangle fans that share no edge; \
         duplicate the vertex for each fan"
    )]
    NonManifoldVertex {
        /// The vertex.
        vertex: u32,
        /// Number of fans at the vertex.
        fans: usize,
    },
    /// Two neighbouring triangles face opposite sides.
    #[error(
        "triangles {} and {} at the edge between vertices {} and {} have opposite orientations; \
         reverse the vertex order of one of them", triangles[0], triangles[1], edge[0], edge[1]
    )]
    InconsistentOrientation {
        /// The edge, ascending.
        edge: [u32; 2],
        /// The two triangles, ascending.
        triangles: [u32; 2],
    },
    /// A vertex that no cell uses: it would have no mass.
    #[error("vertex {vertex} is not used by any cell; remove it")]
    IsolatedVertex {
        /// The vertex.
        vertex: usize,
    },
    /// Texture coordinates do not match the vertices one to one.
    #[error(
        "there are {uvs} texture coordinates for {vertices} vertices; there must be one per vertex"
    )]
    UvCount {
        /// Number of texture coordinates.
        uvs: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A texture coordinate is infinite or NaN.
    #[error("the texture coordinates of vertex {vertex} are infinite or NaN; they must be finite")]
    UvNotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// Springs and their kinds do not match one to one.
    #[error("there are {kinds} kinds for {springs} springs; there must be one per spring")]
    KindCount {
        /// Number of kinds.
        kinds: usize,
        /// Number of springs.
        springs: usize,
    },
    /// The requested resolution is too low.
    #[error("{what} is {found}; it must be at least {least}")]
    Resolution {
        /// Name of the count.
        what: &'static str,
        /// The given value.
        found: usize,
        /// The smallest allowed value.
        least: usize,
    },
    /// A requested size is zero, negative, infinite or NaN.
    #[error("{what} is {found}; it must be positive and finite")]
    Size {
        /// Name of the size.
        what: &'static str,
        /// The given value, usually in metres.
        found: f64,
    },
}

/// Rejects a count below `least`.
pub(super) fn require_at_least(
    least: usize,
    what: &'static str,
    found: usize,
) -> Result<(), MeshError> {
    if found < least { Err(MeshError::Resolution { what, found, least }) } else { Ok(()) }
}

/// Rejects a size that is not positive and finite.
pub(super) fn require_positive(what: &'static str, found: f64) -> Result<(), MeshError> {
    if found > 0.0 && found.is_finite() { Ok(()) } else { Err(MeshError::Size { what, found }) }
}

/// Rejects a product of factors above a generator's limit, even where it would overflow.
pub(super) fn checked_vertex_count(factors: &[usize]) -> Result<usize, MeshError> {
    let vertices = factors.iter().try_fold(1_usize, |product, &f| product.checked_mul(f));
    match vertices {
        Some(n) if n <= MAX_GENERATED_VERTICES => Ok(n),
        _ => Err(MeshError::TooManyVertices { vertices, most: MAX_GENERATED_VERTICES }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn messages_name_the_offender_and_a_remedy() {
        let error: Error =
            MeshError::IndexOutOfRange { cell: Cell::Triangle(3), vertex: 9, count: 4 }.into();
        let text = error.to_string();
        assert!(
            text.contains("triangle 3")
                && text.contains("vertex 9")
                && text.contains("has 4 vertices")
        );
        assert!(text.contains("correct the index"));
        let text = MeshError::NonManifoldEdge { edge: [4, 7], count: 3 }.to_string();
        assert!(
            text.contains("4 and 7") && text.contains("3 triangles") && text.contains("remove")
        );
    }

    #[test]
    fn vertex_counts_beyond_reason_are_refused_without_overflow() {
        assert_eq!(checked_vertex_count(&[10, 20]), Ok(200));
        let most = MAX_GENERATED_VERTICES;
        assert_eq!(
            checked_vertex_count(&[most, 2]),
            Err(MeshError::TooManyVertices { vertices: Some(2 * most), most })
        );
        let error = checked_vertex_count(&[usize::MAX, 2]).unwrap_err();
        assert_eq!(error, MeshError::TooManyVertices { vertices: None, most });
        assert!(error.to_string().starts_with("more than 2^64 vertices"));
    }
}
