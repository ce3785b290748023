//! What cannot be linked, by name.

use rapier3d::prelude::{ColliderHandle, RigidBodyHandle};

/// Why a world and a simulation cannot be linked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A collider has a shape that cannot be carried over.
    #[error(
        "collider {collider:?} is a {shape}, which has no counterpart; leave it out with `Link::only`, or give it \
         another shape (ball, cuboid, capsule, cylinder, cone, convex hull, mesh, height field, or a compound)"
    )]
    Shape {
        /// The collider.
        collider: ColliderHandle,
        /// What it is.
        shape: &'static str,
    },
    /// A half-space belongs to a body that moves.
    #[error(
        "collider {collider:?} is a half-space on a body that moves; fix the body, or use a large box"
    )]
    MovingHalfSpace {
        /// The collider.
        collider: ColliderHandle,
    },
    /// A collider's mesh, or a body's mass, is refused by the engine.
    #[error("collider {collider:?}: {problem}")]
    Collider {
        /// The collider, or the first one of the body.
        collider: ColliderHandle,
        /// Why.
        problem: pliant::Error,
    },
    /// A body that was linked is no longer in the world, or has become another kind of body.
    #[error("body {body:?} was linked as a {kind} body and is none any more; link again")]
    Gone {
        /// The body.
        body: RigidBodyHandle,
        /// What it was.
        kind: &'static str,
    },
    /// Something is to be attached to a body that is not linked.
    #[error(
        "body {body:?} is not linked: it has no collider that touches; nothing can be attached to it"
    )]
    NotLinked {
        /// The body.
        body: RigidBodyHandle,
    },
    /// The simulation was not made from the scene that was linked.
    #[error(
        "the simulation has no body {body} of the link; make it from the scene that was linked"
    )]
    OtherScene {
        /// The number of the body.
        body: usize,
    },
    /// The engine refuses something.
    #[error(transparent)]
    Engine(#[from] pliant::Error),
}
