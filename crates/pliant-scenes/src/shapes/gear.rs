//! Gears.

use pliant::math::{cos, sin};
use pliant::mesh::TriMesh;
use std::f64::consts::TAU;

/// A gear about the z axis with trapezoidal teeth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gear {
    /// Number of teeth.
    pub teeth: usize,
    /// Root radius and tip radius of the teeth \[m\].
    pub radii: [f64; 2],
    /// Width along z \[m\], half on each side of the origin.
    pub width: f64,
    /// Rotation angle \[rad\].
    pub phase: f64,
}

impl Gear {
    /// Closed surface of the gear.
    pub(crate) fn mesh(&self) -> TriMesh {
        // The two corners of each tooth's root and those of its tip, as fractions of the pitch.
        let corners = [(0.0, 0), (0.18, 1), (0.42, 1), (0.6, 0)];
        let rim = (0..self.teeth).flat_map(|tooth| {
            corners.map(|(part, at)| {
                let angle = self.phase + TAU * (tooth as f64 + part) / self.teeth as f64;
                [self.radii[at] * cos(angle), self.radii[at] * sin(angle)]
            })
        });
        let rim: Vec<[f64; 2]> = rim.collect();
        let n = rim.len() as u32;
        let mut mesh = TriMesh::default();
        for z in [-0.5 * self.width, 0.5 * self.width] {
            mesh.positions.extend(rim.iter().map(|[x, y]| [*x, *y, z]));
        }
        mesh.positions.extend([[0.0, 0.0, -0.5 * self.width], [0.0, 0.0, 0.5 * self.width]]);
        for i in 0..n {
            let j = (i + 1) % n;
            mesh.triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
            mesh.triangles.extend([[2 * n, j, i], [2 * n + 1, n + i, n + j]]);
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::{measure, topology};

    #[test]
    fn a_gear_is_closed_and_faces_outwards() {
        let gear = Gear { teeth: 9, radii: [0.2, 0.26], width: 0.3, phase: 0.1 };
        let mesh = gear.mesh();
        mesh.validate().unwrap();
        assert!(topology::boundary_edges(&mesh).is_empty());
        let volume = measure::enclosed_volume(&mesh);
        let disc = |r: f64| std::f64::consts::PI * r * r * 0.3;
        assert!(volume > 0.9 * disc(0.2) && volume < disc(0.26), "{volume}");
    }
}
