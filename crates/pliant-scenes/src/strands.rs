//! Scenes of threads and ropes.

use pliant::Error;
use pliant::prelude::*;

/// A thread of 1 m, `n` vertices, let go from the horizontal, swings from one end.
///
/// Shows stretch and bending of strands.
pub fn strand_pendulum(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let thread = Thread::new(1000.0, 1.0e7, 1.0e-3);
    let strand = scene.strand(Strand::new(n).length(1.0), thread)?;
    scene.pin(strand.vertex(0));
    scene.build()
}

/// A rope of 1 m, `n` vertices, whose right end is brought in by a fifth in the first second.
///
/// It comes to rest as a catenary: it is thin enough not to feel its bending stiffness (8 mm of
/// boundary layer) and stiff enough not to stretch (0.1 %).
pub fn rope(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let damping = Damping { drag: 3.0, ..Damping::default() };
    let thread = Thread { damping, ..Thread::new(1000.0, 1.0e7, 0.5e-3) };
    let rope = scene.strand(Strand::new(n).length(1.0), thread)?;
    scene.pin(rope.vertex(0));
    let path = vec![(0.0, [1.0, 0.0, 0.0]), (1.0, [0.8, 0.0, 0.0])];
    scene.pin_moving(rope.vertex(n.saturating_sub(1)), Motion::Path(path));
    scene.build()
}
