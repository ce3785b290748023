//! Contract: in offline mode nothing crosses anything, at any step, from any start. Crossings are counted exactly
//! after every step, by the engine's report and once more here.
//!
//! A start is jittered by up to a thousandth of the scene's size. As a rule every scene runs from one start for part
//! of its frames; `PLIANT_THOROUGH=1` runs all frames of all scenes from ten starts each, and what is wound or exactly
//! aligned from one more, as it is. Each test prints its figures with `--nocapture`.

use crate::common::{self, intersections::IntersectionCounter};
use pliant::math::Random;
use pliant::mesh::TriMesh;
use pliant::prelude::*;

/// Moves the vertices of a start by up to a thousandth of the bounding box; rigid bodies as a whole.
fn jitter(sim: &mut Simulation, seed: u64) {
    let far = 1e-3 * sim.model().extent();
    let model = sim.model().clone();
    let thin = model.bodies().iter().filter_map(|b| b.contact_material).map(|t| t.radius);
    // No farther than surfaces that lie on each other keep apart.
    let far = far.min(0.4 * thin.fold(f64::INFINITY, f64::min));
    for (number, body) in model.bodies().iter().enumerate() {
        for v in body.all_vertices() {
            let place = if body.rigid_frame.is_some() { 1_000_000 + number } else { v } as u64;
            let x = &mut sim.state_mut().positions[v];
            let mut random = Random::new(seed << 32 | place);
            if x[3] > 0.0 {
                x[..3].iter_mut().for_each(|c| *c += (far * random.signed_unit()) as f32);
            }
        }
    }
}

/// Runs a scene from a jittered start and refuses any crossing.
fn run(name: &str, model: Model, solver: &str, frames: usize, seed: u64) -> Simulation {
    let mut sim = Simulation::new(model, AnySolver::by_name(solver).unwrap()).unwrap();
    sim.set_contact_mode(ContactMode::IntersectionFree);
    if seed > 0 {
        jitter(&mut sim, seed);
    }
    let mut counter = IntersectionCounter::new(&sim);
    let (mut zones, mut stopped, mut touching, mut cut) = (0, 0, 0, 0);
    let begin = std::time::Instant::now();
    for frame in 0..frames {
        let contacts = sim.step().contacts;
        zones += contacts.impact_zones;
        stopped += contacts.clamped_vertices;
        cut += contacts.truncated_substeps;
        touching = touching.max(contacts.pairs + contacts.colliders);
        let found = (
            contacts.intersections,
            contacts.initial_intersections,
            contacts.unresolved_crossings,
            contacts.skipped_substeps,
        );
        assert_eq!(found, (0, 0, 0, 0), "{name} under {solver}, start {seed}, frame {frame}");
        assert_eq!(counter.count(&sim), [0, 0], "{name} under {solver}, frame {frame}");
    }
    println!(
        "{name:16} {solver:10} start {seed:2}: {frames:4} frames, {:6} vertices, 0 crossings; at most {touching:5} \
         contacts, {zones:5} zones, {stopped:5} stopped, {cut:4} times cut short; {:6.1} ms per frame",
        sim.state().positions.len(),
        1e3 * begin.elapsed().as_secs_f64() / frames as f64
    );
    sim
}

/// The starts of what must also hold where nothing is jittered: that one, and ten jittered ones.
fn exact_and_jittered() -> std::ops::RangeInclusive<u64> {
    0..=if common::thorough() { 10 } else { 0 }
}

fn scene(name: &str, size: usize, solver: &str, frames: usize) {
    let starts = if common::thorough() { 1..=10 } else { 3..=3 };
    let frames = if common::thorough() { frames } else { frames.div_ceil(3) };
    for seed in starts {
        let model = (pliant_scenes::by_name(name).unwrap().build)(size).unwrap();
        run(name, model, solver, frames, seed);
    }
}

#[test]
fn cloth_that_falls_on_things() {
    scene("cloth_on_ball", 17, "projective", 120);
    scene("needle_bed", 15, "xpbd", 120);
    scene("knife_edge", 15, "projective", 120);
}

#[test]
fn layers_and_folds() {
    scene("five_layers", 9, "projective", 120);
    scene("folded_sheet", 11, "pbd", 140);
    scene("leaves", 64, "projective", 90);
}

#[test]
fn what_is_driven() {
    scene("barrel", 13, "projective", 150);
    scene("twist", 7, "projective", 120);
    scene("bullet", 17, "xpbd", 30);
    scene("brush", 8, "projective", 120);
    scene("pressed_balls", 2, "projective", 120);
}

#[test]
fn rigid_and_animated_bodies() {
    scene("stripes", 4, "xpbd", 120);
    scene("ripped_cloth", 13, "projective", 90);
    scene("squeezed_figure", 14, "xpbd", 120);
    scene("dress", 24, "xpbd", 60);
}

#[test]
fn a_flag_that_tears() {
    scene("torn_flag", 14, "projective", 120);
}

/// A ribbon, 4 cm × 50 cm, whose ends turn against each other, a turn and a half per second each, until all of it is
/// wound up and nothing can go on. What is pinned then comes later than it should; nothing crosses.
#[test]
fn a_ribbon_wound_by_a_hundred_turns() {
    let turns = if common::thorough() { 100.0 } else { 9.0 };
    let frames = (turns / 3.0 * 60.0) as usize;
    for seed in exact_and_jittered() {
        run("ribbon", ribbon(), "projective", frames, seed);
    }
}

fn ribbon() -> Model {
    let (width, length) = (0.04, 0.5);
    let rate = 1.5 * std::f64::consts::TAU;
    let mut scene = ModelBuilder::new();
    let grid = Grid::new(41, 5).size2(length, width).at([-0.5 * length, 0.0, -0.5 * width]);
    let ribbon = scene.cloth(grid, Fabric::cotton()).unwrap();
    scene.contact_material(
        &ribbon,
        Some(ContactMaterial::of_thickness(0.5e-3).with_self_collision()),
    );
    for (v, p) in scene.positions_mut(&ribbon).to_vec().into_iter().enumerate() {
        if p[0].abs() > 0.499 * length {
            let (center, axis, rate) = ([0.0; 3], [1.0, 0.0, 0.0], rate * p[0].signum());
            let motion = Motion::Spin { center, axis, rate, drift: [0.0; 3] };
            scene.pin_moving(ribbon.vertices().start + v, motion);
        }
    }
    scene.build().unwrap()
}

/// A pyramid with its tip up or down.
fn spike(tip: [f64; 3], height: f64) -> TriMesh {
    let r = 0.03;
    let corner = |x: f64, z: f64| [tip[0] + x, tip[1] - height, tip[2] + z];
    let positions = vec![tip, corner(-r, -r), corner(r, -r), corner(r, r), corner(-r, r)];
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [1, 2, 3], [1, 3, 4]];
    if height < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    TriMesh { positions, triangles, ..TriMesh::default() }
}

/// A roof with its ridge along x.
fn wedge(ridge: [f64; 3], height: f64, turned: bool) -> TriMesh {
    let (l, w) = (0.05, 0.03);
    let at = |along: f64, up: f64, across: f64| {
        let (x, z) = if turned { (across, -along) } else { (along, across) };
        [ridge[0] + x, ridge[1] + up, ridge[2] + z]
    };
    let positions = vec![
        at(-l, 0.0, 0.0),
        at(l, 0.0, 0.0),
        at(-l, -height, -w),
        at(-l, -height, w),
        at(l, -height, -w),
        at(l, -height, w),
    ];
    let mut triangles = vec![
        [0, 3, 5],
        [0, 5, 1],
        [0, 1, 4],
        [0, 4, 2],
        [0, 2, 3],
        [1, 5, 4],
        [2, 4, 5],
        [2, 5, 3],
    ];
    if height < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    TriMesh { positions, triangles, ..TriMesh::default() }
}

/// Exactly aligned features: point on point, point on edge, edge on edge along it and across it, a wedge in a crack of
/// its own shape, a box on the rim of another (after Erleben 2018: "Methodology for assessing mesh-based contact point
/// methods").
#[test]
fn what_is_exactly_aligned() {
    let still = |mesh: TriMesh| Collider::mesh(&mesh).unwrap().friction(0.5);
    let cube = |at: [f64; 3]| Collider::cuboid(at, [0.06; 3]).surface_mesh();
    type Case = (&'static str, Vec<TriMesh>, TriMesh);
    let cases: Vec<Case> = vec![
        ("point on point", vec![spike([0.0; 3], 0.05)], spike([0.0, 0.01, 0.0], -0.05)),
        ("point on edge", vec![wedge([0.0; 3], 0.05, false)], spike([0.0, 0.01, 0.0], -0.05)),
        (
            "edge along edge",
            vec![wedge([0.0; 3], 0.05, false)],
            wedge([0.0, 0.01, 0.0], -0.05, false),
        ),
        (
            "edge across edge",
            vec![wedge([0.0; 3], 0.05, false)],
            wedge([0.0, 0.01, 0.0], -0.05, true),
        ),
        (
            "wedge in crack",
            vec![cube([0.0, -0.03, -0.045]), cube([0.0, -0.03, 0.045])],
            wedge([0.0, 0.01, 0.0], -0.05, false),
        ),
        (
            "spike in crack",
            vec![cube([0.0, -0.03, -0.04]), cube([0.0, -0.03, 0.04])],
            spike([0.0, 0.01, 0.0], -0.05),
        ),
        ("box on rim", vec![cube([0.0, -0.03, 0.0])], cube([0.0, 0.04, 0.03])),
        ("box on box", vec![cube([0.0, -0.03, 0.0])], cube([0.0, 0.04, 0.0])),
        (
            "box on inner edge",
            vec![cube([-0.03, -0.03, 0.0]), cube([0.03, -0.03, 0.0])],
            cube([0.0, 0.04, 0.0]),
        ),
    ];
    for (name, fixed, falling) in cases {
        let starts = |solver| exact_and_jittered().map(move |seed| (solver, seed));
        for (solver, seed) in ["xpbd", "projective"].into_iter().flat_map(starts) {
            let mut scene = ModelBuilder::new();
            let body = scene.rigid(falling.clone(), 500.0).unwrap();
            scene.contact_material(
                &body,
                Some(ContactMaterial::of_thickness(1e-3).with_self_collision()),
            );
            fixed.iter().for_each(|mesh| scene.collider(still(mesh.clone())));
            scene.collider(Collider::plane([0.0, -0.2, 0.0], [0.0, 1.0, 0.0]));
            run(name, scene.build().unwrap(), solver, 90, seed);
        }
    }
}
