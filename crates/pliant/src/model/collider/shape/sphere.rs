//! Sphere around the origin.

use crate::fields::Field;
use crate::math::Vec3;
use crate::mesh::{Icosphere, TriMesh};
use crate::model::collider::Collider;
use crate::model::collider::shape::{ColliderShape, Shape, ShapeForm, SignedDistance, is_positive};

/// Subdivisions of an icosahedron: 642 vertices.
const SUBDIVISIONS: u32 = 3;

/// Sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius \[m\].
    pub radius: f64,
}

impl Collider {
    /// Sphere of a radius \[m\] around a center \[m\].
    pub fn sphere(center: [f64; 3], radius: f64) -> Self {
        Self::new(Shape::Sphere(Sphere { radius }), center)
    }
}

impl ColliderShape for Sphere {
    const NAME: &'static str = "sphere";
    const IS_ROUND: bool = true;
    const FORMS: &'static [ShapeForm] = &[ShapeForm {
        name: "sphere",
        solid: "ball",
        is_closed: true,
        fields: &[Field::vector("center", "m", "centre"), Field::number("radius", "m", "radius")],
        example: "{ center = [0.0, -0.1, 0.0], radius = 0.1 }",
        build: |v| Ok(Collider::sphere(v.vector("center")?, v.number("radius")?)),
    }];

    fn problem(&self) -> Option<&'static str> {
        (!is_positive(self.radius)).then_some("the radius must be positive [m]")
    }

    #[inline(always)]
    fn surely_farther(&self, p: Vec3<f64>, reach: f64) -> bool {
        let far = self.radius + reach;
        p.norm_squared() > far * far
    }

    #[inline]
    fn nearest(&self, p: Vec3<f64>, _: f64) -> Option<SignedDistance> {
        Some(sphere_distance(p, self.radius))
    }

    fn surface_mesh(&self, _: f64) -> TriMesh {
        sphere_mesh(self.radius)
    }

    #[cfg(test)]
    fn samples() -> Vec<Self> {
        vec![Sphere { radius: 0.4 }]
    }
}

/// Signed distance from a sphere around the origin.
#[inline]
pub(super) fn sphere_distance(p: Vec3<f64>, radius: f64) -> SignedDistance {
    let length = p.norm();
    let normal = if length > 0.0 { p.scale(1.0 / length) } else { Vec3::of([0.0, 1.0, 0.0]) };
    SignedDistance { distance: length - radius, normal }
}

/// Surface of a sphere around the origin.
pub(super) fn sphere_mesh(radius: f64) -> TriMesh {
    // The generator rejects invalid radii only, and those are rejected before.
    Icosphere::new(SUBDIVISIONS).radius(radius).build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_outside_and_at_the_centre() {
        let near = |p| Sphere { radius: 2.0 }.nearest(Vec3::of(p), 1.0).unwrap();
        let out = near([0.0, 0.0, 3.0]);
        assert_eq!((out.distance, out.normal.z), (1.0, 1.0));
        assert_eq!(near([0.0; 3]).distance, -2.0);
    }
}
