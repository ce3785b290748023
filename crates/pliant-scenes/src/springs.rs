//! Scenes of mass-spring networks.

use pliant::Error;
use pliant::prelude::*;

use crate::tumble;

/// The spring constant of a curtain of 21 × 21 vertices [N/m]: it stretches by about a tenth where
/// it is held. Ten times as much converges ten times as slowly.
const CONSTANT_AT_21: f64 = 300.0;

/// The curtain of Fast Simulation of Mass-Spring Systems, `n` × `n` vertices (81 in table 1): 1 m ×
/// 1 m, 1 kg, h = 1/30 s, spring constants proportional to the resolution, held by two corners.
///
/// Shows the network of that paper; every solver runs it, and mass_spring is made for it.
pub fn curtain(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let constant = CONSTANT_AT_21 * n.saturating_sub(1) as f64 / 20.0;
    let damping = Damping { drag: 1.0, ..Damping::default() };
    let springs = Springs { damping, ..Springs::new(constant, 1.0) };
    let curtain = scene.springs(Curtain::new(n), springs)?;
    scene.pin(curtain.corner(0));
    scene.pin(curtain.corner(1));
    // Lifted out of its plane, so that it swings down and folds.
    for p in scene.positions_mut(&curtain) {
        *p = [p[0], 0.6 * p[1], -0.8 * p[1]];
    }
    scene.time_step(1.0 / 30.0);
    scene.build()
}

/// A net of `n` × `n` vertices tumbles in empty space.
///
/// No gravity, no pins: whatever the solver, the momentum must stay.
pub fn free_springs(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let net = scene.springs(Curtain::new(n), Springs::new(CONSTANT_AT_21, 1.0))?;
    let v = tumble(scene.positions_mut(&net), [1.0, -0.5, 0.2], [0.5, 2.0, 1.0]);
    scene.velocities_mut(&net).copy_from_slice(&v);
    scene.build()
}
