//! Surface normals: smooth at shared vertices, or one per face.

use glam::Vec3;

/// Sums the normals of the triangles around each vertex, weighted by area, and normalises them. Indices
/// without a vertex are skipped.
pub fn smooth(positions: &[[f32; 3]], triangles: &[[u32; 3]], out: &mut Vec<[f32; 3]>) {
    out.clear();
    out.resize(positions.len(), [0.0; 3]);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| v as usize);
        let (Some(p), Some(q), Some(r)) = (positions.get(a), positions.get(b), positions.get(c))
        else {
            continue;
        };
        let n = area_normal([*p, *q, *r]);
        for v in [a, b, c] {
            out[v] = (Vec3::from(out[v]) + n).into();
        }
    }
    for n in out {
        *n = unit(Vec3::from(*n));
    }
}

/// Unit normal of a triangle.
pub fn of_face(corners: [[f32; 3]; 3]) -> [f32; 3] {
    unit(area_normal(corners))
}

/// Normal of a triangle, of twice its area in length.
fn area_normal(corners: [[f32; 3]; 3]) -> Vec3 {
    let [p, q, r] = corners.map(Vec3::from);
    (q - p).cross(r - p)
}

/// Unit vector along `n`; upwards if it has no direction.
fn unit(n: Vec3) -> [f32; 3] {
    n.normalize_or(Vec3::Y).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_square_has_one_normal_and_strays_are_passed_over() {
        let square = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mut normals = Vec::new();
        smooth(&square, &[[0, 1, 2], [0, 2, 3], [0, 1, 9]], &mut normals);
        assert_eq!(normals, [[0.0, 0.0, 1.0]; 4]);
        assert_eq!(of_face([square[0], square[2], square[1]]), [0.0, 0.0, -1.0]);
    }
}
