//! Scenes of materials beyond plain elasticity.

use crate::describe::{
    BlockShape, Cloth, DampingSpec, ExampleShape, ExamplesSpec, FabricSpec, FibersSpec, GridShape,
    Pin, Placement, PlasticitySpec, SceneDescription, ShapesSpec, SheetMesh, SolidBody, SolidMesh,
    SolidSpec, SolverSpec, StiffeningSpec, StrandBody, StrandMesh, StrandShape, ThreadSpec,
};

/// Tolerance within which vertices count as lying in a plane, despite rounding \[m\].
const PLANE_TOLERANCE: f64 = 1e-6;

/// Pins all vertices whose coordinate `axis` is `value`.
fn pin_plane(axis: usize, value: f64) -> Pin {
    let (mut low, mut high) = ([-10.0; 3], [10.0; 3]);
    (low[axis], high[axis]) = (value - PLANE_TOLERANCE, value + PLANE_TOLERANCE);
    Pin::inside(low, high)
}

/// A bar of 0.5 m × 0.05 m × 0.05 m, `n` cells thick, clamped at its left end, displaced by `z` metres to
/// the side.
fn clamped_bar(n: usize, z: f64, material: SolidSpec) -> SolidBody {
    let shape = BlockShape { cells: [8 * n, n, n], size: [0.5, 0.05, 0.05] };
    SolidBody {
        mesh: SolidMesh { block: Some(shape), ..SolidMesh::default() },
        material,
        place: Some(Placement { shift: Some([0.0, 0.0, z]), ..Placement::default() }),
        pin: vec![pin_plane(0, 0.0)],
        ..SolidBody::default()
    }
}

fn damped(material: SolidSpec) -> SolidSpec {
    let damping = DampingSpec { drag: Some(1.0), ..DampingSpec::default() };
    SolidSpec { damping: Some(damping), ..material }
}

/// Three clamped bars, `n` cells thick: plain, with a free bend of up to a quarter turn, and with such a
/// bend only as a whole.
///
/// Shows example-based materials (Projective Dynamics, figure 8): down to the example the weight meets no
/// resistance, and beyond it that of the plain bar.
pub fn example_bars(n: usize) -> SceneDescription {
    let material = damped(SolidSpec::new(500.0, 2.0e5, 0.0));
    let shape = vec![ExampleShape { bend: Some(-90.0), ..ExampleShape::default() }];
    let alone = ExamplesSpec { shape, ..ExamplesSpec::default() };
    let whole = ExamplesSpec { together: true, ..alone.clone() };
    let bar = |z: f64, examples: Option<ExamplesSpec>| {
        clamped_bar(n, z, SolidSpec { examples, ..material.clone() })
    };
    let solid = vec![bar(0.0, None), bar(0.15, Some(alone)), bar(0.3, Some(whole))];
    SceneDescription { solid, ..SceneDescription::default() }
}

/// Two bars, `n` cells thick, whose free ends are bent down by pins and released: one of rubber, one of a
/// plastic material.
///
/// Shows plasticity: the plastic bar stays bent.
pub fn plastic_bars(n: usize) -> SceneDescription {
    let material = damped(SolidSpec::new(500.0, 1.0e6, 0.0));
    let plasticity = PlasticitySpec { yield_strain: 0.02, creep: None, limit: None };
    let bar = |z: f64, plasticity: Option<PlasticitySpec>| {
        let body = clamped_bar(n, z, SolidSpec { plasticity, ..material.clone() });
        let press = pin_plane(0, 0.5).path(&[
            (0.0, [0.0; 3]),
            (0.5, [-0.1, -0.25, 0.0]),
            (1.5, [-0.1, -0.25, 0.0]),
            (2.0, [-0.02, -0.13, 0.0]),
        ]);
        SolidBody { pin: [body.pin, vec![press]].concat(), ..body }
    };
    let solid = vec![bar(0.0, None), bar(0.15, Some(plasticity))];
    SceneDescription { solid, frames: Some(180), ..SceneDescription::default() }
}

/// A foil of 0.4 m, `n` vertices on a side, pinned at its rim, whose centre is pressed in and released, and
/// beside it a lead wire that is stretched and released.
///
/// Shows plasticity of triangles and edges: the dent is permanent, and the wire hangs slack.
pub fn dented_foil(n: usize) -> SceneDescription {
    let side = 0.4;
    let grid = GridShape {
        columns: n,
        rows: n,
        width: Some(side),
        height: None,
        pattern: None,
        seed: None,
        orient: None,
    };
    let plasticity = PlasticitySpec { yield_strain: 0.01, creep: None, limit: None };
    let there_and_back =
        |far: [f64; 3], back: [f64; 3]| [(0.0, [0.0; 3]), (0.5, far), (1.0, far), (1.5, back)];
    let press = there_and_back([0.0, -0.1, 0.0], [0.0, -0.06, 0.0]);
    let middle = Pin::nearest([0.5 * side, 0.0, 0.5 * side]).path(&press);
    let pin =
        vec![pin_plane(0, 0.0), pin_plane(0, side), pin_plane(2, 0.0), pin_plane(2, side), middle];
    let foil = Cloth {
        name: "foil".to_owned(),
        mesh: SheetMesh { grid: Some(grid), ..SheetMesh::default() },
        material: FabricSpec {
            young: Some(1.0e7),
            plasticity: Some(plasticity),
            ..FabricSpec::preset("rubber")
        },
        pin,
        ..Cloth::default()
    };
    let shape = StrandShape {
        vertices: 2 * n,
        length: Some(side),
        radius: None,
        pitch: None,
        turns: None,
        direction: None,
    };
    let pull = there_and_back([0.2, 0.0, 0.0], [0.0; 3]);
    let wire = StrandBody {
        name: "wire".to_owned(),
        mesh: StrandMesh { strand: Some(shape), points: None },
        material: ThreadSpec {
            plasticity: Some(plasticity),
            damping: Some(DampingSpec { drag: Some(2.0), ..DampingSpec::default() }),
            ..ThreadSpec::new(11300.0, 1.0e7, 1.0e-3)
        },
        place: Some(Placement { shift: Some([0.0, 0.0, -0.05]), ..Placement::default() }),
        pin: vec![Pin::vertices([0]), Pin::vertices([2 * n - 1]).path(&pull)],
        ..StrandBody::default()
    };
    SceneDescription {
        cloth: vec![foil],
        strand: vec![wire],
        frames: Some(150),
        solver: Some(SolverSpec::named("newton")),
        ..SceneDescription::default()
    }
}

/// Three clamped bars, `n` cells thick, sag under their weight: plain, with fibres along the bar, and with
/// fibres across it.
///
/// Shows stiffness along one direction.
pub fn fiber_bars(n: usize) -> SceneDescription {
    let material = damped(SolidSpec::new(500.0, 1.0e5, 0.0));
    let bar = |z: f64, direction: Option<[f64; 3]>| {
        let fibers =
            direction.map(|direction| FibersSpec { direction, young: 1.0e6, limits: None });
        clamped_bar(n, z, SolidSpec { fibers, ..material.clone() })
    };
    let solid =
        vec![bar(0.0, None), bar(0.15, Some([1.0, 0.0, 0.0])), bar(0.3, Some([0.0, 1.0, 0.0]))];
    SceneDescription {
        solid,
        solver: Some(SolverSpec::named("newton")),
        ..SceneDescription::default()
    }
}

/// Two soft bars, `n` cells thick, hang by their ends: one stiffens beyond a stretch of a tenth.
///
/// Shows a biphasic material: a weak strain and a strong limit.
pub fn stiffening_bars(n: usize) -> SceneDescription {
    let material = damped(SolidSpec::new(1000.0, 2.0e4, 0.0));
    let bar = |z: f64, stiffening: Option<StiffeningSpec>| {
        let body = clamped_bar(n, z, SolidSpec { stiffening, ..material.clone() });
        SolidBody { pin: [body.pin, vec![pin_plane(0, 0.5)]].concat(), ..body }
    };
    let limited = StiffeningSpec { limits: [0.9, 1.1], young: 2.0e6 };
    let solid = vec![bar(0.0, None), bar(0.15, Some(limited))];
    SceneDescription {
        solid,
        solver: Some(SolverSpec::named("newton")),
        ..SceneDescription::default()
    }
}

/// A jelly, `n` cells on a side, with shape matching instead of strain, on a shaking plate.
///
/// Shows shape matching (Müller et al. 2005) with overlapping clusters.
pub fn shape_jelly(n: usize) -> SceneDescription {
    let shape = BlockShape { cells: [n, n, n], size: [0.1; 3] };
    let (here, side) = ([0.0; 3], [0.03, 0.0, 0.0]);
    let jerk = [(0.5, here), (0.6, side), (1.0, side), (1.1, here)];
    let material = SolidSpec::new(1000.0, 5.0e4, 0.0);
    let solid = SolidBody {
        mesh: SolidMesh { block: Some(shape), ..SolidMesh::default() },
        material: SolidSpec { shapes: Some(ShapesSpec { rings: 1 }), ..damped(material) },
        pin: vec![Pin::inside([-1.0, 0.0, -1.0], [1.0, 0.0, 1.0]).path(&jerk)],
        ..SolidBody::default()
    };
    SceneDescription { solid: vec![solid], ..SceneDescription::default() }
}
