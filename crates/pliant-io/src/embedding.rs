//! Surfaces embedded in a solid.
//!
//! Every point stores the tet that contains it, or the nearest one, and its barycentric coordinates there. As
//! the solid deforms, the point follows with the same coordinates: `x = Σ b_k x_k` (Bouaziz, Martin, Liu,
//! Kavan, Pauly: "Projective Dynamics", 2014, section 7.1). A coarse solid, such as that of
//! [`lattice::around`](crate::lattice::around), drives a fine surface in this way.

mod nearest;

use pliant::math::{Scalar, Vec3};
use pliant::mesh::TetMesh;
use pliant::mesh::measure::tet_volume;
use thiserror::Error;

use nearest::NearestTet;

/// Points bound to the tets of a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// Vertices of the tet of each point.
    pub vertices: Vec<[u32; 4]>,
    /// Barycentric coordinates of each point: they sum to one, and are nonnegative inside the tet.
    pub weights: Vec<[f64; 4]>,
    /// Largest distance of a point outside all tets \[m\]; zero if all points are inside the solid.
    pub max_outside_distance: f64,
    vertex_count: usize,
}

/// Error while embedding or moving points.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The solid has no tets.
    #[error("the solid has no tets; it must have at least one")]
    NoTets,
    /// A tet refers to a missing vertex, has no volume, or is not finite.
    #[error("tet {tet} is degenerate or refers to a missing vertex; repair the solid")]
    BadTet {
        /// Index of the tet.
        tet: usize,
    },
    /// A triangle refers to a missing vertex.
    #[error("triangle {triangle} refers to a missing vertex; correct the index")]
    BadTriangle {
        /// Index of the triangle.
        triangle: usize,
    },
    /// A point is infinite or not a number.
    #[error("the position of point {point} is infinite or NaN; it must be finite [m]")]
    NotFinite {
        /// Index of the point.
        point: usize,
    },
    /// A slice has the wrong length.
    #[error("there are {found} {what}; the embedding needs {needed}")]
    Count {
        /// Name of the counted items.
        what: &'static str,
        /// Actual number.
        found: usize,
        /// Required number.
        needed: usize,
    },
}

impl Embedding {
    /// Embeds points in a single tet of four vertices with the given weights.
    pub fn in_one_tet(weights: &[[f64; 4]]) -> Self {
        let vertices = vec![[0, 1, 2, 3]; weights.len()];
        Self { vertices, weights: weights.to_vec(), max_outside_distance: 0.0, vertex_count: 4 }
    }

    /// Embeds points \[m\] in a solid at rest.
    pub fn new(solid: &TetMesh, points: &[[f64; 3]]) -> Result<Self, EmbeddingError> {
        let count = solid.positions.len();
        if solid.tets.is_empty() {
            return Err(EmbeddingError::NoTets);
        }
        for (tet, vertices) in solid.tets.iter().enumerate() {
            let inside = vertices.iter().all(|&v| (v as usize) < count);
            // A NaN volume fails the comparison as well.
            let full = inside && tet_volume(solid.tet_points(tet)).abs() > 0.0;
            if !full || !solid.tet_points(tet).as_flattened().iter().all(|x| x.is_finite()) {
                return Err(EmbeddingError::BadTet { tet });
            }
        }
        let search = NearestTet::new(solid);
        let mut embedding = Self {
            vertices: Vec::new(),
            weights: Vec::new(),
            max_outside_distance: 0.0,
            vertex_count: count,
        };
        for (point, &p) in points.iter().enumerate() {
            if !p.iter().all(|x| x.is_finite()) {
                return Err(EmbeddingError::NotFinite { point });
            }
            let (tet, distance) = search.find(p);
            embedding.max_outside_distance = embedding.max_outside_distance.max(distance);
            embedding.vertices.push(solid.tets[tet]);
            embedding.weights.push(barycentric(solid.tet_points(tet), p));
        }
        Ok(embedding)
    }

    /// Computes the positions of the points \[m\] for `positions` of the solid's vertices \[m\].
    ///
    /// Sums use double precision for any input type.
    pub fn apply<S: Scalar>(
        &self,
        positions: &[[S; 3]],
        out: &mut [[S; 3]],
    ) -> Result<(), EmbeddingError> {
        self.check("vertices of the solid", positions.len(), self.vertex_count)?;
        self.check("output positions", out.len(), self.vertices.len())?;
        for ((vertices, weights), point) in self.vertices.iter().zip(&self.weights).zip(out) {
            let corners = vertices.map(|v| positions[v as usize].map(S::to_f64));
            *point = [0, 1, 2].map(|d| {
                let sum: f64 = (0..4).map(|k| weights[k] * corners[k][d]).sum();
                S::from_f64(sum)
            });
        }
        Ok(())
    }

    fn check(&self, what: &'static str, found: usize, needed: usize) -> Result<(), EmbeddingError> {
        if found == needed { Ok(()) } else { Err(EmbeddingError::Count { what, found, needed }) }
    }
}

/// Barycentric coordinates of a point in a tet of nonzero volume.
fn barycentric(tet: [[f64; 3]; 4], p: [f64; 3]) -> [f64; 4] {
    let x = Vec3::<f64>::of(p);
    let [a, b, c, d] = tet.map(Vec3::<f64>::of);
    let (u, v, w, r) = (b - a, c - a, d - a, x - a);
    let volume = u.dot(v.cross(w));
    let inner = [r.dot(v.cross(w)), u.dot(r.cross(w)), u.dot(v.cross(r))].map(|n| n / volume);
    [1.0 - inner[0] - inner[1] - inner[2], inner[0], inner[1], inner[2]]
}

/// Unit normal of each vertex: the area-weighted mean of its triangles' normals. Zero where the normal is
/// undefined.
///
/// For a surface with seams, compute the normals on the welded mesh and copy them to the seam vertices;
/// otherwise the seam is visible.
pub fn smooth_normals<S: Scalar>(
    positions: &[[S; 3]],
    triangles: &[[u32; 3]],
    out: &mut [[S; 3]],
) -> Result<(), EmbeddingError> {
    let (found, needed) = (out.len(), positions.len());
    if found != needed {
        return Err(EmbeddingError::Count { what: "output normals", found, needed });
    }
    let mut sums = vec![Vec3::<f64>::zero(); positions.len()];
    for (t, triangle) in triangles.iter().enumerate() {
        if triangle.iter().any(|&v| v as usize >= positions.len()) {
            return Err(EmbeddingError::BadTriangle { triangle: t });
        }
        let [a, b, c] = triangle.map(|v| Vec3::<f64>::of(positions[v as usize].map(S::to_f64)));
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|&v| sums[v as usize] += normal);
    }
    for (sum, normal) in sums.into_iter().zip(out) {
        let length = sum.norm();
        let unit = if length > 0.0 { sum.scale(1.0 / length) } else { Vec3::zero() };
        *normal = unit.lane(0).map(S::from_f64);
    }
    Ok(())
}
