//! SIMD packs and lane dispatch. No other module contains instruction-set-specific code.
//!
//! A [`SimdLoop`] is a loop over packs, generic over the pack type. [`dispatch`](Scalar::dispatch) runs
//! it with scalar arithmetic, with AVX2 if an x86-64 processor supports it, or on other targets with
//! the portable packs of the `wide` crate, always on the same memory layout and with the same bits.
//!
//! The loop must be inside [`SimdLoop::run`] (one dispatch per batch), and everything it calls must be
//! `#[inline(always)]`, or the AVX2 instructions cannot be inlined into it.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod codegen_unit;
mod index;
mod pack_pair;
// Tests compare the portable packs with the others on every target.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
mod scalar;
#[cfg(test)]
mod tests;

use crate::math::{Real, Scalar};

pub use crate::simd::codegen_unit::CodegenUnit;
pub use crate::simd::index::IndexList;
pub use crate::simd::pack_pair::{PackPair, lanes_of};

/// A point in memory: three coordinates and a fourth component (inverse mass, count, or zero).
pub type Point<S> = [S; 4];

/// Distance from one point to the next, in components. Index lists for gathering store the index of a
/// point times this: the processor adds it to an address directly, whereas an index would first be
/// shifted.
pub const POINT_STRIDE: u32 = 4;

/// Arithmetic with which kernels run. The results are the same, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lanes {
    /// The widest packs of this machine.
    #[default]
    Packed,
    /// One element at a time: the reference. On WebAssembly this has no effect: `f32` always runs as
    /// packs and `f64` one by one, because kernels of both kinds would make a page a third larger.
    Scalar,
}

/// A loop over packs that can run with any pack type.
pub trait SimdLoop<S: Scalar> {
    /// Type whose [codegen unit](CodegenUnit) contains the compiled loop.
    type Unit: ?Sized;
    /// Runs the loop. Mark the implementation `#[inline(always)]`.
    fn run<R: Pack<Scalar = S>>(&mut self);
}

/// A real that can be moved between registers and memory.
pub trait Pack: Real {
    /// Reads `LANES` values from the front of `src`.
    fn load(src: &[Self::Scalar]) -> Self;
    /// Writes `LANES` values to the front of `dst`.
    fn store(self, dst: &mut [Self::Scalar]);
    /// Returns the sum of the lanes of each of four packs, always added as the same tree: neighbours,
    /// then pairs, then halves.
    fn sum_lanes(v: [Self; 4]) -> Point<Self::Scalar>;

    /// Reads the points at `offset[l]`, one per lane, as four packs (x, y, z, fourth component).
    ///
    /// Offsets count components, not points (see [`POINT_STRIDE`]).
    ///
    /// # Safety
    /// The first `LANES` offsets must be those of points in the array at `points`, and no other thread
    /// may write these points at the same time.
    unsafe fn gather(points: *const Point<Self::Scalar>, offset: &[u32]) -> [Self; 4];

    /// Writes four packs back to the points at `offset[l]`.
    ///
    /// # Safety
    /// As for [`Pack::gather`], and no other thread may read these points at the same time.
    unsafe fn scatter(v: [Self; 4], points: *mut Point<Self::Scalar>, offset: &[u32]);
}
