//! Cylinders: sleeves, tubes, cans.
//!
//! Vertex (i, j), at the angle 2πi/around and the height j/along, is number i + j·around: the
//! first `around` vertices are the lower rim, and those from `along · around` on the upper rim.
//! A closed cylinder ends with the centre of the lower lid and the centre of the upper lid.
//!
//! Texture coordinates are (i/around, j/along): u runs around and v up, as woven materials need. Vertices are shared
//! across the seam, so in the last column u runs back to zero; its direction is still that around the axis.

use crate::Error;
use crate::math::{cos, sin};
use crate::mesh::TriMesh;
use crate::mesh::tri::quad;
use crate::mesh::validate::{checked_vertex_count, require_at_least, require_positive};

/// A generator of cylinders around the y axis, facing outwards, by default open, with 32 segments
/// around and 16 along, and the centre of the lower rim at the origin.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Cylinder {
    radius: f64,
    height: f64,
    around: usize,
    along: usize,
    closed: bool,
    origin: [f64; 3],
}

impl Cylinder {
    /// An open cylinder of the radius \[m\] and height \[m\].
    pub fn new(radius: f64, height: f64) -> Self {
        Self { radius, height, around: 32, along: 16, closed: false, origin: [0.0; 3] }
    }

    /// Sets the number of quads around the axis and along it.
    pub fn segments(mut self, around: usize, along: usize) -> Self {
        (self.around, self.along) = (around, along);
        self
    }

    /// Closes both ends with lids: fans of triangles around a centre.
    pub fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// The position \[m\] of the centre of the lower rim.
    pub fn at(mut self, origin: [f64; 3]) -> Self {
        self.origin = origin;
        self
    }

    /// Makes the mesh.
    pub fn build(self) -> Result<TriMesh, Error> {
        require_at_least(3, "the cylinder's number of segments around", self.around)?;
        require_at_least(1, "the cylinder's number of segments along", self.along)?;
        require_positive("the cylinder's radius", self.radius)?;
        require_positive("the cylinder's height", self.height)?;
        let count = checked_vertex_count(&[self.around, self.along.saturating_add(1)])?;
        let [x, y, z] = self.origin;

        // Rings, from the lower rim to the upper.
        let mut positions = Vec::with_capacity(count + 2);
        let mut uvs = Vec::with_capacity(count + 2);
        for j in 0..=self.along {
            let v = j as f64 / self.along as f64;
            let up = y + self.height * v;
            for i in 0..self.around {
                let angle = std::f64::consts::TAU * i as f64 / self.around as f64;
                uvs.push([i as f64 / self.around as f64, v]);
                positions.push([x + self.radius * cos(angle), up, z + self.radius * sin(angle)]);
            }
        }
        let vertex = |i: usize, j: usize| (i % self.around + j * self.around) as u32;
        let mut triangles = Vec::with_capacity(2 * (count + self.around));
        for j in 0..self.along {
            for i in 0..self.around {
                let corners =
                    [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                triangles.extend(quad(corners, true));
            }
        }

        // Lids.
        if self.closed {
            positions.extend([self.origin, [x, y + self.height, z]]);
            uvs.extend([[0.5, 0.0], [0.5, 1.0]]);
            let (low, high) = (count as u32, count as u32 + 1);
            for i in 0..self.around {
                triangles.push([low, vertex(i, 0), vertex(i + 1, 0)]);
                triangles.push([high, vertex(i + 1, self.along), vertex(i, self.along)]);
            }
        }
        let mut mesh = TriMesh::new(positions, triangles)?;
        mesh.uvs = Some(uvs);
        Ok(mesh)
    }
}

impl TryFrom<Cylinder> for TriMesh {
    type Error = Error;
    fn try_from(cylinder: Cylinder) -> Result<Self, Error> {
        cylinder.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::measure::{enclosed_volume, triangle_areas};
    use crate::mesh::topology::boundary_edges;

    #[test]
    fn area_and_volume_are_those_of_the_prism() {
        let (radius, height, n) = (0.5, 2.0, 12);
        let half_angle = std::f64::consts::PI / n as f64;
        let side = 2.0 * radius * sin(half_angle);
        let open = Cylinder::new(radius, height).segments(n, 5);
        let area: f64 = triangle_areas(&open.clone().build().unwrap()).iter().sum();
        assert!((area - n as f64 * side * height).abs() < 1e-13);
        let closed = open.closed().at([3.0, 1.0, 2.0]).build().unwrap();
        let base = 0.5 * n as f64 * radius * radius * sin(2.0 * half_angle);
        assert!((enclosed_volume(&closed) - base * height).abs() < 1e-13); // positive: outwards
        let area: f64 = triangle_areas(&closed).iter().sum();
        assert!((area - n as f64 * side * height - 2.0 * base).abs() < 1e-13);
    }

    #[test]
    fn an_open_cylinder_has_two_rims_in_the_documented_places() {
        let mesh = Cylinder::new(1.0, 3.0).segments(6, 4).build().unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (30, 48));
        assert_eq!(boundary_edges(&mesh).len(), 12);
        assert!(mesh.positions[..6].iter().all(|p| p[1] == 0.0));
        assert!(mesh.positions[24..].iter().all(|p| p[1] == 3.0));
        assert!(boundary_edges(&Cylinder::new(1.0, 3.0).closed().build().unwrap()).is_empty());
        assert!(Cylinder::new(1.0, 1.0).segments(3, 1).closed().build().is_ok());
    }

    #[test]
    fn warp_runs_around_and_weft_up_even_across_the_seam() {
        let mesh = Cylinder::new(1.0, 3.0).segments(7, 4).build().unwrap();
        let uvs = mesh.uvs.as_ref().unwrap();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let uv = triangle.map(|v| uvs[v as usize]);
            let warp = crate::elements::warp_direction(mesh.triangle_points(t), uv).unwrap();
            let length = warp.iter().map(|c| c * c).sum::<f64>().sqrt();
            assert!(warp[1].abs() < 1e-12 * length, "{t}: {warp:?}");
        }
    }

    #[test]
    fn impossible_cylinders_are_refused() {
        assert!(Cylinder::new(1.0, 1.0).segments(2, 1).build().is_err());
        assert!(Cylinder::new(1.0, 1.0).segments(3, 0).build().is_err());
        assert!(Cylinder::new(1.0, 1.0).segments(3, usize::MAX).build().is_err());
        assert!(Cylinder::new(0.0, 1.0).build().is_err());
        assert!(Cylinder::new(1.0, f64::NAN).build().is_err());
    }
}
