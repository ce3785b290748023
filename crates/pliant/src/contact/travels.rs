//! How far cells have travelled since they were looked at, how far their edges have changed, and who sleeps for that
//! long.
//!
//! Everything is measured in a frame that moves with most of the vertices: what falls or rests as a whole
//! stands still there. Relative to each other two cells have moved no farther than both have travelled.
//!
//! Cells that hang together move together: relative to each other they have moved no farther than the edges of both,
//! and of the cell between them that has a vertex of each, have changed.
//!
//! Who sleeps is asked of tens of thousands of pairs in every look, so that is kept small, in single precision: how far
//! cells have travelled is rounded up, how far they may is rounded down.

use super::features::{Features, sub};
use super::moves::Moves;

/// Vertices whose ways tell how most move, at most.
const SAMPLE: usize = 127;

/// Edges that have changed by this many times the size of cells begin anew.
const LONG: f64 = 1e4;

/// Which lengths bound how two cells move relative to each other, when added up.
pub(super) type Terms = [u32; 3];

/// How far everything has travelled, in a frame that moves with most of the vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Travels {
    /// Where the frame is at the start of the way and at its end \[m\].
    frame: [[f64; 3]; 2],
    cells: usize,
    /// Up to the start of the way and up to its end \[m\]: how far the vertices of each cell have moved at most, then
    /// how far its edges have changed at most, which does not depend on the frame, and at last zero.
    upto: [Vec<f64>; 2],
    /// The latter, rounded up.
    ends: Vec<f32>,
    moves: Moves,
    /// Where the vertices were at that start \[m\]; empty where nothing is known.
    start: Vec<[f64; 3]>,
    sample: [Vec<f64>; 3],
}

impl Travels {
    pub fn new(features: &Features) -> Self {
        let cells = features.cells.len();
        let zeros = || vec![0.0; 2 * cells + 1];
        Self {
            cells,
            upto: [zeros(), zeros()],
            ends: vec![0.0; 2 * cells + 1],
            moves: Moves::new(features),
            start: Vec::with_capacity(features.vertices),
            sample: [(); 3].map(|()| Vec::with_capacity(SAMPLE + 1)),
            ..Self::default()
        }
    }

    /// Begins at the start of a way: nothing is known of what was before.
    pub fn begin(&mut self, start: &[[f64; 3]]) {
        self.start.clear();
        self.start.extend_from_slice(start);
        self.upto.iter_mut().for_each(|upto| upto.fill(0.0));
        self.restart();
    }

    /// Whether edges have changed by so much, where cells have a size \[m\], that what they change by in a step is lost in
    /// single precision.
    pub fn are_long(&self, size: f64) -> bool {
        self.upto[0][self.cells..].iter().any(|&sum| sum > LONG * size)
    }

    /// Begins anew with the frame and with what it measures.
    pub fn restart(&mut self) {
        self.frame = [[0.0; 3]; 2];
        self.upto.iter_mut().for_each(|upto| upto[..self.cells].fill(0.0));
    }

    /// Goes on from the last way to the start of this one, and to its end; `on` tells whether it starts where that
    /// ended.
    pub fn go(&mut self, [start, end]: [&[[f64; 3]]; 2], on: bool) {
        let [before, after] = &mut self.upto;
        if self.start != start {
            if on {
                self.frame[0] = self.frame[1];
                before.copy_from_slice(after);
            } else {
                let drift = drift(&mut self.sample, &self.start, start);
                (0..3).for_each(|c| self.frame[0][c] += drift[c]);
                self.moves.go(&self.start, start, drift);
                for (sums, moved) in
                    parts_mut(before, self.cells).into_iter().zip(self.moves.both())
                {
                    sums.iter_mut().zip(moved).for_each(|(sum, &moved)| *sum += f64::from(moved));
                }
            }
            self.start.copy_from_slice(start);
        }
        let drift = drift(&mut self.sample, start, end);
        self.frame[1] = [0, 1, 2].map(|c| self.frame[0][c] + drift[c]);
        self.moves.go(start, end, drift);
        let [of_vertices, of_edges] = self.moves.both();
        let moved = of_vertices.iter().chain(of_edges);
        let sums = before.iter().zip(after.iter_mut()).zip(&mut self.ends);
        for (((before, after), rounded), &moved) in sums.zip(moved) {
            *after = before + f64::from(moved);
            *rounded = rounded_up(*after);
        }
    }

    /// What bounds how two cells move that have nothing to do with each other.
    pub fn apart(&self, [a, b]: [u32; 2]) -> Terms {
        [a, b, 2 * self.cells as u32]
    }

    /// What bounds how two cells move that hang together by a third.
    pub fn linked(&self, [a, b]: [u32; 2], between: u32) -> Terms {
        [a, b, between].map(|cell| self.cells as u32 + cell)
    }

    /// What bounds how two cells move that share a vertex.
    pub fn joined(&self, [a, b]: [u32; 2]) -> Terms {
        let cells = self.cells as u32;
        [cells + a, cells + b, 2 * cells]
    }

    /// How far the edges of each cell have changed up to the end of the way, rounded up \[m\].
    pub fn edges(&self) -> &[f32] {
        &self.ends[self.cells..2 * self.cells]
    }

    /// All lengths up to the end of the way, rounded up \[m\].
    pub fn ends(&self) -> &[f32] {
        &self.ends
    }

    /// The sum of lengths up to the start or the end of the way \[m\].
    #[inline(always)]
    pub fn sum(&self, [a, b, c]: Terms, end: usize) -> f64 {
        let upto = &self.upto[end];
        upto[a as usize] + upto[b as usize] + upto[c as usize]
    }

    /// A point at the start or the end of the way in the frame \[m\].
    #[inline(always)]
    pub fn place(&self, p: [f64; 3], end: usize) -> [f64; 3] {
        sub(p, self.frame[end])
    }
}

/// The lengths of vertices, and those of edges.
fn parts_mut(sums: &mut [f64], cells: usize) -> [&mut [f64]; 2] {
    let (of_vertices, rest) = sums.split_at_mut(cells);
    [of_vertices, &mut rest[..cells]]
}

/// How most vertices move from one place to another \[m\]: the median by coordinates, of a sample.
fn drift(sample: &mut [Vec<f64>; 3], from: &[[f64; 3]], to: &[[f64; 3]]) -> [f64; 3] {
    let every = from.len().div_ceil(SAMPLE).max(1);
    let mut drift = [0.0; 3];
    for (c, sample) in sample.iter_mut().enumerate() {
        sample.clear();
        sample.extend(from.iter().zip(to).step_by(every).map(|(p, q)| q[c] - p[c]));
        let middle = sample.len() / 2;
        if let Some((_, median, _)) =
            (!sample.is_empty()).then(|| sample.select_nth_unstable_by(middle, f64::total_cmp))
        {
            drift[c] = if median.is_finite() { *median } else { 0.0 };
        }
    }
    drift
}

/// A number in single precision that is not less: for those that are not negative, and zero or far above the least.
#[inline(always)]
fn rounded_up(x: f64) -> f32 {
    x as f32 * (1.0 + 2.0 * f32::EPSILON)
}

/// A number in single precision that is less, by so much that the sum of three may be rounded.
#[inline(always)]
pub(super) fn rounded_down(x: f64) -> f32 {
    let near = (x as f32).min(f32::MAX);
    near - near.abs() * (4.0 * f32::EPSILON)
}

/// Finds the pairs of cells that do not sleep: those whose lengths add up to as much as they may. Their numbers come
/// first in the list; how many they are.
pub(super) fn awake<const N: usize>(
    list: &mut Vec<u32>,
    pairs: impl ExactSizeIterator<Item = ([u32; N], f32)>,
    travelled: &[f32],
) -> usize {
    // Without branches, which would be mispredicted.
    list.resize(pairs.len(), 0);
    let mut count = 0;
    for (number, (terms, may)) in pairs.enumerate() {
        list[count] = number as u32;
        let mut sum = 0.0;
        for term in terms {
            sum += travelled[term as usize];
        }
        let sleeps = sum < may;
        count += usize::from(!sleeps);
    }
    count
}
