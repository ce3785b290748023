//! `Real`: the number type over which kernels are generic.
//!
//! A kernel is generic over `R: Real` and runs as `f32`, as `f64` or as a SIMD pack of either. Every
//! operation is correctly rounded or a plain selection, so lane `l` of a packed kernel gives the same
//! bits as the scalar kernel on that lane's data. For the same reason there is no fused multiply-add,
//! and branches are written as selections ([`Real::select_lt`]).
//!
//! Kernels must be `#[inline(always)]` functions without closures: a closure is a separate function,
//! compiled without the dispatch wrapper's target features, and costs a factor of three. Long functions
//! used by many kernels are [`Outlined`]: compiled once for each kind of real, with these features, and
//! called.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::simd::{Lanes, Pack, SimdLoop};

/// A real number, or a pack of independent ones.
pub trait Real:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// Number type of one lane.
    type Scalar: Scalar;
    /// Number of lanes.
    const LANES: usize;
    /// True if each kernel inlines its own copy of a long evaluation, false if all kernels of an
    /// element call a shared one. True only for the packs of real-time simulation: copies in the
    /// kernels of double precision and of the scalar fallback took a tenth of the engine's compile
    /// time.
    const INLINES_EVALUATIONS: bool;

    /// Returns a pack with every lane set to `x`.
    fn splat(x: Self::Scalar) -> Self;
    /// Returns the value of lane `lane`.
    fn lane(self, lane: usize) -> Self::Scalar;
    /// Returns the correctly rounded square root.
    fn sqrt(self) -> Self;
    /// Returns the absolute value.
    fn abs(self) -> Self;
    /// Returns in each lane `x` where `a < b`, else `y` (so `y` where either is NaN).
    fn select_lt(a: Self, b: Self, x: Self, y: Self) -> Self;
    /// Returns true if `a < b` in any lane. Only for rare fallbacks whose results are blended per lane.
    fn any_lt(a: Self, b: Self) -> bool;

    /// Calls an outlined function.
    fn call<F: Outlined>(input: &F::Input) -> F::Output;

    /// Returns a pack with every lane set to the constant `x`, rounded to the lane's precision.
    #[inline(always)]
    fn of(x: f64) -> Self {
        Self::splat(Self::Scalar::from_f64(x))
    }
    /// Returns zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::of(0.0)
    }
    /// Returns one.
    #[inline(always)]
    fn one() -> Self {
        Self::of(1.0)
    }
    /// Returns the smaller of two; `other` where either is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select_lt(self, other, self, other)
    }
    /// Returns the larger of two; `other` where either is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select_lt(other, self, self, other)
    }
    /// Clamps the value to `low..=high`.
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
    /// Returns `self / other`, or zero in the lanes where `|other|` is not above `tiny`.
    #[inline(always)]
    fn div_or_zero(self, other: Self, tiny: Self) -> Self {
        let safe = Self::select_lt(tiny, other.abs(), other, Self::one());
        Self::select_lt(tiny, other.abs(), self / safe, Self::zero())
    }
}

/// A long function of reals that kernels [call](Real::call) instead of inlining it. The call passes all
/// arguments through memory, about ten nanoseconds per pack, so it suits functions that take longer
/// than that or are seldom needed.
pub trait Outlined {
    /// Type whose [codegen unit](crate::simd::CodegenUnit) contains the compiled function.
    type Unit: ?Sized;
    /// Input of the function.
    type Input;
    /// Output of the function.
    type Output;
    /// Evaluates the function. Mark the implementation `#[inline(always)]`.
    fn run(input: &Self::Input) -> Self::Output;
}

/// A scalar, `f32` or `f64`: the precision of a simulation.
pub trait Scalar: Real<Scalar = Self> + Pack + PartialOrd + Default + Display {
    /// Name of the precision, as users write it.
    const NAME: &'static str;
    /// Number of lanes of a pack in this precision. A property of the data layout, never of the
    /// machine.
    const PACK: usize;
    /// Smallest positive normal number.
    const TINY: f64;
    /// Distance from one to the next larger number.
    const EPSILON: f64;

    /// Rounds to this precision.
    fn from_f64(x: f64) -> Self;
    /// Widens to double precision.
    fn to_f64(self) -> f64;
    /// Returns true if the number is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Returns the bits, with −0 as +0, for hashing.
    fn canonical_bits(self) -> u64;
    /// Runs `job` with scalar arithmetic or with the widest pack of this machine.
    fn dispatch<J: SimdLoop<Self>>(lanes: Lanes, job: &mut J);
    /// Runs `job` with the widest pack of this machine.
    fn dispatch_packed<J: SimdLoop<Self>>(job: &mut J);
}
