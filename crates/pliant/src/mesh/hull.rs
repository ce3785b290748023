//! Convex hull of a point set.

use crate::Error;
use crate::mesh::{MeshError, TriMesh};

/// Returns the convex hull of the points \[m\] as a mesh of outward-facing triangles. Its vertices are the points that
/// are corners of the hull. The side of a face on which a point lies is decided in exact arithmetic.
pub fn convex_hull(points: &[[f64; 3]]) -> Result<TriMesh, Error> {
    if let Some(vertex) = points.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        return Err(Error::VertexNotFinite { what: "point of a convex hull", vertex });
    }
    let mut faces =
        initial_tetrahedron(points).ok_or(MeshError::Empty { vertices: points.len(), cells: 0 })?;
    for p in 0..points.len() as u32 {
        add_point(points, &mut faces, p);
    }
    let mut number = vec![u32::MAX; points.len()];
    let mut mesh = TriMesh::default();
    for face in &faces {
        mesh.triangles.push(face.map(|v| {
            let place = &mut number[v as usize];
            if *place == u32::MAX {
                *place = mesh.positions.len() as u32;
                mesh.positions.push(points[v as usize]);
            }
            *place
        }));
    }
    mesh.validate()?;
    Ok(mesh)
}

/// Returns a positive number if the point is in front of the face.
fn side(points: &[[f64; 3]], face: [u32; 3], p: u32) -> f64 {
    let [a, b, c, d] = [face[0], face[1], face[2], p].map(|v| {
        let [x, y, z] = points[v as usize];
        robust::Coord3D { x, y, z }
    });
    -robust::orient3d(a, b, c, d)
}

/// Returns the faces of a tetrahedron of four points that do not lie in a plane.
fn initial_tetrahedron(points: &[[f64; 3]]) -> Option<Vec<[u32; 3]>> {
    let n = points.len() as u32;
    let distinct = |a: u32| (0..n).find(|&b| points[b as usize] != points[a as usize]);
    let a = 0;
    let b = (n > 0).then(|| distinct(a)).flatten()?;
    let farthest = |from: &dyn Fn(u32) -> f64| {
        (0..n).max_by(|&p, &q| from(p).total_cmp(&from(q))).filter(|&p| from(p) > 0.0)
    };
    let sub = |p: u32, q: u32| [0, 1, 2].map(|c| points[p as usize][c] - points[q as usize][c]);
    let cross = |u: [f64; 3], v: [f64; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let c = farthest(&|p| cross(sub(b, a), sub(p, a)).iter().map(|c| c * c).sum())?;
    let d = farthest(&|p| side(points, [a, b, c], p).abs())?;
    let [a, b] = if side(points, [a, b, c], d) > 0.0 { [b, a] } else { [a, b] };
    Some(vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]])
}

/// Replaces the faces visible from a point by a cone from their outline to it.
fn add_point(points: &[[f64; 3]], faces: &mut Vec<[u32; 3]>, p: u32) {
    let sees: Vec<bool> = faces.iter().map(|&f| side(points, f, p) > 0.0).collect();
    if !sees.contains(&true) {
        return;
    }
    let mut rim: Vec<[u32; 2]> = Vec::new();
    for (&[a, b, c], _) in faces.iter().zip(&sees).filter(|(_, sees)| **sees) {
        for edge in [[a, b], [b, c], [c, a]] {
            // An edge between two such faces occurs once in each direction.
            match rim.iter().position(|&[u, v]| [v, u] == edge) {
                Some(i) => drop(rim.swap_remove(i)),
                None => rim.push(edge),
            }
        }
    }
    let mut seen = sees.iter();
    faces.retain(|_| !seen.next().is_some_and(|s| *s));
    faces.extend(rim.into_iter().map(|[a, b]| [a, b, p]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{measure, topology};

    #[test]
    fn the_hull_of_a_filled_cube_is_the_cube() {
        let mut points = Vec::new();
        for i in 0..4 {
            for j in 0..4 {
                for k in 0..4 {
                    points.push([f64::from(i), f64::from(j), f64::from(k)]);
                }
            }
        }
        let hull = convex_hull(&points).unwrap();
        assert!(topology::boundary_edges(&hull).is_empty());
        let volume: f64 = (0..hull.triangles.len())
            .map(|t| {
                let [a, b, c] = hull.triangle_points(t);
                (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                    + a[2] * (b[0] * c[1] - b[1] * c[0]))
                    / 6.0
            })
            .sum();
        assert!((volume - 27.0).abs() < 1e-12, "{volume}");
        let area: f64 = (0..hull.triangles.len())
            .map(|t| measure::triangle_area(hull.triangle_points(t)))
            .sum();
        assert!((area - 54.0).abs() < 1e-12, "{area}");
    }

    #[test]
    fn points_of_a_plane_or_none_have_no_hull() {
        assert!(convex_hull(&[]).is_err());
        assert!(convex_hull(&[[0.0; 3]; 5]).is_err());
        let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.5, 0.2, 0.0]];
        assert!(convex_hull(&flat).is_err());
        assert!(convex_hull(&[[f64::NAN; 3]]).is_err());
    }
}
