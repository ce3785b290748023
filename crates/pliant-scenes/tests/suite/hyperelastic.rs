//! Contract: solids of the three isotropic energies are linear elasticity where strains are small, with
//! exactly the given moduli; a bar pulled to twice its length and more comes to rest where the
//! closed form of its energy says; every solver that converges goes to the same shape; and what
//! starts inside out or flattened comes back.

use crate::common::{self, positions, scrambled_block_of};
use pliant::material::Strain;
use pliant::mesh::measure::{tet_volume, triangle_area};
use pliant::prelude::*;

/// Positions in equilibrium: a few very long implicit steps, stopped after each.
fn at_rest(model: Model, steps: usize) -> Vec<[f64; 3]> {
    let newton = Newton { tolerance: 1e-12, start_from_previous: true, ..Newton::default() };
    let mut sim = Simulation::<f64>::with_precision(model, newton).unwrap();
    for _ in 0..steps {
        sim.step();
        sim.state_mut().velocities.fill([0.0; 4]);
    }
    positions(&sim)
}

/// The stretches along x and z of a bar pulled by an even force over its rest section \[Pa\].
fn pulled(material: Solid, stress: f64) -> [f64; 2] {
    let mut scene = ModelBuilder::new();
    scene.gravity([0.0; 3]);
    scene.time_step(0.1);
    let mesh = TetBlock::new(6, 2, 2).size([0.3, 0.1, 0.1]).build().unwrap();
    let (surface, start) = (mesh.surface(), mesh.positions.clone());
    let body = scene.solid(mesh, material).unwrap();
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
    let x = at_rest(scene.build().unwrap(), 40);
    // The middle, away from the ends.
    [0, 2].map(|axis| {
        let on = |side: f64| {
            let list: Vec<usize> =
                (0..start.len()).filter(|&i| (start[i][axis] - side).abs() < 1e-9).collect();
            list.iter().map(|&i| x[i][axis]).sum::<f64>() / list.len() as f64
        };
        let size = [0.3, 0.1, 0.1][axis];
        (on(size) - on(0.0)) / size
    })
}

#[test]
fn small_strains_have_the_moduli() {
    for strain in [Strain::Corotational, Strain::NeoHookean] {
        for poisson in [0.0, 0.3, 0.45] {
            let (young, stress) = (1e6, 1e2);
            let material = Solid { strain, ..Solid::new(1000.0, young, poisson) };
            let [along, across] = pulled(material, stress).map(|s| s - 1.0);
            let (e, nu) = (stress / along / young, -across / along);
            println!("{strain:?}, ν = {poisson}: E {e:.6}, ν {nu:.6}");
            // The strain is 1e-4, and a neo-Hookean's modulus changes with it; measured 1.5e-4.
            assert!((e - 1.0).abs() < 1e-3 && (nu - poisson).abs() < 1e-3, "{e} {nu}");
        }
    }
}

/// The stretches at which the energy less the work of a force is least, by Newton's method on
/// differences of the energy as the papers write it.
fn closed_form(energy: impl Fn(f64, f64) -> f64, stress: f64) -> [f64; 2] {
    let total = |s: f64, t: f64| energy(s, t) - stress * s;
    let (mut s, mut t) = (1.0, 1.0);
    let h = 1e-4;
    for _ in 0..400 {
        let f = total(s, t);
        let (sp, sm) = (total(s + h, t), total(s - h, t));
        let (tp, tm) = (total(s, t + h), total(s, t - h));
        let mixed = (total(s + h, t + h) - total(s + h, t - h) - total(s - h, t + h)
            + total(s - h, t - h))
            / (4.0 * h * h);
        let g = [(sp - sm) / (2.0 * h), (tp - tm) / (2.0 * h)];
        let (a, d) = ((sp - 2.0 * f + sm) / (h * h), (tp - 2.0 * f + tm) / (h * h));
        let det = a * d - mixed * mixed;
        // Short steps: the energy is far from quadratic.
        s -= 0.2 * (d * g[0] - mixed * g[1]) / det;
        t -= 0.2 * (a * g[1] - mixed * g[0]) / det;
    }
    [s, t]
}

#[test]
fn a_bar_stretched_far_rests_where_its_energy_says() {
    for poisson in [0.0, 0.3, 0.45] {
        let young = 1e6;
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        // Stretches s, t, t: I = s² + 2t², J = s t².
        let neo = |s: f64, t: f64| {
            let (i, j) = (s * s + 2.0 * t * t, s * t * t);
            let volume = lambda + 14.0 / 15.0 * mu;
            mu * (8.0 / 15.0 * (i - 3.0 + 1.0 / (i + 1.0) - 0.25) - (j - 1.0))
                + 0.5 * volume * (j - 1.0) * (j - 1.0)
        };
        let corotational = |s: f64, t: f64| {
            let trace = s + 2.0 * t - 3.0;
            mu * ((s - 1.0) * (s - 1.0) + 2.0 * (t - 1.0) * (t - 1.0))
                + 0.5 * lambda * trace * trace
        };
        for stress in [1e5, 3e5, 8e5] {
            let solid = Solid::new(1000.0, young, poisson);
            let found = [pulled(solid.neo_hookean(), stress), pulled(solid.corotational(), stress)];
            let linear = [1.0 + stress / young, 1.0 - poisson * stress / young];
            let expected = [closed_form(neo, stress), closed_form(corotational, stress)];
            println!("ν = {poisson}, {stress:e} Pa: {found:.5?}, expected {expected:.5?}");
            // The corotational bar is linear however far it goes.
            assert!((expected[1][0] - linear[0]).abs() < 1e-6);
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                assert!((found - expected).abs() < 1e-4, "{found} {expected}");
            }
        }
    }
}

#[test]
fn solids_inside_out_come_back() {
    for material in [Solid::neo_hookean, Solid::corotational] {
        for start in 0..3 {
            for solver in ["newton", "projective"] {
                let solid = material(Solid::new(1000.0, 1e6, 0.3))
                    .damping(Damping { drag: 5.0, ..Damping::default() });
                let (model, tets) = scrambled_block_of(start, solid);
                let solver = AnySolver::by_name(solver).unwrap();
                let name = solver.name();
                let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
                let inverted = |x: &[[f64; 3]]| {
                    tets.iter().filter(|t| tet_volume(t.map(|v| x[v as usize])) <= 0.0).count()
                };
                let before = inverted(&positions(&sim));
                for _ in 0..400 {
                    sim.step();
                }
                let after = inverted(&positions(&sim));
                println!("{:?} start {start} {name}: {before} → {after}", solid.strain);
                assert_eq!(after, 0);
            }
        }
    }
}

#[test]
fn solvers_that_converge_go_to_one_shape() {
    let scene = |solid: Solid| {
        let mut scene = ModelBuilder::new();
        let mesh = TetBlock::new(4, 2, 2).size([0.4, 0.2, 0.2]).build().unwrap();
        let body = scene.solid(mesh, solid).unwrap();
        for p in scene.positions_mut(&body) {
            // Stretched, sheared and bent.
            *p = [1.4 * p[0], p[1] + 0.3 * p[0] * p[0], 0.9 * p[2] + 0.2 * p[1]];
        }
        (0..9).for_each(|v| scene.pin(body.vertex(5 * v)));
        scene.build().unwrap()
    };
    for solid in
        [Solid::new(1000.0, 1e4, 0.3).neo_hookean(), Solid::new(1000.0, 1e4, 0.3).corotational()]
    {
        let end = |solver: AnySolver| {
            let mut sim = Simulation::<f64>::with_precision(scene(solid), solver).unwrap();
            sim.step();
            positions(&sim)
        };
        let exact = end(common::exact_newton().into());
        let solvers: [(AnySolver, f64); 6] = [
            (ProjectiveDynamics { iterations: 600, ..Default::default() }.into(), 1e-7),
            (AnySolver::by_name("projective+anderson").unwrap().with_iterations(100), 1e-7),
            (AnySolver::by_name("projective+lbfgs").unwrap().with_iterations(100), 1e-7),
            (Xpbd { iterations: 3000, ..Xpbd::default() }.into(), 1e-5),
            (Vbd { iterations: 1000, ..Vbd::default() }.into(), 1e-6),
            (Constrained { iterations: 60, ..Constrained::default() }.into(), 1e-6),
        ];
        for (solver, bound) in solvers {
            let name = solver.name();
            let x = end(solver.with_substeps(1));
            let gap = x
                .iter()
                .zip(&exact)
                .map(|(a, b)| (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum::<f64>().sqrt());
            let gap = gap.fold(0.0, f64::max);
            println!("{:?} {name}: {gap:.1e} m from Newton's", solid.strain);
            assert!(gap < bound, "{name}: {gap:e}");
        }
    }
}
