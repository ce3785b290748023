//! The surface of a torus: inner tubes, swim rings.
//!
//! Vertex (i, j), at 2πi/around along the ring and 2πj/across along the tube's circle, which
//! starts at its outermost point and rises, is number i + j·around.

use crate::Error;
use crate::math::{cos, sin};
use crate::mesh::TriMesh;
use crate::mesh::tri::quad;
use crate::mesh::validate::{checked_vertex_count, require_at_least, require_positive};

/// A generator of tori around the y axis that face outwards, by default with 48 × 16 quads and
/// centred at the origin.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Torus {
    major: f64,
    minor: f64,
    around: usize,
    across: usize,
    centre: [f64; 3],
}

impl Torus {
    /// A torus of the major radius \[m\], from the centre to the middle of the tube, and the minor
    /// radius \[m\], that of the tube. The major must be the larger.
    pub fn new(major: f64, minor: f64) -> Self {
        Self { major, minor, around: 48, across: 16, centre: [0.0; 3] }
    }

    /// Sets the number of quads along the ring and around the tube.
    pub fn segments(mut self, around: usize, across: usize) -> Self {
        (self.around, self.across) = (around, across);
        self
    }

    /// The position \[m\] of the centre.
    pub fn at(mut self, centre: [f64; 3]) -> Self {
        self.centre = centre;
        self
    }

    /// Makes the mesh.
    pub fn build(self) -> Result<TriMesh, Error> {
        require_at_least(3, "the torus's number of segments along the ring", self.around)?;
        require_at_least(3, "the torus's number of segments around the tube", self.across)?;
        require_positive("the torus's minor radius", self.minor)?;
        require_positive(
            "the radius of the torus's hole (major less minor radius)",
            self.major - self.minor,
        )?;
        let count = checked_vertex_count(&[self.around, self.across])?;
        let [x, y, z] = self.centre;
        let mut positions = Vec::with_capacity(count);
        for j in 0..self.across {
            let tube = std::f64::consts::TAU * j as f64 / self.across as f64;
            let (reach, rise) = (self.major + self.minor * cos(tube), self.minor * sin(tube));
            for i in 0..self.around {
                let ring = std::f64::consts::TAU * i as f64 / self.around as f64;
                positions.push([x + reach * cos(ring), y + rise, z + reach * sin(ring)]);
            }
        }
        let vertex = |i: usize, j: usize| (i % self.around + j % self.across * self.around) as u32;
        let mut triangles = Vec::with_capacity(2 * count);
        for j in 0..self.across {
            for i in 0..self.around {
                let corners =
                    [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                triangles.extend(quad(corners, true));
            }
        }
        TriMesh::new(positions, triangles)
    }
}

impl TryFrom<Torus> for TriMesh {
    type Error = Error;
    fn try_from(torus: Torus) -> Result<Self, Error> {
        torus.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::measure::{enclosed_volume, triangle_areas};
    use std::f64::consts::PI;

    #[test]
    fn area_and_volume_approach_the_closed_forms() {
        let mesh = Torus::new(2.0, 0.5).segments(160, 80).at([1.0, 0.0, -4.0]).build().unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (12_800, 25_600));
        let area = triangle_areas(&mesh).iter().sum::<f64>() / (4.0 * PI * PI * 2.0 * 0.5);
        let volume = enclosed_volume(&mesh) / (2.0 * PI * PI * 2.0 * 0.25);
        assert!((area - 1.0).abs() < 5e-3, "{area}");
        assert!((volume - 1.0).abs() < 5e-3, "{volume}"); // positive: outwards
    }

    #[test]
    fn the_coarsest_torus_is_manifold_and_impossible_ones_are_refused() {
        assert!(Torus::new(1.0, 0.4).segments(3, 3).build().is_ok());
        assert!(Torus::new(1.0, 0.4).segments(2, 3).build().is_err());
        assert!(Torus::new(1.0, 0.4).segments(3, 2).build().is_err());
        assert!(Torus::new(0.4, 0.4).build().is_err());
        assert!(Torus::new(1.0, 0.0).build().is_err());
        assert!(Torus::new(f64::NAN, 0.1).build().is_err());
    }
}
