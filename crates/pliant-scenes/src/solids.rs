//! Scenes of soft solids, and free flight.

use pliant::Error;
use pliant::prelude::*;

use crate::tumble;

/// A rubber bar of 0.1 m × 0.1 m × 0.5 m, `n` cells thick, clamped at one end, bends under its
/// weight.
///
/// Shows elasticity: the tip comes down as beam theory says, once `n` is large enough for linear
/// tetrahedra.
pub fn cantilever(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let bar = TetBlock::new(5 * n, n, n).size([0.5, 0.1, 0.1]).bar()?;
    let clamped = bar.ends[0].clone();
    let damping = Damping { stiffness: 0.02, ..Damping::default() };
    let body = scene.solid(bar, Solid::new(930.0, 1.0e6, 0.3).damping(damping))?;
    for v in clamped {
        scene.pin(body.vertex(v as usize));
    }
    scene.build()
}

/// A foam bar of 1 m, `n` cells thick and 30 `n` long, whose ends turn against each other at half a
/// turn per second each.
///
/// Shows large rotations with all ends held (Projective Dynamics, figure 12: 91 × 3 × 3 cells there,
/// 90 × 3 × 3 here for `n = 3`). Without a volume term, so that every solver minimises one energy.
pub fn twisting_bar(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let thick = 1.0 / 30.0;
    let bar = TetBlock::new(30 * n, n, n)
        .size([1.0, thick, thick])
        .at([0.0, -0.5 * thick, -0.5 * thick])
        .bar()?;
    let ends = bar.ends.clone();
    let body = scene.solid(bar, Solid::foam())?;
    let rate = std::f64::consts::PI;
    for (end, rate) in ends.iter().zip([rate, -rate]) {
        for &v in end {
            let (center, axis, drift) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0; 3]);
            scene.pin_moving(body.vertex(v as usize), Motion::Spin { center, axis, rate, drift });
        }
    }
    scene.build()
}

/// A cube of jelly, 10 cm, `n` cells on a side, on a plate that jerks sideways.
///
/// Shows a nearly incompressible solid.
pub fn jelly_block(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let damping = Damping { stiffness: 0.01, ..Damping::default() };
    let jelly =
        scene.solid(TetBlock::new(n, n, n).size([0.1; 3]), Solid::jelly().damping(damping))?;
    for i in 0..jelly.vertices().len() {
        let p = scene.positions_mut(&jelly)[i];
        if p[1] == 0.0 {
            let side = [p[0] + 0.03, p[1], p[2]];
            let path = vec![(0.5, p), (0.6, side), (1.0, side), (1.1, p)];
            scene.pin_moving(jelly.vertex(i), Motion::Path(path));
        }
    }
    scene.build()
}

/// Five rubber balls of 5 cm, `n` layers each, on elastic tethers, dropped from different heights.
///
/// Shows several bodies in one model.
pub fn balls(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    for i in 0..5 {
        let (x, drop) = (0.15 * i as f64, 0.05 * i as f64);
        let mesh = TetBall::new(n).radius(0.05).at([x, drop, 0.0]).build()?;
        let highest = (0..mesh.positions.len())
            .max_by(|&a, &b| mesh.positions[a][1].total_cmp(&mesh.positions[b][1]))
            .unwrap_or(0);
        let ball = scene.solid(mesh, Solid::new(930.0, 5.0e4, 0.4))?;
        scene.name(&ball, &format!("ball {i}"));
        scene.attach(ball.vertex(highest), [x, 0.05, 0.0], 100.0);
    }
    scene.build()
}

/// A soft ring of 20 cm, `n` layers thick, held by its topmost vertex.
///
/// Shows a solid with a hole.
pub fn torus(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let mesh = TetTorus::new(0.1, 0.03).cells(8 * n, n).build()?;
    let end = (0..mesh.positions.len())
        .max_by(|&a, &b| mesh.positions[a][0].total_cmp(&mesh.positions[b][0]))
        .unwrap_or(0);
    let damping = Damping { stiffness: 0.01, ..Damping::default() };
    let ring = scene.solid(mesh, Solid::new(930.0, 5.0e4, 0.4).damping(damping))?;
    scene.pin(ring.vertex(end));
    scene.build()
}

/// A sheet, a block and a strand, `n` vertices or cells on a side, tumble in empty space.
///
/// No gravity, no pins: whatever the solver, the momentum must stay.
pub fn free_flight(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let sheet = scene.cloth(Grid::square(2 * n).size(0.5), Fabric::rubber())?;
    let block = TetBlock::new(n, n, n).size([0.2; 3]).at([1.0, 0.0, 0.0]);
    let block = scene.solid(block, Solid::new(930.0, 1.0e5, 0.3))?;
    let strand = Strand::new(4 * n).length(0.5).at([0.0, 0.0, 1.0]);
    let strand = scene.strand(strand, Thread::rubber_cord())?;
    let motions = [
        (sheet, [1.0, 0.5, 0.0], [0.0, 2.0, 1.0]),
        (block, [-1.0, 0.0, 0.3], [3.0, 0.0, 1.0]),
        (strand, [0.2, -1.0, 0.0], [0.0, 1.0, 2.0]),
    ];
    for (body, velocity, spin) in motions {
        let v = tumble(scene.positions_mut(&body), velocity, spin);
        scene.velocities_mut(&body).copy_from_slice(&v);
    }
    scene.build()
}
