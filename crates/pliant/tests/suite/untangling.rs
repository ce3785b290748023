//! Contract: surfaces that cross when a run begins are drawn apart, the report says so, and once they are apart they
//! stay so. Meanwhile a snapshot goes on to the same bits.

use pliant::prelude::*;

/// Two square sheets; the corner of one is through the middle of the other.
fn poked() -> Model {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let fabric =
        Fabric { damping: Damping { drag: 4.0, ..Damping::default() }, ..Fabric::cotton() };
    for sheet in 0..2 {
        let cloth = scene.cloth(Grid::square(13).size(0.3), fabric).unwrap();
        for p in scene.positions_mut(&cloth) {
            let [x, z] = [p[0] - 0.15, p[2] - 0.15];
            *p = if sheet == 0 {
                [x, 0.003, z]
            } else {
                // Upright, on its corner, 6 cm of which are below the other.
                let (along, up) = ((x - z) * 0.5_f64.sqrt(), (x + z) * 0.5_f64.sqrt());
                [along + 0.0123, up + 0.15, 0.0077 + 0.1 * along]
            };
        }
        scene.contact_material(
            &cloth,
            Some(ContactMaterial::of_thickness(2e-3).with_self_collision()),
        );
    }
    scene.build().unwrap()
}

/// A strip that is folded through itself.
fn folded_through() -> Model {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let fabric =
        Fabric { damping: Damping { drag: 4.0, ..Damping::default() }, ..Fabric::cotton() };
    let cloth = scene.cloth(Grid::new(25, 9).size2(0.4, 0.13), fabric).unwrap();
    for p in scene.positions_mut(&cloth) {
        // Down to the middle and up again, through the first half near the ends.
        let (x, z) = (p[0] - 0.2, p[2]);
        let side = 0.012 - 0.4 * (x.abs() - 0.13).max(0.0);
        *p = [x.signum() * side, x.abs(), z + 0.1 * x];
    }
    scene.contact_material(&cloth, Some(ContactMaterial::of_thickness(1e-3).with_self_collision()));
    scene.build().unwrap()
}

#[test]
fn a_corner_that_is_through_a_sheet_comes_out() {
    come_apart("poked", poked);
}

#[test]
fn a_sheet_that_is_through_itself_comes_apart() {
    come_apart("folded through", folded_through);
}

fn come_apart(what: &str, model: fn() -> Model) {
    for solver in ["xpbd", "projective", "pbd"] {
        for mode in [ContactMode::RealTime, ContactMode::IntersectionFree] {
            let mut sim = Simulation::new(model(), AnySolver::by_name(solver).unwrap()).unwrap();
            sim.set_contact_mode(mode);
            let first = sim.step().contacts.initial_intersections;
            let (mut steps, mut left) = (1, sim.report().contacts.intersections);
            assert!(first > 10 && left > 0, "{what}: {first}");
            while left > 0 && steps < 240 {
                left = sim.step().contacts.intersections;
                steps += 1;
            }
            println!(
                "{what:14} {solver:10} {mode:?}: {first} crossings, {left} after {steps} steps"
            );
            assert_eq!(left, 0, "{what}, {solver}");
            for _ in 0..30 {
                sim.step();
                assert_eq!(sim.count_intersections(), 0, "{what}, {solver}");
            }
            assert_eq!(sim.report().contacts.initial_intersections, 0);
        }
    }
}

#[test]
fn a_run_that_is_restored_while_it_is_untangled_goes_on_to_the_bit() {
    let solver = AnySolver::by_name("projective").unwrap();
    let mut whole = Simulation::new(poked(), solver.clone()).unwrap();
    for step in 0..40 {
        let mut other = Simulation::new(poked(), solver.clone()).unwrap();
        other.restore(&whole.snapshot()).unwrap();
        whole.step();
        other.step();
        assert_eq!(whole.hash(), other.hash(), "step {step}");
    }
}
