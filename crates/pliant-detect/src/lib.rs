//! Collision detection for deforming meshes, without missed contacts.
//!
//! | query | module |
//! |---|---|
//! | pairs of nearby elements (broad phase) | [`bvh`] (a tree), [`grid`] (cells); [`grid::choose_method`] selects one |
//! | closest points of two elements (narrow phase) | [`closest`] |
//! | time of impact of two moving elements | [`continuous`] |
//! | existing intersections | [`intersect`] |
//!
//! Points are `[f64; 3]` in metres. Results depend on the input alone, not on the number of threads or the
//! machine. Results are appended to vectors of the caller, which grow as needed.
//!
//! Contact response is not part of this crate.
//!
//! # Example
//!
//! A point falls through a triangle within one step. The boxes of the two motions overlap, so the pair is a
//! candidate; the continuous test returns their time of impact.
//!
//! ```
//! use pliant_detect::{Aabb, Bvh, closest, continuous};
//!
//! let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let (above, below) = ([0.25, 0.25, 1.0], [0.25, 0.25, -3.0]);
//!
//! // Broad phase: one tree of the moving points, one of the triangles.
//! let thickness = 1e-3;
//! let points = Bvh::build(&[Aabb::from_points(&[above, below]).grown(0.5 * thickness)]);
//! let triangles = Bvh::build(&[Aabb::from_points(&triangle).grown(0.5 * thickness)]);
//! let mut candidates = Vec::new();
//! points.pairs(&triangles, &mut candidates, usize::MAX);
//! assert_eq!(candidates, [[0, 0]]);
//!
//! // Time of impact, when the point is one thickness above the triangle.
//! let with = |p: [f64; 3]| [p, triangle[0], triangle[1], triangle[2]];
//! let time = continuous::vertex_triangle(&with(above), &with(below), thickness).unwrap();
//! assert!((time - 0.24975).abs() < 1e-6);
//!
//! // Contact position and direction.
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
