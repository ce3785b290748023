//! Closed surfaces around smoothly blended capsules: figures.
//!
//! The surface is the zero level set of a smooth minimum of the distances to the capsules. Each cell of a
//! grid that the surface intersects gets a vertex, and each grid edge that it crosses a quad of the four
//! cells around ("surface nets"; Gibson, Constrained Elastic Surface Nets, 1998). Vertices are then moved
//! towards the centroid of their neighbours and back onto the surface, a few times.
//!
//! ```text
//! h = max(k − |a − b|, 0) / k        smooth minimum of a and b:  min(a, b) − h² k / 4
//! ```

use std::collections::BTreeSet;

use pliant::math::Vec3;
use pliant::mesh::TriMesh;

/// Number of smoothing passes, which move vertices towards the centroid of their neighbours.
const SMOOTHING_PASSES: usize = 8;
/// Marker of a cell without a vertex.
const NO_VERTEX: u32 = u32::MAX;

type V = Vec3<f64>;

/// A capsule: all points within a radius of a segment \[m\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capsule {
    pub from: [f64; 3],
    pub to: [f64; 3],
    pub radius: f64,
}

impl Capsule {
    /// Parameter of the closest point on the axis, 0 to 1, and signed distance from the surface \[m\].
    fn closest(&self, p: V) -> (f64, f64) {
        let (a, b) = (V::of(self.from), V::of(self.to));
        let (along, square) = (b - a, (b - a).dot(b - a));
        let t = if square > 0.0 { ((p - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
        (t, (p - a - along.scale(t)).norm() - self.radius)
    }
}

/// Smooth union of capsules.
#[derive(Clone, Debug)]
pub(crate) struct SmoothUnion {
    pub capsules: Vec<Capsule>,
    /// Blend distance \[m\]: capsules blend where their distances differ by less.
    pub blend: f64,
}

impl SmoothUnion {
    /// Signed distance from the surface \[m\], or slightly less; negative inside.
    pub(crate) fn distance(&self, p: [f64; 3]) -> f64 {
        let k = self.blend;
        self.capsules.iter().map(|limb| limb.closest(V::of(p)).1).fold(f64::INFINITY, |a, b| {
            let h = if a.is_finite() { (k - (a - b).abs()).max(0.0) / k } else { 0.0 };
            a.min(b) - 0.25 * h * h * k
        })
    }

    /// Mesh of the surface, from grid cells of a size \[m\].
    pub(crate) fn mesh(&self, cell: f64) -> TriMesh {
        let (mut positions, quads) = SurfaceNet::new(self, cell).quads();
        for _ in 0..SMOOTHING_PASSES {
            let mut sums = vec![(V::zero(), 0.0); positions.len()];
            for quad in &quads {
                for (k, &to) in quad.iter().enumerate() {
                    let sum = &mut sums[to as usize];
                    sum.0 += V::of(positions[quad[(k + 1) % 4] as usize]);
                    sum.1 += 1.0;
                }
            }
            for (p, (sum, count)) in positions.iter_mut().zip(sums) {
                // Only halfway, so that vertices with the same neighbours do not coincide.
                let middle = V::of(*p).scale(0.5) + sum.scale(0.5 / count);
                *p = self.on_surface(middle, cell);
            }
        }
        // Each quad is split along its shorter diagonal, unless another quad is already split along the
        // same one: two quads can share opposite corners.
        let at = |v: u32| V::of(positions[v as usize]);
        let mut cuts = BTreeSet::new();
        let mut triangles = Vec::with_capacity(2 * quads.len());
        for [a, b, c, d] in quads {
            let shorter = (at(a) - at(c)).norm() <= (at(b) - at(d)).norm();
            let [first, second] = [[a.min(c), a.max(c)], [b.min(d), b.max(d)]];
            let along = if shorter { !cuts.contains(&first) } else { cuts.contains(&second) };
            cuts.insert(if along { first } else { second });
            triangles.extend(if along { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
        TriMesh { positions, triangles, ..TriMesh::default() }
    }

    /// Projects a point near the surface onto it.
    fn on_surface(&self, mut p: V, cell: f64) -> [f64; 3] {
        let step = 1e-3 * cell;
        for _ in 0..3 {
            let at = |d: V| self.distance([p.x + d.x, p.y + d.y, p.z + d.z]);
            let axes = [V::new(step, 0.0, 0.0), V::new(0.0, step, 0.0), V::new(0.0, 0.0, step)];
            let g = axes.map(|d| (at(d) - at(d.scale(-1.0))) / (2.0 * step));
            let g = V::of(g);
            let square = g.dot(g);
            if square > 0.0 {
                p -= g.scale(at(V::zero()) / square);
            }
        }
        [p.x, p.y, p.z]
    }

    /// Positions of surface points after the capsules move to `pose`, which has the same number: linear
    /// blend skinning with weights that decrease with the distance to a capsule.
    pub(crate) fn skin_points(&self, points: &[[f64; 3]], pose: &[Capsule]) -> Vec<[f64; 3]> {
        let moved = |p: &[f64; 3]| {
            let p = V::of(*p);
            let (mut sum, mut weights) = (V::zero(), 0.0);
            let least = self.capsules.iter().map(|l| l.closest(p).1).fold(f64::INFINITY, f64::min);
            for (limb, to) in self.capsules.iter().zip(pose) {
                let (_, distance) = limb.closest(p);
                // The weight vanishes for a capsule that is farther than the nearest by twice the blend
                // distance.
                let fade = (1.0 - 0.5 * (distance - least) / self.blend).max(0.0);
                let weight = fade * fade * fade;
                sum += move_with_capsule(p, limb, to).scale(weight);
                weights += weight;
            }
            let q = sum.scale(1.0 / weights);
            [q.x, q.y, q.z]
        };
        points.iter().map(moved).collect()
    }
}

/// Moves a point with a capsule that is translated and rotated by the shortest arc.
fn move_with_capsule(p: V, from: &Capsule, to: &Capsule) -> V {
    let (a, b) = (V::of(from.from), V::of(to.from));
    let unit = |d: V| d.scale(1.0 / d.norm());
    let (u, v) = (unit(V::of(from.to) - a), unit(V::of(to.to) - b));
    let (axis, cosine) = (u.cross(v), u.dot(v));
    let q = p - a;
    // Rodrigues' rotation from u to v, without angles.
    let turned = q.scale(cosine) + axis.cross(q) + axis.scale(axis.dot(q) / (1.0 + cosine));
    b + turned
}

/// Grid node at a corner of a cell, by the bits of the corner's number.
fn corner(cell: [usize; 3], number: usize) -> [usize; 3] {
    [cell[0] + (number & 1), cell[1] + (number >> 1 & 1), cell[2] + (number >> 2)]
}

/// A grid with the signed distances at its nodes.
struct SurfaceNet<'a> {
    blob: &'a SmoothUnion,
    low: V,
    cell: f64,
    /// Number of nodes along each axis.
    count: [usize; 3],
    values: Vec<f64>,
}

impl<'a> SurfaceNet<'a> {
    fn new(blob: &'a SmoothUnion, cell: f64) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for limb in &blob.capsules {
            for p in [limb.from, limb.to] {
                for c in 0..3 {
                    let room = limb.radius + blob.blend + 2.0 * cell;
                    low[c] = low[c].min(p[c] - room);
                    high[c] = high[c].max(p[c] + room);
                }
            }
        }
        let count = [0, 1, 2].map(|c| ((high[c] - low[c]) / cell) as usize + 2);
        let mut net = Self { blob, low: V::of(low), cell, count, values: Vec::new() };
        let all = (0..count.iter().product()).map(|i| net.blob.distance(net.place(net.node(i))));
        net.values = all.collect();
        while net.fix_non_manifold() {}
        net
    }

    /// Marks an outside node as inside wherever the inside is connected only diagonally across a face or a
    /// cell, where four quads would share an edge or two sheets a vertex. Returns true if there was any
    /// such node.
    fn fix_non_manifold(&mut self) -> bool {
        // Corners of three faces, and the four diagonals, by the bits of a cell's corners.
        const FACES: [[usize; 4]; 3] = [[0, 1, 3, 2], [0, 2, 6, 4], [0, 1, 5, 4]];
        const DIAGONALS: [[usize; 2]; 4] = [[0, 7], [1, 6], [2, 5], [3, 4]];
        let mut found = false;
        for i in 0..self.values.len() {
            let cell = self.node(i);
            if (0..3).any(|c| cell[c] + 1 >= self.count[c]) {
                continue;
            }
            let corners: [usize; 8] = std::array::from_fn(|b| self.index(corner(cell, b)));
            let inside = corners.map(|c| self.values[c] < 0.0);
            let mut pinched = false;
            for [a, b, c, d] in FACES {
                let pattern = [a, b, c, d].map(|k| inside[k]);
                pinched |= pattern[0] == pattern[2]
                    && pattern[1] == pattern[3]
                    && pattern[0] != pattern[1];
            }
            let count = inside.iter().filter(|inside| **inside).count();
            let alone = |same: bool| DIAGONALS.iter().any(|d| d.iter().all(|&k| inside[k] == same));
            pinched |= (count == 2 && alone(true)) || (count == 6 && alone(false));
            if pinched {
                // The outside node nearest to the surface.
                let outside = corners.into_iter().filter(|&c| self.values[c] >= 0.0);
                let nearest = outside.min_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
                nearest.into_iter().for_each(|c| self.values[c] = -1e-6 * self.cell);
                found = true;
            }
        }
        found
    }

    fn node(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.count;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.count[0] * (j + self.count[1] * k)
    }

    fn place(&self, node: [usize; 3]) -> [f64; 3] {
        let p = self.low + V::of(node.map(|n| n as f64 * self.cell));
        [p.x, p.y, p.z]
    }

    /// Mean of the points where the surface crosses a cell's edges; none if it does not cross any.
    fn vertex(&self, cell: [usize; 3]) -> Option<[f64; 3]> {
        let (mut sum, mut crossings) = (V::zero(), 0.0);
        for a in 0..8_usize {
            for b in [1, 2, 4].map(|bit| a | bit).into_iter().filter(|&b| b != a) {
                let [u, v] = [a, b].map(|c| self.values[self.index(corner(cell, c))]);
                if (u < 0.0) != (v < 0.0) {
                    let [p, q] = [a, b].map(|c| V::of(self.place(corner(cell, c))));
                    sum += p + (q - p).scale(u / (u - v));
                    crossings += 1.0;
                }
            }
        }
        let mean = sum.scale(1.0 / crossings);
        (crossings > 0.0).then_some([mean.x, mean.y, mean.z])
    }

    /// Vertices \[m\] and quads of the surface.
    fn quads(&self) -> (Vec<[f64; 3]>, Vec<[u32; 4]>) {
        let (mut positions, mut quads) = (Vec::new(), Vec::new());
        let mut numbers = vec![NO_VERTEX; self.values.len()];
        for (i, number) in numbers.iter_mut().enumerate() {
            let cell = self.node(i);
            if (0..3).all(|c| cell[c] + 1 < self.count[c])
                && let Some(p) = self.vertex(cell)
            {
                *number = positions.len() as u32;
                positions.push(p);
            }
        }
        for i in 0..self.values.len() {
            let node = self.node(i);
            for axis in 0..3 {
                let mut next = node;
                next[axis] += 1;
                if next[axis] >= self.count[axis] {
                    continue;
                }
                let inside = [self.values[i] < 0.0, self.values[self.index(next)] < 0.0];
                if inside[0] == inside[1] {
                    continue;
                }
                // The four cells around the edge, ordered so that the quad faces along the axis.
                let (d, e) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut quad = [[1, 1], [0, 1], [0, 0], [1, 0]].map(|[a, b]| {
                    let mut cell = node;
                    (cell[d], cell[e]) = (cell[d] - a, cell[e] - b);
                    numbers[self.index(cell)]
                });
                if inside[1] {
                    quad.reverse();
                }
                quads.push(quad);
            }
        }
        (positions, quads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::{measure, topology};

    #[test]
    fn a_limb_is_a_closed_capsule_that_faces_outwards() {
        let limb = Capsule { from: [0.0; 3], to: [0.0, 0.4, 0.0], radius: 0.1 };
        let mesh = SmoothUnion { capsules: vec![limb], blend: 0.05 }.mesh(0.02);
        mesh.validate().unwrap();
        assert!(topology::boundary_edges(&mesh).is_empty());
        assert_eq!(topology::euler_characteristic(&mesh), 2);
        let exact = std::f64::consts::PI * (0.01 * 0.4 + 4.0 / 3.0 * 0.001);
        let volume = measure::enclosed_volume(&mesh);
        assert!((volume / exact - 1.0).abs() < 0.03, "{volume} for {exact}");
    }

    #[test]
    fn points_follow_a_turned_limb() {
        let rest = Capsule { from: [0.0; 3], to: [0.0, 0.4, 0.0], radius: 0.1 };
        let pose = Capsule { from: [1.0, 0.0, 0.0], to: [1.4, 0.0, 0.0], radius: 0.1 };
        let blob = SmoothUnion { capsules: vec![rest], blend: 0.05 };
        let moved = blob.skin_points(&[[0.1, 0.2, 0.0]], &[pose]);
        // From y to x: x is mapped to −y.
        let off = (0..3).map(|c| (moved[0][c] - [1.2, -0.1, 0.0][c]).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{moved:?}");
    }
}
