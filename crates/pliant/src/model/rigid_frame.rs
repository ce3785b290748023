//! Rigid bodies among deformable ones: four vertices that carry a surface.
//!
//! Four equal masses at the corners of a box's tetrahedron have exactly the mass, the centre of mass and the
//! inertia of any body: with `S = ∫ρ q qᵀ` about the centre, diagonal along its principal axes,
//!
//! ```text
//! (a, b, c)  (a, −b, −c)  (−a, b, −c)  (−a, −b, c)      a² = S_xx/m,  b² = S_yy/m,  c² = S_zz/m
//! ```
//!
//! An element connects them, so every solver moves them, and at the end of each substep they are projected to
//! the nearest rigid pose, which conserves linear and angular momentum (the polar factor `R` of `Σ m y qᵀ`
//! gives `Σ m (R q) × y = 0`). Points of the surface are linear combinations of the four. A force at such a
//! point is a force on the four, with the same weights, and has the same moment.

use crate::Error;
use crate::math::eigen::eigen_symmetric;
use crate::math::{Mat3, Scalar, Vec3, polar3};
use crate::mesh::{TriMesh, topology};
use crate::simd::Point;

/// Frame of a rigid body: four vertices that carry its surface.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidFrame {
    /// Positions of the four vertices relative to the centre of mass \[m\].
    pub rest: [[f64; 3]; 4],
    /// Weights of each point of the surface, with sum one.
    pub weights: Vec<[f64; 4]>,
    /// Triangles of the surface, by its points, facing outwards.
    pub triangles: Vec<[u32; 3]>,
}

/// Mass, centre of mass and inertia of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub centre: [f64; 3],
    /// Second moments `∫ρ q qᵀ` about the centre \[kg m²\].
    moments: [[f64; 3]; 3],
}

impl MassProperties {
    /// Creates the properties of a body with a mass \[kg\], a centre of mass \[m\] and an inertia about it
    /// \[kg m²\], along the same axes.
    pub fn with_inertia(mass: f64, centre: [f64; 3], inertia: [[f64; 3]; 3]) -> Self {
        // I = tr(S) − S, so S = tr(I)/2 − I.
        let half = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
        let entry = |i: usize, j: usize| if i == j { half - inertia[i][j] } else { -inertia[i][j] };
        let moments = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
        Self { mass, centre, moments }
    }

    /// Mass properties of a solid of a density \[kg/m³\]: sums over the tetrahedra from a point to all
    /// triangles.
    fn solid(mesh: &TriMesh, density: f64) -> Self {
        let apex = Vec3::<f64>::of(mesh.positions[0]);
        let (mut mass, mut first, mut second) = (0.0, Vec3::zero(), [[0.0; 3]; 3]);
        for t in 0..mesh.triangles.len() {
            let corners = mesh.triangle_points(t).map(|p| Vec3::<f64>::of(p) - apex);
            let own = density * corners[0].dot(corners[1].cross(corners[2])) / 6.0;
            let sum = corners[0] + corners[1] + corners[2];
            mass += own;
            first += sum.scale(0.25 * own);
            // ∫ q qᵀ of a tetrahedron with a corner at the origin: m/20 (Σ p pᵀ + s sᵀ), s = Σ p.
            let all = [corners[0], corners[1], corners[2], sum].map(|p| [p.x, p.y, p.z]);
            for (i, row) in second.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry += own / 20.0 * all.iter().map(|p| p[i] * p[j]).sum::<f64>();
                }
            }
        }
        let c = first.scale(1.0 / mass);
        let shift = [c.x, c.y, c.z];
        let moments =
            [0, 1, 2].map(|i| [0, 1, 2].map(|j| second[i][j] - mass * shift[i] * shift[j]));
        let centre = apex + c;
        Self { mass, centre: [centre.x, centre.y, centre.z], moments }
    }
}

impl RigidFrame {
    /// Creates the frame of a solid with a closed surface and a density \[kg/m³\]. Returns its mass \[kg\], the
    /// positions of its four vertices \[m\] and the frame.
    pub(crate) fn new(mesh: &TriMesh, density: f64) -> Result<(f64, [[f64; 3]; 4], Self), Error> {
        mesh.validate()?;
        let invalid = |problem: String| Err(Error::Scene { problem });
        if !(density > 0.0 && density.is_finite()) {
            return invalid(format!(
                "the density of a rigid body is {density} kg/m³; it must be positive"
            ));
        }
        if let Some([a, b]) = topology::boundary_edges(mesh).first() {
            return invalid(format!(
                "the surface of a rigid body is open at the edge between vertices {a} and {b}; \
                 close the hole"
            ));
        }
        Self::with_mass(mesh, &MassProperties::solid(mesh, density))
    }

    /// As [`RigidFrame::new`], for a surface, open or closed, with given mass properties.
    pub(crate) fn with_mass(
        mesh: &TriMesh,
        own: &MassProperties,
    ) -> Result<(f64, [[f64; 3]; 4], Self), Error> {
        mesh.validate()?;
        let invalid = |problem: String| Err(Error::Scene { problem });
        let mut matrix = [0.0; 9];
        let mut axes = [0.0; 9];
        (0..9).for_each(|k| matrix[k] = own.moments[k / 3][k % 3]);
        eigen_symmetric(&mut matrix, &mut axes, 3);
        let squares = [matrix[0], matrix[4], matrix[8]].map(|s| s / own.mass);
        if !(own.mass > 0.0) || squares.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
            return invalid(
                "the mass properties of a rigid body are invalid: the mass and all moments of \
                 inertia must be positive, and the triangles of its surface must face outwards"
                    .to_owned(),
            );
        }
        let lengths = squares.map(f64::sqrt);
        let axis = |k: usize| Vec3::new(axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]);
        let signs = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        let rest = signs.map(|s| {
            let q = (0..3).fold(Vec3::zero(), |q, k| q + axis(k).scale(s[k] * lengths[k]));
            [q.x, q.y, q.z]
        });
        let weights = mesh.positions.iter().map(|p| {
            let q = Vec3::<f64>::of(*p) - Vec3::of(own.centre);
            // The sign vectors of the four are orthogonal: weights are (1 + Σ ± coordinates) / 4.
            let along = [0, 1, 2].map(|k| axis(k).dot(q) / lengths[k]);
            signs.map(|s| 0.25 * (1.0 + s[0] * along[0] + s[1] * along[1] + s[2] * along[2]))
        });
        let frame = Self { rest, weights: weights.collect(), triangles: mesh.triangles.clone() };
        let positions = rest.map(|q| [0, 1, 2].map(|c| own.centre[c] + q[c]));
        Ok((own.mass, positions, frame))
    }

    /// Radius of gyration of the four vertices \[m\]: the root of their mean square distance from the centre.
    pub(crate) fn radius_of_gyration(&self) -> f64 {
        let square: f64 = self.rest.iter().flatten().map(|c| c * c).sum();
        (0.25 * square).sqrt()
    }

    /// Position of a point of the surface for given positions of the four vertices \[m\].
    pub fn point<S: Scalar>(&self, point: usize, four: &[Point<S>]) -> [f64; 3] {
        let weights = &self.weights[point];
        [0, 1, 2].map(|c| four.iter().zip(weights).map(|(p, w)| w * p[c].to_f64()).sum())
    }

    /// Projects the four vertices to the nearest rigid pose.
    pub(crate) fn rigidify<S: Scalar>(&self, four: &mut [Point<S>]) {
        // A frame with a pinned vertex is left unchanged.
        if four.iter().any(|p| !(p[3] > S::default())) {
            return;
        }
        let x: [Vec3<f64>; 4] =
            std::array::from_fn(|k| Vec3::of([0, 1, 2].map(|c| four[k][c].to_f64())));
        let centre = (x[0] + x[1] + x[2] + x[3]).scale(0.25);
        let mut moment = Mat3 { cols: [Vec3::zero(); 3] };
        for (x, q) in x.iter().zip(&self.rest) {
            for c in 0..3 {
                moment.cols[c] += (*x - centre).scale(q[c]);
            }
        }
        let turn = polar3(&moment);
        for (p, q) in four.iter_mut().zip(&self.rest) {
            let to = centre + turn.mul_vec(Vec3::of(*q));
            if to.norm().is_finite() {
                (0..3).for_each(|c| p[c] = S::from_f64([to.x, to.y, to.z][c]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(sides: [f64; 3], centre: [f64; 3]) -> TriMesh {
        let mut mesh = crate::contact::Collider::cuboid([0.0; 3], sides).surface_mesh();
        mesh.positions.iter_mut().for_each(|p| (0..3).for_each(|c| p[c] += centre[c]));
        mesh
    }

    #[test]
    fn four_masses_have_the_inertia_of_a_block() {
        let (sides, centre) = ([0.2, 0.3, 0.5], [1.0, -2.0, 3.0]);
        let (mass, positions, frame) = RigidFrame::new(&block(sides, centre), 700.0).unwrap();
        assert!((mass - 700.0 * 0.03).abs() < 1e-12 * mass);
        for i in 0..3 {
            let mean: f64 = positions.iter().map(|p| 0.25 * p[i]).sum();
            assert!((mean - centre[i]).abs() < 1e-14);
            for j in 0..3 {
                let own: f64 = frame.rest.iter().map(|q| 0.25 * mass * q[i] * q[j]).sum();
                let exact = if i == j { mass * sides[i] * sides[i] / 12.0 } else { 0.0 };
                assert!((own - exact).abs() < 1e-13, "{i} {j}: {own} for {exact}");
            }
        }
        let four = positions.map(|p| [p[0], p[1], p[2], 1.0]);
        for (k, p) in block(sides, centre).positions.iter().enumerate() {
            let q = frame.point(k, &four);
            assert!((0..3).all(|c| (p[c] - q[c]).abs() < 1e-13));
        }
    }

    #[test]
    fn a_given_inertia_is_the_same_as_that_of_a_solid() {
        let (sides, centre) = ([0.2, 0.3, 0.5], [1.0, -2.0, 3.0]);
        let mesh = block(sides, centre);
        let (mass, positions, _) = RigidFrame::new(&mesh, 700.0).unwrap();
        let square = |i: usize| sides[i] * sides[i] * mass / 12.0;
        let along = |i: usize| square((i + 1) % 3) + square((i + 2) % 3);
        let inertia = [[along(0), 0.0, 0.0], [0.0, along(1), 0.0], [0.0, 0.0, along(2)]];
        let given = MassProperties::with_inertia(mass, centre, inertia);
        let (_, again, _) = RigidFrame::with_mass(&mesh, &given).unwrap();
        for (a, b) in positions.iter().flatten().zip(again.iter().flatten()) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        let rod = MassProperties::with_inertia(1.0, centre, [[0.0; 3]; 3]);
        assert!(RigidFrame::with_mass(&mesh, &rod).is_err());
    }

    #[test]
    fn an_open_surface_is_refused_with_its_edge() {
        let mut mesh = block([1.0; 3], [0.0; 3]);
        mesh.triangles.pop();
        let problem = RigidFrame::new(&mesh, 1.0).unwrap_err().to_string();
        assert!(problem.contains("open at the edge"), "{problem}");
    }
}
