//! Shapes of colliders in their own coordinates, and the signed distance of a point from them.
//!
//! Boxes, spheres, capsules and half-spaces have closed forms; meshes are searched by a bounding volume
//! hierarchy. All return the distance and the outward direction, also for points on the surface, where a
//! projection alone has no direction.
//!
//! * `mod.rs`: [`Shape`] and the closed forms
//! * `surface.rs`: triangle meshes and height fields
//! * `field.rs`: sampled distance fields
//! * `drawing.rs`: tessellation for rendering and export

pub(crate) mod drawing;
pub(crate) mod field;
pub(crate) mod surface;
pub use crate::model::collider::shape::field::DistanceField;
pub use crate::model::collider::shape::surface::MeshShape;

use std::sync::Arc;

use crate::Error;
use crate::math::Vec3;
use crate::mesh::{TriMesh, hull};

/// Shape of a collider, around its own origin \[m\].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// Half-space below the plane through the origin; the normal points out.
    HalfSpace {
        /// Normal of any length but zero.
        normal: [f64; 3],
    },
    /// Sphere.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// Capsule: all points nearer than a radius to the segment from `−half` to `half`.
    Capsule {
        /// Half of the segment \[m\].
        half: [f64; 3],
        /// Radius \[m\].
        radius: f64,
    },
    /// Box.
    Cuboid {
        /// Half of the sides \[m\].
        half: [f64; 3],
    },
    /// Triangle mesh.
    Mesh(Arc<MeshShape>),
    /// Sampled signed distance.
    DistanceField(DistanceField),
}

/// Signed distance of a point from a shape.
#[derive(Clone, Copy, Debug)]
pub struct SignedDistance {
    /// Distance to the surface \[m\], negative inside.
    pub distance: f64,
    /// Unit vector along which the distance increases.
    pub normal: Vec3<f64>,
}

impl Shape {
    /// Triangle mesh, closed and solid or open.
    pub fn mesh(mesh: &TriMesh) -> Result<Self, Error> {
        mesh.validate()?;
        Ok(Self::Mesh(Arc::new(MeshShape::new(mesh))))
    }

    /// Convex hull of points \[m\].
    pub fn convex(points: &[[f64; 3]]) -> Result<Self, Error> {
        Ok(Self::Mesh(Arc::new(MeshShape::new(&hull::convex_hull(points)?))))
    }

    /// Height field: heights \[m\] on a grid in x and z with a spacing \[m\], row after row along z.
    pub fn height_field(spacing: f64, columns: usize, heights: &[f64]) -> Result<Self, Error> {
        Ok(Self::Mesh(Arc::new(MeshShape::height_field(spacing, columns, heights)?)))
    }

    /// Name of the shape's type.
    pub fn name(&self) -> &'static str {
        match self {
            Self::HalfSpace { .. } => "plane",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Cuboid { .. } => "box",
            Self::Mesh(_) => "mesh",
            Self::DistanceField(_) => "distance field",
        }
    }

    /// Returns the problem of an invalid shape, with a remedy.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let positive = |v: f64| v > 0.0 && v.is_finite();
        match self {
            Self::HalfSpace { normal } => {
                let square: f64 = normal.iter().map(|c| c * c).sum();
                (!positive(square)).then_some("give a normal that is finite and not zero")
            }
            Self::Sphere { radius } => (!positive(*radius)).then_some("give a positive radius [m]"),
            Self::Capsule { half, radius } => (!positive(*radius)
                || half.iter().any(|c| !c.is_finite()))
            .then_some("give two finite points [m] and a positive radius [m]"),
            Self::Cuboid { half } => {
                half.iter().any(|&s| !positive(s)).then_some("give three positive sides [m]")
            }
            Self::Mesh(_) => None,
            Self::DistanceField(field) => field.problem(),
        }
    }

    /// Returns the vertices \[m\] and triangles of polyhedral shapes, which thin bodies could pass between
    /// their own vertices.
    pub(crate) fn collision_mesh(&self) -> Option<TriMesh> {
        match self {
            Self::Cuboid { half } => Some(box_mesh(*half)),
            Self::Mesh(surface) => Some(TriMesh {
                positions: surface.positions().to_vec(),
                triangles: surface.triangles().to_vec(),
                ..TriMesh::default()
            }),
            Self::HalfSpace { .. }
            | Self::Sphere { .. }
            | Self::Capsule { .. }
            | Self::DistanceField(_) => None,
        }
    }

    /// True if a local point is certainly farther away than `reach` \[m\], by a test of few multiplications.
    /// False is always a valid answer.
    #[inline(always)]
    pub(crate) fn surely_farther(&self, p: Vec3<f64>, reach: f64) -> bool {
        // A margin for rounding errors of the distance.
        let reach = reach * (1.0 + 1e-9);
        match self {
            Self::HalfSpace { normal } => {
                let n = Vec3::<f64>::of(*normal);
                let along = n.dot(p);
                along > 0.0 && along * along > (reach * reach) * n.norm_squared()
            }
            Self::Sphere { radius } => {
                let far = radius + reach;
                p.norm_squared() > far * far
            }
            Self::Cuboid { half } => {
                let [x, y, z] = *half;
                p.x.abs() - x > reach || p.y.abs() - y > reach || p.z.abs() - z > reach
            }
            Self::Capsule { .. } | Self::Mesh(_) | Self::DistanceField(_) => false,
        }
    }

    /// Signed distance of a local point; `None` if a mesh is certainly farther away than `reach` \[m\].
    pub fn nearest(&self, p: Vec3<f64>, reach: f64) -> Option<SignedDistance> {
        match self {
            Self::HalfSpace { normal } => {
                let n = Vec3::<f64>::of(*normal);
                let square = n.norm_squared();
                let normal = if square == 1.0 { n } else { n.scale(1.0 / square.sqrt()) };
                Some(SignedDistance { distance: normal.dot(p), normal })
            }
            Self::Sphere { radius } => Some(sphere_distance(p, *radius)),
            Self::Capsule { half, radius } => {
                let h = Vec3::<f64>::of(*half);
                let square = h.norm_squared();
                let t = if square > 0.0 { (p.dot(h) / square).clamp(-1.0, 1.0) } else { 0.0 };
                Some(sphere_distance(p - h.scale(t), *radius))
            }
            Self::Cuboid { half } => Some(box_distance(p, Vec3::of(*half))),
            Self::Mesh(surface) => surface.nearest(p, reach),
            Self::DistanceField(field) => Some(field.nearest(p)),
        }
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

/// Signed distance from a sphere around the origin.
fn sphere_distance(p: Vec3<f64>, radius: f64) -> SignedDistance {
    let length = p.norm();
    let normal = if length > 0.0 { p.scale(1.0 / length) } else { Vec3::of([0.0, 1.0, 0.0]) };
    SignedDistance { distance: length - radius, normal }
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
    use crate::mesh::{Icosphere, TetBlock, topology};

    fn near(shape: &Shape, p: [f64; 3]) -> (f64, [f64; 3]) {
        let n = shape.nearest(Vec3::of(p), f64::INFINITY).unwrap();
        (n.distance, [n.normal.x, n.normal.y, n.normal.z])
    }

    #[test]
    fn closed_forms_inside_outside_and_on_the_surface() {
        let plane = Shape::HalfSpace { normal: [0.0, 2.0, 0.0] };
        assert_eq!(near(&plane, [3.0, -0.5, 1.0]), (-0.5, [0.0, 1.0, 0.0]));
        let ball = Shape::Sphere { radius: 2.0 };
        assert_eq!(near(&ball, [0.0, 0.0, 3.0]), (1.0, [0.0, 0.0, 1.0]));
        assert_eq!(near(&ball, [0.0; 3]).0, -2.0);
        let capsule = Shape::Capsule { half: [1.0, 0.0, 0.0], radius: 0.5 };
        assert_eq!(near(&capsule, [0.5, 2.0, 0.0]), (1.5, [0.0, 1.0, 0.0]));
        assert_eq!(near(&capsule, [-3.0, 0.0, 0.0]), (1.5, [-1.0, 0.0, 0.0]));
        let cuboid = Shape::Cuboid { half: [1.0, 2.0, 3.0] };
        assert_eq!(near(&cuboid, [1.0, 0.0, 0.0]), (0.0, [1.0, 0.0, 0.0]));
        assert_eq!(near(&cuboid, [0.0, -1.5, 0.0]), (-0.5, [0.0, -1.0, 0.0]));
        let (d, n) = near(&cuboid, [4.0, 6.0, 0.0]);
        assert!(d == 5.0 && (n[0] - 0.6).abs() < 1e-15 && (n[1] - 0.8).abs() < 1e-15);
    }

    #[test]
    fn surely_farther_is_conservative() {
        let shapes = [
            Shape::HalfSpace { normal: [0.3, 2.0, -1.0] },
            Shape::Sphere { radius: 0.4 },
            Shape::Capsule { half: [1.0, 0.0, 0.0], radius: 0.5 },
            Shape::Cuboid { half: [0.2, 0.3, 0.4] },
        ];
        for shape in &shapes {
            let mut beyond = 0;
            for i in 0..2000_u32 {
                let at = |k: u32| f64::from((i * k) % 101) / 25.0 - 2.0;
                let (p, reach) = (Vec3::new(at(37), at(11), at(71)), f64::from(i % 7) * 0.2);
                if shape.surely_farther(p, reach) {
                    beyond += 1;
                    assert!(shape.nearest(p, f64::INFINITY).unwrap().distance > reach);
                }
            }
            // A capsule has no such test.
            assert_eq!(beyond > 100, !matches!(shape, Shape::Capsule { .. }), "{}", shape.name());
        }
    }

    #[test]
    fn a_mesh_of_a_box_is_that_box() {
        // The corners of the mesh are those of the closed form.
        let tets = TetBlock::new(2, 2, 2).size([2.0, 4.0, 6.0]).build().unwrap();
        let (surface, _) = tets.surface_mesh();
        assert!(topology::boundary_edges(&surface).is_empty());
        let centre = surface.positions.iter().fold([0.0; 3], |s, p| [0, 1, 2].map(|c| s[c] + p[c]));
        let centre = centre.map(|c| c / surface.positions.len() as f64);
        let shape = Shape::mesh(&surface).unwrap();
        let cuboid = Shape::Cuboid { half: [1.0, 2.0, 3.0] };
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..2000 {
            let p = [0; 3].map(|_| 9.0 * random() - 4.5);
            let (d, n) = near(&shape, [0, 1, 2].map(|c| p[c] + centre[c]));
            let (e, m) = near(&cuboid, p);
            assert!((d - e).abs() < 1e-12, "{p:?}: {d} {e}");
            let turned = (0..3).map(|c| n[c] * m[c]).sum::<f64>();
            // Inside, several sides may be equally near.
            assert!(turned > 1.0 - 1e-9 || d < 0.0, "{p:?}: {n:?} {m:?}");
        }
    }

    #[test]
    fn a_fine_sphere_is_nearly_round_and_solid() {
        let mesh = Icosphere::new(4).radius(1.0).build().unwrap();
        let shape = Shape::mesh(&mesh).unwrap();
        for p in [[0.3_f64, 0.1, -0.2], [1.2, 0.0, 0.4], [-0.9, 0.3, 0.3]] {
            let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
            assert!((near(&shape, p).0 - (length - 1.0)).abs() < 5e-3);
        }
        assert!(shape.nearest(Vec3::of([9.0, 0.0, 0.0]), 0.5).is_none());
    }

    #[test]
    fn ground_is_solid_below_and_ends_at_its_border() {
        let heights = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let ground = Shape::height_field(1.0, 3, &heights).unwrap();
        assert!((near(&ground, [0.5, -0.2, 0.1]).0 + 0.2).abs() < 0.2);
        assert!(near(&ground, [1.0, 0.5, 1.0]).0 < 0.0);
        assert!(near(&ground, [1.0, 1.5, 1.0]).0 > 0.0);
        assert!(near(&ground, [-1.0, -0.5, 1.0]).0 > 0.0);
        assert!(Shape::height_field(1.0, 3, &heights[..8]).is_err());
    }

    #[test]
    fn a_sampled_ball_is_a_ball() {
        let n = 21;
        let at = |i: usize| -1.0 + 0.1 * i as f64;
        let mut values = Vec::new();
        for k in 0..n {
            for j in 0..n {
                for i in 0..n {
                    let square = at(i) * at(i) + at(j) * at(j) + at(k) * at(k);
                    values.push(square.sqrt() - 0.5);
                }
            }
        }
        let field = Shape::DistanceField(DistanceField::new([n; 3], 0.1, values).unwrap());
        let (d, normal) = near(&field, [1.0 + 0.6, 1.0, 1.0 + 0.1]);
        let length = (0.36f64 + 0.01).sqrt();
        assert!((d - (length - 0.5)).abs() < 2e-3, "{d}");
        assert!((normal[0] - 0.6 / length).abs() < 1e-2 && normal[1].abs() < 1e-2);
        assert!(near(&field, [5.0, 1.0, 1.0]).0 > 2.9);
    }
}
