//! Scenes of threads and ropes.

use crate::describe::{
    DampingSpec, Pin, Placement, PointMass, SceneDescription, Selection, SolverSpec, StrandBody,
    StrandMesh, StrandShape, ThreadSpec, TwistSpec,
};

/// A straight strand of 1 m with `n` vertices.
fn metre(n: usize) -> StrandMesh {
    let shape = StrandShape {
        vertices: n,
        length: Some(1.0),
        radius: None,
        pitch: None,
        turns: None,
        direction: None,
    };
    StrandMesh { strand: Some(shape), points: None }
}

/// A thread of 1 m, `n` vertices, released from the horizontal, swings from one end.
///
/// Shows stretch and bending of strands.
pub fn strand_pendulum(n: usize) -> SceneDescription {
    let strand = StrandBody {
        mesh: metre(n),
        material: ThreadSpec::new(1000.0, 1.0e7, 1.0e-3),
        pin: vec![Pin::vertices([0])],
        ..StrandBody::default()
    };
    SceneDescription {
        strand: vec![strand],
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// A rope of 1 m, `n` vertices, whose right end moves in by a fifth in the first second.
///
/// It comes to rest as a catenary: it is so thin that its bending stiffness is negligible (8 mm of boundary
/// layer), and so stiff that its stretch is (0.1 %).
pub fn rope(n: usize) -> SceneDescription {
    let damping = DampingSpec { drag: Some(3.0), ..DampingSpec::default() };
    let inwards = [(0.0, [0.0; 3]), (1.0, [-0.2, 0.0, 0.0])];
    let rope = StrandBody {
        name: "rope".to_owned(),
        mesh: metre(n),
        material: ThreadSpec { damping: Some(damping), ..ThreadSpec::new(1000.0, 1.0e7, 0.5e-3) },
        pin: vec![Pin::vertices([0]), Pin::vertices([n.saturating_sub(1)]).path(&inwards)],
        ..StrandBody::default()
    };
    // Ten local/global iterations leave kinks at the ends.
    let solver = SolverSpec::named("newton");
    SceneDescription { strand: vec![rope], solver: Some(solver), ..SceneDescription::default() }
}

/// A coiled cord of `n` vertices, ten turns of 2 cm hanging down 10 cm, with a receiver at its end.
///
/// Shows a curled rest shape: directional bending and twist make it a spring. Without twist the coils would
/// unwind.
pub fn telephone_cord(n: usize) -> SceneDescription {
    let shape = StrandShape {
        vertices: n,
        length: None,
        radius: Some(0.01),
        pitch: Some(0.01),
        turns: Some(10.0),
        direction: Some([0.0, -1.0, 0.0]),
    };
    let last = n.saturating_sub(1);
    let end = Selection { vertices: vec![last], ..Selection::default() };
    let damping = DampingSpec { drag: Some(1.0), ..DampingSpec::default() };
    let cord = StrandBody {
        name: "cord".to_owned(),
        mesh: StrandMesh { strand: Some(shape), points: None },
        material: ThreadSpec {
            twist: Some(TwistSpec::default()),
            damping: Some(damping),
            ..ThreadSpec::new(1200.0, 1.0e8, 1.5e-3)
        },
        pin: vec![Pin::segments([0])],
        load: vec![PointMass { at: end, kilograms: 0.02 }],
        ..StrandBody::default()
    };
    let solver = SolverSpec::named("newton");
    SceneDescription { strand: vec![cord], solver: Some(solver), ..SceneDescription::default() }
}

/// Two ropes of 1 m, `n` vertices, of negligible weight, whose right ends make four turns in four seconds
/// and move in by a fifth. The near one resists twist.
///
/// Shows the conversion of twist into writhe: past a few turns a straight rod under so little tension is no
/// longer stable, and forms loops; without twist stiffness the ends turn and the rope only bows.
pub fn twisted_rope(n: usize) -> SceneDescription {
    let last = n.saturating_sub(2);
    let rope = |z: f64, name: &str, twist: Option<TwistSpec>| {
        let mut turning =
            Pin::segments([last]).spin([0.0, 0.0, z], [1.0, 0.0, 0.0], std::f64::consts::TAU);
        if let Some(spin) = &mut turning.spin {
            spin.drift = Some([-0.05, 0.0, 0.0]);
        }
        let damping = DampingSpec { drag: Some(3.0), ..DampingSpec::default() };
        StrandBody {
            name: name.to_owned(),
            mesh: metre(n),
            material: ThreadSpec {
                twist,
                damping: Some(damping),
                ..ThreadSpec::preset("rubber_cord")
            },
            place: Some(Placement { shift: Some([0.0, 0.0, z]), ..Placement::default() }),
            pin: vec![Pin::segments([0]), turning],
            ..StrandBody::default()
        }
    };
    let strand = vec![rope(0.0, "plain", None), rope(0.3, "twisting", Some(TwistSpec::default()))];
    let solver = SolverSpec::named("newton");
    SceneDescription {
        gravity: Some([0.0, -0.2, 0.0]),
        frames: Some(300),
        strand,
        solver: Some(solver),
        ..SceneDescription::default()
    }
}

/// Wire of steel and its radius: density \[kg/m³\], Young's modulus \[Pa\], radius \[m\].
const WIRE: (f64, f64, f64) = (7850.0, 2.1e11, 1.0e-4);

/// A steel wire of 1 m, `n` vertices, with a weight of a thousand of its links at its end, released from
/// the horizontal.
///
/// Shows stiffness: it must stretch by a few millionths. Solvers that relax one constraint after another,
/// or that project and average, stretch it visibly.
pub fn heavy_chain(n: usize) -> SceneDescription {
    let (density, young, radius) = WIRE;
    let wire = density * std::f64::consts::PI * radius * radius;
    let last = n.saturating_sub(1);
    let end = Selection { vertices: vec![last], ..Selection::default() };
    let chain = StrandBody {
        name: "chain".to_owned(),
        mesh: metre(n),
        material: ThreadSpec::new(density, young, radius),
        pin: vec![Pin::vertices([0])],
        load: vec![PointMass { at: end, kilograms: 1000.0 * wire / last.max(1) as f64 }],
        ..StrandBody::default()
    };
    let solver = SolverSpec::named("constrained");
    SceneDescription { strand: vec![chain], solver: Some(solver), ..SceneDescription::default() }
}
