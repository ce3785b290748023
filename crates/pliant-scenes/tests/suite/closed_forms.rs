//! Contract: where physics has a formula, the engine agrees with it to one percent. Free fall, the
//! pendulum, the spring, the catenary, the bending beam, the modulus of a pulled bar and of a pulled
//! sheet, and the energy of a bent sheet.
//!
//! It has caught a hinge weight three times too large and edge nets three times too soft.

use crate::common::{self, positions, run};
use pliant::batch::Elements;
use pliant::elements::Spring;
use pliant::math::{cos, exp, log, sin};
use pliant::mesh::measure::{laplace_stencils, triangle_area, triangle_areas};
use pliant::parallel::Exec;
use pliant::prelude::*;
use pliant::{Error, Model, System};

const PI: f64 = std::f64::consts::PI;

fn assert_close(what: &str, measured: f64, expected: f64, bound: f64) {
    let error = (measured / expected - 1.0).abs();
    println!("{what}: {measured:.6} against {expected:.6}, off by {error:.1e}");
    assert!(error < bound, "{what}: {measured} against {expected}, off by {error:.2e}");
}

/// Solvers that converge, with iterations enough for one spring.
fn convergent() -> [AnySolver; 3] {
    [
        ProjectiveDynamics { iterations: 30, ..Default::default() }.into(),
        Xpbd::new(10, 1).into(),
        Newton::default().into(),
    ]
}

#[test]
fn a_body_falls_by_half_g_t_squared() {
    let h = 1e-3;
    for solver in common::general_solvers() {
        let mut scene = ModelBuilder::new();
        let block = TetBlock::new(1, 1, 1).size([0.1; 3]);
        scene.solid(block, Solid::rubber()).unwrap();
        scene.points(&[[1.0, 0.05, 0.0]], &[2.0]).unwrap();
        scene.time_step(h);
        let name = solver.name();
        let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), solver).unwrap();
        run(&mut sim, 1000);
        let x = positions(&sim);
        let center = x[..8].iter().map(|p| p[1]).sum::<f64>() / 8.0 - 0.05;
        // Implicit Euler falls by half g t (t + h): 0.1 % more.
        assert_close(&format!("fall of a block, {name}"), -center, 4.905, 0.01);
        assert_close(&format!("fall of a point, {name}"), 0.05 - x[8][1], 4.905, 0.01);
    }
}

/// A mass on a spring of 1 m from a pinned origin.
fn weight_on_spring(start: [f64; 3], constant: f64, gravity: f64) -> Model {
    let mut scene = ModelBuilder::new();
    scene.points(&[[0.0; 3], start], &[1.0, 1.0]).unwrap();
    let mut spring = Elements::projective();
    spring.push([0, 1], constant, Spring { length: 1.0 });
    scene.elements(spring);
    scene.pin(0);
    scene.gravity([0.0, -gravity, 0.0]);
    scene.time_step(1e-3);
    scene.build().unwrap()
}

/// The time between the first and the third zero of `value` \[s\].
fn period(sim: &mut Simulation<f64>, value: fn([f64; 3]) -> f64) -> f64 {
    let mut zeros = Vec::new();
    let mut last = value(positions(sim)[1]);
    for _ in 0..10_000 {
        sim.step();
        let now = value(positions(sim)[1]);
        if last.signum() != now.signum() {
            zeros.push(sim.state().time - 1e-3 * now / (now - last));
        }
        last = now;
        if zeros.len() == 3 {
            return zeros[2] - zeros[0];
        }
    }
    panic!("no period in ten seconds");
}

#[test]
fn a_pendulum_keeps_its_period() {
    let (constant, g, amplitude) = (1e4, 9.81, 0.1);
    let length: f64 = 1.0 + g / constant;
    let expected = 2.0 * PI * (length / g).sqrt() * (1.0 + amplitude * amplitude / 16.0);
    for solver in convergent() {
        let start = [length * sin(amplitude), -length * cos(amplitude), 0.0];
        let what = format!("period of a pendulum, {}", solver.name());
        let model = weight_on_spring(start, constant, g);
        let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
        assert_close(&what, period(&mut sim, |x| x[0]), expected, 1e-5); // measured 1.1e-6
    }
}

#[test]
fn a_spring_keeps_its_frequency() {
    let constant = 4.0 * PI * PI;
    let solvers = convergent().into_iter().chain([MassSpring::default().into()]);
    for solver in solvers {
        let what = format!("period of a spring, {}", solver.name());
        let model = weight_on_spring([1.2, 0.0, 0.0], constant, 0.0);
        let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
        assert_close(&what, period(&mut sim, |x| x[0] - 1.0), 1.0, 1e-4); // measured 1.3e-5
    }
}

#[test]
fn a_rope_hangs_as_a_catenary() {
    let (span, length, n) = (0.8, 1.0, 41);
    // 2 a sinh(span / 2a) = length, by bisection.
    let sinh = |z: f64| 0.5 * (exp(z) - exp(-z));
    let (mut low, mut high) = (0.05, 10.0);
    for _ in 0..100 {
        let a = 0.5 * (low + high);
        if 2.0 * a * sinh(0.5 * span / a) > length { low = a } else { high = a }
    }
    let a: f64 = low;
    let top = (a * a + 0.25 * length * length).sqrt();
    let point = |i: usize| {
        let s = length * (i as f64 / (n - 1) as f64 - 0.5);
        let z = s / a;
        let x = a * log(z.abs() + (z * z + 1.0).sqrt());
        [0.5 * span + if z < 0.0 { -x } else { x }, (a * a + s * s).sqrt() - top, 0.0]
    };
    let shape: Vec<[f64; 3]> = (0..n).map(point).collect();
    let sag = top - a;
    let solvers: [AnySolver; 3] = [
        // Thirty iterations of one step leave it 4.6 % short: it is stiff for its mass.
        ProjectiveDynamics { iterations: 10, substeps: 10, ..Default::default() }.into(),
        Xpbd::new(1, 40).into(),
        Newton::default().into(),
    ];
    for solver in solvers {
        let name = solver.name();
        let model = pliant_scenes::rope(n).unwrap();
        let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
        run(&mut sim, 600);
        let x = positions(&sim);
        let error = common::farthest(&x, &shape) / sag;
        println!("catenary, {name}: off by {error:.1e} of its sag {sag:.4} m");
        assert!(error < 0.01, "{name}: {error:.2e}");
    }
}

/// Positions in equilibrium: a few very long implicit steps, stopped after each.
fn at_rest(model: Model, steps: usize) -> Vec<[f64; 3]> {
    // From where it was: the guess of so long a step lies far away.
    let newton = Newton { tolerance: 1e-12, start_from_previous: true, ..Newton::default() };
    let mut sim = Simulation::<f64>::with_precision(model, newton).unwrap();
    for _ in 0..steps {
        sim.step();
        sim.state_mut().velocities.fill([0.0; 4]);
    }
    positions(&sim)
}

/// Deflection of the tip of a bar of 0.5 m × 0.1 m × 0.1 m, `n` cells thick \[m\].
fn tip(n: usize, young: f64) -> Result<f64, Error> {
    let mut scene = ModelBuilder::new();
    let bar = TetBlock::new(5 * n, n, n).size([0.5, 0.1, 0.1]).bar()?;
    let ends = bar.ends.clone();
    let body = scene.solid(bar, Solid::new(1000.0, young, 0.0))?;
    ends[0].iter().for_each(|&v| scene.pin(body.vertex(v as usize)));
    scene.time_step(10.0);
    let model = scene.build()?;
    let start = model.start_positions().to_vec();
    let x = at_rest(model, 2);
    let down = |&v: &u32| start[v as usize][1] - x[v as usize][1];
    Ok(ends[1].iter().map(down).sum::<f64>() / ends[1].len() as f64)
}

#[test]
fn a_cantilever_converges_to_beam_theory() {
    let (young, length, side) = (1e9, 0.5, 0.1);
    let (area, inertia) = (side * side, side * side * side * side / 12.0);
    let q = 1000.0 * 9.81 * area;
    // Timoshenko: bending and shear, with G = E/2 and a shear coefficient of 5/6.
    let bending = q * length * length * length * length / (8.0 * young * inertia);
    let shear = q * length * length / (2.0 * (5.0 / 6.0) * 0.5 * young * area);
    let beam = bending + shear;
    let sizes = [1, 2, 4, 8];
    let tips = sizes.map(|n| tip(n, young).unwrap() / beam);
    let order = |a: f64, b: f64| log((1.0 - a) / (1.0 - b)) / log(2.0);
    let [a, b, c, d] = tips;
    println!("tip over beam theory, {sizes:?} cells: {tips:.4?}");
    let orders = [order(a, b), order(b, c), order(c, d)];
    // Richardson's extrapolation with the order 2 of linear elements.
    let limit = d + (d - c) / 3.0;
    println!("orders {orders:.2?}; extrapolated {limit:.4}");
    assert!(tips.windows(2).all(|w| w[0] < w[1]), "stiffer where coarser");
    // Linear tets lock where coarse: the order is reached from below.
    assert!(orders[2] > 1.7, "orders {orders:?}");
    assert!((limit - 1.0).abs() < 0.01, "extrapolated {limit}");
}

/// Young's modulus and Poisson's ratio from the mean positions of opposite sides.
fn recovered(start: &[[f64; 3]], x: &[[f64; 3]], stress: f64) -> (f64, f64) {
    let strain = |axis: usize| {
        let of = |side: f64| {
            let on = |p: &[f64; 3]| (p[axis] - side).abs() < 1e-9;
            let list: Vec<usize> = (0..start.len()).filter(|&i| on(&start[i])).collect();
            list.iter().map(|&i| x[i][axis]).sum::<f64>() / list.len() as f64
        };
        let high = start.iter().map(|p| p[axis]).fold(f64::MIN, f64::max);
        let low = start.iter().map(|p| p[axis]).fold(f64::MAX, f64::min);
        (of(high) - of(low)) / (high - low) - 1.0
    };
    (stress / strain(0), -strain(2) / strain(0))
}

#[test]
fn a_pulled_bar_has_its_youngs_modulus_and_poissons_ratio() {
    for poisson in [0.0, 0.3, 0.45] {
        let (young, stress) = (1e6, 1e3);
        let mut scene = ModelBuilder::new();
        scene.gravity([0.0; 3]);
        scene.time_step(0.1);
        let mesh = TetBlock::new(6, 2, 2).size([0.3, 0.1, 0.1]).build().unwrap();
        let (surface, start) = (mesh.surface(), mesh.positions.clone());
        let body = scene.solid(mesh, Solid::new(1000.0, young, poisson)).unwrap();
        // An even pull on both end faces: a third of each triangle's share at its vertices.
        for triangle in surface {
            let p = triangle.map(|v| start[v as usize]);
            for (side, sign) in [(0.0, -1.0), (0.3, 1.0)] {
                if p.iter().all(|p| (p[0] - side).abs() < 1e-9) {
                    let f = sign * stress * triangle_area(p) / 3.0;
                    for v in triangle {
                        scene.force(body.vertex(v as usize), [f, 0.0, 0.0]).unwrap();
                    }
                }
            }
        }
        let x = at_rest(scene.build().unwrap(), 12);
        let (e, nu) = recovered(&start, &x, stress);
        assert_close(&format!("bar's modulus, ν = {poisson}"), e, young, 5e-3); // measured 6.5e-4
        println!("  its Poisson's ratio: {nu:.4}");
        assert!((nu - poisson).abs() < 0.005, "{nu}");
    }
}

#[test]
fn a_pulled_sheet_has_its_youngs_modulus() {
    let cases = [(Stretch::Membrane, 0.0), (Stretch::Membrane, 0.3), (Stretch::Edges, 0.0)];
    for (stretch, poisson) in cases {
        let (young, stress, thickness) = (1e6, 1e3, 1e-3);
        let mut scene = ModelBuilder::new();
        scene.gravity([0.0; 3]);
        scene.time_step(0.1);
        let (nx, ny, width, height) = (13, 5, 0.3, 0.1);
        let mesh = Grid::new(nx, ny).size2(width, height).build().unwrap();
        let start = mesh.positions.clone();
        let fabric = Fabric { stretch, ..Fabric::plate(1000.0, young, poisson, thickness) };
        let body = scene.cloth(mesh, fabric).unwrap();
        for j in 0..ny {
            let share = if j == 0 || j == ny - 1 { 0.5 } else { 1.0 } / (ny - 1) as f64;
            let f = stress * thickness * height * share;
            scene.force(body.vertex(j * nx), [-f, 0.0, 0.0]).unwrap();
            scene.force(body.vertex(j * nx + nx - 1), [f, 0.0, 0.0]).unwrap();
        }
        let x = at_rest(scene.build().unwrap(), 12);
        let (e, nu) = recovered(&start, &x, stress);
        println!("sheet, {stretch:?}: Poisson's ratio {nu:.4}");
        let what = format!("sheet's modulus, {stretch:?}, ν = {poisson}");
        assert_close(&what, e, young, 2e-3); // measured 2.1e-4
        assert!((nu - poisson).abs() < 0.005, "{nu}");
    }
}

/// A sheet of about 1 m × 1 m of equilateral triangles.
fn equilateral(n: usize) -> TriMesh {
    let side = 1.0 / (n - 1) as f64;
    let height = side * 0.75_f64.sqrt();
    let at =
        |i: usize, j: usize| [(i as f64 + 0.5 * (j % 2) as f64) * side, 0.0, j as f64 * height];
    let positions = (0..n * n).map(|v| at(v % n, v / n)).collect();
    let mut triangles = Vec::new();
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let [a, b, c, d] =
                [i + j * n, i + 1 + j * n, i + (j + 1) * n, i + 1 + (j + 1) * n].map(|v| v as u32);
            let cut = if j % 2 == 0 { [[a, c, b], [b, c, d]] } else { [[a, d, b], [a, c, d]] };
            triangles.extend(cut);
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

/// Bending energy of a sheet rolled to a cylinder whose axis lies at `degrees` to z, over
/// `B/2 · area/R²`, on the area that the elements cover.
fn rolled(mesh: TriMesh, bend: Bend, degrees: f64) -> f64 {
    let (stiffness, r, angle) = (1e-3, 1.0, degrees * PI / 180.0);
    let area = match bend {
        // Boundary vertices have no ring.
        Bend::MeanCurvature => laplace_stencils(&mesh).iter().map(|s| s.area).sum::<f64>(),
        _ => triangle_areas(&mesh).iter().sum(),
    };
    let mut fabric = Fabric::plate(1000.0, 0.0, 0.0, 1e-3);
    (fabric.bend, fabric.bending) = (bend, stiffness);
    let mut scene = ModelBuilder::new();
    scene.cloth(mesh, fabric).unwrap();
    let model = scene.build().unwrap();
    let roll = |p: &[f64; 3]| {
        let (c, s) = (cos(angle), sin(angle));
        let (u, w) = (c * p[0] + s * p[2], c * p[2] - s * p[0]);
        [r * sin(u / r), r * (1.0 - cos(u / r)), w, 0.0]
    };
    let x: Vec<[f64; 4]> = model.start_positions().iter().map(roll).collect();
    let system = System::<f64>::new(model.into());
    system.elastic_energy(&Exec::serial(), &x) / (0.5 * stiffness * area / (r * r))
}

#[test]
fn a_rolled_sheet_has_the_bending_energy_of_its_curvature() {
    let degrees = [0.0, 30.0, 45.0, 90.0, 135.0];
    let grid = |pattern| Grid::square(41).size(1.0).pattern(pattern).build().unwrap();
    let meshes = [
        ("regular", grid(Pattern::Regular)),
        ("alternating", grid(Pattern::Alternating)),
        ("equilateral", equilateral(41)),
    ];
    println!("bending energy of a cylinder over B/2 A/R², its axis at {degrees:?} degrees:");
    for bend in [Bend::MeanCurvature, Bend::Dihedral] {
        for (name, mesh) in &meshes {
            let factors = degrees.map(|d| rolled(mesh.clone(), bend, d));
            println!("  {bend:?}, {name}: {factors:.3?}");
            // Mean curvature sees no mesh (measured 1.000). Hinges are exact up to the two rows
            // that boundary edges lack (1/40) for equilateral triangles, and along the edges of
            // halved squares; across their diagonals they are up to 2.95 times too stiff.
            let exact = match (bend, *name) {
                (Bend::MeanCurvature, _) => (0..5).all(|i| (factors[i] - 1.0).abs() < 0.005),
                (_, "equilateral") => (0..5).all(|i| (factors[i] - 1.0).abs() < 0.05),
                _ => [0, 3].iter().all(|&i: &usize| (factors[i] - 1.0).abs() < 0.03),
            };
            assert!(exact, "{bend:?}, {name}: {factors:?}");
        }
    }
}
