//! Scenes of mass-spring networks.

use crate::describe::{
    CurtainShape, DampingSpec, Description, Pin, SpringsBody, SpringsMesh, SpringsSpec, Start,
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
        material: SpringsSpec { constant, mass: 1.0, pbd: None, damping: Some(damping) },
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
        material: SpringsSpec { constant: CONSTANT_AT_21, mass: 1.0, pbd: None, damping: None },
        start: Some(Start { velocity, spin, ..Start::default() }),
        ..SpringsBody::default()
    };
    Description { gravity: Some([0.0; 3]), springs: vec![net], ..Description::default() }
}
