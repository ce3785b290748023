//! Scenes of many bodies in contact.

use std::f64::consts::TAU;

use pliant::Motion;

use super::{contact_spec, grid, shifted};
use crate::describe::{
    BallShape, Cloth, ColliderSpec, CollidesWithSpec, DampingSpec, FabricSpec, Pin, Placement,
    SceneDescription, ShapeSpec, SolidBody, SolidMesh, SolidSpec, SolverSpec, Start, StrandBody,
    StrandMesh, StrandShape, ThreadSpec, WindSpec,
};

/// Three soft balls of 10 cm, `n` layers of tetrahedra each, compressed to two fifths of their height by a
/// descending plane, and released.
///
/// Shows solids between colliders and against each other; they recover their shape.
pub fn pressed_balls(n: usize) -> SceneDescription {
    let radius = 0.05;
    let ball = |k: usize| SolidBody {
        name: format!("ball {k}"),
        mesh: SolidMesh { sphere: Some(BallShape { radius, layers: n }), ..SolidMesh::default() },
        material: SolidSpec {
            damping: Some(DampingSpec { internal: Some(5.0), ..DampingSpec::default() }),
            ..SolidSpec::new(1000.0, 5.0e4, 0.4)
        },
        place: shifted([0.115 * (k as f64 - 1.0), radius, [0.0, 0.03, 0.0][k % 3]]),
        contact: contact_spec(1.0e-3, CollidesWithSpec::Bodies),
        ..SolidBody::default()
    };
    let down = [0.0, -0.6 * 2.0 * radius, 0.0];
    let plane = ShapeSpec::plane([0.0, 2.0 * radius + 0.002, 0.0], [0.0, -1.0, 0.0]);
    let press = ColliderSpec::of(plane).named("press").friction(0.3).path(&[
        (0.0, [0.0; 3]),
        (1.0, down),
        (1.2, down),
        (1.5, [0.0, 0.02, 0.0]),
    ]);
    SceneDescription {
        solid: (0..3).map(ball).collect(),
        collider: vec![ColliderSpec::ground(0.0).friction(0.3), press],
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// A brush of 105 nylon bristles, 6 cm, `n` vertices each, is dragged over a rod.
///
/// Shows strands that bend over a collider and touch each other (Fast Simulation of Mass-Spring Systems,
/// figure 5: 1995 vertices, as here for `n = 19`).
pub fn brush(n: usize) -> SceneDescription {
    let (length, apart) = (0.06, 0.006);
    // Forward and back, over the rod both times.
    let way = [(0.0, [0.0; 3]), (0.8, [0.14, 0.0, 0.0]), (1.0, [0.14, 0.0, 0.0]), (1.8, [0.0; 3])];
    let bristle = |k: usize| {
        let [i, j] = [k % 7, k / 7];
        let shape = StrandShape {
            vertices: n,
            length: Some(length),
            radius: None,
            pitch: None,
            turns: None,
            direction: Some([0.0, -1.0, 0.0]),
        };
        StrandBody {
            name: format!("bristle {k}"),
            mesh: StrandMesh { strand: Some(shape), points: None },
            material: ThreadSpec {
                damping: Some(DampingSpec { drag: Some(2.0), ..DampingSpec::default() }),
                ..ThreadSpec::new(1150.0, 3.0e8, 0.25e-3)
            },
            // Every other row is offset by half a spacing, as in a brush.
            place: shifted([
                apart * i as f64 - 0.06,
                length,
                apart * (j as f64 - 7.0 + 0.5 * (i % 2) as f64),
            ]),
            contact: contact_spec(1.0e-3, CollidesWithSpec::Bodies),
            pin: vec![Pin::vertices([0, 1]).path(&way)],
            ..StrandBody::default()
        }
    };
    let (from, to) = ([0.02, 0.005, -0.06], [0.02, 0.005, 0.06]);
    let rod = ColliderSpec::of(ShapeSpec::capsule(from, to, 0.012));
    SceneDescription {
        strand: (0..105).map(bristle).collect(),
        collider: vec![rod.named("rod").friction(0.2)],
        frames: Some(120),
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// `n` leaves of paper, 4 cm × 6 cm, fall through still air on the ground and on each other.
///
/// Shows many small bodies.
pub fn leaves(n: usize) -> SceneDescription {
    let leaf = |k: usize| {
        // Layers of eight by eight leaves, each leaf with a different orientation.
        let [i, j, layer] = [k % 8, k / 8 % 8, k / 64].map(|v| v as f64);
        let number = k as f64;
        let axis = [0.3 * (number % 3.0 - 1.0), 1.0, 0.3 * (number % 5.0 - 2.0) / 2.0];
        let degrees = 137.5 * number % 360.0;
        // Rotation about the leaf's centre: the resulting position of the corner at the origin.
        let turn =
            Motion::Spin { center: [0.0; 3], axis, rate: degrees * TAU / 360.0, drift: [0.0; 3] };
        let middle = turn.at([0.02, 0.0, 0.03], 1.0);
        let there = [0.078 * (i - 3.5), 0.06 + 0.08 * layer, 0.078 * (j - 3.5)];
        let shift = Some([0, 1, 2].map(|c| there[c] - middle[c]));
        let place = Placement { axis: Some(axis), degrees: Some(degrees), shift, scale: None };
        Cloth {
            name: format!("leaf {k}"),
            mesh: grid([3, 4], [0.04, 0.06]),
            material: FabricSpec::preset("paper"),
            place: Some(place),
            start: Some(Start { spin: Some([0.0, 0.5, 1.0]), ..Start::default() }),
            contact: contact_spec(0.5e-3, CollidesWithSpec::Bodies),
            ..Cloth::default()
        }
    };
    // Still air, whose drag slows the leaves.
    let wind = WindSpec { velocity: [0.0; 3], ..WindSpec::default() };
    SceneDescription {
        cloth: (0..n).map(leaf).collect(),
        wind: Some(wind),
        collider: vec![ColliderSpec::ground(0.0).friction(0.5)],
        ..SceneDescription::default()
    }
}
