//! Scenes of rigid bodies that hang from cloth, tear it or are thrown at it.

use super::{contact_spec, grid, shifted};
use crate::describe::{
    Cloth, ColliderSpec, CollidesWithSpec, DampingSpec, FabricSpec, GridShape, IcosphereShape,
    Orient, PatternSpec, Pin, Placement, RigidAttachmentSpec, RigidBody, SceneDescription,
    Selection, ShapeSpec, SheetMesh, SolverSpec, Start, TearSpec, TorusShape,
};

/// Vertices in a box \[m\] attached to a rigid body.
fn rigid_attachment(low: [f64; 3], high: [f64; 3], to: &str) -> RigidAttachmentSpec {
    let at = Selection { inside: Some([low, high]), ..Selection::default() };
    RigidAttachmentSpec { at, to: to.to_owned() }
}

/// Five stripes of denim, 4 cm × 30 cm, `n` vertices wide, hang from a beam, each with a rigid body of 10 g
/// at its lower end: a box, a ball, a ring, a rod, a wedge. The first one starts in motion and strikes the
/// others.
///
/// Shows cloth attached to static bodies above and, with two-way coupling, to rigid bodies below (Position
/// Based Dynamics, figure 8).
pub fn stripes(n: usize) -> SceneDescription {
    let (width, length, apart, mass) = (0.04, 0.3, 0.075, 0.01);
    let rows = (15 * n.saturating_sub(1)).div_ceil(2) + 1;
    let names = ["box", "ball", "ring", "rod", "wedge"];
    let stripe = |k: usize| {
        let x = apart * k as f64;
        // The stripes face along x, so that they swing against each other.
        let place = Placement {
            axis: Some([0.0, 1.0, 0.0]),
            degrees: Some(-90.0),
            shift: Some([x, length, -0.5 * width]),
            scale: None,
        };
        let mesh = grid([n, rows], [width, length]);
        let hanging = mesh.grid.map(|g| GridShape { orient: Some(Orient::Vertical), ..g });
        let ends = |y: f64| ([x - 1e-3, y - 1e-6, -1.0], [x + 1e-3, y + 1e-6, 1.0]);
        let (low, high) = ends(0.0);
        let (upper, over) = ends(length);
        Cloth {
            name: format!("stripe {k}"),
            mesh: SheetMesh { grid: hanging, ..SheetMesh::default() },
            material: FabricSpec {
                damping: Some(DampingSpec { drag: Some(1.0), ..DampingSpec::default() }),
                ..FabricSpec::preset("denim")
            },
            place: Some(place),
            contact: contact_spec(1.0e-3, CollidesWithSpec::Itself),
            pin: vec![Pin::inside(upper, over)],
            attach_to: vec![rigid_attachment(low, high, names[k])],
            ..Cloth::default()
        }
    };
    // Each is half as high as wide, and slightly below its stripe.
    let gap = 0.003;
    let body = |k: usize| {
        let x = apart * k as f64;
        let middle = [x, -gap - 0.025, 0.0];
        let loose = RigidBody { mass: Some(mass), ..RigidBody::default() }.named(names[k]);
        match k {
            0 => RigidBody {
                shape: vec![ShapeSpec::cuboid(middle, [0.05; 3])],
                start: Some(Start { velocity: Some([2.0, 0.0, 0.0]), ..Start::default() }),
                ..loose
            },
            1 => {
                let ball = IcosphereShape { radius: 0.025, subdivisions: 2 };
                let mesh = SheetMesh { icosphere: Some(ball), ..SheetMesh::default() };
                RigidBody { shape: vec![ShapeSpec::mesh(mesh)], place: shifted(middle), ..loose }
            }
            2 => {
                let ring = TorusShape { major: 0.025, minor: 0.008, around: 20, across: 8 };
                let mesh = SheetMesh { torus: Some(ring), ..SheetMesh::default() };
                // In the plane of its stripe.
                let place = Placement {
                    axis: Some([0.0, 0.0, 1.0]),
                    degrees: Some(90.0),
                    shift: Some([x, -gap - 0.033, 0.0]),
                    scale: None,
                };
                RigidBody { shape: vec![ShapeSpec::mesh(mesh)], place: Some(place), ..loose }
            }
            3 => {
                let ends = [[x, -gap - 0.015, -0.03], [x, -gap - 0.015, 0.03]];
                let rod = ShapeSpec::capsule(ends[0], ends[1], 0.015);
                RigidBody { shape: vec![rod], ..loose }
            }
            _ => {
                let corner = |a: f64, y: f64, z: f64| [x + a, y, z];
                let points = [-0.03, 0.03].map(|z| {
                    [corner(-0.02, -gap, z), corner(0.02, -gap, z), corner(0.0, -gap - 0.05, z)]
                });
                RigidBody { shape: vec![ShapeSpec::convex(points.concat())], ..loose }
            }
        }
    };
    let beam = ColliderSpec::cuboid([2.0 * apart, length + 0.015, 0.0], [0.4, 0.02, 0.06]);
    SceneDescription {
        cloth: (0..5).map(stripe).collect(),
        rigid: (0..5).map(body).collect(),
        collider: vec![beam.named("beam")],
        ..SceneDescription::default()
    }
}

/// A sheet of weak rubber, 1 m × 1 m, `n` × `n` vertices, hangs by its upper edge. A cube attached to its
/// centre tears it open, and a thrown ball rips it apart.
///
/// Shows tearing by rigid bodies (Position Based Dynamics, figure 10).
pub fn ripped_cloth(n: usize) -> SceneDescription {
    let mesh = grid([n, n], [1.0, 1.0]);
    let hanging = mesh.grid.map(|g| GridShape {
        orient: Some(Orient::Vertical),
        pattern: Some(PatternSpec::Alternating),
        ..g
    });
    let sheet = Cloth {
        name: "sheet".to_owned(),
        mesh: SheetMesh { grid: hanging, ..SheetMesh::default() },
        material: FabricSpec {
            young: Some(3.0e5),
            damping: Some(DampingSpec { drag: Some(1.0), ..DampingSpec::default() }),
            ..FabricSpec::preset("rubber")
        },
        place: shifted([-0.5, 1.0, 0.0]),
        contact: contact_spec(2.0e-3, CollidesWithSpec::Itself),
        pin: vec![Pin::inside([-1.0, 1.0 - 1e-6, -1.0], [1.0, 1.0 + 1e-6, 1.0])],
        attach_to: vec![rigid_attachment([-0.3, 0.35, -1.0], [-0.15, 0.5, 1.0], "cube")],
        tear: Some(TearSpec { stretch: 1.3, mode: None, most: None }),
        ..Cloth::default()
    };
    let cube = RigidBody::cuboid([-0.22, 0.42, 0.063], [0.12; 3], 1200.0).named("cube");
    let ball = IcosphereShape { radius: 0.09, subdivisions: 2 };
    let ball = RigidBody {
        shape: vec![ShapeSpec::mesh(SheetMesh { icosphere: Some(ball), ..SheetMesh::default() })],
        density: Some(500.0),
        place: shifted([0.2, 0.45, 3.0]),
        start: Some(Start { velocity: Some([0.0, 2.4, -6.0]), ..Start::default() }),
        ..RigidBody::default()
    };
    SceneDescription {
        cloth: vec![sheet],
        rigid: vec![cube, ball.named("ball")],
        collider: vec![ColliderSpec::ground(-0.6)],
        frames: Some(120),
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}
