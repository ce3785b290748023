//! Spheres of nearly equal triangles: balls, balloons.
//!
//! An icosahedron whose triangles are repeatedly cut into four, with the new vertices moved out onto the sphere: 10·4ˢ
//! + 2 vertices and 20·4ˢ triangles for s subdivisions.

use crate::Error;
use crate::math::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::topology::edges;
use crate::mesh::validate::{checked_vertex_count, require_positive};

/// A generator of spheres that face outwards, by default of radius 1 m around the origin.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Icosphere {
    subdivisions: u32,
    radius: f64,
    centre: [f64; 3],
}

impl Icosphere {
    /// A sphere of 20·4ˢ triangles, `s` being the number of subdivisions.
    pub fn new(subdivisions: u32) -> Self {
        Self { subdivisions, radius: 1.0, centre: [0.0; 3] }
    }

    /// The radius \[m\].
    pub fn radius(mut self, radius: f64) -> Self {
        self.radius = radius;
        self
    }

    /// The position \[m\] of the centre.
    pub fn at(mut self, centre: [f64; 3]) -> Self {
        self.centre = centre;
        self
    }

    /// Makes the mesh.
    pub fn build(self) -> Result<TriMesh, Error> {
        require_positive("the icosphere's radius", self.radius)?;
        checked_vertex_count(&[10, 4_usize.checked_pow(self.subdivisions).unwrap_or(usize::MAX)])?;
        let mut mesh = icosahedron();
        for _ in 0..self.subdivisions {
            subdivide(&mut mesh);
        }
        let centre = Vec3::<f64>::of(self.centre);
        for p in &mut mesh.positions {
            *p = (centre + Vec3::of(*p).scale(self.radius)).lane(0);
        }
        mesh.validate()?;
        Ok(mesh)
    }
}

/// The icosahedron in the unit sphere: three golden rectangles, one in each coordinate plane.
fn icosahedron() -> TriMesh {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut positions = Vec::with_capacity(12);
    for (long, short) in [(0, 1), (1, 2), (2, 0)] {
        for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let mut p = [0.0; 3];
            p[long] = s * golden;
            p[short] = t;
            positions.push(on_unit_sphere(p));
        }
    }
    // Three vertices at the edge's length, 2/√(golden² + 1) ≈ 1.05, from each other form a face;
    // the next distance between vertices is 1.7.
    let near = |a: usize, b: usize| {
        (Vec3::<f64>::of(positions[a]) - Vec3::of(positions[b])).norm_squared() < 1.5
    };
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let [p, q, r] = [a, b, c].map(|v| Vec3::<f64>::of(positions[v]));
                    let outward = p.dot(q.cross(r)) > 0.0;
                    let [a, b, c] = [a as u32, b as u32, c as u32];
                    triangles.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    TriMesh { positions, triangles, ..TriMesh::default() }
}

/// Cuts every triangle into four at the midpoints of its edges. New vertices follow the old ones in the order of the
/// edges.
fn subdivide(mesh: &mut TriMesh) {
    let (old, edges) = (mesh.positions.len(), edges(mesh));
    for &[a, b] in &edges {
        let [p, q] = [a, b].map(|v| Vec3::<f64>::of(mesh.positions[v as usize]));
        mesh.positions.push(on_unit_sphere((p + q).lane(0)));
    }
    let middle = |a: u32, b: u32| {
        let below = edges.partition_point(|edge| *edge < [a.min(b), a.max(b)]);
        (old + below) as u32
    };
    let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    mesh.triangles = triangles;
}

fn on_unit_sphere(p: [f64; 3]) -> [f64; 3] {
    let p = Vec3::<f64>::of(p);
    p.scale(1.0 / p.norm()).lane(0)
}

impl TryFrom<Icosphere> for TriMesh {
    type Error = Error;
    fn try_from(sphere: Icosphere) -> Result<Self, Error> {
        sphere.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::measure::{enclosed_volume, triangle_areas};
    use std::f64::consts::PI;

    #[test]
    fn counts() {
        for s in 0..4 {
            let mesh = Icosphere::new(s).build().unwrap();
            let quarters = 4_usize.pow(s);
            assert_eq!(mesh.positions.len(), 10 * quarters + 2);
            assert_eq!(mesh.triangles.len(), 20 * quarters);
        }
    }

    #[test]
    fn area_and_volume_approach_the_sphere_from_inside() {
        let radius = 0.3;
        let mesh = Icosphere::new(4).radius(radius).at([1.0, 2.0, 3.0]).build().unwrap();
        let volume = enclosed_volume(&mesh) / (4.0 / 3.0 * PI * radius * radius * radius);
        let area = triangle_areas(&mesh).iter().sum::<f64>() / (4.0 * PI * radius * radius);
        assert!((0.99..1.0).contains(&volume), "{volume}");
        assert!((0.99..1.0).contains(&area), "{area}");
        let off = mesh.positions.iter().map(|p| {
            let r = (Vec3::<f64>::of(*p) - Vec3::of([1.0, 2.0, 3.0])).norm();
            (r - radius).abs()
        });
        assert!(off.fold(0.0, f64::max) < 1e-15);
    }

    #[test]
    fn impossible_spheres_are_refused() {
        assert!(Icosphere::new(2).radius(-1.0).build().is_err());
        assert!(Icosphere::new(20).build().is_err());
        assert!(Icosphere::new(u32::MAX).build().is_err());
    }
}
