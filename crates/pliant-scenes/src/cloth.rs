//! Scenes of cloth and shells.

use crate::describe::{
    BalloonSpec, BendSpec, BoundsSpec, Cloth, CylinderShape, DampingSpec, FabricSpec, GridShape,
    IcosphereShape, Orient, Pin, Placement, SceneDescription, SheetMesh, SolverSpec, StretchSpec,
    TethersSpec, WindSpec,
};

/// A grid of 1 m × 1 m, horizontal.
fn square(n: usize) -> GridShape {
    let (columns, rows, width) = (n, n, Some(1.0));
    GridShape { columns, rows, width, height: None, pattern: None, seed: None, orient: None }
}

/// Cotton for the hanging scenes, with air drag that brings it to rest in a few seconds.
fn cotton() -> FabricSpec {
    let damping = DampingSpec { drag: Some(2.0), ..DampingSpec::default() };
    FabricSpec { damping: Some(damping), ..FabricSpec::preset("cotton") }
}

fn hung_by_two_corners(n: usize, material: FabricSpec) -> SceneDescription {
    let cloth = Cloth {
        mesh: SheetMesh { grid: Some(square(n)), ..SheetMesh::default() },
        material,
        pin: vec![Pin::corners(&[0, 1])],
        ..Cloth::default()
    };
    SceneDescription { cloth: vec![cloth], ..SceneDescription::default() }
}

/// A square metre of cotton, `n` × `n` vertices, falls from the horizontal and hangs by two corners.
///
/// Shows a membrane with bending by mean curvature; the sag is independent of `n`.
pub fn hanging_cloth(n: usize) -> SceneDescription {
    let solver = Some(SolverSpec::named("xpbd"));
    SceneDescription { solver, ..hung_by_two_corners(n, cotton()) }
}

/// A square metre of cotton, `n` × `n` vertices, falls from the horizontal while its two pinned corners
/// approach each other by a third: it drapes in folds.
///
/// Shows the appearance of cloth.
pub fn draped_cloth(n: usize) -> SceneDescription {
    let half = |x: f64| [(0.0, [0.0; 3]), (0.8, [x, 0.0, 0.0])];
    let mut scene = hung_by_two_corners(n, cotton());
    scene.cloth[0].pin =
        vec![Pin::corners(&[0]).path(&half(0.18)), Pin::corners(&[1]).path(&half(-0.18))];
    scene
}

/// The same cloth as a network of its edges with bending by dihedral angles, as in Position Based Dynamics.
pub fn hanging_cloth_edges(n: usize) -> SceneDescription {
    let (stretch, bend) = (Some(StretchSpec::Edges), Some(BendSpec::Dihedral));
    let solver = Some(SolverSpec::named("xpbd"));
    let hung = hung_by_two_corners(n, FabricSpec { stretch, bend, ..cotton() });
    SceneDescription { solver, frames: Some(300), ..hung }
}

/// Two curtains of 1 m × 1 m, `n` × `n` vertices, fall from the horizontal and hang by their upper edges
/// under ten sweeps of PBD; the right one has tethers.
///
/// Shows the purpose of tethers: ten sweeps do not propagate through `n` rows, and the left one stretches.
pub fn tethered_curtains(n: usize) -> SceneDescription {
    let curtain = |x: f64, name: &str, tethers: Option<TethersSpec>| Cloth {
        name: name.to_owned(),
        mesh: SheetMesh { grid: Some(square(n)), ..SheetMesh::default() },
        material: FabricSpec { tethers, ..cotton() },
        place: Some(Placement { shift: Some([x, 0.0, 0.0]), ..Placement::default() }),
        pin: vec![Pin::vertices(0..n)],
        ..Cloth::default()
    };
    let solver = SolverSpec::named("pbd").with("iterations", 10_usize);
    let tethers = Some(TethersSpec::default());
    let cloth = vec![curtain(0.0, "plain", None), curtain(1.3, "tethered", tethers)];
    SceneDescription { cloth, solver: Some(solver), ..SceneDescription::default() }
}

/// A silk flag of 1.5 m × 1 m, `n` vertices high, on a mast in gusts around 8 m/s.
///
/// Shows wind on triangles (Projective Dynamics, figure 10).
pub fn flag_in_wind(n: usize) -> SceneDescription {
    let grid = GridShape {
        columns: n + n / 2,
        width: Some(1.5),
        height: Some(1.0),
        orient: Some(Orient::Vertical),
        ..square(n)
    };
    let flag = Cloth {
        name: "flag".to_owned(),
        mesh: SheetMesh { grid: Some(grid), ..SheetMesh::default() },
        material: FabricSpec::preset("silk"),
        pin: vec![Pin::inside([0.0, -10.0, -10.0], [0.0, 10.0, 10.0])],
        ..Cloth::default()
    };
    // A slight crosswind: a wind exactly in the flag's plane would never lift it.
    let wind = WindSpec {
        velocity: [8.0, 0.0, 1.0],
        gust: Some(0.5),
        period: Some(1.7),
        ..WindSpec::default()
    };
    // The flag moves far in every frame and needs small steps.
    let solver = SolverSpec::named("xpbd");
    SceneDescription {
        cloth: vec![flag],
        wind: Some(wind),
        solver: Some(solver),
        ..SceneDescription::default()
    }
}

/// A paper tube of 10 cm × 20 cm with `n` segments around; its upper rim is pressed down by a fifth in two
/// seconds.
///
/// Shows buckling patterns (Projective Dynamics, figure 9).
pub fn cylinder_shell(n: usize) -> SceneDescription {
    let (radius, height) = (0.05, 0.2);
    let along = (n * 2).div_ceil(3).max(1);
    let tube = CylinderShape { radius, height, around: n, along, closed: false };
    let damping = DampingSpec { internal: Some(5.0), ..DampingSpec::default() };
    let top = along * n;
    let down = [0.0, -0.2 * height, 0.0];
    let cloth = Cloth {
        name: "tube".to_owned(),
        mesh: SheetMesh { cylinder: Some(tube), ..SheetMesh::default() },
        material: FabricSpec { damping: Some(damping), ..FabricSpec::preset("paper") },
        pin: vec![
            Pin::vertices(0..n),
            Pin::vertices(top..top + n).path(&[(0.0, [0.0; 3]), (2.0, down)]),
        ],
        ..Cloth::default()
    };
    SceneDescription {
        cloth: vec![cloth],
        solver: Some(SolverSpec::named("projective").with("iterations", 200_usize)),
        ..SceneDescription::default()
    }
}

/// Two sheets of the same soft rubber, 40 cm × 20 cm, `n` vertices high, pulled to one and a half times
/// their length in a second. In the lower one, a change of any triangle's area by more than one per cent
/// has a high cost, so that it narrows.
///
/// Shows area bounds (Projective Dynamics §5.2).
pub fn stretched_sheets(n: usize) -> SceneDescription {
    let grid = GridShape {
        columns: 2 * n,
        width: Some(0.4),
        height: Some(0.2),
        orient: Some(Orient::Vertical),
        ..square(n)
    };
    let side = |x: f64| Pin::inside([x - 1e-6, -10.0, -10.0], [x + 1e-6, 10.0, 10.0]);
    let pull = [(0.0, [0.0; 3]), (1.0, [0.2, 0.0, 0.0])];
    let damping = DampingSpec { stiffness: Some(0.01), ..DampingSpec::default() };
    let free = Cloth {
        name: "free".to_owned(),
        mesh: SheetMesh { grid: Some(grid), ..SheetMesh::default() },
        material: FabricSpec {
            young: Some(2.0e5),
            poisson: Some(0.0),
            damping: Some(damping),
            ..FabricSpec::preset("rubber")
        },
        pin: vec![side(0.0), side(0.4).path(&pull)],
        ..Cloth::default()
    };
    let bounds = BoundsSpec { range: [0.99, 1.01], stiffness: 2.0e4 };
    let bounded = Cloth {
        name: "bounded".to_owned(),
        material: FabricSpec { area_bounds: Some(bounds), ..free.material.clone() },
        place: Some(Placement { shift: Some([0.0, -0.3, 0.0]), ..Placement::default() }),
        ..free.clone()
    };
    SceneDescription {
        cloth: vec![free, bounded],
        solver: Some(SolverSpec::named("projective").with("iterations", 100_usize)),
        ..SceneDescription::default()
    }
}

/// A closed can of rubber, 10 cm wide and high, `n` segments around, stands on its lower rim while the
/// centre of its lid is pulled up by 1 cm.
///
/// Shows bending at vertices of any valence: the centres of the lids have `n` neighbours.
pub fn rubber_can(n: usize) -> SceneDescription {
    let along = (n / 3).max(1);
    let tube = CylinderShape { radius: 0.05, height: 0.1, around: n, along, closed: true };
    let up = [(0.0, [0.0; 3]), (1.0, [0.0, 0.01, 0.0])];
    let damping = DampingSpec { internal: Some(5.0), ..DampingSpec::default() };
    let can = Cloth {
        name: "can".to_owned(),
        mesh: SheetMesh { cylinder: Some(tube), ..SheetMesh::default() },
        material: FabricSpec { damping: Some(damping), ..FabricSpec::preset("rubber") },
        pin: vec![Pin::vertices(0..n), Pin::nearest([0.0, 0.1, 0.0]).path(&up)],
        ..Cloth::default()
    };
    // Solvers with few iterations let its walls sag.
    let solver = SolverSpec::named("newton");
    SceneDescription { cloth: vec![can], solver: Some(solver), ..SceneDescription::default() }
}

/// Three balls of the same thin rubber, 20 cm wide, each subdivided `n` times, hang by a point: one is
/// empty, one is full of air, and the third is inflated to 1.8 times its volume in a second. At two seconds
/// it is deflated again.
///
/// Shows pressure inside closed surfaces (Position Based Dynamics §4.4).
pub fn balloons(n: usize) -> SceneDescription {
    let sphere = IcosphereShape { radius: 0.1, subdivisions: u32::try_from(n).unwrap_or(u32::MAX) };
    let damping = DampingSpec { drag: Some(1.0), ..DampingSpec::default() };
    let ball = |x: f64, name: &str, balloon: Option<BalloonSpec>| Cloth {
        name: name.to_owned(),
        mesh: SheetMesh { icosphere: Some(sphere), ..SheetMesh::default() },
        material: FabricSpec {
            // The values of a party balloon: 0.25 mm of the same rubber.
            thickness: Some(2.5e-4),
            density: Some(0.23),
            bending: Some(3.0e-6),
            damping: Some(damping),
            ..FabricSpec::preset("rubber")
        },
        place: Some(Placement { shift: Some([x, 0.0, 0.0]), ..Placement::default() }),
        pin: vec![Pin::nearest([x, 0.1, 0.0])],
        balloon,
        ..Cloth::default()
    };
    let blown = BalloonSpec::path(&[(0.0, 1.0), (1.0, 1.8), (2.0, 1.8), (2.2, 1.0)]);
    let cloth = vec![
        ball(-0.3, "empty", None),
        ball(0.0, "full", Some(BalloonSpec::default())),
        ball(0.3, "blown", Some(blown)),
    ];
    let solver = SolverSpec::named("projective").with("iterations", 20_usize);
    SceneDescription { cloth, solver: Some(solver), ..SceneDescription::default() }
}
