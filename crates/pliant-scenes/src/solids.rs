//! Scenes of soft solids, and free flight.

use crate::describe::{
    Attachment, BallShape, BlockShape, BoundsSpec, Cloth, ContactSpec, DampingSpec, EntriesSpec,
    FabricSpec, GridShape, NoContactSpec, Pin, Placement, RingShape, SceneDescription, Selection,
    SheetMesh, SolidBody, SolidMesh, SolidSpec, SolverSpec, Start, StrainSpec, StrandBody,
    StrandMesh, StrandShape, ThreadSpec,
};

pub(crate) fn block(cells: [usize; 3], size: [f64; 3]) -> SolidMesh {
    SolidMesh { block: Some(BlockShape { cells, size }), ..SolidMesh::default() }
}

fn damped(material: SolidSpec, stiffness: f64) -> SolidSpec {
    let damping = DampingSpec { stiffness: Some(stiffness), ..DampingSpec::default() };
    SolidSpec { damping: Some(damping), ..material }
}

pub(crate) fn shifted(place: [f64; 3]) -> Option<Placement> {
    Some(Placement { shift: Some(place), ..Placement::default() })
}

fn single(solid: SolidBody) -> SceneDescription {
    SceneDescription { solid: vec![solid], ..SceneDescription::default() }
}

/// A rubber bar of 0.1 m × 0.1 m × 0.5 m, `n` cells thick, clamped at one end, bends under its weight.
///
/// Shows elasticity: the deflection of the tip agrees with beam theory, once `n` is large enough for linear
/// tetrahedra.
pub fn cantilever(n: usize) -> SceneDescription {
    single(SolidBody {
        mesh: block([5 * n, n, n], [0.5, 0.1, 0.1]),
        material: damped(SolidSpec::new(930.0, 1.0e6, 0.3), 0.02),
        pin: vec![Pin::inside([0.0, -1.0, -1.0], [0.0, 1.0, 1.0])],
        ..SolidBody::default()
    })
}

/// A foam bar of 1 m, `n` cells thick and 30 `n` long, whose ends twist in opposite directions at half a
/// turn per second each.
///
/// Shows large rotations with both ends pinned (Projective Dynamics, figure 12: 91 × 3 × 3 cells there, 90
/// × 3 × 3 here for `n = 3`). It has no volume term, so that all solvers minimise the same energy.
pub fn twisting_bar(n: usize) -> SceneDescription {
    let thick = 1.0 / 30.0;
    let rate = std::f64::consts::PI;
    let end = |x: f64, rate: f64| {
        Pin::inside([x, -1.0, -1.0], [x, 1.0, 1.0]).spin([0.0; 3], [1.0, 0.0, 0.0], rate)
    };
    let bar = SolidBody {
        mesh: block([30 * n, n, n], [1.0, thick, thick]),
        material: SolidSpec::preset("foam"),
        place: shifted([0.0, -0.5 * thick, -0.5 * thick]),
        pin: vec![end(0.0, rate), end(1.0, -rate)],
        ..SolidBody::default()
    };
    SceneDescription { frames: Some(300), ..single(bar) }
}

/// A cube of jelly, 10 cm, `n` cells on a side, on a plate that jerks sideways.
///
/// Shows a nearly incompressible solid.
pub fn jelly_block(n: usize) -> SceneDescription {
    let (here, side) = ([0.0; 3], [0.03, 0.0, 0.0]);
    let jerk = [(0.5, here), (0.6, side), (1.0, side), (1.1, here)];
    single(SolidBody {
        mesh: block([n, n, n], [0.1; 3]),
        material: damped(SolidSpec::preset("jelly"), 0.01),
        pin: vec![Pin::inside([-1.0, 0.0, -1.0], [1.0, 0.0, 1.0]).path(&jerk)],
        ..SolidBody::default()
    })
}

/// Three cubes of 10 cm, `n` cells on a side, with the same moduli but three different energies, compressed
/// to two fifths of their height in a second, held for one second and released.
///
/// Shows the differences between the energies far from rest: the first and the third keep their volume and
/// bulge, the second keeps the sum of its stretches and loses volume.
pub fn pressed_cubes(n: usize) -> SceneDescription {
    let (up, down) = ([0.0; 3], [0.0, -0.06, 0.0]);
    let press = [(0.0, up), (1.0, down), (2.0, down), (2.1, up)];
    let cube = |i: usize, name: &str, strain: StrainSpec| SolidBody {
        name: name.to_owned(),
        mesh: block([n, n, n], [0.1; 3]),
        material: SolidSpec {
            strain: Some(strain),
            damping: Some(DampingSpec { internal: Some(5.0), ..DampingSpec::default() }),
            ..SolidSpec::new(1000.0, 5.0e4, 0.4)
        },
        place: shifted([0.2 * i as f64, 0.0, 0.0]),
        pin: vec![
            Pin::inside([-1.0, 0.0, -1.0], [1.0, 0.0, 1.0]),
            Pin::inside([-1.0, 0.0999, -1.0], [1.0, 0.1001, 1.0]).path(&press),
        ],
        ..SolidBody::default()
    };
    let solid = vec![
        cube(0, "isotropic", StrainSpec::Isotropic),
        cube(1, "corotational", StrainSpec::Corotational),
        cube(2, "neo-hookean", StrainSpec::NeoHookean),
    ];
    SceneDescription {
        solid,
        solver: Some(SolverSpec::named("newton")),
        ..SceneDescription::default()
    }
}

/// Five rubber balls of 5 cm, `n` layers each, on elastic tethers, dropped from different heights.
///
/// Shows several bodies in one model.
pub fn balls(n: usize) -> SceneDescription {
    let ball = |i: usize| {
        let (x, drop) = (0.15 * i as f64, 0.05 * i as f64);
        let nearest = Some([x, drop + 0.05, 0.0]);
        let top = Selection { nearest, ..Selection::default() };
        let shape = BallShape { radius: 0.05, layers: n };
        SolidBody {
            name: format!("ball {i}"),
            mesh: SolidMesh { sphere: Some(shape), ..SolidMesh::default() },
            material: SolidSpec::new(930.0, 5.0e4, 0.4),
            place: shifted([x, drop, 0.0]),
            attach: vec![Attachment { at: top, to: Some([x, 0.05, 0.0]), constant: 100.0 }],
            ..SolidBody::default()
        }
    };
    SceneDescription { solid: (0..5).map(ball).collect(), ..SceneDescription::default() }
}

/// A soft ring of 20 cm, `n` layers thick, pinned at its outermost vertex.
///
/// Shows a solid with a hole.
pub fn torus(n: usize) -> SceneDescription {
    let ring = RingShape { major: 0.1, minor: 0.03, around: 8 * n, layers: n, square: false };
    single(SolidBody {
        mesh: SolidMesh { ring: Some(ring), ..SolidMesh::default() },
        material: damped(SolidSpec::new(930.0, 5.0e4, 0.4), 0.01),
        pin: vec![Pin::nearest([0.13, 0.0, 0.0])],
        ..SolidBody::default()
    })
}

/// A ring of 80 cm, `n` layers thick, whose vertices start displaced by up to 10 cm, the radius of its
/// tube, along each axis. In empty space it recovers its shape.
///
/// Shows that a volume term inverts tetrahedra back, which Green's strain alone cannot distinguish from
/// their mirror images (Strain Based Dynamics, figure 4).
pub fn green_torus(n: usize) -> SceneDescription {
    let ring = RingShape { major: 0.3, minor: 0.1, around: 8 * n, layers: n, square: false };
    let damping = DampingSpec { internal: Some(4.0), ..DampingSpec::default() };
    let torus = SolidBody {
        mesh: SolidMesh { ring: Some(ring), ..SolidMesh::default() },
        material: SolidSpec {
            entries: Some(EntriesSpec::default()),
            pbd: Some([0.5, 0.8]),
            damping: Some(damping),
            ..SolidSpec::new(1000.0, 1.0e5, 0.3)
        },
        start: Some(Start { jitter: Some(0.1), ..Start::default() }),
        ..SolidBody::default()
    };
    SceneDescription { gravity: Some([0.0; 3]), frames: Some(300), ..single(torus) }
}

/// Two blocks of the same soft foam, 10 cm, `n` cells on a side, compressed to two thirds of their height
/// in a second. In the right one, a change of any tetrahedron's volume by more than one per cent has a high
/// cost, so that it bulges.
///
/// Shows volume bounds (Projective Dynamics §5.2).
pub fn pressed_blocks(n: usize) -> SceneDescription {
    let press = [(0.0, [0.0; 3]), (1.0, [0.0, -0.1 / 3.0, 0.0])];
    let free = SolidBody {
        name: "free".to_owned(),
        mesh: block([n, n, n], [0.1; 3]),
        material: damped(SolidSpec::new(100.0, 1.0e4, 0.0), 0.02),
        pin: vec![
            Pin::inside([-1.0, 0.0, -1.0], [1.0, 0.0, 1.0]),
            Pin::inside([-1.0, 0.1, -1.0], [1.0, 0.1, 1.0]).path(&press),
        ],
        ..SolidBody::default()
    };
    let bounds = BoundsSpec { range: [0.99, 1.01], stiffness: 1.0e6 };
    let bounded = SolidBody {
        name: "bounded".to_owned(),
        material: SolidSpec { volume_bounds: Some(bounds), ..free.material.clone() },
        place: shifted([0.2, 0.0, 0.0]),
        ..free.clone()
    };
    SceneDescription {
        solid: vec![free, bounded],
        solver: Some(SolverSpec::named("projective").with("iterations", 100_usize)),
        ..SceneDescription::default()
    }
}

/// A sheet, a block and a strand, `n` vertices or cells on a side, tumble in empty space.
///
/// No gravity and no pins: every solver must conserve momentum.
pub fn free_flight(n: usize) -> SceneDescription {
    let tumbling = |velocity: [f64; 3], spin: [f64; 3]| {
        Some(Start { velocity: Some(velocity), spin: Some(spin), ..Start::default() })
    };
    let grid = GridShape {
        columns: 2 * n,
        rows: 2 * n,
        width: Some(0.5),
        height: None,
        pattern: None,
        seed: None,
        orient: None,
    };
    let sheet = Cloth {
        mesh: SheetMesh { grid: Some(grid), ..SheetMesh::default() },
        material: FabricSpec::preset("rubber"),
        start: tumbling([1.0, 0.5, 0.0], [0.0, 2.0, 1.0]),
        // Contact is disabled, so that only momentum matters.
        contact: Some(ContactSpec::Nothing(NoContactSpec::Nothing)),
        ..Cloth::default()
    };
    let cube = SolidBody {
        mesh: block([n, n, n], [0.2; 3]),
        material: SolidSpec::new(930.0, 1.0e5, 0.3),
        place: shifted([1.0, 0.0, 0.0]),
        start: tumbling([-1.0, 0.0, 0.3], [3.0, 0.0, 1.0]),
        contact: Some(ContactSpec::Nothing(NoContactSpec::Nothing)),
        ..SolidBody::default()
    };
    let shape = StrandShape {
        vertices: 4 * n,
        length: Some(0.5),
        radius: None,
        pitch: None,
        turns: None,
        direction: None,
    };
    let strand = StrandBody {
        mesh: StrandMesh { strand: Some(shape), points: None },
        material: ThreadSpec::preset("rubber_cord"),
        place: shifted([0.0, 0.0, 1.0]),
        start: tumbling([0.2, -1.0, 0.0], [0.0, 1.0, 2.0]),
        contact: Some(ContactSpec::Nothing(NoContactSpec::Nothing)),
        ..StrandBody::default()
    };
    SceneDescription {
        gravity: Some([0.0; 3]),
        cloth: vec![sheet],
        solid: vec![cube],
        strand: vec![strand],
        ..SceneDescription::default()
    }
}
