//! A grid for elements of about one size: pairs by sorting.
//!
//! Each box is in the one cell that holds its smallest corner. Cells are as wide as the widest box,
//! so boxes that overlap are in the same cell or in neighbouring ones. There is no table of cells:
//! boxes are sorted by the number of their cell, row after row. The three neighbours of a cell in
//! a row are then one run of the sorted list, and as the cell advances the run does too:
//!
//! ```text
//!   row y+1   … [x−1 x x+1] …      one pointer to the start of the run
//!   row y     …      [x x+1] …      for each of the rows that come after a cell's own:
//!                                   four of them, and the rest of its own row
//! ```
//!
//! So the whole search is one sort (by radix) and five sweeps, and its order depends on the input
//! alone. A grid is made anew each time; a [`Grid`] only keeps the memory.
//!
//! One wide box makes all cells wide: [`choose`] says when a tree is better.
//!
//! # Measured
//!
//! A sheet folded into four layers half a quad apart, 100,352 triangles, 0.86 million pairs, one
//! thread of a 2-core Zen 3, `cargo bench -p pliant-detect`: all pairs of the sheet with itself, and
//! of its vertices with its triangles, while one box in a thousand is wider than the rest:
//!
//! | widest box / average | grid | tree, refitted | vertices: grid | tree |
//! |---|---|---|---|---|
//! | 1.1 | 19 ms | 28 ms | 21 ms | 23 ms |
//! | 1.5 | 27 ms | 28 ms | 30 ms | 23 ms |
//! | 1.9 | 35 ms | 28 ms | 40 ms | 23 ms |
//! | 2.7 | 55 ms | 28 ms | 66 ms | 24 ms |
//! | 5.0 | 144 ms | 29 ms | 182 ms | 24 ms |
//!
//! The grid's time is all there is to it; a tree must be built now and then (15 ms).

use crate::Aabb;
use wide::f32x8;

/// Bits of a cell's number along each axis, at most.
const BITS: u32 = 21;

/// Cells along an axis at most; two less than there are numbers, for neighbours of the outermost.
const CELLS: f64 = ((1 << BITS) - 3) as f64;

/// Boxes that are compared at once.
const ROW: usize = 8;

/// What finds the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A [`Grid`].
    Grid,
    /// A [`crate::Bvh`].
    Tree,
}

/// How much wider than the average box the widest may be for a grid to be the better choice.
pub const EVEN: f64 = 1.5;

/// Which of the two finds pairs of these boxes faster: the grid if the widest box is at most
/// [`EVEN`] times as wide as the average, else the tree.
///
/// A cell is as wide as the widest box, and each box is compared with those in the cells around
/// it. For a sheet their number grows with the square of that ratio. Where the times cross was
/// measured: see the [module](self).
pub fn choose(boxes: &[Aabb]) -> Method {
    let widest = boxes.iter().fold(0.0_f64, |w, b| w.max(b.longest_side()));
    let sum: f64 = boxes.iter().map(Aabb::longest_side).sum();
    if widest * boxes.len() as f64 <= EVEN * sum { Method::Grid } else { Method::Tree }
}

/// Finds overlapping boxes of about one size. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Grid {
    first: Sorted,
    second: Sorted,
    scratch: Vec<(u64, u32)>,
}

/// Boxes sorted by their cells.
#[derive(Clone, Debug, Default)]
struct Sorted {
    /// Number of the cell, number of the element.
    keys: Vec<(u64, u32)>,
    /// The boxes in that order.
    boxes: Vec<Aabb>,
    /// The same in single precision, rounded outwards, by coordinates: the smallest, then the largest. There is a row
    /// more of each than there are boxes.
    rough: [Vec<f32>; 6],
}

impl Grid {
    /// A grid without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends every pair of elements whose boxes overlap, the smaller number first, each pair
    /// once. Returns how many pairs of boxes were compared. Once the list is longer than `most`,
    /// nothing more is looked for.
    pub fn self_pairs(&mut self, boxes: &[Aabb], pairs: &mut Vec<[u32; 2]>, most: usize) -> u64 {
        let cells = Cells::around(&[boxes]);
        self.first.sort(&cells, boxes, &mut self.scratch);
        let all = &self.first;
        let mut compared = 0;
        // The run of each row that comes after a cell's own, and the end of that of its own.
        let rows = [[-1, 1, 0], [-1, -1, 1], [-1, 0, 1], [-1, 1, 1]].map(|to| cells.step(to));
        let (mut runs, mut end) = ([(0, 0); 4], 0);
        for i in 0..all.keys.len() {
            if pairs.len() > most {
                break;
            }
            let (key, element) = all.keys[i];
            let mut offer = |from: usize, to: usize| {
                compared += (to - from) as u64;
                all.overlapping(&all.boxes[i], from, to, |other| {
                    pairs.push([element.min(other), element.max(other)]);
                });
            };
            end = all.first_from(end, key + 2);
            offer(i + 1, end);
            for (run, row) in runs.iter_mut().zip(rows) {
                *run = all.run(*run, key.wrapping_add(row));
                offer(run.0, run.1);
            }
        }
        compared
    }

    /// Appends every pair of a box of `a` and one of `b` that overlap. Returns how many pairs of
    /// boxes were compared. Once the list is longer than `most`, nothing more is looked for.
    pub fn pairs(&mut self, a: &[Aabb], b: &[Aabb], pairs: &mut Vec<[u32; 2]>, most: usize) -> u64 {
        let cells = Cells::around(&[a, b]);
        self.first.sort(&cells, a, &mut self.scratch);
        self.second.sort(&cells, b, &mut self.scratch);
        let (a, b) = (&self.first, &self.second);
        let mut compared = 0;
        let mut runs = [(0, 0); 9];
        let rows = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|r| cells.step([-1, r % 3 - 1, r / 3 - 1]));
        for (&(key, element), own) in a.keys.iter().zip(&a.boxes) {
            if pairs.len() > most {
                break;
            }
            for (run, row) in runs.iter_mut().zip(rows) {
                *run = b.run(*run, key.wrapping_add(row));
                compared += (run.1 - run.0) as u64;
                b.overlapping(own, run.0, run.1, |other| pairs.push([element, other]));
            }
        }
        compared
    }
}

impl Sorted {
    fn sort(&mut self, cells: &Cells, boxes: &[Aabb], scratch: &mut Vec<(u64, u32)>) {
        assert!(boxes.len() <= u32::MAX as usize, "a grid holds at most 2^32 elements");
        self.keys.clear();
        self.keys.extend((0..).zip(boxes).map(|(i, b)| (cells.key(b), i)));
        radix_sort(&mut self.keys, scratch, cells.bits[0] + cells.bits[1] + cells.bits[2]);
        self.boxes.clear();
        self.boxes.extend(self.keys.iter().map(|&(_, i)| boxes[i as usize]));
        for (k, rough) in self.rough.iter_mut().enumerate() {
            rough.clear();
            if k < 3 {
                rough.extend(self.boxes.iter().map(|b| rounded_down(b.min[k])));
            } else {
                rough.extend(self.boxes.iter().map(|b| -rounded_down(-b.max[k - 3])));
            }
            rough.resize(self.boxes.len() + ROW, 0.0);
        }
    }

    /// The places of three cells in a row, from a cell on, given those from an earlier one on.
    #[inline(always)]
    fn run(&self, earlier: (usize, usize), key: u64) -> (usize, usize) {
        (self.first_from(earlier.0, key), self.first_from(earlier.1, key.wrapping_add(3)))
    }

    /// The first place from `at` on whose cell comes not before another.
    #[inline(always)]
    fn first_from(&self, mut at: usize, key: u64) -> usize {
        while at < self.keys.len() && self.keys[at].0 < key {
            at += 1;
        }
        at
    }

    /// Tells of the elements at some places whose boxes overlap another.
    #[inline(always)]
    fn overlapping(&self, own: &Aabb, from: usize, to: usize, mut tell: impl FnMut(u32)) {
        let smallest = own.min.map(|c| f32x8::splat(rounded_down(c)));
        let largest = own.max.map(|c| f32x8::splat(-rounded_down(-c)));
        for row in (from..to).step_by(ROW) {
            let at = |k: usize| {
                let mut eight = [0.0; ROW];
                eight.copy_from_slice(&self.rough[k][row..row + ROW]);
                f32x8::new(eight)
            };
            let x = at(0).simd_le(largest[0]) & smallest[0].simd_le(at(3));
            let y = at(1).simd_le(largest[1]) & smallest[1].simd_le(at(4));
            let z = at(2).simd_le(largest[2]) & smallest[2].simd_le(at(5));
            let mut near = (x & y & z).to_bitmask();
            if to - row < ROW {
                near &= (1 << (to - row)) - 1;
            }
            while near != 0 {
                let j = row + near.trailing_zeros() as usize;
                near &= near - 1;
                if own.overlaps(&self.boxes[j]) {
                    tell(self.keys[j].1);
                }
            }
        }
    }
}

/// A number in single precision that is less.
#[inline(always)]
fn rounded_down(x: f64) -> f32 {
    let near = (x as f32).min(f32::MAX);
    near - (near.abs() * f32::EPSILON + f32::MIN_POSITIVE)
}

/// Where the cells are and how wide.
struct Cells {
    origin: [f64; 3],
    inv_width: f64,
    /// How many bits the numbers along each axis have.
    bits: [u32; 3],
}

impl Cells {
    fn around(sets: &[&[Aabb]]) -> Self {
        let mut all = Aabb::EMPTY;
        let mut widest = 0.0_f64;
        for b in sets.iter().copied().flatten() {
            all = all.union(b);
            widest = widest.max(b.longest_side());
        }
        // A little wider: positions in units of cells are rounded, by 2⁻³¹ at most.
        let mut width = (1.0 + 1e-6) * widest.max(all.longest_side() / CELLS);
        if widest == 0.0 {
            // Points: cells with about one of them each, if they fill space evenly.
            let count: usize = sets.iter().map(|s| s.len()).sum();
            let mut along = 1.0;
            while along * along * along < count as f64 {
                along += 1.0;
            }
            width = width.max(all.longest_side() / along);
        }
        let inv_width = if width > 0.0 && width.is_finite() { 1.0 / width } else { 0.0 };
        let mut cells = Self { origin: all.min, inv_width, bits: [BITS; 3] };
        // Short numbers are sorted faster.
        for k in 0..3 {
            let past_the_last = cells.along(all.max, k) + 1;
            cells.bits[k] = u64::BITS - past_the_last.leading_zeros();
        }
        cells
    }

    /// The number along an axis of the cell that holds a point, from one.
    #[inline(always)]
    fn along(&self, p: [f64; 3], k: usize) -> u64 {
        // The conversion takes what is not a number, or not finite, to a number in range.
        ((p[k] - self.origin[k]) * self.inv_width).min(CELLS) as u64 + 1
    }

    /// The number of the cell that holds the smallest corner. Rows are numbered along `x`, then
    /// `y`, then `z`, from one: neighbours of the outermost cells have numbers as well.
    fn key(&self, b: &Aabb) -> u64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.along(b.min, k));
        x | y << self.bits[0] | z << (self.bits[0] + self.bits[1])
    }

    /// What to add to a cell's number to get to a neighbour.
    fn step(&self, [x, y, z]: [i64; 3]) -> u64 {
        (x + (y << self.bits[0]) + (z << (self.bits[0] + self.bits[1]))) as u64
    }
}

/// Sorts by the key of so many bits, byte by byte; equal keys stay in their order. Bytes that all keys share cost
/// one count each.
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
