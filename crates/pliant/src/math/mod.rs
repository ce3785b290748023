//! Arithmetic of the engine: one `Real` trait over scalars and SIMD packs, small vectors and matrices
//! over it, and the only transcendental functions that may be used.

pub mod eigen;
mod givens;
pub(crate) mod hash;
mod mat;
pub mod point;
mod polar;
mod random;
mod real;
mod svd3;
mod svd3x2;
#[cfg(test)]
pub(crate) mod testing;
pub mod trig;
mod vec3;

pub use crate::math::eigen::project_psd;
pub use crate::math::hash::Fnv1a;
pub use crate::math::mat::{Mat2, Mat3, Mat3x2};
pub use crate::math::polar::{polar3, polar3x2};
pub use crate::math::random::Random;
pub use crate::math::real::{Outlined, Real, Scalar};
pub use crate::math::svd3::{Svd3, svd3};
pub use crate::math::svd3x2::{Svd3x2, svd3x2};
pub use crate::math::vec3::Vec3;

/// Deterministic transcendental functions in double precision: the same bits on every platform.
pub use libm::{acos, asin, atan2, cos, exp, log, pow, sin, tan};

/// Returns the fraction of a quantity that decays at a rate [1/s] over a step `h` \[s\]:
/// `1 − exp(−rate h)`.
pub fn decay_fraction(rate: f64, h: f64) -> f64 {
    1.0 - exp(-rate * h)
}
