//! Overlap test of a tet and a triangle by separating axes.
//!
//! Two convex bodies are disjoint if and only if a plane separates them; the candidates are the faces of either
//! body and the planes parallel to one edge of each.

use pliant::math::Vec3;

type Vector = Vec3<f64>;

/// True if they touch or are closer than rounding error, in a grid with cells of this side length \[m\].
pub(super) fn overlaps(tet: &[[f64; 3]; 4], triangle: &[[f64; 3]; 3], side: f64) -> bool {
    // Relative to a vertex of the tet, differences stay exact far from the origin.
    let origin = Vector::of(tet[0]);
    let tet = tet.map(|p| Vector::of(p) - origin);
    let triangle = triangle.map(|p| Vector::of(p) - origin);
    // Most pairs are separated along a coordinate axis, which is cheap to test.
    for d in 0..3 {
        let along = |p: &Vector| p.lane(0)[d];
        let ([low, high], [from, to]) =
            (interval(tet.iter().map(along)), interval(triangle.iter().map(along)));
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
        let [low, high] = projected_interval(&tet, axis);
        let [from, to] = projected_interval(&triangle, axis);
        // An axis too short to have a direction separates nothing.
        let slack = 1e-9 * side * length;
        length > 0.0 && (from > high + slack || to < low - slack)
    };
    let normal = sides[0].cross(sides[1]);
    !(faces.into_iter().any(apart)
        || apart(normal)
        || edges.into_iter().any(|e| sides.into_iter().any(|s| apart(e.cross(s)))))
}

fn projected_interval(points: &[Vector], axis: Vector) -> [f64; 2] {
    interval(points.iter().map(|p| p.dot(axis)))
}

fn interval(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn triangles_through_inside_beside_and_at_a_tet() {
        let touches = |triangle: [[f64; 3]; 3]| overlaps(&TET, &triangle, 1.0);
        // The triangle cuts through the tet, with all its corners outside.
        assert!(touches([[-5.0, -5.0, 0.2], [5.0, -5.0, 0.2], [0.0, 9.0, 0.2]]));
        // The triangle is inside.
        assert!(touches([[0.1, 0.1, 0.1], [0.2, 0.1, 0.1], [0.1, 0.2, 0.1]]));
        // The triangle touches a vertex from outside.
        assert!(touches([[0.0, 0.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]));
        // The triangle is beside each face, and beside an edge, where no face separates them.
        assert!(!touches([[-5.0, -5.0, -0.1], [5.0, -5.0, -0.1], [0.0, 9.0, -0.1]]));
        assert!(!touches([[1.1, 0.0, 0.0], [0.0, 1.1, 0.0], [0.0, 0.0, 1.1]]));
        assert!(!touches([[0.7, 0.7, -0.5], [0.7, 0.7, 0.5], [2.0, 2.0, 0.0]]));
        // A sliver in the plane, a tiny distance away.
        assert!(!touches([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.5, 1e-7, 0.0]]));
    }
}
