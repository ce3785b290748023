//! Uniform grid for elements of similar size: pairs by sorting.
//!
//! Each box is assigned to the single cell that contains its smallest corner. Cells are as wide as the widest
//! box, so overlapping boxes are in the same or in neighbouring cells. There is no table of cells: boxes are
//! sorted by cell index, row by row. The three neighbours of a cell in a row are then one contiguous range of
//! the sorted list, which advances together with the cell:
//!
//! ```text
//!   row y+1   … [x−1 x x+1] …      one pointer to the start of the range
//!   row y     …      [x x+1] …      for each of the rows that follow a cell's own:
//!                                   four of them, and the rest of its own row
//! ```
//!
//! So the whole search is one radix sort and five sweeps, and its order depends on the input alone. The grid is
//! rebuilt for each search; a [`Grid`] only keeps the memory.
//!
//! One wide box makes all cells wide: [`choose_method`] selects a tree in that case.
//!
//! # Measured
//!
//! A sheet folded into four layers half a quad apart, 100,352 triangles, 0.86 million pairs, one thread of a
//! 2-core Zen 3, `cargo bench -p pliant-detect`: all pairs of the sheet with itself, and of its vertices with
//! its triangles, while one box in a thousand is wider than the others:
//!
//! | widest box / average | grid | tree, refitted | vertices: grid | tree |
//! |---|---|---|---|---|
//! | 1.1 | 19 ms | 28 ms | 21 ms | 23 ms |
//! | 1.5 | 27 ms | 28 ms | 30 ms | 23 ms |
//! | 1.9 | 35 ms | 28 ms | 40 ms | 23 ms |
//! | 2.7 | 55 ms | 28 ms | 66 ms | 24 ms |
//! | 5.0 | 144 ms | 29 ms | 182 ms | 24 ms |
//!
//! The grid has no cost beyond these times; a tree must be rebuilt occasionally (15 ms).

use crate::Aabb;
use wide::f32x8;

/// Maximum number of bits of a cell coordinate along each axis.
const MAX_BITS_PER_AXIS: u32 = 21;

/// Maximum number of cells along an axis: two less than there are coordinates, for the neighbours of the
/// outermost cells.
const MAX_CELLS_PER_AXIS: f64 = ((1 << MAX_BITS_PER_AXIS) - 3) as f64;

/// Number of boxes compared at once.
const BOXES_PER_ROW: usize = 8;

/// Broad-phase method that finds the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A [`Grid`].
    Grid,
    /// A [`crate::Bvh`].
    Tree,
}

/// Maximum ratio of the widest to the average box for which a grid is the better choice.
pub const MAX_WIDTH_RATIO: f64 = 1.5;

/// Chooses the faster method for pairs of these boxes: the grid if the widest box is at most
/// [`MAX_WIDTH_RATIO`] times as wide as the average, otherwise the tree.
///
/// A cell is as wide as the widest box, and each box is compared with those in the surrounding cells. For a
/// sheet their number grows with the square of that ratio. The break-even ratio was measured: see the
/// [module](self).
pub fn choose_method(boxes: &[Aabb]) -> Method {
    let widest = boxes.iter().fold(0.0_f64, |w, b| w.max(b.longest_side()));
    let sum: f64 = boxes.iter().map(Aabb::longest_side).sum();
    if widest * boxes.len() as f64 <= MAX_WIDTH_RATIO * sum { Method::Grid } else { Method::Tree }
}

/// Finder of overlapping boxes of similar size. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Grid {
    first: SortedBoxes,
    second: SortedBoxes,
    scratch: Vec<(u64, u32)>,
}

/// Boxes sorted by cell.
#[derive(Clone, Debug, Default)]
struct SortedBoxes {
    /// Cell index and element index.
    keys: Vec<(u64, u32)>,
    /// Boxes in the same order.
    boxes: Vec<Aabb>,
    /// The same boxes in single precision, rounded outwards, one array per coordinate: first the smallest, then
    /// the largest. Each array is padded by [`BOXES_PER_ROW`] entries.
    coarse_bounds: [Vec<f32>; 6],
}

impl Grid {
    /// Creates a grid that has not allocated memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends every pair of elements whose boxes overlap, the smaller index first, each pair once. Returns the
    /// number of compared pairs of boxes. The search stops once the list is longer than `max_pairs`.
    pub fn self_pairs(
        &mut self,
        boxes: &[Aabb],
        pairs: &mut Vec<[u32; 2]>,
        max_pairs: usize,
    ) -> u64 {
        let cells = CellLayout::covering(&[boxes]);
        self.first.sort(&cells, boxes, &mut self.scratch);
        let all = &self.first;
        let mut compared = 0;
        // Ranges in each row that follows a cell's own, and the end of the range in its own row.
        let rows =
            [[-1, 1, 0], [-1, -1, 1], [-1, 0, 1], [-1, 1, 1]].map(|to| cells.neighbor_offset(to));
        let (mut runs, mut end) = ([(0, 0); 4], 0);
        for i in 0..all.keys.len() {
            if pairs.len() > max_pairs {
                break;
            }
            let (key, element) = all.keys[i];
            let mut offer = |from: usize, to: usize| {
                compared += (to - from) as u64;
                all.for_each_overlap(&all.boxes[i], from, to, |other| {
                    pairs.push([element.min(other), element.max(other)]);
                });
            };
            end = all.lower_bound(end, key + 2);
            offer(i + 1, end);
            for (run, row) in runs.iter_mut().zip(rows) {
                *run = all.row_range(*run, key.wrapping_add(row));
                offer(run.0, run.1);
            }
        }
        compared
    }

    /// Appends every pair of a box of `a` and one of `b` that overlap. Returns the number of compared pairs of
    /// boxes. The search stops once the list is longer than `max_pairs`.
    pub fn pairs(
        &mut self,
        a: &[Aabb],
        b: &[Aabb],
        pairs: &mut Vec<[u32; 2]>,
        max_pairs: usize,
    ) -> u64 {
        let cells = CellLayout::covering(&[a, b]);
        self.first.sort(&cells, a, &mut self.scratch);
        self.second.sort(&cells, b, &mut self.scratch);
        let (a, b) = (&self.first, &self.second);
        let mut compared = 0;
        let mut runs = [(0, 0); 9];
        let rows =
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|r| cells.neighbor_offset([-1, r % 3 - 1, r / 3 - 1]));
        for (&(key, element), own) in a.keys.iter().zip(&a.boxes) {
            if pairs.len() > max_pairs {
                break;
            }
            for (run, row) in runs.iter_mut().zip(rows) {
                *run = b.row_range(*run, key.wrapping_add(row));
                compared += (run.1 - run.0) as u64;
                b.for_each_overlap(own, run.0, run.1, |other| pairs.push([element, other]));
            }
        }
        compared
    }
}

impl SortedBoxes {
    fn sort(&mut self, cells: &CellLayout, boxes: &[Aabb], scratch: &mut Vec<(u64, u32)>) {
        assert!(boxes.len() <= u32::MAX as usize, "a grid holds at most 2^32 elements");
        self.keys.clear();
        self.keys.extend((0..).zip(boxes).map(|(i, b)| (cells.key(b), i)));
        radix_sort(&mut self.keys, scratch, cells.bits[0] + cells.bits[1] + cells.bits[2]);
        self.boxes.clear();
        self.boxes.extend(self.keys.iter().map(|&(_, i)| boxes[i as usize]));
        for (k, rough) in self.coarse_bounds.iter_mut().enumerate() {
            rough.clear();
            if k < 3 {
                rough.extend(self.boxes.iter().map(|b| round_down_f32(b.min[k])));
            } else {
                rough.extend(self.boxes.iter().map(|b| -round_down_f32(-b.max[k - 3])));
            }
            rough.resize(self.boxes.len() + BOXES_PER_ROW, 0.0);
        }
    }

    /// Index range of three consecutive cells of a row that start at `key`, given an earlier range.
    #[inline(always)]
    fn row_range(&self, earlier: (usize, usize), key: u64) -> (usize, usize) {
        (self.lower_bound(earlier.0, key), self.lower_bound(earlier.1, key.wrapping_add(3)))
    }

    /// First index from `at` on whose cell is not before `key`.
    #[inline(always)]
    fn lower_bound(&self, mut at: usize, key: u64) -> usize {
        while at < self.keys.len() && self.keys[at].0 < key {
            at += 1;
        }
        at
    }

    /// Calls `visit` for the elements in an index range whose boxes overlap `own`.
    #[inline(always)]
    fn for_each_overlap(&self, own: &Aabb, from: usize, to: usize, mut visit: impl FnMut(u32)) {
        let smallest = own.min.map(|c| f32x8::splat(round_down_f32(c)));
        let largest = own.max.map(|c| f32x8::splat(-round_down_f32(-c)));
        for row in (from..to).step_by(BOXES_PER_ROW) {
            let at = |k: usize| {
                let mut eight = [0.0; BOXES_PER_ROW];
                eight.copy_from_slice(&self.coarse_bounds[k][row..row + BOXES_PER_ROW]);
                f32x8::new(eight)
            };
            let x = at(0).simd_le(largest[0]) & smallest[0].simd_le(at(3));
            let y = at(1).simd_le(largest[1]) & smallest[1].simd_le(at(4));
            let z = at(2).simd_le(largest[2]) & smallest[2].simd_le(at(5));
            let mut near = (x & y & z).to_bitmask();
            if to - row < BOXES_PER_ROW {
                near &= (1 << (to - row)) - 1;
            }
            while near != 0 {
                let j = row + near.trailing_zeros() as usize;
                near &= near - 1;
                if own.overlaps(&self.boxes[j]) {
                    visit(self.keys[j].1);
                }
            }
        }
    }
}

/// Rounds down to single precision, to a smaller number.
#[inline(always)]
fn round_down_f32(x: f64) -> f32 {
    let near = (x as f32).min(f32::MAX);
    near - (near.abs() * f32::EPSILON + f32::MIN_POSITIVE)
}

/// Position, size and indexing of the cells.
struct CellLayout {
    origin: [f64; 3],
    inv_width: f64,
    /// Number of bits of the cell coordinate along each axis.
    bits: [u32; 3],
}

impl CellLayout {
    fn covering(sets: &[&[Aabb]]) -> Self {
        let mut all = Aabb::EMPTY;
        let mut widest = 0.0_f64;
        for b in sets.iter().copied().flatten() {
            all = all.union(b);
            widest = widest.max(b.longest_side());
        }
        // Slightly wider: positions in units of cells are rounded, by at most 2⁻³¹.
        let mut width = (1.0 + 1e-6) * widest.max(all.longest_side() / MAX_CELLS_PER_AXIS);
        if widest == 0.0 {
            // Point sets get cells with about one point each, if the points fill space evenly.
            let count: usize = sets.iter().map(|s| s.len()).sum();
            let mut along = 1.0;
            while along * along * along < count as f64 {
                along += 1.0;
            }
            width = width.max(all.longest_side() / along);
        }
        let inv_width = if width > 0.0 && width.is_finite() { 1.0 / width } else { 0.0 };
        let mut cells = Self { origin: all.min, inv_width, bits: [MAX_BITS_PER_AXIS; 3] };
        // Shorter keys sort faster.
        for k in 0..3 {
            let past_the_last = cells.cell_coordinate(all.max, k) + 1;
            cells.bits[k] = u64::BITS - past_the_last.leading_zeros();
        }
        cells
    }

    /// Coordinate along an axis of the cell that contains a point, counted from one.
    #[inline(always)]
    fn cell_coordinate(&self, p: [f64; 3], k: usize) -> u64 {
        // The conversion maps NaN and infinity to a coordinate in range.
        ((p[k] - self.origin[k]) * self.inv_width).min(MAX_CELLS_PER_AXIS) as u64 + 1
    }

    /// Index of the cell that contains the smallest corner. Cells are numbered along `x`, then `y`, then `z`,
    /// with coordinates from one, so neighbours of the outermost cells have indices as well.
    fn key(&self, b: &Aabb) -> u64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.cell_coordinate(b.min, k));
        x | y << self.bits[0] | z << (self.bits[0] + self.bits[1])
    }

    /// Offset from a cell's index to that of a neighbour.
    fn neighbor_offset(&self, [x, y, z]: [i64; 3]) -> u64 {
        (x + (y << self.bits[0]) + (z << (self.bits[0] + self.bits[1]))) as u64
    }
}

/// Stable radix sort by keys of this many bits, byte by byte. Bytes that all keys share cost only one counting
/// pass.
fn radix_sort(keys: &mut Vec<(u64, u32)>, scratch: &mut Vec<(u64, u32)>, bits: u32) {
    scratch.clear();
    scratch.resize(keys.len(), (0, 0));
    for byte in 0..bits.div_ceil(8) {
        let digit = |key: u64| (key >> (8 * byte)) as usize & 0xff;
        let mut counts = [0_usize; 256];
        for &(key, _) in &*keys {
            counts[digit(key)] += 1;
        }
        if counts.contains(&keys.len()) {
            continue;
        }
        let mut place = 0;
        for count in &mut counts {
            (*count, place) = (place, place + *count);
        }
        for &entry in &*keys {
            let at = &mut counts[digit(entry.0)];
            scratch[*at] = entry;
            *at += 1;
        }
        std::mem::swap(keys, scratch);
    }
}
