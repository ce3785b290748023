//! Scenes of cloth that tumbles, is wound up, or is hit by a projectile.

use super::{contact_spec, cotton, grid, shifted, square, unit_vector};
use crate::describe::{
    BallShape, Cloth, ColliderSpec, CollidesWithSpec, CylinderShape, FabricSpec, Pin, Placement,
    SceneDescription, ShapeSpec, SheetMesh, SolidBody, SolidMesh, SolidSpec, SolverSpec, Start,
};

/// A square of cotton, 40 cm, `n` × `n` vertices, tumbles in a barrel of 60 cm with four paddles that turns
/// once in two and a half seconds.
///
/// Shows a moving, hollow collider (Position Based Dynamics, figure 9).
pub fn barrel(n: usize) -> SceneDescription {
    let (radius, length, rate) = (0.3, 0.5, 2.5);
    let tube = CylinderShape { radius, height: length, around: 36, along: 2, closed: true };
    // The axis of the barrel is along z.
    let place =
        Placement { axis: Some([1.0, 0.0, 0.0]), degrees: Some(90.0), ..Placement::default() };
    let axis = [0.0, 0.0, 1.0];
    let drum = ColliderSpec {
        name: "drum".to_owned(),
        shape: vec![ShapeSpec::mesh(SheetMesh { cylinder: Some(tube), ..SheetMesh::default() })],
        hollow: true,
        place: Some(Placement { shift: Some([0.0, 0.0, -0.5 * length]), ..place }),
        friction: Some(0.4),
        ..ColliderSpec::default()
    };
    let paddle = |k: usize| {
        let angle = std::f64::consts::FRAC_PI_2 * (k as f64 + 0.5);
        let [c, s] = unit_vector(angle);
        let center = [0.25 * c, 0.25 * s, 0.0];
        let lean = crate::describe::Rotation { axis, degrees: 90.0 * (k as f64 + 0.5) };
        // Through the wall and both ends, without gaps that could catch the cloth.
        let paddle = ColliderSpec::cuboid(center, [0.12, 0.04, 1.04 * length]);
        ColliderSpec { turn: Some(lean), ..paddle }.named(&format!("paddle {k}"))
    };
    let parts = [drum].into_iter().chain((0..4).map(paddle));
    SceneDescription {
        cloth: vec![Cloth {
            name: "cloth".to_owned(),
            contact: contact_spec(2.0e-3, CollidesWithSpec::Itself),
            ..square(n, 0.36, -0.05)
        }],
        collider: parts.map(|part| part.spin([0.0; 3], axis, rate)).collect(),
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// A strip of cotton, 10 cm × 40 cm, `n` vertices wide, whose ends twist in opposite directions at a turn
/// per second each.
///
/// Shows a cloth wound up on itself, with increasing self-contact.
pub fn twist(n: usize) -> SceneDescription {
    let (width, length) = (0.1, 0.4);
    let rate = std::f64::consts::TAU;
    let along = 4 * n.saturating_sub(1) + 1;
    // Winding takes up length, so that the ends approach each other.
    let end = |x: f64, rate: f64, drift: f64| {
        let mut pin = Pin::inside([x - 1e-6, -1.0, -1.0], [x + 1e-6, 1.0, 1.0]).spin(
            [0.0; 3],
            [1.0, 0.0, 0.0],
            rate,
        );
        pin.spin.iter_mut().for_each(|s| s.drift = Some([drift, 0.0, 0.0]));
        pin
    };
    let half = 0.5 * length;
    let strip = Cloth {
        name: "strip".to_owned(),
        mesh: grid([along, n], [length, width]),
        material: FabricSpec { thickness: Some(0.5e-3), ..cotton(2.0) },
        place: shifted([-half, 0.0, -0.5 * width]),
        contact: contact_spec(0.5e-3, CollidesWithSpec::Itself),
        pin: vec![end(-half, rate, 0.02), end(half, -rate, -0.02)],
        ..Cloth::default()
    };
    SceneDescription {
        cloth: vec![strip],
        frames: Some(120),
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// A ball of hard rubber, 2 cm, hits a square of denim, 40 cm, 1 mm thick, `n` × `n` vertices, pinned along
/// its border, at 100 m/s.
///
/// Shows that fast motion causes no tunnelling: without contact the ball would move 17 cm in a frame.
pub fn bullet(n: usize) -> SceneDescription {
    let side = 0.4;
    let hung = Placement {
        axis: Some([1.0, 0.0, 0.0]),
        degrees: Some(-90.0),
        shift: Some([-0.5 * side, -0.5 * side, 0.0]),
        scale: None,
    };
    let far = 1e-6;
    let h = 0.5 * side;
    let border = |low: [f64; 2], high: [f64; 2]| {
        Pin::inside([low[0] - far, low[1] - far, -1.0], [high[0] + far, high[1] + far, 1.0])
    };
    let cloth = Cloth {
        name: "cloth".to_owned(),
        material: FabricSpec::preset("denim"),
        place: Some(hung),
        contact: contact_spec(1.0e-3, CollidesWithSpec::Itself),
        pin: vec![
            border([-h, -h], [-h, h]),
            border([h, -h], [h, h]),
            border([-h, -h], [h, -h]),
            border([-h, h], [h, h]),
        ],
        ..square(n, side, 0.0)
    };
    let ball = SolidBody {
        name: "bullet".to_owned(),
        mesh: SolidMesh {
            sphere: Some(BallShape { radius: 0.01, layers: 2 }),
            ..SolidMesh::default()
        },
        material: SolidSpec::new(1100.0, 1.0e7, 0.4),
        place: shifted([0.013, 0.017, 0.05]),
        start: Some(Start { velocity: Some([0.0, 0.0, -100.0]), ..Start::default() }),
        contact: contact_spec(1.0e-3, CollidesWithSpec::Bodies),
        ..SolidBody::default()
    };
    // Short frames, so that the deformation of the cloth is visible.
    let solver = SolverSpec::named("xpbd");
    SceneDescription {
        cloth: vec![cloth],
        solid: vec![ball],
        solver: Some(solver),
        time_step: Some(1.0 / 600.0),
        frames: Some(30),
        ..SceneDescription::default()
    }
}
