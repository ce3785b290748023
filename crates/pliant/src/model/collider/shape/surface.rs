//! Triangle mesh as a shape: the nearest point by a bounding volume hierarchy, the sign by pseudonormals.
//!
//! The nearest point may lie on an edge or a vertex, where the normals of the adjacent triangles disagree about
//! the sign. Their angle-weighted sum gives the correct sign (Bærentzen and Aanæs 2005).

use pliant_detect::{Aabb, Bvh, closest};

use crate::Error;
use crate::math::{Vec3, atan2};
use crate::mesh::{TriMesh, topology};
use crate::model::collider::shape::SignedDistance;

/// Distance relative to the mesh's size below which a point counts as on the surface and gets the pseudonormal
/// as its direction.
const ON_SURFACE_TOLERANCE: f64 = 1e-12;

/// Rule for the points that count as inside.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SolidSide {
    /// Points that a closed surface encloses.
    Enclosed,
    /// No points: the surface is open.
    Open,
    /// Points below the surface, within its bounds in x and z.
    Below,
}

/// Triangle mesh with its bounding volume hierarchy and normals.
#[derive(Clone, Debug)]
pub struct MeshShape {
    positions: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    tree: Bvh,
    bounds: Aabb,
    face_normals: Vec<Vec3<f64>>,
    /// Normals of the edges opposite to each corner.
    edge_normals: Vec<[Vec3<f64>; 3]>,
    vertex_normals: Vec<Vec3<f64>>,
    solid_side: SolidSide,
}

impl MeshShape {
    /// Creates the shape of a mesh, solid if it is closed.
    pub fn new(mesh: &TriMesh) -> Self {
        let closed = topology::boundary_edges(mesh).is_empty();
        Self::with_solid_side(mesh, if closed { SolidSide::Enclosed } else { SolidSide::Open })
    }

    /// Creates a height field: heights \[m\] on a grid, solid below.
    pub fn height_field(spacing: f64, columns: usize, heights: &[f64]) -> Result<Self, Error> {
        let wrong =
            |field, value, remedy| Err(Error::Quantity { name: "ground", field, value, remedy });
        if columns < 2 || heights.len() < 2 * columns || !heights.len().is_multiple_of(columns) {
            let remedy = "give at least two whole rows of at least two heights";
            return wrong("number of heights", heights.len() as f64, remedy);
        }
        if !(spacing > 0.0 && spacing.is_finite()) {
            return wrong("spacing", spacing, "give a positive spacing [m]");
        }
        if let Some(&value) = heights.iter().find(|h| !h.is_finite()) {
            return wrong("height", value, "give finite heights [m]");
        }
        let rows = heights.len() / columns;
        let at =
            |i: usize| [(i % columns) as f64 * spacing, heights[i], (i / columns) as f64 * spacing];
        let mut mesh =
            TriMesh { positions: (0..heights.len()).map(at).collect(), ..TriMesh::default() };
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let a = (row * columns + column) as u32;
                let (b, c, d) = (a + 1, a + columns as u32, a + columns as u32 + 1);
                mesh.triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
        mesh.validate()?;
        Ok(Self::with_solid_side(&mesh, SolidSide::Below))
    }

    fn with_solid_side(mesh: &TriMesh, inside: SolidSide) -> Self {
        let at = |v: u32| Vec3::of(mesh.positions[v as usize]);
        let unit = |v: Vec3<f64>| {
            let length: f64 = v.norm();
            if length > 0.0 { v.scale(1.0 / length) } else { v }
        };
        let faces: Vec<Vec3<f64>> = (mesh.triangles.iter())
            .map(|&[a, b, c]| unit((at(b) - at(a)).cross(at(c) - at(a))))
            .collect();
        let mut vertices = vec![Vec3::zero(); mesh.positions.len()];
        for (t, &triangle) in mesh.triangles.iter().enumerate() {
            for k in 0..3 {
                let [p, q, r] = [0, 1, 2].map(|i| at(triangle[(k + i) % 3]));
                let (u, v) = (q - p, r - p);
                let angle: f64 = atan2(u.cross(v).norm(), u.dot(v));
                vertices[triangle[k] as usize] += faces[t].scale(angle);
            }
        }
        let mut edges: Vec<[Vec3<f64>; 3]> = faces.iter().map(|&n| [n; 3]).collect();
        let mut sides: Vec<([u32; 2], usize, usize)> = Vec::new();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
                sides.push(([a.min(b), a.max(b)], t, k));
            }
        }
        sides.sort_unstable();
        for pair in sides.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let ((_, t, k), (_, u, l)) = (pair[0], pair[1]);
            let sum = faces[t] + faces[u];
            (edges[t][k], edges[u][l]) = (sum, sum);
        }
        let points = |t: &[u32; 3]| t.map(|v| mesh.positions[v as usize]);
        let boxes: Vec<Aabb> =
            mesh.triangles.iter().map(|t| Aabb::from_points(&points(t))).collect();
        Self {
            bounds: Aabb::from_points(&mesh.positions),
            tree: Bvh::build(&boxes),
            positions: mesh.positions.clone(),
            triangles: mesh.triangles.clone(),
            face_normals: faces,
            edge_normals: edges,
            vertex_normals: vertices,
            solid_side: inside,
        }
    }

    /// Triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Vertices \[m\].
    pub fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    pub(crate) fn nearest(&self, p: Vec3<f64>, reach: f64) -> Option<SignedDistance> {
        let point = [p.x, p.y, p.z];
        let far = self.bounds.distance_squared(point) > reach * reach;
        let below = self.solid_side == SolidSide::Below && point[1] < self.bounds.max[1];
        if far && !below {
            return None;
        }
        let to = |t: u32| {
            let [a, b, c] = self.triangles[t as usize].map(|v| self.positions[v as usize]);
            closest::vertex_triangle([point, a, b, c])
        };
        let (t, _) = self.tree.nearest(point, f64::INFINITY, |t| to(t).distance_squared())?;
        let found = to(t);
        let outward = self.pseudonormal(t as usize, &found.weights[1..]);
        let offset = Vec3::<f64>::of(found.offset);
        let distance = offset.norm();
        let behind = match self.solid_side {
            SolidSide::Open => false,
            SolidSide::Enclosed => outward.dot(offset) < 0.0,
            SolidSide::Below => {
                let within =
                    |c: usize| point[c] >= self.bounds.min[c] && point[c] <= self.bounds.max[c];
                within(0) && within(2) && outward.dot(offset) < 0.0
            }
        };
        let sign = if behind { -1.0 } else { 1.0 };
        let normal = if distance > ON_SURFACE_TOLERANCE * self.bounds.longest_side() {
            offset.scale(sign / distance)
        } else {
            let length = outward.norm();
            if length > 0.0 { outward.scale(1.0 / length) } else { self.face_normals[t as usize] }
        };
        Some(SignedDistance { distance: sign * distance, normal })
    }

    /// Pseudonormal of the feature of a triangle (face, edge or vertex) on which a point with these weights
    /// lies.
    fn pseudonormal(&self, t: usize, weights: &[f64]) -> Vec3<f64> {
        let on = |k: usize| weights[k] > 0.0;
        match [on(0), on(1), on(2)] {
            [true, true, true] => self.face_normals[t],
            [false, true, true] => self.edge_normals[t][0],
            [true, false, true] => self.edge_normals[t][1],
            [true, true, false] => self.edge_normals[t][2],
            [true, ..] => self.vertex_normals[self.triangles[t][0] as usize],
            [_, true, _] => self.vertex_normals[self.triangles[t][1] as usize],
            _ => self.vertex_normals[self.triangles[t][2] as usize],
        }
    }
}
