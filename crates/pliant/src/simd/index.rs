//! A list of point indices with a known maximum, so that gathering through it needs one comparison per
//! pack instead of one per lane.

use crate::simd::{POINT_STRIDE, Pack, Point};

/// Indices into an array of points, immutable once created.
#[derive(Clone, Debug, Default)]
pub struct IndexList {
    /// Indices times [`POINT_STRIDE`].
    offset: Vec<u32>,
    /// One more than the largest index. Private and never changed, because memory safety depends on it.
    bound: usize,
}

impl IndexList {
    /// Creates a list from indices, each below 2³⁰.
    pub fn new(index: &[u32]) -> Self {
        let bound = index.iter().max().map_or(0, |&largest| largest as usize + 1);
        let offset = index.iter().map(|i| i * POINT_STRIDE).collect();
        Self { offset, bound }
    }

    /// Returns the indices, each times [`POINT_STRIDE`].
    pub fn offsets(&self) -> &[u32] {
        &self.offset
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.offset.capacity() * size_of::<u32>()
    }

    /// Reads the points at the indices from `at` on, one per lane.
    ///
    /// # Panics
    /// If the list is too short, or an index could be outside `points`.
    #[inline(always)]
    pub fn gather<R: Pack>(&self, at: usize, points: &[Point<R::Scalar>]) -> [R; 4] {
        let offset = &self.offset[at..at + R::LANES];
        assert!(self.bound <= points.len());
        // SAFETY: every index is below `bound`, and the points are borrowed.
        unsafe { R::gather(points.as_ptr(), offset) }
    }

    /// Subtracts packs of x, y and z from the points at the indices from `at` on. For a point that
    /// occurs twice in one pack, the last lane's result remains.
    ///
    /// # Panics
    /// As for [`IndexList::gather`].
    #[inline(always)]
    pub fn subtract<R: Pack>(&self, at: usize, points: &mut [Point<R::Scalar>], v: [R; 3]) {
        let offset = &self.offset[at..at + R::LANES];
        assert!(self.bound <= points.len());
        // SAFETY: every index is below `bound`, and the points are borrowed exclusively.
        unsafe {
            let [x, y, z, w] = R::gather(points.as_ptr(), offset);
            R::scatter([x - v[0], y - v[1], z - v[2], w], points.as_mut_ptr(), offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Scalar;
    use crate::simd::{Lanes, SimdLoop};

    struct Sums<'a>(&'a [f32], Point<f32>);

    impl SimdLoop<f32> for Sums<'_> {
        type Unit = Self;

        #[inline(always)]
        fn run<R: Pack<Scalar = f32>>(&mut self) {
            let mut v = [R::zero(); 4];
            for k in 0..4 {
                v[k] = R::load(&self.0[8 * k..]);
            }
            self.1 = R::sum_lanes(v);
        }
    }

    #[test]
    fn lanes_are_summed_as_the_same_tree_by_every_pack() {
        let data: Vec<f32> = (0..32).map(|i| 1.0 / (1.0 + i as f32)).collect();
        let mut job = Sums(&data, [0.0; 4]);
        f32::dispatch(Lanes::Packed, &mut job);
        for (sum, a) in job.1.iter().zip(data.chunks_exact(8)) {
            let tree = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
            assert_eq!(sum.to_bits(), tree.to_bits());
        }
    }

    #[test]
    #[should_panic]
    fn an_index_outside_the_points_is_refused() {
        let list = IndexList::new(&[0, 3]);
        let _: [f64; 4] = list.gather(0, &[[0.0; 4]; 3]);
    }
}
