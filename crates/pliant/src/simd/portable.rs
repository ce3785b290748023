//! Portable packs: SSE2, NEON or WebAssembly SIMD through the `wide` crate, plain arrays on other
//! targets.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use wide::{f32x8, f64x4};

use crate::math::{Outlined, Real};
use crate::simd::{CodegenUnit, Pack, Point};

/// Eight `f32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8(f32x8);

/// Four `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x4(f64x4);

macro_rules! portable {
    ($t:ident, $w:ident, $s:ident, $lanes:literal) => {
        impl Add for $t {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                Self(self.0 + b.0)
            }
        }
        impl Sub for $t {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                Self(self.0 - b.0)
            }
        }
        impl Mul for $t {
            type Output = Self;
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                Self(self.0 * b.0)
            }
        }
        impl Div for $t {
            type Output = Self;
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                Self(self.0 / b.0)
            }
        }
        impl Neg for $t {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // Flips the sign bit, also of zero, like scalar negation.
                Self(self.0 ^ $w::splat(-0.0))
            }
        }
        impl AddAssign for $t {
            #[inline(always)]
            fn add_assign(&mut self, b: Self) {
                *self = *self + b;
            }
        }
        impl SubAssign for $t {
            #[inline(always)]
            fn sub_assign(&mut self, b: Self) {
                *self = *self - b;
            }
        }
        impl MulAssign for $t {
            #[inline(always)]
            fn mul_assign(&mut self, b: Self) {
                *self = *self * b;
            }
        }
        impl Real for $t {
            type Scalar = $s;
            const LANES: usize = $lanes;
            // Real-time simulation runs in single precision.
            const INLINES_EVALUATIONS: bool = size_of::<$s>() == 4;
            #[inline(always)]
            fn splat(x: $s) -> Self {
                Self($w::splat(x))
            }
            #[inline(always)]
            fn lane(self, lane: usize) -> $s {
                self.0.to_array()[lane]
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.sqrt())
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Self(self.0.abs())
            }
            #[inline(always)]
            fn select_lt(a: Self, b: Self, x: Self, y: Self) -> Self {
                Self(a.0.simd_lt(b.0).select(x.0, y.0))
            }
            #[inline(always)]
            fn any_lt(a: Self, b: Self) -> bool {
                a.0.simd_lt(b.0).to_bitmask() != 0
            }
            #[inline(always)]
            fn call<F: Outlined>(input: &F::Input) -> F::Output {
                F::Unit::call::<F>(input)
            }
        }
        impl Pack for $t {
            #[inline(always)]
            fn load(src: &[$s]) -> Self {
                let mut a = [0.0; $lanes];
                a.copy_from_slice(&src[..$lanes]);
                Self($w::new(a))
            }
            #[inline(always)]
            fn store(self, dst: &mut [$s]) {
                dst[..$lanes].copy_from_slice(&self.0.to_array());
            }
            #[inline(always)]
            fn sum_lanes(v: [Self; 4]) -> Point<$s> {
                let mut out = [0.0; 4];
                for (sum, pack) in out.iter_mut().zip(v) {
                    let a = pack.0.to_array();
                    let mut quads = [0.0; $lanes / 4];
                    for (quad, a) in quads.iter_mut().zip(a.chunks_exact(4)) {
                        *quad = (a[0] + a[1]) + (a[2] + a[3]);
                    }
                    *sum = quads[0];
                    for &quad in &quads[1..] {
                        *sum += quad;
                    }
                }
                out
            }
            #[inline(always)]
            unsafe fn gather(points: *const Point<$s>, offset: &[u32]) -> [Self; 4] {
                let i = &offset[..$lanes];
                let mut out = [[0.0; $lanes]; 4];
                for lane in 0..$lanes {
                    let at = points.cast::<$s>().wrapping_add(i[lane] as usize).cast::<Point<$s>>();
                    // SAFETY: the caller guarantees the indices.
                    let p = unsafe { *at };
                    out[0][lane] = p[0];
                    out[1][lane] = p[1];
                    out[2][lane] = p[2];
                    out[3][lane] = p[3];
                }
                let [x, y, z, w] = out;
                [Self($w::new(x)), Self($w::new(y)), Self($w::new(z)), Self($w::new(w))]
            }
            #[inline(always)]
            unsafe fn scatter(v: [Self; 4], points: *mut Point<$s>, offset: &[u32]) {
                let i = &offset[..$lanes];
                let [x, y, z, w] =
                    [v[0].0.to_array(), v[1].0.to_array(), v[2].0.to_array(), v[3].0.to_array()];
                for lane in 0..$lanes {
                    // SAFETY: the caller guarantees the indices.
                    unsafe {
                        *points.cast::<$s>().add(i[lane] as usize).cast() =
                            [x[lane], y[lane], z[lane], w[lane]];
                    }
                }
            }
        }
    };
}

portable!(F32x8, f32x8, f32, 8);
portable!(F64x4, f64x4, f64, 4);
