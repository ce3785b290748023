//! One yardstick for contact: everything is computed here from positions alone, the same way for everyone.
//!
//! Clearance is the least distance between the vertices of the cloth and what is solid; depth is what is
//! missing of the distance that they keep. A triangle over the ball is nearer than its corners by as much as a
//! chord is below its arc, about a millimetre in that scene, which is the mesh's and no contact's fault. Whether
//! anything is inside the solids themselves is asked of the triangles.

use crate::geometry::{Point, dot, sub};
use pliant_detect::closest;
use pliant_detect::intersect::IntersectionCheck;

/// What the cloth falls on: a ball, and the ground at the height zero.
#[derive(Clone, Copy, Debug)]
pub struct Solids {
    /// The centre of the ball \[m\].
    pub center: Point,
    /// Its radius \[m\].
    pub radius: f64,
}

impl Solids {
    /// The least distance between vertices and the solids \[m\], negative where one is inside.
    pub fn clearance(&self, x: &[Point]) -> f64 {
        let of = |p: &Point| {
            let d = sub(*p, self.center);
            p[1].min(dot(d, d).sqrt() - self.radius)
        };
        x.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    /// The same for the triangles.
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

/// How many times an edge of the mesh crosses one of its triangles, exactly.
pub fn crossings(x: &[Point], triangles: &[[u32; 3]]) -> usize {
    let mut found = Vec::new();
    IntersectionCheck::new(triangles).self_intersections(x, &mut found);
    found.len()
}

/// The fastest vertex between two states \[m/s\] that are `dt` \[s\] apart.
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
