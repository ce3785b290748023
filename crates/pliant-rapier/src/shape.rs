//! Conversion of rapier's shapes to Pliant's colliders, in world space.

use crate::Error;
use crate::isometry::{Isometry, to_f64};
use crate::vector::V;
use pliant::mesh::TriMesh;
use pliant::prelude::Collider;
use rapier3d::geometry::{ColliderHandle, Shape, TypedShape};
use rapier3d::math::{Pose, Vector};

/// Number of segments around cylinders and cones.
const RADIAL_SEGMENTS: u32 = 32;

/// Colliders of a shape at a pose: one, or one for each part of a compound.
pub fn colliders(
    handle: ColliderHandle,
    shape: &dyn Shape,
    pose: &Pose,
) -> Result<Vec<Collider>, Error> {
    let place = Isometry::of(pose);
    let refused = |problem| Error::Collider { collider: handle, problem };
    let of_hull = |points: &[Vector]| Collider::convex(&moved(&place, points)).map_err(refused);
    let of_mesh = |points: &[Vector], triangles: &[[u32; 3]]| {
        let (positions, triangles) = (moved(&place, points), triangles.to_vec());
        let mesh = TriMesh { positions, triangles, ..TriMesh::default() };
        Collider::mesh(&mesh).map_err(refused)
    };
    let found = match shape.as_typed_shape() {
        TypedShape::Ball(ball) => Collider::sphere(place.translation(), f64::from(ball.radius)),
        TypedShape::Cuboid(cuboid) => {
            let sides = to_f64(cuboid.half_extents).map(|half| 2.0 * half);
            let (axis, angle) = place.axis_angle();
            Collider::cuboid(place.translation(), sides).turned(axis, angle)
        }
        TypedShape::Capsule(capsule) => {
            let [a, b] =
                [capsule.segment.a, capsule.segment.b].map(|p| place.transform_point(to_f64(p)));
            Collider::capsule(a, b, f64::from(capsule.radius))
        }
        TypedShape::HalfSpace(half) => {
            let normal = to_f64(half.normal);
            Collider::plane(place.translation(), place.transform_vector(normal))
        }
        TypedShape::ConvexPolyhedron(hull) => of_hull(hull.points())?,
        TypedShape::Cylinder(cylinder) => of_hull(&cylinder.to_trimesh(RADIAL_SEGMENTS).0)?,
        TypedShape::Cone(cone) => of_hull(&cone.to_trimesh(RADIAL_SEGMENTS).0)?,
        TypedShape::TriMesh(mesh) => of_mesh(mesh.vertices(), mesh.indices())?,
        TypedShape::HeightField(field) => {
            let (points, triangles) = field.to_trimesh();
            of_mesh(&points, &triangles)?
        }
        TypedShape::Compound(compound) => {
            let parts = compound.shapes().iter();
            let parts = parts.map(|(own, part)| colliders(handle, &**part, &(*pose * *own)));
            return Ok(parts.collect::<Result<Vec<_>, _>>()?.concat());
        }
        other => return Err(Error::Shape { collider: handle, shape: name(&other) }),
    };
    Ok(vec![found])
}

/// Surfaces of several colliders as one mesh \[m\].
pub fn surface(parts: &[Collider]) -> TriMesh {
    let mut all = TriMesh::default();
    for part in parts {
        let mesh = part.surface_mesh();
        let first = all.positions.len() as u32;
        all.positions.extend(mesh.positions);
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

fn moved(place: &Isometry, points: &[Vector]) -> Vec<V> {
    points.iter().map(|p| place.transform_point(to_f64(*p))).collect()
}

fn name(shape: &TypedShape) -> &'static str {
    match shape {
        TypedShape::Segment(_) => "segment",
        TypedShape::Triangle(_) => "triangle",
        TypedShape::Polyline(_) => "polyline",
        TypedShape::Voxels(_) => "voxel shape",
        TypedShape::Custom(_) => "custom shape",
        _ => "rounded shape",
    }
}
