//! Collision detection for deforming meshes.

pub mod closest;
pub mod continuous;
#[cfg(test)]
mod testing;
mod vector;
