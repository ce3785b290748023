//! Assignment of compiled kernels to codegen units of the crate.
//!
//! The compiler divides a crate into codegen units by modules, and a generic method goes to the module
//! of its `Self` type. Kernels are methods of their element's type only for this reason: as free
//! functions they would all be in one unit, compiled by one core while the other waits.

use crate::math::Outlined;
use crate::simd::{Pack, SimdLoop};

/// Calls that are compiled in the codegen unit of the implementing type, whichever it is.
pub trait CodegenUnit {
    /// Runs a loop.
    fn run<R: Pack, J: SimdLoop<R::Scalar>>(job: &mut J);
    /// Calls an outlined function.
    fn call<F: Outlined>(input: &F::Input) -> F::Output;
    /// Runs a loop with AVX2 instructions inlined into it.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn run_avx2<R: Pack, J: SimdLoop<R::Scalar>>(job: &mut J);
    /// Calls an outlined function with AVX2 instructions inlined into it.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn call_avx2<F: Outlined>(input: &F::Input) -> F::Output;
}

impl<T: ?Sized> CodegenUnit for T {
    #[inline(never)]
    fn run<R: Pack, J: SimdLoop<R::Scalar>>(job: &mut J) {
        job.run::<R>();
    }

    #[inline(never)]
    fn call<F: Outlined>(input: &F::Input) -> F::Output {
        F::run(input)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn run_avx2<R: Pack, J: SimdLoop<R::Scalar>>(job: &mut J) {
        job.run::<R>();
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn call_avx2<F: Outlined>(input: &F::Input) -> F::Output {
        F::run(input)
    }
}
