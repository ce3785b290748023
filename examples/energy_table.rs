//! Energy under each integrator: a stretched net of springs rings in empty space for ten seconds.

use pliant::prelude::*;

/// Runs the example.
pub fn main() -> Result<(), pliant::Error> {
    println!("{:20} {:>8} {:>8} {:>8}   parts of the first energy", "solver", "1 s", "5 s", "10 s");
    for name in ["newton", "newton@bdf2", "newton@midpoint", "symplectic", "verlet", "explicit"] {
        let mut scene = ModelBuilder::new();
        scene.gravity([0.0; 3]);
        let net = scene.springs(Curtain::new(3), Springs::new(20.0, 1.0))?;
        scene.positions_mut(&net).iter_mut().for_each(|p| p[0] *= 1.2);

        let mut solver = AnySolver::by_name(name)?;
        if solver.substeps() > 1 {
            solver = solver.with_substeps(8);
        }
        let mut sim = Simulation::<f64>::with_precision(scene.build()?, solver)?;
        let first = sim.system().elastic_energy(sim.exec(), &sim.state().positions);
        print!("{name:20}");
        for frame in 1..=600 {
            let energy = sim.step().total_energy();
            if [60, 300, 600].contains(&frame) {
                print!(" {:8.3}", energy / first);
            }
        }
        println!();
    }
    Ok(())
}
