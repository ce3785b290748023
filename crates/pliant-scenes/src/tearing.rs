//! Scenes of tearing and cutting.

use crate::describe::{
    BendSpec, BladeSpec, Cloth, DampingSpec, FabricSpec, GridShape, Orient, Path, PatternSpec, Pin,
    SceneDescription, SheetMesh, SolverSpec, StretchSpec, TearModeSpec, TearSpec, WindSpec,
};

fn grid(n: [usize; 2], size: [f64; 2], pattern: PatternSpec) -> SheetMesh {
    let grid = GridShape {
        columns: n[0],
        rows: n[1],
        width: Some(size[0]),
        height: Some(size[1]),
        pattern: Some(pattern),
        seed: None,
        orient: Some(Orient::Vertical),
    };
    SheetMesh { grid: Some(grid), ..SheetMesh::default() }
}

/// A flag of 1.5 m × 1 m, `n` vertices high, a network of its edges, in gusts around 10 m/s, which exceed
/// its strength: edges that stretch by a fifth break.
///
/// Shows removal of constraints with downdates of the factor (Projective Dynamics §7.1, figure 10 bottom).
pub fn torn_flag(n: usize) -> SceneDescription {
    let flag = Cloth {
        name: "flag".to_owned(),
        mesh: grid([n + n / 2, n], [1.5, 1.0], PatternSpec::Irregular),
        material: FabricSpec {
            // A rotten fabric, far softer than silk.
            young: Some(5.0e5),
            stretch: Some(StretchSpec::Edges),
            bend: Some(BendSpec::Dihedral),
            ..FabricSpec::preset("silk")
        },
        pin: vec![Pin::inside([-1e-6, -10.0, -10.0], [1e-6, 10.0, 10.0])],
        tear: Some(TearSpec { stretch: 1.2, mode: Some(TearModeSpec::Break), most: Some(4) }),
        ..Cloth::default()
    };
    let wind = WindSpec {
        velocity: [10.0, 0.0, 2.5],
        gust: Some(0.5),
        period: Some(1.7),
        ..WindSpec::default()
    };
    SceneDescription {
        cloth: vec![flag],
        wind: Some(wind),
        frames: Some(240),
        ..SceneDescription::default()
    }
}

/// A sheet of rubber, 1 m × 1 m, `n` × `n` vertices, is pinned at its upper edge, while the two halves of
/// its lower edge are pulled apart: it tears where edges are a quarter longer than at rest.
///
/// Shows vertices that split along the plane across an over-stretched edge (Position Based Dynamics §5).
pub fn torn_sheet(n: usize) -> SceneDescription {
    let damping = DampingSpec { drag: Some(3.0), ..DampingSpec::default() };
    let half = |x: [f64; 2], way: [f64; 3]| {
        Pin::inside([x[0], -1.0 - 1e-6, -1.0], [x[1], -0.96, 1.0])
            .path(&[(0.0, [0.0; 3]), (2.5, way)])
    };
    let sheet = Cloth {
        name: "sheet".to_owned(),
        mesh: grid([n, n], [1.0, 1.0], PatternSpec::Alternating),
        material: FabricSpec {
            young: Some(3.0e5),
            damping: Some(damping),
            ..FabricSpec::preset("rubber")
        },
        pin: vec![
            half([-1e-6, 0.47], [-0.5, 0.1, 0.5]),
            half([0.53, 1.0 + 1e-6], [0.5, 0.1, -0.5]),
            Pin::inside([-1.0, -1e-6, -1.0], [2.0, 1e-6, 1.0]),
        ],
        tear: Some(TearSpec { stretch: 1.25, mode: None, most: None }),
        ..Cloth::default()
    };
    SceneDescription {
        gravity: Some([0.0, -2.0, 0.0]),
        cloth: vec![sheet],
        frames: Some(180),
        ..SceneDescription::default()
    }
}

/// A curtain of cotton, 1 m × 1 m, `n` × `n` vertices, hangs by its upper edge while a blade moves across
/// its middle at a slight angle: the lower part falls.
///
/// Shows cutting by a moving blade.
pub fn cut_cloth(n: usize) -> SceneDescription {
    let damping = DampingSpec { drag: Some(1.0), ..DampingSpec::default() };
    let curtain = Cloth {
        name: "curtain".to_owned(),
        mesh: grid([n, n], [1.0, 1.0], PatternSpec::Regular),
        material: FabricSpec { damping: Some(damping), ..FabricSpec::preset("cotton") },
        pin: vec![Pin::inside([-10.0, -1e-6, -10.0], [10.0, 1e-6, 10.0])],
        ..Cloth::default()
    };
    let path = Path { times: vec![0.2, 1.2], moves: vec![[0.0; 3], [1.4, -0.2, 0.0]] };
    let ends = [[-0.2, -0.4, -0.5], [-0.2, -0.4, 0.5]];
    let solver = SolverSpec::named("projective").with("iterations", 20_usize);
    SceneDescription {
        cloth: vec![curtain],
        blade: vec![BladeSpec { ends, path: Some(path), spin: None }],
        solver: Some(solver),
        frames: Some(120),
        ..SceneDescription::default()
    }
}
