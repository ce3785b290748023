//! Errors of the coupling.

use rapier3d::prelude::{ColliderHandle, RigidBodyHandle};

/// Error of the coupling of a world and a simulation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A collider has an unsupported shape.
    #[error(
        "collider {collider:?} is a {shape}, which Pliant does not support; exclude it with \
         `RapierCoupling::only` or use another shape (ball, cuboid, capsule, cylinder, cone, \
         convex hull, mesh, height field or compound)"
    )]
    Shape {
        /// Handle of the collider.
        collider: ColliderHandle,
        /// Name of the shape.
        shape: &'static str,
    },
    /// A half-space belongs to a moving body.
    #[error(
        "collider {collider:?} is a half-space on a non-fixed body; fix the body or use a large box"
    )]
    MovingHalfSpace {
        /// Handle of the collider.
        collider: ColliderHandle,
    },
    /// The engine rejects a collider's mesh or a body's mass.
    #[error("collider {collider:?}: {problem}")]
    Collider {
        /// Handle of the collider, or of the first one of the body.
        collider: ColliderHandle,
        /// Error of the engine.
        problem: pliant::Error,
    },
    /// A coupled body was removed from the world, or changed its type.
    #[error(
        "body {body:?} was coupled as a {kind} body and has changed its type; create the coupling \
         again"
    )]
    BodyChanged {
        /// Handle of the body.
        body: RigidBodyHandle,
        /// Original type of the body.
        kind: &'static str,
    },
    /// A vertex is to be attached to a body that is not coupled.
    #[error(
        "body {body:?} is not coupled, because it has no colliders with contact; add one before \
         attaching to it"
    )]
    NotCoupled {
        /// Handle of the body.
        body: RigidBodyHandle,
    },
    /// The simulation was not made from the coupled scene.
    #[error("the simulation lacks body {body} of the coupling; build it from the coupled scene")]
    SceneMismatch {
        /// Index of the body.
        body: usize,
    },
    /// The engine returned an error.
    #[error(transparent)]
    Engine(#[from] pliant::Error),
}
