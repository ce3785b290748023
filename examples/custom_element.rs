//! An element of your own: a rope that resists stretching but goes slack. Every solver runs it.

use pliant::batch::Elements;
use pliant::element::Projective;
use pliant::math::{Real, Vec3};
use pliant::prelude::*;
use pliant::solvers;

#[derive(Clone, Copy, Debug)]
struct Rope {
    length: f64,
}

impl Projective<2, 1, 1> for Rope {
    const NAME: &'static str = "rope";

    fn parameters(&self) -> [f64; 1] {
        [self.length]
    }
    fn matrix<R: Real>(_: &[R; 1]) -> [[R; 2]; 1] {
        [[R::one(), -R::one()]]
    }
    fn project<R: Real>(&[length]: &[R; 1], &[y]: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        [y.scale((length / y.norm().max(length)).min(R::one()))]
    }
}

/// Runs the example.
pub fn main() -> Result<(), pliant::Error> {
    for (name, _) in solvers::LIST.iter().filter(|(name, _)| *name != "mass_spring") {
        let mut scene = ModelBuilder::new();
        scene.points(&[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]], &[1.0, 1.0])?;
        let mut ropes = Elements::projective();
        ropes.push([0, 1], 1e4, Rope { length: 1.0 });
        scene.elements(ropes);
        scene.pin(0);
        let mut sim = Simulation::new(scene.build()?, AnySolver::by_name(name)?)?;
        (0..30).for_each(|_| drop(sim.step().clone()));
        let [x, y, _, _] = sim.state().positions[1];
        println!("{name:>12}: swinging on a rope of {:.3} m", (x * x + y * y).sqrt());
    }
    Ok(())
}
