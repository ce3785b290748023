//! Scenes of threads and ropes.

use crate::describe::{
    DampingSpec, Description, Load, Pin, Selection, SolverSpec, StrandBody, StrandMesh,
    StrandShape, ThreadSpec,
};

/// One metre, `n` vertices.
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

/// A thread of 1 m, `n` vertices, let go from the horizontal, swings from one end.
///
/// Shows stretch and bending of strands.
pub fn strand_pendulum(n: usize) -> Description {
    let strand = StrandBody {
        mesh: metre(n),
        material: ThreadSpec::new(1000.0, 1.0e7, 1.0e-3),
        pin: vec![Pin::vertices([0])],
        ..StrandBody::default()
    };
    Description { strand: vec![strand], ..Description::default() }
}

/// A rope of 1 m, `n` vertices, whose right end is brought in by a fifth in the first second.
///
/// It comes to rest as a catenary: it is thin enough not to feel its bending stiffness (8 mm of
/// boundary layer) and stiff enough not to stretch (0.1 %).
pub fn rope(n: usize) -> Description {
    let damping = DampingSpec { drag: Some(3.0), ..DampingSpec::default() };
    let inwards = [(0.0, [0.0; 3]), (1.0, [-0.2, 0.0, 0.0])];
    let rope = StrandBody {
        name: "rope".to_owned(),
        mesh: metre(n),
        material: ThreadSpec { damping: Some(damping), ..ThreadSpec::new(1000.0, 1.0e7, 0.5e-3) },
        pin: vec![Pin::vertices([0]), Pin::vertices([n.saturating_sub(1)]).path(&inwards)],
        ..StrandBody::default()
    };
    // Ten local/global iterations leave kinks at the posts.
    let solver = SolverSpec { name: "xpbd".to_owned(), ..SolverSpec::default() };
    Description { strand: vec![rope], solver: Some(solver), ..Description::default() }
}

/// Wire of steel and its radius: density \[kg/m³\], Young's modulus \[Pa\], radius \[m\].
const WIRE: (f64, f64, f64) = (7850.0, 2.1e11, 1.0e-4);

/// A steel wire of 1 m, `n` vertices, with a weight of a thousand of its links at its end, let go
/// from the horizontal.
///
/// Shows stiffness: it must stretch by a few millionths. Solvers that relax one constraint after
/// another, or that project and average, stretch it visibly.
pub fn heavy_chain(n: usize) -> Description {
    let (density, young, radius) = WIRE;
    let wire = density * std::f64::consts::PI * radius * radius;
    let last = n.saturating_sub(1);
    let end = Selection { vertices: vec![last], ..Selection::default() };
    let chain = StrandBody {
        name: "chain".to_owned(),
        mesh: metre(n),
        material: ThreadSpec::new(density, young, radius),
        pin: vec![Pin::vertices([0])],
        load: vec![Load { at: end, kilograms: 1000.0 * wire / last.max(1) as f64 }],
        ..StrandBody::default()
    };
    let solver = SolverSpec { name: "constrained".to_owned(), ..SolverSpec::default() };
    Description { strand: vec![chain], solver: Some(solver), ..Description::default() }
}
