//! How far cells have travelled since they were looked at, and who sleeps for that long.
//!
//! Everything is measured in a frame that moves with most of the vertices: what falls or rests as a whole
//! stands still there. Relative to each other two cells have moved no farther than both have travelled.
//!
//! Who sleeps is asked of tens of thousands of pairs in every look, so that is kept small, in single precision: how far
//! cells have travelled is rounded up, how far they may is rounded down.

use super::features::{Cell, Features, sub};

/// Vertices whose ways tell how most move, at most.
const SAMPLE: usize = 127;

/// How far everything has travelled, in a frame that moves with most of the vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Travels {
    /// Where the frame is at the start of the way and at its end \[m\].
    frame: [[f64; 3]; 2],
    /// How far the vertices of each cell have moved at most, up to the start of the way and up to its
    /// end \[m\].
    cells: Vec<[f64; 2]>,
    /// The latter, rounded up.
    ends: Vec<f32>,
    /// How far each vertex moves \[m\].
    moved: Vec<f64>,
    /// Where the vertices were at that start \[m\]; empty where nothing is known.
    start: Vec<[f64; 3]>,
    sample: [Vec<f64>; 3],
}

impl Travels {
    pub fn new(features: &Features) -> Self {
        Self {
            cells: Vec::with_capacity(features.cells.len()),
            ends: Vec::with_capacity(features.cells.len()),
            moved: Vec::with_capacity(features.vertices),
            start: Vec::with_capacity(features.vertices),
            sample: [(); 3].map(|()| Vec::with_capacity(SAMPLE + 1)),
            ..Self::default()
        }
    }

    /// Begins anew at the start of a way.
    pub fn restart(&mut self, features: &Features, start: &[[f64; 3]]) {
        self.frame = [[0.0; 3]; 2];
        self.start.clear();
        self.start.extend_from_slice(start);
        self.cells.clear();
        self.cells.resize(features.cells.len(), [0.0; 2]);
        self.ends.clear();
        self.ends.resize(features.cells.len(), 0.0);
    }

    /// Goes on from the last way to the start of this one, and to its end; `on` tells whether it starts where that
    /// ended.
    pub fn go(&mut self, features: &Features, [start, end]: [&[[f64; 3]]; 2], on: bool) {
        if on && self.start != start {
            self.frame[0] = self.frame[1];
            self.cells.iter_mut().for_each(|travelled| travelled[0] = travelled[1]);
            self.start.copy_from_slice(start);
        } else if self.start != start {
            let drift = drift(&mut self.sample, &self.start, start);
            (0..3).for_each(|c| self.frame[0][c] += drift[c]);
            move_all(&mut self.moved, &self.start, start, drift);
            for (cell, travelled) in features.cells.iter().zip(&mut self.cells) {
                travelled[0] += farthest(cell, &self.moved);
            }
            self.start.copy_from_slice(start);
        }
        let drift = drift(&mut self.sample, start, end);
        self.frame[1] = [0, 1, 2].map(|c| self.frame[0][c] + drift[c]);
        move_all(&mut self.moved, start, end, drift);
        let all = features.cells.iter().zip(&mut self.cells).zip(&mut self.ends);
        for ((cell, travelled), rounded) in all {
            travelled[1] = travelled[0] + farthest(cell, &self.moved);
            *rounded = rounded_up(travelled[1]);
        }
    }

    /// How far each cell has travelled up to the end of the way, rounded up \[m\].
    pub fn ends(&self) -> &[f32] {
        &self.ends
    }

    /// How far two cells have travelled in all, up to the start or the end of the way \[m\].
    #[inline(always)]
    pub fn both(&self, cells: [u32; 2], end: usize) -> f64 {
        self.cells[cells[0] as usize][end] + self.cells[cells[1] as usize][end]
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

/// How far vertices move beside the drift \[m\].
fn move_all(moved: &mut Vec<f64>, from: &[[f64; 3]], to: &[[f64; 3]], drift: [f64; 3]) {
    moved.clear();
    moved.extend(from.iter().zip(to).map(|(&from, &to)| {
        let d = sub(sub(to, from), drift);
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    }));
}

/// How far the vertices of a cell move at most \[m\].
#[inline(always)]
fn farthest(cell: &Cell, moved: &[f64]) -> f64 {
    let [a, b, c] = cell.vertices;
    moved[a as usize].max(moved[b as usize]).max(moved[c as usize])
}

/// A number in single precision that is not less.
#[inline(always)]
pub(super) fn rounded_up(x: f64) -> f32 {
    (x as f32).next_up()
}

/// A number in single precision that is less, by so much that the sum of two may be rounded.
#[inline(always)]
pub(super) fn rounded_down(x: f64) -> f32 {
    (x as f32).next_down().next_down()
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
