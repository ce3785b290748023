//! Dynamics: time integration, and the forces and damping that are not elements.
//!
//! * `integrator.rs`: time integrators and the problem that each poses to a solver
//! * `momentum.rs`: conservation of momentum of unconstrained components
//! * `rigid_motion.rs`: rigid motion of a set of vertices; damping of the deviation from it
//! * `viscosity.rs`: stiffness-proportional damping
//! * `wind.rs`: wind forces on triangles
//! * `inversion_guard.rs`: Projective Dynamics without volume terms near inverted elements

pub(crate) mod integrator;
pub(crate) mod inversion_guard;
pub(crate) mod momentum;
pub(crate) mod rigid_motion;
pub(crate) mod viscosity;
pub(crate) mod wind;
