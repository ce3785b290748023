//! Nearest tet of a solid to a point.

use pliant::math::Vec3;
use pliant::mesh::TetMesh;
use pliant_detect::{Aabb, Bvh};

use super::barycentric;

type Vector = Vec3<f64>;

/// Weight below which a point is outside a tet: a point on a shared face is inside both tets up to rounding.
const MIN_WEIGHT: f64 = -1e-12;

/// Margin of a tet's box, relative to its size: the box contains all points that are inside up to [`MIN_WEIGHT`].
const RELATIVE_MARGIN: f64 = 1e-11;

/// Search for the nearest tet of a solid.
pub(super) struct NearestTet<'a> {
    solid: &'a TetMesh,
    tree: Bvh,
}

impl<'a> NearestTet<'a> {
    /// Prepares the search in a solid.
    pub fn new(solid: &'a TetMesh) -> Self {
        let bounds = |tet: usize| {
            let tight = Aabb::from_points(&solid.tet_points(tet));
            tight.grown(RELATIVE_MARGIN * tight.longest_side())
        };
        let boxes: Vec<Aabb> = (0..solid.tets.len()).map(bounds).collect();
        Self { solid, tree: Bvh::build(&boxes) }
    }

    /// Nearest tet and its distance \[m\], zero inside; the lowest index among equal distances.
    pub fn find(&self, p: [f64; 3]) -> (usize, f64) {
        let distance = |tet: u32| tet_distance(self.solid.tet_points(tet as usize), p);
        // No tet is found if the distances overflow; any tet is then acceptable.
        let found = self.tree.nearest(p, f64::INFINITY, distance);
        found.map_or((0, f64::INFINITY), |(tet, squared)| (tet as usize, squared.sqrt()))
    }
}

/// Squared distance of a point from a tet, zero inside.
fn tet_distance(tet: [[f64; 3]; 4], p: [f64; 3]) -> f64 {
    let weights = barycentric(tet, p);
    if weights.iter().all(|&w| w >= MIN_WEIGHT) {
        return 0.0;
    }
    let x = Vector::of(p);
    let faces = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
    let distance = |face: [usize; 3]| triangle_distance(face.map(|k| Vector::of(tet[k])), x);
    faces.into_iter().map(distance).fold(f64::INFINITY, f64::min)
}

/// Squared distance of a point from a triangle: from its plane if the projection is inside, otherwise from the
/// nearest side.
fn triangle_distance([a, b, c]: [Vector; 3], x: Vector) -> f64 {
    let normal = (b - a).cross(c - a);
    let beside = |p: Vector, q: Vector| (q - p).cross(x - p).dot(normal) < 0.0;
    if !(beside(a, b) || beside(b, c) || beside(c, a)) {
        let height = (x - a).dot(normal);
        return height * height / normal.norm_squared();
    }
    let from_side = |p: Vector, q: Vector| {
        let (along, to) = (q - p, x - p);
        let part = (to.dot(along) / along.norm_squared()).clamp(0.0, 1.0);
        (to - along.scale(part)).norm_squared()
    };
    from_side(a, b).min(from_side(b, c)).min(from_side(c, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::TetBlock;

    #[test]
    fn the_search_finds_what_a_search_of_all_finds() {
        let solid = TetBlock::new(4, 3, 5).build().unwrap();
        let search = NearestTet::new(&solid);
        // Points on a coarse spiral, inside and outside.
        for k in 0..500 {
            let t = f64::from(k) * 0.017;
            let p =
                [t.fract() * 1.8 - 0.4, (7.0 * t).fract() * 2.0 - 0.6, (13.0 * t).fract() * 2.0];
            let (tet, distance) = search.find(p);
            let all = (0..solid.tets.len()).map(|t| (tet_distance(solid.tet_points(t), p), t));
            let best = all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).unwrap();
            assert_eq!((best.1, best.0.sqrt()), (tet, distance));
        }
    }

    #[test]
    fn distances_from_a_triangle_are_those_of_its_plane_sides_and_corners() {
        let triangle = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector::of);
        let distance = |p: [f64; 3]| triangle_distance(triangle, Vector::of(p));
        assert_eq!(distance([0.25, 0.25, 2.0]), 4.0);
        assert_eq!(distance([0.5, -1.0, 0.0]), 1.0);
        assert_eq!(distance([-3.0, -4.0, 0.0]), 25.0);
        assert!((distance([1.0, 1.0, 0.0]) - 0.5).abs() < 1e-15);
    }
}
