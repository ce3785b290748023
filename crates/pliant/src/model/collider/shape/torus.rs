//! Torus: all points within a minor radius of a circle.
//!
//! With `h` the height of a point above the circle's plane and `ρ` its distance from the axis, the distance from
//! the circle is `√((ρ − R)² + h²)`.

use crate::fields::{Field, FieldKind};
use crate::math::Vec3;
use crate::mesh::{self, TriMesh};
use crate::model::collider::Collider;
use crate::model::collider::shape::tessellation::orthonormal_basis;
use crate::model::collider::shape::{ColliderShape, Shape, ShapeForm, SignedDistance, is_positive};

/// Segments of the drawn surface along the ring and around the tube.
const SEGMENTS: [usize; 2] = [64, 24];

/// Torus around an axis through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// Axis of any length but zero.
    pub axis: [f64; 3],
    /// Major radius \[m\], from the centre to the middle of the tube.
    pub major: f64,
    /// Minor radius \[m\], of the tube; smaller than the major.
    pub minor: f64,
}

impl Collider {
    /// Torus around an axis of any length through a center \[m\]: a tube of a minor radius \[m\] along a circle of a
    /// major radius \[m\].
    pub fn torus(center: [f64; 3], axis: [f64; 3], major: f64, minor: f64) -> Self {
        Self::new(Shape::Torus(Torus { axis, major, minor }), center)
    }
}

impl ColliderShape for Torus {
    const NAME: &'static str = "torus";
    const IS_ROUND: bool = true;
    const FORMS: &'static [ShapeForm] = &[ShapeForm {
        name: "torus",
        solid: "ring: a tube around a circle",
        is_closed: true,
        fields: &[
            Field::vector("center", "m", "centre of the ring"),
            Field::vector("axis", "", "normal of the ring's plane, of any length")
                .or(FieldKind::Vector(Some([0.0, 1.0, 0.0]))),
            Field::number("major", "m", "radius of the circle"),
            Field::number("minor", "m", "radius of the tube, less than `major`"),
        ],
        example: "{ center = [0.0, -0.1, 0.0], major = 0.15, minor = 0.05 }",
        build: |v| {
            let (major, minor) = (v.number("major")?, v.number("minor")?);
            Ok(Collider::torus(v.vector("center")?, v.vector("axis")?, major, minor))
        },
    }];

    fn problem(&self) -> Option<&'static str> {
        let square: f64 = self.axis.iter().map(|c| c * c).sum();
        if !is_positive(square) {
            return Some("the axis must be finite and not zero");
        }
        (!is_positive(self.minor) || !is_positive(self.major) || self.minor >= self.major)
            .then_some("both radii must be positive [m], and minor less than major")
    }

    #[inline(always)]
    fn surely_farther(&self, p: Vec3<f64>, reach: f64) -> bool {
        let far = self.major + self.minor + reach;
        p.norm_squared() > far * far
    }

    #[inline]
    fn nearest(&self, p: Vec3<f64>, _: f64) -> Option<SignedDistance> {
        let axis = Vec3::<f64>::of(self.axis);
        let axis = axis.scale(1.0 / axis.norm());
        let height = p.dot(axis);
        let radial = p - axis.scale(height);
        let rho = radial.norm();
        // On the axis, all directions across it are equally near.
        let out = if rho > 0.0 { radial.scale(1.0 / rho) } else { orthonormal_basis(axis)[0] };
        let (across, along) = (rho - self.major, height);
        let length = (across * across + along * along).sqrt();
        let normal = if length > 0.0 {
            out.scale(across / length) + axis.scale(along / length)
        } else {
            out
        };
        Some(SignedDistance { distance: length - self.minor, normal })
    }

    fn surface_mesh(&self, _: f64) -> TriMesh {
        let [along, across] = SEGMENTS;
        // The generator rejects invalid radii only, and those are rejected before.
        let ring = mesh::Torus::new(self.major, self.minor).segments(along, across);
        let mut ring = ring.build().unwrap_or_default();
        let axis = Vec3::<f64>::of(self.axis);
        let [u, v] = orthonormal_basis(axis);
        let axis = axis.scale(1.0 / axis.norm());
        for p in &mut ring.positions {
            let q = v.scale(p[0]) + axis.scale(p[1]) + u.scale(p[2]);
            *p = [q.x, q.y, q.z];
        }
        ring
    }

    #[cfg(test)]
    fn samples() -> Vec<Self> {
        vec![
            Torus { axis: [0.0, 1.0, 0.0], major: 0.5, minor: 0.2 },
            Torus { axis: [1.0, -2.0, 0.5], major: 0.3, minor: 0.28 },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_in_the_hole_the_tube_and_above() {
        let ring = Torus { axis: [0.0, 2.0, 0.0], major: 0.5, minor: 0.2 };
        let near = |p| ring.nearest(Vec3::of(p), 1.0).unwrap();
        assert_eq!(near([0.0; 3]).distance, 0.5 - 0.2);
        assert_eq!(near([0.5, 0.0, 0.0]).distance, -0.2);
        let above = near([0.0, 0.7, 0.5]);
        assert_eq!((above.distance, above.normal.y), (0.7 - 0.2, 1.0));
    }

    #[test]
    fn a_tube_that_fills_its_hole_is_refused() {
        let thick = Torus { axis: [0.0, 1.0, 0.0], major: 0.2, minor: 0.2 };
        assert!(thick.problem().is_some_and(|problem| problem.contains("less than major")));
    }
}
