//! Surface normals: smooth at shared vertices, or one per face.

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
        let n = cross(sub(q, p), sub(r, p));
        for v in [a, b, c] {
            for k in 0..3 {
                out[v][k] += n[k];
            }
        }
    }
    for n in out {
        *n = unit(*n);
    }
}

/// Unit normal of a triangle.
pub fn of_face(corners: [[f32; 3]; 3]) -> [f32; 3] {
    unit(cross(sub(&corners[1], &corners[0]), sub(&corners[2], &corners[0])))
}

fn sub(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(n: [f32; 3]) -> [f32; 3] {
    let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    if length > 0.0 { n.map(|c| c / length) } else { [0.0, 1.0, 0.0] }
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
