//! `Real`: the number a kernel is written over.
//!
//! A kernel is generic over `R: Real` and runs as `f32`, as `f64` or as a SIMD pack of either.
//! Every operation here is exactly rounded or a plain selection, so lane `l` of a packed kernel
//! gives the same bits as the scalar kernel on that lane's data. For the same reason there is no
//! fused multiply-add, and branches are written as selections ([`Real::select_lt`]).
//!
//! Kernels must be `#[inline(always)]` functions without closures: a closure is a function of its
//! own, compiled without the dispatch wrapper's target features, and costs a factor of three.
//! What is long and asked for by many kernels stands [`Apart`]: compiled once for each kind of real,
//! with these features, and called.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::simd::{Job, Lanes, Pack};

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
    /// The number type of one lane.
    type Scalar: Scalar;
    /// How many numbers this holds.
    const LANES: usize;
    /// True where each kernel holds its own copy of a long evaluation, false where all kernels of an element call one.
    /// True for the packs of real-time simulation alone: copies in the kernels of double precision and of the scalar
    /// fallback were a tenth of the engine's compile time.
    const INLINES_EVALUATIONS: bool;

    /// Every lane set to `x`.
    fn splat(x: Self::Scalar) -> Self;
    /// Lane `lane` alone.
    fn lane(self, lane: usize) -> Self::Scalar;
    /// The exactly rounded square root.
    fn sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// In each lane `x` where `a < b`, else `y` (so `y` where either is NaN).
    fn select_lt(a: Self, b: Self, x: Self, y: Self) -> Self;
    /// Whether `a < b` in any lane. Only for rare fallbacks whose results are blended per lane.
    fn any_lt(a: Self, b: Self) -> bool;

    /// Calls what stands apart from the kernels.
    fn call<F: Apart>(input: &F::Input) -> F::Output;

    /// Every lane set to the constant `x`, rounded to the lane's precision.
    #[inline(always)]
    fn of(x: f64) -> Self {
        Self::splat(Self::Scalar::from_f64(x))
    }
    /// Zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::of(0.0)
    }
    /// One.
    #[inline(always)]
    fn one() -> Self {
        Self::of(1.0)
    }
    /// The smaller of two; `other` where either is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select_lt(self, other, self, other)
    }
    /// The larger of two; `other` where either is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select_lt(other, self, self, other)
    }
    /// The value limited to `low..=high`.
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
    /// `self / other`, or zero in the lanes where `|other|` is not above `tiny`.
    #[inline(always)]
    fn div_or_zero(self, other: Self, tiny: Self) -> Self {
        let safe = Self::select_lt(tiny, other.abs(), other, Self::one());
        Self::select_lt(tiny, other.abs(), self / safe, Self::zero())
    }
}

/// A long function of reals that kernels [call](Real::call) instead of holding a copy each. The call
/// passes everything through memory, some ten nanoseconds for a pack: for what takes longer than that, or is
/// seldom needed.
pub trait Apart {
    /// Whose [codegen unit](crate::simd::CodegenUnit) the compiled function goes to.
    type Unit: ?Sized;
    /// What it is given.
    type Input;
    /// What it gives back.
    type Output;
    /// The function. Mark the implementation `#[inline(always)]`.
    fn run(input: &Self::Input) -> Self::Output;
}

/// A single number, `f32` or `f64`: the precision of a simulation.
pub trait Scalar: Real<Scalar = Self> + Pack + PartialOrd + Default + Display {
    /// The name of the precision, as users write it.
    const NAME: &'static str;
    /// Lanes of a pack in this precision. A property of the data layout, never of the machine.
    const PACK: usize;
    /// The smallest positive normal number.
    const TINY: f64;
    /// The distance from one to the next number.
    const EPSILON: f64;

    /// Rounds to this precision.
    fn from_f64(x: f64) -> Self;
    /// Widens to double precision.
    fn to_f64(self) -> f64;
    /// Whether the number is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The bits, with −0 as +0, for hashing.
    fn canonical_bits(self) -> u64;
    /// Runs `job` with scalar arithmetic or with the widest pack that this machine has.
    fn dispatch<J: Job<Self>>(lanes: Lanes, job: &mut J);
    /// Runs `job` with the widest pack that this machine has.
    fn dispatch_packed<J: Job<Self>>(job: &mut J);
}
