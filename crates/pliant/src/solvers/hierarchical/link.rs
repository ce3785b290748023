//! Unilateral distance constraint of a coarse level: its ends may approach each other but not separate
//! beyond its length.

use crate::element::{Constraint, ConstraintKind};
use crate::math::{Real, Scalar, Vec3};

/// `C = L − |x₁ − x₀| ≥ 0`.
#[derive(Clone, Copy, Debug)]
pub struct UnilateralDistance {
    /// Maximum length L \[m\].
    pub length: f64,
}

impl Constraint<2, 1> for UnilateralDistance {
    const NAME: &'static str = "link";
    const COST_NS: usize = 2;
    const KIND: ConstraintKind = ConstraintKind::Inequality;

    fn parameters(&self) -> [f64; 1] {
        [self.length]
    }

    #[inline(always)]
    fn evaluate<R: Real>(&[length]: &[R; 1], x: &[Vec3<R>; 2]) -> (R, [Vec3<R>; 2]) {
        let y = x[1] - x[0];
        let now = y.norm();
        let n = y.scale(R::one().div_or_zero(now, R::of(R::Scalar::TINY)));
        (length - now, [n, -n])
    }
}
