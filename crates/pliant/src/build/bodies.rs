//! Bodies from meshes: which elements a cloth, a solid, a strand or a spring network is made of;
//! and those that have none, because they are rigid or move as they are told.

mod animated;
mod cloth;
mod rigid;
mod solid;
mod springs;
mod strand;

pub(super) use rigid::Fastened;
pub use solid::Examples;

/// The largest of several stiffnesses, and each as a share of it, so that PBD's stiffness of the
/// stiffest is the user's.
fn shares_of<const M: usize>(stiffness: [f64; M]) -> (f64, [f64; M]) {
    let stiffest = stiffness.iter().copied().fold(0.0, f64::max);
    let share = |k: f64| if stiffest > 0.0 { k / stiffest } else { 0.0 };
    (stiffest, stiffness.map(share))
}
