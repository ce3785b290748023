//! Scene of an inflated figure between gears.

use super::{contact_spec, shifted};
use crate::describe::{
    BalloonSpec, Cloth, ColliderSpec, CollidesWithSpec, DampingSpec, FabricSpec, SceneDescription,
    ShapeSpec, SolverSpec, Start,
};
use crate::shapes::{Capsule, Gear, SmoothUnion, triangle_list};

/// A figure of thin rubber, 34 cm high and full of air, is drawn between two counter-rotating gears, and
/// comes out below. Cells of 1/`n` of its height.
///
/// Shows a balloon squeezed by gear teeth and in self-contact (Position Based Dynamics, figure 1).
pub fn squeezed_figure(n: usize) -> SceneDescription {
    let mesh = figure().mesh(0.34 / n.max(1) as f64);
    let rubber = FabricSpec {
        thickness: Some(0.5e-3),
        density: Some(0.46),
        young: Some(4.0e5),
        bending: Some(3.0e-5),
        damping: Some(DampingSpec { drag: Some(1.0), ..DampingSpec::default() }),
        ..FabricSpec::preset("rubber")
    };
    let body = Cloth {
        name: "figure".to_owned(),
        mesh: triangle_list(&mesh),
        material: rubber,
        place: shifted([0.0, 0.12, 0.0]),
        start: Some(Start { velocity: Some([0.0, -0.5, 0.0]), ..Start::default() }),
        contact: contact_spec(2.0e-3, CollidesWithSpec::Itself),
        balloon: Some(BalloonSpec {
            factor: Some(1.05),
            bulk: Some(2.0e3),
            ..BalloonSpec::default()
        }),
        ..Cloth::default()
    };
    // The tips reach to within 2 cm of the opposite roots, and teeth mesh with notches.
    let (teeth, radii, apart, rate) = (10, [0.1, 0.125], 0.135, 2.0);
    let gear = |side: f64| {
        let phase = if side > 0.0 { std::f64::consts::PI / teeth as f64 } else { 0.0 };
        let wheel = Gear { teeth, radii, width: 0.24, phase };
        let name = if side > 0.0 { "right gear" } else { "left gear" };
        let center = [apart * side, 0.0, 0.0];
        let mesh = ShapeSpec::mesh(triangle_list(&wheel.mesh()));
        let collider = ColliderSpec { place: shifted(center), ..ColliderSpec::of(mesh) };
        // Both gears draw the figure in from above.
        collider.named(name).friction(0.8).spin(center, [0.0, 0.0, 1.0], side * rate)
    };
    SceneDescription {
        cloth: vec![body],
        collider: vec![gear(-1.0), gear(1.0), ColliderSpec::ground(-0.45)],
        frames: Some(180),
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// A figure with its feet at the origin.
fn figure() -> SmoothUnion {
    let limb = |from: [f64; 3], to: [f64; 3], radius: f64| Capsule { from, to, radius };
    let mut limbs = vec![
        limb([0.0, 0.13, 0.0], [0.0, 0.18, 0.0], 0.055),
        limb([0.0, 0.28, 0.0], [0.0, 0.285, 0.0], 0.05),
    ];
    for side in [-1.0, 1.0] {
        limbs.push(limb([0.04 * side, 0.1, 0.0], [0.055 * side, 0.03, 0.0], 0.028));
        limbs.push(limb([0.055 * side, 0.025, 0.0], [0.055 * side, 0.025, 0.03], 0.026));
        limbs.push(limb([0.04 * side, 0.2, 0.0], [0.125 * side, 0.23, 0.0], 0.025));
        limbs.push(limb([0.03 * side, 0.325, 0.0], [0.035 * side, 0.33, 0.0], 0.02));
    }
    SmoothUnion { capsules: limbs, blend: 0.03 }
}
