//! Collision detection for deforming meshes: nothing is missed.
//!
//! | question | module |
//! |---|---|
//! | which elements are near each other? | [`bvh`] (a tree), [`grid`] (cells); [`grid::choose`] picks |
//! | where are two of them closest? | [`closest`] |
//! | do they touch on their way, and when first? | [`continuous`] |
//! | is anything intersected now? | [`intersect`] |
//!
//! Points are `[f64; 3]` in metres. Results depend on the input alone: not on threads, not on the
//! machine. Lists are appended to vectors of the caller, which grow as needed.
//!
//! What is done about a contact is not here.
//!
//! # Example
//!
//! A point falls through a triangle within one step. The boxes of the two motions overlap, so the
//! pair is a candidate; the continuous test says when they touch.
//!
//! ```
//! use pliant_detect::{Aabb, Bvh, closest, continuous};
//!
//! let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let (above, below) = ([0.25, 0.25, 1.0], [0.25, 0.25, -3.0]);
//!
//! // Candidates: one tree of what moves, one of what it may hit.
//! let thickness = 1e-3;
//! let points = Bvh::build(&[Aabb::of(&[above, below]).grown(0.5 * thickness)]);
//! let triangles = Bvh::build(&[Aabb::of(&triangle).grown(0.5 * thickness)]);
//! let mut candidates = Vec::new();
//! points.pairs(&triangles, &mut candidates, usize::MAX);
//! assert_eq!(candidates, [[0, 0]]);
//!
//! // The first touch, when the point is a thickness above the triangle.
//! let with = |p: [f64; 3]| [p, triangle[0], triangle[1], triangle[2]];
//! let time = continuous::vertex_triangle(&with(above), &with(below), thickness).unwrap();
//! assert!((time - 0.24975).abs() < 1e-6);
//!
//! // Where and in which direction.
//! let there = with([0.25, 0.25, 1.0 - 4.0 * time]);
//! assert!(closest::vertex_triangle(there).offset[2] > thickness);
//! ```

mod aabb;
pub mod bvh;
pub mod closest;
pub mod continuous;
pub mod grid;
pub mod intersect;
mod pairs;
#[cfg(test)]
mod testing;
mod vector;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use grid::Grid;
