//! A cloth hangs from two corners. Change `ProjectiveDynamics` to `Pbd`, `Xpbd` or `Newton`.

use pliant::prelude::*;

/// Runs the example.
pub fn main() -> Result<(), pliant::Error> {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(32).size(1.0), Fabric::cotton())?;
    scene.pin(cloth.corner(0));
    scene.pin(cloth.corner(1));

    let mut sim = Simulation::new(scene.build()?, ProjectiveDynamics::default())?;
    for _ in 0..300 {
        if let Some(warning) = sim.step().warning() {
            eprintln!("{warning}");
        }
    }
    let lowest = cloth.positions(&sim).map(|p| p[1]).fold(f32::MAX, f32::min);
    println!("lowest point {lowest:.3} m");
    Ok(())
}
