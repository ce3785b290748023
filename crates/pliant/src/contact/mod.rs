//! Contact: detection and response, shared by all solvers.
//!
//! ```text
//! untangle           once per step: existing intersections become separation constraints     `ContactPipeline`
//! detect             once per substep, from the path x → s of every vertex: a list of contacts, each a half-space
//!                    for y = Σ a_k x_k that holds for the substep (Position Based Dynamics §3.4)
//! solve              position-based solvers project each contact after the elements          `ContactSet::relax`
//!                    energy-based solvers add its force and stiffness                        `ContactSet::add_forces`
//! relax              after the solve: a few sweeps remove the remaining penetration          `ContactSet::relax`
//! prevent_crossings  CCD on the path x → x' of the solution; crossings are projected out or clamped, without
//!                    adding velocity                                                         `ContactPipeline`
//! apply_restitution  removes approach velocity at active contacts and returns its elastic part `ContactSet`
//! depenetrate        at the end of the step (in intersection-free mode, of every substep): removes the rest of the
//!                    penetration without adding velocity                                     `ContactPipeline`
//! ```
//!
//! A contact has a multiplier `λ`: the force that it has transmitted so far, along the normal and across it. The normal
//! part never pulls, and the tangential part stays in Coulomb's cone, `|λ_t| ≤ μ λ_n`. Slip is measured from the
//! contact's anchor: its position at the start of the substep, or the one where friction has held it since before
//! (`solver/friction.rs`). A body that friction can hold therefore sticks exactly, instead of being slowed down.
//!
//! ```text
//! pipeline/      the stages above, and clamping of motion that would cross
//! broad_phase/   pairs of primitives (triangles, segments) whose features may touch
//! narrow_phase/  continuous tests of feature pairs; contacts of vertices with colliders
//! solver/        contact constraints, friction, sweeps, impact zones
//! untangle/      exact detection of intersections, and constraints that resolve them
//! report.rs      contact report and contact mode
//! ```

mod broad_phase;
mod narrow_phase;
mod pipeline;
mod report;
mod solver;
mod untangle;

pub use crate::model::collider::Collider;
pub use crate::model::collider::pose::Pose;
pub use crate::model::collider::shape::{DistanceField, Shape};
/// Shapes of colliders, and their forms in scene files.
pub mod shape {
    pub use crate::model::collider::shape::*;
}
pub use crate::model::contact_material::{CollidesWith, ContactMaterial};
pub use narrow_phase::collider::SubstepMotion;
pub(crate) use pipeline::{ContactPipeline, resting_speed};
pub use report::{ContactMode, ContactReport};
pub use solver::constraint::{ContactConstraint, MAX_VERTICES};
pub(crate) use solver::friction::FrictionAnchor;
pub use solver::set::ContactSet;
pub(crate) use solver::set::POST_SOLVE_PENETRATION_TOLERANCE;
pub(crate) use solver::stiffness::CoupledBlock;
