//! Whether a tet and a triangle touch, by separating axes.
//!
//! Two convex bodies are apart if and only if a plane parts them; among the candidates are the
//! faces of either body and the planes along one edge of each.

use pliant::math::Vec3;

type Vector = Vec3<f64>;

/// Whether they touch or come closer than rounding error, in a grid of cells of that side \[m\].
pub(super) fn touch(tet: &[[f64; 3]; 4], triangle: &[[f64; 3]; 3], side: f64) -> bool {
    // From a vertex of the tet, far from the origin the differences stay exact.
    let origin = Vector::of(tet[0]);
    let tet = tet.map(|p| Vector::of(p) - origin);
    let triangle = triangle.map(|p| Vector::of(p) - origin);
    // Most pairs are apart along a coordinate, which is soon seen.
    for d in 0..3 {
        let along = |p: &Vector| p.lane(0)[d];
        let ([low, high], [from, to]) =
            (range(tet.iter().map(along)), range(triangle.iter().map(along)));
        if from > high + 1e-9 * side || to < low - 1e-9 * side {
            return false;
        }
    }
    let [a, b, c] = triangle;
    let sides = [b - a, c - b, a - c];
    let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|[p, q]| tet[q] - tet[p]);
    let faces = [[0, 1], [0, 2], [1, 2], [3, 4]].map(|[p, q]| edges[p].cross(edges[q]));
    let apart = |axis: Vector| {
        let length = axis.norm();
        let [low, high] = span(&tet, axis);
        let [from, to] = span(&triangle, axis);
        // An axis that is too short to point anywhere parts nothing.
        let slack = 1e-9 * side * length;
        length > 0.0 && (from > high + slack || to < low - slack)
    };
    let normal = sides[0].cross(sides[1]);
    !(faces.into_iter().any(apart)
        || apart(normal)
        || edges.into_iter().any(|e| sides.into_iter().any(|s| apart(e.cross(s)))))
}

fn span(points: &[Vector], axis: Vector) -> [f64; 2] {
    range(points.iter().map(|p| p.dot(axis)))
}

fn range(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn triangles_through_inside_beside_and_at_a_tet() {
        let touches = |triangle: [[f64; 3]; 3]| touch(&TET, &triangle, 1.0);
        // Through it, with all corners outside.
        assert!(touches([[-5.0, -5.0, 0.2], [5.0, -5.0, 0.2], [0.0, 9.0, 0.2]]));
        // Inside.
        assert!(touches([[0.1, 0.1, 0.1], [0.2, 0.1, 0.1], [0.1, 0.2, 0.1]]));
        // At a vertex, from outside.
        assert!(touches([[0.0, 0.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]));
        // Beside each of its faces, and beside an edge, where no face parts them.
        assert!(!touches([[-5.0, -5.0, -0.1], [5.0, -5.0, -0.1], [0.0, 9.0, -0.1]]));
        assert!(!touches([[1.1, 0.0, 0.0], [0.0, 1.1, 0.0], [0.0, 0.0, 1.1]]));
        assert!(!touches([[0.7, 0.7, -0.5], [0.7, 0.7, 0.5], [2.0, 2.0, 0.0]]));
        // A sliver on its plane, a hair away.
        assert!(!touches([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.5, 1e-7, 0.0]]));
    }
}
