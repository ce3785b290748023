//! Packs in AVX2 registers, selected at run time.
//!
//! Points are gathered by 128-bit loads and a transpose in registers, which was measured 1.8 times
//! faster than the gather instructions. Wider AVX-512 packs were no faster.

use std::arch::x86_64::*;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::math::{Outlined, Real};
use crate::simd::{CodegenUnit, Pack, Point};

/// Eight `f32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8(__m256);

/// Four `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x4(__m256d);

macro_rules! arithmetic {
    ($t:ident, $s:ident, $lanes:literal, $set1:ident, $add:ident, $sub:ident, $mul:ident, $div:ident,
     $xor:ident, $andnot:ident, $sqrt:ident, $cmp:ident, $blend:ident, $movemask:ident,
     $min:ident, $max:ident
     ) => {
        impl Add for $t {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                // SAFETY: packs of this type exist only where `run_avx2` established AVX2.
                unsafe { Self($add(self.0, b.0)) }
            }
        }
        impl Sub for $t {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($sub(self.0, b.0)) }
            }
        }
        impl Mul for $t {
            type Output = Self;
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($mul(self.0, b.0)) }
            }
        }
        impl Div for $t {
            type Output = Self;
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($div(self.0, b.0)) }
            }
        }
        impl Neg for $t {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($xor(self.0, $set1(-0.0))) }
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
                // SAFETY: as for `add`.
                unsafe { Self($set1(x)) }
            }
            #[inline(always)]
            fn lane(self, lane: usize) -> $s {
                let mut out = [0.0; $lanes];
                self.store(&mut out);
                out[lane]
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($sqrt(self.0)) }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($andnot($set1(-0.0), self.0)) }
            }
            #[inline(always)]
            fn select_lt(a: Self, b: Self, x: Self, y: Self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($blend(y.0, x.0, $cmp::<_CMP_LT_OQ>(a.0, b.0))) }
            }
            #[inline(always)]
            fn any_lt(a: Self, b: Self) -> bool {
                // SAFETY: as for `add`.
                unsafe { $movemask($cmp::<_CMP_LT_OQ>(a.0, b.0)) != 0 }
            }
            #[inline(always)]
            fn call<F: Outlined>(input: &F::Input) -> F::Output {
                // SAFETY: as for `add`.
                unsafe { F::Unit::call_avx2::<F>(input) }
            }
            // The instructions return the second operand if either is NaN or both are zero, exactly
            // like the selections that they replace.
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($min(self.0, other.0)) }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: as for `add`.
                unsafe { Self($max(self.0, other.0)) }
            }
        }
    };
}

arithmetic!(
    F32x8,
    f32,
    8,
    _mm256_set1_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_xor_ps,
    _mm256_andnot_ps,
    _mm256_sqrt_ps,
    _mm256_cmp_ps,
    _mm256_blendv_ps,
    _mm256_movemask_ps,
    _mm256_min_ps,
    _mm256_max_ps
);
arithmetic!(
    F64x4,
    f64,
    4,
    _mm256_set1_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_div_pd,
    _mm256_xor_pd,
    _mm256_andnot_pd,
    _mm256_sqrt_pd,
    _mm256_cmp_pd,
    _mm256_blendv_pd,
    _mm256_movemask_pd,
    _mm256_min_pd,
    _mm256_max_pd
);

/// Transposes four rows of (x, y, z, w) in each 128-bit half; it is its own inverse.
#[inline(always)]
unsafe fn transpose8(r: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: the caller runs with AVX2.
    unsafe {
        let a = _mm256_unpacklo_ps(r[0], r[1]);
        let b = _mm256_unpackhi_ps(r[0], r[1]);
        let c = _mm256_unpacklo_ps(r[2], r[3]);
        let d = _mm256_unpackhi_ps(r[2], r[3]);
        [
            _mm256_shuffle_ps::<0x44>(a, c),
            _mm256_shuffle_ps::<0xEE>(a, c),
            _mm256_shuffle_ps::<0x44>(b, d),
            _mm256_shuffle_ps::<0xEE>(b, d),
        ]
    }
}

/// Transposes a 4×4 matrix of doubles; it is its own inverse.
#[inline(always)]
unsafe fn transpose4(r: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: the caller runs with AVX2.
    unsafe {
        let a = _mm256_unpacklo_pd(r[0], r[1]);
        let b = _mm256_unpackhi_pd(r[0], r[1]);
        let c = _mm256_unpacklo_pd(r[2], r[3]);
        let d = _mm256_unpackhi_pd(r[2], r[3]);
        [
            _mm256_permute2f128_pd::<0x20>(a, c),
            _mm256_permute2f128_pd::<0x20>(b, d),
            _mm256_permute2f128_pd::<0x31>(a, c),
            _mm256_permute2f128_pd::<0x31>(b, d),
        ]
    }
}

impl Pack for F32x8 {
    #[inline(always)]
    fn load(src: &[f32]) -> Self {
        let src = &src[..8];
        // SAFETY: the slice has eight elements, as checked above.
        unsafe { Self(_mm256_loadu_ps(src.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, dst: &mut [f32]) {
        let dst = &mut dst[..8];
        // SAFETY: the slice has eight elements, as checked above.
        unsafe { _mm256_storeu_ps(dst.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn sum_lanes(v: [Self; 4]) -> Point<f32> {
        let mut out = [0.0; 4];
        // SAFETY: as for `add`; `out` has room for the four values stored.
        unsafe {
            let [a, b, c, d] = transpose8([v[0].0, v[1].0, v[2].0, v[3].0]);
            let quads = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
            let low = _mm256_castps256_ps128(quads);
            let high = _mm256_extractf128_ps::<1>(quads);
            _mm_storeu_ps(out.as_mut_ptr(), _mm_add_ps(low, high));
        }
        out
    }
    #[inline(always)]
    unsafe fn gather(points: *const Point<f32>, offset: &[u32]) -> [Self; 4] {
        let i = &offset[..8];
        // SAFETY: the caller guarantees the indices.
        unsafe {
            let p = points.cast::<f32>();
            let mut rows = [_mm256_setzero_ps(); 4];
            rows[0] = _mm256_loadu2_m128(p.add(i[4] as usize), p.add(i[0] as usize));
            rows[1] = _mm256_loadu2_m128(p.add(i[5] as usize), p.add(i[1] as usize));
            rows[2] = _mm256_loadu2_m128(p.add(i[6] as usize), p.add(i[2] as usize));
            rows[3] = _mm256_loadu2_m128(p.add(i[7] as usize), p.add(i[3] as usize));
            let [x, y, z, w] = transpose8(rows);
            [Self(x), Self(y), Self(z), Self(w)]
        }
    }
    #[inline(always)]
    unsafe fn scatter(v: [Self; 4], points: *mut Point<f32>, offset: &[u32]) {
        let i = &offset[..8];
        // SAFETY: the caller guarantees the indices.
        unsafe {
            let p = points.cast::<f32>();
            let rows = transpose8([v[0].0, v[1].0, v[2].0, v[3].0]);
            _mm256_storeu2_m128(p.add(i[4] as usize), p.add(i[0] as usize), rows[0]);
            _mm256_storeu2_m128(p.add(i[5] as usize), p.add(i[1] as usize), rows[1]);
            _mm256_storeu2_m128(p.add(i[6] as usize), p.add(i[2] as usize), rows[2]);
            _mm256_storeu2_m128(p.add(i[7] as usize), p.add(i[3] as usize), rows[3]);
        }
    }
}

impl Pack for F64x4 {
    #[inline(always)]
    fn load(src: &[f64]) -> Self {
        let src = &src[..4];
        // SAFETY: the slice has four elements, as checked above.
        unsafe { Self(_mm256_loadu_pd(src.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, dst: &mut [f64]) {
        let dst = &mut dst[..4];
        // SAFETY: the slice has four elements, as checked above.
        unsafe { _mm256_storeu_pd(dst.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn sum_lanes(v: [Self; 4]) -> Point<f64> {
        let mut out = [0.0; 4];
        // SAFETY: as for `add`; `out` has room for the four values stored.
        unsafe {
            let [a, b, c, d] = transpose4([v[0].0, v[1].0, v[2].0, v[3].0]);
            let sums = _mm256_add_pd(_mm256_add_pd(a, b), _mm256_add_pd(c, d));
            _mm256_storeu_pd(out.as_mut_ptr(), sums);
        }
        out
    }
    #[inline(always)]
    unsafe fn gather(points: *const Point<f64>, offset: &[u32]) -> [Self; 4] {
        let i = &offset[..4];
        // SAFETY: the caller guarantees the indices.
        unsafe {
            let p = points.cast::<f64>();
            let [x, y, z, w] = transpose4([
                _mm256_loadu_pd(p.add(i[0] as usize)),
                _mm256_loadu_pd(p.add(i[1] as usize)),
                _mm256_loadu_pd(p.add(i[2] as usize)),
                _mm256_loadu_pd(p.add(i[3] as usize)),
            ]);
            [Self(x), Self(y), Self(z), Self(w)]
        }
    }
    #[inline(always)]
    unsafe fn scatter(v: [Self; 4], points: *mut Point<f64>, offset: &[u32]) {
        let i = &offset[..4];
        // SAFETY: the caller guarantees the indices.
        unsafe {
            let p = points.cast::<f64>();
            let rows = transpose4([v[0].0, v[1].0, v[2].0, v[3].0]);
            _mm256_storeu_pd(p.add(i[0] as usize), rows[0]);
            _mm256_storeu_pd(p.add(i[1] as usize), rows[1]);
            _mm256_storeu_pd(p.add(i[2] as usize), rows[2]);
            _mm256_storeu_pd(p.add(i[3] as usize), rows[3]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Scalar;
    use crate::simd::Lanes;
    use crate::simd::SimdLoop;

    struct Limits<'a>(&'a [f32], &'a [f32], Vec<u32>);

    impl SimdLoop<f32> for Limits<'_> {
        type Unit = Self;

        #[inline(always)]
        fn run<R: Pack<Scalar = f32>>(&mut self) {
            for i in (0..self.0.len()).step_by(R::LANES) {
                let (a, b) = (R::load(&self.0[i..]), R::load(&self.1[i..]));
                for lane in 0..R::LANES {
                    self.2.push(a.min(b).lane(lane).to_bits());
                    self.2.push(a.max(b).lane(lane).to_bits());
                }
            }
        }
    }

    #[test]
    fn limits_have_the_bits_of_the_scalar_ones_for_nan_and_signed_zero() {
        const NAN: f32 = f32::NAN;
        let a = [NAN, 1.0, NAN, 0.0, -0.0, 1.0, 2.0, f32::INFINITY];
        let b = [1.0, NAN, -NAN, -0.0, 0.0, 2.0, 1.0, f32::NEG_INFINITY];
        let [mut packed, mut scalar] = [Vec::new(), Vec::new()].map(|bits| Limits(&a, &b, bits));
        f32::dispatch(Lanes::Packed, &mut packed);
        f32::dispatch(Lanes::Scalar, &mut scalar);
        assert_eq!(packed.2, scalar.2);
    }
}
