//! Box around the origin.

use crate::fields::Field;
use crate::math::Vec3;
use crate::mesh::TriMesh;
use crate::model::collider::Collider;
use crate::model::collider::shape::{ColliderShape, Shape, ShapeForm, SignedDistance, is_positive};

/// Box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half of the sides \[m\].
    pub half: [f64; 3],
}

impl Collider {
    /// Box with sides of these lengths \[m\] around a center \[m\].
    pub fn cuboid(center: [f64; 3], sides: [f64; 3]) -> Self {
        Self::new(Shape::Cuboid(Cuboid { half: sides.map(|s| 0.5 * s) }), center)
    }
}

impl ColliderShape for Cuboid {
    const NAME: &'static str = "box";
    const FORMS: &'static [ShapeForm] = &[ShapeForm {
        name: "box",
        solid: "axis-aligned box, before `turn`",
        is_closed: true,
        fields: &[
            Field::vector("center", "m", "centre"),
            Field::vector("size", "m", "lengths of the edges"),
        ],
        example: "{ center = [0.0, -0.1, 0.0], size = [0.3, 0.2, 0.3] }",
        build: |v| Ok(Collider::cuboid(v.vector("center")?, v.vector("size")?)),
    }];

    fn problem(&self) -> Option<&'static str> {
        self.half
            .iter()
            .any(|&s| !is_positive(s))
            .then_some("all three edge lengths must be positive [m]")
    }

    #[inline(always)]
    fn surely_farther(&self, p: Vec3<f64>, reach: f64) -> bool {
        let [x, y, z] = self.half;
        p.x.abs() - x > reach || p.y.abs() - y > reach || p.z.abs() - z > reach
    }

    #[inline]
    fn nearest(&self, p: Vec3<f64>, _: f64) -> Option<SignedDistance> {
        Some(box_distance(p, Vec3::of(self.half)))
    }

    fn collision_mesh(&self) -> Option<TriMesh> {
        Some(box_mesh(self.half))
    }

    fn surface_mesh(&self, _: f64) -> TriMesh {
        box_mesh(self.half)
    }

    #[cfg(test)]
    fn samples() -> Vec<Self> {
        vec![Cuboid { half: [0.2, 0.3, 0.4] }]
    }
}

/// Returns the corners and triangles of a box, facing outwards. The signs of corner `i` are the bits of `i`.
fn box_mesh(half: [f64; 3]) -> TriMesh {
    let corner = |i: u32| [0, 1, 2].map(|c| if i >> c & 1 == 1 { half[c] } else { -half[c] });
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { positions: (0..8).map(corner).collect(), triangles, ..TriMesh::default() }
}

fn box_distance(p: Vec3<f64>, half: Vec3<f64>) -> SignedDistance {
    let sign = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
    let side = Vec3::new(sign(p.x), sign(p.y), sign(p.z));
    let over = Vec3::new(p.x.abs(), p.y.abs(), p.z.abs()) - half;
    let outside = Vec3::new(over.x.max(0.0), over.y.max(0.0), over.z.max(0.0));
    let distance = outside.norm();
    if distance > 0.0 {
        let n = outside.scale(1.0 / distance);
        return SignedDistance {
            distance,
            normal: Vec3::new(n.x * side.x, n.y * side.y, n.z * side.z),
        };
    }
    // Inside or on the surface: outwards through the nearest side.
    let (distance, axis) = if over.x >= over.y && over.x >= over.z {
        (over.x, [side.x, 0.0, 0.0])
    } else if over.y >= over.z {
        (over.y, [0.0, side.y, 0.0])
    } else {
        (over.z, [0.0, 0.0, side.z])
    };
    SignedDistance { distance, normal: Vec3::of(axis) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_on_a_side_inside_and_beyond_an_edge() {
        let cuboid = Cuboid { half: [1.0, 2.0, 3.0] };
        let near = |p| {
            let n = cuboid.nearest(Vec3::of(p), 1.0).unwrap();
            (n.distance, [n.normal.x, n.normal.y, n.normal.z])
        };
        assert_eq!(near([1.0, 0.0, 0.0]), (0.0, [1.0, 0.0, 0.0]));
        assert_eq!(near([0.0, -1.5, 0.0]), (-0.5, [0.0, -1.0, 0.0]));
        let (d, n) = near([4.0, 6.0, 0.0]);
        assert!(d == 5.0 && (n[0] - 0.6).abs() < 1e-15 && (n[1] - 0.8).abs() < 1e-15);
    }
}
