//! Contact solver: contact constraints, and the methods that satisfy them.
//!
//! ```text
//! set.rs           contacts of a substep: merging, sweeps, forces for energy-based solvers, restitution
//! constraint.rs    one contact: a half-space with Coulomb friction, and its penalty form
//! stiffness.rs     blocks of contact stiffness, for solvers with a matrix
//! wide.rs          contacts of single vertices with colliders, relaxed in packs of four
//! vertex_index.rs  index from vertices to contacts
//! friction.rs      friction anchors, kept from substep to substep
//! impact_zones.rs  groups of connected contacts, moved apart together
//! ```

pub(crate) mod constraint;
pub(crate) mod friction;
pub(crate) mod impact_zones;
pub(crate) mod set;
pub(crate) mod stiffness;
mod sweeps;
pub(crate) mod vertex_index;
pub(crate) mod wide;
