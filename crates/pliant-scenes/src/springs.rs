//! Scenes of mass-spring networks.

use crate::describe::{
    CurtainShape, DampingSpec, Pin, Placement, SceneDescription, SolverSpec, SpringsBody,
    SpringsMesh, SpringsSpec, Start, StrainLimitSpec,
};

/// Spring constant of a curtain of 21 × 21 vertices [N/m]: it stretches by about a tenth at its pins. Ten
/// times as much converges ten times as slowly.
const CONSTANT_AT_21: f64 = 300.0;

fn net(n: usize) -> SpringsMesh {
    let curtain = Some(CurtainShape { vertices: n, width: None });
    SpringsMesh { curtain, ..SpringsMesh::default() }
}

/// The curtain of Fast Simulation of Mass-Spring Systems, `n` × `n` vertices (81 in table 1): 1 m × 1 m, 1
/// kg, h = 1/30 s, spring constants proportional to the resolution, pinned at two corners.
///
/// Shows the network of that paper; every solver supports it, and mass_spring is designed for it.
pub fn curtain(n: usize) -> SceneDescription {
    let constant = CONSTANT_AT_21 * n.saturating_sub(1) as f64 / 20.0;
    let damping = DampingSpec { drag: Some(1.0), ..DampingSpec::default() };
    // Lifted out of its plane, so that it swings down and folds.
    let lifted = [[1.0, 0.0, 0.0], [0.0, 0.6, 0.0], [0.0, -0.8, 0.0]];
    let curtain = SpringsBody {
        name: "curtain".to_owned(),
        mesh: net(n),
        material: SpringsSpec {
            constant,
            mass: 1.0,
            damping: Some(damping),
            ..SpringsSpec::default()
        },
        start: Some(Start { matrix: Some(lifted), ..Start::default() }),
        pin: vec![Pin::corners(&[0, 1])],
        ..SpringsBody::default()
    };
    SceneDescription {
        time_step: Some(1.0 / 30.0),
        springs: vec![curtain],
        solver: Some(SolverSpec::named("mass-spring")),
        ..SceneDescription::default()
    }
}

/// A net of `n` × `n` vertices tumbles in empty space.
///
/// No gravity and no pins: every solver must conserve momentum.
pub fn free_springs(n: usize) -> SceneDescription {
    let (velocity, spin) = (Some([1.0, -0.5, 0.2]), Some([0.5, 2.0, 1.0]));
    let net = SpringsBody {
        mesh: net(n),
        material: SpringsSpec { constant: CONSTANT_AT_21, mass: 1.0, ..SpringsSpec::default() },
        start: Some(Start { velocity, spin, ..Start::default() }),
        ..SpringsBody::default()
    };
    SceneDescription { gravity: Some([0.0; 3]), springs: vec![net], ..SceneDescription::default() }
}

/// A net of `n` × `n` vertices is stretched and released in empty space; it oscillates while it rotates.
///
/// Shows the effect of an integrator on energy: implicit Euler dissipates most of it within a second, BDF2
/// some, implicit midpoint and the symplectic ones none.
pub fn ringing_net(n: usize) -> SceneDescription {
    let wide = [[1.2, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 1.0]];
    let start = Start { matrix: Some(wide), spin: Some([0.0, 0.0, 2.0]), ..Start::default() };
    let net = SpringsBody {
        mesh: net(n),
        material: SpringsSpec { constant: 20.0, mass: 1.0, ..SpringsSpec::default() },
        start: Some(start),
        ..SpringsBody::default()
    };
    SceneDescription {
        gravity: Some([0.0; 3]),
        springs: vec![net],
        solver: Some(SolverSpec::named("newton@midpoint")),
        ..SceneDescription::default()
    }
}

/// Two nets of `n` × `n` vertices with the same weak springs hang by two corners each. The left one
/// stretches without limit, the right one by at most a tenth.
///
/// Shows strain limiting as a correction after any solver.
pub fn limited_net(n: usize) -> SceneDescription {
    let damping = DampingSpec { drag: Some(1.0), ..DampingSpec::default() };
    // Weak for the weight: springs of 8 × 8 vertices stretch by a third and more at the pins.
    let constant = 40.0;
    let free = SpringsBody {
        name: "free".to_owned(),
        mesh: net(n),
        material: SpringsSpec {
            constant,
            mass: 1.0,
            damping: Some(damping),
            ..SpringsSpec::default()
        },
        pin: vec![Pin::corners(&[0, 1])],
        ..SpringsBody::default()
    };
    let limit = StrainLimitSpec { stretch: [0.5, 1.1], area: None, iterations: None };
    let limited = SpringsBody {
        name: "limited".to_owned(),
        material: SpringsSpec { strain_limit: Some(limit), ..free.material.clone() },
        place: Some(Placement { shift: Some([1.5, 0.0, 0.0]), ..Placement::default() }),
        ..free.clone()
    };
    SceneDescription { springs: vec![free, limited], ..SceneDescription::default() }
}
