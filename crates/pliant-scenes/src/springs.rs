//! Scenes of mass-spring networks.

use crate::describe::{
    CurtainShape, DampingSpec, Description, Pin, Place, SpringsBody, SpringsMesh, SpringsSpec,
    Start, StrainLimitSpec,
};

/// The spring constant of a curtain of 21 × 21 vertices [N/m]: it stretches by about a tenth where
/// it is held. Ten times as much converges ten times as slowly.
const CONSTANT_AT_21: f64 = 300.0;

fn net(n: usize) -> SpringsMesh {
    let curtain = Some(CurtainShape { vertices: n, width: None });
    SpringsMesh { curtain, ..SpringsMesh::default() }
}

/// The curtain of Fast Simulation of Mass-Spring Systems, `n` × `n` vertices (81 in table 1): 1 m ×
/// 1 m, 1 kg, h = 1/30 s, spring constants proportional to the resolution, held by two corners.
///
/// Shows the network of that paper; every solver runs it, and mass_spring is made for it.
pub fn curtain(n: usize) -> Description {
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
    Description { time_step: Some(1.0 / 30.0), springs: vec![curtain], ..Description::default() }
}

/// A net of `n` × `n` vertices tumbles in empty space.
///
/// No gravity, no pins: whatever the solver, the momentum must stay.
pub fn free_springs(n: usize) -> Description {
    let (velocity, spin) = (Some([1.0, -0.5, 0.2]), Some([0.5, 2.0, 1.0]));
    let net = SpringsBody {
        mesh: net(n),
        material: SpringsSpec { constant: CONSTANT_AT_21, mass: 1.0, ..SpringsSpec::default() },
        start: Some(Start { velocity, spin, ..Start::default() }),
        ..SpringsBody::default()
    };
    Description { gravity: Some([0.0; 3]), springs: vec![net], ..Description::default() }
}

/// A net of `n` × `n` vertices, pulled wide and let go in empty space, rings while it turns.
///
/// Shows what an integrator does to energy: implicit Euler takes most of it within a second, BDF2
/// some, implicit midpoint and the symplectic ones none.
pub fn ringing_net(n: usize) -> Description {
    let wide = [[1.2, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 1.0]];
    let start = Start { matrix: Some(wide), spin: Some([0.0, 0.0, 2.0]), ..Start::default() };
    let net = SpringsBody {
        mesh: net(n),
        material: SpringsSpec { constant: 20.0, mass: 1.0, ..SpringsSpec::default() },
        start: Some(start),
        ..SpringsBody::default()
    };
    Description { gravity: Some([0.0; 3]), springs: vec![net], ..Description::default() }
}

/// Two nets of `n` × `n` vertices and of the same weak springs hang by two corners each. The left
/// one may stretch as it likes, the right one by a tenth.
///
/// Shows strain limiting as a correction after whichever solver.
pub fn limited_net(n: usize) -> Description {
    let damping = DampingSpec { drag: Some(1.0), ..DampingSpec::default() };
    // Weak for the weight: springs of 8 × 8 vertices stretch by a third and more where they are held.
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
        place: Some(Place { shift: Some([1.5, 0.0, 0.0]), ..Place::default() }),
        ..free.clone()
    };
    Description { springs: vec![free, limited], ..Description::default() }
}
