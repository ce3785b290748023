//! Untangling: detection and gradual resolution of surfaces that already intersect.
//!
//! ```text
//! intersections.rs  edges that cross triangles, by exact arithmetic
//! contour.rs        separation constraints that shorten the intersection contours
//! ```

pub(crate) mod contour;
pub(crate) mod intersections;
