//! Contract: bodies tear where edges are stretched too far and where blades pass, under every solver. What
//! is torn keeps its mass, its momentum and its texture, stays a manifold, and goes on: finite, the same on
//! any number of threads, and the same from a snapshot, bit for bit.

use std::sync::Arc;

use crate::common::{self, few_iteration_solvers, first_non_finite, simulate};
use pliant::linalg::UpdateStrategy;
use pliant::mesh::components::components;
use pliant::mesh::topology::is_manifold;
use pliant::prelude::*;
use pliant::{BodyInfo, Error, Tear};

/// Pulls two opposite sides of a grid of `n` × `n` vertices apart, to twice their distance in half a second.
fn pull_apart(scene: &mut ModelBuilder, body: &Body, n: usize) {
    for i in 0..n {
        for (v, way) in [(i * n, -0.5), (i * n + n - 1, 0.5)] {
            let v = body.vertex(v);
            let start = scene.positions_mut(body)[v - body.vertices().start];
            let end = [start[0] + way, start[1], start[2]];
            scene.pin_moving(v, Motion::Path(vec![(0.0, start), (0.5, end)]));
        }
    }
}

/// A sheet of rubber with bending angles, pulled apart.
fn sheet(n: usize, tearing: Tearing) -> Model {
    let mut scene = ModelBuilder::new();
    let fabric = Fabric { bend: Bend::Dihedral, ..Fabric::rubber() };
    let sheet = scene.cloth(Grid::square(n).size(1.0), fabric).unwrap();
    // What touches is another test's.
    scene.contact_material(&sheet, None);
    pull_apart(&mut scene, &sheet, n);
    scene.tear(&sheet, tearing).unwrap();
    scene.build().unwrap()
}

/// A net of springs, pulled apart: also for the solver that knows springs alone.
fn net(n: usize, tearing: Tearing) -> Model {
    let mut scene = ModelBuilder::new();
    let net = scene.springs(Curtain::new(n), Springs::new(300.0, 0.3)).unwrap();
    pull_apart(&mut scene, &net, n);
    scene.tear(&net, tearing).unwrap();
    scene.build().unwrap()
}

/// A soft sheet that falls freely; nothing but a blade parts it.
fn falling(n: usize) -> Model {
    let mut scene = ModelBuilder::new();
    // Soft enough for explicit solvers.
    let fabric = Fabric { young: 1e4, ..Fabric::rubber() };
    let cloth = scene.cloth(Grid::square(n).size(1.0), fabric).unwrap();
    scene.contact_material(&cloth, None);
    for (i, v) in scene.velocities_mut(&cloth).iter_mut().enumerate() {
        *v = [0.1 * (i % 3) as f64, 0.2, -0.05 * (i % 4) as f64];
    }
    scene.build().unwrap()
}

/// A body's surface by its own places.
fn surface(model: &Model, body: &BodyInfo) -> TriMesh {
    let place = |v: u32| body.local_index(v as usize).expect("its own") as u32;
    TriMesh {
        positions: body.all_vertices().map(|v| model.rest_positions()[v]).collect(),
        triangles: body.triangles.iter().map(|t| t.map(place)).collect(),
        ..TriMesh::default()
    }
}

fn mass_and_momentum<S: Precision>(sim: &Simulation<S>) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for (m, v) in sim.model().masses().iter().zip(&sim.state().velocities) {
        sum[0] += m;
        (0..3).for_each(|c| sum[1 + c] += m * v[c].to_f64());
    }
    sum
}

/// Edges of a body that are there, with their stretch.
fn longest<S: Precision>(sim: &Simulation<S>) -> f64 {
    let (x, rest) = (&sim.state().positions, sim.model().rest_positions());
    let mut longest = 0.0f64;
    for t in &sim.model().bodies()[0].triangles {
        for k in 0..3 {
            let [a, b] = [t[k] as usize, t[(k + 1) % 3] as usize];
            let now = common::norm([0, 1, 2].map(|c| x[a][c].to_f64() - x[b][c].to_f64()));
            longest = longest.max(now / common::norm(common::sub(rest[a], rest[b])));
        }
    }
    longest
}

fn scenes() -> Vec<(&'static str, Arc<Model>)> {
    vec![
        ("split sheet", Arc::new(sheet(7, Tearing::split(1.4)))),
        ("split net", Arc::new(net(7, Tearing::split(1.4)))),
        ("breaking net", Arc::new(net(7, Tearing::breaking(1.4)))),
    ]
}

#[test]
fn what_is_stretched_too_far_tears_under_every_solver() {
    for (scene, model) in scenes() {
        let whole_mass: f64 = model.masses().iter().sum();
        for (name, solver) in few_iteration_solvers() {
            let Some(mut sim) = simulate::<f64>(&model, &solver) else { continue };
            let mut torn = 0;
            for step in 0..40 {
                sim.step();
                let what = format!("{scene} under {name}, step {step}");
                let report = sim.report();
                torn += report.tears.split_edges + report.tears.broken_edges;
                assert_eq!(first_non_finite(&sim), None, "{what}");
                assert_eq!(sim.state().positions.len(), sim.model().len());
                let body = &sim.model().bodies()[0];
                // Triangles that are gone leave others that meet in a vertex alone.
                let breaks = body.tearing.is_some_and(|t| t.mode == TearMode::Break);
                assert!(breaks || is_manifold(&surface(sim.model(), body)), "{what}");
                assert!((mass_and_momentum(&sim)[0] / whole_mass - 1.0).abs() < 1e-14, "{what}");
            }
            assert!(torn > 0, "{scene} under {name} did not tear: {}", longest(&sim));
            assert_eq!(sim.tears().len(), torn);
        }
    }
}

#[test]
fn nothing_tears_below_the_threshold_and_something_above_it() {
    let model = sheet(9, Tearing::split(1.3));
    let mut sim = Simulation::<f64>::with_precision(model, ProjectiveDynamics::default()).unwrap();
    let mut tore = 0;
    for _ in 0..30 {
        sim.step();
        let torn = !sim.report().tears.is_empty();
        tore += usize::from(torn);
        // What splits changes no position: the stretch is still to be seen.
        assert_eq!(longest(&sim) > 1.3, torn, "{}", longest(&sim));
        if tore > 0 {
            break;
        }
    }
    assert_eq!(tore, 1);
    assert!(sim.report().tears.new_vertices > 0 && sim.report().tears.removed_elements > 0);
}

/// A blade that stands upright and sweeps along z at `x`, from `from` to `to`.
fn sweep(x: f64, from: f64, to: f64) -> [[[f64; 3]; 2]; 2] {
    [from, to].map(|z| [[x, -5.0, z], [x, 5.0, z]])
}

#[test]
fn a_cut_right_across_leaves_two_parts_and_keeps_mass_and_momentum() {
    for (name, solver) in few_iteration_solvers() {
        // Along lines of vertices, through the middles of cells, and aslant.
        for (x, slant) in [(0.5, 0.0), (0.4375, 0.0), (1.0 / 3.0, 0.0), (0.3, 0.4)] {
            let Some(mut sim) = simulate::<f64>(&Arc::new(falling(9)), &solver) else { continue };
            (0..3).for_each(|_| {
                sim.step();
            });
            let (before, energy) = (mass_and_momentum(&sim), sim.report().elastic_energy);
            let [from, mut to] = sweep(x, -2.0, 2.0);
            to.iter_mut().for_each(|p| p[0] += 4.0 * slant);
            let mut from = from;
            from.iter_mut().for_each(|p| p[0] -= 4.0 * slant);
            let report = sim.cut(from, to).unwrap();
            let after = mass_and_momentum(&sim);
            for c in 0..4 {
                assert!((after[c] - before[c]).abs() < 1e-15, "{name}: {before:?} {after:?}");
            }
            let model = sim.model().clone();
            let mesh = surface(&model, &model.bodies()[0]);
            assert_eq!(components(&mesh).count, 2, "{name} at {x}");
            assert!(is_manifold(&mesh));
            assert_eq!(model.len(), 81 + report.new_vertices);
            assert!(energy.is_finite() && report.split_edges > report.new_vertices / 2);
            for _ in 0..5 {
                sim.step();
            }
            assert_eq!(first_non_finite(&sim), None, "{name}");
            // Inner forces sum to nothing, in two parts as in one.
            let mut one = simulate::<f64>(&Arc::new(falling(9)), &solver).unwrap();
            (0..8).for_each(|_| {
                one.step();
            });
            let (two, one) = (mass_and_momentum(&sim), mass_and_momentum(&one));
            let apart = (1..4).map(|c| (two[c] - one[c]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "{name}: {apart:e}");
        }
    }
}

#[test]
fn a_cut_that_ends_within_leaves_one_part_with_a_longer_border() {
    let mut sim =
        Simulation::<f64>::with_precision(falling(9), ProjectiveDynamics::default()).unwrap();
    let [from, to] = sweep(0.45, -1.0, 0.5);
    let report = sim.cut(from, to).unwrap();
    let model = sim.model().clone();
    let mesh = surface(&model, &model.bodies()[0]);
    assert_eq!(components(&mesh).count, 1);
    assert!(is_manifold(&mesh) && report.new_vertices > 2);
    // Every edge along the cut became two.
    let border = pliant::mesh::topology::boundary_edges(&mesh).len();
    assert_eq!(border, 32 + 2 * report.split_edges);
    // The same again cuts nothing.
    assert!(sim.cut(from, to).unwrap().is_empty());
}

#[test]
fn a_blade_cuts_what_it_passes_step_by_step_as_at_once() {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(9).size(1.0), Fabric::cotton()).unwrap();
    let path = Motion::Path(vec![(0.0, [0.45, -5.0, -1.0]), (0.5, [0.45, -5.0, 2.0])]);
    scene.blade(Blade::new([[0.45, -5.0, -1.0], [0.45, 5.0, -1.0]], path));
    scene.gravity([0.0; 3]);
    let _ = cloth;
    let mut sim =
        Simulation::<f64>::with_precision(scene.build().unwrap(), Xpbd::default()).unwrap();
    let mut cuts = 0;
    for _ in 0..35 {
        sim.step();
        cuts += usize::from(!sim.report().tears.is_empty());
    }
    assert!(cuts > 5, "{cuts}");
    let mut once = Simulation::<f64>::with_precision(
        {
            let mut scene = ModelBuilder::new();
            scene.cloth(Grid::square(9).size(1.0), Fabric::cotton()).unwrap();
            scene.gravity([0.0; 3]);
            scene.build().unwrap()
        },
        Xpbd::default(),
    )
    .unwrap();
    let [from, to] = sweep(0.45, -1.0, 2.0);
    once.cut(from, to).unwrap();
    let sorted = |sim: &Simulation<f64>| {
        let mut all: Vec<String> = sim.tears().iter().map(|t| format!("{t:?}")).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(&sim), sorted(&once));
}

#[test]
fn a_snapshot_goes_on_bit_for_bit_across_tears() {
    for (scene, model) in scenes() {
        for (name, solver) in few_iteration_solvers() {
            let Some(mut sim) = simulate::<f32>(&model, &solver) else { continue };
            let mut kept = Vec::new();
            let mut hashes = Vec::new();
            for _ in 0..30 {
                sim.step();
                kept.push(sim.snapshot());
                hashes.push(sim.hash());
            }
            for at in [5, 15, 20, 22] {
                let mut fresh = simulate::<f32>(&model, &solver).unwrap();
                fresh.restore(&kept[at]).unwrap();
                assert_eq!(fresh.hash(), hashes[at]);
                for (step, hash) in hashes.iter().enumerate().skip(at + 1) {
                    fresh.step();
                    assert_eq!(fresh.hash(), *hash, "{scene} under {name}, {step} from {at}");
                }
                // And from there back to before the first tear.
                fresh.restore(&kept[2]).unwrap();
                fresh.step();
                assert_eq!(fresh.hash(), hashes[3], "{scene} under {name}");
            }
            sim.reset();
            sim.step();
            assert_eq!(sim.hash(), hashes[0], "{scene} under {name}, reset");
        }
    }
}

#[test]
fn threads_change_nothing() {
    for (scene, model) in scenes() {
        for (name, solver) in few_iteration_solvers() {
            let run = |threads: usize| {
                let mut sim = simulate::<f32>(&model, &solver)?;
                sim.set_threads(threads);
                (0..25).for_each(|_| {
                    sim.step();
                });
                Some(sim.hash())
            };
            assert_eq!(run(1), run(2), "{scene} under {name}");
        }
    }
}

#[test]
fn a_state_that_is_put_back_has_its_own_tears() {
    let model = Arc::new(sheet(7, Tearing::split(1.4)));
    let mut sim = simulate::<f64>(&model, &ProjectiveDynamics::default().into()).unwrap();
    (0..5).for_each(|_| {
        sim.step();
    });
    let early = sim.state().clone();
    (0..30).for_each(|_| {
        sim.step();
    });
    assert!(!sim.tears().is_empty());
    let late = (sim.state().clone(), sim.hash());
    *sim.state_mut() = early;
    (0..30).for_each(|_| {
        sim.step();
    });
    assert_eq!(sim.hash(), late.1);
    *sim.state_mut() = late.0.clone();
    sim.step();
    assert_eq!(first_non_finite(&sim), None);
    assert!(sim.report().warnings.is_empty(), "{:?}", sim.report().warnings);
}

#[test]
fn a_damaged_snapshot_with_tears_changes_nothing() {
    let model = Arc::new(sheet(5, Tearing::split(1.3)));
    let mut sim = simulate::<f64>(&model, &Xpbd::default().into()).unwrap();
    (0..30).for_each(|_| {
        sim.step();
    });
    assert!(!sim.tears().is_empty());
    let snapshot = sim.snapshot();
    let mut fresh = simulate::<f64>(&model, &Xpbd::default().into()).unwrap();
    let before = fresh.hash();
    for length in 0..snapshot.len() {
        assert!(matches!(fresh.restore(&snapshot[..length]), Err(Error::Snapshot { .. })));
    }
    for at in 0..snapshot.len() {
        let mut bytes = snapshot.clone();
        bytes[at] ^= 1 << (at % 8);
        assert!(matches!(fresh.restore(&bytes), Err(Error::Snapshot { .. })), "byte {at}");
    }
    // Of a model that cannot have these tears.
    let mut other = simulate::<f64>(&Arc::new(common::block(1)), &Xpbd::default().into()).unwrap();
    assert!(matches!(other.restore(&snapshot), Err(Error::Snapshot { .. })));
    assert_eq!((fresh.hash(), fresh.model().len()), (before, 25));
    fresh.restore(&snapshot).unwrap();
    assert_eq!(fresh.hash(), sim.hash());
}

#[test]
fn broken_springs_are_taken_out_of_the_factor_by_downdates() {
    let model = Arc::new(net(25, Tearing::breaking(1.2).max_per_step(3)));
    let mut sim = simulate::<f64>(&model, &ProjectiveDynamics::default().into()).unwrap();
    let mut updated = 0;
    for _ in 0..60 {
        sim.step();
        let Some(followed) = sim.report().tears.factor_update else { continue };
        updated += usize::from(matches!(followed.strategy, UpdateStrategy::Updated { .. }));
        if updated == 4 {
            break;
        }
    }
    assert_eq!(updated, 4);
    assert_eq!(sim.model().len(), 625);
    assert!(sim.tears().iter().all(|t| matches!(t, Tear::BreakEdge { .. })));
    // The downdated factor steps as a fresh one of the torn model does.
    let torn = sim.model().clone();
    let mut fresh = Simulation::<f64>::with_precision(torn, ProjectiveDynamics::default()).unwrap();
    let state = sim.state().clone();
    fresh.state_mut().positions.clone_from(&state.positions);
    fresh.state_mut().velocities.clone_from(&state.velocities);
    fresh.state_mut().time = state.time;
    sim.step();
    fresh.step();
    let mut worst = 0.0f64;
    for (a, b) in sim.state().positions.iter().zip(&fresh.state().positions) {
        (0..3).for_each(|c| worst = worst.max((a[c] - b[c]).abs()));
    }
    // On a net of one metre.
    println!("downdated against fresh: {worst:e} m");
    assert!(worst < 1e-12, "{worst:e}");
}

#[test]
fn what_a_balloon_a_tether_a_limit_and_a_memory_become() {
    // A balloon is empty once it is open.
    let mut scene = ModelBuilder::new();
    let ball = scene.cloth(Icosphere::new(2).radius(0.1), Fabric::rubber()).unwrap();
    scene.inflate(&ball, Pressure::air(1.2)).unwrap();
    let mut sim =
        Simulation::<f64>::with_precision(scene.build().unwrap(), Xpbd::default()).unwrap();
    assert!(sim.pressure(&ball).is_some());
    let report =
        sim.cut([[-1.0, 0.02, -1.0], [1.0, 0.02, -1.0]], [[-1.0, 0.02, 1.0], [1.0, 0.02, 1.0]]);
    assert!(report.unwrap().new_vertices > 0 && sim.pressure(&ball).is_none());
    assert!(sim.model().elements().iter().all(|e| e.name() != "enclosed_volume"));
    assert_eq!(components(&surface(sim.model(), &sim.model().bodies()[0])).count, 2);
    // Tethers go with the first split, limits follow, plastic strain stays with its material.
    let mut scene = ModelBuilder::new();
    let plastic = Plasticity { yield_strain: 0.01, creep: 5.0, limit: 0.5 };
    let fabric = Fabric { stretch: Stretch::Edges, ..Fabric::rubber() }
        .plasticity(plastic)
        .tethered(Tethers::default())
        .strain_limit(StrainLimit::new(0.5, 1.5).area(0.5, 2.0));
    let cloth = scene.cloth(Grid::square(7).size(1.0), fabric).unwrap();
    scene.pin(cloth.corner(0));
    scene.pin(cloth.corner(1));
    let mut sim =
        Simulation::<f64>::with_precision(scene.build().unwrap(), Xpbd::default()).unwrap();
    (0..10).for_each(|_| {
        sim.step();
    });
    let count = |sim: &Simulation<f64>, name: &str| -> usize {
        sim.model().elements().iter().filter(|e| e.name() == name).map(|e| e.len()).sum()
    };
    let (tethers, weight) = (count(&sim, "edge_strain"), plastic_weight(&sim));
    assert!(tethers > 40);
    let elastic = |sim: &mut Simulation<f64>| {
        let exec = sim.exec().clone();
        let x = sim.state().positions.clone();
        sim.system()
            .batches
            .iter()
            .filter(|b| b.name() == "edge_plastic")
            .map(|b| b.energy(&exec, &x))
            .sum::<f64>()
    };
    sim.step();
    let before = elastic(&mut sim);
    let [from, to] = sweep(0.4, -2.0, 2.0);
    let report = sim.cut(from, to).unwrap();
    // Those of one or two edges are springs like others.
    let left = count(&sim, "edge_strain");
    assert!(left < 24 && report.removed_elements > 20, "{left} of {tethers}, {report:?}");
    assert!((plastic_weight(&sim) / weight - 1.0).abs() < 1e-14);
    let limits = &sim.model().strain_limits()[0];
    let mesh = surface(sim.model(), &sim.model().bodies()[0]);
    assert_eq!(limits.edges.len(), pliant::mesh::topology::edges(&mesh).len());
    assert_eq!(limits.triangles.len(), 72);
    let snapshot = sim.snapshot();
    sim.restore(&snapshot).unwrap();
    sim.step();
    assert_eq!(first_non_finite(&sim), None);
    assert!(before.is_finite());
}

fn plastic_weight(sim: &Simulation<f64>) -> f64 {
    let sets = sim.model().elements().iter().filter(|e| e.name() == "edge_plastic");
    sets.map(|e| (0..e.len()).map(|i| e.weight(i)).sum::<f64>()).sum()
}

#[test]
fn texture_coordinates_and_pins_follow() {
    let mut scene = ModelBuilder::new();
    let other = scene.cloth(Grid::square(3).size(0.2).at([5.0, 0.0, 0.0]), Fabric::silk()).unwrap();
    let cloth = scene.cloth(Grid::square(5).size(1.0), Fabric::cotton()).unwrap();
    // On the line of the cut.
    scene.pin(cloth.vertex(2));
    let last = scene.cloth(Grid::square(3).size(0.2).at([7.0, 0.0, 0.0]), Fabric::silk()).unwrap();
    let mut sim =
        Simulation::<f64>::with_precision(scene.build().unwrap(), Xpbd::default()).unwrap();
    let old: Vec<[f64; 3]> = last.positions(&sim).collect();
    sim.cut([[0.5, -1.0, -1.0], [0.5, 1.0, -1.0]], [[0.5, -1.0, 2.0], [0.5, 1.0, 2.0]]).unwrap();
    let model = sim.model().clone();
    let body = &model.bodies()[cloth.index];
    assert!(
        !body.split_vertices.is_empty() && model.bodies()[other.index].split_vertices.is_empty()
    );
    assert_eq!(body.uvs.as_ref().unwrap().len(), 25 + body.split_vertices.len());
    let rest = model.rest_positions();
    for (place, v) in body.all_vertices().enumerate() {
        let twin = (0..25).find(|&i| rest[body.vertices.start + i] == rest[v]).unwrap();
        let uvs = body.uvs.as_ref().unwrap();
        assert_eq!(uvs[place], uvs[twin]);
    }
    // Numbers of other bodies stay; both parts of a pinned vertex are held.
    assert_eq!(last.positions(&sim).collect::<Vec<_>>(), old);
    assert_eq!(cloth.positions(&sim).count(), 25 + body.split_vertices.len());
    let held: Vec<usize> = model.pins().iter().map(|p| p.vertex).collect();
    assert!(held.iter().all(|&v| rest[v] == rest[cloth.vertex(2)]));
    let parts = body.all_vertices().filter(|&v| rest[v] == rest[cloth.vertex(2)]).count();
    assert_eq!(held.len(), parts);
    (0..10).for_each(|_| {
        sim.step();
    });
    assert_eq!(first_non_finite(&sim), None);
}

#[test]
fn a_torn_sheet_touches_itself_and_the_ground() {
    let mut scene = ModelBuilder::new();
    let cloth =
        scene.cloth(Grid::square(9).size(1.0).at([0.0, 0.05, 0.0]), Fabric::cotton()).unwrap();
    scene.contact_material(&cloth, Some(ContactMaterial::of_thickness(1e-3).with_self_collision()));
    scene.collider(Collider::plane([0.0; 3], [0.0, 1.0, 0.0]));
    let mut sim = Simulation::new(scene.build().unwrap(), ProjectiveDynamics::default()).unwrap();
    sim.step();
    let [from, to] = sweep(0.45, -2.0, 2.0);
    assert!(sim.cut(from, to).unwrap().new_vertices > 5);
    for step in 0..30 {
        sim.step();
        assert_eq!(first_non_finite(&sim), None, "step {step}");
        assert!(sim.report().warnings.is_empty(), "{:?}", sim.report().warnings);
    }
    let fastest =
        sim.state().velocities.iter().map(|v| common::norm([0, 1, 2].map(|c| f64::from(v[c]))));
    let fastest = fastest.fold(0.0, f64::max);
    assert!(fastest < 1.5, "{fastest}");
}

#[test]
fn what_cannot_tear_is_refused_by_name() {
    let mut scene = ModelBuilder::new();
    let bar = scene.solid(TetBlock::new(1, 1, 1), Solid::jelly()).unwrap();
    assert!(matches!(scene.tear(&bar, Tearing::split(1.5)), Err(Error::NotTearable { .. })));
    let cloth = scene.cloth(Grid::square(3).size(1.0), Fabric::cotton()).unwrap();
    for bad in [Tearing::split(1.0), Tearing::split(f64::NAN), Tearing::split(1.5).max_per_step(0)]
    {
        assert!(matches!(scene.tear(&cloth, bad), Err(Error::Quantity { name: "tearing", .. })));
    }
    scene.tear(&cloth, Tearing::split(1.5)).unwrap();
    scene.mass_model(MassModel::Consistent);
    assert_eq!(scene.build().unwrap_err(), Error::TearingNeedsLumpedMass);
    let mut scene = ModelBuilder::new();
    let membrane = scene.cloth(Grid::square(3).size(1.0), Fabric::cotton()).unwrap();
    scene.tear(&membrane, Tearing::breaking(1.5)).unwrap();
    assert!(matches!(scene.build(), Err(Error::NoBreakableEdges { .. })));
    let mut scene = ModelBuilder::new();
    scene.cloth(Grid::square(3).size(1.0), Fabric::cotton()).unwrap();
    scene.blade(Blade::new([[0.0; 3]; 2], Motion::Fixed));
    assert_eq!(scene.build().unwrap_err(), Error::Blade { index: 0 });
}
