//! Contract: a local/global solver holds little more than the factor of its matrix. On the curtain
//! of 6561 vertices and 32,158 springs all it holds, the factor included, is at most one and a half
//! times the factor.

use pliant::prelude::*;

#[test]
fn the_curtains_solver_holds_at_most_one_and_a_half_times_its_factor() {
    let model = pliant_scenes::curtain(81).unwrap();
    let sim = Simulation::new(model, ProjectiveDynamics::default()).unwrap();
    let bytes = sim.solver_memory();
    let ratio = (bytes.factor + bytes.scratch) as f64 / bytes.factor as f64;
    println!("factor {} B, the rest {} B: {ratio:.3}", bytes.factor, bytes.scratch);
    assert!(ratio <= 1.5, "{ratio}");
}
