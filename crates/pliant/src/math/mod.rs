//! The arithmetic of the engine: one real trait over scalars and SIMD packs, small vectors and
//! matrices over it, and the only legal transcendental functions.

pub mod eigen;
mod givens;
mod mat;
mod polar;
mod real;
mod svd3;
mod svd3x2;
#[cfg(test)]
pub(crate) mod testing;
pub mod trig;
mod vec3;

pub use eigen::project_psd;
pub use mat::{Mat2, Mat3, Mat3x2};
pub use polar::{polar3, polar3x2};
pub use real::{Apart, Real, Scalar};
pub use svd3::{Svd3, svd3};
pub use svd3x2::{Svd3x2, svd3x2};
pub use vec3::Vec3;

/// Deterministic transcendental functions in double precision: the same bits on every platform.
pub use libm::{acos, asin, atan2, cos, exp, log, pow, sin, tan};
