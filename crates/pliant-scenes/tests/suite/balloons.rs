//! Contract: pressure inside closed surfaces (Position Based Dynamics §4.4).
//!
//! * A ball comes to the radius at which its tension carries the pressure, `p = 2 T/r` (Young and Laplace).
//! * Every solver brings the volume to where Newton's method does, and a stiff gas to `k V₀`; more iterations
//!   of those that minimise the step's objective come closer to its minimiser.
//! * The factor follows its path by the simulation's time alone: snapshots continue bit for bit.
//! * Free balloons keep their momentum; thousands of vertices leave the matrices sparse.
//! * A surface that is open or inside out is refused by name.

use std::sync::Arc;

use crate::common::{self, angular_momentum, momentum, norm, run, sub};
use pliant::mesh::measure;
use pliant::prelude::*;
use pliant::solvers::LinearSolver;
use pliant::{Error, ImplicitStep, Warning};

/// Thin rubber without bending or Poisson's ratio: the tension of a ball is known.
fn rubber() -> Fabric {
    Fabric { bend: Bend::None, ..Fabric::plate(930.0, 2.0e6, 0.0, 2.5e-4) }
}

/// A ball of 20 cm in empty space.
fn ball(subdivisions: u32, fabric: Fabric, pressure: Pressure) -> (Model, Body) {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let sphere = Icosphere::new(subdivisions).radius(0.1);
    let body = scene.cloth(sphere, fabric).unwrap();
    scene.inflate(&body, pressure).unwrap();
    scene.contact_material(&body, None);
    (scene.build().unwrap(), body)
}

/// The stretch at which `p = κ (k − λ³)` is `2 T/r`, with `T = E t (λ − 1)/λ` and `r = λ R`.
fn stretch(fabric: &Fabric, pressure: &Pressure, factor: f64, radius: f64) -> f64 {
    let stiffness = fabric.young * fabric.thickness;
    let excess = |l: f64| {
        pressure.bulk_modulus * (factor - l * l * l)
            - 2.0 * stiffness * (l - 1.0) / (l * l * radius)
    };
    let (mut low, mut high) = (1.0, factor);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

fn damped(fabric: Fabric) -> Fabric {
    let damping = Damping { drag: 20.0, ..Damping::default() };
    Fabric { damping, ..fabric }
}

/// `(V/V₀)^⅓`.
fn size<S: Precision>(sim: &Simulation<S>, body: &Body, rest: f64) -> f64 {
    pliant::math::pow(sim.enclosed_volume(body) / rest, 1.0 / 3.0)
}

#[test]
fn a_ball_comes_to_the_radius_of_young_and_laplace() {
    let pressure = Pressure::air(1.8);
    let exact = stretch(&rubber(), &pressure, 1.8, 0.1);
    let mut off = Vec::new();
    for subdivisions in [1, 2, 3] {
        let mesh = Icosphere::new(subdivisions).radius(0.1).build().unwrap();
        let rest = measure::enclosed_volume(&mesh);
        let (model, body) = ball(subdivisions, damped(rubber()), pressure.clone());
        let mut sim = Simulation::<f64>::with_precision(model, Newton::default()).unwrap();
        run(&mut sim, 60);
        // Of a polyhedron, three times the volume over the area is its radius.
        let area: f64 = measure::triangle_areas(&mesh).iter().sum();
        let coarse = stretch(&rubber(), &pressure, 1.8, 3.0 * rest / area);
        let found = size(&sim, &body, rest);
        let (p, t) = (sim.pressure(&body).unwrap(), 500.0 * (found - 1.0) / found);
        let laplace = p * 0.1 * found / (2.0 * t) - 1.0;
        println!(
            "{subdivisions}: stretch {found:.6}, off by {:.1e} of the sphere's, {:.1e} of the polyhedron's; \
             p = {p:.0} Pa, p r/2T − 1 = {laplace:.1e}",
            found - exact,
            found - coarse
        );
        off.push((found - exact).abs());
        // Measured 3.3e-6, 4.1e-7, 3.8e-8.
        assert!((found - coarse).abs() < 3e-5, "{found} {coarse}");
    }
    // Measured 2.0e-4, 4.9e-5, 1.2e-5: of second order.
    assert!(off[2] < 1e-4 && off[2] < 0.3 * off[1] && off[1] < 0.3 * off[0], "{off:?}");
}

/// Every solver in the forms that run other code.
fn solvers() -> Vec<AnySolver> {
    let names = [
        "newton",
        "projective",
        "projective+chebyshev",
        "projective+anderson",
        "projective+lbfgs",
        "projective@midpoint",
        "projective@bdf2",
        "newton@bdf2",
        "xpbd",
        "vbd",
        "vbd+chebyshev",
        "constrained",
        "pbd",
        "pbd_jacobi",
        "pbd_momentum",
        "hpbd",
        "explicit",
        "symplectic",
        "verlet",
    ];
    let mut all: Vec<AnySolver> = names.map(|n| AnySolver::by_name(n).unwrap()).into();
    let linear = LinearSolver::ConjugateGradients { tolerance: 1e-10 };
    all.push(Newton { linear_solver: linear, ..Newton::default() }.into());
    all
}

/// The volume over that at rest after a time \[s\] of a blown ball.
fn volume_under<S: Precision>(solver: AnySolver, pressure: Pressure, seconds: f64) -> f64 {
    let (model, body) = ball(2, damped(rubber()), pressure);
    let rest = measure::enclosed_volume(&Icosphere::new(2).radius(0.1).build().unwrap());
    let mut sim = Simulation::<S>::with_precision(model, solver).unwrap();
    for _ in 0..(60.0 * seconds) as usize {
        let warnings = &sim.step().warnings;
        let bad = warnings.iter().copied().find(|w| !matches!(w, Warning::StepTooLong { .. }));
        assert!(bad.is_none(), "{}: {bad:?}", sim.solver().name());
    }
    sim.enclosed_volume(&body) / rest
}

/// Bound on the error of the volume against the closed form: about ten times the measured one.
fn bound(solver: &AnySolver) -> f64 {
    match solver.name() {
        "projective@midpoint" => 4e-5,          // measured 4.1e-6
        "vbd+chebyshev" => 6e-4,                // measured 5.7e-5
        "xpbd" => 0.05,                         // measured 4.6e-3
        "pbd" | "pbd_momentum" | "hpbd" => 0.1, // measured 1.1e-2: stiffness by iterations
        "pbd_jacobi" => 0.3,                    // measured 3.6e-2
        _ => 1.5e-5,                            // measured 1.5e-6, what the triangles differ by
    }
}

/// Each gas in one precision; `PLIANT_THOROUGH=1` runs both in both.
#[test]
fn every_solver_brings_a_ball_to_the_volume_that_it_wants() {
    let thorough = common::thorough();
    // Air for 1.3 times the volume; and a gas a hundred times as stiff, which gets nearly all it wants.
    let path = Inflation::Path(vec![(0.0, 1.0), (0.4, 1.3)]);
    let gases =
        [Pressure::air(path.clone()), Pressure { bulk_modulus: 1e7, ..Pressure::air(path) }];
    let mesh = Icosphere::new(2).radius(0.1).build().unwrap();
    let area: f64 = measure::triangle_areas(&mesh).iter().sum();
    let radius = 3.0 * measure::enclosed_volume(&mesh) / area;
    let mut wrong = Vec::new();
    for solver in solvers() {
        let mut line = format!("{:24}", solver.name());
        for gas in &gases {
            let explicit = matches!(solver, AnySolver::Explicit(_));
            // Those need thousands of substeps, and say so.
            if solver.name() == "explicit" || explicit && gas.bulk_modulus > 1e6 {
                continue;
            }
            let l = stretch(&rubber(), gas, 1.3, radius);
            let (goal, seconds) = (l * l * l, if explicit { 1.0 } else { 2.0 });
            let mut off = Vec::new();
            if thorough || gas.bulk_modulus > 1e6 {
                off.push(volume_under::<f64>(solver.clone(), gas.clone(), seconds) / goal - 1.0);
            }
            if thorough || gas.bulk_modulus <= 1e6 {
                off.push(volume_under::<f32>(solver.clone(), gas.clone(), seconds) / goal - 1.0);
            }
            off.iter().for_each(|off| line += &format!("  {off:9.1e}"));
            if off.iter().any(|o| !(o.abs() < bound(&solver))) {
                wrong.push(line.clone());
            }
        }
        println!("{line}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn more_iterations_come_to_the_minimiser_of_the_step() {
    let (model, _) = ball(3, rubber(), Pressure::air(1.8));
    let mut sim = Simulation::<f64>::with_precision(model, Newton::default()).unwrap();
    // The first step, in which it jumps to its new size.
    let step = ImplicitStep::from_simulation(&mut sim);
    let best = step.objective(&step.minimiser().unwrap(), false);
    let mut gaps = Vec::new();
    for (name, iterations) in [
        ("projective", 10),
        ("projective", 100),
        ("projective+chebyshev", 100),
        ("projective+anderson", 100),
        ("projective+lbfgs", 100),
        ("vbd", 100),
        ("vbd", 1000),
        ("xpbd", 100),
        ("constrained", 20),
    ] {
        let solver = AnySolver::by_name(name).unwrap().with_iterations(iterations);
        let (x, _) = step.solve(&solver).unwrap();
        let gap = step.relative_energy_gap(&x, best);
        println!("{name:22} {iterations:5}: {gap:.1e}");
        gaps.push((name, iterations, gap));
    }
    let of = |name: &str, n: usize| gaps.iter().find(|g| (g.0, g.1) == (name, n)).unwrap().2;
    assert!(of("projective", 10) < 1e-7); // measured 6.4e-9
    for name in ["projective", "projective+chebyshev", "projective+anderson", "projective+lbfgs"] {
        assert!(of(name, 100).abs() < 5e-15, "{name}"); // measured 3e-16
    }
    assert!(of("constrained", 20) < 1e-12); // measured 1.3e-13
    assert!(of("vbd", 100) < 2e-5 && of("vbd", 1000) < 4e-6); // measured 1.6e-6, 3.5e-7
    assert!(of("xpbd", 100) < 0.2); // measured 1.9e-2: multipliers of turning gradients
}

#[test]
fn the_factor_follows_its_path_and_snapshots_continue_bit_for_bit() {
    let path = Inflation::Path(vec![(0.0, 1.0), (0.5, 1.5), (1.0, 1.0)]);
    let gas = Pressure { bulk_modulus: 1e6, ..Pressure::air(path) };
    for solver in solvers() {
        if matches!(solver, AnySolver::Explicit(_)) {
            continue;
        }
        let name = solver.name();
        let (model, body) = ball(1, damped(rubber()), gas.clone());
        let model = Arc::new(model);
        let mut sim = Simulation::<f32>::with_precision(model.clone(), solver.clone()).unwrap();
        let (mut largest, mut snapshot) = (0.0_f64, Vec::new());
        for step in 0..90 {
            if step == 20 {
                snapshot = sim.snapshot();
            }
            sim.step();
            largest = largest.max(sim.enclosed_volume(&body));
        }
        let rest = measure::enclosed_volume(&Icosphere::new(1).radius(0.1).build().unwrap());
        let (most, last) = (largest / rest, sim.enclosed_volume(&body) / rest);
        println!("{name:22} up to {most:.3}, in the end {last:.3}");
        assert!((1.2..1.6).contains(&most) && (0.9..1.1).contains(&last), "{name}: {most} {last}");
        // Another simulation, on two threads, which has never seen that time.
        let mut again = Simulation::<f32>::with_precision(model, solver).unwrap();
        again.set_threads(2);
        again.step();
        again.restore(&snapshot).unwrap();
        for _ in 20..90 {
            again.step();
        }
        assert_eq!(sim.hash(), again.hash(), "{name}");
        assert_eq!(sim.report().elastic_energy, again.report().elastic_energy, "{name}");
    }
}

/// Relative loss of momentum over thirty steps of a ring that tumbles in empty space.
fn lost(solver: AnySolver, gas: bool) -> [f64; 2] {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let body = scene.cloth(Torus::new(0.1, 0.04).segments(16, 8), rubber()).unwrap();
    if gas {
        let path = Inflation::Path(vec![(0.0, 1.0), (0.25, 1.2)]);
        scene.inflate(&body, Pressure::air(path)).unwrap();
    }
    scene.contact_material(&body, None);
    let moving = |p: &[f64; 3]| {
        let turn = common::cross([2.0, 1.0, -3.0], *p);
        [1.0 + turn[0], 0.5 + turn[1], turn[2] - 0.25]
    };
    let velocities: Vec<[f64; 3]> = scene.positions_mut(&body).iter().map(moving).collect();
    scene.velocities_mut(&body).copy_from_slice(&velocities);
    let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), solver).unwrap();
    let (p, l) = (momentum(&sim), angular_momentum(&sim));
    for _ in 0..30 {
        sim.step();
    }
    let turned = norm(sub(angular_momentum(&sim), l)) / norm(l);
    [norm(sub(momentum(&sim), p)) / norm(p), turned]
}

/// Constrained dynamics in a hundred iterations, which take longer than all others, with `PLIANT_THOROUGH=1`.
#[test]
fn a_ring_that_tumbles_in_empty_space_keeps_its_momentum() {
    let patient: AnySolver = Constrained { iterations: 100, ..Constrained::default() }.into();
    let thorough = common::thorough();
    let all = solvers().into_iter().chain(thorough.then_some(patient));
    for solver in all.filter(|s| !matches!(s, AnySolver::Explicit(_))) {
        let (name, solver_iterations) = (solver.name(), solver.iterations());
        let (empty, full) = (lost(solver.clone(), false), lost(solver, true));
        println!(
            "{name:22} linear {:.1e}, angular {:.1e}; empty {:.1e}, {:.1e}",
            full[0], full[1], empty[0], empty[1]
        );
        assert!(full[0] < 1e-14, "{name}: {full:?}"); // measured 9e-16 at most
        // Implicit Euler in steps of 1/60 s and unconverged iterations damp the turn of an empty ring as well:
        // 0.083 against 0.093 under Newton's method. Gas and membrane undo each other's corrections, of a
        // centimetre in each of its substeps, under XPBD; constrained dynamics sees the tension resist a turn
        // and not the pressure help it. Measured 1.2, 1.6 and 0.96, with a hundred iterations 0.11.
        let few = solver_iterations < 100;
        if !(few && ["xpbd", "hpbd", "constrained"].contains(&name)) {
            assert!(full[1] < empty[1] + 0.05, "{name}: {full:?} {empty:?}");
        }
    }
}

#[test]
fn thousands_of_vertices_leave_the_matrices_sparse() {
    let empty = {
        let mut scene = ModelBuilder::new();
        let body = scene.cloth(Icosphere::new(4).radius(0.1), rubber()).unwrap();
        scene.contact_material(&body, None);
        Arc::new(scene.build().unwrap())
    };
    let (full, body) = ball(4, rubber(), Pressure::air(1.2));
    let full = Arc::new(full);
    for name in ["projective", "newton", "constrained", "vbd"] {
        let solver = || AnySolver::by_name(name).unwrap();
        let bytes = |model: &Arc<Model>| {
            let memory =
                Simulation::<f64>::with_precision(model.clone(), solver()).unwrap().solver_memory();
            [memory.factor, memory.scratch]
        };
        let ([f0, s0], [f1, s1]) = (bytes(&empty), bytes(&full));
        let mut sim = Simulation::<f64>::with_precision(full.clone(), solver()).unwrap();
        let start = std::time::Instant::now();
        run(&mut sim, 2);
        let seconds = 0.5 * start.elapsed().as_secs_f64();
        println!(
            "{name:12} factor {f0} → {f1}, else {s0} → {s1} bytes, {:.0} ms a step, volume {:.4}",
            1e3 * seconds,
            sim.enclosed_volume(&body) / (4.0 / 3.0 * std::f64::consts::PI * 1e-3)
        );
        // Measured above. One dense block of 2562 vertices has 26 MB as a lower triangle of scalars, and
        // 236 MB as Newton's.
        assert!(f1 as f64 <= 1.05 * f0 as f64 + 1e6, "{name}: factor {f0} → {f1}");
        assert!(s1 as f64 <= 1.5 * s0 as f64 + 1e6, "{name}: scratch {s0} → {s1}");
    }
}

#[test]
fn balloons_that_hang_together_and_apart_keep_their_own_volumes() {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let mut bodies = Vec::new();
    for (i, factor) in [1.2, 1.4, 0.8].into_iter().enumerate() {
        let at = [0.5 * i as f64, 0.0, 0.0];
        let body = scene.cloth(Icosphere::new(1).radius(0.1).at(at), damped(rubber())).unwrap();
        scene.inflate(&body, Pressure { bulk_modulus: 1e7, ..Pressure::air(factor) }).unwrap();
        bodies.push((body, factor));
    }
    // The last two hang together by a spring.
    let mut springs = pliant::batch::Elements::projective();
    let ends = [bodies[1].0.vertex(0) as u32, bodies[2].0.vertex(1) as u32];
    springs.push(ends, 10.0, pliant::elements::Spring { length: 0.5 });
    scene.elements(springs);
    let model = Arc::new(scene.build().unwrap());
    let rest = measure::enclosed_volume(&Icosphere::new(1).radius(0.1).build().unwrap());
    for name in ["projective", "newton", "xpbd"] {
        let mut sim =
            Simulation::<f64>::with_precision(model.clone(), AnySolver::by_name(name).unwrap())
                .unwrap();
        for _ in 0..60 {
            sim.step();
        }
        for (body, factor) in &bodies {
            let off = sim.enclosed_volume(body) / rest / factor - 1.0;
            println!("{name} {factor}: {off:.1e}");
            // Measured 7e-5 at most, under XPBD 2.6e-3.
            assert!(off.abs() < if name == "xpbd" { 0.03 } else { 1e-3 }, "{name} {factor}: {off}");
        }
    }
}

#[test]
fn what_has_no_inside_is_refused_by_name() {
    let mut scene = ModelBuilder::new();
    let tube = scene.cloth(Cylinder::new(0.1, 0.2).segments(8, 2), rubber()).unwrap();
    scene.name(&tube, "tube");
    let refused = scene.inflate(&tube, Pressure::air(1.0));
    let Err(Error::OpenSurface { name, edge }) = refused else { panic!("{refused:?}") };
    // The lower rim comes first.
    assert!(name == "tube" && edge.iter().all(|&v| v < 8), "{edge:?}");
    let inside_out = Icosphere::new(1).build().unwrap().flipped();
    let ball = scene.cloth(inside_out, rubber()).unwrap();
    let refused = scene.inflate(&ball, Pressure::air(1.0));
    assert!(
        matches!(refused, Err(Error::NoEnclosedVolume { volume, .. }) if volume < -3.0),
        "{refused:?}"
    );
    let points = scene.points(&[[0.0; 3]], &[1.0]).unwrap();
    assert!(matches!(
        scene.inflate(&points, Pressure::air(1.0)),
        Err(Error::NoEnclosedVolume { .. })
    ));
    let good = scene.cloth(Icosphere::new(1), rubber()).unwrap();
    for bad in [
        Pressure::air(f64::NAN),
        Pressure::air(-1.0),
        Pressure::air(Inflation::Path(vec![(1.0, 1.0), (0.5, 2.0)])),
        Pressure { bulk_modulus: 0.0, ..Pressure::air(1.0) },
        Pressure { bulk_modulus: f64::INFINITY, ..Pressure::air(1.0) },
    ] {
        let refused = scene.inflate(&good, bad);
        assert!(matches!(refused, Err(Error::Quantity { name: "pressure", .. })), "{refused:?}");
    }
    scene.inflate(&good, Pressure::air(1.0)).unwrap();
    scene.inflate(&good, Pressure::air(2.0)).unwrap();
    let model = scene.build().unwrap();
    let own = model.elements().iter().find(|e| e.name() == "enclosed_volume").unwrap();
    assert_eq!(own.len(), 1);
    let mass_spring = Simulation::new(model, MassSpring::default());
    assert!(matches!(mass_spring, Err(Error::Unsupported { .. })));
}

#[test]
fn the_scene_blows_a_ball_up_and_lets_it_go() {
    let description = pliant_scenes::by_name("balloons").unwrap().describe(2);
    let model = description.build().unwrap();
    let mut sim = Simulation::<f32>::with_precision(model, ProjectiveDynamics::default()).unwrap();
    let volumes = |sim: &Simulation<f32>| -> Vec<f64> {
        let of = |b: &pliant::BodyInfo| {
            let at = |v: u32| {
                let p = sim.state().positions[v as usize];
                [0, 1, 2].map(|c| f64::from(p[c]))
            };
            let tet = |t: &[u32; 3]| {
                let [a, b, c] = t.map(at);
                let n = common::cross(a, b);
                (n[0] * c[0] + n[1] * c[1] + n[2] * c[2]) / 6.0
            };
            b.triangles.iter().map(tet).sum()
        };
        sim.model().bodies().iter().map(of).collect()
    };
    let rest = volumes(&sim);
    run(&mut sim, 110);
    let blown = volumes(&sim);
    run(&mut sim, 130);
    let after = volumes(&sim);
    let parts = |v: &[f64]| -> Vec<f64> { v.iter().zip(&rest).map(|(v, r)| v / r).collect() };
    println!("blown: {:.3?}, let go: {:.3?}", parts(&blown), parts(&after));
    let (blown, after) = (parts(&blown), parts(&after));
    // Measured 1.000 and 1.774, then 1.000.
    assert!((blown[1] - 1.0).abs() < 5e-3 && blown[2] > 1.7, "{blown:?}");
    assert!((after[2] - 1.0).abs() < 5e-3, "{after:?}");
}
