//! How far cells have travelled since they were looked at, how far their edges have changed, and who sleeps for that
//! long.
//!
//! Everything is measured in a frame that moves with most of the vertices: what falls or rests as a whole
//! stands still there. Relative to each other two cells have moved no farther than both have travelled.
//!
//! Who sleeps is asked of tens of thousands of pairs in every look, so that is kept small, in single precision: how far
//! cells have travelled is rounded up, how far they may is rounded down.

use super::features::{Features, sub};
use super::moves::Moves;

/// Vertices whose ways tell how most move, at most.
const SAMPLE: usize = 127;

/// How far everything has travelled, in a frame that moves with most of the vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Travels {
    /// Where the frame is at the start of the way and at its end \[m\].
    frame: [[f64; 3]; 2],
    /// How far the vertices of each cell have moved at most.
    pub cells: Sums,
    /// How far its edges have changed at most: that does not depend on the frame.
    pub edges: Sums,
    moves: Moves,
    /// Where the vertices were at that start \[m\]; empty where nothing is known.
    start: Vec<[f64; 3]>,
    sample: [Vec<f64>; 3],
}

/// A length for each cell that grows from way to way.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// Up to the start of the way and up to its end \[m\].
    upto: [Vec<f64>; 2],
    /// The latter, rounded up.
    ends: Vec<f32>,
}

impl Sums {
    fn with_room(cells: usize) -> Self {
        let room = || Vec::with_capacity(cells);
        Self { upto: [room(), room()], ends: Vec::with_capacity(cells) }
    }

    fn restart(&mut self, cells: usize) {
        for upto in &mut self.upto {
            upto.clear();
            upto.resize(cells, 0.0);
        }
        self.ends.clear();
        self.ends.resize(cells, 0.0);
    }

    /// The way that was looked at last is over.
    fn advance(&mut self) {
        let [start, end] = &mut self.upto;
        start.copy_from_slice(end);
    }

    /// Something was moved beside all ways.
    fn skip(&mut self, moved: &[f32]) {
        self.upto[0].iter_mut().zip(moved).for_each(|(sum, &moved)| *sum += f64::from(moved));
    }

    /// A way goes on so far.
    fn go(&mut self, moved: &[f32]) {
        let [start, end] = &mut self.upto;
        for ((start, end), &moved) in start.iter().zip(end.iter_mut()).zip(moved) {
            *end = start + f64::from(moved);
        }
        for (rounded, end) in self.ends.iter_mut().zip(end) {
            *rounded = rounded_up(*end);
        }
    }

    /// Of each cell up to the end of the way, rounded up \[m\].
    pub fn ends(&self) -> &[f32] {
        &self.ends
    }

    /// Of two cells in all, up to the start or the end of the way \[m\].
    #[inline(always)]
    pub fn both(&self, [a, b]: [u32; 2], end: usize) -> f64 {
        self.upto[end][a as usize] + self.upto[end][b as usize]
    }
}

impl Travels {
    pub fn new(features: &Features) -> Self {
        let cells = features.cells.len();
        Self {
            cells: Sums::with_room(cells),
            edges: Sums::with_room(cells),
            moves: Moves::new(features),
            start: Vec::with_capacity(features.vertices),
            sample: [(); 3].map(|()| Vec::with_capacity(SAMPLE + 1)),
            ..Self::default()
        }
    }

    /// Begins at the start of a way: nothing is known of what was before.
    pub fn begin(&mut self, features: &Features, start: &[[f64; 3]]) {
        self.start.clear();
        self.start.extend_from_slice(start);
        self.edges.restart(features.cells.len());
        self.restart(features);
    }

    /// Begins anew with the frame and with what it measures.
    pub fn restart(&mut self, features: &Features) {
        self.frame = [[0.0; 3]; 2];
        self.cells.restart(features.cells.len());
    }

    /// Goes on from the last way to the start of this one, and to its end; `on` tells whether it starts where that
    /// ended.
    pub fn go(&mut self, [start, end]: [&[[f64; 3]]; 2], on: bool) {
        if self.start != start {
            if on {
                self.frame[0] = self.frame[1];
                self.cells.advance();
                self.edges.advance();
            } else {
                let drift = drift(&mut self.sample, &self.start, start);
                (0..3).for_each(|c| self.frame[0][c] += drift[c]);
                self.moves.go(&self.start, start, drift);
                self.cells.skip(self.moves.of_vertices());
                self.edges.skip(self.moves.of_edges());
            }
            self.start.copy_from_slice(start);
        }
        let drift = drift(&mut self.sample, start, end);
        self.frame[1] = [0, 1, 2].map(|c| self.frame[0][c] + drift[c]);
        self.moves.go(start, end, drift);
        self.cells.go(self.moves.of_vertices());
        self.edges.go(self.moves.of_edges());
    }

    /// A point at the start or the end of the way in the frame \[m\].
    #[inline(always)]
    pub fn place(&self, p: [f64; 3], end: usize) -> [f64; 3] {
        sub(p, self.frame[end])
    }
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

/// A number in single precision that is less, by so much that the sum of two may be rounded.
#[inline(always)]
pub(super) fn rounded_down(x: f64) -> f32 {
    let near = (x as f32).min(f32::MAX);
    near - near.abs() * (4.0 * f32::EPSILON)
}

/// Finds the pairs of cells that do not sleep: those that have travelled as far as they may, in all. Their numbers come
/// first in the list; how many they are.
pub(super) fn awake(
    list: &mut Vec<u32>,
    pairs: impl ExactSizeIterator<Item = ([u32; 2], f32)>,
    travelled: &[f32],
) -> usize {
    // Without branches, which would be mispredicted.
    list.resize(pairs.len(), 0);
    let mut count = 0;
    for (number, ([a, b], may)) in pairs.enumerate() {
        list[count] = number as u32;
        let sleeps = travelled[a as usize] + travelled[b as usize] < may;
        count += usize::from(!sleeps);
    }
    count
}
