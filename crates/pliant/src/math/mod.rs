//! The arithmetic of the engine: one real trait over scalars and SIMD packs, small vectors and
//! matrices over it, and the only legal transcendental functions.

mod mat;
mod real;
mod vec3;

pub use mat::{Mat2, Mat3, Mat3x2};
pub use real::{Real, Scalar};
pub use vec3::Vec3;

/// Deterministic transcendental functions in double precision: the same bits on every platform.
pub use libm::{acos, asin, atan2, cos, exp, log, pow, sin, tan};
