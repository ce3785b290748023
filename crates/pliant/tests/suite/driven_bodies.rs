//! Driven bodies: pins with targets, rigid bodies of a given mass, and collision groups that something else
//! keeps apart.

use pliant::MassProperties;
use pliant::prelude::*;

#[test]
fn a_pin_goes_to_its_target_evenly_over_the_substeps() {
    let mut scene = ModelBuilder::new();
    let rope = scene.strand(Strand::new(5).length(0.4), Thread::rubber_cord()).unwrap();
    scene.pin(rope.vertex(0));
    let solver = Xpbd::new(2, 10);
    let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), solver).unwrap();
    let from = sim.state().positions[0];
    let target = [from[0] + 0.01, from[1] - 0.02, from[2]];
    sim.move_pin(0, target).unwrap();
    sim.step();
    for c in 0..3 {
        let even = (target[c] - from[c]) / sim.time_step();
        assert!((sim.state().velocities[0][c] - even).abs() < 1e-9 * (1.0 + even.abs()));
        assert_eq!(sim.state().positions[0][c], target[c]);
    }
    // And stays there.
    sim.step();
    for c in 0..3 {
        assert_eq!(sim.state().positions[0][c], target[c]);
        assert_eq!(sim.state().velocities[0][c], 0.0);
    }
}

#[test]
fn a_collision_group_passes_through_itself_and_supports_others() {
    let cube = |y: f64| Collider::cuboid([0.0, y, 0.0], [0.2; 3]).surface_mesh();
    let run = |group: Option<u32>| {
        let mut scene = ModelBuilder::new();
        let bodies = [cube(0.3), cube(0.9)].map(|mesh| scene.rigid(mesh, 500.0).unwrap());
        for body in &bodies {
            let material = scene.contact_material_of(body).unwrap();
            scene.contact_material(
                body,
                Some(ContactMaterial { collision_group: group, ..material }),
            );
        }
        let floor = Collider::plane([0.0; 3], [0.0, 1.0, 0.0]);
        scene.collider(group.into_iter().fold(floor, Collider::collision_group));
        let mut sim = Simulation::new(scene.build().unwrap(), Xpbd::default()).unwrap();
        for _ in 0..90 {
            sim.step();
        }
        bodies.map(|body| body.centre_of_mass(&sim)[1])
    };
    let [low, high] = run(None);
    assert!((low - 0.1).abs() < 5e-3 && (high - 0.3).abs() < 5e-3, "{low} {high}");
    let [low, high] = run(Some(3));
    // Both fall freely for a second and a half: 11 m.
    assert!(low < -10.0 && (high - low - 0.6).abs() < 1e-3, "{low} {high}");
}

#[test]
fn a_given_mass_moves_as_that_mass() {
    // A body of 2 kg that turns easily about y alone, whatever its surface; struck by a force at its side.
    let mesh = Grid::square(3).size(0.2).build().unwrap();
    let inertia = [[0.05, 0.0, 0.0], [0.0, 0.02, 0.0], [0.0, 0.0, 0.05]];
    let mass = MassProperties::with_inertia(2.0, [0.1, 0.0, 0.1], inertia);
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let body = scene.rigid_with_mass(mesh, &mass).unwrap();
    for v in scene.velocities_mut(&body) {
        *v = [0.5, 0.0, 0.0];
    }
    let mut sim =
        Simulation::<f64>::with_precision(scene.build().unwrap(), Xpbd::default()).unwrap();
    let total: f64 = sim.model().masses().iter().sum();
    assert!((total - 2.0).abs() < 1e-12);
    let centre = body.centre_of_mass(&sim);
    assert!((centre[0] - 0.1).abs() < 1e-12 && centre[1].abs() < 1e-12);
    for _ in 0..60 {
        sim.step();
    }
    assert!((body.centre_of_mass(&sim)[0] - 0.6).abs() < 1e-6, "{:?}", body.centre_of_mass(&sim));
    let state = sim.state();
    let square = |i: usize| {
        let d = (0..3).map(|c| state.positions[i][c] - body.centre_of_mass(&sim)[c]);
        d.map(|d| d * d).sum::<f64>()
    };
    // Half of the trace of the inertia is Σ m r².
    let sum: f64 = body.vertices().map(|i| 0.5 * square(i)).sum();
    assert!((sum - 0.06).abs() < 1e-6, "{sum}");
}
