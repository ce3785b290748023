//! Shapes of colliders in their own coordinates, one file each, and their list.
//!
//! A shape's file says everything about it: its data and their validation, the signed distance and normal of a
//! point, its surface, its constructor of [`Collider`], and its fields in scene files. Boxes, spheres, capsules, tori
//! and half-spaces have closed forms; meshes are searched by a bounding volume hierarchy. All return the distance and
//! the outward direction, also for points on the surface, where a projection alone has no direction.
//!
//! * `mod.rs`: the list, [`Shape`], and what a shape's file defines
//! * `dispatch.rs`: the enum of the list and its dispatch
//! * `tessellation.rs`: helpers for surfaces
//! * `conformance.rs`: tests that every shape passes

#[macro_use]
mod dispatch;

pub mod capsule;
#[cfg(test)]
mod conformance;
pub mod cuboid;
pub mod distance_field;
pub mod half_space;
pub mod mesh;
pub mod sphere;
mod tessellation;
pub mod torus;

use std::sync::Arc;

use crate::Error;
use crate::fields::{Field, Values};
use crate::math::Vec3;
use crate::mesh::TriMesh;
use crate::model::collider::Collider;

pub use distance_field::DistanceField;
pub use mesh::MeshShape;

shapes! {
    /// Half-space below a plane.
    HalfSpace(half_space::HalfSpace),
    /// Sphere.
    Sphere(sphere::Sphere),
    /// Capsule.
    Capsule(capsule::Capsule),
    /// Box.
    Cuboid(cuboid::Cuboid),
    /// Triangle mesh, convex hull or height field.
    Mesh(Arc<MeshShape>),
    /// Sampled signed distance.
    DistanceField(DistanceField),
    /// Torus around an axis.
    Torus(torus::Torus),
}

/// Signed distance of a point from a shape.
#[derive(Clone, Copy, Debug)]
pub struct SignedDistance {
    /// Distance to the surface \[m\], negative inside.
    pub distance: f64,
    /// Unit vector along which the distance increases.
    pub normal: Vec3<f64>,
}

/// A way to describe a shape in scene files, as a table of fields.
#[derive(Clone, Copy, Debug)]
pub struct ShapeForm {
    /// Key in scene files.
    pub name: &'static str,
    /// Description of the solid region, in a few words.
    pub solid: &'static str,
    /// True if it has an inside everywhere, so that a rigid body may have this shape.
    pub is_closed: bool,
    /// Fields.
    pub fields: &'static [Field],
    /// Value of the key in a scene file, for documentation and tests: something of 0.1 m to 0.5 m near the origin.
    pub example: &'static str,
    /// Builds a collider.
    pub build: fn(&Values) -> Result<Collider, Error>,
}

/// Interface of a shape: all that its file defines.
pub(crate) trait ColliderShape: Sized {
    /// Name of the shape's type.
    const NAME: &'static str;
    /// Forms in scene files; none if it is not available there.
    const FORMS: &'static [ShapeForm];
    /// True if the shape is bounded.
    const IS_FINITE: bool = true;
    /// True if its exact surface has no edges: facets are only an approximation of it.
    const IS_ROUND: bool = false;
    /// Distance of the tessellation's vertices from the surface at most \[m\]; exact if nearly zero.
    #[cfg(test)]
    const TOLERANCE: f64 = 1e-12;

    /// Returns the problem of an invalid shape, with a remedy.
    fn problem(&self) -> Option<&'static str> {
        None
    }

    /// True if a local point is certainly farther away than `reach` \[m\], by a test of few multiplications.
    /// False is always a valid answer.
    #[inline(always)]
    fn surely_farther(&self, _point: Vec3<f64>, _reach: f64) -> bool {
        false
    }

    /// Signed distance of a local point; may be `None` if it is certainly farther away than `reach` \[m\].
    fn nearest(&self, p: Vec3<f64>, reach: f64) -> Option<SignedDistance>;

    /// Returns the vertices \[m\] and triangles of polyhedral shapes, which thin bodies could pass between
    /// their own vertices.
    fn collision_mesh(&self) -> Option<TriMesh> {
        None
    }

    /// Returns the surface as triangles that face outwards \[m\]; of an unbounded shape, a part with sides of
    /// `extent` \[m\].
    fn surface_mesh(&self, extent: f64) -> TriMesh;

    /// Samples for the tests that every shape passes, of about a metre.
    #[cfg(test)]
    fn samples() -> Vec<Self>;
}

/// True for a positive finite number.
fn is_positive(v: f64) -> bool {
    v > 0.0 && v.is_finite()
}
