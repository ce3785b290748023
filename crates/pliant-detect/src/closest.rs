//! Closest points of vertices, edges and triangles.
//!
//! ```text
//!       a                      a0
//!      / \    offset            \        s
//!     /   x ←―――――――― p          x―――――― offset ――→ x
//!    b―――――c                      \            b0 ―― t ―― b1
//!                                  a1
//! ```
//!
//! If the projections lie inside the features, they follow from cross products with the normal, which lose less
//! precision than the usual determinant `|d₁|²|d₂|² − (d₁·d₂)²` when edges are nearly parallel or triangles
//! nearly degenerate. Ill-conditioned projections are refined by solving again for the residual, and compared
//! with every side. If the projections lie outside, the closest points are on a side that was crossed, because
//! both sets are convex. Without area or length, only the sides, or their endpoints, remain.
//!
//! Weights and distances are finite for coordinates between 1e-60 and 1e60 m. The distance is minimal to within
//! 1e-12 of the size of the input (measured 1e-13, for triangles 1e-12 thin).

use crate::vector::{Vector, add, cross, dot, scale, sub};

/// Squared sine of the angle below which projections are refined and compared with every side.
const ILL_CONDITIONED: f64 = 1e-3;

/// A side must be nearer than the interior by more than this, relative to the squared distance. Otherwise
/// rounding would decide, and the interior gives the better direction.
const INTERIOR_PREFERENCE: f64 = 1.0 - 1e-12;

fn refinements(ill: bool) -> usize {
    if ill { 2 } else { 0 }
}

/// A pair of closest points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest<const N: usize> {
    /// Weights of the `N` points in the order of the input. The weights of each of the two features are in \[0,
    /// 1\] and sum to one.
    pub weights: [f64; N],
    /// Vector from the point of the second feature to the point of the first \[m\].
    pub offset: [f64; 3],
}

impl<const N: usize> Closest<N> {
    /// Squared distance \[m²\].
    #[inline]
    pub fn distance_squared(&self) -> f64 {
        dot(self.offset, self.offset)
    }

    /// Distance \[m\].
    #[inline]
    pub fn distance(&self) -> f64 {
        self.distance_squared().sqrt()
    }
}

/// Closest points of two vertices: the vertices themselves.
pub fn vertex_vertex([p, q]: [[f64; 3]; 2]) -> Closest<2> {
    Closest { weights: [1.0, 1.0], offset: sub(p, q) }
}

/// Closest points of a vertex (the first point) and an edge (the other two).
pub fn vertex_edge([p, a, b]: [[f64; 3]; 3]) -> Closest<3> {
    let (t, offset) = closest_on_edge(sub(p, a), sub(b, a));
    Closest { weights: [1.0, 1.0 - t, t], offset }
}

/// Closest points of a vertex (the first point) and a triangle (the other three).
#[inline]
pub fn vertex_triangle([p, a, b, c]: [[f64; 3]; 4]) -> Closest<4> {
    let ([u, v, w], offset) = closest_on_triangle(sub(p, a), sub(b, a), sub(c, a));
    Closest { weights: [1.0, u, v, w], offset }
}

/// Closest points of an edge (the first two points) and an edge (the other two).
#[inline]
pub fn edge_edge([a, b, c, d]: [[f64; 3]; 4]) -> Closest<4> {
    let (s, t, offset) = closest_between_edges(sub(a, c), sub(b, a), sub(d, c));
    Closest { weights: [1.0 - s, s, 1.0 - t, t], offset }
}

/// Projection of the point `r` onto the edge from the origin to `d`: its parameter `t` in \[0, 1\], and `r − t
/// d`.
#[inline(always)]
pub(crate) fn closest_on_edge(r: Vector, d: Vector) -> (f64, Vector) {
    let length_squared = dot(d, d);
    let t = if length_squared > 0.0 { (dot(r, d) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    (t, sub(r, scale(d, t)))
}

/// Projection of the point `r` onto the triangle (0, `b`, `c`): its weights, and the vector from it to `r`.
#[inline(always)]
pub(crate) fn closest_on_triangle(r: Vector, b: Vector, c: Vector) -> ([f64; 3], Vector) {
    let n = cross(b, c);
    let nn = dot(n, n);
    let ill = !(nn > ILL_CONDITIONED * (dot(b, b) * dot(c, c)));
    let feet = |r: Vector| (dot(cross(r, c), n) / nn, dot(cross(b, r), n) / nn);
    let left = |v: f64, w: f64| sub(sub(r, scale(b, v)), scale(c, w));
    let (mut v, mut w) = feet(r);
    for _ in 0..refinements(ill) {
        let (dv, dw) = feet(left(v, w));
        (v, w) = (v + dv, w + dw);
    }
    let u = 1.0 - v - w;
    let mut best = ([1.0, 0.0, 0.0], r);
    let mut least = f64::INFINITY;
    if u >= 0.0 && v >= 0.0 && w >= 0.0 {
        best = ([u, v, w], left(v, w));
        if !ill {
            return best;
        }
        least = INTERIOR_PREFERENCE * dot(best.1, best.1);
    }
    let mut offer = |weights: [f64; 3], offset: Vector| {
        let d = dot(offset, offset);
        if d < least {
            (least, best) = (d, (weights, offset));
        }
    };
    if ill || w < 0.0 {
        let (t, offset) = closest_on_edge(r, b);
        offer([1.0 - t, t, 0.0], offset);
    }
    if ill || v < 0.0 {
        let (t, offset) = closest_on_edge(r, c);
        offer([1.0 - t, 0.0, t], offset);
    }
    if ill || u < 0.0 {
        let (t, offset) = closest_on_edge(sub(r, b), sub(c, b));
        offer([0.0, 1.0 - t, t], offset);
    }
    best
}

/// Parameters `s`, `t` in \[0, 1\] that minimise the length of `r + s d1 − t d2`, and that vector.
#[inline(always)]
pub(crate) fn closest_between_edges(r: Vector, d1: Vector, d2: Vector) -> (f64, f64, Vector) {
    let n = cross(d1, d2);
    let nn = dot(n, n);
    let ill = !(nn > ILL_CONDITIONED * (dot(d1, d1) * dot(d2, d2)));
    let feet = |r: Vector| (-dot(cross(r, d2), n) / nn, -dot(cross(r, d1), n) / nn);
    let left = |s: f64, t: f64| add(r, sub(scale(d1, s), scale(d2, t)));
    let (mut s, mut t) = feet(r);
    for _ in 0..refinements(ill) {
        let (ds, dt) = feet(left(s, t));
        (s, t) = (s + ds, t + dt);
    }
    let mut best = (0.0, 0.0, r);
    let mut least = f64::INFINITY;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        best = (s, t, left(s, t));
        if !ill {
            return best;
        }
        least = INTERIOR_PREFERENCE * dot(best.2, best.2);
    }
    let mut offer = |s: f64, t: f64, offset: Vector| {
        let d = dot(offset, offset);
        if d < least {
            (least, best) = (d, (s, t, offset));
        }
    };
    // The four sides of the square of `(s, t)`: an endpoint of one edge against the other edge.
    if ill || s < 0.0 {
        let (t, offset) = closest_on_edge(r, d2);
        offer(0.0, t, offset);
    }
    if ill || s > 1.0 {
        let (t, offset) = closest_on_edge(add(r, d1), d2);
        offer(1.0, t, offset);
    }
    if ill || t < 0.0 {
        let (s, offset) = closest_on_edge(scale(r, -1.0), d1);
        offer(s, 0.0, scale(offset, -1.0));
    }
    if ill || t > 1.0 {
        let (s, offset) = closest_on_edge(sub(d2, r), d1);
        offer(s, 1.0, scale(offset, -1.0));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn size(points: &[Vector]) -> f64 {
        points.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()))
    }

    /// Asserts that the weights are in \[0, 1\], sum to one, and reproduce the offset.
    fn check<const N: usize>(points: [Vector; N], first: usize, found: &Closest<N>) {
        let mut offset = [0.0; 3];
        for (feature, sign) in [(0..first, 1.0), (first..N, -1.0)] {
            let sum: f64 = found.weights[feature.clone()].iter().sum();
            assert!((sum - 1.0).abs() < 1e-15 * 4.0, "{found:?}");
            for i in feature {
                assert!((0.0..=1.0).contains(&found.weights[i]), "{found:?}");
                offset = add(offset, scale(points[i], sign * found.weights[i]));
            }
        }
        let wrong = sub(offset, found.offset);
        assert!(dot(wrong, wrong).sqrt() <= 1e-14 * size(&points), "{points:?} {found:?}");
    }

    /// Minimum distance by a search that narrows in on the best cell of a raster. The squared distance is
    /// convex, so the search cannot end in a wrong local minimum.
    fn searched(distance: impl Fn(f64, f64) -> f64) -> f64 {
        let (mut center, mut half) = ([0.5, 0.5], 0.5);
        let mut least = f64::INFINITY;
        for _ in 0..60 {
            let old = center;
            for i in -4..=4 {
                for j in -4..=4 {
                    let x = (old[0] + half * f64::from(i) / 4.0).clamp(0.0, 1.0);
                    let y = (old[1] + half * f64::from(j) / 4.0).clamp(0.0, 1.0);
                    let d = distance(x, y);
                    if d < least {
                        (least, center) = (d, [x, y]);
                    }
                }
            }
            half *= 0.6;
        }
        least
    }

    /// Four points, often degenerate: coincident, collinear, parallel, or nearly so.
    fn points(random: &mut Random) -> [Vector; 4] {
        let mut x = [[0.0; 3]; 4].map(|p: Vector| p.map(|_| random.signed()));
        let tiny = [0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-4, 1e-2][random.below(8)];
        let [s, t] = [random.signed() * 2.0, random.signed() * 2.0];
        match random.below(7) {
            // The last three points are nearly collinear.
            0 => x[3] = add(lerp_any(x[1], x[2], s), scale(x[3], tiny)),
            // Nearly coincident points.
            1 => {
                x[2] = add(x[1], scale(x[2], tiny));
                x[3] = add(x[1], scale(x[3], tiny));
            }
            // Two nearly parallel edges.
            2 => x[3] = add(add(x[2], scale(sub(x[1], x[0]), s)), scale(x[3], tiny)),
            // All four points are nearly collinear.
            3 => {
                x[2] = add(lerp_any(x[0], x[1], s), scale(x[2], tiny));
                x[3] = add(lerp_any(x[0], x[1], t), scale(x[3], tiny));
            }
            // The first point is nearly in the triangle's plane.
            4 => {
                x[0] = add(lerp_any(lerp_any(x[1], x[2], s), x[3], t), scale(x[0], tiny));
            }
            _ => {}
        }
        x
    }

    fn lerp_any(a: Vector, b: Vector, t: f64) -> Vector {
        add(a, scale(sub(b, a), t))
    }

    #[test]
    fn nothing_is_closer_than_the_closest_points() {
        let mut random = Random::new(1);
        let mut worst = 0.0_f64;
        for _ in 0..10_000 {
            let x = points(&mut random);
            let triangle = vertex_triangle(x);
            check(x, 1, &triangle);
            let to_triangle = searched(|s, t| {
                let foot = lerp_any(x[1], lerp_any(x[2], x[3], t), s);
                let d = sub(x[0], foot);
                dot(d, d)
            });
            worst = worst.max(triangle.distance() - to_triangle.sqrt());
            let edges = edge_edge(x);
            check(x, 2, &edges);
            let to_edge = searched(|s, t| {
                let d = sub(lerp_any(x[0], x[1], s), lerp_any(x[2], x[3], t));
                dot(d, d)
            });
            worst = worst.max(edges.distance() - to_edge.sqrt());
        }
        // Measured 1e-13 over several seeds, at triangles 1e-12 m thin.
        assert!(worst < 1e-12, "{worst:e}");
    }

    #[test]
    fn exact_cases() {
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let at = |p: Vector| vertex_triangle([p, triangle[0], triangle[1], triangle[2]]);
        assert_eq!(at([1.0, 1.0, 3.0]).weights, [1.0, 0.5, 0.25, 0.25]);
        assert_eq!(at([1.0, 1.0, 3.0]).offset, [0.0, 0.0, 3.0]);
        assert_eq!(at([-1.0, -2.0, 2.0]).weights, [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(at([2.0, -3.0, 4.0]).distance(), 5.0);
        assert_eq!(at([4.0, 4.0, 0.0]).weights, [1.0, 0.0, 0.5, 0.5]);
        let cross =
            edge_edge([[-1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, -1.0, 2.0], [0.0, 1.0, 2.0]]);
        assert_eq!(cross.weights, [0.75, 0.25, 0.5, 0.5]);
        assert_eq!(cross.offset, [0.0, 0.0, -2.0]);
        let ends = vertex_edge([[5.0, 3.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0]]);
        assert_eq!((ends.weights, ends.distance()), ([1.0, 0.0, 1.0], 5.0));
        assert_eq!(vertex_vertex([[1.0, 2.0, 2.0], [0.0; 3]]).distance(), 3.0);
    }

    #[test]
    fn collapsed_input_is_finite_and_right() {
        let p = [1.0, 2.0, 2.0];
        let o = [0.0; 3];
        for found in [vertex_triangle([p, o, o, o]), edge_edge([p, p, o, o])] {
            assert_eq!(found.distance(), 3.0);
            assert!(found.weights.iter().all(|w| w.is_finite()));
        }
        let line = [[-1.0, 0.0, 0.0], [0.0; 3], [7.0, 0.0, 0.0]];
        assert_eq!(vertex_triangle([[2.0, 3.0, 4.0], line[0], line[1], line[2]]).distance(), 5.0);
        // Parallel edges side by side, and one behind the other.
        let side = [o, [4.0, 0.0, 0.0], [2.0, 0.0, 1.0], [9.0, 0.0, 1.0]];
        assert_eq!(edge_edge(side).distance(), 1.0);
        let behind = [o, [1.0, 0.0, 0.0], [5.0, 3.0, 0.0], [9.0, 3.0, 0.0]];
        assert_eq!(edge_edge(behind).distance(), 5.0);
        // A point against an edge, as degenerate edges.
        let point = [[2.0, 1.0, 0.0], [2.0, 1.0, 0.0], o, [4.0, 0.0, 0.0]];
        assert_eq!(edge_edge(point).distance(), 1.0);
    }

    #[test]
    fn any_size_of_input_is_finite() {
        let mut random = Random::new(2);
        for exponent in [1e-60, 1e-30, 1e-6, 1e3, 1e30, 1e60] {
            for _ in 0..1000 {
                let x = points(&mut random).map(|p| scale(p, exponent));
                check(x, 1, &vertex_triangle(x));
                check(x, 2, &edge_edge(x));
            }
        }
    }
}
