//! 2×2, 3×2 and 3×3 matrices over a real, stored by columns.

use crate::math::{Real, Vec3};

/// A 2×2 matrix, by columns.
#[derive(Clone, Copy, Debug)]
pub struct Mat2<R> {
    /// The columns.
    pub cols: [[R; 2]; 2],
}

/// A 3×2 matrix, by columns: the deformation gradient of a triangle.
#[derive(Clone, Copy, Debug)]
pub struct Mat3x2<R> {
    /// The columns.
    pub cols: [Vec3<R>; 2],
}

/// A 3×3 matrix, by columns.
#[derive(Clone, Copy, Debug)]
pub struct Mat3<R> {
    /// The columns.
    pub cols: [Vec3<R>; 3],
}

impl<R: Real> Mat3<R> {
    /// Creates a matrix from its columns.
    #[inline(always)]
    pub fn from_cols(a: Vec3<R>, b: Vec3<R>, c: Vec3<R>) -> Self {
        Self { cols: [a, b, c] }
    }
    /// Returns the identity.
    #[inline(always)]
    pub fn identity() -> Self {
        let (o, l) = (R::zero(), R::one());
        Self::from_cols(Vec3::new(l, o, o), Vec3::new(o, l, o), Vec3::new(o, o, l))
    }
    /// Returns the determinant.
    #[inline(always)]
    pub fn det(&self) -> R {
        self.cols[0].dot(self.cols[1].cross(self.cols[2]))
    }
    /// Returns the cofactor matrix: the determinant times the inverse transpose.
    #[inline(always)]
    pub fn cofactor(&self) -> Self {
        let [a, b, c] = self.cols;
        Self::from_cols(b.cross(c), c.cross(a), a.cross(b))
    }
    /// Returns the transpose.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        let [a, b, c] = self.cols;
        Self::from_cols(
            Vec3::new(a.x, b.x, c.x),
            Vec3::new(a.y, b.y, c.y),
            Vec3::new(a.z, b.z, c.z),
        )
    }
    /// Returns the matrix times a vector.
    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<R>) -> Vec3<R> {
        self.cols[0].scale(v.x) + self.cols[1].scale(v.y) + self.cols[2].scale(v.z)
    }
    /// Returns the matrix times a matrix.
    #[inline(always)]
    pub fn mul(&self, b: &Self) -> Self {
        Self::from_cols(self.mul_vec(b.cols[0]), self.mul_vec(b.cols[1]), self.mul_vec(b.cols[2]))
    }
    /// Returns the squared Frobenius norm.
    #[inline(always)]
    pub fn norm_squared(&self) -> R {
        self.cols[0].norm_squared() + self.cols[1].norm_squared() + self.cols[2].norm_squared()
    }
    /// Returns in each lane `x` where `a < b`, else `y`.
    #[inline(always)]
    pub fn select_lt(a: R, b: R, x: &Self, y: &Self) -> Self {
        Self::from_cols(
            Vec3::select_lt(a, b, x.cols[0], y.cols[0]),
            Vec3::select_lt(a, b, x.cols[1], y.cols[1]),
            Vec3::select_lt(a, b, x.cols[2], y.cols[2]),
        )
    }
}
