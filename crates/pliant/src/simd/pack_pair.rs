//! Two packs combined into one with twice the lanes.
//!
//! A small kernel is bound by the latency of its square root and its division. Two packs in the same
//! instruction stream overlap their latencies, whatever the look-ahead of the processor.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::math::{Outlined, Real, Scalar};
use crate::simd::{Pack, Point};

/// A pair of packs.
#[derive(Clone, Copy, Debug)]
pub struct PackPair<R>(R, R);

macro_rules! operator {
    ($name:ident $f:ident, $assign:ident $g:ident) => {
        impl<R: Real> $name for PackPair<R> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, b: Self) -> Self {
                Self(self.0.$f(b.0), self.1.$f(b.1))
            }
        }
        impl<R: Real> $assign for PackPair<R> {
            #[inline(always)]
            fn $g(&mut self, b: Self) {
                *self = self.$f(b);
            }
        }
    };
}

operator!(Add add, AddAssign add_assign);
operator!(Sub sub, SubAssign sub_assign);
operator!(Mul mul, MulAssign mul_assign);

impl<R: Real> Div for PackPair<R> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        Self(self.0 / b.0, self.1 / b.1)
    }
}

impl<R: Real> Neg for PackPair<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<R: Real> Real for PackPair<R> {
    type Scalar = R::Scalar;
    const LANES: usize = 2 * R::LANES;
    const INLINES_EVALUATIONS: bool = R::INLINES_EVALUATIONS;

    #[inline(always)]
    fn splat(x: R::Scalar) -> Self {
        Self(R::splat(x), R::splat(x))
    }
    #[inline(always)]
    fn lane(self, lane: usize) -> R::Scalar {
        if lane < R::LANES { self.0.lane(lane) } else { self.1.lane(lane - R::LANES) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }
    #[inline(always)]
    fn select_lt(a: Self, b: Self, x: Self, y: Self) -> Self {
        Self(R::select_lt(a.0, b.0, x.0, y.0), R::select_lt(a.1, b.1, x.1, y.1))
    }
    #[inline(always)]
    fn any_lt(a: Self, b: Self) -> bool {
        R::any_lt(a.0, b.0) || R::any_lt(a.1, b.1)
    }
    #[inline(always)]
    fn call<F: Outlined>(input: &F::Input) -> F::Output {
        R::call::<F>(input)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.min(other.1))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0), self.1.max(other.1))
    }
}

impl<R: Pack> Pack for PackPair<R> {
    #[inline(always)]
    fn load(src: &[R::Scalar]) -> Self {
        let src = &src[..2 * R::LANES];
        Self(R::load(src), R::load(&src[R::LANES..]))
    }
    #[inline(always)]
    fn store(self, dst: &mut [R::Scalar]) {
        let dst = &mut dst[..2 * R::LANES];
        self.0.store(dst);
        self.1.store(&mut dst[R::LANES..]);
    }
    #[inline(always)]
    fn sum_lanes(v: [Self; 4]) -> Point<R::Scalar> {
        let [a, b, c, d] = v;
        let mut low = R::sum_lanes([a.0, b.0, c.0, d.0]);
        let high = R::sum_lanes([a.1, b.1, c.1, d.1]);
        for k in 0..4 {
            low[k] += high[k];
        }
        low
    }
    #[inline(always)]
    unsafe fn gather(points: *const Point<R::Scalar>, offset: &[u32]) -> [Self; 4] {
        let offset = &offset[..2 * R::LANES];
        // SAFETY: the caller guarantees the indices.
        let (a, b) = unsafe {
            (R::gather(points, &offset[..R::LANES]), R::gather(points, &offset[R::LANES..]))
        };
        [Self(a[0], b[0]), Self(a[1], b[1]), Self(a[2], b[2]), Self(a[3], b[3])]
    }
    #[inline(always)]
    unsafe fn scatter(v: [Self; 4], points: *mut Point<R::Scalar>, offset: &[u32]) {
        let offset = &offset[..2 * R::LANES];
        let [x, y, z, w] = v;
        // SAFETY: the caller guarantees the indices.
        unsafe {
            R::scatter([x.0, y.0, z.0, w.0], points, &offset[..R::LANES]);
            R::scatter([x.1, y.1, z.1, w.1], points, &offset[R::LANES..]);
        }
    }
}

/// Returns the number of elements per pack in a batch of elements with `vertices` vertices: springs run
/// as pack pairs.
pub const fn lanes_of<S: Scalar>(vertices: usize) -> usize {
    if vertices == 2 { 2 * S::PACK } else { S::PACK }
}
