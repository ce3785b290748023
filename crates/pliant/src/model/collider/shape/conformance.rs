//! Tests that every shape of the list passes, on the samples in its own file.

use crate::math::{Random, Vec3, atan2};
use crate::mesh::{TriMesh, topology};
use crate::model::collider::shape::Shape;

/// Tolerance below which a shape's distance is exact, and tests of exact distances apply \[m\].
const EXACT: f64 = 1e-9;

/// Points in a box of 3 m, the same in every run.
fn points(count: usize) -> impl Iterator<Item = Vec3<f64>> {
    let mut random = Random::new(1);
    (0..count).map(move |_| Vec3::of([0; 3].map(|_| random.range(-1.5, 1.5))))
}

fn corners(mesh: &TriMesh, t: &[u32; 3]) -> [Vec3<f64>; 3] {
    t.map(|v| Vec3::of(mesh.positions[v as usize]))
}

/// Number of times that a closed mesh winds around a point: the sum of its triangles' solid angles over 4π.
fn winding(mesh: &TriMesh, p: Vec3<f64>) -> f64 {
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = corners(mesh, t).map(|q| q - p);
        let (x, y, z): (f64, f64, f64) = (a.norm(), b.norm(), c.norm());
        let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * atan2(a.dot(b.cross(c)), below)
    };
    mesh.triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

#[test]
fn distances_are_those_of_the_nearest_point_of_the_surface() {
    for (shape, tolerance) in Shape::samples() {
        let (surface, name) = (shape.surface_mesh(1.0), shape.name());
        for p in points(400).filter(|_| tolerance < EXACT) {
            let near = shape.nearest(p, f64::INFINITY).unwrap();
            assert!((near.normal.norm() - 1.0).abs() < 1e-12, "{name} at {p:?}");
            // The point that it names is on the surface, and no vertex of the surface is nearer.
            let foot = p - near.normal.scale(near.distance);
            let off = shape.nearest(foot, f64::INFINITY).unwrap().distance;
            assert!(off.abs() < 1e-11, "{name}: the foot of {p:?} is {off} m off");
            for v in &surface.positions {
                let away: f64 = (Vec3::of(*v) - p).norm();
                assert!(away > near.distance.abs() - 1e-11, "{name}: {v:?} is nearer to {p:?}");
            }
        }
    }
}

#[test]
fn the_inside_is_what_the_surface_encloses() {
    for (shape, tolerance) in Shape::samples().into_iter().filter(|(s, _)| s.is_finite()) {
        let (surface, name) = (shape.surface_mesh(1.0), shape.name());
        let mut inside = 0;
        for p in points(3000) {
            let d = shape.nearest(p.scale(0.4), f64::INFINITY).unwrap().distance;
            // Facets of round shapes are this far inside at most.
            if d.abs() > if shape.is_round() { 0.02 + tolerance } else { 1e-9 } {
                let times = winding(&surface, p.scale(0.4));
                let expected = if d < 0.0 { 1.0 } else { 0.0 };
                assert!((times - expected).abs() < 1e-6, "{name} at {p:?}: {d} m, winding {times}");
                inside += usize::from(d < 0.0);
            }
        }
        assert!(inside > 20, "{name}: {inside}");
    }
}

#[test]
fn surfaces_are_closed_face_out_and_have_their_vertices_on_the_shape() {
    for (shape, tolerance) in Shape::samples() {
        let (mesh, name) = (shape.surface_mesh(1.0), shape.name());
        assert_eq!(topology::boundary_edges(&mesh).is_empty(), shape.is_finite(), "{name}");
        assert!(!mesh.triangles.is_empty(), "{name}");
        for p in &mesh.positions {
            let d = shape.nearest(Vec3::of(*p), 1.0).unwrap().distance;
            assert!(d.abs() < tolerance, "{name}: {p:?} is {d} m away");
        }
        for t in &mesh.triangles {
            let [a, b, c] = corners(&mesh, t);
            let middle = (a + b + c).scale(1.0 / 3.0);
            let out = shape.nearest(middle, 1.0).unwrap().normal;
            let facing = (b - a).cross(c - a).dot(out);
            assert!(facing >= 0.0, "{name}: a triangle at {middle:?} faces in");
        }
    }
}

#[test]
fn surely_farther_is_never_true_within_reach() {
    let mut told = 0;
    for (shape, _) in Shape::samples() {
        for (i, p) in points(2000).enumerate() {
            let reach = (i % 7) as f64 * 0.1;
            if shape.surely_farther(p, reach) {
                told += 1;
                let near = shape.nearest(p, f64::INFINITY).unwrap();
                assert!(near.distance > reach, "{}: {p:?} is within {reach} m", shape.name());
            }
        }
    }
    assert!(told > 4000, "{told}");
}

#[test]
fn samples_are_valid_and_every_name_is_used_once() {
    let mut names = std::collections::BTreeSet::new();
    for (shape, _) in Shape::samples() {
        assert_eq!(shape.problem(), None, "{}", shape.name());
        names.insert(shape.name());
    }
    assert!(names.len() > 6, "{names:?}");
    let mut keys: Vec<&str> = Shape::forms().map(|form| form.name).collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count, "{keys:?}");
}
