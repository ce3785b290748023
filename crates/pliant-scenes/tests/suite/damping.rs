//! Contract: each damping does what it says and no more. Drag makes all motion fade exponentially;
//! internal, constraint and stiffness damping take vibration away and leave the linear and angular
//! momentum of a free body alone; no rate depends on the time step; no damping takes anything from
//! the forces on a body at rest. Wind carries things along and never throws them, however strong.

use crate::common::{
    self, all_finite, angular_momentum, cross, momentum, norm, positions, run, sub, velocities,
};
use pliant::math::exp;
use pliant::mesh::{SpringKind, SpringNetwork};
use pliant::prelude::*;

/// A block in empty space, about the origin, with a spin [rad/s] and a breathing motion [1/s].
fn spinning_block(damping: Damping, spin: f64, breathing: f64, h: f64) -> Simulation<f64> {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    scene.time_step(h);
    let block = TetBlock::new(2, 2, 2).size([0.2; 3]).at([-0.1; 3]);
    let body = scene.solid(block, Solid::new(1000.0, 1e4, 0.0).damping(damping)).unwrap();
    let x = scene.positions_mut(&body).to_vec();
    for (v, x) in scene.velocities_mut(&body).iter_mut().zip(&x) {
        let turn = cross([0.0, 0.6 * spin, 0.8 * spin], *x);
        *v = [0, 1, 2].map(|c| turn[c] + breathing * x[c] + [0.3, 0.0, -0.2][c]);
    }
    let newton = Newton { iterations: 10, tolerance: 1e-8, ..Newton::default() };
    Simulation::with_precision(scene.build().unwrap(), newton).unwrap()
}

/// Energy of all motion and strain but the rigid one's \[J\].
fn vibration(sim: &Simulation<f64>) -> f64 {
    let (x, v, m) = (positions(sim), velocities(sim), sim.model().masses());
    let total: f64 = m.iter().sum();
    let mean = |a: &[[f64; 3]]| {
        [0, 1, 2].map(|c| a.iter().zip(m).map(|(a, m)| m * a[c]).sum::<f64>() / total)
    };
    let (center, drift) = (mean(&x), mean(&v));
    // A cube's inertia is the same about every axis, and its vibration here is small.
    let mut spin = [0.0; 3];
    let mut inertia = 0.0;
    for i in 0..x.len() {
        let r = sub(x[i], center);
        let l = cross(r, v[i]);
        (0..3).for_each(|c| spin[c] += m[i] * l[c]);
        inertia += 2.0 / 3.0 * m[i] * norm(r) * norm(r);
    }
    let omega = spin.map(|l| l / inertia);
    let kinetic: f64 = (0..x.len())
        .map(|i| {
            let rigid = cross(omega, sub(x[i], center));
            let d = norm(sub(sub(v[i], drift), rigid));
            0.5 * m[i] * d * d
        })
        .sum();
    kinetic + sim.report().elastic_energy
}

#[test]
fn drag_makes_free_motion_fade_exponentially_at_any_step() {
    for h in [1.0 / 240.0, 1.0 / 60.0, 1.0 / 10.0] {
        let damping = Damping { drag: 1.5, ..Damping::default() };
        let mut sim = spinning_block(damping, 0.0, 0.0, h);
        let start = norm(momentum(&sim));
        run(&mut sim, (1.0 / h + 0.5) as usize);
        let kept = norm(momentum(&sim)) / start;
        let error = (kept / exp(-1.5) - 1.0).abs();
        println!("drag 1.5/s after 1 s, h = {h:.4}: {kept:.6} kept, off by {error:.1e}");
        assert!(error < 1e-11, "{kept}"); // measured 1.6e-13
    }
}

#[test]
fn a_spinning_body_keeps_its_momenta_while_its_vibration_dies() {
    let h = 1e-3;
    let all = [
        ("none", Damping::default()),
        ("internal", Damping { internal: 10.0, ..Damping::default() }),
        ("constraint", Damping { constraint: 10.0, ..Damping::default() }),
        ("stiffness", Damping { stiffness: 2e-3, ..Damping::default() }),
    ];
    let mut undamped = f64::NAN;
    let mut spin_kept = f64::NAN;
    for (name, damping) in all {
        let mut sim = spinning_block(damping, 2.0, 1.0, h);
        let (p, l) = (momentum(&sim), angular_momentum(&sim));
        run(&mut sim, 500);
        let linear = norm(sub(momentum(&sim), p)) / norm(p);
        let angular = norm(angular_momentum(&sim)) / norm(l);
        let left = vibration(&sim);
        println!(
            "{name}: linear drift {linear:.1e}, spin kept {angular:.5}, vibration {left:.2e} J"
        );
        assert!(linear < 1e-10, "{name}: {linear:.2e}");
        if name == "none" {
            (undamped, spin_kept) = (left, angular);
            continue;
        }
        // Implicit Euler loses spin by itself; damping must not add to that. Measured: 5e-4 and
        // 6e-4. Stiffness damping sees rotation where there is stress, here of the vibration and of
        // the spin itself: measured 1.0e-2.
        let bound = if name == "stiffness" { 3e-2 } else { 5e-3 };
        assert!((angular - spin_kept).abs() < bound, "{name}: {angular} against {spin_kept}");
        assert!(left < 0.5 * undamped, "{name}: {left:.2e} against {undamped:.2e} J");
    }
}

/// Two masses on one segment, pulled apart.
fn dumbbell(damping: Damping, h: f64, young: f64) -> Simulation<f64> {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    scene.time_step(h);
    let thread = Thread { damping, ..Thread::new(1000.0, young, 1e-2) };
    let body = scene.strand(Strand::new(2).length(1.0), thread).unwrap();
    scene.velocities_mut(&body)[0] = [-0.01, 0.0, 0.0];
    scene.velocities_mut(&body)[1] = [0.01, 0.0, 0.0];
    Simulation::with_precision(scene.build().unwrap(), Newton::default()).unwrap()
}

/// Energy of the dumbbell after a second, relative to that without damping.
fn energy_left(damping: Damping, h: f64) -> f64 {
    let after = |damping| {
        let mut sim = dumbbell(damping, h, 1e5);
        run(&mut sim, (1.0 / h + 0.5) as usize);
        sim.report().total_energy()
    };
    after(damping) / after(Damping::default())
}

#[test]
fn damping_rates_do_not_depend_on_the_step() {
    // ω² = 2 k / m with k = E A / L and m = ρ A L / 2: 400 /s², so that hω is 0.02 at most.
    let omega2: f64 = 4.0 * 1e5 / 1000.0;
    let cases = [
        // A velocity that fades at rate c loses half its energy's rate on average: exp(−c t).
        ("internal", Damping { internal: 1.0, ..Damping::default() }, exp(-1.0)),
        ("constraint", Damping { constraint: 1.0, ..Damping::default() }, exp(-1.0)),
        // Forces −β K v: the energy of the mode fades at β ω².
        ("stiffness", Damping { stiffness: 2.5e-3, ..Damping::default() }, exp(-2.5e-3 * omega2)),
    ];
    for (name, damping, expected) in cases {
        let left = [1e-3, 5e-4, 2.5e-4].map(|h| energy_left(damping, h));
        println!("{name}: energy left after 1 s {left:.4?} at three steps, expected {expected:.4}");
        for e in left {
            assert!((e / expected - 1.0).abs() < 0.05, "{name}: {left:?} against {expected}");
        }
    }
}

/// A pinned point and two masses of 1 kg below it on springs of 200 N/m, and 3 N more on the lower
/// one, in steps of 1/50 s.
fn two_weights(damping: Damping, solver: &str) -> Simulation<f64> {
    let mut scene = ModelBuilder::new();
    scene.time_step(0.02);
    let mesh = SpringNetwork {
        positions: vec![[0.0; 3], [0.0, -1.0, 0.0], [0.0, -2.0, 0.0]],
        springs: vec![[0, 1], [1, 2]],
        kinds: vec![SpringKind::Structural; 2],
        ..SpringNetwork::default()
    };
    let body = scene.springs(mesh, Springs { damping, ..Springs::new(200.0, 3.0) }).unwrap();
    scene.pin(body.vertex(0));
    scene.force(body.vertex(2), [0.0, -3.0, 0.0]).unwrap();
    // Enough iterations that what is measured is the step, not the solver.
    let solver = AnySolver::by_name(solver).unwrap().with_substeps(1).with_iterations(200);
    Simulation::with_precision(scene.build().unwrap(), solver).unwrap()
}

#[test]
fn a_body_at_rest_pulls_with_its_full_weight_whatever_its_damping() {
    let solvers = [
        "newton",
        "projective",
        "mass_spring",
        "xpbd",
        "vbd",
        "constrained",
        "newton@midpoint",
        "newton@bdf2",
        "projective@midpoint",
        "projective@bdf2",
        "symplectic",
        "verlet",
    ];
    let all = [
        ("drag", Damping { drag: 5.0, ..Damping::default() }),
        ("internal", Damping { internal: 5.0, drag: 1.0, ..Damping::default() }),
        ("constraint", Damping { constraint: 5.0, ..Damping::default() }),
        ("stiffness", Damping { stiffness: 0.02, ..Damping::default() }),
    ];
    let g = 9.81;
    for (name, damping) in all {
        let mut worst: f64 = 0.0;
        for solver in solvers {
            let mut sim = two_weights(damping, solver);
            run(&mut sim, 2000);
            let y = positions(&sim).iter().map(|p| p[1]).collect::<Vec<_>>();
            let stretch = [y[0] - y[1] - 1.0, y[1] - y[2] - 1.0];
            let expected = [(2.0 * g + 3.0) / 200.0, (g + 3.0) / 200.0];
            let error = (0..2).map(|k| (stretch[k] / expected[k] - 1.0).abs()).fold(0.0, f64::max);
            assert!(error < 1e-6, "{name}, {solver}: {stretch:?} against {expected:?}");
            worst = worst.max(error);
        }
        println!(
            "{name}: static stretch off by {worst:.1e} at most under {} solvers",
            solvers.len()
        );
    }
}

#[test]
fn free_fall_ends_at_the_velocity_where_drag_carries_the_weight() {
    for solver in ["newton", "newton@midpoint", "newton@bdf2", "symplectic", "verlet"] {
        let error = [0.02, 0.01].map(|h| {
            let mut scene = ModelBuilder::new();
            scene.time_step(h);
            let damping = Damping { drag: 5.0, ..Damping::default() };
            let thread = Thread { damping, ..Thread::new(1000.0, 1e5, 1e-2) };
            let body = scene.strand(Strand::new(2).length(1.0), thread).unwrap();
            let solver = AnySolver::by_name(solver).unwrap().with_substeps(1);
            let mut sim =
                Simulation::<f64>::with_precision(scene.build().unwrap(), solver).unwrap();
            run(&mut sim, (10.0 / h) as usize);
            -velocities(&sim)[body.vertex(0)][1] * 5.0 / 9.81 - 1.0
        });
        println!("{solver}: terminal velocity over g/c − 1 at h and h/2: {error:.4?}");
        // c h / 2, and half of it at half the step.
        assert!(error[0].abs() < 0.06 && (error[0] / error[1] - 2.0).abs() < 0.1, "{error:?}");
    }
}

/// A square of light cloth, free or held by a corner, across a wind along z [m/s].
fn in_the_wind(speed: f64, held: bool, solver: AnySolver) -> Simulation<f32> {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let cloth = scene.cloth(Grid::square(8).size(0.5).vertical(), Fabric::silk()).unwrap();
    if held {
        scene.pin(cloth.corner(0));
        scene.pin(cloth.corner(1));
    }
    scene.wind(Wind::steady([0.0, 0.0, speed]));
    Simulation::new(scene.build().unwrap(), solver).unwrap()
}

#[test]
fn wind_carries_a_sheet_along_and_no_faster() {
    for speed in [1.0, 30.0, 1000.0] {
        let mut sim = in_the_wind(speed, false, ProjectiveDynamics::default().into());
        let mut fastest: f64 = 0.0;
        for _ in 0..300 {
            assert!(sim.step().warning().is_none(), "{speed} m/s: {:?}", sim.report().warning());
            fastest = velocities(&sim).iter().map(|v| norm(*v)).fold(fastest, f64::max);
        }
        let mean = momentum(&sim)[2] / sim.model().masses().iter().sum::<f64>();
        // The preset's own drag against still air, 0.2/s, holds it back a little.
        println!("wind {speed} m/s: fastest vertex {fastest:.3}, mean at the end {mean:.3}");
        assert!(fastest < 1.01 * speed, "{fastest} m/s in a wind of {speed}");
        assert!(mean > 0.3 * speed, "{mean} m/s in a wind of {speed}");
    }
}

/// For five seconds with `PLIANT_THOROUGH=1`, else for a fifth of that.
#[test]
fn a_storm_of_1000_metres_per_second_explodes_nothing() {
    let solvers: [AnySolver; 3] =
        [ProjectiveDynamics::default().into(), Xpbd::default().into(), Pbd::default().into()];
    for solver in solvers {
        let name = solver.name();
        let mut sim = in_the_wind(1000.0, true, solver);
        for _ in 0..if common::thorough() { 300 } else { 60 } {
            sim.step();
            assert!(all_finite(&sim), "{name}");
        }
        let size = common::diagonal(&positions(&sim));
        println!("storm on a held sheet, {name}: box {size:.2} m, {:?}", sim.report().warning());
        assert!(sim.report().warning().is_none(), "{name}");
        assert!(size < 50.0, "{name}: {size}");
    }
}
