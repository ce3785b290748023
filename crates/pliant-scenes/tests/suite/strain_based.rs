//! Contract: Strain Based Dynamics. Stiffness along warp, weft and in shear are what they are called,
//! on any mesh and under every solver; a scrambled torus recovers; and the square root of stretch
//! leaves less of it than its square at equal iterations.

use crate::common::{cross, norm, positions, run, strains, sub};
use pliant::elements::GreenMeasure;
use pliant::material::{Stretch, Weave};
use pliant::mesh::{Pattern, TetTorus, TriMesh};
use pliant::prelude::*;

/// Width and height of the sheet \[m\].
const SIZE: [f64; 2] = [0.5, 1.0];
/// Mass per area [kg/m²].
const DENSITY: f64 = 0.2;
const GRAVITY: f64 = 9.81;

fn sheet(pattern: Pattern) -> TriMesh {
    let grid = Grid::new(13, 25).size2(SIZE[0], SIZE[1]).pattern(pattern).vertical();
    grid.build().unwrap()
}

fn fabric(stretch: Stretch, young: f64) -> Fabric {
    let plate = Fabric::plate(DENSITY / 1e-3, young, 0.0, 1e-3);
    // Stiff enough in bending not to wrinkle under shear; that does not count in its plane.
    Fabric { stretch, bending: 10.0, ..plate }
}

fn woven(stiffness: [f64; 3]) -> Fabric {
    fabric(Stretch::Woven(Weave { stiffness: Some(stiffness), ..Weave::default() }), 1e6)
}

/// The sheet at rest under gravity in its plane, its side at `x = 0` held or its side at the top.
fn hang(mesh: &TriMesh, fabric: Fabric, gravity: [f64; 3], top: bool) -> Simulation<f64> {
    let mut scene = ModelBuilder::new();
    scene.gravity(gravity);
    // Short enough that no triangle folds in the plane, where its strain would not know it.
    scene.time_step(0.02);
    let body = scene.cloth(mesh.clone(), fabric).unwrap();
    let highest = mesh.positions.iter().map(|p| p[1]).fold(f64::MIN, f64::max);
    for (v, p) in mesh.positions.iter().enumerate() {
        if if top { p[1] > highest - 1e-9 } else { p[0] < 1e-9 } {
            scene.pin(body.vertex(v));
        }
    }
    let model = scene.build().unwrap();
    let mut sim = Simulation::with_precision(model, Newton::default()).unwrap();
    run(&mut sim, 60);
    sim
}

const MESHES: [(&str, Pattern); 3] = [
    ("regular", Pattern::Regular),
    ("irregular", Pattern::Irregular { seed: 1 }),
    ("another irregular", Pattern::Irregular { seed: 2 }),
];

#[test]
fn each_stiffness_is_that_of_its_axis_on_any_mesh() {
    // Figure 3's three materials: stretch along x, stretch along y, shear.
    let (high, low) = (400.0, 80.0);
    for stiffness in [[high, high, high], [high, high, low], [low, high, high]] {
        for &(name, pattern) in &MESHES[..2] {
            let mesh = sheet(pattern);
            // A strip of length L that hangs by its end has the mean strain ρ g L / 2 k.
            let weight = DENSITY * GRAVITY / 2.0;
            let across = hang(&mesh, woven(stiffness), [GRAVITY, 0.0, 0.0], false);
            let down = hang(&mesh, woven(stiffness), [0.0, -GRAVITY, 0.0], true);
            let sheared = hang(&mesh, woven(stiffness), [0.0, -GRAVITY, 0.0], false);
            let measured = [
                strains(&mesh, &positions(&across))[0],
                strains(&mesh, &positions(&down))[1],
                strains(&mesh, &positions(&sheared))[2],
            ];
            let expected = [
                weight * SIZE[0] / stiffness[0],
                weight * SIZE[1] / stiffness[1],
                weight * SIZE[0] / stiffness[2],
            ];
            let ratio: Vec<f64> = measured.iter().zip(expected).map(|(m, e)| m / e).collect();
            println!("{stiffness:?}, {name}: measured over expected {ratio:.3?}");
            assert!((ratio[0] - 1.0).abs() < 0.02 && (ratio[1] - 1.0).abs() < 0.02, "{ratio:?}");
            // With a soft warp the held sheet also bends in its plane: measured 1.108.
            let bound = if stiffness[0] < stiffness[2] { 0.15 } else { 0.02 };
            assert!((ratio[2] - 1.0).abs() < bound, "{ratio:?}");
        }
    }
}

#[test]
fn a_net_of_edges_depends_on_the_directions_of_its_edges() {
    let shear = |stretch: Stretch, pattern: Pattern| {
        let mesh = sheet(pattern);
        let sim = hang(&mesh, fabric(stretch, 4e5), [0.0, -GRAVITY, 0.0], false);
        strains(&mesh, &positions(&sim))[2]
    };
    let spread = |stretch: Stretch| {
        let all = MESHES.map(|(_, pattern)| shear(stretch, pattern));
        all.iter().fold(0.0_f64, |a, b| a.max(*b)) / all.iter().fold(f64::MAX, |a, b| a.min(*b))
    };
    let (strain, edges) = (spread(Stretch::Woven(Weave::default())), spread(Stretch::Edges));
    println!(
        "shear on three meshes, largest over least: strain-based {strain:.3}, edges {edges:.3}"
    );
    assert!(strain < 1.05, "{strain}");
    assert!(edges > strain + 0.05, "{edges}");
}

/// Six times the volume of a tetrahedron \[m³\].
fn volume(x: [[f64; 3]; 4]) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|k| sub(x[k], x[0]));
    let n = cross(a, b);
    n[0] * c[0] + n[1] * c[1] + n[2] * c[2]
}

/// Tetrahedra of the scene's torus inside out at its scrambled start and after `steps`, and the
/// largest change of an edge's length in the end. A ring that wound itself up twice has none inside
/// out, but edges that are bent out of length.
fn scrambled_torus(solver: AnySolver, steps: usize) -> ([usize; 2], f64) {
    let model = pliant_scenes::green_torus(2).unwrap();
    let tets = TetTorus::new(0.3, 0.1).cells(16, 2).build().unwrap().tets;
    let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
    let inverted =
        |x: &[[f64; 3]]| tets.iter().filter(|t| !(volume(t.map(|v| x[v as usize])) > 0.0)).count();
    let before = inverted(&positions(&sim));
    run(&mut sim, steps);
    let (x, rest) = (positions(&sim), sim.model().rest_positions());
    let length = |x: &[[f64; 3]], a: u32, b: u32| norm(sub(x[a as usize], x[b as usize]));
    let change = |t: &[u32; 4]| {
        let edges =
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|e| e.map(|k: usize| t[k]));
        edges.map(|[a, b]| (length(&x, a, b) / length(rest, a, b) - 1.0).abs())
    };
    let most = tets.iter().flat_map(change).fold(0.0, f64::max);
    ([before, inverted(&x)], most)
}

#[test]
fn a_scrambled_torus_recovers() {
    // Figure 4. Green's strain does not tell a tetrahedron from its mirror image: volume does.
    let solvers: [AnySolver; 3] = [
        Pbd { iterations: 20, ..Pbd::default() }.into(),
        Xpbd::default().into(),
        ProjectiveDynamics::default().into(),
    ];
    for solver in solvers {
        let name = solver.name();
        let ([before, after], change) = scrambled_torus(solver, 300);
        println!(
            "{name}: {before} inside out at the start, {after} after 300 steps; edges changed by {change:.1e} at most"
        );
        assert!(before > 300);
        assert_eq!(after, 0, "{name}");
        // Measured: 1e-2 under projective, which is still ringing; else 8e-4.
        assert!(change < 0.05, "{name}: it must have its shape again: {change}");
    }
}

#[test]
fn the_square_root_leaves_less_stretch_than_the_square() {
    // §3.4, "25 % on average".
    let left = |plain_stretch: bool| {
        let mesh = sheet(Pattern::Irregular { seed: 1 });
        let measure = GreenMeasure { plain_stretch, plain_shear: false };
        let weave = Weave { measure, ..Weave::default() };
        let fabric = fabric(Stretch::Woven(weave), 1e6).pbd(1.0, 0.0);
        let mut scene = ModelBuilder::new();
        let body = scene.cloth(mesh.clone(), fabric).unwrap();
        // Stretch alone is compared: the cloth does not touch itself.
        scene.contact_material(&body, None);
        scene.pin(body.corner(2));
        scene.pin(body.corner(3));
        let pbd = Pbd { iterations: 10, ..Pbd::default() };
        let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), pbd).unwrap();
        let mut sum = 0.0;
        for _ in 0..12 {
            run(&mut sim, 10);
            let [u, v, _] = strains(&mesh, &positions(&sim));
            sum += u.abs() + v.abs();
        }
        sum / 24.0
    };
    let (root, square) = (left(false), left(true));
    println!(
        "mean stretch left: root {root:.4}, square {square:.4}: {:.0} % less",
        100.0 * (1.0 - root / square)
    );
    // Measured 26 % less.
    assert!(root < 0.8 * square, "{root} {square}");
}
