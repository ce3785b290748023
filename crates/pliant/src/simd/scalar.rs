//! `f32` and `f64` as one-lane packs, and the selection of the pack type for each.

use crate::math::{Outlined, Real, Scalar};
use crate::simd::{CodegenUnit, Lanes, Pack, Point, SimdLoop};

macro_rules! scalar {
    ($t:ident, $lanes:literal, $pack:ident, $live:ident) => {
        impl Real for $t {
            type Scalar = $t;
            const LANES: usize = 1;
            const INLINES_EVALUATIONS: bool = false;
            #[inline(always)]
            fn splat(x: $t) -> Self {
                x
            }
            #[inline(always)]
            fn lane(self, _: usize) -> $t {
                self
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $t::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $t::abs(self)
            }
            #[inline(always)]
            fn select_lt(a: Self, b: Self, x: Self, y: Self) -> Self {
                if a < b { x } else { y }
            }
            #[inline(always)]
            fn any_lt(a: Self, b: Self) -> bool {
                a < b
            }
            #[inline(always)]
            fn call<F: Outlined>(input: &F::Input) -> F::Output {
                F::Unit::call::<F>(input)
            }
        }

        impl Pack for $t {
            #[inline(always)]
            fn load(src: &[$t]) -> Self {
                src[0]
            }
            #[inline(always)]
            fn store(self, dst: &mut [$t]) {
                dst[0] = self;
            }
            #[inline(always)]
            fn sum_lanes(v: [Self; 4]) -> Point<$t> {
                v
            }
            #[inline(always)]
            unsafe fn gather(points: *const Point<$t>, offset: &[u32]) -> [Self; 4] {
                // SAFETY: the caller guarantees the index.
                unsafe { *points.cast::<$t>().add(offset[0] as usize).cast() }
            }
            #[inline(always)]
            unsafe fn scatter(v: [Self; 4], points: *mut Point<$t>, offset: &[u32]) {
                // SAFETY: the caller guarantees the index.
                unsafe { *points.cast::<$t>().add(offset[0] as usize).cast() = v }
            }
        }

        impl Scalar for $t {
            const NAME: &'static str = stringify!($t);
            const PACK: usize = $lanes;
            const TINY: f64 = $t::MIN_POSITIVE as f64;
            const EPSILON: f64 = $t::EPSILON as f64;
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[inline(always)]
            fn canonical_bits(self) -> u64 {
                // Adding +0 turns −0 into +0 and changes nothing else.
                (self + 0.0).to_bits() as u64
            }
            fn dispatch<J: SimdLoop<Self>>(lanes: Lanes, job: &mut J) {
                // One call per pack type: a loop is inlined into every call, and a second call would
                // add a third to the compile time. So would a pack type for processors from before
                // 2013, which run one element at a time.
                #[cfg(target_arch = "x86_64")]
                if lanes == Lanes::Packed && std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has AVX2, as checked above.
                    unsafe { J::Unit::run_avx2::<crate::simd::avx2::$pack, J>(job) }
                } else {
                    J::Unit::run::<$t, J>(job);
                }
                // A web page also loads code that it does not run, so there is one kernel of each
                // precision: packs for `f32`, used live, and one element at a time for `f64`, the
                // reference.
                #[cfg(target_arch = "wasm32")]
                {
                    let _ = lanes;
                    J::Unit::run::<$live, J>(job);
                }
                #[cfg(not(any(target_arch = "x86_64", target_arch = "wasm32")))]
                if lanes == Lanes::Packed {
                    J::Unit::run::<crate::simd::portable::$pack, J>(job);
                } else {
                    J::Unit::run::<$t, J>(job);
                }
            }
            fn dispatch_packed<J: SimdLoop<Self>>(job: &mut J) {
                #[cfg(target_arch = "wasm32")]
                J::Unit::run::<crate::simd::portable::$pack, J>(job);
                #[cfg(not(target_arch = "wasm32"))]
                Self::dispatch(Lanes::Packed, job);
            }
        }
    };
}

#[cfg(target_arch = "wasm32")]
use crate::simd::portable::F32x8;

scalar!(f32, 8, F32x8, F32x8);
scalar!(f64, 4, F64x4, f64);
