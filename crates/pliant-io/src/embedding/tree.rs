//! Nearest-tet search by a bounding volume hierarchy.
//!
//! The tree splits the tets at the median of their centres along the longest axis, so it is balanced and
//! depends on the mesh alone. A search visits the nearer box first and prunes boxes that are farther than the
//! best tet found.

use pliant::math::Vec3;
use pliant::mesh::TetMesh;

use super::barycentric;

type Vector = Vec3<f64>;

/// Bounding box of a range of tets; a leaf, or an inner node with two children.
struct Node {
    low: [f64; 3],
    high: [f64; 3],
    /// Range in the list of tets.
    tets: std::ops::Range<usize>,
    /// Index of the second child; the first child is the next node. `None` for a leaf.
    second: Option<usize>,
}

pub(super) struct Tree {
    nodes: Vec<Node>,
    tets: Vec<u32>,
}

const MAX_LEAF_TETS: usize = 4;

impl Tree {
    /// Builds a tree over all tets of a solid, which has at least one.
    pub fn new(solid: &TetMesh) -> Self {
        let centre = |tet: u32| {
            let points = solid.tet_points(tet as usize);
            [0, 1, 2].map(|d| points.iter().map(|p| p[d]).sum::<f64>())
        };
        let centres: Vec<_> = (0..solid.tets.len() as u32).map(centre).collect();
        let mut tree = Self { nodes: Vec::new(), tets: (0..solid.tets.len() as u32).collect() };
        // Stack of nodes to create: a range, and the parent whose second child it is.
        let mut open = vec![(0..solid.tets.len(), None)];
        while let Some((range, parent)) = open.pop() {
            let number = tree.nodes.len();
            if let Some(parent) = parent {
                let parent: &mut Node = &mut tree.nodes[parent];
                parent.second = Some(number);
            }
            let list = &mut tree.tets[range.clone()];
            let points = list.iter().flat_map(|&tet| solid.tet_points(tet as usize));
            let (low, high) = bounds(points);
            tree.nodes.push(Node { low, high, tets: range.clone(), second: None });
            if range.len() > MAX_LEAF_TETS {
                let (low, high) = bounds(list.iter().map(|&tet| centres[tet as usize]));
                let width = |d: usize| high[d] - low[d];
                let axis = (1..3).fold(0, |best, d| if width(d) > width(best) { d } else { best });
                let middle = list.len() / 2;
                let key = |tet: u32| (centres[tet as usize][axis], tet);
                list.select_nth_unstable_by(middle, |&a, &b| {
                    let (a, b) = (key(a), key(b));
                    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
                });
                let split = range.start + middle;
                open.push((split..range.end, Some(number)));
                open.push((range.start..split, None));
            }
        }
        tree
    }

    /// Nearest tet and its distance \[m\], zero inside; the lowest index among equal distances.
    pub fn nearest(&self, solid: &TetMesh, p: [f64; 3]) -> (usize, f64) {
        let mut best = (f64::INFINITY, u32::MAX);
        let mut open = vec![(0, self.box_distance(0, p))];
        while let Some((n, distance)) = open.pop() {
            if distance > best.0 {
                continue;
            }
            let node = &self.nodes[n];
            match node.second {
                None => {
                    for &tet in &self.tets[node.tets.clone()] {
                        let found = (tet_distance(solid.tet_points(tet as usize), p), tet);
                        if found.0 < best.0 || found.0 == best.0 && found.1 < best.1 {
                            best = found;
                        }
                    }
                }
                Some(second) => {
                    let mut pair = [n + 1, second].map(|m| (m, self.box_distance(m, p)));
                    if pair[0].1 < pair[1].1 {
                        pair.swap(0, 1);
                    }
                    open.extend(pair);
                }
            }
        }
        // No tet is found if the distances overflow; any tet is then acceptable.
        if best.1 == u32::MAX { (0, f64::INFINITY) } else { (best.1 as usize, best.0.sqrt()) }
    }

    /// Squared distance of a point from a box.
    fn box_distance(&self, node: usize, p: [f64; 3]) -> f64 {
        let Node { low, high, .. } = &self.nodes[node];
        let gap = |d: usize| (low[d] - p[d]).max(p[d] - high[d]).max(0.0);
        (0..3).map(|d| gap(d) * gap(d)).sum()
    }
}

fn bounds(points: impl Iterator<Item = [f64; 3]>) -> ([f64; 3], [f64; 3]) {
    let start = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    points.fold(start, |(low, high), p| {
        ([0, 1, 2].map(|d| low[d].min(p[d])), [0, 1, 2].map(|d| high[d].max(p[d])))
    })
}

/// Squared distance of a point from a tet, zero inside.
fn tet_distance(tet: [[f64; 3]; 4], p: [f64; 3]) -> f64 {
    let weights = barycentric(tet, p);
    // A point on a shared face is inside both tets up to rounding.
    if weights.iter().all(|&w| w >= -1e-12) {
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
    fn the_tree_finds_what_a_search_of_all_finds() {
        let solid = TetBlock::new(4, 3, 5).build().unwrap();
        let tree = Tree::new(&solid);
        // Points on a coarse spiral, inside and outside.
        for k in 0..500 {
            let t = f64::from(k) * 0.017;
            let p =
                [t.fract() * 1.8 - 0.4, (7.0 * t).fract() * 2.0 - 0.6, (13.0 * t).fract() * 2.0];
            let (tet, distance) = tree.nearest(&solid, p);
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
