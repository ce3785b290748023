//! Pliant: deformable bodies (cloth, shells, soft solids, strands) on one description of the
//! scene, run by any solver.

pub mod error;
pub mod linalg;
pub mod math;
pub mod mesh;
pub mod simd;

pub use error::Error;
