//! Bounding volume hierarchy, built once and refitted as the elements move.
//!
//! ```text
//! nodes   [root][L R][LL LR][RL RR] …    two children side by side, after their parent
//! leaves  up to four elements each, their boxes in the order of the tree
//! ```
//!
//! Elements are split at the median of their centres along the longest axis, down to [`MAX_LEAF_ELEMENTS`] of
//! them. Equal centres are ordered by element index, so the tree depends on the input alone. The levels of all
//! leaves differ by at most one: the depth is at most 29, and traversals use stacks of fixed size.
//!
//! Refitting updates the boxes from the last node to the first and keeps the topology of the tree. Queries stay
//! correct however far the elements have moved, but get slower as neighbours separate; rebuild the tree then.
//! Pairs are reported in traversal order, which is fixed for a given tree but differs between a refitted and a
//! rebuilt tree, so a caller that restores a simulation must sort the pairs it keeps.
//!
//! # Measured
//!
//! A sheet folded into four layers half a quad apart, one thread of a 2-core Zen 3, `cargo bench -p
//! pliant-detect`:
//!
//! | triangles | pairs | build | refit | pairs of the sheet with itself |
//! |---|---|---|---|---|
//! | 10,082 | 84,001 | 1.3 ms | 0.06 ms | 2.4 ms |
//! | 100,352 | 855,664 | 15 ms | 0.6 ms | 27 ms |
//!
//! The number of visited nodes grows with the power 1.10 of the number of triangles from 1e3 to 1e5 (0.98 from
//! 1e4 on).

use crate::Aabb;
use crate::pairs::PairBuffer;

/// Maximum number of elements in a leaf.
pub const MAX_LEAF_ELEMENTS: usize = 4;

/// Stack size that suffices for every traversal: each of 29 levels leaves at most two entries while a node is
/// paired with itself and three while it is paired with another.
const MAX_STACK_ENTRIES: usize = 160;

/// A node: a leaf with `count` elements starting at `first`, or, if `count` is zero, the parent of the nodes
/// `first` and `first + 1`.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    first: u32,
    count: u32,
}

/// A bounding volume hierarchy. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    nodes: Vec<Node>,
    /// Element indices in leaf order.
    elements: Vec<u32>,
    /// Element boxes in the same order.
    boxes: Vec<Aabb>,
    /// Scratch space for building: twice the centre of each element, and its index.
    centers: Vec<([f64; 3], u32)>,
}

impl Bvh {
    /// Builds a tree of these boxes, one per element.
    ///
    /// # Panics
    ///
    /// If there are 2³¹ boxes or more.
    pub fn build(boxes: &[Aabb]) -> Self {
        let mut tree = Self::default();
        tree.rebuild(boxes);
        tree
    }

    /// Rebuilds the tree and reuses its memory.
    ///
    /// # Panics
    ///
    /// If there are 2³¹ boxes or more.
    pub fn rebuild(&mut self, boxes: &[Aabb]) {
        assert!(boxes.len() < 1 << 31, "a tree holds at most 2^31 elements");
        self.nodes.clear();
        self.elements.clear();
        self.elements.extend(0..boxes.len() as u32);
        if !boxes.is_empty() {
            self.build_nodes(boxes);
        }
        self.boxes.clear();
        self.boxes.resize(boxes.len(), Aabb::EMPTY);
        self.refit(boxes);
    }

    fn build_nodes(&mut self, boxes: &[Aabb]) {
        let node = |first: usize, count: usize| Node {
            bounds: Aabb::EMPTY,
            first: first as u32,
            count: count as u32,
        };
        // A separate array of centres and element indices, which the selection permutes.
        let centers = &mut self.centers;
        centers.clear();
        centers.extend(boxes.iter().map(Aabb::double_center).zip(0..boxes.len() as u32));
        self.nodes.push(node(0, boxes.len()));
        // Parents precede their children, so the node list is also the work list of nodes to split.
        let mut next = 0;
        while next < self.nodes.len() {
            let Node { first, count, .. } = self.nodes[next];
            let (first, count) = (first as usize, count as usize);
            if count > MAX_LEAF_ELEMENTS {
                let range = &mut centers[first..first + count];
                let axis = longest_axis(range);
                let half = count / 2;
                range.select_nth_unstable_by(half, |a, b| {
                    a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1))
                });
                self.nodes[next].first = self.nodes.len() as u32;
                self.nodes[next].count = 0;
                self.nodes.push(node(first, half));
                self.nodes.push(node(first + half, count - half));
            } else {
                // The order that the selection leaves must not depend on its implementation.
                centers[first..first + count].sort_unstable_by_key(|c| c.1);
            }
            next += 1;
        }
        for (element, center) in self.elements.iter_mut().zip(&self.centers) {
            *element = center.1;
        }
    }

    /// Updates the boxes after the elements have moved, in linear time.
    ///
    /// # Panics
    ///
    /// If the number of boxes differs from that when the tree was built.
    pub fn refit(&mut self, boxes: &[Aabb]) {
        assert_eq!(boxes.len(), self.elements.len(), "one box for each element of the tree");
        for (own, &element) in self.boxes.iter_mut().zip(&self.elements) {
            *own = boxes[element as usize];
        }
        for i in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[i];
            let first = first as usize;
            self.nodes[i].bounds = if count == 0 {
                self.nodes[first].bounds.union(&self.nodes[first + 1].bounds)
            } else {
                let own = &self.boxes[first..first + count as usize];
                own.iter().fold(Aabb::EMPTY, |all, b| all.union(b))
            };
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Appends every pair of elements whose boxes overlap, the smaller index first, each pair once. Returns the
    /// number of visited nodes and pairs of nodes. The search stops once the list is longer than `max_pairs`.
    pub fn self_pairs(&self, pairs: &mut Vec<[u32; 2]>, max_pairs: usize) -> u64 {
        let mut pairs = PairBuffer::new(pairs);
        let mut visits = 0;
        let mut stack = Stack::new();
        if self.len() > 1 {
            stack.push([0, 0]);
        }
        while let Some([a, b]) = stack.pop() {
            if pairs.exceeds(max_pairs) {
                break;
            }
            visits += 1;
            let (x, y) = (&self.nodes[a as usize], &self.nodes[b as usize]);
            if a == b {
                if x.count == 0 {
                    // The pair is pushed first and so visited last.
                    if self.nodes_overlap([x.first, x.first + 1], self) {
                        stack.push([x.first, x.first + 1]);
                    }
                    stack.push([x.first + 1, x.first + 1]);
                    stack.push([x.first, x.first]);
                } else {
                    for i in x.first..x.first + x.count {
                        for j in i + 1..x.first + x.count {
                            self.push_if_overlapping(i, j, &mut pairs);
                        }
                    }
                }
            } else if x.count > 0 && y.count > 0 {
                for i in x.first..x.first + x.count {
                    if self.boxes[i as usize].overlaps(&y.bounds) {
                        for j in y.first..y.first + y.count {
                            self.push_if_overlapping(i, j, &mut pairs);
                        }
                    }
                }
            } else {
                self.push_children([a, b], self, &mut stack);
            }
        }
        visits
    }

    /// Pushes the overlapping pairs of children, of both nodes if both have children.
    #[inline(always)]
    fn push_children(&self, [a, b]: [u32; 2], other: &Self, stack: &mut Stack) {
        let children = |node: &Node, itself: u32| {
            if node.count == 0 { node.first..node.first + 2 } else { itself..itself + 1 }
        };
        // Pushed in reverse: the first pair is visited next.
        for i in children(&self.nodes[a as usize], a).rev() {
            for j in children(&other.nodes[b as usize], b).rev() {
                if self.nodes_overlap([i, j], other) {
                    stack.push([i, j]);
                }
            }
        }
    }

    fn nodes_overlap(&self, [a, b]: [u32; 2], other: &Self) -> bool {
        match (self.nodes.get(a as usize), other.nodes.get(b as usize)) {
            (Some(a), Some(b)) => a.bounds.overlaps(&b.bounds),
            _ => false,
        }
    }

    #[inline(always)]
    fn push_if_overlapping(&self, i: u32, j: u32, pairs: &mut PairBuffer) {
        let (i, j) = (i as usize, j as usize);
        let (a, b) = (self.elements[i], self.elements[j]);
        pairs.push_if([a.min(b), a.max(b)], self.boxes[i].overlaps(&self.boxes[j]));
    }

    /// Appends every pair of an element of this tree and one of the other whose boxes overlap. Returns the
    /// number of visited pairs of nodes. The search stops once the list is longer than `max_pairs`.
    pub fn pairs(&self, other: &Self, pairs: &mut Vec<[u32; 2]>, max_pairs: usize) -> u64 {
        let mut pairs = PairBuffer::new(pairs);
        let mut visits = 0;
        let mut stack = Stack::new();
        if self.nodes_overlap([0, 0], other) {
            stack.push([0, 0]);
        }
        while let Some([a, b]) = stack.pop() {
            if pairs.exceeds(max_pairs) {
                break;
            }
            visits += 1;
            let (x, y) = (&self.nodes[a as usize], &other.nodes[b as usize]);
            if x.count > 0 && y.count > 0 {
                for i in x.first as usize..(x.first + x.count) as usize {
                    if self.boxes[i].overlaps(&y.bounds) {
                        for j in y.first as usize..(y.first + y.count) as usize {
                            let pair = [self.elements[i], other.elements[j]];
                            pairs.push_if(pair, self.boxes[i].overlaps(&other.boxes[j]));
                        }
                    }
                }
            } else {
                self.push_children([a, b], other, &mut stack);
            }
        }
        visits
    }

    /// Appends every element whose box overlaps this one. Returns the number of visited nodes.
    pub fn overlapping(&self, bounds: &Aabb, found: &mut Vec<u32>) -> u64 {
        let mut visits = 0;
        let mut stack = Stack::new();
        if !self.is_empty() {
            stack.push([0, 0]);
        }
        while let Some([a, _]) = stack.pop() {
            visits += 1;
            let node = &self.nodes[a as usize];
            if !node.bounds.overlaps(bounds) {
                continue;
            }
            if node.count == 0 {
                stack.push([node.first + 1, 0]);
                stack.push([node.first, 0]);
            }
            for i in node.first as usize..(node.first + node.count) as usize {
                if self.boxes[i].overlaps(bounds) {
                    found.push(self.elements[i]);
                }
            }
        }
        visits
    }

    /// Nearest element to a point and its squared distance \[m²\], if it is within `limit` \[m\]; the lowest
    /// index among equal distances. `distance_squared` returns the squared distance of an element's exact
    /// shape, which must be inside its box.
    pub fn nearest(
        &self,
        point: [f64; 3],
        limit: f64,
        mut distance_squared: impl FnMut(u32) -> f64,
    ) -> Option<(u32, f64)> {
        // Distances, including those of boxes, are rounded; a little slack keeps ties.
        let reaches =
            |bounds: &Aabb, best: f64| bounds.distance_squared(point) * (1.0 - 1e-14) <= best;
        let mut best = (u32::MAX, limit * limit);
        let mut stack = Stack::new();
        if !self.is_empty() {
            stack.push([0, 0]);
        }
        while let Some([a, _]) = stack.pop() {
            let node = &self.nodes[a as usize];
            if !reaches(&node.bounds, best.1) {
                continue;
            }
            if node.count == 0 {
                // The nearer child is visited first, as it often prunes the other one.
                let [left, right] = [node.first, node.first + 1];
                let far = |n: u32| self.nodes[n as usize].bounds.distance_squared(point);
                let [near, far] =
                    if far(right) < far(left) { [right, left] } else { [left, right] };
                stack.push([far, 0]);
                stack.push([near, 0]);
            }
            for i in node.first as usize..(node.first + node.count) as usize {
                if reaches(&self.boxes[i], best.1) {
                    let (element, d) = (self.elements[i], distance_squared(self.elements[i]));
                    if d < best.1 || (d == best.1 && element < best.0) {
                        best = (element, d);
                    }
                }
            }
        }
        (best.0 != u32::MAX).then_some(best)
    }
}

/// Axis along which the centres have the largest extent.
fn longest_axis(centers: &[([f64; 3], u32)]) -> usize {
    let (mut min, mut max) = (centers[0].0, centers[0].0);
    for (c, _) in centers {
        for k in 0..3 {
            min[k] = min[k].min(c[k]);
            max[k] = max[k].max(c[k]);
        }
    }
    let side = |k: usize| max[k] - min[k];
    let mut axis = 0;
    for k in 1..3 {
        if side(k) > side(axis) {
            axis = k;
        }
    }
    axis
}

/// Stack of fixed size: traversals do not allocate.
struct Stack {
    entries: [[u32; 2]; MAX_STACK_ENTRIES],
    len: usize,
}

impl Stack {
    fn new() -> Self {
        Self { entries: [[0; 2]; MAX_STACK_ENTRIES], len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, entry: [u32; 2]) {
        self.entries[self.len] = entry;
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<[u32; 2]> {
        self.len = self.len.checked_sub(1)?;
        Some(self.entries[self.len])
    }
}
