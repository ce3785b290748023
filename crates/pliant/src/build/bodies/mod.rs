//! Bodies from meshes: the elements of a cloth, a solid, a strand or a spring network, and bodies without elements of
//! their own: rigid and animated ones.

mod animated;
mod cloth;
mod rigid;
mod solid;
mod springs;
mod strand;

pub(super) use crate::build::bodies::rigid::RigidAttachment;
pub use crate::build::bodies::solid::Examples;

/// Returns the largest of several stiffnesses, and each as a fraction of it, so that the PBD stiffness of the stiffest
/// is the user's.
fn relative_stiffness<const M: usize>(stiffness: [f64; M]) -> (f64, [f64; M]) {
    let stiffest = stiffness.iter().copied().fold(0.0, f64::max);
    let share = |k: f64| if stiffest > 0.0 { k / stiffest } else { 0.0 };
    (stiffest, stiffness.map(share))
}
