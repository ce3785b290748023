//! Bounds of accumulated motion: displacements of primitives, changes of their edges, and the pairs that they wake.
//!
//! Displacements are measured in a frame that moves with most of the vertices: a scene that falls or rests as a whole
//! stands still in it. Two primitives have moved relative to each other by no more than the sum of both displacements.
//!
//! Connected primitives move together: relative to each other they have moved by no more than the sum of the edge
//! changes of both, and of the primitive between them that has a vertex of each.
//!
//! The sleep test runs over tens of thousands of pairs in every query, so its data are small, in single precision:
//! accumulated motion is rounded up, thresholds are rounded down.

use crate::contact::broad_phase::displacement_bounds::DisplacementBounds;
use crate::contact::broad_phase::primitives::Features;
use crate::math::point::sub;

/// Maximum number of vertices that are sampled for the drift.
const MAX_DRIFT_SAMPLES: usize = 127;

/// Edge change, as a multiple of the mean edge length, at which the sums are reset.
const MAX_EDGE_CHANGE_FACTOR: f64 = 1e4;

/// Indices of the sums that, added up, bound the relative motion of two primitives.
pub(in crate::contact) type BoundTerms = [u32; 3];

/// Accumulated motion of all primitives, in a frame that moves with most of the vertices.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct MotionBounds {
    /// Offset of the frame at the start and at the end of the path \[m\].
    frame: [[f64; 3]; 2],
    primitive_count: usize,
    /// Sums up to the start and up to the end of the path \[m\]: vertex displacement of each primitive, then edge
    /// change of each primitive, which does not depend on the frame, then a zero.
    sums: [Vec<f64>; 2],
    /// Sums up to the end of the path, rounded up.
    rounded_end_sums: Vec<f32>,
    displacement_bounds: DisplacementBounds,
    /// Vertex positions at the start of the path \[m\]; empty before the first path.
    start: Vec<[f64; 3]>,
    sample: [Vec<f64>; 3],
}

impl MotionBounds {
    pub fn new(features: &Features) -> Self {
        let cells = features.primitives.len();
        let zeros = || vec![0.0; 2 * cells + 1];
        Self {
            primitive_count: cells,
            sums: [zeros(), zeros()],
            rounded_end_sums: vec![0.0; 2 * cells + 1],
            displacement_bounds: DisplacementBounds::new(features),
            start: Vec::with_capacity(features.vertex_count),
            sample: [(); 3].map(|()| Vec::with_capacity(MAX_DRIFT_SAMPLES + 1)),
            ..Self::default()
        }
    }

    /// Resets all sums, with `start` as the positions from which motion accumulates.
    pub fn reset(&mut self, start: &[[f64; 3]]) {
        self.start.clear();
        self.start.extend_from_slice(start);
        self.sums.iter_mut().for_each(|upto| upto.fill(0.0));
        self.reset_frame();
    }

    /// Returns true if accumulated edge changes are so large, relative to `size` \[m\], that the change of one step is
    /// lost in single precision.
    pub fn exceed_precision(&self, size: f64) -> bool {
        self.sums[0][self.primitive_count..].iter().any(|&sum| sum > MAX_EDGE_CHANGE_FACTOR * size)
    }

    /// Resets the frame and the displacements measured in it.
    pub fn reset_frame(&mut self) {
        self.frame = [[0.0; 3]; 2];
        self.sums.iter_mut().for_each(|upto| upto[..self.primitive_count].fill(0.0));
    }

    /// Advances from the last path to the start and the end of this one. `continues` is true if it starts where the
    /// last one ended.
    pub fn advance(&mut self, [start, end]: [&[[f64; 3]]; 2], continues: bool) {
        let [before, after] = &mut self.sums;
        if self.start != start {
            if continues {
                self.frame[0] = self.frame[1];
                before.copy_from_slice(after);
            } else {
                let drift = drift(&mut self.sample, &self.start, start);
                (0..3).for_each(|c| self.frame[0][c] += drift[c]);
                self.displacement_bounds.update(&self.start, start, drift);
                for (sums, moved) in split_sums(before, self.primitive_count)
                    .into_iter()
                    .zip(self.displacement_bounds.bounds())
                {
                    sums.iter_mut().zip(moved).for_each(|(sum, &moved)| *sum += f64::from(moved));
                }
            }
            self.start.copy_from_slice(start);
        }
        let drift = drift(&mut self.sample, start, end);
        self.frame[1] = [0, 1, 2].map(|c| self.frame[0][c] + drift[c]);
        self.displacement_bounds.update(start, end, drift);
        let [of_vertices, of_edges] = self.displacement_bounds.bounds();
        let moved = of_vertices.iter().chain(of_edges);
        let sums = before.iter().zip(after.iter_mut()).zip(&mut self.rounded_end_sums);
        for (((before, after), rounded), &moved) in sums.zip(moved) {
            *after = before + f64::from(moved);
            *rounded = round_up_f32(*after);
        }
    }

    /// Returns the terms that bound the relative motion of two unconnected primitives.
    pub fn unrelated_terms(&self, [a, b]: [u32; 2]) -> BoundTerms {
        [a, b, 2 * self.primitive_count as u32]
    }

    /// Returns the terms that bound the relative motion of two primitives connected by a third.
    pub fn linked_terms(&self, [a, b]: [u32; 2], between: u32) -> BoundTerms {
        [a, b, between].map(|cell| self.primitive_count as u32 + cell)
    }

    /// Returns the terms that bound the relative motion of two primitives that share a vertex.
    pub fn shared_vertex_terms(&self, [a, b]: [u32; 2]) -> BoundTerms {
        let cells = self.primitive_count as u32;
        [cells + a, cells + b, 2 * cells]
    }

    /// Returns the edge change of each primitive up to the end of the path, rounded up \[m\].
    pub fn edge_sums(&self) -> &[f32] {
        &self.rounded_end_sums[self.primitive_count..2 * self.primitive_count]
    }

    /// Returns all sums up to the end of the path, rounded up \[m\].
    pub fn rounded_end_sums(&self) -> &[f32] {
        &self.rounded_end_sums
    }

    /// Returns the sum of the terms up to the start or the end of the path \[m\].
    #[inline(always)]
    pub fn bound(&self, [a, b, c]: BoundTerms, end: usize) -> f64 {
        let upto = &self.sums[end];
        upto[a as usize] + upto[b as usize] + upto[c as usize]
    }

    /// Returns a point at the start or the end of the path in frame coordinates \[m\].
    #[inline(always)]
    pub fn to_frame(&self, p: [f64; 3], end: usize) -> [f64; 3] {
        sub(p, self.frame[end])
    }
}

/// Splits sums into those of vertex displacements and those of edge changes.
fn split_sums(sums: &mut [f64], cells: usize) -> [&mut [f64]; 2] {
    let (of_vertices, rest) = sums.split_at_mut(cells);
    [of_vertices, &mut rest[..cells]]
}

/// Returns the displacement of most vertices between two states \[m\]: the median of a sample, for each coordinate.
fn drift(sample: &mut [Vec<f64>; 3], from: &[[f64; 3]], to: &[[f64; 3]]) -> [f64; 3] {
    let every = from.len().div_ceil(MAX_DRIFT_SAMPLES).max(1);
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

/// Rounds up to single precision. Valid for numbers that are zero, or positive and far above the smallest.
#[inline(always)]
fn round_up_f32(x: f64) -> f32 {
    x as f32 * (1.0 + 2.0 * f32::EPSILON)
}

/// Rounds down to single precision, with a margin for the rounding of a sum of three.
#[inline(always)]
pub(in crate::contact) fn round_down_f32(x: f64) -> f32 {
    let near = (x as f32).min(f32::MAX);
    near - near.abs() * (4.0 * f32::EPSILON)
}

/// Collects the awake pairs: those whose terms add up to their threshold or more. Their indices come first in `list`.
/// Returns their number.
pub(in crate::contact) fn compact_awake<const N: usize>(
    list: &mut Vec<u32>,
    pairs: impl ExactSizeIterator<Item = ([u32; N], f32)>,
    travelled: &[f32],
) -> usize {
    // Branchless: branches would be mispredicted.
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
