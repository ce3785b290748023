//! Which part of the crate a compiled kernel belongs to.
//!
//! The compiler divides a crate by modules, and a generic method goes to the module of its `Self` type. Kernels are
//! methods of their element's type for this reason alone: as functions they would all be one part, which one core
//! compiles while the other waits.

use super::{Job, Pack};
use crate::math::Apart;

/// Calls that are compiled beside the type that they are made on, whichever it is.
pub trait CodegenUnit {
    /// Runs a job.
    fn run<R: Pack, J: Job<R::Scalar>>(job: &mut J);
    /// Runs what stands apart from the jobs.
    fn call<F: Apart>(input: &F::Input) -> F::Output;
    /// Runs a job with AVX2 instructions inlined into its loop.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn run_avx2<R: Pack, J: Job<R::Scalar>>(job: &mut J);
    /// Runs what stands apart from the jobs, with AVX2 instructions inlined into it.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn call_avx2<F: Apart>(input: &F::Input) -> F::Output;
}

impl<T: ?Sized> CodegenUnit for T {
    #[inline(never)]
    fn run<R: Pack, J: Job<R::Scalar>>(job: &mut J) {
        job.run::<R>();
    }

    #[inline(never)]
    fn call<F: Apart>(input: &F::Input) -> F::Output {
        F::run(input)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn run_avx2<R: Pack, J: Job<R::Scalar>>(job: &mut J) {
        job.run::<R>();
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn call_avx2<F: Apart>(input: &F::Input) -> F::Output {
        F::run(input)
    }
}
