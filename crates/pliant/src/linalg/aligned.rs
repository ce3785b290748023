//! Numbers that start at a cache line, so that no pack straddles two lines.

use crate::math::Scalar;

const LINE: usize = 64;

/// A fixed-length array whose first number is at the start of a cache line.
#[derive(Debug)]
pub struct Aligned<S> {
    // Longer than needed by a cache line: the array starts somewhere in the first one.
    data: Vec<S>,
    start: usize,
    len: usize,
}

impl<S: Scalar> Aligned<S> {
    /// An array of zeros.
    pub fn zeros(len: usize) -> Self {
        let data = vec![S::zero(); len + LINE / size_of::<S>()];
        // The offset is only a matter of speed; a pointer that cannot be aligned gives a huge one.
        let start = data.as_ptr().align_offset(LINE).min(LINE / size_of::<S>());
        Self { data, start, len }
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[S] {
        &self.data[self.start..self.start + self.len]
    }

    /// The numbers, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [S] {
        &mut self.data[self.start..self.start + self.len]
    }

    /// Bytes held.
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
