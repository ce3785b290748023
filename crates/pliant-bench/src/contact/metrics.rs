//! Contact metrics, computed from positions alone in the same way for all contestants.
//!
//! Clearance is the minimum distance between the vertices of the cloth and the solids; depth is the contact
//! distance minus the clearance. A triangle over the ball is closer than its corners by the height of the arc
//! above the chord, about a millimetre in that scene, which is due to the mesh and not to contact. Penetration
//! of the solids themselves is measured on the triangles.

use crate::geometry::{Point, dot, sub};
use pliant_detect::closest;
use pliant_detect::intersect::IntersectionCheck;

/// Obstacles of the cloth: a ball, and the ground at height zero.
#[derive(Clone, Copy, Debug)]
pub struct Solids {
    /// Centre of the ball \[m\].
    pub center: Point,
    /// Radius of the ball \[m\].
    pub radius: f64,
}

impl Solids {
    /// Minimum distance between vertices and the solids \[m\], negative if one is inside.
    pub fn clearance(&self, x: &[Point]) -> f64 {
        let of = |p: &Point| {
            let d = sub(*p, self.center);
            p[1].min(dot(d, d).sqrt() - self.radius)
        };
        x.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    /// Minimum distance between triangles and the solids \[m\], negative if one is inside.
    pub fn clearance_of_surface(&self, x: &[Point], triangles: &[[u32; 3]]) -> f64 {
        let to_center = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| x[v as usize]);
            let offset = closest::vertex_triangle([self.center, a, b, c]).offset;
            dot(offset, offset)
        };
        let nearest = triangles.iter().map(to_center).fold(f64::INFINITY, f64::min);
        self.clearance(x).min(nearest.sqrt() - self.radius)
    }
}

/// Exact number of intersections of an edge of the mesh with one of its triangles.
pub fn crossings(x: &[Point], triangles: &[[u32; 3]]) -> usize {
    let mut found = Vec::new();
    IntersectionCheck::new(triangles).self_intersections(x, &mut found);
    found.len()
}

/// Maximum vertex speed between two states \[m/s\] separated by `dt` \[s\].
pub fn fastest(before: &[Point], after: &[Point], dt: f64) -> f64 {
    let moved = before.iter().zip(after).map(|(a, b)| {
        let d = sub(*b, *a);
        dot(d, d)
    });
    moved.fold(0.0, f64::max).sqrt() / dt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearance_counts_the_middle_of_triangles() {
        let solids = Solids { center: [0.0, 1.0, 0.0], radius: 0.5 };
        let x = [[-1.0, 1.6, -1.0], [1.0, 1.6, -1.0], [0.0, 1.6, 2.0]];
        let over = solids.clearance_of_surface(&x, &[[0, 1, 2]]);
        assert!((over - 0.1).abs() < 1e-12, "{over}");
        assert!(solids.clearance(&x) > 1.0);
        let x = x.map(|[x, y, z]| [x, y - 1.65, z]);
        let under = solids.clearance_of_surface(&x, &[[0, 1, 2]]);
        assert!((under + 0.05).abs() < 1e-12, "{under}");
    }

    #[test]
    fn a_needle_through_a_triangle_is_a_crossing() {
        let mut x = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        x.extend([[0.2, -1.0, 0.2], [0.2, 1.0, 0.2], [5.0, 1.0, 0.2]]);
        assert_eq!(crossings(&x, &[[0, 1, 2], [3, 4, 5]]), 2);
        assert_eq!(fastest(&x[..3], &x[3..], 2.0).round(), 3.0);
    }
}
