//! Contract: example-based materials (Projective Dynamics §5.3). A body that is pushed towards an
//! example settles in that example's shape, at no cost, and stays there; a plain body does not.
//! Volume bounds hold the determinant in their range.

use crate::common::{positions, run};
use pliant::Examples;
use pliant::math::polar3;
use pliant::math::{Mat3, Vec3};
use pliant::prelude::*;
use pliant_scenes::describe::ExampleShape;

fn bar() -> TetMesh {
    TetBlock::new(8, 2, 2).size([0.4, 0.1, 0.1]).build().unwrap()
}

/// Bent by a quarter turn; twisted by a third of a turn; longer and thinner.
fn shapes() -> [ExampleShape; 3] {
    [
        ExampleShape { bend: Some(90.0), ..ExampleShape::default() },
        ExampleShape { twist: Some(120.0), ..ExampleShape::default() },
        ExampleShape { stretch: Some([1.5, 0.8, 0.8]), ..ExampleShape::default() },
    ]
}

/// The root mean square distance of two shapes after the best rigid motion.
fn apart(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let n = a.len() as f64;
    let middle = |x: &[[f64; 3]]| {
        x.iter().fold(Vec3::zero(), |sum, p| sum + Vec3::<f64>::of(*p)).scale(1.0 / n)
    };
    let (ca, cb) = (middle(a), middle(b));
    let mut moment = Mat3 { cols: [Vec3::zero(); 3] };
    for (p, q) in a.iter().zip(b) {
        let (p, q) = (Vec3::of(*p) - ca, Vec3::of(*q) - cb);
        for (column, q) in moment.cols.iter_mut().zip([q.x, q.y, q.z]) {
            *column += p.scale(q);
        }
    }
    let turn = polar3(&moment);
    let square = |(p, q): (&[f64; 3], &[f64; 3])| {
        (Vec3::of(*p) - ca - turn.mul_vec(Vec3::of(*q) - cb)).norm_squared()
    };
    (a.iter().zip(b).map(square).sum::<f64>() / n).sqrt()
}

/// A free bar, started in the shape `start`, whose vertices soft springs draw to `goal` where given.
fn free_bar(examples: Option<&Examples>, start: &[[f64; 3]], goal: Option<&[[f64; 3]]>) -> Model {
    let mut scene = ModelBuilder::new();
    let damping = Damping { drag: 5.0, ..Damping::default() };
    let material = Solid::new(1000.0, 1.0e6, 0.0).damping(damping);
    let body = match examples {
        Some(examples) => scene.solid_with_examples(bar(), material, examples).unwrap(),
        None => scene.solid(bar(), material).unwrap(),
    };
    scene.positions_mut(&body).copy_from_slice(start);
    for (v, p) in goal.unwrap_or_default().iter().enumerate() {
        scene.attach(body.vertex(v), *p, 20.0);
    }
    scene.gravity([0.0; 3]);
    scene.build().unwrap()
}

#[test]
fn a_body_pushed_towards_an_example_settles_in_its_shape() {
    let rest = bar().positions;
    let all: Vec<Vec<[f64; 3]>> = shapes().iter().map(|s| s.apply(&rest)).collect();
    let solver = || ProjectiveDynamics { iterations: 20, ..Default::default() };
    for (i, goal) in all.iter().enumerate() {
        let whole = apart(&rest, goal);
        let settle = |examples: Option<&Examples>| {
            let model = free_bar(examples, &rest, Some(goal));
            let mut sim = Simulation::<f64>::with_precision(model, solver()).unwrap();
            run(&mut sim, 400);
            let pushed = positions(&sim);
            // Let go of, it stays.
            let model = free_bar(examples, &pushed, None);
            let mut sim = Simulation::<f64>::with_precision(model, solver()).unwrap();
            run(&mut sim, 200);
            (apart(&pushed, goal) / whole, apart(&positions(&sim), goal) / whole)
        };
        let (plain_pushed, plain_left) = settle(None);
        println!("example {i}: plain {plain_pushed:.3}, let go {plain_left:.3}");
        assert!(plain_pushed > 0.5 && plain_left > 0.9, "plain {i}: {plain_pushed}");
        for together in [false, true] {
            let examples = Examples { whole_body: together, ..Examples::new(all.clone()) };
            let (pushed, left) = settle(Some(&examples));
            println!("example {i}, together {together}: off by {pushed:.4}, let go {left:.4}");
            assert!(pushed < 0.05 && left < 0.05, "example {i}: {pushed} {left}");
        }
    }
}

#[test]
fn between_examples_the_whole_body_follows_one_weight_and_elements_their_own() {
    // Half of the bar is pushed to the example, the other half to the rest shape.
    let rest = bar().positions;
    let longer = ExampleShape { stretch: Some([1.5, 1.0, 1.0]), ..ExampleShape::default() };
    let example = longer.apply(&rest);
    let examples = Examples::new(vec![example.clone()]);
    // A stretch of the left half alone costs elements with weights of their own nothing.
    let half: Vec<[f64; 3]> = rest
        .iter()
        .map(|p| [if p[0] < 0.2 { 1.5 * (p[0] - 0.2) } else { p[0] - 0.2 }, p[1], p[2]])
        .collect();
    let energy = |together: bool| {
        let examples = Examples { whole_body: together, ..examples.clone() };
        let model = free_bar(Some(&examples), &half, None);
        let sim = Simulation::<f64>::with_precision(model, ProjectiveDynamics::default()).unwrap();
        let x = sim.state().positions.clone();
        sim.system().elastic_energy(sim.exec(), &x)
    };
    let (alone, together) = (energy(false), energy(true));
    // Together, the best weight is a half: a strain of a quarter everywhere.
    let expected = 0.5 * 1.0e6 * (0.4 * 0.1 * 0.1) * 0.25 * 0.25;
    println!("alone {alone:.2e} J, together {together:.4} J against {expected:.4} J");
    assert!(alone < 1e-9 * expected);
    assert!((together / expected - 1.0).abs() < 1e-6);
}

#[test]
fn examples_of_another_mesh_are_refused() {
    let mut scene = ModelBuilder::new();
    let material = Solid::new(1000.0, 1.0e5, 0.0);
    let short = Examples::new(vec![vec![[0.0; 3]; 5]]);
    let error = scene.solid_with_examples(bar(), material, &short).unwrap_err().to_string();
    assert!(error.contains("example 0 has 5 positions, the mesh 81 vertices"), "{error}");
    let none = Examples::new(Vec::new());
    let error = scene.solid_with_examples(bar(), material, &none).unwrap_err().to_string();
    assert!(error.contains("0 examples"), "{error}");
    let many = Examples::new(vec![bar().positions; 5]);
    let error = scene.solid_with_examples(bar(), material, &many).unwrap_err().to_string();
    assert!(error.contains("5 examples; it must have 1 to 4"), "{error}");
}

#[test]
fn volume_bounds_hold_the_determinant_in_range() {
    let bounds = [0.9, 1.1];
    let mesh = bar();
    let mut scene = ModelBuilder::new();
    let body = scene.solid(mesh.clone(), Solid::new(1000.0, 1.0e4, 0.0)).unwrap();
    scene.bound_volumes(&body, &mesh, bounds, 1.0e7).unwrap();
    scene.gravity([0.0; 3]);
    // Squeezed to a third between the ends.
    for (v, p) in mesh.positions.iter().enumerate() {
        if p[0] < 1e-9 {
            scene.pin(body.vertex(v));
        } else if p[0] > 0.4 - 1e-9 {
            let path = vec![(0.0, *p), (1.0, [p[0] - 0.13, p[1], p[2]])];
            scene.pin_moving(body.vertex(v), Motion::Path(path));
        }
    }
    let solver = ProjectiveDynamics { iterations: 60, ..Default::default() };
    let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), solver).unwrap();
    let determinants = |x: &[[f64; 3]]| {
        let of = |t: usize| {
            let volume = |x: [[f64; 3]; 4]| {
                let x = x.map(Vec3::<f64>::of);
                (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]))
            };
            volume(mesh.tets[t].map(|v| x[v as usize])) / volume(mesh.tet_points(t))
        };
        (0..mesh.tets.len())
            .map(of)
            .fold([f64::INFINITY, 0.0_f64], |[a, b], d| [a.min(d), b.max(d)])
    };
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for _ in 0..120 {
        run(&mut sim, 1);
        let [a, b] = determinants(&positions(&sim));
        (low, high) = (low.min(a), high.max(b));
    }
    println!("determinants from {low:.4} to {high:.4} while the bar is pressed by a third");
    assert!(low > 0.89 && high < 1.11, "{low} {high}");
}
