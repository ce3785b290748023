//! Triangle mesh as a shape: the nearest point by a bounding volume hierarchy, the sign by pseudonormals.
//!
//! The nearest point may lie on an edge or a vertex, where the normals of the adjacent triangles disagree about
//! the sign. Their angle-weighted sum gives the correct sign (Bærentzen and Aanæs 2005).

use std::sync::Arc;

use pliant_detect::{Aabb, Bvh, closest};

use crate::Error;
use crate::fields::Field;
use crate::math::{Vec3, atan2};
use crate::mesh::{TriMesh, hull, topology};
use crate::model::collider::Collider;
use crate::model::collider::shape::{ColliderShape, Shape, ShapeForm, SignedDistance};

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
        let invalid = |field, value, remedy| {
            Err(Error::Quantity { name: "height field", field, value, remedy })
        };
        if columns < 2 || heights.len() < 2 * columns || !heights.len().is_multiple_of(columns) {
            let remedy = "there must be at least two complete rows of at least two heights";
            return invalid("number of heights", heights.len() as f64, remedy);
        }
        if !(spacing > 0.0 && spacing.is_finite()) {
            return invalid("spacing", spacing, "it must be positive [m]");
        }
        if let Some(&value) = heights.iter().find(|h| !h.is_finite()) {
            return invalid("height", value, "heights must be finite [m]");
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

    fn search(&self, p: Vec3<f64>, reach: f64) -> Option<SignedDistance> {
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

impl Shape {
    /// Triangle mesh, closed and solid or open.
    pub fn mesh(mesh: &TriMesh) -> Result<Self, Error> {
        mesh.validate()?;
        Ok(Self::Mesh(Arc::new(MeshShape::new(mesh))))
    }

    /// Convex hull of points \[m\].
    pub fn convex(points: &[[f64; 3]]) -> Result<Self, Error> {
        Ok(Self::Mesh(Arc::new(MeshShape::new(&hull::convex_hull(points)?))))
    }

    /// Height field: heights \[m\] on a grid in x and z with a spacing \[m\], row after row along z.
    pub fn height_field(spacing: f64, columns: usize, heights: &[f64]) -> Result<Self, Error> {
        Ok(Self::Mesh(Arc::new(MeshShape::height_field(spacing, columns, heights)?)))
    }
}

impl Collider {
    /// Triangle mesh. A closed mesh is solid; an open one keeps bodies on the side on which they are.
    pub fn mesh(mesh: &TriMesh) -> Result<Self, Error> {
        Ok(Self::new(Shape::mesh(mesh)?, [0.0; 3]))
    }

    /// Convex hull of points \[m\].
    pub fn convex(points: &[[f64; 3]]) -> Result<Self, Error> {
        Ok(Self::new(Shape::convex(points)?, [0.0; 3]))
    }

    /// Height field over a grid of `columns` points along x with a spacing \[m\], row after row along z, from a
    /// corner \[m\]; everything below is solid.
    pub fn height_field(
        corner: [f64; 3],
        spacing: f64,
        columns: usize,
        heights: &[f64],
    ) -> Result<Self, Error> {
        Ok(Self::new(Shape::height_field(spacing, columns, heights)?, corner))
    }
}

impl ColliderShape for Arc<MeshShape> {
    const NAME: &'static str = "mesh";
    const FORMS: &'static [ShapeForm] = &[
        ShapeForm {
            name: "convex",
            solid: "convex hull of points",
            is_closed: true,
            fields: &[Field::points("list of points [m]")],
            example: "[[0.2, 0.0, 0.0], [-0.1, 0.0, 0.2], [-0.1, 0.0, -0.2], [0.0, -0.2, 0.0]]",
            build: |v| Collider::convex(v.points()?),
        },
        ShapeForm {
            name: "mesh",
            solid: "inside of a closed mesh; an open mesh is two-sided",
            is_closed: true,
            fields: &[Field::mesh(
                "any mesh of a cloth, generated or from a file; the surface of a file of \
                 tetrahedra",
            )],
            example: "{ icosphere = { radius = 0.2, subdivisions = 2 } }",
            build: |v| Collider::mesh(v.mesh()?),
        },
        ShapeForm {
            name: "heights",
            solid: "space below a height field",
            is_closed: false,
            fields: &[
                Field::vector("corner", "m", "position of the first grid point at height zero"),
                Field::number("spacing", "m", "distance of grid points along x and z"),
                Field::count("columns", "number of grid points along x"),
                Field::numbers("values", "m", "heights above the corner, row by row, x fastest"),
            ],
            example: "{ corner = [-0.3, -0.1, -0.3], spacing = 0.6, columns = 2, values = [0.0, 0.05, 0.05, 0.0] }",
            build: |v| {
                let (spacing, columns) = (v.number("spacing")?, v.count("columns")?);
                Collider::height_field(v.vector("corner")?, spacing, columns, v.numbers("values")?)
            },
        },
    ];

    #[inline]
    fn nearest(&self, p: Vec3<f64>, reach: f64) -> Option<SignedDistance> {
        self.search(p, reach)
    }

    fn collision_mesh(&self) -> Option<TriMesh> {
        Some(TriMesh {
            positions: self.positions.clone(),
            triangles: self.triangles.clone(),
            ..TriMesh::default()
        })
    }

    fn surface_mesh(&self, _: f64) -> TriMesh {
        self.collision_mesh().unwrap_or_default()
    }

    #[cfg(test)]
    fn samples() -> Vec<Self> {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.6]];
        let torus = crate::mesh::Torus::new(0.3, 0.1).segments(12, 6).build().expect("a torus");
        let hull = hull::convex_hull(&points).expect("a hull");
        vec![Arc::new(MeshShape::new(&hull)), Arc::new(MeshShape::new(&torus))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::mesh::{Icosphere, TetBlock};
    use crate::model::collider::shape::cuboid::Cuboid;

    fn near(shape: &Shape, p: [f64; 3]) -> (f64, [f64; 3]) {
        let n = shape.nearest(Vec3::of(p), f64::INFINITY).unwrap();
        (n.distance, [n.normal.x, n.normal.y, n.normal.z])
    }

    #[test]
    fn a_mesh_of_a_box_is_that_box() {
        // The corners of the mesh are those of the closed form.
        let tets = TetBlock::new(2, 2, 2).size([2.0, 4.0, 6.0]).build().unwrap();
        let (surface, _) = tets.surface_mesh();
        assert!(topology::boundary_edges(&surface).is_empty());
        let centre = surface.positions.iter().fold([0.0; 3], |s, p| [0, 1, 2].map(|c| s[c] + p[c]));
        let centre = centre.map(|c| c / surface.positions.len() as f64);
        let shape = Shape::mesh(&surface).unwrap();
        let cuboid = Shape::Cuboid(Cuboid { half: [1.0, 2.0, 3.0] });
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let p = [0; 3].map(|_| random.range(-4.5, 4.5));
            let (d, n) = near(&shape, [0, 1, 2].map(|c| p[c] + centre[c]));
            let (e, m) = near(&cuboid, p);
            assert!((d - e).abs() < 1e-12, "{p:?}: {d} {e}");
            let turned = (0..3).map(|c| n[c] * m[c]).sum::<f64>();
            // Inside, several sides may be equally near.
            assert!(turned > 1.0 - 1e-9 || d < 0.0, "{p:?}: {n:?} {m:?}");
        }
    }

    #[test]
    fn a_fine_sphere_is_nearly_round_and_solid() {
        let mesh = Icosphere::new(4).radius(1.0).build().unwrap();
        let shape = Shape::mesh(&mesh).unwrap();
        for p in [[0.3_f64, 0.1, -0.2], [1.2, 0.0, 0.4], [-0.9, 0.3, 0.3]] {
            let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
            assert!((near(&shape, p).0 - (length - 1.0)).abs() < 5e-3);
        }
        assert!(shape.nearest(Vec3::of([9.0, 0.0, 0.0]), 0.5).is_none());
    }

    #[test]
    fn ground_is_solid_below_and_ends_at_its_border() {
        let heights = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let ground = Shape::height_field(1.0, 3, &heights).unwrap();
        assert!((near(&ground, [0.5, -0.2, 0.1]).0 + 0.2).abs() < 0.2);
        assert!(near(&ground, [1.0, 0.5, 1.0]).0 < 0.0);
        assert!(near(&ground, [1.0, 1.5, 1.0]).0 > 0.0);
        assert!(near(&ground, [-1.0, -0.5, 1.0]).0 > 0.0);
        assert!(Shape::height_field(1.0, 3, &heights[..8]).is_err());
    }

    #[test]
    fn a_hull_of_four_points_is_their_tetrahedron() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let tetrahedron = Shape::convex(&points).unwrap().surface_mesh(1.0);
        assert_eq!((tetrahedron.positions.len(), tetrahedron.triangles.len()), (4, 4));
    }
}
