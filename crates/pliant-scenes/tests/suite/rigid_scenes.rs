//! Contract: rigid bodies in scene files. What is wrong with one is said at its place; bodies hang from what is
//! fastened to them, strike each other and tear cloth, and nothing passes anything, counted exactly after every
//! step.
//!
//! Each test prints its figures: `cargo test --release -p pliant-scenes --test suite rigid_scenes:: -- --nocapture`.

use crate::common::intersections::IntersectionCounter;
use pliant::Error;
use pliant::prelude::*;
use pliant_scenes::SceneDescription;
use pliant_scenes::describe::{
    Cloth, CylinderShape, GridShape, RigidAttachmentSpec, RigidBody, Selection, ShapeSpec,
    SheetMesh, Start,
};

fn cube() -> RigidBody {
    RigidBody::cuboid([0.0; 3], [0.1; 3], 500.0).named("cube")
}

fn sheet(attach_to: Vec<RigidAttachmentSpec>) -> Cloth {
    let grid = GridShape {
        columns: 3,
        rows: 3,
        width: None,
        height: None,
        pattern: None,
        seed: None,
        orient: None,
    };
    let mesh = SheetMesh { grid: Some(grid), ..SheetMesh::default() };
    Cloth { mesh, attach_to, ..Cloth::default() }
}

fn attached(vertex: usize, to: &str) -> Vec<RigidAttachmentSpec> {
    let at = Selection { vertices: vec![vertex], ..Selection::default() };
    vec![RigidAttachmentSpec { at, to: to.to_owned() }]
}

#[test]
fn what_is_wrong_with_a_rigid_body_is_said_at_its_place() {
    let tube = |closed| {
        let cylinder = CylinderShape { radius: 0.1, height: 0.2, around: 8, along: 2, closed };
        ShapeSpec::mesh(SheetMesh { cylinder: Some(cylinder), ..SheetMesh::default() })
    };
    let loose = RigidBody { density: Some(500.0), ..RigidBody::default() };
    let ball = |radius| ShapeSpec::sphere([0.0; 3], radius);
    let both = vec![ShapeSpec::cuboid([0.0; 3], [0.1; 3]), tube(true)];
    let rigid =
        |body: RigidBody| SceneDescription { rigid: vec![body], ..SceneDescription::default() };
    let cases = [
        (rigid(loose.clone()), "rigid[0]", "no shape is present"),
        (rigid(RigidBody { shape: both, ..cube() }), "rigid[0]", "several shapes"),
        (
            rigid(RigidBody { shape: vec![tube(false)], ..loose.clone() }),
            "rigid[0].mesh",
            "open at the edge",
        ),
        (
            rigid(RigidBody { shape: vec![ball(-1.0)], ..loose.clone() }),
            "rigid[0].sphere",
            "radius must be positive",
        ),
        (rigid(RigidBody { density: None, ..cube() }), "rigid[0].density", "are missing"),
        (rigid(RigidBody { mass: Some(1.0), ..cube() }), "rigid[0].density", "keep one"),
        (
            rigid(RigidBody { density: None, mass: Some(0.0), ..cube() }),
            "rigid[0].density",
            "the mass is 0 kg",
        ),
        (rigid(RigidBody { density: Some(-2.0), ..cube() }), "rigid[0].density", "density is -2"),
        (
            rigid(RigidBody {
                start: Some(Start { jitter: Some(0.1), ..Start::default() }),
                ..cube()
            }),
            "rigid[0].start",
            "do not apply to rigid bodies",
        ),
        (
            SceneDescription {
                cloth: vec![sheet(attached(0, "ball"))],
                rigid: vec![cube()],
                ..SceneDescription::default()
            },
            "cloth[0].attach_to[0]",
            "there is no rigid body \"ball\"; use the name of a [[rigid]]: \"cube\"",
        ),
        (
            SceneDescription {
                cloth: vec![sheet(attached(0, "cube"))],
                rigid: vec![cube(), cube()],
                ..SceneDescription::default()
            },
            "cloth[0].attach_to[0]",
            "several rigid bodies",
        ),
        (
            SceneDescription {
                cloth: vec![sheet(attached(9, "cube"))],
                rigid: vec![cube()],
                ..SceneDescription::default()
            },
            "cloth[0].attach_to[0]",
            "no vertex 9",
        ),
    ];
    for (scene, place, words) in cases {
        let error = scene.build().unwrap_err();
        println!("{error}");
        assert_eq!(error.at, place, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(matches!(error.error, Error::Scene { .. }));
    }
}

#[test]
fn a_mass_is_spread_over_the_volume() {
    let body = RigidBody { density: None, mass: Some(0.25), ..cube() };
    let model =
        SceneDescription { rigid: vec![body], ..SceneDescription::default() }.build().unwrap();
    let mass: f64 = model.masses().iter().sum();
    assert!((mass - 0.25).abs() < 1e-12, "{mass}");
}

/// Measurements of a run.
#[derive(Debug, Default)]
struct RunStats {
    /// Edges that crossed triangles, over all steps: of bodies, and of bodies with colliders.
    crossed: [usize; 2],
    unresolved: usize,
    tears: usize,
}

/// Runs a scene and shows every state to `look`.
fn run(
    scene: &str,
    size: usize,
    frames: usize,
    solver: AnySolver,
    mut look: impl FnMut(usize, &Simulation),
) -> (Simulation, RunStats) {
    let begin = std::time::Instant::now();
    let model = (pliant_scenes::by_name(scene).unwrap().build)(size).unwrap();
    let name = solver.name();
    let mut sim = Simulation::new(model, solver).unwrap();
    let mut counter = IntersectionCounter::new(&sim);
    let mut figures = RunStats::default();
    for frame in 1..=frames {
        let report = sim.step();
        assert!(report.warning().is_none(), "{:?}", report.warning());
        figures.unresolved += report.contacts.unresolved_crossings;
        let crossed = counter.count(&sim);
        (0..2).for_each(|k| figures.crossed[k] += crossed[k]);
        look(frame, &sim);
    }
    figures.tears = sim.tears().len();
    let finite = sim.state().positions.iter().flatten().all(|c| c.is_finite());
    assert!(finite, "{scene} under {name}");
    println!(
        "{scene} {size} {name:10} {frames} frames: crossed {:?}, unresolved {}, tears {}; {:.1} ms per frame",
        figures.crossed,
        figures.unresolved,
        figures.tears,
        1e3 * begin.elapsed().as_secs_f64() / frames as f64
    );
    (sim, figures)
}

/// Centre of a rigid body \[m\].
fn centre(sim: &Simulation, body: usize) -> [f64; 3] {
    let own = &sim.state().positions[sim.model().bodies()[body].vertices.clone()];
    [0, 1, 2].map(|c| own.iter().map(|p| 0.25 * f64::from(p[c])).sum())
}

/// The longest of the stripes, from its upper edge to where it is fastened, in parts of its length at rest.
fn longest(sim: &Simulation) -> f64 {
    let own = |k: usize| sim.model().bodies()[k].vertices.clone();
    let length = |k: usize| {
        let column = own(k).step_by(4);
        let x: Vec<[f32; 4]> = column.map(|v| sim.state().positions[v]).collect();
        let sides = x.windows(2).map(|w| {
            let d = [0, 1, 2].map(|c| f64::from(w[1][c] - w[0][c]));
            (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
        });
        sides.sum::<f64>() / 0.3
    };
    (0..5).map(length).fold(0.0, f64::max)
}

/// Distance of the last vertex of each stripe from the centre of the body that it is attached to \[m\].
fn arms(sim: &Simulation) -> [f64; 5] {
    [0, 1, 2, 3, 4].map(|k| {
        let last = sim.state().positions[sim.model().bodies()[k].vertices.end - 1];
        let to = centre(sim, 5 + k);
        (0..3)
            .map(|c| (f64::from(last[c]) - to[c]) * (f64::from(last[c]) - to[c]))
            .sum::<f64>()
            .sqrt()
    })
}

/// Ten substeps of two sweeps stretch what a body of twice its weight hangs from. Newton's method does not
/// converge in single precision where a body strikes another: not asked.
#[test]
fn bodies_hang_from_stripes_and_strike_each_other() {
    for (solver, most) in [("xpbd", 1.4), ("projective", 1.1)] {
        let mut farthest = [0.0_f64; 5];
        let (mut stretch, mut touched, mut off) = (0.0, 0, 0.0);
        let mut start = None;
        let (_, f) = run("stripes", 4, 120, AnySolver::by_name(solver).unwrap(), |_, sim| {
            touched += sim.report().contacts.pairs;
            stretch = f64::max(stretch, longest(sim));
            let begin = *start.get_or_insert_with(|| arms(sim));
            off = arms(sim).iter().zip(begin).map(|(a, b)| (a - b).abs()).fold(off, f64::max);
            for (k, far) in farthest.iter_mut().enumerate() {
                *far = far.max(centre(sim, 5 + k)[0] - 0.075 * k as f64);
            }
        });
        println!(
            "{solver}: swung by {farthest:.3?} m, stripes up to {stretch:.3} of their length, fastened within \
             {off:.1e} m, {touched} contacts"
        );
        assert_eq!((f.crossed, f.unresolved), ([0, 0], 0), "{solver}");
        // The blow goes through to the third at least: measured 0.075 and 0.019 m.
        assert!(
            touched > 0 && farthest[..3].iter().all(|far| *far > 0.01),
            "{solver}: {farthest:?}"
        );
        // Measured 1.14 and 1.01; 2.0e-4 and 3.6e-3 m.
        assert!(stretch < most && off < 1e-2, "{solver}: {stretch} {off}");
    }
}

#[test]
fn a_cube_and_a_ball_tear_a_sheet() {
    // The ball goes 10 cm in a frame. A solver that takes that in one step lets a whole corner of the sheet catch it: it
    // tears that off, but does not fly as far. Substeps, how many times as many tears it leaves at least, and where it
    // comes to \[m\], measured −3.8, −2.3 and −3.6: behind the sheet, by at least ten times its radius. (How many tears it
    // leaves hangs on where it strikes the edges of the hole: by changes of the last bits, 30 to 49 under `xpbd`.)
    let runs =
        [("xpbd", 10, 1.5, -1.0), ("projective", 1, 2.0, -1.0), ("projective", 4, 1.5, -1.0)];
    for (solver, substeps, more, behind) in runs {
        let mut opened = 0;
        let settings = AnySolver::by_name(solver).unwrap().with_substeps(substeps);
        let (sim, f) = run("ripped_cloth", 17, 90, settings, |frame, sim| {
            // The ball meets the sheet half a second after the start.
            if frame == 27 {
                opened = sim.tears().len();
            }
        });
        let split = sim.model().len() - sim.original_model().len();
        let ball = centre(&sim, 2);
        println!(
            "{solver}: {opened} tears by the cube, {} with the ball, {split} vertices split; the ball at \
             {ball:.2?} m",
            f.tears
        );
        assert_eq!((f.crossed, f.unresolved), ([0, 0], 0), "{solver}");
        // Measured 19 and 44, 14 and 56, 17 and 30.
        assert!(
            opened > 2 && f.tears as f64 > more * opened as f64 && split > 0,
            "{solver}: {opened} {f:?}"
        );
        assert!(ball[2] < behind, "{solver}: {ball:?}");
        // Masses and vertices that split off stay with the body.
        let mass = |model: &Model| model.masses().iter().sum::<f64>();
        assert!((mass(sim.model()) / mass(sim.original_model()) - 1.0).abs() < 1e-9, "{solver}");
    }
}
