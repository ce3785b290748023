//! Capsule: all points within a radius of a segment.

use crate::fields::Field;
use crate::math::{Vec3, cos, sin};
use crate::mesh::TriMesh;
use crate::model::collider::Collider;
use crate::model::collider::shape::sphere::{sphere_distance, sphere_mesh};
use crate::model::collider::shape::tessellation::orthonormal_basis;
use crate::model::collider::shape::{ColliderShape, Shape, ShapeForm, SignedDistance, is_positive};

/// Segments around a capsule, and rings from its side to each pole.
const SEGMENTS: usize = 32;
const RINGS: usize = 8;

/// Capsule: all points nearer than a radius to the segment from `−half` to `half`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Half of the segment \[m\].
    pub half: [f64; 3],
    /// Radius \[m\].
    pub radius: f64,
}

impl Collider {
    /// Capsule: all points nearer than a radius \[m\] to the segment between two points \[m\].
    pub fn capsule(a: [f64; 3], b: [f64; 3], radius: f64) -> Self {
        let half = [0, 1, 2].map(|c| 0.5 * (b[c] - a[c]));
        Self::new(Shape::Capsule(Capsule { half, radius }), [0, 1, 2].map(|c| a[c] + half[c]))
    }
}

impl ColliderShape for Capsule {
    const NAME: &'static str = "capsule";
    const IS_ROUND: bool = true;
    const FORMS: &'static [ShapeForm] = &[ShapeForm {
        name: "capsule",
        solid: "all points within a distance from a segment",
        is_closed: true,
        fields: &[
            Field::vector("from", "m", "end of the segment"),
            Field::vector("to", "m", "other end of the segment"),
            Field::number("radius", "m", "radius"),
        ],
        example: "{ from = [-0.1, -0.1, 0.0], to = [0.1, -0.1, 0.0], radius = 0.1 }",
        build: |v| Ok(Collider::capsule(v.vector("from")?, v.vector("to")?, v.number("radius")?)),
    }];

    fn problem(&self) -> Option<&'static str> {
        (!is_positive(self.radius) || self.half.iter().any(|c| !c.is_finite()))
            .then_some("both ends must be finite [m] and the radius positive [m]")
    }

    #[inline]
    fn nearest(&self, p: Vec3<f64>, _: f64) -> Option<SignedDistance> {
        let h = Vec3::<f64>::of(self.half);
        let square = h.norm_squared();
        let t = if square > 0.0 { (p.dot(h) / square).clamp(-1.0, 1.0) } else { 0.0 };
        Some(sphere_distance(p - h.scale(t), self.radius))
    }

    /// Two hemispheres and a tube, by rings from one pole to the other.
    fn surface_mesh(&self, _: f64) -> TriMesh {
        let (half, radius) = (Vec3::<f64>::of(self.half), self.radius);
        let length: f64 = half.norm();
        if length == 0.0 {
            return sphere_mesh(radius);
        }
        let axis = half.scale(1.0 / length);
        let [u, v] = orthonormal_basis(axis);
        let right = std::f64::consts::FRAC_PI_2;
        let point = |p: Vec3<f64>| [p.x, p.y, p.z];
        let mut positions = vec![point(half.scale(-1.0) - axis.scale(radius))];
        for (end, turns) in [(-1.0, 1..=RINGS), (1.0, 0..=RINGS - 1)] {
            for ring in turns {
                let part = ring as f64 / RINGS as f64;
                let angle = if end < 0.0 { right * (part - 1.0) } else { right * part };
                let middle = half.scale(end) + axis.scale(radius * sin(angle));
                for i in 0..SEGMENTS {
                    let turn = std::f64::consts::TAU * i as f64 / SEGMENTS as f64;
                    let out = u.scale(cos(turn)) + v.scale(sin(turn));
                    positions.push(point(middle + out.scale(radius * cos(angle))));
                }
            }
        }
        let last = positions.len() as u32;
        positions.push(point(half + axis.scale(radius)));
        let rings = 2 * RINGS;
        let at = |ring: usize, i: usize| (1 + ring * SEGMENTS + i % SEGMENTS) as u32;
        let mut triangles = Vec::new();
        for i in 0..SEGMENTS {
            triangles.push([0, at(0, i + 1), at(0, i)]);
            for ring in 0..rings - 1 {
                let [a, b] = [at(ring, i), at(ring, i + 1)];
                let [c, d] = [at(ring + 1, i), at(ring + 1, i + 1)];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
            triangles.push([at(rings - 1, i), at(rings - 1, i + 1), last]);
        }
        TriMesh { positions, triangles, ..TriMesh::default() }
    }

    #[cfg(test)]
    fn samples() -> Vec<Self> {
        vec![
            Capsule { half: [0.1, 0.4, -0.2], radius: 0.2 },
            Capsule { half: [0.0; 3], radius: 0.2 },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_beside_and_beyond_the_segment() {
        let capsule = Capsule { half: [1.0, 0.0, 0.0], radius: 0.5 };
        let near = |p| capsule.nearest(Vec3::of(p), 1.0).unwrap();
        let (side, end) = (near([0.5, 2.0, 0.0]), near([-3.0, 0.0, 0.0]));
        assert_eq!((side.distance, side.normal.y), (1.5, 1.0));
        assert_eq!((end.distance, end.normal.x), (1.5, -1.0));
    }
}
