//! Scenes of cloth that falls on round or sharp colliders, or on itself.

use std::f64::consts::TAU;

use super::{contact_spec, cotton, grid, shifted, square, unit_vector};
use crate::describe::{
    Appearance, BallShape, Cloth, ColliderSpec, CollidesWithSpec, Color, DampingSpec, GridShape,
    Orient, PatternAppearance, PatternKind, Pin, Placement, RingShape, SceneDescription, SheetMesh,
    SolidBody, SolidMesh, SolidSpec, SolverSpec,
};

/// A checked tablecloth of 1 m × 1 m, `n` × `n` vertices, falls askew over a ball, a soft ring and the ground, and
/// slides into folds; a soft striped ball lands on it.
///
/// Shows contact with colliders, between bodies of several kinds, and of the cloth with itself; the default scene of
/// the command-line tool.
pub fn tablecloth(n: usize) -> SceneDescription {
    let checks = PatternAppearance {
        kind: PatternKind::Gingham,
        color: Color([0xc8, 0x45, 0x3c]),
        repeat: [10.0, 10.0],
    };
    let stripes = PatternAppearance {
        kind: PatternKind::Stripes,
        color: Color([0x2f, 0x7f, 0x9e]),
        repeat: [6.0, 0.0],
    };
    let linen = Color([0xf6, 0xf1, 0xe6]);
    let colored = |color, pattern| Some(Appearance { color: Some(color), back: None, pattern });
    let cloth = Cloth {
        name: "tablecloth".to_owned(),
        mesh: grid([n, n], [1.0, 1.0]),
        material: cotton(1.0),
        place: Some(Placement {
            axis: Some([1.0, 0.0, 0.5]),
            degrees: Some(7.0),
            shift: Some([-0.44, 0.41, -0.42]),
            scale: None,
        }),
        contact: contact_spec(3.0e-3, CollidesWithSpec::Itself),
        appearance: colored(linen, Some(checks)),
        ..Cloth::default()
    };
    let damping = DampingSpec { internal: Some(4.0), ..DampingSpec::default() };
    let soft =
        SolidSpec { young: Some(3.0e4), damping: Some(damping), ..SolidSpec::preset("jelly") };
    let ball = BallShape { radius: 0.09, layers: 3 };
    let striped = SolidBody {
        name: "striped ball".to_owned(),
        mesh: SolidMesh { sphere: Some(ball), ..SolidMesh::default() },
        material: soft.clone(),
        place: Some(Placement {
            axis: Some([0.3, 0.2, 1.0]),
            degrees: Some(40.0),
            shift: Some([0.40, 0.60, 0.22]),
            scale: None,
        }),
        contact: contact_spec(3.0e-3, CollidesWithSpec::Bodies),
        appearance: colored(linen, Some(stripes)),
        ..SolidBody::default()
    };
    let ring = RingShape { major: 0.11, minor: 0.04, around: 24, layers: 1, square: false };
    let ring = SolidBody {
        name: "ring".to_owned(),
        mesh: SolidMesh { ring: Some(ring), ..SolidMesh::default() },
        material: soft,
        place: shifted([-0.30, 0.05, 0.27]),
        contact: contact_spec(3.0e-3, CollidesWithSpec::Bodies),
        appearance: colored(Color([0x3f, 0x8f, 0x6f]), None),
        ..SolidBody::default()
    };
    let ball = ColliderSpec::sphere([0.0, 0.18, 0.0], 0.18).named("ball").friction(0.2);
    SceneDescription {
        cloth: vec![cloth],
        solid: vec![striped, ring],
        collider: vec![
            ColliderSpec { appearance: colored(Color([0xe2, 0xb0, 0x4a]), None), ..ball },
            ColliderSpec::ground(0.0).friction(0.5),
        ],
        frames: Some(120),
        solver: Some(SolverSpec::named("xpbd").with("substeps", 15_usize)),
        ..SceneDescription::default()
    }
}

/// A square of cotton, 60 cm, `n` × `n` vertices, falls on a ball of 15 cm above the ground.
///
/// Shows contact with colliders, friction, and folds in self-contact.
pub fn cloth_on_ball(n: usize) -> SceneDescription {
    SceneDescription {
        cloth: vec![Cloth {
            name: "cloth".to_owned(),
            contact: contact_spec(2.0e-3, CollidesWithSpec::Itself),
            ..square(n, 0.6, 0.2)
        }],
        collider: vec![
            ColliderSpec::sphere([0.0; 3], 0.15).named("ball").friction(0.5),
            ColliderSpec::ground(-0.25),
        ],
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// A square of cotton, 40 cm, `n` × `n` vertices, falls on sixteen needles whose tips lie between its
/// vertices.
///
/// Shows that sharp features do not pass between vertices.
pub fn needle_bed(n: usize) -> SceneDescription {
    let needle = |i: usize| {
        let [x, z] = [0.03 + 0.08 * (i % 4) as f64 - 0.12, 0.02 + 0.08 * (i / 4) as f64 - 0.12];
        let mut points = vec![[x, 0.12, z]];
        for k in 0..6 {
            let [c, s] = unit_vector(TAU * f64::from(k) / 6.0);
            points.push([x + 0.005 * c, 0.0, z + 0.005 * s]);
        }
        ColliderSpec::convex(points).named(&format!("needle {i}")).friction(0.5)
    };
    SceneDescription {
        cloth: vec![Cloth { name: "cloth".to_owned(), ..square(n, 0.4, 0.14) }],
        collider: (0..16).map(needle).chain([ColliderSpec::ground(0.0)]).collect(),
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// A square of cotton, 40 cm, `n` × `n` vertices, falls on the edge of a thin wedge at an oblique angle,
/// and hangs there.
///
/// Shows edge–edge contact: no vertex of one meets a face of the other.
pub fn knife_edge(n: usize) -> SceneDescription {
    // Direction ratio of five to twelve: the edge is parallel to no line of vertices.
    let [c, s] = [12.0 / 13.0, 5.0 / 13.0];
    let corner = |along: f64, height: f64, across: f64| {
        [c * along - s * across, height, s * along + c * across]
    };
    let mut points = Vec::new();
    for along in [-0.26, 0.26] {
        points.extend([
            corner(along, 0.25, 0.0),
            corner(along, 0.0, -0.02),
            corner(along, 0.0, 0.02),
        ]);
    }
    SceneDescription {
        cloth: vec![Cloth { name: "cloth".to_owned(), ..square(n, 0.4, 0.27) }],
        collider: vec![
            ColliderSpec::convex(points).named("knife").friction(0.8),
            ColliderSpec::ground(0.0),
        ],
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// Five squares of cotton, 32 cm and 2 mm thick, `n` × `n` vertices, fall on a ball of 12 cm and on each
/// other.
///
/// Shows layers that keep their order.
pub fn five_layers(n: usize) -> SceneDescription {
    let sheet = |k: usize| {
        let (side, height) = (0.32, 0.13 + 0.02 * k as f64);
        // Each layer is rotated a little against the previous one, about its own centre.
        let degrees = 20.0 * k as f64;
        let [c, s] = unit_vector(degrees * TAU / 360.0);
        let shift = [-0.5 * side * (c + s), height, -0.5 * side * (c - s)];
        let axis = Some([0.0, 1.0, 0.0]);
        let place = Placement { axis, degrees: Some(degrees), shift: Some(shift), scale: None };
        Cloth {
            name: format!("layer {k}"),
            place: Some(place),
            contact: contact_spec(2.0e-3, CollidesWithSpec::Itself),
            ..square(n, side, height)
        }
    };
    SceneDescription {
        cloth: (0..5).map(sheet).collect(),
        collider: vec![
            ColliderSpec::sphere([0.0; 3], 0.12).named("ball").friction(0.5),
            ColliderSpec::ground(-0.2),
        ],
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// A hanging sheet of cotton, 31 cm × 44 cm, `n` vertices wide, is lowered by its upper edge, which moves
/// to and fro: it folds into four layers.
///
/// Shows self-contact (Position Based Dynamics, figure 6: 1364 vertices, as here for `n = 31`).
pub fn folded_sheet(n: usize) -> SceneDescription {
    let rows = (n * 44).div_ceil(31);
    let (width, height) = (0.31, 0.44);
    let mesh = grid([n, rows], [width, height]);
    let hanging = mesh.grid.map(|g| GridShape { orient: Some(Orient::Vertical), ..g });
    // A layer of 11 cm takes half a second; the edge descends by the length that it lays down.
    let way: Vec<(f64, [f64; 3])> = (0..=8)
        .map(|k| {
            let z = [0.0, 0.055, 0.0, -0.055][k % 4];
            (0.25 * k as f64, [0.0, -(height - 0.02) * k as f64 / 8.0, z])
        })
        .collect();
    let sheet = Cloth {
        name: "sheet".to_owned(),
        mesh: SheetMesh { grid: hanging, ..SheetMesh::default() },
        material: cotton(2.0),
        place: shifted([-0.5 * width, height + 0.005, 0.0]),
        contact: contact_spec(1.0e-3, CollidesWithSpec::Itself),
        pin: vec![Pin::vertices(0..n).path(&way)],
        ..Cloth::default()
    };
    SceneDescription {
        cloth: vec![sheet],
        collider: vec![ColliderSpec::ground(0.0).friction(0.6)],
        ..SceneDescription::default()
    }
}
