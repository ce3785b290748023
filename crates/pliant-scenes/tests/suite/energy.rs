//! Contract: what integrators do to the energy of a free spring network, side by side.
//!
//! Implicit midpoint is symplectic: the energy swings but does not drift. Implicit Euler takes
//! nearly all of it that is not in rigid motion. BDF2 is in between, and the explicit symplectic
//! ones keep it within bounds where their substeps are short enough.

use pliant::prelude::*;

/// The energy of a free net after each of `steps` steps of 1/60 s, in parts of the first.
fn energies(name: &str, steps: usize) -> Vec<f64> {
    let mut solver = AnySolver::by_name(name).unwrap();
    // Enough local/global iterations that what is left is the integrator's doing.
    if name.starts_with("projective") {
        solver = solver.with_iterations(60);
    }
    if matches!(solver, AnySolver::Explicit(_)) {
        solver = solver.with_substeps(4);
    }
    let model = pliant_scenes::ringing_net(3).unwrap();
    let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
    let mut energies = Vec::with_capacity(steps);
    let start = first_energy();
    for _ in 0..steps {
        energies.push(sim.step().total_energy() / start);
    }
    energies
}

/// The energy before the first step \[J\].
fn first_energy() -> f64 {
    let model = pliant_scenes::ringing_net(3).unwrap();
    // A step so short that nothing moves.
    let mut sim = Simulation::<f64>::with_precision(model, Explicit::verlet()).unwrap();
    sim.set_time_step(1e-9).unwrap();
    sim.step().total_energy()
}

#[test]
fn implicit_midpoint_keeps_the_energy_that_implicit_euler_takes() {
    const STEPS: usize = 10_000;
    println!("{:22} {:>10} {:>10} {:>10}", "10,000 steps", "lowest", "highest", "at the end");
    let mut at_the_end = std::collections::BTreeMap::new();
    for name in [
        "newton",
        "newton@bdf2",
        "newton@midpoint",
        "projective",
        "projective@bdf2",
        "projective@midpoint",
        "symplectic",
        "verlet",
    ] {
        let all = energies(name, STEPS);
        let low = all.iter().copied().fold(f64::MAX, f64::min);
        let high = all.iter().copied().fold(0.0, f64::max);
        let end = all[STEPS - 1];
        println!("{name:22} {low:>10.4} {high:>10.4} {end:>10.4}");
        at_the_end.insert(name, [low, high, end]);
    }
    for solver in ["newton", "projective"] {
        let of = |integrator: &str| at_the_end[format!("{solver}{integrator}").as_str()];
        // Measured 0.9963 to 1.0004.
        let [low, high, _] = of("@midpoint");
        assert!(low > 0.99 && high < 1.01, "{solver}@midpoint: {low} to {high}");
        // Measured 0.01 and 0.26.
        let ([.., euler], [.., bdf2]) = (of(""), of("@bdf2"));
        assert!(euler < 0.1 && bdf2 > 0.1 && bdf2 < 0.9, "{solver}: {euler}, @bdf2: {bdf2}");
    }
    // Of first order: it swings by more, measured 0.965 to 1.038. Verlet within 0.2 %.
    for (name, bound) in [("symplectic", 0.1), ("verlet", 0.01)] {
        let [low, high, _] = at_the_end[name];
        assert!(low > 1.0 - bound && high < 1.0 + bound, "{name}: {low} to {high}");
    }
}

#[test]
fn explicit_euler_feeds_the_energy() {
    let all = energies("explicit", 60);
    println!("explicit Euler after one second in substeps of 1/240 s: {:.1}", all[59]);
    assert!(all.windows(2).all(|w| w[1] > w[0]) && all[59] > 2.0, "{all:?}");
}
