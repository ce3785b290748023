//! Solid rings of tets.
//!
//! The cross-section is a square of 2n × 2n cells, kept square or with its shells mapped to concentric circles. Every
//! cell is cut into six tets along its diagonal away from the middle of the tube, so that rounding flattens none, and
//! so that the ring closes for any number of cells around.

use crate::Error;
use crate::math::{cos, sin};
use crate::mesh::TetMesh;
use crate::mesh::cells::{cube_to_sphere, innermost_corner, six_tets};
use crate::mesh::validate::{checked_vertex_count, require_at_least, require_positive};

/// The cross-section of a solid ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Section {
    /// A disc of the minor radius.
    #[default]
    Round,
    /// A square with sides of twice the minor radius.
    Square,
}

/// A generator of solid rings around the y axis, by default round, of 32 cells around and 2
/// layers, centred at the origin.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct TetTorus {
    major: f64,
    minor: f64,
    around: usize,
    layers: usize,
    section: Section,
    centre: [f64; 3],
}

impl TetTorus {
    /// A ring of the major radius \[m\], from the centre to the middle of the tube, and the minor
    /// radius \[m\], that of the tube. The major must be the larger.
    pub fn new(major: f64, minor: f64) -> Self {
        let section = Section::Round;
        Self { major, minor, around: 32, layers: 2, section, centre: [0.0; 3] }
    }

    /// Sets the number of cells around the ring, and between the middle of the tube and its surface:
    /// `24 · around · layers²` tets.
    pub fn cells(mut self, around: usize, layers: usize) -> Self {
        (self.around, self.layers) = (around, layers);
        self
    }

    /// Sets the shape of the cross-section.
    pub fn section(mut self, section: Section) -> Self {
        self.section = section;
        self
    }

    /// The position \[m\] of the centre.
    pub fn at(mut self, centre: [f64; 3]) -> Self {
        self.centre = centre;
        self
    }

    /// Makes the mesh.
    pub fn build(self) -> Result<TetMesh, Error> {
        let n = self.layers;
        require_at_least(3, "the ring's number of cells around", self.around)?;
        require_at_least(1, "the ring's number of layers", n)?;
        require_positive("the ring's minor radius", self.minor)?;
        require_positive(
            "the radius of the ring's hole (major less minor radius)",
            self.major - self.minor,
        )?;
        let side = n.saturating_mul(2).saturating_add(1);
        let count = checked_vertex_count(&[side, side, self.around])?;

        // One cross-section after the other.
        let [x, y, z] = self.centre;
        let mut positions = Vec::with_capacity(count);
        let unit = |i: usize| i as f64 / n as f64 - 1.0;
        for k in 0..self.around {
            let angle = std::f64::consts::TAU * k as f64 / self.around as f64;
            for j in 0..side {
                for i in 0..side {
                    let [p, q] = self.section.map_to_section([unit(i), unit(j)]);
                    let (reach, rise) = (self.major + self.minor * p, self.minor * q);
                    positions.push([x + reach * cos(angle), y + rise, z + reach * sin(angle)]);
                }
            }
        }
        let vertex =
            |i: usize, j: usize, k: usize| (i + side * (j + side * (k % self.around))) as u32;
        let mut tets = Vec::with_capacity(6 * (side - 1) * (side - 1) * self.around);
        for k in 0..self.around {
            for j in 0..side - 1 {
                for i in 0..side - 1 {
                    let corners = std::array::from_fn(|c| {
                        vertex(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))
                    });
                    // The ring has no middle in this direction: all diagonals advance.
                    tets.extend(six_tets(corners, innermost_corner(n, [i, j, n])));
                }
            }
        }
        TetMesh::new(positions, tets)
    }
}

impl Section {
    /// Maps a point of the square `[−1, 1]²` to the cross-section.
    fn map_to_section(self, point: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Square => point,
            Self::Round => cube_to_sphere(point),
        }
    }
}

impl TryFrom<TetTorus> for TetMesh {
    type Error = Error;
    fn try_from(torus: TetTorus) -> Result<Self, Error> {
        torus.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::measure::{enclosed_volume, tet_volumes};
    use crate::mesh::topology::euler_characteristic;
    use std::f64::consts::{PI, TAU};

    #[test]
    fn a_square_ring_has_the_volume_of_its_prism() {
        let (major, minor, around) = (1.0, 0.25, 17);
        let ring = TetTorus::new(major, minor).cells(around, 2).section(Section::Square);
        let mesh = ring.at([3.0, 0.0, 1.0]).build().unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (25 * 17, 24 * 17 * 4));
        // Area of a regular polygon with a similar hole, times the height.
        let polygon = |r: f64| 0.5 * around as f64 * r * r * sin(TAU / around as f64);
        let expected = (polygon(major + minor) - polygon(major - minor)) * 2.0 * minor;
        let volumes = tet_volumes(&mesh);
        assert!(volumes.iter().all(|&v| v > 0.0));
        assert!((volumes.iter().sum::<f64>() - expected).abs() < 1e-13);
    }

    #[test]
    fn a_round_ring_approaches_the_torus_and_conforms() {
        let mesh = TetTorus::new(1.0, 0.3).cells(90, 5).build().unwrap();
        let (surface, _) = mesh.surface_mesh();
        assert_eq!(surface.validate(), Ok(()));
        assert_eq!(euler_characteristic(&surface), 0);
        for [x, y, z] in &surface.positions {
            let reach = (x * x + z * z).sqrt() - 1.0;
            assert!(((reach * reach + y * y).sqrt() - 0.3).abs() < 1e-14);
        }
        let volume: f64 = tet_volumes(&mesh).iter().sum();
        assert!((volume - enclosed_volume(&surface)).abs() < 1e-12); // measured 1.3e-13
        let part = volume / (2.0 * PI * PI * 0.09);
        assert!((0.97..1.0).contains(&part), "{part}");
    }

    #[test]
    fn coarse_and_odd_rings_are_sound_and_impossible_ones_refused() {
        for section in [Section::Round, Section::Square] {
            for around in 3..8 {
                for layers in 1..4 {
                    let ring = TetTorus::new(1.0, 0.6).cells(around, layers).section(section);
                    assert!(ring.build().is_ok(), "{section:?} {around} {layers}");
                }
            }
        }
        assert!(TetTorus::new(1.0, 0.5).cells(2, 1).build().is_err());
        assert!(TetTorus::new(1.0, 0.5).cells(8, 0).build().is_err());
        assert!(TetTorus::new(1.0, 1.0).build().is_err());
        assert!(TetTorus::new(1.0, -0.1).build().is_err());
    }
}
