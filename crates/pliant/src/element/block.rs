//! Symmetric 3×3 blocks: an element's contribution to the Hessian of one vertex.

use crate::math::{Real, Vec3};

/// A symmetric 3×3 matrix by its entries xx, yy, zz, xy, yz, zx.
#[derive(Clone, Copy, Debug)]
pub struct Block<R> {
    /// The six entries.
    pub m: [R; 6],
}

impl<R: Real> Block<R> {
    /// `s I`.
    #[inline(always)]
    pub fn isotropic(s: R) -> Self {
        let o = R::zero();
        Self { m: [s, s, s, o, o, o] }
    }

    /// `s v vᵀ`.
    #[inline(always)]
    pub fn outer(s: R, v: Vec3<R>) -> Self {
        let w = v.scale(s);
        Self { m: [w.x * v.x, w.y * v.y, w.z * v.z, w.x * v.y, w.y * v.z, w.z * v.x] }
    }

    /// `s (u vᵀ + v uᵀ)`.
    #[inline(always)]
    pub fn mixed(s: R, u: Vec3<R>, v: Vec3<R>) -> Self {
        let w = u.scale(s);
        let two = R::of(2.0);
        Self {
            m: [
                two * w.x * v.x,
                two * w.y * v.y,
                two * w.z * v.z,
                w.x * v.y + w.y * v.x,
                w.y * v.z + w.z * v.y,
                w.z * v.x + w.x * v.z,
            ],
        }
    }

    /// The sum of both.
    #[inline(always)]
    pub fn plus(mut self, b: Self) -> Self {
        for i in 0..6 {
            self.m[i] += b.m[i];
        }
        self
    }

    /// Returns the block scaled by `s`.
    #[inline(always)]
    pub fn scale(mut self, s: R) -> Self {
        for i in 0..6 {
            self.m[i] *= s;
        }
        self
    }
}

/// Force and Hessian block of an element at one of its vertices, for a weight of one.
#[derive(Clone, Copy, Debug)]
pub struct VertexBlock<R> {
    /// The force on the vertex, `−∇E / w`.
    pub force: Vec3<R>,
    /// The vertex's own block of `∇²E / w`, made positive semi-definite.
    pub block: Block<R>,
}
