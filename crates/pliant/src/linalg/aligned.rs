//! Arrays aligned to cache lines, so that no pack straddles two lines.

use crate::math::Scalar;

const CACHE_LINE: usize = 64;

/// A fixed-length array whose first element is at the start of a cache line.
#[derive(Debug)]
pub struct Aligned<S> {
    // Longer than needed by one cache line: the array starts somewhere in the first one.
    data: Vec<S>,
    start: usize,
    len: usize,
}

impl<S: Scalar> Aligned<S> {
    /// Creates an array of zeros.
    pub fn zeros(len: usize) -> Self {
        let data = vec![S::zero(); len + CACHE_LINE / size_of::<S>()];
        // The offset affects speed only; a pointer that cannot be aligned gives a huge offset, hence
        // the `min`.
        let start = data.as_ptr().align_offset(CACHE_LINE).min(CACHE_LINE / size_of::<S>());
        Self { data, start, len }
    }

    /// Returns the elements.
    pub fn as_slice(&self) -> &[S] {
        &self.data[self.start..self.start + self.len]
    }

    /// Returns the elements for modification.
    pub fn as_mut_slice(&mut self) -> &mut [S] {
        &mut self.data[self.start..self.start + self.len]
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.data.capacity() * size_of::<S>()
    }
}

impl<S: Scalar> Clone for Aligned<S> {
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.len);
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}
