//! The only place that mentions lanes.
//!
//! A [`Job`] is a loop over packs, generic over the pack type. [`dispatch`](Scalar::dispatch) runs
//! it with scalar arithmetic, with AVX2 where an x86-64 processor has it, or elsewhere with the
//! portable packs of the `wide` crate, always on the same memory layout and always with the same bits.
//!
//! The loop must stand inside the job (one dispatch per batch), and everything it calls must be
//! `#[inline(always)]`, or the AVX2 instructions cannot be inlined into it.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod codegen_unit;
mod index;
// Tests compare the portable packs with the others on every target.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
mod scalar;
#[cfg(test)]
mod tests;
mod twin;

use crate::math::{Real, Scalar};

pub use codegen_unit::CodegenUnit;
pub use index::IndexList;
pub use twin::{Twin, lanes_of};

/// A point in memory: three coordinates and one spare number (the inverse mass, a count, zero).
pub type Point<S> = [S; 4];

/// Numbers from one point to the next. Lists for gathering hold the index of a point times this:
/// the processor adds it to an address as it is, where an index would first be shifted.
pub const OFFSET: u32 = 4;

/// Which arithmetic runs the kernels. The results are the same, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lanes {
    /// The widest packs of this machine.
    #[default]
    Packed,
    /// One element at a time: the reference. WebAssembly has no choice: `f32` runs as packs and
    /// `f64` one by one, because kernels of both kinds would make a page a third larger.
    Scalar,
}

/// A loop over packs that can run with any pack type.
pub trait Job<S: Scalar> {
    /// Whose [codegen unit](CodegenUnit) the compiled loop goes to.
    type Unit: ?Sized;
    /// The loop. Mark the implementation `#[inline(always)]`.
    fn run<R: Pack<Scalar = S>>(&mut self);
}

/// A real that can be moved between registers and memory.
pub trait Pack: Real {
    /// Reads `LANES` numbers from the front of `src`.
    fn load(src: &[Self::Scalar]) -> Self;
    /// Writes `LANES` numbers to the front of `dst`.
    fn store(self, dst: &mut [Self::Scalar]);
    /// The sum of the lanes of each of four packs, always added as the same tree: neighbours, then
    /// pairs, then halves.
    fn sum_lanes(v: [Self; 4]) -> Point<Self::Scalar>;

    /// Reads the points at `offset[l]`, one per lane, as four packs (x, y, z, spare).
    ///
    /// Offsets count numbers, not points (see [`OFFSET`]).
    ///
    /// # Safety
    /// The first `LANES` offsets must be those of points from `points` on, and no other thread
    /// may write these points meanwhile.
    unsafe fn gather(points: *const Point<Self::Scalar>, offset: &[u32]) -> [Self; 4];

    /// Writes four packs back to the points at `offset[l]`.
    ///
    /// # Safety
    /// As for [`Pack::gather`], and no other thread may read these points meanwhile.
    unsafe fn scatter(v: [Self; 4], points: *mut Point<Self::Scalar>, offset: &[u32]);
}
