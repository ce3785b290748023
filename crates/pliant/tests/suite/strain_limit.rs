//! Contract: strain limits hold whichever solver moved the vertices, to a residual that is stated
//! here; they leave the momentum alone, do nothing within the limits, and run in both precisions.

use std::sync::Arc;

use crate::common;
use pliant::Error;
use pliant::prelude::*;

/// A net of 8 × 8 vertices and weak springs hangs by two corners.
fn hanging_net(limit: Option<StrainLimit>) -> Model {
    let mut scene = ModelBuilder::new();
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let weak = Springs { strain_limit: limit, damping, ..Springs::new(40.0, 1.0) };
    let net = scene.springs(Curtain::new(8), weak).unwrap();
    scene.pin(net.corner(0));
    scene.pin(net.corner(1));
    scene.build().unwrap()
}

/// The largest stretch of the edges of a net as it is now.
fn largest_stretch<S: Precision>(sim: &Simulation<S>, like: &Model) -> f64 {
    let x = &sim.state().positions;
    let p = |v: u32| [0, 1, 2].map(|c| x[v as usize][c].to_f64());
    let edges = &like.strain_limits()[0].edges;
    let stretch = |&([a, b], l): &([u32; 2], f64)| common::norm(common::sub(p(a), p(b))) / l;
    edges.iter().map(stretch).fold(0.0, f64::max)
}

fn solvers() -> Vec<(&'static str, AnySolver)> {
    vec![
        // Few enough substeps and explicit Euler blows the net up.
        ("explicit", Explicit { substeps: 400, ..Explicit::default() }.into()),
        ("symplectic", Explicit { substeps: 10, ..Explicit::symplectic() }.into()),
        ("newton, semi-implicit", Newton::semi_implicit().into()),
        ("newton", Newton::default().into()),
        ("newton@bdf2", AnySolver::by_name("newton@bdf2").unwrap()),
        ("projective", ProjectiveDynamics::default().into()),
        ("projective@midpoint", AnySolver::by_name("projective@midpoint").unwrap()),
        ("xpbd", Xpbd::default().into()),
    ]
}

/// The largest stretch in the second half of two seconds.
fn hang<S: Precision>(model: &Arc<Model>, like: &Model, solver: &AnySolver) -> f64 {
    let mut sim = Simulation::<S>::with_precision(model.clone(), solver.clone()).unwrap();
    let mut largest = 0.0_f64;
    for step in 0..120 {
        sim.step();
        if step >= 60 {
            largest = largest.max(largest_stretch(&sim, like));
        }
    }
    largest
}

#[test]
fn a_weak_net_keeps_its_limit_under_every_kind_of_solver() {
    let like = hanging_net(Some(StrainLimit::new(0.5, 1.1)));
    let free = Arc::new(hanging_net(None));
    let limited = Arc::new(hanging_net(Some(StrainLimit::new(0.5, 1.1).iterations(20))));
    for (name, solver) in solvers() {
        let without = hang::<f64>(&free, &like, &solver);
        let with = hang::<f64>(&limited, &like, &solver);
        let single = hang::<f32>(&limited, &like, &solver);
        println!("{name:22} without {without:.3}  with {with:.4}  in single precision {single:.4}");
        assert!(without > 1.3, "{name}: {without}");
        for with in [with, single] {
            assert!(with < 1.1 + 0.02, "{name}: {with}");
        }
    }
}

#[test]
fn more_sweeps_leave_less() {
    let mut last = f64::INFINITY;
    for iterations in [2, 10, 50, 250] {
        let limit = StrainLimit::new(0.5, 1.1).iterations(iterations);
        let model = Arc::new(hanging_net(Some(limit)));
        let largest = hang::<f64>(&model, &model, &ProjectiveDynamics::default().into());
        println!("{iterations:4} sweeps: {largest:.5}");
        assert!(largest < last, "{iterations}: {largest} after {last}");
        last = largest;
    }
    assert!(last < 1.1 + 1e-3, "{last}");
}

#[test]
fn areas_keep_their_limits() {
    // A weak rubber sheet of which one side is pulled down by its weight.
    let build = |limit: Option<StrainLimit>| {
        let mut scene = ModelBuilder::new();
        let damping = Damping { drag: 2.0, ..Damping::default() };
        let weak = Fabric { young: 2e4, ..Fabric::rubber() }.damping(damping);
        let sheet = Grid::square(7).size(0.5).vertical();
        let sheet = scene.cloth(sheet, Fabric { strain_limit: limit, ..weak }).unwrap();
        (0..7).for_each(|v| scene.pin(sheet.vertex(v)));
        Arc::new(scene.build().unwrap())
    };
    let limit = StrainLimit::new(0.0, 10.0).area(0.95, 1.05);
    let (free, limited) = (build(None), build(Some(limit)));
    let largest = |model: &Arc<Model>, solver: &AnySolver| {
        let mut sim = Simulation::<f64>::with_precision(model.clone(), solver.clone()).unwrap();
        let mut largest = 0.0_f64;
        for step in 0..120 {
            sim.step();
            for &(t, area) in limited.strain_limits()[0].triangles.iter().filter(|_| step >= 60) {
                let p = t.map(|v| {
                    let x = sim.state().positions[v as usize];
                    [x[0], x[1], x[2]]
                });
                largest = largest.max(pliant::mesh::measure::triangle_area(p) / area);
            }
        }
        largest
    };
    for name in ["projective", "newton", "symplectic"] {
        let solver = AnySolver::by_name(name).unwrap();
        let (without, with) = (largest(&free, &solver), largest(&limited, &solver));
        println!("{name:12} without {without:.3}  with {with:.4}");
        assert!(without > 1.1, "{name}: {without}");
        assert!(with < 1.05 + 0.01, "{name}: {with}");
    }
}

#[test]
fn a_free_body_keeps_its_momentum() {
    // Stretched by half at the start, so that every edge and triangle is corrected.
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    let limit = StrainLimit::new(0.9, 1.1).area(0.9, 1.1);
    let springs = Springs::new(5.0, 1.0).strain_limit(limit);
    let net = scene.springs(Curtain::new(5), springs).unwrap();
    for p in scene.positions_mut(&net) {
        *p = [1.5 * p[0], 1.3 * p[1], p[2] + 0.1 * p[0] * p[1]];
    }
    scene.velocities_mut(&net).iter_mut().for_each(|v| *v = [1.0, -2.0, 0.5]);
    let model = Arc::new(scene.build().unwrap());
    for name in ["explicit", "symplectic", "projective", "newton", "newton@bdf2", "xpbd"] {
        let solver = AnySolver::by_name(name).unwrap();
        let mut sim = Simulation::<f64>::with_precision(model.clone(), solver).unwrap();
        for _ in 0..50 {
            assert_eq!(sim.step().warning(), None, "{name}");
        }
        let momentum = [0, 1, 2].map(|c| {
            let v = sim.state().velocities.iter().zip(model.masses());
            v.map(|(v, m)| m * v[c]).sum::<f64>()
        });
        let drift = common::norm(common::sub(momentum, [1.0, -2.0, 0.5]));
        println!("{name:12} drift of momentum {drift:.1e} of 2.3 kg m/s");
        // Rounding of positions over a substep: measured 4.5e-11 in 5000 substeps, less otherwise.
        assert!(drift < 5e-10, "{name}: {drift:e}");
        assert!(largest_stretch(&sim, &model) < 1.15, "{name}");
    }
}

#[test]
fn nothing_happens_within_the_limits() {
    let wide = Some(StrainLimit::new(0.0, 100.0).area(0.0, 100.0));
    let [free, limited] = [None, wide].map(|limit| {
        let mut sim = Simulation::new(hanging_net(limit), ProjectiveDynamics::default()).unwrap();
        (0..30).for_each(|_| drop(sim.step().clone()));
        sim.hash()
    });
    assert_eq!(free, limited);
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let refused = |limit: StrainLimit| {
        let mut scene = ModelBuilder::new();
        let springs = Springs::new(1.0, 1.0).strain_limit(limit);
        let error = scene.springs(Curtain::new(3), springs).unwrap_err();
        assert!(matches!(error, Error::Quantity { name: "springs", .. }), "{error}");
    };
    refused(StrainLimit::new(-0.1, 1.1));
    refused(StrainLimit::new(1.05, 1.1));
    refused(StrainLimit::new(0.9, 0.95));
    refused(StrainLimit::new(f64::NAN, 1.1));
    refused(StrainLimit::new(0.9, f64::INFINITY));
    refused(StrainLimit::new(0.9, 1.1).area(0.9, 0.5));
    refused(StrainLimit::new(0.9, 1.1).iterations(0));
    let mut scene = ModelBuilder::new();
    let solid = Solid::jelly().strain_limit(StrainLimit::new(0.9, 1.1).area(0.9, 1.1));
    let error = scene.solid(TetBlock::new(1, 1, 1).size([0.1; 3]), solid).unwrap_err();
    assert!(error.to_string().contains("only cloth and springs"), "{error}");
}

#[test]
fn solids_and_strands_keep_their_limits() {
    let limit = StrainLimit::new(0.5, 1.1);
    let mut scene = ModelBuilder::new();
    let weak = Solid::new(1000.0, 500.0, 0.3).strain_limit(limit);
    let block = scene.solid(TetBlock::new(2, 4, 2).size([0.2, 0.4, 0.2]), weak).unwrap();
    let top: Vec<usize> =
        (0..block.vertices().len()).filter(|&v| scene.positions_mut(&block)[v][1] > 0.39).collect();
    top.iter().for_each(|&v| scene.pin(block.vertex(v)));
    // A correction travels along a chain slowly: it takes more sweeps.
    let long = limit.iterations(200);
    let cord = Thread { strain_limit: Some(long), ..Thread::new(930.0, 1e4, 3e-3) };
    let strand = Strand::new(12).length(0.5).at([1.0, 0.0, 0.0]);
    let strand = scene.strand(strand, cord).unwrap();
    scene.pin(strand.vertex(0));
    let model = scene.build().unwrap();
    let limits = model.strain_limits().to_vec();
    assert_eq!(limits.len(), 2);
    let mut sim = Simulation::<f64>::with_precision(model, ProjectiveDynamics::default()).unwrap();
    let mut worst = [0.0_f64; 2];
    for step in 0..120 {
        sim.step();
        for (worst, body) in worst.iter_mut().zip(&limits).filter(|_| step >= 60) {
            for &([a, b], length) in &body.edges {
                let p = [a, b].map(|v| sim.state().positions[v as usize]);
                let d = common::sub([p[0][0], p[0][1], p[0][2]], [p[1][0], p[1][1], p[1][2]]);
                *worst = worst.max(common::norm(d) / length);
            }
        }
    }
    println!("solid {:.4}, strand {:.4}", worst[0], worst[1]);
    assert!(worst.iter().all(|w| *w < 1.12), "{worst:?}");
}
