//! Facts about a linked world: what falls is caught, momentum is kept, what is attached follows and is felt, and
//! what cannot be linked is refused by name.
//!
//! Figures are printed: `cargo test --release -p pliant-rapier --test suite link:: -- --nocapture`.

use pliant::math::point::{cross, norm, sub};
use pliant::prelude::*;
use pliant_rapier::{Error, RapierCoupling};
use rapier3d::prelude as rapier;
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};

fn to_f64(v: Vector) -> [f64; 3] {
    [v.x, v.y, v.z].map(f64::from)
}

/// A ball of a radius \[m\] and a mass \[kg\] at a place \[m\].
fn ball(world: &mut PhysicsWorld, at: [f32; 3], radius: f32, mass: f32) -> RigidBodyHandle {
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(at[0], at[1], at[2]));
    world.insert(body, ColliderBuilder::ball(radius).mass(mass)).0
}

/// Linear and angular momentum about the origin of a body of the simulation.
fn momenta<S: Precision>(sim: &Simulation<S>, body: &Body) -> [[f64; 3]; 2] {
    let mut sum = [[0.0; 3]; 2];
    for v in body.vertices() {
        let m = sim.model().masses()[v];
        let [x, u] = [&sim.state().positions[v], &sim.state().velocities[v]]
            .map(|p| [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()]);
        let turning = cross(x, u);
        for c in 0..3 {
            sum[0][c] += m * u[c];
            sum[1][c] += m * turning[c];
        }
    }
    sum
}

/// The same of a body of rapier's.
fn momenta_of(world: &PhysicsWorld, handle: RigidBodyHandle) -> [[f64; 3]; 2] {
    let body = &world.bodies[handle];
    let mass = f64::from(body.mass());
    let linear = to_f64(body.linvel()).map(|v| mass * v);
    let inertia = &body.mass_properties().local_mprops;
    let turn = body.rotation();
    let local = turn.inverse() * body.angvel();
    let spin = *turn * (inertia.reconstruct_inertia_matrix() * local);
    let about = cross(to_f64(body.center_of_mass()), linear);
    [linear, [0, 1, 2].map(|c| about[c] + to_f64(spin)[c])]
}

#[test]
fn a_falling_ball_is_caught_by_a_hanging_cloth() {
    for solver in ["xpbd", "projective"] {
        let mut world = PhysicsWorld::new();
        let ball = ball(&mut world, [0.5, 0.35, 0.5], 0.12, 0.3);
        let mut scene = ModelBuilder::new();
        let cloth = scene.cloth(Grid::square(21).size(1.0), Fabric::denim()).unwrap();
        (0..4).for_each(|corner| scene.pin(cloth.corner(corner)));
        let mut coupling = RapierCoupling::new(&mut scene, &mut world).unwrap();
        let solver = AnySolver::by_name(solver).unwrap();
        let mut sim = Simulation::new(scene.build().unwrap(), solver).unwrap();
        let (mut lowest, mut nearest) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..300 {
            coupling.step(&mut sim, &mut world).unwrap();
            let centre = to_f64(world.bodies[ball].translation());
            lowest = lowest.min(centre[1]);
            for p in cloth.positions(&sim) {
                nearest = nearest.min(norm(sub(p.map(f64::from), centre)) - 0.12);
            }
        }
        let body = &world.bodies[ball];
        let (height, speed) = (body.translation().y, norm(to_f64(body.linvel())));
        let name = sim.solver().name();
        println!(
            "{name}: ball at {height:.3} m, lowest {lowest:.3} m, {speed:.1e} m/s at the end; \
             nearest vertex {:.2} mm from its surface",
            1e3 * nearest
        );
        // Without the cloth it would be 122 m down. Measured: −0.07 and −0.08 m, still swinging with 0.15 and
        // 0.2 m/s.
        assert!((-0.5..0.0).contains(&height), "{height}");
        assert!(lowest > -0.6, "{lowest}");
        assert!(speed < 1.0, "{speed}");
        // Facets of the ball are 0.6 mm below it; the rest, 1.3 mm, is what the two steps differ by.
        assert!(nearest > -0.006, "{nearest}");
    }
}

#[test]
fn momentum_is_kept_in_free_space() {
    fn run<S: Precision>(solver: &str) -> ([f64; 2], f64) {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::ZERO;
        let ball = ball(&mut world, [0.42, 0.3, 0.45], 0.1, 0.2);
        world.bodies[ball].set_linvel(Vector::new(0.3, -3.0, 0.1), true);
        let mut scene = ModelBuilder::new();
        scene.gravity([0.0; 3]);
        let fabric = Fabric::denim().damping(Damping::default());
        let cloth = scene.cloth(Grid::square(13).size(1.0), fabric).unwrap();
        let mut coupling = RapierCoupling::new(&mut scene, &mut world).unwrap();
        let solver = AnySolver::by_name(solver).unwrap();
        let mut sim = Simulation::<S>::with_precision(scene.build().unwrap(), solver).unwrap();
        let total = |sim: &Simulation<S>, world: &PhysicsWorld| {
            let (a, b) = (momenta(sim, &cloth), momenta_of(world, ball));
            [0, 1].map(|k| [0, 1, 2].map(|c| a[k][c] + b[k][c]))
        };
        // So that rapier knows the mass of its body.
        world.step();
        let (before, own) = (total(&sim, &world), momenta_of(&world, ball));
        for _ in 0..60 {
            coupling.step(&mut sim, &mut world).unwrap();
        }
        let (after, exchanged) = (total(&sim, &world), sub(momenta_of(&world, ball)[0], own[0]));
        let lost = [0, 1].map(|k| norm(sub(after[k], before[k])));
        (lost, norm(exchanged))
    }
    for solver in ["xpbd", "projective"] {
        for (precision, (lost, exchanged)) in
            [("f32", run::<f32>(solver)), ("f64", run::<f64>(solver))]
        {
            let [linear, angular] = lost.map(|l| l / exchanged);
            println!(
                "{solver}, {precision}: exchanged {exchanged:.3} kg m/s, lost {linear:.1e} of it, \
                 {angular:.1e} m of angular momentum"
            );
            assert!(exchanged > 0.1, "{solver}: {exchanged}");
            assert!(linear < 1e-5, "{solver} {precision}: {linear}");
            assert!(angular < 1e-2, "{solver} {precision}: {angular}");
        }
    }
}

#[test]
fn a_cloth_attached_to_a_moving_box_follows_it() {
    let mut world = PhysicsWorld::new();
    let body = RigidBodyBuilder::kinematic_velocity_based().translation(Vector::new(0.5, 0.1, 0.0));
    let (cart, _) = world.insert(body, ColliderBuilder::cuboid(0.5, 0.05, 0.05));
    world.bodies[cart].set_linvel(Vector::new(0.4, 0.1, 0.0), true);
    world.bodies[cart].set_angvel(Vector::new(0.0, 1.0, 0.0), true);
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(15).size(1.0).vertical(), Fabric::cotton()).unwrap();
    let mut coupling = RapierCoupling::new(&mut scene, &mut world).unwrap();
    for i in 0..15 {
        coupling.attach(&mut scene, cloth.vertex(i), cart).unwrap();
    }
    let model = scene.build().unwrap();
    let start = model.start_positions().to_vec();
    let mut sim = Simulation::new(model, Xpbd::default()).unwrap();
    let pose = *world.bodies[cart].position();
    for _ in 0..120 {
        coupling.step(&mut sim, &mut world).unwrap();
    }
    let now = world.bodies[cart].position();
    let narrow = |p: [f64; 3]| Vector::new(p[0] as f32, p[1] as f32, p[2] as f32);
    let mut worst = 0.0_f64;
    for i in 0..15 {
        let local = pose.inverse_transform_point(narrow(start[i]));
        let there = to_f64(now.transform_point(local));
        let p = sim.state().positions[i];
        worst = worst.max(norm(sub([p[0], p[1], p[2]].map(f64::from), there)));
    }
    let moved = norm(sub(to_f64(now.translation), to_f64(pose.translation)));
    let middle = cloth.centre_of_mass(&sim);
    let behind = norm(sub(middle, to_f64(now.translation)));
    println!(
        "the box went {moved:.2} m; attached vertices are {worst:.1e} m off, the cloth {behind:.2} m"
    );
    assert!(moved > 0.8);
    assert!(worst < 1e-5, "{worst}");
    assert!(behind < 0.7, "{behind}");
    assert!(world.bodies[cart].linvel().x > 0.39, "nothing slows what is kinematic");
}

#[test]
fn a_box_hangs_from_a_rope_which_feels_its_weight() {
    let mut world = PhysicsWorld::new();
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(0.0, -1.05, 0.0));
    let (weight, _) = world.insert(body, ColliderBuilder::cuboid(0.1, 0.05, 0.1).mass(0.5));
    let mut scene = ModelBuilder::new();
    // 20 N stretch a metre by a tenth.
    let radius = 2e-3;
    let section = std::f64::consts::PI * radius * radius;
    let young = 200.0 / section;
    let thread = Thread {
        damping: Damping { drag: 0.5, ..Damping::default() },
        ..Thread::new(1000.0, young, radius)
    };
    let mesh = Strand::new(11).length(1.0).direction([0.0, -1.0, 0.0]);
    let rope = scene.strand(mesh, thread).unwrap();
    scene.pin(rope.vertex(0));
    let mut coupling = RapierCoupling::new(&mut scene, &mut world).unwrap();
    coupling.attach(&mut scene, rope.vertex(10), weight).unwrap();
    let model = scene.build().unwrap();
    let own: f64 = model.masses()[rope.vertices()].iter().sum();
    let solver = AnySolver::by_name("newton").unwrap();
    let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
    for _ in 0..900 {
        coupling.step(&mut sim, &mut world).unwrap();
    }
    let ends: Vec<[f64; 3]> = rope.positions(&sim).collect();
    let stretch = ends[0][1] - ends[10][1] - 1.0;
    // Half of its own weight stretches it as well.
    let expected = 9.81 * (0.5 + 0.5 * own) / 200.0;
    let body = &world.bodies[weight];
    let gap = f64::from(body.translation().y) + 0.05 - ends[10][1];
    println!(
        "stretch {:.2} mm, by statics {:.2} mm; the box is {:.2} mm from the end and moves with {:.1e} m/s",
        1e3 * stretch,
        1e3 * expected,
        1e3 * gap,
        norm(to_f64(body.linvel()))
    );
    assert!((stretch / expected - 1.0).abs() < 0.02, "{stretch} for {expected}");
    assert!(gap.abs() < 2e-3, "{gap}");
    assert!(norm(to_f64(body.linvel())) < 5e-3);
}

#[test]
fn a_cloth_lies_on_a_box_that_stands_on_rapiers_ground() {
    let mut world = PhysicsWorld::new();
    world.insert_collider(
        ColliderBuilder::cuboid(5.0, 0.5, 5.0).translation(Vector::Y * -0.5),
        None,
    );
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(0.5, 0.101, 0.5));
    let (crate_, _) = world.insert(body, ColliderBuilder::cuboid(0.2, 0.1, 0.2).mass(0.1));
    let mut scene = ModelBuilder::new();
    let cloth =
        scene.cloth(Grid::square(15).size(1.0).at([0.0, 0.25, 0.0]), Fabric::denim()).unwrap();
    let mut coupling = RapierCoupling::new(&mut scene, &mut world).unwrap();
    let mut sim = Simulation::new(scene.build().unwrap(), Xpbd::default()).unwrap();
    for _ in 0..240 {
        coupling.step(&mut sim, &mut world).unwrap();
    }
    let lowest = cloth.positions(&sim).map(|p| f64::from(p[1])).fold(1.0, f64::min);
    let own = world.bodies[crate_].position();
    let (mut deepest, mut above) = (0.0_f64, 0);
    for p in cloth.positions(&sim) {
        let local = to_f64(own.inverse_transform_point(Vector::new(p[0], p[1], p[2])));
        let out = [0, 1, 2].map(|c| local[c].abs() - [0.2, 0.1, 0.2][c]);
        deepest = deepest.max(-out.into_iter().fold(f64::MIN, f64::max));
        above += usize::from(local[1] > 0.0 && out[0] < 0.0 && out[2] < 0.0);
    }
    println!(
        "box at {:.4} m, {above} vertices above it, the deepest {:.2} mm in it; the lowest {:.2} mm above the ground",
        own.translation.y,
        1e3 * deepest,
        1e3 * lowest
    );
    // The cloth is four times as heavy as the box.
    assert!((own.translation.y - 0.1).abs() < 5e-3, "{own:?}");
    assert!(above > 20, "{above}");
    assert!(deepest < 2e-3, "{deepest}");
    assert!(lowest > -1e-4, "{lowest}");
}

#[test]
fn a_kinematic_ball_pushes_a_cloth_and_does_not_pass_it() {
    for solver in ["xpbd", "projective"] {
        let mut world = PhysicsWorld::new();
        let body = RigidBodyBuilder::kinematic_position_based();
        let body = body.translation(Vector::new(0.5, -0.5, -0.4));
        let (hand, _) = world.insert(body, ColliderBuilder::ball(0.15));
        let mut scene = ModelBuilder::new();
        let sheet = Grid::square(21).size(1.0).vertical();
        let cloth = scene.cloth(sheet, Fabric::cotton()).unwrap();
        (0..21).for_each(|i| scene.pin(cloth.vertex(i)));
        let mut coupling = RapierCoupling::new(&mut scene, &mut world).unwrap();
        let solver = AnySolver::by_name(solver).unwrap();
        let mut sim = Simulation::new(scene.build().unwrap(), solver).unwrap();
        let mut nearest = f64::INFINITY;
        for step in 1..=60 {
            let z = -0.4 + 0.7 * step as f32 / 60.0;
            let there = Vector::new(0.5, -0.5, z);
            world.bodies[hand].set_next_kinematic_translation(there);
            coupling.step(&mut sim, &mut world).unwrap();
            for p in cloth.positions(&sim) {
                nearest = nearest.min(norm(sub(p.map(f64::from), to_f64(there))) - 0.15);
            }
        }
        let middle = cloth.centre_of_mass(&sim)[2];
        println!(
            "{}: nearest {:.2} mm, centre moved by {middle:.3} m",
            sim.solver().name(),
            1e3 * nearest
        );
        // Facets of the ball are 0.7 mm below it.
        assert!(nearest > -1e-3, "{nearest}");
        assert!(middle > 0.05, "{middle}");
    }
}

#[test]
fn what_touches_nothing_soft_moves_as_without_the_link() {
    let fill = |world: &mut PhysicsWorld| {
        world.insert_collider(
            ColliderBuilder::cuboid(5.0, 0.5, 5.0).translation(Vector::Y * -0.5),
            None,
        );
        let place = |i: usize| Vector::new(0.02 * i as f32, 0.15 + 0.31 * i as f32, 0.0);
        let boxes = (0..4).map(|i| {
            let body = RigidBodyBuilder::dynamic().translation(place(i));
            world.insert(body, ColliderBuilder::cuboid(0.15, 0.15, 0.15)).0
        });
        boxes.collect::<Vec<_>>()
    };
    let (mut alone, mut linked) = (PhysicsWorld::new(), PhysicsWorld::new());
    let (handles, same) = (fill(&mut alone), fill(&mut linked));
    assert_eq!(handles, same);
    let mut scene = ModelBuilder::new();
    scene.cloth(Grid::square(5).size(0.5).at([3.0, 1.0, 3.0]), Fabric::cotton()).unwrap();
    let mut coupling = RapierCoupling::new(&mut scene, &mut linked).unwrap();
    let mut sim = Simulation::new(scene.build().unwrap(), ProjectiveDynamics::default()).unwrap();
    alone.integration_parameters.dt = 1.0 / 60.0;
    for _ in 0..240 {
        alone.step();
        coupling.step(&mut sim, &mut linked).unwrap();
    }
    let apart = handles.iter().map(|&h| {
        let [a, b] = [&alone, &linked].map(|w| to_f64(w.bodies[h].translation()));
        norm(sub(a, b))
    });
    let apart = apart.fold(0.0, f64::max);
    println!("a pile of boxes is {apart:.1e} m from where it is without the link");
    assert!(apart < 1e-3, "{apart}");
}

#[test]
fn shapes_stand_where_rapiers_do() {
    let mut world = PhysicsWorld::new();
    let pose = rapier::Pose::new(Vector::new(0.3, -0.2, 0.5), Vector::new(0.4, -0.9, 0.2));
    let points: Vec<Vector> = (0..8)
        .map(|i| Vector::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 0.4)
        .collect();
    let mesh = ColliderBuilder::cuboid(0.1, 0.2, 0.3).build();
    let (vertices, triangles) = mesh.shape().as_cuboid().unwrap().to_trimesh();
    let shapes = [
        ColliderBuilder::ball(0.3),
        ColliderBuilder::cuboid(0.1, 0.2, 0.3),
        ColliderBuilder::capsule_y(0.3, 0.1),
        ColliderBuilder::cylinder(0.3, 0.2),
        ColliderBuilder::cone(0.3, 0.2),
        ColliderBuilder::convex_hull(&points).unwrap(),
        ColliderBuilder::trimesh(vertices, triangles).unwrap(),
        ColliderBuilder::compound(vec![
            (rapier::Pose::translation(0.3, 0.0, 0.0), rapier::SharedShape::ball(0.1)),
            (rapier::Pose::translation(-0.3, 0.0, 0.0), rapier::SharedShape::cuboid(0.1, 0.1, 0.1)),
        ]),
    ];
    for builder in shapes {
        let handle = world.insert_collider(builder.position(pose), None);
        let mut scene = ModelBuilder::new();
        scene.cloth(Grid::square(2), Fabric::cotton()).unwrap();
        RapierCoupling::new(&mut scene, &mut world).unwrap();
        let model = scene.build().unwrap();
        // Every point of our surfaces is on rapier's.
        let own = &world.colliders[handle];
        let mut count = 0;
        for collider in model.colliders() {
            for p in collider.surface_mesh().positions {
                let p = Vector::new(p[0] as f32, p[1] as f32, p[2] as f32);
                let on = own.shape().project_point(own.position(), p, false);
                assert!((on.point - p).length() < 1e-3, "{:?}", own.shape().shape_type());
                count += 1;
            }
        }
        assert!(count >= 6, "{:?} has {count} points", own.shape().shape_type());
        world.remove_collider(handle);
    }
}

#[test]
fn what_cannot_be_linked_is_refused_by_name() {
    let mut scene = ModelBuilder::new();
    scene.cloth(Grid::square(2), Fabric::cotton()).unwrap();
    let mut world = PhysicsWorld::new();
    let segment = ColliderBuilder::segment(Vector::ZERO, Vector::X);
    let collider = world.insert_collider(segment, None);
    let error = RapierCoupling::new(&mut scene, &mut world).unwrap_err();
    assert_eq!(error, Error::Shape { collider, shape: "segment" });
    assert!(error.to_string().contains("RapierCoupling::only"), "{error}");
    assert!(RapierCoupling::only(&mut scene, &mut world, |handle, _| handle != collider).is_ok());

    let mut world = PhysicsWorld::new();
    let floor = ColliderBuilder::halfspace(rapier3d::na::Unit::new_unchecked(Vector::Y));
    let (_, collider) = world.insert(RigidBodyBuilder::kinematic_velocity_based(), floor);
    let error = RapierCoupling::new(&mut scene, &mut world).unwrap_err();
    assert_eq!(error, Error::MovingHalfSpace { collider });

    let mut world = PhysicsWorld::new();
    let body = world.insert_body(RigidBodyBuilder::dynamic());
    let gone = ball(&mut world, [0.0; 3], 0.1, 1.0);
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(2), Fabric::cotton()).unwrap();
    let mut coupling = RapierCoupling::new(&mut scene, &mut world).unwrap();
    let error = coupling.attach(&mut scene, cloth.vertex(0), body).unwrap_err();
    assert_eq!(error, Error::NotCoupled { body });
    let mut sim = Simulation::new(scene.build().unwrap(), Xpbd::default()).unwrap();
    world.remove_body(gone);
    let error = coupling.step(&mut sim, &mut world).unwrap_err();
    assert_eq!(error, Error::BodyChanged { body: gone, kind: "dynamic" });
}
