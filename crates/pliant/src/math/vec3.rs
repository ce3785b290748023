//! A vector of three reals.

use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use crate::math::Real;

/// Three reals: a position, a direction, a force.
#[derive(Clone, Copy, Debug)]
pub struct Vec3<R> {
    /// First coordinate.
    pub x: R,
    /// Second coordinate.
    pub y: R,
    /// Third coordinate.
    pub z: R,
}

impl<R: Real> Vec3<R> {
    /// Creates a vector from its coordinates.
    #[inline(always)]
    pub fn new(x: R, y: R, z: R) -> Self {
        Self { x, y, z }
    }
    /// Returns the zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(R::zero(), R::zero(), R::zero())
    }
    /// Returns the same constant vector in every lane.
    #[inline(always)]
    pub fn of(v: [f64; 3]) -> Self {
        Self::new(R::of(v[0]), R::of(v[1]), R::of(v[2]))
    }
    /// Returns the inner product.
    #[inline(always)]
    pub fn dot(self, b: Self) -> R {
        self.x * b.x + self.y * b.y + self.z * b.z
    }
    /// Returns the cross product.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Self::new(
            self.y * b.z - self.z * b.y,
            self.z * b.x - self.x * b.z,
            self.x * b.y - self.y * b.x,
        )
    }
    /// Returns the squared length.
    #[inline(always)]
    pub fn norm_squared(self) -> R {
        self.dot(self)
    }
    /// Returns the length.
    #[inline(always)]
    pub fn norm(self) -> R {
        self.norm_squared().sqrt()
    }
    /// Returns the vector times a scalar.
    #[inline(always)]
    pub fn scale(self, s: R) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
    /// Returns in each lane `x` where `a < b`, else `y`.
    #[inline(always)]
    pub fn select_lt(a: R, b: R, x: Self, y: Self) -> Self {
        Self::new(
            R::select_lt(a, b, x.x, y.x),
            R::select_lt(a, b, x.y, y.y),
            R::select_lt(a, b, x.z, y.z),
        )
    }
    /// Returns the three coordinates of one lane.
    #[inline(always)]
    pub fn lane(self, lane: usize) -> [R::Scalar; 3] {
        [self.x.lane(lane), self.y.lane(lane), self.z.lane(lane)]
    }
}

impl<R: Real> Add for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl<R: Real> Sub for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}

impl<R: Real> Neg for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<R: Real> AddAssign for Vec3<R> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<R: Real> SubAssign for Vec3<R> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}
