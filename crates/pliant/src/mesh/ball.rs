//! Balls of tets.
//!
//! A cube of 2n × 2n × 2n cells whose shells become concentric spheres. Every cell is cut into six
//! tets along its diagonal away from the centre, which leaves none with all its vertices on the
//! sphere, where it would be flat. The angles between faces lie between 28° and 115° at any
//! resolution.

use crate::Error;
use crate::mesh::TetMesh;
use crate::mesh::cells::{cube_to_sphere, innermost_corner, six_tets};
use crate::mesh::validate::{checked_vertex_count, require_at_least, require_positive};

/// A generator of solid balls, by default of radius 1 m around the origin.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct TetBall {
    layers: usize,
    radius: f64,
    centre: [f64; 3],
}

impl TetBall {
    /// A ball of `layers` cells between the centre and the surface: 48 n³ tets and (2n + 1)³
    /// vertices.
    pub fn new(layers: usize) -> Self {
        Self { layers, radius: 1.0, centre: [0.0; 3] }
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
    pub fn build(self) -> Result<TetMesh, Error> {
        let n = self.layers;
        require_at_least(1, "the ball's number of layers", n)?;
        require_positive("the ball's radius", self.radius)?;
        let side = n.saturating_mul(2).saturating_add(1);
        let count = checked_vertex_count(&[side, side, side])?;

        let mut positions = Vec::with_capacity(count);
        let unit = |i: usize| i as f64 / n as f64 - 1.0;
        for k in 0..side {
            for j in 0..side {
                for i in 0..side {
                    let p = cube_to_sphere([unit(i), unit(j), unit(k)]);
                    positions.push(std::array::from_fn(|d| self.centre[d] + self.radius * p[d]));
                }
            }
        }
        let vertex = |i: usize, j: usize, k: usize| (i + side * (j + side * k)) as u32;
        let mut tets = Vec::with_capacity(6 * (side - 1) * (side - 1) * (side - 1));
        for k in 0..side - 1 {
            for j in 0..side - 1 {
                for i in 0..side - 1 {
                    let corners = std::array::from_fn(|c| {
                        vertex(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))
                    });
                    tets.extend(six_tets(corners, innermost_corner(n, [i, j, k])));
                }
            }
        }
        TetMesh::new(positions, tets)
    }
}

impl TryFrom<TetBall> for TetMesh {
    type Error = Error;
    fn try_from(ball: TetBall) -> Result<Self, Error> {
        ball.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::measure::{enclosed_volume, longest_edge, tet_volumes};
    use crate::mesh::topology::euler_characteristic;
    use std::f64::consts::PI;

    #[test]
    fn a_ball_is_round_full_and_conforming() {
        let centre = [1.0, 2.0, 3.0];
        let mesh = TetBall::new(6).radius(0.5).at(centre).build().unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (13 * 13 * 13, 48 * 6 * 6 * 6));
        let (surface, _) = mesh.surface_mesh();
        assert_eq!(surface.validate(), Ok(()));
        assert_eq!(euler_characteristic(&surface), 2);
        // Every boundary vertex on the sphere: there are no cracks inside.
        for p in &surface.positions {
            let r = (Vec3::<f64>::of(*p) - Vec3::of(centre)).norm();
            assert!((r - 0.5).abs() < 1e-14);
        }
        let volume: f64 = tet_volumes(&mesh).iter().sum();
        assert!((volume - enclosed_volume(&surface)).abs() < 1e-14);
        let part = volume / (4.0 / 3.0 * PI * 0.125);
        assert!((0.97..1.0).contains(&part), "{part}");
    }

    #[test]
    fn no_tet_is_nearly_flat() {
        for layers in 1..=8 {
            let mesh = TetBall::new(layers).build().unwrap();
            let volumes = tet_volumes(&mesh);
            for (t, volume) in volumes.iter().enumerate() {
                // Before rounding every tet has 0.032; measured 0.0286 at 8 layers, 0.0281 at 12.
                let longest = longest_edge(&mesh.tet_points(t));
                let part = volume / (longest * longest * longest);
                assert!(part > 0.025, "{layers} layers, tet {t}: {part}");
            }
        }
    }

    #[test]
    fn impossible_balls_are_refused() {
        assert!(TetBall::new(0).build().is_err());
        assert!(TetBall::new(usize::MAX).build().is_err());
        assert!(TetBall::new(2).radius(0.0).build().is_err());
    }
}
