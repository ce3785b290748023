//! Scenes of materials beyond plain elasticity.

use crate::describe::{
    BlockShape, Cloth, DampingSpec, Description, ExampleShape, ExamplesSpec, FabricSpec,
    FibersSpec, GridShape, Pin, Place, PlasticitySpec, ShapesSpec, SheetMesh, SolidBody, SolidMesh,
    SolidSpec, StiffeningSpec, StrandBody, StrandMesh, StrandShape, ThreadSpec,
};

/// What is taken as lying in a plane, whatever rounding made of it \[m\].
const NEAR: f64 = 1e-6;

/// All vertices whose coordinate `axis` is `value`.
fn plane(axis: usize, value: f64) -> Pin {
    let (mut low, mut high) = ([-10.0; 3], [10.0; 3]);
    (low[axis], high[axis]) = (value - NEAR, value + NEAR);
    Pin::inside(low, high)
}

/// A bar of 0.5 m × 0.05 m × 0.05 m, `n` cells thick, clamped at its left end, `z` metres to the side.
fn clamped_bar(n: usize, z: f64, material: SolidSpec) -> SolidBody {
    let shape = BlockShape { cells: [8 * n, n, n], size: [0.5, 0.05, 0.05] };
    SolidBody {
        mesh: SolidMesh { block: Some(shape), ..SolidMesh::default() },
        material,
        place: Some(Place { shift: Some([0.0, 0.0, z]), ..Place::default() }),
        pin: vec![plane(0, 0.0)],
        ..SolidBody::default()
    }
}

fn damped(material: SolidSpec) -> SolidSpec {
    let damping = DampingSpec { drag: Some(1.0), ..DampingSpec::default() };
    SolidSpec { damping: Some(damping), ..material }
}

/// Three clamped bars, `n` cells thick: plain, free to bend by a quarter turn, and free to do so only
/// as a whole.
///
/// Shows example-based materials (Projective Dynamics, figure 8): down to the example the weight meets
/// no resistance, and beyond it that of the plain bar.
pub fn example_bars(n: usize) -> Description {
    let material = damped(SolidSpec::new(500.0, 2.0e5, 0.0));
    let shape = vec![ExampleShape { bend: Some(-90.0), ..ExampleShape::default() }];
    let alone = ExamplesSpec { shape, ..ExamplesSpec::default() };
    let whole = ExamplesSpec { together: true, ..alone.clone() };
    let bar = |z: f64, examples: Option<ExamplesSpec>| {
        clamped_bar(n, z, SolidSpec { examples, ..material.clone() })
    };
    let solid = vec![bar(0.0, None), bar(0.15, Some(alone)), bar(0.3, Some(whole))];
    Description { solid, ..Description::default() }
}

/// Two bars, `n` cells thick, whose free ends are bent down by pins and let go: one of rubber, one that
/// yields.
///
/// Shows plasticity: the yielding bar stays bent.
pub fn plastic_bars(n: usize) -> Description {
    let material = damped(SolidSpec::new(500.0, 1.0e6, 0.0));
    let plasticity = PlasticitySpec { yield_strain: 0.02, creep: None, limit: None };
    let bar = |z: f64, plasticity: Option<PlasticitySpec>| {
        let body = clamped_bar(n, z, SolidSpec { plasticity, ..material.clone() });
        let press = plane(0, 0.5).path(&[
            (0.0, [0.0; 3]),
            (0.5, [-0.1, -0.25, 0.0]),
            (1.5, [-0.1, -0.25, 0.0]),
            (2.0, [-0.02, -0.13, 0.0]),
        ]);
        SolidBody { pin: [body.pin, vec![press]].concat(), ..body }
    };
    let solid = vec![bar(0.0, None), bar(0.15, Some(plasticity))];
    Description { solid, frames: Some(180), ..Description::default() }
}

/// A foil of 0.4 m, `n` vertices on a side, held at its rim, whose middle is pressed in and let come
/// back, and a wire of lead beside it that is pulled out and let come back.
///
/// Shows plasticity of triangles and edges: a dent stays, and the wire hangs slack.
pub fn dented_foil(n: usize) -> Description {
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
    let yielding = PlasticitySpec { yield_strain: 0.01, creep: None, limit: None };
    let there_and_back =
        |far: [f64; 3], back: [f64; 3]| [(0.0, [0.0; 3]), (0.5, far), (1.0, far), (1.5, back)];
    let press = there_and_back([0.0, -0.1, 0.0], [0.0, -0.06, 0.0]);
    let middle = Pin::nearest([0.5 * side, 0.0, 0.5 * side]).path(&press);
    let pin = vec![plane(0, 0.0), plane(0, side), plane(2, 0.0), plane(2, side), middle];
    let foil = Cloth {
        name: "foil".to_owned(),
        mesh: SheetMesh { grid: Some(grid), ..SheetMesh::default() },
        material: FabricSpec {
            young: Some(1.0e7),
            plasticity: Some(yielding),
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
            plasticity: Some(yielding),
            damping: Some(DampingSpec { drag: Some(2.0), ..DampingSpec::default() }),
            ..ThreadSpec::new(11300.0, 1.0e7, 1.0e-3)
        },
        place: Some(Place { shift: Some([0.0, 0.0, -0.05]), ..Place::default() }),
        pin: vec![Pin::vertices([0]), Pin::vertices([2 * n - 1]).path(&pull)],
        ..StrandBody::default()
    };
    Description {
        cloth: vec![foil],
        strand: vec![wire],
        frames: Some(150),
        ..Description::default()
    }
}

/// Three clamped bars, `n` cells thick, sag under their weight: plain, with fibres along it, and with
/// fibres across.
///
/// Shows stiffness along one direction.
pub fn fiber_bars(n: usize) -> Description {
    let material = damped(SolidSpec::new(500.0, 1.0e5, 0.0));
    let bar = |z: f64, direction: Option<[f64; 3]>| {
        let fibers =
            direction.map(|direction| FibersSpec { direction, young: 1.0e6, limits: None });
        clamped_bar(n, z, SolidSpec { fibers, ..material.clone() })
    };
    let solid =
        vec![bar(0.0, None), bar(0.15, Some([1.0, 0.0, 0.0])), bar(0.3, Some([0.0, 1.0, 0.0]))];
    Description { solid, ..Description::default() }
}

/// Two soft bars, `n` cells thick, hang by their ends: one stiffens beyond a stretch of a tenth.
///
/// Shows a biphasic material: a weak strain and a strong limit.
pub fn stiffening_bars(n: usize) -> Description {
    let material = damped(SolidSpec::new(1000.0, 2.0e4, 0.0));
    let bar = |z: f64, stiffening: Option<StiffeningSpec>| {
        let body = clamped_bar(n, z, SolidSpec { stiffening, ..material.clone() });
        SolidBody { pin: [body.pin, vec![plane(0, 0.5)]].concat(), ..body }
    };
    let limited = StiffeningSpec { limits: [0.9, 1.1], young: 2.0e6 };
    let solid = vec![bar(0.0, None), bar(0.15, Some(limited))];
    Description { solid, ..Description::default() }
}

/// A jelly, `n` cells on a side, of matched shapes instead of strain, on a plate that is shaken.
///
/// Shows shape matching (Müller et al. 2005) with overlapping clusters.
pub fn shape_jelly(n: usize) -> Description {
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
    Description { solid: vec![solid], ..Description::default() }
}
