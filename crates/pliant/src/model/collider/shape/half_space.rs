//! Half-space below a plane.

use crate::fields::{Field, FieldKind};
use crate::math::Vec3;
use crate::mesh::TriMesh;
use crate::model::collider::Collider;
use crate::model::collider::shape::tessellation::orthonormal_basis;
use crate::model::collider::shape::{ColliderShape, Shape, ShapeForm, SignedDistance, is_positive};

/// Half-space below the plane through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Outward normal of any length but zero.
    pub normal: [f64; 3],
}

impl Collider {
    /// Half-space below a plane through a point \[m\]; the normal, of any length, points out of it.
    pub fn plane(point: [f64; 3], normal: [f64; 3]) -> Self {
        Self::new(Shape::HalfSpace(HalfSpace { normal }), point)
    }
}

impl ColliderShape for HalfSpace {
    const NAME: &'static str = "plane";
    const IS_FINITE: bool = false;
    const FORMS: &'static [ShapeForm] = &[ShapeForm {
        name: "plane",
        solid: "half-space below a plane",
        is_closed: false,
        fields: &[
            Field::vector("point", "m", "point on the plane"),
            Field::vector("normal", "", "outward normal, of any length")
                .or(FieldKind::Vector(Some([0.0, 1.0, 0.0]))),
        ],
        example: "{ point = [0.0, -0.1, 0.0] }",
        build: |v| Ok(Collider::plane(v.vector("point")?, v.vector("normal")?)),
    }];

    fn problem(&self) -> Option<&'static str> {
        let square: f64 = self.normal.iter().map(|c| c * c).sum();
        (!is_positive(square)).then_some("the normal must be finite and not zero")
    }

    #[inline(always)]
    fn surely_farther(&self, p: Vec3<f64>, reach: f64) -> bool {
        let n = Vec3::<f64>::of(self.normal);
        let along = n.dot(p);
        along > 0.0 && along * along > (reach * reach) * n.norm_squared()
    }

    #[inline]
    fn nearest(&self, p: Vec3<f64>, _: f64) -> Option<SignedDistance> {
        let n = Vec3::<f64>::of(self.normal);
        let square = n.norm_squared();
        let normal = if square == 1.0 { n } else { n.scale(1.0 / square.sqrt()) };
        Some(SignedDistance { distance: normal.dot(p), normal })
    }

    fn surface_mesh(&self, extent: f64) -> TriMesh {
        let [u, v] = orthonormal_basis(Vec3::of(self.normal)).map(|d| d.scale(0.5 * extent));
        let corners = [u.scale(-1.0) - v, u - v, u + v, v - u];
        TriMesh {
            positions: corners.map(|p| [p.x, p.y, p.z]).to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..TriMesh::default()
        }
    }

    #[cfg(test)]
    fn samples() -> Vec<Self> {
        vec![HalfSpace { normal: [0.3, 2.0, -1.0] }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_along_the_normal() {
        let near = HalfSpace { normal: [0.0, 2.0, 0.0] }.nearest(Vec3::of([3.0, -0.5, 1.0]), 1.0);
        let near = near.unwrap();
        assert_eq!((near.distance, near.normal.y), (-0.5, 1.0));
    }

    #[test]
    fn it_is_drawn_as_a_square_that_faces_along_its_normal() {
        let plane = HalfSpace { normal: [1.0, 2.0, -0.5] };
        let mesh = plane.surface_mesh(3.0);
        let at = |v: usize| Vec3::<f64>::of(mesh.positions[v]);
        let normal = (at(1) - at(0)).cross(at(2) - at(0));
        assert!(normal.dot(Vec3::of([1.0, 2.0, -0.5])) > 0.0);
        assert!(((at(1) - at(0)).norm() - 3.0).abs() < 1e-12);
    }
}
