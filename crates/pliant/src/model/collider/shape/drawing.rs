//! Tessellation of shapes, for rendering and export.

use std::collections::BTreeMap;

use crate::math::{Vec3, cos, sin};
use crate::mesh::{Icosphere, TriMesh};
use crate::model::collider::shape::{DistanceField, Shape, box_mesh};

/// Subdivisions of an icosahedron for a sphere: 642 vertices.
const SPHERE_SUBDIVISIONS: u32 = 3;
/// Segments around a capsule, and rings from its side to each pole.
const CAPSULE_SEGMENTS: usize = 32;
const CAPSULE_RINGS: usize = 8;

impl Shape {
    /// Returns its surface as triangles that face outwards, around its own origin \[m\]. Round shapes are cut
    /// into facets with their corners on the surface; a plane is a square with sides of `extent` \[m\].
    pub fn surface_mesh(&self, extent: f64) -> TriMesh {
        match self {
            Self::HalfSpace { normal } => square_mesh(Vec3::of(*normal), 0.5 * extent),
            Self::Sphere { radius } => sphere_mesh(*radius),
            Self::Capsule { half, radius } => capsule_mesh(Vec3::of(*half), *radius),
            Self::Cuboid { half } => box_mesh(*half),
            Self::Mesh(_) => self.collision_mesh().unwrap_or_default(),
            Self::DistanceField(field) => field.surface_mesh(),
        }
    }

    /// True if it is bounded: all shapes but planes.
    pub fn is_finite(&self) -> bool {
        !matches!(self, Self::HalfSpace { .. })
    }

    /// True if its exact surface has no edges: facets are only an approximation of it.
    pub fn is_round(&self) -> bool {
        matches!(self, Self::Sphere { .. } | Self::Capsule { .. } | Self::DistanceField(_))
    }
}

fn tri_mesh(positions: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> TriMesh {
    TriMesh { positions, triangles, ..TriMesh::default() }
}

/// Returns two unit vectors perpendicular to a direction of any length and to each other, such that the three
/// are right-handed.
fn orthonormal_basis(direction: Vec3<f64>) -> [Vec3<f64>; 2] {
    let length: f64 = direction.norm();
    let k = direction.scale(1.0 / length);
    let least = if k.x.abs() <= k.y.abs() && k.x.abs() <= k.z.abs() {
        [1.0, 0.0, 0.0]
    } else if k.y.abs() <= k.z.abs() {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let u = k.cross(Vec3::of(least));
    let size: f64 = u.norm();
    let u = u.scale(1.0 / size);
    [u, k.cross(u)]
}

fn square_mesh(normal: Vec3<f64>, half: f64) -> TriMesh {
    let [u, v] = orthonormal_basis(normal).map(|d| d.scale(half));
    let corners = [u.scale(-1.0) - v, u - v, u + v, v - u];
    tri_mesh(corners.map(|p| [p.x, p.y, p.z]).to_vec(), vec![[0, 1, 2], [0, 2, 3]])
}

fn sphere_mesh(radius: f64) -> TriMesh {
    // The generator rejects invalid radii only, and those are rejected before.
    Icosphere::new(SPHERE_SUBDIVISIONS).radius(radius).build().unwrap_or_default()
}

/// Capsule: two hemispheres and a tube, by rings from one pole to the other.
fn capsule_mesh(half: Vec3<f64>, radius: f64) -> TriMesh {
    let length: f64 = half.norm();
    if length == 0.0 {
        return sphere_mesh(radius);
    }
    let axis = half.scale(1.0 / length);
    let [u, v] = orthonormal_basis(axis);
    let right = std::f64::consts::FRAC_PI_2;
    let point = |p: Vec3<f64>| [p.x, p.y, p.z];
    let mut positions = vec![point(half.scale(-1.0) - axis.scale(radius))];
    for (end, turns) in [(-1.0, 1..=CAPSULE_RINGS), (1.0, 0..=CAPSULE_RINGS - 1)] {
        for ring in turns {
            let part = ring as f64 / CAPSULE_RINGS as f64;
            let angle = if end < 0.0 { right * (part - 1.0) } else { right * part };
            let middle = half.scale(end) + axis.scale(radius * sin(angle));
            for i in 0..CAPSULE_SEGMENTS {
                let turn = std::f64::consts::TAU * i as f64 / CAPSULE_SEGMENTS as f64;
                let out = u.scale(cos(turn)) + v.scale(sin(turn));
                positions.push(point(middle + out.scale(radius * cos(angle))));
            }
        }
    }
    let last = positions.len() as u32;
    positions.push(point(half + axis.scale(radius)));
    let rings = 2 * CAPSULE_RINGS;
    let at = |ring: usize, i: usize| (1 + ring * CAPSULE_SEGMENTS + i % CAPSULE_SEGMENTS) as u32;
    let mut triangles = Vec::new();
    for i in 0..CAPSULE_SEGMENTS {
        triangles.push([0, at(0, i + 1), at(0, i)]);
        for ring in 0..rings - 1 {
            let [a, b] = [at(ring, i), at(ring, i + 1)];
            let [c, d] = [at(ring + 1, i), at(ring + 1, i + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        triangles.push([at(rings - 1, i), at(rings - 1, i + 1), last]);
    }
    tri_mesh(positions, triangles)
}

/// Six tetrahedra of a cell around its diagonal, with corners by bits of their index. All have the same
/// orientation.
const CUBE_TETS: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

impl DistanceField {
    /// Returns the zero level set, by marching tetrahedra.
    fn surface_mesh(&self) -> TriMesh {
        let [nx, ny, nz] = self.counts;
        let mut out = TriMesh::default();
        let mut known = BTreeMap::new();
        for (i, j, k) in (0..nz - 1)
            .flat_map(|k| (0..ny - 1).flat_map(move |j| (0..nx - 1).map(move |i| (i, j, k))))
        {
            let corner = |c: usize| ((k + (c >> 2)) * ny + j + (c >> 1 & 1)) * nx + i + (c & 1);
            for tet in CUBE_TETS {
                let tet = tet.map(corner);
                let inside: Vec<usize> =
                    tet.iter().copied().filter(|&v| self.values[v] < 0.0).collect();
                let outside: Vec<usize> =
                    tet.iter().copied().filter(|&v| self.values[v] >= 0.0).collect();
                let mut cut = |a: usize, b: usize| {
                    self.zero_crossing_vertex(a, b, &mut known, &mut out.positions)
                };
                let patch = match (&inside[..], &outside[..]) {
                    ([a], [p, q, r]) => vec![cut(*a, *p), cut(*a, *q), cut(*a, *r)],
                    ([a, b], [p, q]) => vec![cut(*a, *p), cut(*a, *q), cut(*b, *q), cut(*b, *p)],
                    ([a, b, c], [p]) => vec![cut(*a, *p), cut(*b, *p), cut(*c, *p)],
                    _ => continue,
                };
                let away = self.grid_point(outside[0]) - self.grid_point(inside[0]);
                let at = |v: u32| Vec3::<f64>::of(out.positions[v as usize]);
                let facing = (at(patch[1]) - at(patch[0])).cross(at(patch[2]) - at(patch[0]));
                for n in 2..patch.len() {
                    let [a, b, c] = [patch[0], patch[n - 1], patch[n]];
                    out.triangles.push(if facing.dot(away) < 0.0 { [a, c, b] } else { [a, b, c] });
                }
            }
        }
        out
    }

    /// Returns the vertex between two points of the grid; creates it on first use.
    fn zero_crossing_vertex(
        &self,
        a: usize,
        b: usize,
        known: &mut BTreeMap<[usize; 2], u32>,
        positions: &mut Vec<[f64; 3]>,
    ) -> u32 {
        *known.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            let (low, high) = (a.min(b), a.max(b));
            let (d, e) = (self.values[low], self.values[high]);
            let [p, q] = [self.grid_point(low), self.grid_point(high)];
            let p = p + (q - p).scale(d / (d - e));
            positions.push([p.x, p.y, p.z]);
            positions.len() as u32 - 1
        })
    }

    fn grid_point(&self, index: usize) -> Vec3<f64> {
        let [nx, ny, _] = self.counts;
        let at = [index % nx, index / nx % ny, index / nx / ny];
        Vec3::of(at.map(|i| i as f64 * self.spacing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology;

    /// Asserts that every vertex is on the surface, every triangle faces outwards, and the mesh is closed.
    fn assert_closed_surface_of(shape: &Shape, near: f64) {
        let (mesh, name) = (shape.surface_mesh(1.0), shape.name());
        assert!(mesh.triangles.len() > 11, "{name}");
        assert!(topology::boundary_edges(&mesh).is_empty(), "{name}");
        for p in &mesh.positions {
            let d = shape.nearest(Vec3::of(*p), 1.0).unwrap().distance;
            assert!(d.abs() < near, "{name}: {p:?} is {d} m away");
        }
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|v| Vec3::<f64>::of(mesh.positions[v as usize]));
            let middle = (a + b + c).scale(1.0 / 3.0);
            let normal = (b - a).cross(c - a);
            let out = shape.nearest(middle, 1.0).unwrap().normal;
            assert!(normal.dot(out) >= 0.0, "{name}: a triangle at {middle:?} faces in");
        }
    }

    #[test]
    fn every_finite_shape_is_closed_and_faces_out() {
        assert_closed_surface_of(&Shape::Sphere { radius: 0.3 }, 1e-12);
        assert_closed_surface_of(&Shape::Capsule { half: [0.1, 0.4, -0.2], radius: 0.2 }, 1e-12);
        assert_closed_surface_of(&Shape::Capsule { half: [0.0; 3], radius: 0.2 }, 1e-12);
        assert_closed_surface_of(&Shape::Cuboid { half: [0.1, 0.2, 0.3] }, 1e-12);
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let tetrahedron = Shape::convex(&points).unwrap().surface_mesh(1.0);
        assert_eq!((tetrahedron.positions.len(), tetrahedron.triangles.len()), (4, 4));
    }

    #[test]
    fn a_field_of_a_ball_is_nearly_that_ball() {
        let (n, spacing) = (13, 0.1);
        let value = |i: usize| {
            let at = [i % n, i / n % n, i / n / n].map(|c| c as f64 * spacing - 0.6);
            Vec3::<f64>::of(at).norm() - 0.42
        };
        let values = (0..n * n * n).map(value).collect();
        let field = DistanceField::new([n; 3], spacing, values).unwrap();
        // Along a diagonal `d` of a cell the surface is straight instead of round, off by at most d²/8r = 9e-3;
        // measured 5.7e-3.
        assert_closed_surface_of(&Shape::DistanceField(field), 9e-3);
    }

    #[test]
    fn a_plane_is_a_square_that_faces_along_its_normal() {
        let plane = Shape::HalfSpace { normal: [1.0, 2.0, -0.5] };
        assert!(!plane.is_finite() && Shape::Sphere { radius: 1.0 }.is_finite());
        let mesh = plane.surface_mesh(3.0);
        let at = |v: usize| Vec3::<f64>::of(mesh.positions[v]);
        let normal = (at(1) - at(0)).cross(at(2) - at(0));
        assert!(normal.dot(Vec3::of([1.0, 2.0, -0.5])) > 0.0);
        assert!(((at(1) - at(0)).norm() - 3.0).abs() < 1e-12);
        for p in &mesh.positions {
            assert!(plane.nearest(Vec3::of(*p), 1.0).unwrap().distance.abs() < 1e-12);
        }
    }
}
