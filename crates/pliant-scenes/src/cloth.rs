//! Scenes of cloth and shells.

use crate::describe::{
    BendSpec, Cloth, CylinderShape, DampingSpec, Description, FabricSpec, GridShape, Orient, Pin,
    Place, SheetMesh, SolverSpec, StretchSpec, TethersSpec, WindSpec,
};

/// A grid of 1 m × 1 m, horizontal.
fn square(n: usize) -> GridShape {
    let (columns, rows, width) = (n, n, Some(1.0));
    GridShape { columns, rows, width, height: None, pattern: None, seed: None, orient: None }
}

/// Cotton of the hanging scenes: an air drag that brings it to rest in a few seconds.
fn cotton() -> FabricSpec {
    let damping = DampingSpec { drag: Some(2.0), ..DampingSpec::default() };
    FabricSpec { damping: Some(damping), ..FabricSpec::preset("cotton") }
}

fn hung_by_two_corners(n: usize, material: FabricSpec) -> Description {
    let cloth = Cloth {
        mesh: SheetMesh { grid: Some(square(n)), ..SheetMesh::default() },
        material,
        pin: vec![Pin::corners(&[0, 1])],
        ..Cloth::default()
    };
    Description { cloth: vec![cloth], ..Description::default() }
}

/// A square metre of cotton, `n` × `n` vertices, falls from the horizontal and hangs by two corners.
///
/// Shows a membrane with bending by mean curvature; the sag does not depend on `n`.
pub fn hanging_cloth(n: usize) -> Description {
    hung_by_two_corners(n, cotton())
}

/// A square metre of cotton, `n` × `n` vertices, falls from the horizontal while the two corners
/// that hold it come together by a third: it drapes in folds.
///
/// Shows what cloth looks like; the default scene of the command.
pub fn draped_cloth(n: usize) -> Description {
    let half = |x: f64| [(0.0, [0.0; 3]), (0.8, [x, 0.0, 0.0])];
    let mut scene = hung_by_two_corners(n, cotton());
    scene.cloth[0].pin =
        vec![Pin::corners(&[0]).path(&half(0.18)), Pin::corners(&[1]).path(&half(-0.18))];
    scene
}

/// The same cloth as a net of its edges with bending by dihedral angles, as in Position Based
/// Dynamics.
pub fn hanging_cloth_edges(n: usize) -> Description {
    let (stretch, bend) = (Some(StretchSpec::Edges), Some(BendSpec::Dihedral));
    hung_by_two_corners(n, FabricSpec { stretch, bend, ..cotton() })
}

/// Two curtains of 1 m × 1 m, `n` × `n` vertices, fall from the horizontal and hang by their upper edges
/// under ten sweeps of PBD; the right one has tethers.
///
/// Shows what tethers are for: ten sweeps do not reach through `n` rows, and the left one stretches.
pub fn tethered_curtains(n: usize) -> Description {
    let curtain = |x: f64, name: &str, tethers: Option<TethersSpec>| Cloth {
        name: name.to_owned(),
        mesh: SheetMesh { grid: Some(square(n)), ..SheetMesh::default() },
        material: FabricSpec { tethers, ..cotton() },
        place: Some(Place { shift: Some([x, 0.0, 0.0]), ..Place::default() }),
        pin: vec![Pin::vertices(0..n)],
        ..Cloth::default()
    };
    let solver =
        SolverSpec { name: "pbd".to_owned(), iterations: Some(10), ..SolverSpec::default() };
    let tethers = Some(TethersSpec::default());
    let cloth = vec![curtain(0.0, "plain", None), curtain(1.3, "tethered", tethers)];
    Description { cloth, solver: Some(solver), ..Description::default() }
}

/// A silk flag of 1.5 m × 1 m, `n` vertices high, on a mast in gusts around 8 m/s.
///
/// Shows wind on triangles (Projective Dynamics, figure 10).
pub fn flag_in_wind(n: usize) -> Description {
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
    // A little across the flag: a wind exactly in its plane would never lift it.
    let wind = WindSpec {
        velocity: [8.0, 0.0, 1.0],
        gust: Some(0.5),
        period: Some(1.7),
        ..WindSpec::default()
    };
    // Carried far in every frame, it needs small steps.
    let solver = SolverSpec { name: "xpbd".to_owned(), ..SolverSpec::default() };
    Description {
        cloth: vec![flag],
        wind: Some(wind),
        solver: Some(solver),
        ..Description::default()
    }
}

/// A paper tube of 10 cm × 20 cm with `n` segments around, its upper rim pressed down by a fifth
/// in two seconds.
///
/// Shows buckling patterns (Projective Dynamics, figure 9).
pub fn cylinder_shell(n: usize) -> Description {
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
    Description { cloth: vec![cloth], ..Description::default() }
}
