//! A simulation that goes on with a model opened again, in which nothing was changed, goes on with the same
//! bits: elements, memory, tears, targets of pins and what touches are all carried over.

use pliant::prelude::*;

#[test]
fn replacing_the_model_by_an_equal_one_changes_no_bit_in_any_scene() {
    for scene in pliant_scenes::all() {
        let small = (scene.default_size / 3).max(3);
        let model = (scene.build)(small).or_else(|_| (scene.build)(scene.default_size)).unwrap();
        let mut plain = Simulation::new(model, ProjectiveDynamics::default()).unwrap();
        (0..4).for_each(|_| drop(plain.step().clone()));
        let mut reopened =
            Simulation::new(plain.original_model().clone(), ProjectiveDynamics::default()).unwrap();
        reopened.restore(&plain.snapshot()).unwrap();
        let again = ModelBuilder::from_model(plain.original_model()).build().unwrap();
        reopened.replace_model(again).unwrap();
        assert_eq!(reopened.hash(), plain.hash(), "{}", scene.name);
        for step in 0..4 {
            plain.step();
            reopened.step();
            assert_eq!(reopened.hash(), plain.hash(), "{} at step {step}", scene.name);
        }
    }
}

#[test]
fn torn_and_plastic_bodies_continue_bitwise_after_replacing_the_model() {
    for (name, size, steps) in [
        ("torn_sheet", 13, 120),
        ("torn_flag", 12, 60),
        ("plastic_bars", 2, 60),
        ("cut_cloth", 13, 60),
    ] {
        let model = (pliant_scenes::by_name(name).unwrap().build)(size).unwrap();
        for solver in ["projective", "xpbd", "projective@bdf2"] {
            let solver = AnySolver::by_name(solver).unwrap();
            let model = ModelBuilder::from_model(&model).build().unwrap();
            let mut plain = Simulation::new(model, solver.clone()).unwrap();
            (0..steps).for_each(|_| drop(plain.step().clone()));
            let mut reopened = Simulation::new(plain.original_model().clone(), solver).unwrap();
            reopened.restore(&plain.snapshot()).unwrap();
            reopened
                .replace_model(ModelBuilder::from_model(plain.original_model()).build().unwrap())
                .unwrap();
            for step in 0..10 {
                plain.step();
                reopened.step();
                assert_eq!(reopened.hash(), plain.hash(), "{name} at step {step}");
            }
        }
    }
}

#[test]
fn another_model_is_refused_and_changes_nothing() {
    let cloth = |n: usize| {
        let mut scene = ModelBuilder::new();
        scene.cloth(Grid::square(n), Fabric::cotton()).unwrap();
        scene.build().unwrap()
    };
    let mut sim = Simulation::new(cloth(6), ProjectiveDynamics::default()).unwrap();
    sim.step();
    let hash = sim.hash();
    for other in [cloth(5), cloth(7)] {
        let problem = sim.replace_model(other).unwrap_err().to_string();
        assert!(problem.contains("start a new simulation"), "{problem}");
        assert_eq!(sim.hash(), hash);
    }
    // A solver that cannot run what is added leaves the simulation as it was.
    let mut scene = ModelBuilder::new();
    scene.springs(Curtain::new(5), Springs::new(50.0, 1.0)).unwrap();
    let mut net = Simulation::new(scene.build().unwrap(), MassSpring::default()).unwrap();
    net.step();
    let hash = net.hash();
    let mut with_cloth = ModelBuilder::from_model(net.original_model());
    with_cloth.cloth(Grid::square(4), Fabric::cotton()).unwrap();
    assert!(net.replace_model(with_cloth.build().unwrap()).is_err());
    assert_eq!(net.hash(), hash);
    net.step();
}
